"""How often the Workload Composition Condition holds over a trace, when every job starts at its submission.

Events are ordered by time; at one time departures come first, then arrivals, then the departures of jobs of duration
0, each in the order of submission: the order of a replay on a cluster without bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from compass.composition import Composition
from compass.errors import InputError
from compass.geometry import Geometry
from compass.trace import TraceJob


class Interval(NamedTuple):
    """A span of time ``[begin, end)`` in seconds."""

    begin: int
    end: int


@dataclass(frozen=True)
class WccReport:
    """Where the WCC holds.

    Attributes:
        events: arrivals and departures.
        wcc_events: events after which the WCC holds.
        worst_slack: the least ``n_1 - V`` after any event.
        time_share: of the time during which at least one job runs, the share during which the WCC holds; 1 where
            no job runs for any time.
        violations: number of maximal spans of positive length during which it fails.
        first_violation: the first of them, if any.
        last_violation: the last of them.
        longest_violation: the longest of them, the earliest where several are.
    """

    events: int
    wcc_events: int
    worst_slack: int
    time_share: Fraction
    violations: int = 0
    first_violation: Interval | None = None
    last_violation: Interval | None = None
    longest_violation: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        """The report as the command line prints it; intervals are ``[begin, end]`` or null."""
        spans = {key: getattr(self, f"{key}_violation") for key in ("first", "last", "longest")}
        return {
            "events": self.events,
            "wcc_events": self.wcc_events,
            "worst_slack": self.worst_slack,
            "time_share": float(self.time_share),
            "violations": self.violations,
            **{f"{key}_violation": span and list(span) for key, span in spans.items()},
        }


def wcc_over_time(trace: Iterable[TraceJob], geometry: Geometry | None = None) -> WccReport:
    """Follow the WCC over the events of a trace on an unlimited cluster.

    Raises:
        InputError: the trace has no job, or an instance does not fit a node.

    Examples:
        >>> report = wcc_over_time([TraceJob("a", 0, 10, 1, 7), TraceJob("b", 4, 6, 1, 1)])
        >>> report.worst_slack, report.time_share, report.longest_violation
        (-1, Fraction(3, 5), Interval(begin=0, end=4))

    Cost: O(n log n) for n jobs.
    """
    running = Composition(geometry or Geometry())
    events = wcc_events = busy = held = 0
    worst: int | None = None
    clock = 0
    spans = _Spans()
    for time, _, _, gpus, change in _changes(trace):
        if running.total:
            busy += time - clock
            held += (time - clock) * running.wcc
        spans.add(clock, time, running.wcc)
        clock = time
        running.geometry.check_gpus(gpus)
        running.add(gpus, change)
        events += 1
        wcc_events += running.wcc
        worst = running.slack if worst is None else min(worst, running.slack)
    if worst is None:
        raise InputError("the trace has no job")
    share = Fraction(held, busy) if busy else Fraction(1)
    return WccReport(events, wcc_events, worst, share, spans.count, spans.first, spans.last, spans.longest)


class _Spans:
    """The maximal spans during which the WCC fails, from consecutive pieces of time."""

    def __init__(self) -> None:
        self.count = 0
        self.first: Interval | None = None
        self.last: Interval | None = None
        self.longest: Interval | None = None

    def add(self, begin: int, end: int, holds: bool) -> None:
        if holds or begin == end:
            return
        if self.last and self.last.end == begin:
            begin = self.last.begin
        else:
            self.count += 1
        self.last = Interval(begin, end)
        if self.count == 1:
            self.first = self.last
        if not self.longest or end - begin > self.longest.end - self.longest.begin:
            self.longest = self.last


def _changes(trace: Iterable[TraceJob]) -> list[tuple[int, int, int, int, int]]:
    """Time, rank within that time, order of submission, size and change of number at every event, in order."""
    events: list[tuple[int, int, int, int, int]] = []
    for index, job in enumerate(sorted(trace, key=lambda job: job.submit_time)):
        _, submit, duration, instances, gpus = job
        events.append((submit, 1, index, gpus, instances))
        events.append((submit + duration, 0 if duration else 2, index, gpus, -instances))
    events.sort()
    return events
