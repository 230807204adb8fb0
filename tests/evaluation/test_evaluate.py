"""Experiments as a whole: the same bytes wherever they run, interruptions, damage, bad input."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future
from multiprocessing import resource_tracker
from types import SimpleNamespace

import pytest

from compass import CompassError, InputError, InvariantViolated
from compass.cli import main
from compass.evaluation import runs as runs_module
from compass.evaluation import store as store_module
from compass.evaluation.evaluate import evaluate
from compass.evaluation.executors import InProcess, end_with_parent, executor_of, is_loss
from compass.evaluation.experiments import find_experiment
from compass.evaluation.plans import Scope, compositions, demo, over_days
from compass.evaluation.runs import ADDED, COLUMNS, WHOLE, Outcome, Run, Workload, perform, tasks_of
from compass.evaluation.settings import Settings
from compass.evaluation.store import Store, package_version, sources
from compass.trace import TraceJob, write_trace
from tests.evaluation.common import SCOPE, report, trace_of


@pytest.fixture(scope="module")
def expected(workload, tmp_path_factory):
    """What one process makes of it."""
    files = report(tmp_path_factory.mktemp("one") / "demo", workload, InProcess())
    assert sorted(files) == ["demo-runs.csv", "demo-runs.parquet", "demo.csv", "demo.parquet", "demo.svg"]
    return files


def test_processes_give_the_same_bytes(workload, expected, tmp_path):
    with executor_of(2) as (executor, workers):
        assert report(tmp_path / "out", workload, executor, workers) == expected


@pytest.fixture
def cluster():
    """A dask.distributed cluster in this process, reached by TCP."""
    distributed = pytest.importorskip("distributed")
    options = {"processes": False, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster("", n_workers=1, threads_per_worker=1, protocol="tcp://", **options) as cluster:
        yield cluster


def test_a_dask_cluster_gives_the_same_bytes(workload, expected, cluster, tmp_path):
    with executor_of(1, cluster.scheduler_address) as (executor, workers):
        assert report(tmp_path / "out", workload, executor, workers) == expected


def test_a_cluster_that_is_lost_midway(workload, cluster, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(runs_module, "TOGETHER", 1)
    monkeypatch.setattr("compass.evaluation.executors.TIMEOUT", 1)
    done = []

    def lose(runs):
        done.append(runs)
        if sum(done):
            cluster.close()

    with (
        pytest.raises(InputError, match=r"the cluster has gone, .* \(.+\); finished runs are kept"),
        executor_of(1, cluster.scheduler_address) as (executor, workers),
        Store(tmp_path / "runs.jsonl") as store,
    ):
        evaluate(workload, demo(workload, SCOPE), store, executor, workers=workers, progress=lose)
    assert capfd.readouterr().err == ""
    with Store(tmp_path / "runs.jsonl") as store:
        assert 0 < len(store.results) < 10


def test_what_dask_raises_where_a_worker_or_a_cluster_is_lost():
    client = pytest.importorskip("distributed.client")
    scheduler = pytest.importorskip("distributed.scheduler")
    assert is_loss(scheduler.KilledWorker("perform", None, 3)), "a worker that died under it, again and again"
    assert is_loss(client.ClosedClientError("gone"))
    assert not is_loss(ValueError("of the task itself"))


def test_an_error_on_a_cluster_reaches_the_caller(cluster):
    with executor_of(1, cluster.scheduler_address) as (executor, _), pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result()


def test_a_cluster_that_is_not_there(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("distributed.Client", lambda *_, **__: (_ for _ in ()).throw(OSError("nobody\nthere")))
    with (
        pytest.raises(InputError, match="cluster here: nobody there"),
        executor_of(1, "here"),
    ):
        pass
    monkeypatch.setattr("distributed.Client", lambda *_, **__: (_ for _ in ()).throw(ValueError("no port")))
    with pytest.raises(InputError, match="cluster here: no port"), executor_of(1, "here"):
        pass
    monkeypatch.setattr("compass.evaluation.executors.import_module", lambda _: (_ for _ in ()).throw(ImportError))
    with pytest.raises(InputError, match="pip install 'compass-abs\\[cluster\\]'"), executor_of(1, "x"):
        pass


def test_what_processes_still_compute_is_not_waited_for():
    with contextlib.suppress(KeyboardInterrupt), executor_of(2) as (executor, _):
        sleeping = executor.submit(time.sleep, 20)
        while not sleeping.running():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert isinstance(sleeping.exception(), BrokenExecutor)


class Interrupting(Executor):
    """Stops after some tasks, as Ctrl-C would."""

    def __init__(self, tasks):
        self.tasks = tasks

    def submit(self, fn, /, *args, **kwargs):
        if not self.tasks:
            raise KeyboardInterrupt
        self.tasks -= 1
        return InProcess().submit(fn, *args, **kwargs)


def test_an_interrupted_evaluation_goes_on_where_it_stopped(workload, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(runs_module, "TOGETHER", 2)
    with pytest.raises(KeyboardInterrupt):
        report(tmp_path, workload, Interrupting(3))
    stored = tmp_path / "runs.jsonl"
    assert 0 < len(stored.read_text().splitlines()) < 10
    whole = stored.read_text()
    stored.write_text(whole + whole[:40])  # the process was killed while it wrote a line
    performed = []

    def counting(task):
        performed.extend(task.runs)
        return perform(task)

    monkeypatch.setattr("compass.evaluation.evaluate.perform", counting)
    assert report(tmp_path, workload, InProcess()) == expected
    assert len(performed) == 10 - len(whole.splitlines())
    assert report(tmp_path, workload, Interrupting(0)) == expected  # nothing is left to do


def test_damage_is_named(workload, tmp_path):
    report(tmp_path, workload, InProcess())
    stored = tmp_path / "runs.jsonl"
    good = stored.read_text().splitlines(keepends=True)
    many = "[" * 200_000 + "\n"
    for bad in (many, good[1].replace('"jobs": ', '"jobs": 1', 1), "\n", "[1]\n", "7\n", "nonsense\n", "[]\n"):
        assert bad != good[1]
        stored.write_text("".join([good[0], bad, *good[2:]]))
        with pytest.raises(InputError, match=r"runs.jsonl:2: damaged: .* \(delete the line, or the file\)"):
            Store(stored)
    stored.write_text("".join([good[0], *good[2:]]))
    with Store(stored) as store:
        assert len(store.results) == len(good) - 1
    with pytest.raises(InputError, match="Is a directory"):
        Store(tmp_path)
    stored.write_text(f"{good[0]}my notes")
    with pytest.raises(InputError, match=r"runs.jsonl:2: damaged"):
        Store(stored)
    assert stored.read_text() == f"{good[0]}my notes"
    for cut in good[1][:1], good[1][:20], good[1][:21], good[1][:-1]:
        stored.write_text(good[0] + cut)
        with Store(stored) as store:
            assert len(store.results) == 1
        assert stored.read_text() == good[0]


def test_results_belong_to_their_jobs_and_settings(workload):
    run = Run("a", 0, "0.9", 3, Settings.of("drr"))
    other = Workload("b", workload.jobs[:-1])
    keys = {
        workload.key(run),
        other.key(run),
        workload.key(Run("a", 0, "0.9", 4, run.settings)),
        workload.key(Run("a", 1, "0.9", 3, run.settings)),
        workload.key(Run("a", WHOLE, "0.9", 3, run.settings)),
        workload.key(Run("a", 0, "0.9", 3, Settings.of("drr", round_length=300))),
        workload.key(Run("a", 0, "0.9", 3, Settings.of("drr", cost=1))),
        workload.key(Run("a", 0, "0.9", 3, Settings.of("drr", round_phase=1))),
        workload.key(Run("a", 0, "0.9", 3, Settings.of("drr", round_phase="day"))),
    }
    assert len(keys) == 9
    assert workload.key(run) == workload.key(Run("b", 0, "-", 3, run.settings))  # names do not matter


def test_results_from_before_a_setting_are_found():
    """Keys as they were stored before rounds had a phase."""
    two = Workload("a", [TraceJob("a", 0, 60, 1, 4), TraceJob("b", 5, 60, 2, 8)])
    before = {"drr": "e32525cc469b0d76ae5458d05d619ef0", "best-fit": "88e5974eece9838e34c528e7a8d9752b"}
    assert {name: two.key(Run("a", 0, "0.90", 3, Settings.of(name))) for name in before} == before


def test_the_phase_in_the_table(workload):
    chosen = [Settings.of("drr", round_length=300, round_phase=phase) for phase in (0, 75, "day")]
    runs = over_days(workload, Scope(days=(0,)), chosen, ["0.5"])
    (task,) = tasks_of(workload, runs)
    rows = [{**run.row(), **outcome.measures} for run, outcome in zip(runs, perform(task), strict=True)]
    table = find_experiment("phases").tables([workload], SCOPE, rows)[""]
    assert [(row["round_phase"], row["shift"]) for row in table] == [("0", 0), ("75", 0.25), ("day", None)]


def test_a_scheduler_that_fails_is_a_row_that_says_so(workload, monkeypatch):
    def fail(*_):
        raise InvariantViolated("no")

    monkeypatch.setattr(runs_module, "simulate_run", fail)
    (task,) = tasks_of(workload, [Run("a", 0, "-", 3, Settings.of("drr")), Run("a", 0, "-", 3, Settings.of("drr"), 60)])
    for outcome in perform(task):
        assert outcome.measures["status"] == "InvariantViolated: no"
        assert outcome.measures["ajct"] is None
    assert (outcome.measures["steps"], outcome.measures["last_waiting"]) == ([], 0)


def test_a_solver_that_gives_up_is_a_row_and_a_missing_one_is_not(workload, monkeypatch):
    for kind in (CompassError, InputError):
        monkeypatch.setattr(runs_module, "simulate_run", lambda *_, kind=kind: (_ for _ in ()).throw(kind("no")))
        (task,) = tasks_of(workload, [Run("a", 0, "-", 3, Settings.of("fft"))])
        with pytest.raises(InputError) if kind is InputError else contextlib.nullcontext():
            assert perform(task)[0].measures["status"] == "CompassError: no"


def test_errors_of_a_worker_reach_the_caller(workload, tmp_path, monkeypatch):
    def broken(_):
        raise ZeroDivisionError

    monkeypatch.setattr("compass.evaluation.evaluate.perform", broken)
    with pytest.raises(ZeroDivisionError):
        report(tmp_path, workload, InProcess())


def test_a_worker_that_ends_is_told_in_one_line(workload, tmp_path):
    class Ending(Executor):
        def submit(self, fn, /, *args, **kwargs):
            future = Future()
            future.set_exception(BrokenExecutor("gone"))
            return future

    with pytest.raises(InputError, match=r"a worker or the cluster has gone, .* \(gone\); finished runs are kept"):
        report(tmp_path, workload, Ending())


def test_a_full_disk_is_told_with_the_name_of_the_file(workload, tmp_path, capsys):
    trace = str(tmp_path / "tiny.csv")
    write_trace(workload.jobs, trace)
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, hard))
    try:
        status = main(["evaluate", "demo", "--out", str(tmp_path), "--nodes", "9", "--trace", trace])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (status, capsys.readouterr()) == (2, ("", f"compass: {tmp_path}/runs.jsonl: File too large\n"))
    with Store(tmp_path / "runs.jsonl") as store:  # the line that was cut off is dropped
        assert 0 < len(store.results) == (tmp_path / "runs.jsonl").read_text().count("\n") < 5


def test_one_evaluation_at_a_time(tmp_path, monkeypatch):
    with Store(tmp_path / "runs.jsonl"):
        with pytest.raises(InputError, match=r"runs\.jsonl: in use by another evaluation"):
            Store(tmp_path / "runs.jsonl")
        monkeypatch.setitem(sys.modules, "fcntl", None)
        with Store(tmp_path / "runs.jsonl") as store:  # no locks on such a system
            assert store.results == {}


def test_results_of_another_version_or_without_a_column_are_not_used(workload, tmp_path, monkeypatch):
    runs = demo(workload, SCOPE)[:3]
    outcome = Outcome(dict.fromkeys(COLUMNS, 1), 0.5)
    lacking = {name: 1 for name in COLUMNS if name != "ajct"}
    earlier = {name: 1 for name in COLUMNS if name not in ADDED}
    with Store(tmp_path / "runs.jsonl") as store:
        monkeypatch.setattr(store_module, "package_version", lambda: "0.0.1")
        store.add(workload.key(runs[0]), outcome)
        monkeypatch.undo()
        store.add(workload.key(runs[1]), Outcome(lacking, 0.5))
        store.add(workload.key(runs[2]), Outcome(earlier, 0.5))
    with Store(tmp_path / "runs.jsonl") as store:
        assert len(store.results) == 2
        rows = evaluate(workload, runs, store, InProcess()).rows
    assert [row["status"] for row in rows] == ["done", "done", 1]
    assert {rows[2][name] for name in ADDED} == {None}
    with Store(tmp_path / "runs.jsonl") as store:
        assert len(store.results) == 3
    monkeypatch.setattr("importlib.metadata.version", lambda name: importlib.import_module("nowhere"))
    monkeypatch.setattr("importlib.metadata.PackageNotFoundError", ModuleNotFoundError)
    package_version.cache_clear()
    assert package_version() == "not installed"
    package_version.cache_clear()


def test_results_of_other_sources_are_used_and_counted(workload, tmp_path, monkeypatch):
    runs = demo(workload, SCOPE)[:3]
    with Store(tmp_path / "runs.jsonl") as store:
        for run, digest in zip(runs, ("before", "before", sources()), strict=True):
            monkeypatch.setattr(store_module, "sources", lambda digest=digest: digest)
            store.add(workload.key(run), Outcome(dict.fromkeys(COLUMNS, 1), 0.5))
        monkeypatch.undo()
    with Store(tmp_path / "runs.jsonl") as store:
        results = evaluate(workload, runs, store, InProcess())
        assert ([row["jobs"] for row in results.rows], results.foreign) == ([1, 1, 1], 2)
        store.add(workload.key(runs[0]), Outcome(dict.fromkeys(COLUMNS, 2), 0.5))
        assert evaluate(workload, runs, store, InProcess()).foreign == 1
    with Store(tmp_path / "runs.jsonl") as store:
        assert evaluate(workload, runs, store, InProcess()).foreign == 1


def test_sources_are_the_files_of_the_package(tmp_path, monkeypatch):
    """Any change of a name or of what is in a file gives another digest."""
    (tmp_path / "sub").mkdir()
    monkeypatch.setattr(store_module, "__file__", str(tmp_path / "sub" / "store.py"))
    found = []
    for name, text in (("a.py", "1"), ("a.py", "2"), ("sub/b.py", "2"), ("note.txt", "2")):
        (tmp_path / name).write_text(text)
        found.append(sources.__wrapped__())
    assert [len(set(found[:k])) for k in (1, 2, 3, 4)] == [1, 2, 3, 3]


def test_a_solver_is_asked_for_before_anything_is_run(workload, tmp_path, monkeypatch):
    runs = [Run("a", 0, "-", 3, Settings.of(name)) for name in ("ideal", "fft")]
    monkeypatch.setattr("compass.evaluation.schedulers.find_spec", lambda _: None)
    with Store(tmp_path / "runs.jsonl") as store, pytest.raises(InputError, match="fft needs scipy"):
        evaluate(workload, runs, store, InProcess())
    assert store.results == {}


def test_a_worker_ends_with_its_parent(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr("os._exit", lambda status: ended.set())
    end_with_parent()  # there is no parent: nothing to wait for
    ours, theirs = multiprocessing.Pipe()
    monkeypatch.setattr("compass.evaluation.executors.parent_process", lambda: SimpleNamespace(sentinel=ours.fileno()))
    end_with_parent()
    assert not ended.is_set()
    theirs.close()
    assert ended.wait(60)


def test_where_there_are_no_signal_masks(monkeypatch):
    resource_tracker.ensure_running()  # CPython's own start of it needs them where they were there at import
    monkeypatch.delattr("signal.pthread_sigmask")
    with executor_of(2) as (_, workers):
        assert workers == 2


def test_days_farthest_apart():
    day = 86400
    eights = [(k, 1, 1, 8) for k in range(20)]
    ones = [(day + k, 1, 1, 1) for k in range(20)]
    mixed = [(2 * day + k, 1, 1, 1 + 7 * (k % 2)) for k in range(20)]
    few = [(3 * day, 1, 1, 3)]
    jobs = [job._replace(job_id=str(k)) for k, job in enumerate(trace_of(*eights, *mixed, *few, *ones))]
    jobs.sort(key=lambda job: job.submit_time)
    assert compositions(Workload("w", jobs)) == (0, 1)
    assert compositions(Workload("w", jobs[:3])) == (0,)
    paper = [job._replace(submit_time=job.submit_time + 91 * day) for job in jobs]
    assert compositions(Workload("w", [*trace_of((0, 1, 1, 1)), *paper])) == (91, 92)


def test_scope():
    workload = Workload("w", trace_of((0, 1, 1, 8)))
    assert [run.nodes for run in over_days(workload, Scope(nodes=7), [Settings.of("ideal")], ["0.9"])] == [7]
    assert workload.served(WHOLE) == workload.jobs
    with pytest.raises(InputError, match=r"w: day 3: no job was submitted on it \(1 days from 0 to 0 have jobs\)"):
        demo(workload, Scope(days=(3,)))
