"""SIF over time: a trace under a scheduler, with what is true between one event time and the next.

Jobs queue first in, first out, as in :mod:`compass.replay`, which checks every decision; here nothing is checked. At a
time at which several events happen only what is true after the last of them is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from compass.errors import InputError
from compass.metric import avoidable_partial_nodes
from compass.replay import fifo
from compass.scheduler import Scheduler
from compass.trace import TraceJob
from compass.wcc_time import Interval


class Moment(NamedTuple):
    """What is true from ``time`` (seconds) to the time of the next moment.

    ``slack`` is ``n_1 - V``, and WCC holds where it is not negative; ``busy`` counts GPUs, ``moves`` the instances
    moved so far.
    """

    time: int
    partial_nodes: int
    avoidable: int
    slack: int
    busy: int
    moves: int


@dataclass(frozen=True)
class Timeline:
    """The moments of a run on ``nodes`` nodes in order; the last one is its end, when the last job has left.

    Raises:
        InputError: there is no moment.
    """

    nodes: int
    moments: tuple[Moment, ...]

    def __post_init__(self) -> None:
        if not self.moments:
            raise InputError("a timeline has at least one moment")

    @property
    def mean_sif(self) -> Fraction:
        """SIF, mean over the time from the first moment to the last; 0 where that is no time."""
        moments = self.moments
        total = sum(moment.avoidable * (following.time - moment.time) for moment, following in pairwise(moments))
        return Fraction(total, self.nodes * (moments[-1].time - moments[0].time) or 1)

    @property
    def worst(self) -> int:
        """Most avoidable partial nodes, ``N SIF``, at any moment."""
        return max(moment.avoidable for moment in self.moments)

    @property
    def moves(self) -> int:
        """Instances moved in all."""
        return self.moments[-1].moves

    def between(self, begin: int, end: int) -> Timeline:
        """What is true from ``begin`` to ``end``, also at both ends; moves are counted from ``begin`` on.

        Raises:
            InputError: the run does not last from ``begin`` to ``end``, or that is no span of time.

        Examples:
            >>> run = Timeline(9, tuple(Moment(time, n, n, 0, 8, 0) for time, n in [(0, 1), (10, 3), (20, 0)]))
            >>> [(moment.time, moment.avoidable) for moment in run.between(5, 15).moments]
            [(5, 1), (10, 3), (15, 3)]
        """
        first, last = self.moments[0].time, self.moments[-1].time
        if not first <= begin < end <= last:
            raise InputError(f"from {begin} to {end}: the run lasts from {first} to {last}")
        (*_, before) = (moment for moment in self.moments if moment.time <= begin)
        inside = [before._replace(time=begin), *(moment for moment in self.moments if begin < moment.time <= end)]
        if inside[-1].time < end:
            inside.append(inside[-1]._replace(time=end))
        return Timeline(self.nodes, tuple(moment._replace(moves=moment.moves - before.moves) for moment in inside))

    def periods(self, least: int = 1) -> list[Interval]:
        """The maximal spans of time with at least ``least`` avoidable partial nodes, in order.

        >>> run = [(0, 1), (10, 3), (20, 4), (30, 0), (40, 3), (50, 0)]
        >>> Timeline(9, tuple(Moment(time, n, n, 0, 8, 0) for time, n in run)).periods(3)
        [Interval(begin=10, end=30), Interval(begin=40, end=50)]
        """
        return _spans(self.moments, [moment.avoidable >= least for moment in self.moments])

    def without_wcc(self) -> list[Interval]:
        """The maximal spans of time during which WCC fails, in order."""
        return _spans(self.moments, [moment.slack < 0 for moment in self.moments])


def timeline(trace: Sequence[TraceJob], scheduler: Scheduler) -> Timeline:
    """Run a trace through an idle scheduler and record what is true between its events.

    Raises:
        InputError: the cluster has no bound (SIF is a share of its nodes), no job ever fits, the trace is not in order
            of submission, or the scheduler is not idle.
        NoLegalDestination: the scheduler could not carry out an event.

    Examples:
        >>> from compass.repaired import Repaired
        >>> found = timeline([TraceJob("a", 0, 60, 1, 4), TraceJob("b", 30, 60, 6, 1)], Repaired(2))
        >>> [(moment.time, moment.partial_nodes, moment.avoidable) for moment in found.moments]
        [(0, 1, 0), (30, 2, 1), (60, 1, 0), (90, 0, 0)]
        >>> found.mean_sif
        Fraction(1, 6)

    Cost: that of the replay; memory linear in the event times.
    """
    nodes = scheduler.nodes
    if nodes is None:
        raise InputError("the cluster has no bound, so SIF is the share of no number of nodes")
    moments: list[Moment] = []
    moves = 0
    for time, _, decision in fifo(trace, scheduler):
        if decision is None:
            continue
        moves += len(decision.moves)
        partial, running = scheduler.partial_nodes, scheduler.running
        avoidable = avoidable_partial_nodes(partial, running, nodes)
        if moments and moments[-1].time == time:
            moments.pop()
        moments.append(Moment(time, partial, avoidable, running.slack, running.total, moves))
    return Timeline(nodes, tuple(moments))


def _spans(moments: Sequence[Moment], holds: Sequence[bool]) -> list[Interval]:
    """The maximal spans of time during which a condition holds."""
    spans: list[Interval] = []
    for (moment, following), held in zip(pairwise(moments), holds, strict=False):
        if not held:
            continue
        begin = spans.pop().begin if spans and spans[-1].end == moment.time else moment.time
        spans.append(Interval(begin, following.time))
    return spans
