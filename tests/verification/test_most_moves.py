"""Exact constants of moves for every N: against explorations of whole clusters, and against runs of the scheduler."""

import random

import pytest

from compass.events import Move
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.shapes import shape_table
from compass.snapshot import Snapshot
from compass.unified import Unified
from verification.count_explorer import explore
from verification.count_model import repaired_model, unified_model
from verification.making_room import room_is_made
from verification.most_moves import most_moves

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
    assert room_is_made(4)[2] == {"merges": 2, "moves": 3 + 2 * 2}


@pytest.mark.parametrize("capacity", [4, 8])
def test_room_is_made_in_few_moves_whatever_m_is(capacity):
    """The scheduler, on full clusters of many open nodes: moves that precede the placement."""
    geometry = Geometry(capacity)
    bound = room_is_made(capacity)[2]["moves"]
    opens = [shape for shape in shape_table(geometry) if shape.open and not shape.vacancy]
    chosen = random.Random(capacity)
    reached = 0
    for _ in range(150):
        nodes = chosen.randint(3, 14)
        kinds = chosen.sample(opens, chosen.randint(1, 2))
        scheduler = Unified(nodes, geometry, open_nodes=nodes)
        scheduler.load(Snapshot.of([list(chosen.choice(kinds).sizes) for _ in range(nodes)], capacity))
        decision = scheduler.arrive("new", chosen.randint(2, capacity))
        steps = list(decision.steps)
        placed = next((k for k, step in enumerate(steps) if not isinstance(step, Move)), 0)
        hosted = {steps[placed].node} if steps else set()
        before = [k for k in range(placed) if not hosted & {steps[k].source, steps[k].target}]
        reached = max(reached, len(before))
        assert len(before) <= bound
        assert len(decision.moves) <= bound + 13
    assert reached > 0


def test_a_merge_that_leaves_two_open_nodes_is_noticed(monkeypatch):
    with_plans(monkeypatch, lambda plan, pair: plan._replace(result=pair))
    holds, detail, _ = room_is_made(4)
    assert not holds
    assert "do not become a covered and an open node" in detail
