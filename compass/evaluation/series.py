"""The state of a cluster over time (figures 5 to 7 of the paper), and the day to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compass.evaluation.days import DAY
from compass.evaluation.plans import DYNAMICS, HEADLINE, Scope, over_days
from compass.evaluation.recorder import Record
from compass.evaluation.runs import Run, Workload, simulate_run
from compass.evaluation.settings import Settings
from compass.trace import TraceJob

STEP = 3600
"""Seconds that one row of a series is the mean over."""
LONGEST = 30 * DAY
"""Seconds from the beginning of a day on which steps are made; what comes later is counted in none."""


class Watch:
    """Observes a simulation and adds up, over steps of time, whatever is asked of its records.

    Args:
        start: when the first step begins.
        step: its length in seconds.
        values: the columns, computed from the record that a state begins with.
    """

    def __init__(self, start: int, step: int) -> None:
        self.sums: list[dict[str, float]] = []
        self.last_waiting = start
        self.head_of_large = 0
        self._start, self._step = start, step
        self._end = start + LONGEST // step * step
        self._record: Record | None = None

    def __call__(self, record: Record) -> None:
        """One record of the simulation."""
        if self._record is not None:
            self._lasts(self._record, record.time)
        self._record = record

    def _lasts(self, record: Record, until: int) -> None:
        """A state lasts from its record until a later time."""
        head = record.head
        if head is not None and until > record.time:
            self.last_waiting = until
            self.head_of_large += (until - record.time) * (head.gpus_per_instance == 8 and head.instances > 1)
        begin, until = record.time, min(until, self._end)
        while begin < until:
            index = (begin - self._start) // self._step
            end = min(until, self._start + (index + 1) * self._step)
            while len(self.sums) <= index:
                self.sums.append({"avoidable": 0, "busy": 0, "empty": 0, "waiting": 0})
            sums = self.sums[index]
            sums["avoidable"] += (end - begin) * record.avoidable
            sums["busy"] += (end - begin) * record.busy_gpus
            sums["empty"] += (end - begin) * (record.empty_nodes or 0)
            sums["waiting"] += (end - begin) * record.waiting
            begin = end


def blocked_day(workload: Workload, scope: Scope) -> int:
    """The day on which a large 8-GPU job is the head of the queue for the longest time, under best-fit.

    Large: more than one instance. Of equal days the first.
    """
    found: dict[int, int] = {}
    for run in over_days(workload, scope, [Settings.of("best-fit")], HEADLINE):
        watch = Watch(int(run.day) * DAY, DAY)
        simulate_run(run, workload.served(run.day), workload.counts, watch)
        found[int(run.day)] = watch.head_of_large
    return max(found, key=lambda day: found[day])


def series(workload: Workload, scope: Scope, step: int = STEP) -> list[dict[str, Any]]:
    """Means over steps of time for each scheduler on :func:`blocked_day`, until under none of them a job waits.

    At most ``LONGEST`` seconds.

    ``avoidable_nodes`` is ``N SIF``, ``utilisation`` busy GPUs over ``8 N``; ``empty_nodes`` is None for `ideal`.
    """
    day = blocked_day(workload, scope)
    runs = over_days(workload, Scope(scope.etas, scope.nodes, (day,)), DYNAMICS, HEADLINE)
    watched = [(run, _watched(run, workload.served(day), workload.counts, step)) for run in runs]
    steps = max(-(-(watch.last_waiting - day * DAY) // step) for _, watch in watched)
    rows = []
    for run, watch in watched:
        for index, sums in enumerate(watch.sums[:steps]):
            rows.append({
                **run.row(),
                "hour": index * step / 3600,
                "avoidable_nodes": sums["avoidable"] / step,
                "utilisation": sums["busy"] / step / (8 * run.nodes),
                "empty_nodes": None if run.settings.scheduler == "ideal" else sums["empty"] / step,
                "waiting_jobs": sums["waiting"] / step,
            })  # fmt: skip
    return rows


def _watched(run: Run, jobs: Sequence[TraceJob], counts: Sequence[int], step: int) -> Watch:
    watch = Watch(int(run.day) * DAY, step)
    simulate_run(run, jobs, counts, watch)
    return watch
