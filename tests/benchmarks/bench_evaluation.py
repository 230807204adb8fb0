"""Speed and memory of the evaluation: a day, all jobs as one run, and the days and sizes of experiment `wcc`.

    python tests/benchmarks/bench_evaluation.py [--trace FILE] [--check]

With --check the exit status is 1 where what was run or its AJCT is not that of docs/measurements.md. Processor seconds
depend less on what else the machine does than seconds do, which are beside them where two processes work.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import command_line

from compass.evaluation.days import nodes_for
from compass.evaluation.evaluate import evaluate
from compass.evaluation.executors import executor_of
from compass.evaluation.plans import HEADLINE, INTENSITIES, PAPER_DAY, Scope, over_days
from compass.evaluation.runs import WHOLE, Run, Workload, simulate_run
from compass.evaluation.settings import Settings
from compass.evaluation.store import Store

WITHOUT_ROUNDS = [
    *(Settings.of(name) for name in ("printed", "repaired")),
    *(Settings.of("unified", open_nodes=m) for m in (1, 2)),
    *(Settings.of(name) for name in ("best-fit", "fgd")),
]
EIGHT = [*WITHOUT_ROUNDS, *(Settings.of(name, round_length=3600) for name in ("drr", "fft"))]
WORKERS = 2


def table(*columns: str) -> None:
    """Print the head of a table."""
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)


def single_runs(workload: Workload) -> list[tuple[str, ...]]:
    """A day under each scheduler without rounds, and all jobs under two; prints a row each."""
    day = PAPER_DAY if PAPER_DAY in workload.days else max(workload.days, key=lambda day: len(workload.days[day]))
    runs = over_days(workload, Scope(days=(day,)), WITHOUT_ROUNDS, HEADLINE)
    nodes = nodes_for(workload.jobs, Fraction(HEADLINE[0]))
    runs += [Run(workload.name, WHOLE, HEADLINE[0], nodes, WITHOUT_ROUNDS[k]) for k in (4, 2)]
    table("run", "nodes", "jobs", "AJCT in s", "processor seconds")
    rows = []
    for run in runs:
        begin = time.process_time()
        found = simulate_run(run, workload.served(run.day), workload.counts)
        seconds = time.process_time() - begin
        what = "all jobs" if run.day == WHOLE else f"day {day + 1}"
        rows.append(
            (f"{what}, {run.settings.label}", f"{run.nodes}", f"{found.jobs:,}", f"{float(found.ajct or 0):,.1f}")
        )
        print(f"| {' | '.join(rows[-1])} | {seconds:.2f} |", flush=True)
    print(f"\nPeak memory, with the trace: {_peak(resource.RUSAGE_SELF):.0f} MiB")
    return rows


def experiment(workload: Workload) -> tuple[str, ...]:
    """Every day and cluster size of experiment `wcc` under eight schedulers, in two processes; prints its row."""
    runs = over_days(workload, Scope(), EIGHT, INTENSITIES)
    begin, used = time.perf_counter(), _processor_seconds()
    with (
        tempfile.TemporaryDirectory() as folder,
        executor_of(WORKERS) as (executor, workers),
        Store(Path(folder) / "runs.jsonl") as store,
    ):
        rows = evaluate(workload, runs, store, executor, workers=workers).rows
    seconds, used = time.perf_counter() - begin, _processor_seconds() - used
    peak = _peak(resource.RUSAGE_SELF) + WORKERS * _peak(resource.RUSAGE_CHILDREN)
    table("days and sizes", "schedulers", "runs", "of them done", "processor seconds", "seconds", "peak memory at most")
    done = sum(row["status"] == "done" for row in rows)
    row = (f"{len(runs) // len(EIGHT)}", f"{len(EIGHT)}", f"{len(runs):,}", f"{done:,}")
    print(f"| {' | '.join(row)} | {used:,.0f} | {seconds:,.0f} | {peak:,.0f} MiB |", flush=True)
    return row


def _peak(who: int) -> float:
    """Peak memory of this process, or of the largest of its children, in MiB."""
    return resource.getrusage(who).ru_maxrss / 1024


def _processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def main() -> int:
    """Print both tables; returns the exit status."""
    options = command_line.parser(__doc__).parse_args()
    path = command_line.trace_file(options.trace)
    title, trace = command_line.load(path)
    workload = Workload(title, trace)
    rows = [*single_runs(workload), experiment(workload)]
    if not options.check:
        return 0
    if path is None:
        print("not compared: what is recorded is of the Venus trace")
        return 0
    return int(not command_line.as_recorded(rows, command_line.ROOT / "docs" / "measurements.md", 4))


if __name__ == "__main__":
    sys.exit(main())
