"""The command ``compass evaluate``."""

from __future__ import annotations

import csv
import json
from functools import partial

import pytest

from compass import InputError
from compass.cli import main
from compass.evaluation.executors import InProcess
from compass.evaluation.experiments import EXPERIMENTS, find_experiment
from compass.evaluation.runs import perform
from compass.trace import write_trace
from tests.evaluation.common import report, trace_of


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_on_a_few_jobs(name, workload, tmp_path, capsys):
    trace = tmp_path / "few.csv"
    write_trace([job for jobs in workload.days.values() for job in jobs[:20]], trace)
    out, short = tmp_path / "out", tmp_path / "short"
    options = ["--trace", str(trace), "--out", str(out), "--publish", str(short), "--eta", "0.30", "--days", "0"]
    status = main(["evaluate", name, *options])
    printed, err = capsys.readouterr()
    assert (status, err) == (0, "")
    assert f"tables and figures: {out}/{name}*" in printed
    names = {path.name for path in out.iterdir() if path.suffix in (".csv", ".svg")}
    assert {path.name for path in short.iterdir()} == names - {f"{name}-runs.csv", f"{name}-seconds.csv"}
    with (out / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows
    if name not in ("mix", "dynamics"):
        assert {row["eta"] for row in rows} == {"0.30"}
        assert {"scheduler", "shares", "round_length", "cost", "queue", "readings", "reconstruction"} <= rows[0].keys()
    assert any(path.suffix == ".svg" for path in out.iterdir())


def test_several_traces_in_one_table(workload, tmp_path):
    options = []
    for name, jobs in zip("ab", workload.days.values(), strict=True):
        write_trace(jobs, tmp_path / f"{name}.csv")
        options += ["--trace", str(tmp_path / f"{name}.csv")]
    assert main(["evaluate", "composition", *options, "--out", str(tmp_path / "out"), "--eta", "0.30"]) == 0
    with (tmp_path / "out" / "composition-days.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["trace"], row["day"]) for row in rows] == [("a", "0"), ("b", "0")]
    assert [sum(float(row[f"g={g}"]) for g in range(1, 9)) for row in rows] == pytest.approx([1, 1])


def test_the_default_trace_is_synthetic(tmp_path, capsys):
    assert main(["evaluate", "mix", "--out", str(tmp_path), "--nodes", "9"]) == 0
    assert "synthetic,4000," in (tmp_path / "mix.csv").read_text()


def test_an_interrupted_search_for_the_day_goes_on(workload, tmp_path, monkeypatch, capsys):
    """The runs of `dynamics` are stored: those that find the day, and those on it, which depend on them."""
    trace, out = tmp_path / "few.csv", tmp_path / "out"
    write_trace(workload.jobs, trace)
    options = ["evaluate", "dynamics", "--trace", str(trace), "--eta", "0.30", "--out"]
    assert main([*options, str(tmp_path / "whole")]) == 0
    performed = []

    def interrupted(task, after):
        if len(performed) >= after:
            raise KeyboardInterrupt
        performed.extend(task.runs)
        return perform(task)

    for after in (1, 2, 99):  # within the search, after it, and not at all
        monkeypatch.setattr("compass.evaluation.evaluate.perform", partial(interrupted, after=after))
        assert main([*options, str(out)]) == (0 if after == 99 else 130)
    assert len(performed) == len(set(performed)) == 2 + 8
    for table in ("dynamics.csv", "dynamics-runs.csv"):
        assert (out / table).read_bytes() == (tmp_path / "whole" / table).read_bytes() > b""
    assert "runs      10" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "overal --out {out}",
            "experiment 'overal': there is none, did you mean 'overall'? (known: ",
        ),
        ("demo --out {out} --nodes 3 --eta .5", "give at most one of --nodes and --eta"),
        ("demo --out {out} --days 0,x", "'x'"),
        ("demo --out {out} --days 0,1,0", "day 0 stands twice"),
        ("demo --out {out} --trace {out}/a.csv --trace {out}/b/a.csv", "two traces are called 'a'"),
        ("demo --out {out} --days 99", "synthetic: day 99: no job was submitted on it (3 days from 0 to 2 have jobs)"),
        ("demo --out=", "the name of a folder is empty"),
        ("demo --out {out} --publish {out}/.", "--publish and --out are the same folder"),
        ("demo --out {out}/file/x", "{out}/file/x: Not a directory"),
        ("demo --out {out} --trace {out}/none.csv", "{out}/none.csv: No such file"),
    ],
)
def test_bad_input_is_one_line(arguments, message, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    status = main(["evaluate", *arguments.format(out=tmp_path).split()])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert message.format(out=tmp_path) in err
    assert err.count("\n") == 1


def test_without_pyarrow_and_matplotlib_there_is_csv(workload, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setattr("compass.evaluation.report.find_spec", lambda _: None)
    assert sorted(report(tmp_path, workload, InProcess())) == ["demo-runs.csv", "demo.csv"]


@pytest.mark.parametrize(
    ("absent", "last"),
    [
        (("matplotlib",), ["tables: {out}/mix*", "left out: figures; pip install 'compass-abs[evaluate]' for them"]),
        (
            ("matplotlib", "pyarrow"),
            ["tables: {out}/mix*", "left out: figures and Parquet; pip install 'compass-abs[evaluate]' for them"],
        ),
        ((), ["mix   2 rows", "tables and figures: {out}/mix*"]),
    ],
)
def test_what_is_left_out_for_want_of_a_package_is_named(tmp_path, monkeypatch, capsys, absent, last):
    monkeypatch.setattr("compass.evaluation.report.find_spec", lambda name: None if name in absent else object())
    assert main(["evaluate", "mix", "--out", f"{tmp_path}/out"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [line.format(out=f"{tmp_path}/out") for line in last]
    assert bool(list((tmp_path / "out").glob("*.svg"))) == ("matplotlib" not in absent)


def test_a_table_that_cannot_be_replaced(workload, tmp_path):
    (tmp_path / "demo.parquet" / "x").mkdir(parents=True)
    with pytest.raises(InputError, match=r"demo\.parquet: Is a directory"):
        report(tmp_path, workload, InProcess())
    assert not list(tmp_path.glob(".*"))


def test_a_table_without_a_row(tmp_path, capsys):
    """The only job never fits, so nobody waits."""
    write_trace(trace_of((0, 9, 5, 8)), tmp_path / "a.csv")
    options = ["--trace", f"{tmp_path}/a.csv", "--nodes", "1", "--out", f"{tmp_path}/out"]
    assert main(["evaluate", "dynamics", *options]) == 0
    assert (tmp_path / "out" / "dynamics.csv").read_text() == ""
    assert "dynamics  0 rows" in capsys.readouterr().out


def test_an_evaluation_goes_on_from_what_is_stored(workload, tmp_path):
    """Runs that are stored are not run again: the one that is missing is added, and the tables are the same."""
    trace, stored, table = tmp_path / "few.csv", tmp_path / "runs.jsonl", tmp_path / "demo-runs.csv"
    write_trace(workload.jobs, trace)
    options = ["evaluate", "demo", "--trace", str(trace), "--nodes", "9", "--out", str(tmp_path)]
    assert main(options) == 0
    lines, rows = stored.read_text().splitlines(keepends=True), table.read_bytes()
    stored.write_text("".join(lines[:-1]))  # as if it had been interrupted before the last run
    assert main(options) == 0
    assert table.read_bytes() == rows
    again = stored.read_text().splitlines(keepends=True)
    assert (again[:-1], len(again)) == (lines[:-1], len(lines))


def test_runs_that_other_sources_have_made_are_told(workload, tmp_path, monkeypatch, capsys):
    write_trace(workload.jobs, tmp_path / "few.csv")
    options = ["evaluate", "demo", "--trace", f"{tmp_path}/few.csv", "--nodes", "9", "--out", str(tmp_path)]
    assert main(options) == 0
    assert "other sources" not in capsys.readouterr().out
    monkeypatch.setattr("compass.evaluation.store.sources", lambda: "later")
    assert main(options) == 0
    line = (
        f"10 of the runs were stored by other sources of compass; without {tmp_path}/runs.jsonl they are made again\n"
    )
    assert line in capsys.readouterr().out


def test_nothing_is_made_where_a_solver_is_missing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("compass.evaluation.schedulers.find_spec", lambda _: None)
    assert main(["evaluate", "overall", "--out", f"{tmp_path}/out"]) == 2
    assert capsys.readouterr().err == (
        "compass: fft needs scipy, to solve integer programs: pip install 'compass-abs[evaluate]'\n"
    )
    assert not list(tmp_path.iterdir())


def test_nothing_is_made_for_what_cannot_be_run(tmp_path, capsys):
    for options in (("--days", "99"), ("--cluster", "foo"), ("--publish", f"{tmp_path}/b/../out")):
        assert main(["evaluate", "mix", "--out", f"{tmp_path}/out", *options]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_stored_results_are_json_lines(workload, tmp_path):
    report(tmp_path, workload, InProcess())
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert len({json.loads(line)[1] for line in lines}) == len(lines) == 10
    assert find_experiment("demo").about
