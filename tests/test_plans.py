import itertools

import pytest

from compass.discipline import (
    OPEN,
    OPEN_POOL,
    SETTLED,
    STRAY,
    repaired_discipline,
    unified_discipline,
)
from compass.errors import InputError
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.shapes import shape_table

GEOMETRIES = [Geometry(2), Geometry(4), Geometry(8), Geometry(8, (4, 8)), Geometry(8, (2, 8))]
DISCIPLINES = [make(geometry) for geometry in GEOMETRIES for make in (unified_discipline, repaired_discipline)]
IDS = [f"{name}-{g.capacity}-{g.widths}" for g in GEOMETRIES for name in ("unified", "repaired")]


def exclusive(*shapes):
    return not (any(s.vacancy for s in shapes) and any(s.free for s in shapes))


def settled(discipline, one, two):
    """What a plan has to reach, from the module's definition."""
    kinds = [discipline.kinds[s.index] for s in (one, two)]
    return STRAY not in kinds and (kinds[0] != kinds[1] or kinds[0] == SETTLED) and exclusive(one, two)


def carried_out(plan, first, second, arriving):
    """Replay the steps on plain lists; returns the contents and the number of moves."""
    nodes = [list(first.sizes), list(second.sizes)]
    moves = installed = 0
    table = shape_table_of(first, second)
    for install, gpus, source in plan.steps:
        target = source if install else 1 - source
        if install:
            assert gpus == arriving
            installed += 1
        else:
            nodes[source].remove(gpus)
            moves += 1
        nodes[target].append(gpus)
        assert table.of(nodes[target]) is not None
    assert installed == (arriving > 0)
    return [table.of(node) for node in nodes], moves


TABLES = [shape_table(geometry) for geometry in GEOMETRIES]


def shape_table_of(*shapes):
    return next(t for t in TABLES if all(s.index < len(t) and t[s.index] is s for s in shapes))


def fewest_moves(discipline, first, second, arriving):
    """Reference: the least number of moves to any settled pair, by plain relaxation over all pairs."""
    reached = {(first, second, bool(arriving))}
    moves = 0
    while reached:
        grown = set(reached)
        for one, two, waiting in reached:
            if waiting:
                grown |= {(one.plus[arriving], two, False)} if one.plus[arriving] else set()
                grown |= {(one, two.plus[arriving], False)} if two.plus[arriving] else set()
        if any(not waiting and settled(discipline, one, two) for one, two, waiting in grown):
            return moves
        further = set(grown)
        for one, two, waiting in grown:
            for g in range(1, discipline.table.geometry.capacity + 1):
                if one.minus[g] and two.plus[g]:
                    further.add((one.minus[g], two.plus[g], waiting))
                if two.minus[g] and one.plus[g]:
                    further.add((one.plus[g], two.minus[g], waiting))
        if further == reached:
            return None
        reached = further
        moves += 1
    return None


@pytest.mark.parametrize("discipline", DISCIPLINES, ids=IDS)
def test_plans_are_legal_settle_and_are_shortest(discipline):
    table = discipline.table
    plans = PlanTable(discipline)
    pairs = list(itertools.product(table, table))
    stride = max(1, len(pairs) * table.geometry.capacity // 4000)
    cases = [(one, two, g) for one, two in pairs for g in (0, *range(2, table.geometry.capacity + 1))]
    for first, second, arriving in cases[::stride]:
        plan = plans.plan(first, second, arriving)
        assert (plan and plan.moves) == fewest_moves(discipline, first, second, arriving)
        if plan is not None:
            result, moves = carried_out(plan, first, second, arriving)
            assert tuple(result) == plan.result
            assert moves == plan.moves
            assert settled(discipline, *result)
            assert plans.plan(first, second, arriving) is plan


@pytest.mark.parametrize("discipline", DISCIPLINES, ids=IDS)
def test_any_two_open_nodes_of_a_kind_can_be_merged(discipline):
    """The merge fact: one of them becomes empty or covered, with at most 4 moved instances for G = 8."""
    table = discipline.table
    plans = PlanTable(discipline)
    worst = 0
    for first, second in itertools.product(table, table):
        kind = discipline.kinds[first.index]
        if kind in (OPEN, OPEN_POOL) and kind == discipline.kinds[second.index] and exclusive(first, second):
            plan = plans.plan(first, second)
            assert plan is not None
            assert sum(shape.open for shape in plan.result) <= 1
            worst = max(worst, plan.moves)
    if table.geometry == Geometry(8):
        assert worst == 4


@pytest.mark.parametrize("discipline", DISCIPLINES[1::2], ids=IDS[1::2])
def test_a_stray_node_can_be_settled_with_an_empty_one(discipline):
    plans = PlanTable(discipline)
    for shape in discipline.table:
        if discipline.kinds[shape.index] == STRAY:
            plan = plans.plan(shape, discipline.table.empty)
            assert plan is not None
            assert plan.moves <= shape.free


def test_kinds_of_the_repaired_discipline():
    discipline = repaired_discipline(Geometry())
    kind = {
        sizes: discipline.kinds[discipline.table.of(sizes).index]
        for sizes in [(), (1,), (1,) * 8, (2,), (4, 4), (3,), (3, 1, 4), (5,), (3, 1, 1), (2, 1)]
    }
    assert kind == {
        (): SETTLED, (1,): OPEN_POOL, (1,) * 8: SETTLED, (2,): OPEN, (4, 4): SETTLED, (3,): OPEN,
        (3, 1, 4): SETTLED, (5,): SETTLED, (3, 1, 1): STRAY, (2, 1): STRAY,
    }  # fmt: skip
    assert discipline.limits == (None, 1, 1, 0)


def test_the_unified_discipline_counts_open_nodes():
    discipline = unified_discipline(Geometry(), 3)
    assert all((discipline.kinds[s.index] == OPEN) == s.open for s in discipline.table)
    assert discipline.limits == (None, 3)
    assert unified_discipline(Geometry(), None).limits == (None, None)


@pytest.mark.parametrize("open_nodes", [0, -1, 1.0, True, "1"])
def test_the_dial_is_a_positive_integer(open_nodes):
    with pytest.raises(InputError, match="must be a positive integer"):
        unified_discipline(Geometry(), open_nodes)


@pytest.mark.parametrize("geometry", [Geometry(8), Geometry(8, (2, 8)), Geometry(8, (4, 8)), Geometry(4)], ids=str)
def test_an_exchange_leaves_less_width_in_slots_on_the_open_node(geometry):
    discipline = unified_discipline(geometry)
    plans = PlanTable(discipline)
    found = 0
    for first, second in itertools.product(discipline.table, discipline.table):
        if not (first.open and second.free and not second.open) or first.vacancy:
            continue
        plan = plans.exchange(first, second)
        narrow = any(geometry.slot_width(g) <= first.room for g in first.sizes if g > 1)
        if narrow:
            assert plan is not None, "widths divide each other: a part of just that width is there"
        if plan is not None:
            found += 1
            result, moves = carried_out(plan, first, second, 0)
            assert moves == plan.moves
            assert settled(discipline, *result)
            assert result[0].open
            assert result[0].anchor_width < first.anchor_width
            assert plans.exchange(first, second) is plan
    assert found
