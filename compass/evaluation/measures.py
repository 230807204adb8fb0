"""What a simulation measures: sums of exact integers, added up as time passes; memory does not grow.

With ``T_peak`` the time during which a job waits (protocol of sections 5 and 6):

* AFR, the mean of SIF over ``T_peak``; AGU, the mean of busy GPUs over ``G N`` over ``T_peak`` (the GPUs of a migrating
  job are busy); both undefined, None, where no job ever waits;
* AJCT, the mean of completion - submission over the jobs;
* the share of ``T_peak`` during which the head of the queue needs no more GPUs than are free: it is *blocked by
  fragmentation* (or held back by the scheduler);
* the share of the time with a running job during which WCC holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from compass.composition import Composition
from compass.geometry import Geometry
from compass.metric import avoidable_partial_nodes
from compass.phi import min_partial_nodes


def avoidable_now(partial_nodes: int, running: Composition, nodes: int) -> int:
    """``nu - Phi*``, as :func:`compass.metric.avoidable_partial_nodes` has it, remembering ``Phi*`` where WCC fails.

    >>> avoidable_now(3, Composition(Geometry(), {4: 2, 2: 1, 1: 6}), 3)
    3
    >>> avoidable_now(2, Composition(Geometry(), {5: 1, 4: 1}), 3)
    0
    """
    if running.wcc:
        return avoidable_partial_nodes(partial_nodes, running, nodes)
    return partial_nodes - _inherent(running.geometry, tuple(running.counts), nodes)


@lru_cache(maxsize=2**14)
def _inherent(geometry: Geometry, counts: tuple[int, ...], nodes: int) -> int:
    return min_partial_nodes(Composition(geometry, dict(enumerate(counts[1:], 1))), nodes=nodes)


@dataclass
class Measures:
    """The sums; times in seconds, avoidable partial nodes for SIF, so that every sum is an integer.

    Attributes:
        nodes: cluster size N.
        capacity: GPUs of a node, G.
        bound: avoidable partial nodes that are not to be exceeded while WCC holds; None for no such bound.
        jobs: completed jobs.
        never_fit: jobs left out, as they could not run on the empty cluster.
        completion_seconds: completion - submission, summed over the jobs.
        events: admissions, departures and round actions that moved something.
        moves: migrated instances.
        needed_moves: a lower bound on the moves that the admissions needed, each in the placement that it found.
        delays: times a job was delayed by migration.
        stuck: departures that the scheduler could not carry out when they were due (`printed` alone).
        peak_seconds: length of ``T_peak``.
        peak_avoidable: avoidable partial nodes integrated over ``T_peak``.
        peak_busy: busy GPUs integrated over ``T_peak``.
        blocked_seconds: the part of ``T_peak`` in which enough GPUs are free for the head of the queue.
        blocked_wcc_seconds: the part of that in which WCC would hold with the head running.
        running_seconds: time with a running job.
        running_avoidable: avoidable partial nodes integrated over it.
        running_busy: busy GPUs integrated over it.
        wcc_seconds: the part of it in which WCC holds.
        day_seconds: the part of ``running_seconds`` before the end of the day on which the run begins.
        wcc_day_seconds: the part of that in which WCC holds.
        max_avoidable: most avoidable partial nodes after any event.
        max_avoidable_lasting: most avoidable partial nodes in any state that lasts, with a running job.
        wcc_events: events after which WCC holds.
        max_avoidable_wcc: most avoidable partial nodes after any of them.
        over_bound_events: how many of them have more than ``bound`` avoidable partial nodes.
        over_bound_seconds: the part of the time in which WCC holds with more than ``bound``.
    """

    nodes: int
    capacity: int
    bound: int | None = None
    jobs: int = 0
    never_fit: int = 0
    completion_seconds: int = 0
    events: int = 0
    moves: int = 0
    needed_moves: int = 0
    delays: int = 0
    stuck: int = 0
    peak_seconds: int = 0
    peak_avoidable: int = 0
    peak_busy: int = 0
    blocked_seconds: int = 0
    blocked_wcc_seconds: int = 0
    running_seconds: int = 0
    running_avoidable: int = 0
    running_busy: int = 0
    wcc_seconds: int = 0
    day_seconds: int = 0
    wcc_day_seconds: int = 0
    max_avoidable: int = 0
    max_avoidable_lasting: int = 0
    wcc_events: int = 0
    max_avoidable_wcc: int = 0
    over_bound_events: int = 0
    over_bound_seconds: int = 0
    seconds: float = field(default=0.0, compare=False)

    def event(self, avoidable: int, wcc: bool) -> None:
        """The state after an event."""
        self.events += 1
        self.max_avoidable = max(self.max_avoidable, avoidable)
        if wcc:
            self.wcc_events += 1
            self.max_avoidable_wcc = max(self.max_avoidable_wcc, avoidable)
            self.over_bound_events += self.bound is not None and avoidable > self.bound

    def time(self, seconds: int, avoidable: int, busy: int, wcc: bool, of_day: int = 0) -> None:
        """So much time has passed in one state with a running job, so much of it before the end of the day."""
        if seconds:
            self.max_avoidable_lasting = max(self.max_avoidable_lasting, avoidable)
        self.running_seconds += seconds
        self.running_avoidable += seconds * avoidable
        self.running_busy += seconds * busy
        self.wcc_seconds += seconds * wcc
        self.day_seconds += of_day
        self.wcc_day_seconds += of_day * wcc
        self.over_bound_seconds += seconds * (wcc and self.bound is not None and avoidable > self.bound)

    def waiting_time(self, seconds: int, avoidable: int, busy: int) -> None:
        """So much of ``T_peak`` has passed in one state."""
        self.peak_seconds += seconds
        self.peak_avoidable += seconds * avoidable
        self.peak_busy += seconds * busy

    def blocked_time(self, seconds: int, wcc: bool) -> None:
        """So much of ``T_peak`` has passed while the head needed no more GPUs than were free."""
        self.blocked_seconds += seconds
        self.blocked_wcc_seconds += seconds * wcc

    @property
    def ajct(self) -> Fraction | None:
        """Mean of completion - submission in seconds, None without a job."""
        return _ratio(self.completion_seconds, self.jobs)

    @property
    def afr(self) -> Fraction | None:
        """Mean SIF over ``T_peak``, None where no job waits."""
        return _ratio(self.peak_avoidable, self.peak_seconds * self.nodes)

    @property
    def agu(self) -> Fraction | None:
        """Mean share of busy GPUs over ``T_peak``, None where no job waits."""
        return _ratio(self.peak_busy, self.peak_seconds * self.nodes * self.capacity)

    @property
    def max_sif(self) -> Fraction:
        """The largest SIF after any event, also one that is followed by another at the same instant."""
        return Fraction(self.max_avoidable, self.nodes)

    @property
    def max_sif_lasting(self) -> Fraction:
        """The largest SIF of a state that lasts."""
        return Fraction(self.max_avoidable_lasting, self.nodes)

    @property
    def mean_sif(self) -> Fraction | None:
        """Mean SIF over the time with a running job, None where none runs for any time."""
        return _ratio(self.running_avoidable, self.running_seconds * self.nodes)

    @property
    def moves_per_job(self) -> Fraction | None:
        """Migrated instances over completed jobs."""
        return _ratio(self.moves, self.jobs)

    @property
    def wcc_share(self) -> Fraction | None:
        """Share of the time with a running job during which WCC holds, None where none runs for any time."""
        return _ratio(self.wcc_seconds, self.running_seconds)

    @property
    def wcc_share_of_day(self) -> Fraction | None:
        """The same over the time before the end of the day only."""
        return _ratio(self.wcc_day_seconds, self.day_seconds)

    @property
    def blocked_share(self) -> Fraction | None:
        """Share of ``T_peak`` in which the head is blocked though enough GPUs are free, None where no job waits."""
        return _ratio(self.blocked_seconds, self.peak_seconds)

    def to_json(self) -> dict[str, Any]:
        """The figures by name, rounded to doubles here and nowhere before; None where undefined."""
        return {
            "nodes": self.nodes,
            "jobs": self.jobs,
            "never_fit": self.never_fit,
            "ajct": _float(self.ajct),
            "agu": _float(self.agu),
            "afr": _float(self.afr),
            "max_sif": float(self.max_sif),
            "max_sif_lasting": float(self.max_sif_lasting),
            "mean_sif": _float(self.mean_sif),
            "moves": self.moves,
            "moves_per_job": _float(self.moves_per_job),
            "needed_moves": self.needed_moves,
            "wcc_share": _float(self.wcc_share),
            "wcc_share_of_day": _float(self.wcc_share_of_day),
            "blocked_by_fragmentation_share": _float(self.blocked_share),
            "blocked_wcc_seconds": self.blocked_wcc_seconds,
            "peak_seconds": self.peak_seconds,
            "running_seconds": self.running_seconds,
            "events": self.events,
            "delays": self.delays,
            "stuck": self.stuck,
            "bound": self.bound,
            "max_avoidable_wcc": self.max_avoidable_wcc,
            "wcc_events": self.wcc_events,
            "over_bound_events": self.over_bound_events,
            "wcc_seconds": self.wcc_seconds,
            "over_bound_seconds": self.over_bound_seconds,
        }


def _ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
