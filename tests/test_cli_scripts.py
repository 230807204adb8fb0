"""The scripts beside the package: what they say for bad use, and that they agree on their options."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "tests" / "benchmarks"
BENCHMARKS = [
    *sorted(SCRIPTS.glob("bench_*.py")),
    SCRIPTS / "measure_readings.py",
]  # dev.py gives all one line of options


def script(path, *arguments, **environment):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_dev(option):
    result = script(ROOT / "dev.py", option)
    assert (result.returncode, result.stderr) == (0, "")
    for command in ("demo", "test", "check", "lint", "docs", "benchmark", "artifact"):
        assert f"\n    {command} " in result.stdout


@pytest.mark.parametrize("arguments", [[], ["tset"], ["--jobs"]])
def test_bad_use_of_dev(arguments):
    result = script(ROOT / "dev.py", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    commands = "demo,test,check,lint,docs,benchmark,artifact"
    assert result.stderr == f"usage: python3 dev.py {{{commands}}} [argument ...]  (see --help)\n"


def test_an_artifact_section_that_there_is_not():
    result = script(ROOT / "dev.py", "artifact", "docs", "dcos")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no section 'dcos'" in result.stderr


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_every_benchmark_has_the_same_options(path, tmp_path):
    result = script(path, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    for option in ("--trace FILE", "--samples K", "--plot FILE"):
        assert option in result.stdout
    for arguments in (["x"], ["--trace", str(tmp_path / "absent")], ["--samples", "0"], ["--sample", "1"]):
        assert script(path, *arguments).returncode == 2
    trace = tmp_path / "trace.csv"
    trace.write_text("job_id\n")
    result = script(path, "--trace", str(trace))
    assert result.returncode == 2
    assert result.stderr.startswith(f"{trace}:1: ")


def test_readings_are_measured(tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("job_id,submit_time,duration,instances,gpus_per_instance\na,0,5,1,3\nb,2,9,2,1\n")
    out = tmp_path / "new" / "out.csv"
    path = ROOT / "tests" / "benchmarks" / "measure_readings.py"
    result = script(path, "--trace", str(trace), "--nodes", "3", "--out", str(out), "--check")
    assert len(out.read_text().splitlines()) == 577
    assert result.returncode == 1
    assert result.stdout.startswith(
        "not as in tests/benchmarks/results/printed_readings_venus.csv: line 2: text,after,"
    )


@pytest.fixture
def command_line(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("command_line")


def test_rows_are_compared_with_a_recorded_table(command_line, tmp_path, capsys):
    record = tmp_path / "record.md"
    record.write_text("# Title\n\n| N | states | s |\n|--:|---:|---|\n| 1 | 53 | 0.2 |\n| 2 | 576 | 0.3 |\n")
    assert command_line.as_recorded([["1", "53", "9"], ["2", "(time)", ""], ["2", "-", ""]], record, 2)
    assert not command_line.as_recorded([["1", "53", "9"], ["1", "576", "0.2"], ["3", "-", ""]], record, 2)
    assert not command_line.as_recorded([["1", "53", "9"]], record, 3)
    assert capsys.readouterr().out.splitlines() == [
        f"as in {record}",
        f"not as in {record}: 1 | 576 | 0.2",
        f"not as in {record}: 3 | - | ",
        f"not as in {record}: 1 | 53 | 9",
    ]


def test_lines_are_compared_with_a_record(command_line, tmp_path, capsys):
    made, record = tmp_path / "made.csv", tmp_path / "record.csv"
    record.write_text("a\n1\n2\n")
    for text, same in (("a\n1\n2\n", True), ("a\n3\n2\n", False), ("a\n1\n", False), ("a\n1\n2\n4\n", False)):
        made.write_text(text)
        assert command_line.same_lines(made, record) is same
    assert capsys.readouterr().out.splitlines() == [
        f"as in {record}",
        f"not as in {record}: line 2: 3",
        f"not as in {record}: 1 lines are missing",
        f"not as in {record}: line 4: 4",
    ]


def test_the_artifact_compares_with_what_was_recorded(monkeypatch):
    """SPIN is run as for its record, and every table and figure that the documentation keeps has a section."""
    monkeypatch.syspath_prepend(ROOT)
    dev = importlib.import_module("dev")
    assert f"bench_spin.py {dev.SPIN}\n" in (SCRIPTS / "results" / "spin.md").read_text()
    assert all("--check" in dev.SECTIONS[name][1] for name in ("benchmark", "fgd", "readings"))
    page = (ROOT / "docs" / "artifact.md").read_text()
    assert [name for name in dev.SECTIONS if f"\n| `{name}` |" not in page] == []
    records = {path.name for path in (SCRIPTS / "results").iterdir()}
    used = "".join(path.read_text() for path in SCRIPTS.glob("*.py"))
    assert [name for name in records if f'RESULTS / "{name}"' not in used] == []


def test_tables_of_the_evaluation_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(SCRIPTS)
    import measure_evaluation

    documented, published = tmp_path / "documented", tmp_path / "published"
    for folder, texts in ((documented, ("1\n", "2\n")), (published, ("1\n", "3\n"))):
        folder.mkdir()
        for name, text in zip(("same.csv", "other.csv"), texts, strict=True):
            (folder / name).write_text(text)
    (published / "new.csv").write_text("4\n")
    assert measure_evaluation.differing(documented, published) == ["new.csv", "other.csv"]
    monkeypatch.setattr(measure_evaluation.command_line, "TRACES", tmp_path)
    assert measure_evaluation.main(["mix", "--out", str(tmp_path)]) == 2
    assert "venus.csv: not there" in capsys.readouterr().err
