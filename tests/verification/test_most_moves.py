"""Exact constants of moves for every N: against explorations of whole clusters, and against runs of the scheduler."""

import random

import pytest

from compass.discipline import OPEN, OPEN_POOL, repaired_discipline
from compass.events import Decision
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.shapes import shape_table
from compass.snapshot import Snapshot
from compass.unified import Unified
from verification.count_explorer import explore
from verification.count_model import repaired_model, unified_model
from verification.making_room import room_is_made
from verification.most_moves import most_moves, moves_of_last_half

G4 = Geometry(4)


@pytest.mark.parametrize(
    ("variant", "open_nodes", "model"),
    [
        ("repaired", 1, repaired_model(3, G4)),
        ("unified", 1, unified_model(4, 1, G4)),
        ("unified", 2, unified_model(3, 2, G4)),
        ("unified", 3, unified_model(5, 3, G4)),
    ],
)
def test_the_constants_are_what_whole_clusters_reach(variant, open_nodes, model):
    explored = explore(model, {}).max_moves
    _, _, numbers = most_moves(variant, 4, open_nodes)
    assert numbers == {"departure": explored["depart"], "arrival": explored["arrive"]}
    if open_nodes > 1:
        bounds = room_is_made(4, [open_nodes])[2]
        assert max(bounds["at_once"], bounds[f"m{open_nodes}"]) == explored["arrive"]


@pytest.mark.parametrize(("variant", "numbers"), [("repaired", (4, 3)), ("unified", (5, 8))])
def test_known_constants(variant, numbers):
    assert tuple(most_moves(variant)[2].values()) == numbers


def with_plans(monkeypatch, change):
    """Every plan of two nodes for which nothing arrives, changed."""
    plan = PlanTable.plan

    def changed(table, first, second, arriving=0):
        found = plan(table, first, second, arriving)
        return found if arriving or found is None else change(found, (first, second))

    monkeypatch.setattr(PlanTable, "plan", changed)


def test_longer_plans_change_the_constants(monkeypatch):
    with_plans(monkeypatch, lambda plan, _: plan._replace(moves=plan.moves + 2))
    assert most_moves("unified", 4)[2] == {"departure": 5, "arrival": 5}
    assert room_is_made(4)[2] == {"at_once": 2 + 2, "any_m": 3 + 2 * 2}


@pytest.mark.parametrize(("capacity", "dials"), [(2, [2]), (4, [2, 3]), (8, [4])])
def test_no_arrival_moves_more_than_the_bound_of_its_dial(capacity, dials):
    """The scheduler, on full clusters of many open nodes and a few covered ones."""
    geometry = Geometry(capacity)
    shapes = [shape for shape in shape_table(geometry) if shape.load and not shape.vacancy]
    opens = [shape for shape in shapes if shape.open]
    chosen = random.Random(capacity)
    bounds = room_is_made(capacity, dials)[2]
    for dial in (*dials, None):
        bound = max(bounds["at_once"], bounds[f"m{dial}" if dial else "any_m"])
        reached = 0
        for _ in range(150):
            nodes = chosen.randint(2, 14)
            kinds = chosen.sample(opens, min(len(opens), chosen.randint(1, 2))) + chosen.sample(shapes, 1)
            scheduler = Unified(nodes, geometry, dial)
            scheduler.load(Snapshot.of([list(chosen.choice(kinds).sizes) for _ in range(nodes)], capacity))
            decision = scheduler.arrive("new", chosen.randint(2, capacity))
            reached = max(reached, len(decision.moves))
            assert len(decision.moves) <= bound
        assert reached > 0


@pytest.mark.parametrize("capacity", [4, 8, 16])
def test_repaired_exchanges_only_beside_vacancy(capacity):
    plans = PlanTable(repaired_discipline(Geometry(capacity)))
    kinds = plans.discipline.kinds
    opens = [shape for shape in plans.discipline.table if kinds[shape.index] in (OPEN, OPEN_POOL)]
    full = plans.discipline.table.of([1] * capacity)
    assert all(shape.vacancy for shape in opens if plans.exchange(shape, full))


def test_a_merge_that_leaves_two_open_nodes_is_noticed(monkeypatch):
    with_plans(monkeypatch, lambda plan, pair: plan._replace(result=pair))
    holds, detail, _ = room_is_made(4)
    assert not holds
    assert "do not become a covered and an open node" in detail


def test_refills_that_open_more_nodes_are_noticed(monkeypatch):
    monkeypatch.setattr("verification.making_room._Nodes.opened", lambda _, refills: 4 * refills)
    holds, detail, _ = room_is_made(4)
    assert not holds
    assert "two more nodes are open after the refills" in detail


def test_a_last_departure_that_moves_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr("verification.most_moves.Unified.depart", lambda scheduler, job: Decision("depart", job, True))
    assert not moves_of_last_half(4, 2)[0]
