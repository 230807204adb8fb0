"""Replaying a trace: FIFO with head-of-line blocking, every event checked and measured.

Jobs wait in order of submission; the first one that does not fit blocks the rest. At one instant departures come
first, in order of admission, then submissions, then admissions. On a cluster without bound no job ever waits.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

from compass.errors import InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.events import Decision
from compass.follow import Follower
from compass.metric import avoidable_partial_nodes
from compass.scheduler import Scheduler
from compass.trace import TraceJob

BOUND = 2
"""Theorem-1's bound on avoidable partial nodes under WCC, for every capacity."""


class Served(NamedTuple):
    """One event of a replay: its time, the job and the scheduler's decision (None: the job never fits)."""

    time: int
    job: TraceJob
    decision: Decision | None


def fifo(trace: Sequence[TraceJob], scheduler: Scheduler) -> Iterator[Served]:
    """Run a trace through a scheduler and yield each admission, departure and job that never fits, as it happens.

    Memory does not grow with the events. Cost: O(log n) for each event beside the scheduler's own, plus one refused
    arrival for each instant at which the head of the queue still does not fit.

    Raises:
        InputError: the trace is not in order of submission, or the scheduler is not idle.
        NoLegalDestination: the scheduler could not carry out an event.
    """
    if any(after.submit_time < before.submit_time for before, after in pairwise(trace)):
        raise InputError("the trace is not in order of submission")
    if scheduler.running.instances:
        raise InputError("the scheduler is not idle")
    waiting: deque[TraceJob] = deque()
    running: list[tuple[int, int, TraceJob]] = []
    submitted = admitted = 0
    while submitted < len(trace) or running:
        now = running[0][0] if running else trace[submitted].submit_time
        if submitted < len(trace):
            now = min(now, trace[submitted].submit_time)
        while running and running[0][0] == now:
            _, _, job = heappop(running)
            yield Served(now, job, scheduler.depart(job.job_id))
        while submitted < len(trace) and trace[submitted].submit_time == now:
            waiting.append(trace[submitted])
            submitted += 1
        while waiting:
            job = waiting[0]
            try:
                decision = scheduler.arrive(job.job_id, job.gpus_per_instance, job.instances)
            except NeverFits:
                waiting.popleft()
                yield Served(now, job, None)
                continue
            if not decision.admitted:
                break
            waiting.popleft()
            admitted += 1
            heappush(running, (now + job.duration, admitted, job))
            yield Served(now, job, decision)


@dataclass
class ReplayReport:
    """What a replay found.

    Attributes:
        nodes: cluster size, None for one without bound.
        events: admissions and departures.
        instance_events: the instances in them.
        never_fit: jobs left out because they could not run on the empty cluster.
        unserved: jobs still waiting when everything else has left; a violation, since the cluster is empty then.
        wcc_events: events after which WCC holds.
        max_avoidable: most avoidable partial nodes, ``N SIF``, after any event.
        max_avoidable_under_wcc: the same over the events after which WCC holds.
        over_bound_events: events after which WCC holds and more than 2 partial nodes are avoidable.
        avoidable_sum: avoidable partial nodes summed over the events.
        moves: migrated instances.
        seconds: wall time.
        violation: the first invariant of the variant that did not hold or move that had no destination, None if none.
    """

    nodes: int | None
    events: int = 0
    instance_events: int = 0
    never_fit: int = 0
    unserved: int = 0
    wcc_events: int = 0
    max_avoidable: int = 0
    max_avoidable_under_wcc: int = 0
    over_bound_events: int = 0
    avoidable_sum: int = 0
    moves: int = 0
    seconds: float = field(default=0.0, compare=False)
    violation: str | None = None

    @property
    def ok(self) -> bool:
        """No invariant of the variant was violated."""
        return self.violation is None

    @property
    def moves_per_instance_event(self) -> float:
        """Migrated instances for each instance that arrived or departed."""
        return self.moves / self.instance_events if self.instance_events else 0.0

    @property
    def mean_avoidable(self) -> Fraction:
        """Avoidable partial nodes, mean over the events."""
        return Fraction(self.avoidable_sum, self.events or 1)

    def to_json(self) -> dict[str, Any]:
        """Every figure by its name; ``max_sif`` and ``mean_sif`` are None on a cluster without bound."""
        nodes = self.nodes
        return {
            "nodes": nodes,
            "events": self.events,
            "instance_events": self.instance_events,
            "never_fit": self.never_fit,
            "unserved": self.unserved,
            "wcc_events": self.wcc_events,
            "max_avoidable": self.max_avoidable,
            "max_avoidable_under_wcc": self.max_avoidable_under_wcc,
            "over_bound_events": self.over_bound_events,
            "mean_avoidable": float(self.mean_avoidable),
            "max_sif": None if nodes is None else self.max_avoidable / nodes,
            "mean_sif": None if nodes is None else float(self.mean_avoidable / nodes),
            "moves": self.moves,
            "moves_per_instance_event": self.moves_per_instance_event,
            "violation": self.violation,
            "seconds": round(self.seconds, 3),
        }


