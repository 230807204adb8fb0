"""Seeded faults in the metric, in the coefficients of WCC, and in the verification itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

from compass import algorithm_2 as _algorithm_2  # noqa: F401  # loaded, so that it is found by name
from compass.composition import Composition
from compass.follow import Follower
from compass.geometry import Geometry
from compass.snapshot import Node, Snapshot
from verification.fault_kinds import Change, Everywhere, Fault, Part, around, instead

PHI, METRIC, REPLAY, ALGORITHM_2 = (import_module(f"compass.{m}") for m in ("phi", "metric", "replay", "algorithm_2"))
"""The modules; some share their name with a function that the package exports."""


def _fault(part: Part, about: str) -> Callable[..., Fault]:
    def make(name: str, caught_by: str, what: str, *changes: Change | Everywhere) -> Fault:
        return Fault(name, part, what, about, caught_by, changes)

    return make


_metric = _fault("metric", "metric")
_coefficient = _fault("coefficient", "geometry")
_check = _fault("check", "check")


def _phi(faulty: Callable[..., int]) -> Everywhere:
    """``min_partial_nodes`` from its value, the composition and G."""

    def phi(
        original: Callable[..., int],
        counts: Mapping[int, int] | Composition,
        geometry: Geometry | None = None,
        nodes: int | None = None,
    ) -> int:
        value = original(counts, geometry, nodes)
        running = counts if isinstance(counts, Composition) else Composition(geometry or Geometry(), counts)
        return faulty(value, running, running.geometry.capacity)

    return Everywhere(PHI.min_partial_nodes, around(phi))


def _near_pairs(original: Callable[..., Any], capacity: int, left: list[int], halves: bool) -> Any:  # noqa: ANN401
    """After the true pairs, pairs that leave one GPU idle."""
    patterns = original(capacity, left, halves)
    for g in range(2, capacity // 2):
        number = min(left[g], left[capacity - 1 - g])
        if number:
            left[g] -= number
            left[capacity - 1 - g] -= number
            patterns[capacity - 1 - g, g] = number
    return patterns


def _alone(original: Callable[..., Any], capacity: int, left: list[int]) -> Any:  # noqa: ANN401
    alone = {(g,): n for g, n in enumerate(left) if n and g > capacity // 2}
    for g, *_ in alone:
        left[g] = 0
    return alone


def _one_pool(original: Callable[..., Any], snapshot: Snapshot) -> Any:  # noqa: ANN401
    return original(Snapshot(tuple(replace(node, pool="") for node in snapshot.nodes)))


def _best_pool(original: Callable[..., Any], snapshot: Snapshot) -> Any:  # noqa: ANN401
    report = original(snapshot)
    return replace(report, wcc_slack=max(pool.wcc_slack for pool in report.pools))


def _over_capacity(original: Callable[..., None], self: Any, *rest: Any) -> None:  # noqa: ANN401
    self._capacity *= 2
    try:
        original(self, *rest)
    finally:
        self._capacity //= 2


def _every_event(original: Callable[..., None], report: Any, *rest: Any) -> None:  # noqa: ANN401
    original(report, *rest)
    report.max_avoidable_under_wcc = report.max_avoidable


def _steps_as_moves(original: Callable[..., None], report: Any, job: Any, decision: Any, scheduler: Any) -> None:  # noqa: ANN401
    original(report, job, decision, scheduler)
    report.moves += len(decision.steps) - len(decision.moves)


def _total(counts: Mapping[int, int] | Composition) -> int:
    return counts.total if isinstance(counts, Composition) else sum(g * n for g, n in counts.items())


def _trusting(self: Follower, decision: Any, gpus: int) -> None:  # noqa: ANN401
    for step in decision.steps:
        source = getattr(step, "source", None)
        size = gpus
        if source is not None:
            _, size = self._placed.pop(step.instance, (-1, 0))
            self._change(source, -size)
        self._put(step.instance, size, step.node if source is None else step.target, decision.job)


METRIC_FAULTS = (
    _metric("Phi* one too large", "packings exact-phi", "Phi* is one too large.", _phi(lambda value, s, g: value + 1)),
    _metric(
        "closed form turned round",
        "packings exact-phi",
        "Under WCC, Phi* is 1 just where G divides T.",
        _phi(lambda value, s, g: int(s.total % g == 0) if s.wcc else value),
    ),
    _metric(
        "closed form without WCC",
        "packings exact-phi",
        "Phi* is [T mod G != 0] whether WCC holds or not.",
        _phi(lambda value, s, g: int(s.total % g != 0)),
    ),
    _metric(
        "pairs that are not full",
        "packings exact-phi",
        "Sizes g and G - 1 - g are paired as if they filled a node.",
        Change(PHI, "_pair", around(_near_pairs)),
    ),
    _metric(
        "large ones alone",
        "packings exact-phi",
        "Instances of more than G/2 GPUs get a node of their own before the search.",
        Change(PHI, "_alone", around(_alone)),
    ),
    _metric(
        "fewest nodes for Phi*",
        "phi within nodes",
        "The search minimises the nodes in use instead of the partial ones.",
        Change(PHI, "_program", around(lambda f, left, limits, fewest: f(left, limits, True))),
    ),
    _metric(
        "bound of the search too high",
        "phi within nodes",
        "The lower bound that stops the search is one too high.",
        Change(PHI, "_lower_bound", around(lambda f, *arguments: f(*arguments) + 1)),
    ),
    _metric(
        "limit of nodes ignored",
        "phi within nodes",
        "Phi* may use more nodes than there are.",
        Everywhere(PHI.best_packing, around(lambda f, counts, geometry=None, nodes=None: f(counts, geometry))),
    ),
    _metric(
        "fewest nodes by demand",
        "packings exact-phi",
        "The fewest nodes in use are ceil(T / G), whether WCC holds or not.",
        Everywhere(
            PHI.min_nodes,
            around(lambda f, counts, geometry=None: -(-_total(counts) // (geometry or Geometry()).capacity)),
        ),
    ),
    _metric(
        "halves always paired",
        "sif",
        "On mixed capacities two halves share a large node although small nodes would take them.",
        Change(PHI, "_pair", around(lambda f, capacity, left, halves: f(capacity, left, True))),
    ),
    _metric(
        "algorithm-2 exact",
        "packings algorithm-2",
        "algorithm-2 answers Phi*, so that the claim about it would hold.",
        Everywhere(
            ALGORITHM_2.algorithm_2,
            around(lambda f, counts, geometry=None, **how: PHI.min_partial_nodes(counts, geometry)),
        ),
    ),
    _metric(
        "algorithm-2 without pairs of 5",
        "packings algorithm-2",
        "algorithm-2 pairs nothing with an instance of 5 GPUs.",
        Change(ALGORITHM_2, "PAIRINGS", lambda pairings: pairings[1:]),
    ),
    _metric(
        "SIF of partial nodes",
        "sif",
        "SIF is a share of the partial nodes, not of all.",
        Change(
            METRIC._Figures,
            "sif",
            instead(property(lambda r: Fraction(r.avoidable_partial_nodes, max(1, r.partial_nodes)))),
        ),
    ),
    _metric(
        "pools mixed",
        "sif",
        "Instances count as movable between pools.",
        Everywhere(METRIC.sif, around(_one_pool)),
    ),
    _metric(
        "WCC of the best pool",
        "sif",
        "WCC holds when it does in some pool.",
        Everywhere(METRIC.sif, around(_best_pool)),
    ),
    _metric(
        "idle nodes partial",
        "sif",
        "An idle node counts as partial.",
        Change(Node, "partial", instead(property(lambda node: node.load < node.capacity))),
    ),
    _metric(
        "nothing inherent",
        "replay unified",
        "Every partial node of a running cluster counts as avoidable.",
        Everywhere(METRIC.avoidable_partial_nodes, instead(lambda partial, *rest: partial)),
    ),
    _metric(
        "bound of 1",
        "replay printed",
        "A replay counts events beyond a bound of 1 instead of 2.",
        Change(REPLAY, "BOUND", instead(1)),
    ),
    _metric(
        "worst of all events",
        "replay printed",
        "The worst figure under WCC is taken over all events.",
        Change(REPLAY, "_measure", around(_every_event)),
    ),
    _metric(
        "placements as moves",
        "replay unified",
        "A replay counts placements as moves.",
        Change(REPLAY, "_measure", around(_steps_as_moves)),
    ),
    _metric(
        "mean over instances",
        "replay printed",
        "The mean of a replay is taken over instance events.",
        Change(
            REPLAY.ReplayReport,
            "mean_avoidable",
            instead(property(lambda r: Fraction(r.avoidable_sum, r.instance_events))),
        ),
    ),
    _metric(
        "follower blind to capacity",
        "follower",
        "The books of a replay let a node hold more than G GPUs.",
        Change(Follower, "_put", around(_over_capacity)),
    ),
    _metric(
        "follower counts full nodes",
        "follower",
        "The books of a replay count full nodes as partial.",
        Change(Follower, "_change", around(_over_capacity)),
    ),
    _metric(
        "follower trusts sources",
        "follower",
        "The books of a replay do not ask where a moved instance has been.",
        Change(Follower, "_carry_out", instead(_trusting)),
    ),
)
