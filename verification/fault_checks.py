"""Seeded faults in the coefficients of WCC, and in the verification itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from compass.composition import Composition, wcc_shares
from compass.geometry import Geometry, SizeClass
from compass.metric import avoidable_partial_nodes
from compass.scheduler import Scheduler
from compass.shapes import Shape
from verification import count_claims, count_evidence, count_phi, packings, smt_model
from verification.claims_printed import _Pass
from verification.count_space import Mask
from verification.evidence import PREDICATES
from verification.fault_kinds import Change, Everywhere, Fault, around, instead
from verification.job_claims import Outcome, Predicate
from verification.smt_terms import Bool, Int, conj


def _coefficient(name: str, caught_by: str, what: str, change: Change | Everywhere) -> Fault:
    return Fault(name, "coefficient", what, "geometry", caught_by, (change,))


def _check(name: str, caught_by: str, what: str, change: Change | Everywhere) -> Fault:
    return Fault(name, "check", what, "check", caught_by, (change,))


def _geometry(change: Callable[[int, list[int], list[int]], None]) -> Change:
    """Slot widths and coefficients of every geometry changed in place, by capacity."""

    def faulty(original: Callable[[Geometry], None], self: Geometry) -> None:
        original(self)
        widths, coefficients = list(self._slot_width), list(self.wcc_coefficients)
        change(self.capacity, widths, coefficients)
        object.__setattr__(self, "_slot_width", tuple(widths))
        object.__setattr__(self, "wcc_coefficients", tuple(coefficients))

    return Change(Geometry, "__post_init__", around(faulty))


def _coefficient_of(gpus: Callable[[int], int], change: int) -> Change:
    def faulty(capacity: int, widths: list[int], coefficients: list[int]) -> None:
        if 1 < gpus(capacity) < capacity:
            coefficients[gpus(capacity)] += change

    return _geometry(faulty)


def _wide_halves(capacity: int, widths: list[int], coefficients: list[int]) -> None:
    half = capacity // 2
    if half > 1:
        widths[half], coefficients[half] = capacity, capacity - half


def _once(original: Callable[..., None], self: Composition, gpus: int, number: int = 1) -> None:
    """The vacancy of one instance, however many come."""
    before = self.vacancy
    original(self, gpus, number)
    if number > 1:
        self.vacancy = before + (self.vacancy - before) // number


def _swapped_class(original: Callable[..., SizeClass], self: Geometry, gpus: int) -> SizeClass:
    other = {SizeClass.FRIENDLY: SizeClass.UNFRIENDLY, SizeClass.UNFRIENDLY: SizeClass.FRIENDLY}
    found = original(self, gpus)
    return other.get(found, found)


COEFFICIENT_FAULTS = (
    _coefficient(
        "coefficient of 5 is 2",
        "compositions",
        "w*(5) - 5 counts as 2.",
        _coefficient_of(lambda capacity: 5 if capacity == 8 else 0, -1),
    ),
    _coefficient(
        "coefficient of G - 1 is 0",
        "smt unified-saturation/g4-balance",
        "An anchor of G - 1 GPUs takes no filler.",
        _coefficient_of(lambda capacity: capacity - 1, -1),
    ),
    _coefficient(
        "coefficient of G - 1 is 2",
        "smt unified-saturation/g4-balance",
        "An anchor of G - 1 GPUs takes two fillers.",
        _coefficient_of(lambda capacity: capacity - 1, 1),
    ),
    _coefficient(
        "coefficient of 2 is 1", "compositions", "An anchor of 2 GPUs takes a filler.", _coefficient_of(lambda c: 2, 1)
    ),
    _coefficient("w*(G/2) = G", "compositions", "Anchors of G/2 get slots of width G.", _geometry(_wide_halves)),
    _coefficient(
        "slack turned round",
        "compositions",
        "The slack is V - n_1.",
        Change(Composition, "slack", instead(property(lambda s: s.vacancy - s.counts[1]))),
    ),
    _coefficient(
        "WCC strict",
        "compositions",
        "WCC wants n_1 > V.",
        Change(Composition, "wcc", instead(property(lambda s: s.counts[1] > s.vacancy))),
    ),
    _coefficient(
        "WCC by GPUs of anchors",
        "compositions",
        "WCC compares n_1 with the GPUs of all anchors.",
        Change(Composition, "wcc", instead(property(lambda s: 2 * s.counts[1] >= s.total))),
    ),
    _coefficient(
        "vacancy counted once",
        "compositions",
        "A job's vacancy counts for one of its instances only.",
        Change(Composition, "add", around(_once)),
    ),
    _coefficient(
        "width without the pool",
        "compositions",
        "W is the width of the slots, whatever the demand.",
        Change(Composition, "width", instead(property(lambda s: s.anchor_width))),
    ),
    _coefficient(
        "deficit negative",
        "compositions",
        "The deficit is V - n_1 where that is negative too.",
        Change(Composition, "deficit", instead(property(lambda s: s.vacancy - s.counts[1]))),
    ),
    _coefficient(
        "shares of GPUs",
        "compositions",
        "The share form weighs sizes by their GPUs.",
        Everywhere(wcc_shares, around(lambda f, geometry, shares: f(geometry, {g: g * p for g, p in shares.items()}))),
    ),
    _coefficient(
        "classes swapped",
        "compositions",
        "FF and FUF are taken for one another.",
        Change(Geometry, "size_class", around(_swapped_class)),
    ),
)


def _always(s: count_claims.States) -> Mask:
    return np.ones(s.rows.shape[1], dtype=bool)


def _weight(name: str, weight: Callable[[Any], int]) -> Everywhere:
    return Everywhere(smt_model.sums, around(lambda f, model: f(model) | {name: weight}))


def _one_of_each(self: smt_model.State, shapes: tuple[Shape, ...]) -> Bool:
    return conj(*(self.counts[s] > 0 for s in dict.fromkeys(shapes)))


def _off_by_one(original: Callable[..., dict[str, int]], *arguments: Any) -> dict[str, int]:  # noqa: ANN401
    return {name: value + (name == "transitions") for name, value in original(*arguments).items()}


def _whether_wcc_holds_or_not(original: Predicate, scheduler: Scheduler, outcome: Outcome) -> str | None:
    avoidable = avoidable_partial_nodes(scheduler.partial_nodes, scheduler.running, scheduler.nodes)
    return original(scheduler, outcome) or ("without WCC" if avoidable > 2 else None)


CHECK_FAULTS = (
    _check(
        "exclusion never broken",
        "predicates unified",
        "The predicate of exclusion says yes to every state.",
        Change(count_claims.UNIFIED_ONE, "exclusion", instead(_always)),
    ),
    _check(
        "no-waiting never broken",
        "predicates unified",
        "The predicate of no-waiting says yes to every state.",
        Change(count_claims.UNIFIED_ONE, "no-waiting", instead(_always)),
    ),
    _check(
        "admission never broken",
        "predicates repaired",
        "The predicate of exact admission says yes to every state.",
        Change(count_claims.REPAIRED, "admission", instead(_always)),
    ),
    _check(
        "SIF bound of 3",
        "predicates repaired",
        "The predicate of the SIF bound allows 3 avoidable partial nodes.",
        Change(count_claims.REPAIRED, "sif-bound", instead(lambda s: ~s.wcc | (s.avoidable <= 3))),
    ),
    _check(
        "WCC strict in predicates",
        "predicates repaired",
        "Predicates take WCC as n_1 > V.",
        Change(count_claims.States, "wcc", instead(property(lambda s: s.slack > 0))),
    ),
    _check(
        "busy nodes not partial",
        "predicates unified",
        "Predicates count nodes with more than half their GPUs busy as full.",
        Change(
            count_claims.States,
            "_type_partial",
            instead(property(lambda s: (s.facts.load > 0) & (2 * s.facts.load <= s.capacity))),
        ),
    ),
    _check(
        "theorem-1 never broken",
        "trace printed-theorem-1",
        "The predicate of histories says yes to every state.",
        Change(PREDICATES, "theorem-1", instead(lambda scheduler, outcome: None)),
    ),
    _check(
        "theorem-1 without WCC",
        "smallest printed-theorem-1",
        "The predicate of histories asks for at most 2 avoidable partial nodes where WCC fails, too.",
        Change(PREDICATES, "theorem-1", around(_whether_wcc_holds_or_not)),
    ),
    _check(
        "saturation without WCC",
        "smallest printed-saturation-no-refill",
        "The predicate of histories asks for saturated slots where WCC fails, too.",
        Change(
            PREDICATES, "saturation", around(lambda f, s, o: f(s, o) or ("without WCC" if s.state().vacancy else None))
        ),
    ),
    _check(
        "findings overlooked",
        "smallest printed-prop-1",
        "An event that cannot be carried out breaks no claim.",
        Change(
            PREDICATES,
            "prop-1",
            around(lambda f, scheduler, outcome: None if outcome.finding else f(scheduler, outcome)),
        ),
    ),
    _check(
        "every refusal is waiting",
        "trace printed-no-waiting",
        "The predicate of waiting takes every refusal for one, even where nothing would fit.",
        Change(
            PREDICATES,
            "no-waiting",
            instead(lambda scheduler, outcome: None if outcome.admitted else "the job waits"),
        ),
    ),
    _check(
        "departures not encoded",
        "encoding unified",
        "The encoding lets no 1-GPU instance depart.",
        Change(smt_model.Model, "departures", around(lambda f, self, gpus: f(self, gpus) if gpus > 1 else [])),
    ),
    _check(
        "merges of equal nodes only",
        "encoding unified",
        "The encoding merges nodes of one shape only, and so proves less than it says.",
        Change(
            smt_model.Model,
            "merges",
            lambda raw: property(lambda self: [e for e in raw.func(self) if len(set(e.before)) == 1]),
        ),
    ),
    _check(
        "free refills",
        "encoding unified",
        "Refills move nothing in the encoding.",
        Change(
            smt_model.Model,
            "refills",
            lambda raw: property(lambda self: [replace(entry, moves=0) for entry in raw.func(self)]),
        ),
    ),
    *(
        _check(
            f"no {name} in the encoding",
            caught_by,
            f"The table of {name} is empty, so that whatever is said of each of them holds.",
            Change(smt_model.Model, name, instead(property(lambda self: []))),
        )
        for name, caught_by in (
            ("refills", "smt unified-conservation/g4-refill-premise"),
            ("merges", "smt repaired-termination/g4-merge-premise"),
        )
    ),
    _check(
        "one node is two",
        "translation unified",
        "The encoding takes one node of a shape for two.",
        Change(smt_model.State, "need", instead(_one_of_each)),
    ),
    _check(
        "partial means open",
        "smt unified-node-bound/g4-tight",
        "nu of the encoding counts open nodes.",
        _weight("partial", lambda s: int(s.open)),
    ),
    _check(
        "no vacancy in the encoding",
        "smt unified-saturation/g4-balance",
        "The encoding sees no vacancy.",
        _weight("vacancy", lambda s: 0),
    ),
    _check(
        "weak goal of a pass",
        "files printed",
        "The obligation of a Compact pass forgets the nodes outside of the list.",
        Change(_Pass, "left_over", instead(lambda self: Int("0"))),
    ),
    _check(
        "recorded number off by one",
        "numbers unified N=4",
        "One transition more is counted than the ledger records.",
        Everywhere(count_evidence.numbers_of, around(_off_by_one)),
    ),
    _check(
        "full nodes partial in the table of Phi*",
        "counts unified: closed-form",
        "The table of Phi* over all compositions counts full nodes as partial.",
        Everywhere(count_phi._contents, around(lambda f, *arguments: [(key, True) for key, _ in f(*arguments)])),
    ),
    _check(
        "packings left out",
        "packings exact-phi",
        "The enumeration of packings never puts just 2 GPUs on a node beside its first instance.",
        Change(packings, "_completions", around(lambda f, sizes, room: [c for c in f(sizes, room) if c[0] != 2])),
    ),
)
