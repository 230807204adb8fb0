"""Sums over steps of time within a run: what the state of a cluster over a day is drawn from."""

from __future__ import annotations

from typing import Any

from compass.evaluation.days import DAY
from compass.evaluation.recorder import Record

STEP = 3600
"""Seconds that one row of a series is the mean over."""
LONGEST = 30 * DAY
"""Seconds from the beginning of a day on which steps are made; what comes later is counted in none."""

STEPS = "steps"
WATCHED = ("head_of_large_seconds", "last_waiting", STEPS)
"""What a watched run has beside its measures: how long a large 8-GPU job heads the queue, until when a job waits, and
the sums over each step."""


class Watch:
    """Observes a simulation and adds up, over steps of time, whatever is asked of its records.

    Args:
        start: when the first step begins.
        step: its length in seconds.
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

    def kept(self) -> dict[str, Any]:
        """What a stored result has of it, by the names of ``WATCHED``."""
        return dict(zip(WATCHED, (self.head_of_large, self.last_waiting, self.sums), strict=True))