def replay(
    trace: Sequence[TraceJob],
    scheduler: Scheduler,
    progress: Callable[[int], None] | None = None,
) -> ReplayReport:
    """Replay a trace on an empty cluster; after every event check what it did and compute SIF.

    Nothing has to be taken on trust from the scheduler: its decisions are carried out on books that only know
    capacities, and its running instances and partial nodes are compared with them. The invariants of the variant are
    checked by the scheduler itself, at the nodes that the event touched and at the end on the whole cluster. A replay
    stops at the first violation, which the report then holds.

    Args:
        trace: jobs in order of submission.
        scheduler: an idle scheduler.
        progress: called with the number of events since the last call, about every thousand events and at the end.

    Raises:
        InputError: the trace is not in order of submission, or the scheduler is not idle.

    Examples:
        >>> from compass.unified import Unified
        >>> replay([TraceJob("a", 0, 60, 1, 4), TraceJob("b", 30, 60, 2, 2)], Unified(2)).max_avoidable
        0
    """
    report = ReplayReport(scheduler.nodes)
    follower = Follower(scheduler.geometry.capacity, scheduler.nodes)
    start = time.perf_counter()
    reported = 0
    try:
        for served in fifo(trace, scheduler):
            if served.decision is None:
                report.never_fit += 1
                continue
            _follow(follower, served.job, served.decision, scheduler)
            scheduler.check_changes()
            _measure(report, served.job, served.decision, scheduler)
            if progress is not None and report.events - reported >= 1000:
                progress(report.events - reported)
                reported = report.events
        scheduler.check()
        report.unserved = len(trace) - report.never_fit - report.events // 2
        if report.unserved:
            report.violation = f"after all events: {report.unserved} jobs are refused on the empty cluster"
    except (InvariantViolated, NoLegalDestination) as error:
        report.violation = f"after {report.events} events: {error}"
    if progress is not None:
        progress(report.events - reported)
    report.seconds = time.perf_counter() - start
    return report


def _follow(follower: Follower, job: TraceJob, decision: Decision, scheduler: Scheduler) -> None:
    carry_out = follower.arrived if decision.event == "arrive" else follower.departed
    carry_out(decision, job.gpus_per_instance, job.instances)
    if follower.counts != scheduler.running.counts:
        raise InvariantViolated(f"job {job.job_id!r}: {scheduler.running.counts} counted, {follower.counts} running")
    if follower.partial_nodes != scheduler.partial_nodes:
        found = follower.partial_nodes
        raise InvariantViolated(f"job {job.job_id!r}: {scheduler.partial_nodes} partial nodes counted, {found} found")


def _measure(report: ReplayReport, job: TraceJob, decision: Decision, scheduler: Scheduler) -> None:
    running = scheduler.running
    avoidable = avoidable_partial_nodes(scheduler.partial_nodes, running, scheduler.nodes)
    report.events += 1
    report.instance_events += job.instances
    report.avoidable_sum += avoidable
    report.max_avoidable = max(report.max_avoidable, avoidable)
    if decision.steps:
        report.moves += len(decision.moves)
    if running.wcc:
        report.wcc_events += 1
        report.over_bound_events += avoidable > BOUND
        report.max_avoidable_under_wcc = max(report.max_avoidable_under_wcc, avoidable)
