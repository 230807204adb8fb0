"""The scripts beside the package: what they say for bad use, and that they agree on their options."""

from __future__ import annotations

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
    assert script(path, "--trace", str(trace), "--nodes", "3", "--out", str(out)).returncode == 0
    assert len(out.read_text().splitlines()) == 577


def test_tables_of_the_evaluation_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
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
