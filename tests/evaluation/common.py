"""What several tests of the evaluation share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import strategies as st

from compass.evaluation.evaluate import evaluate
from compass.evaluation.plans import Scope, demo
from compass.evaluation.report import write_report
from compass.evaluation.simulate import simulate
from compass.evaluation.store import Store
from compass.trace import TraceJob, read_trace

TRACES = Path(os.environ.get("COMPASS_TRACES", Path(__file__).parents[3] / "shared" / "traces"))
needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason=f"the public traces are not in {TRACES.name} (set COMPASS_TRACES)"
)


def venus():
    return read_trace(TRACES / "venus.csv")


def trace_of(*rows):
    """Jobs a, b, c, ... from rows (submit, duration, instances, gpus)."""
    return [TraceJob(chr(97 + k), *row) for k, row in enumerate(rows)]


SCOPE = Scope(etas=("0.5",))


def report(directory, workload, executor, workers=1):
    """The files of the demo, by name, but for the times."""
    directory.mkdir(exist_ok=True)
    with Store(directory / "runs.jsonl") as store:
        told = []
        rows = evaluate(workload, demo(workload, SCOPE), store, executor, workers=workers, progress=told.append).rows
        assert sum(told) == len(rows) == 10
    write_report(directory, "demo", [workload], SCOPE, rows)
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name != "runs.jsonl"}


SIZES = st.integers(1, 8)


def traces(sizes=SIZES, most=10):
    rows = st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(1, 2), sizes)
    return st.lists(rows, min_size=1, max_size=most).map(lambda rows: trace_of(*sorted(rows, key=lambda row: row[0])))


def completions(jobs, scheduler, **options):
    """Time of completion of each job, and the measures."""
    ends = {}

    def note(record):
        if record.kind == "depart":
            ends[record.job.job_id] = record.time

    return ends, simulate(jobs, scheduler, observe=note, check=True, **options)
