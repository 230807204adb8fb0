"""Seeded faults in the tables of the settled schedulers: plans, kinds of shapes, figures of shapes, transitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compass.discipline import OPEN, OPEN_POOL, SETTLED, STRAY, Discipline, repaired_discipline, unified_discipline
from compass.geometry import Geometry
from compass.plans import Plan, PlanStep, PlanTable
from compass.shapes import Shape, ShapeTable
from verification.fault_kinds import Change, Everywhere, Fault, around, instead

Replaced = Callable[[PlanTable, Shape, Shape, int, Plan], Plan | None]


def _table(name: str, caught_by: str, what: str, change: Change | Everywhere) -> Fault:
    return Fault(name, "table", what, "settled", caught_by, (change,))


def _plans(change: Replaced) -> Change:
    """Each plan replaced by what ``change`` makes of it."""

    def faulty(
        plan: Callable[..., Plan | None], self: PlanTable, first: Shape, second: Shape, arriving: int = 0
    ) -> Plan | None:
        found = plan(self, first, second, arriving)
        return None if found is None else change(self, first, second, arriving, found)

    return Change(PlanTable, "plan", around(faulty))


def _half(plans: PlanTable) -> int:
    return plans.discipline.table.geometry.capacity // 2


def _detour(self: PlanTable, one: Shape, two: Shape, gpus: int, plan: Plan) -> Plan:
    """A 1-GPU instance goes over to the other node and back first, where that is legal."""
    if gpus or one.minus[1] is None or two.plus[1] is None:
        return plan
    there, back = PlanStep(False, 1, 0), PlanStep(False, 1, 1)
    return plan._replace(steps=(there, back, *plan.steps), moves=plan.moves + 2)


def _conditions(stray: bool = True, two: bool = True, exclusion: bool = True) -> Change:
    """``PlanTable._settled`` with some of its three conditions only."""

    def settled(self: PlanTable, one: Shape, other: Shape) -> bool:
        kinds = self._kinds[one.index], self._kinds[other.index]
        if (stray and STRAY in kinds) or (two and kinds[0] == kinds[1] != SETTLED):
            return False
        return not (exclusion and (one.vacancy or other.vacancy) and (one.free or other.free))

    return Change(PlanTable, "_settled", instead(settled))


def _kind(discipline: Callable[..., Discipline], parts: tuple[int, ...], kind: int) -> Everywhere:
    """A shape has another kind: that of anchors of G/k for each part k, or of one free instance for 0."""

    def faulty(original: Callable[..., Discipline], geometry: Geometry, *more: int | None) -> Discipline:
        found = original(geometry, *more)
        sizes = tuple(geometry.capacity // part if part else 1 for part in parts)
        kinds = tuple(kind if s.sizes == sizes else found.kinds[s.index] for s in found.table)
        return replace(found, kinds=kinds)

    return Everywhere(discipline, around(faulty))


def _figure(name: str, value: Callable[[Shape, int], int]) -> Change:
    """A figure of every shape, from the shape and the capacity."""

    def faulty(original: Callable[..., None], self: Shape, geometry: Geometry, *rest: object) -> None:
        original(self, geometry, *rest)
        setattr(self, name, value(self, geometry.capacity))

    return Change(Shape, "__init__", around(faulty))


def _transition(change: Callable[[ShapeTable, int], None]) -> Change:
    """Transitions of the table changed once it is made."""

    def faulty(original: Callable[[ShapeTable], None], self: ShapeTable) -> None:
        original(self)
        change(self, self.geometry.capacity)

    return Change(ShapeTable, "_grow", around(faulty))


def _drop(table: ShapeTable, sizes: list[int], gpus: int) -> None:
    shape = table.of(sizes)
    if shape is not None:
        shape.plus[gpus] = None


def _both_gone(table: ShapeTable, capacity: int) -> None:
    pair = table.of([1, 1])
    if pair is not None:
        pair.minus[1] = table.empty


TABLE_FAULTS = (
    _table(
        "no merge of halves",
        "smt unified-limits/g4-merge-possible",
        "No plan merges a node that holds one anchor of G/2 alone.",
        _plans(lambda t, a, b, g, plan: None if not g and (_half(t),) in (a.sizes, b.sizes) else plan),
    ),
    _table(
        "no pair hosts G/2 + 1",
        "smt unified-no-waiting/g8-arrive-5",
        "No two nodes make room for an anchor of G/2 + 1 GPUs.",
        _plans(lambda t, a, b, g, plan: None if g == _half(t) + 1 else plan),
    ),
    _table(
        "plans lose an instance",
        "smt unified-conservation/g4-merge",
        "The stated result of a plan has a 1-GPU instance too few.",
        _plans(lambda t, a, b, g, p: p._replace(result=(p.result[0], p.result[1].minus[1] or p.result[1]))),
    ),
    _table(
        "plans understate moves",
        "tables unified",
        "Plans state no moves, whatever they move.",
        _plans(lambda t, a, b, g, plan: plan._replace(moves=0)),
    ),
    _table(
        "plans make detours",
        "smt unified-moves/g4-merge",
        "Plans move a 1-GPU instance there and back first: legal, but not shortest.",
        _plans(_detour),
    ),
    _table(
        "steps of plans reversed",
        "tables unified",
        "The steps of a plan stand in the table last to first.",
        _plans(lambda t, a, b, g, plan: plan._replace(steps=plan.steps[::-1])),
    ),
    _table(
        "results of plans swapped",
        "tables unified",
        "A plan names the shapes it ends in for the wrong nodes.",
        _plans(lambda t, a, b, g, plan: plan._replace(result=plan.result[::-1])),
    ),
    _table("plans may leave strays", "tables repaired", "A plan may end with a stray node.", _conditions(stray=False)),
    _table(
        "plans may leave two open",
        "tables unified",
        "A plan may end with two open nodes of one kind.",
        _conditions(two=False),
    ),
    _table(
        "plans may break exclusion",
        "tables unified",
        "A plan may end with vacancy beside a free instance.",
        _conditions(exclusion=False),
    ),
    _table(
        "half node settled",
        "smt unified-node-bound/g4-wcc",
        "A node with one anchor of G/2 counts as settled.",
        _kind(unified_discipline, (2,), SETTLED),
    ),
    _table(
        "full node open",
        "smt unified-limits/g4-merge-possible",
        "A node with two anchors of G/2 counts as open.",
        _kind(unified_discipline, (2, 2), OPEN),
    ),
    _table(
        "stray node open",
        "smt repaired-no-waiting/g4-necessary",
        "A free instance beside an anchor of G/2 counts as an open slotted node.",
        _kind(repaired_discipline, (2, 0), OPEN),
    ),
    _table(
        "pool node slotted",
        "smt repaired-no-waiting/g4-arrive-1",
        "A single 1-GPU instance counts as an open slotted node.",
        _kind(repaired_discipline, (0,), OPEN),
    ),
    _table(
        "slotted node pool",
        "smt repaired-limits/g4-filler-empty",
        "A single anchor of G/2 counts as an open pool node.",
        _kind(repaired_discipline, (2,), OPEN_POOL),
    ),
    _table(
        "slotted node stray",
        "smt repaired-limits/g4-merge-possible",
        "A single anchor of G/2 counts as stray.",
        _kind(repaired_discipline, (2,), STRAY),
    ),
    _table(
        "vacancy forgotten",
        "tables unified",
        "Anchors of G - 1 GPUs have no vacancy.",
        _figure("vacancy", lambda s, capacity: 0 if capacity - 1 in s.sizes else s.vacancy),
    ),
    _table(
        "fillers free",
        "tables unified",
        "Fillers inside slots count as free.",
        _figure("free", lambda s, capacity: s.sizes.count(1)),
    ),
    _table(
        "full node partial",
        "smt unified-node-bound/g4-wcc",
        "A full node counts as partial.",
        _figure("partial", lambda s, capacity: s.load > 0),
    ),
    _table(
        "covered node open",
        "smt unified-limits/g4-merge-possible",
        "A covered node that is not full counts as open.",
        _figure("open", lambda s, capacity: 0 < s.load < capacity),
    ),
    _table(
        "anchor width too large",
        "tables unified",
        "Anchors of G/2 need a slot of width G.",
        _figure("anchor_width", lambda s, capacity: s.anchor_width + (s.sizes == (capacity // 2,)) * capacity // 2),
    ),
    _table(
        "no filler for G - 1",
        "smt unified-no-waiting/g4-arrive-1",
        "The table has no entry for a filler beside an anchor of G - 1 GPUs.",
        _transition(lambda table, capacity: _drop(table, [capacity - 1], 1)),
    ),
    _table(
        "no anchor beside a one",
        "numbers unified N=4",
        "The table has no entry for an anchor of two GPUs beside a free instance.",
        _transition(lambda table, capacity: _drop(table, [1], 2)),
    ),
    _table(
        "departures take two",
        "tables unified",
        "The table takes both instances of {1,1} away at once.",
        _transition(_both_gone),
    ),
)
