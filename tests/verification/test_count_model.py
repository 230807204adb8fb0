"""The count-level models against the executable schedulers, one step at a time."""

import random

import pytest

from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from compass.space import AbsState
from compass.unified import Unified
from verification.count_drain import Drain
from verification.count_model import (
    CountBoard,
    CountEvent,
    CountState,
    Outcome,
    abstract_settled,
    repaired_model,
    unified_model,
)
from verification.count_printed import Leaving, NodeType, PrintedModel, abstract_printed


@pytest.mark.parametrize(
    ("scheduler", "model"),
    [
        (Repaired(4), repaired_model(4)),
        (Unified(4), unified_model(4)),
        (Unified(4, open_nodes=2), unified_model(4, 2)),
        (Unified(3, Geometry(16)), unified_model(3, 1, Geometry(16))),
        (Repaired(5, Geometry(4)), repaired_model(5, Geometry(4))),
    ],
    ids=["repaired", "unified-1", "unified-2", "unified-16", "repaired-4"],
)
def test_a_random_walk_of_the_code_is_a_walk_of_the_model(scheduler, model):
    chosen = random.Random(7)
    running = []
    for job in range(60 if scheduler.geometry.capacity == 16 else 200):
        before = abstract_settled(scheduler)
        steps = {}
        for step in model.successors(before):
            steps.setdefault((step.event.kind, step.event.gpus), set()).add((step.state, step.moves))
        gpus = chosen.choice([g for g in scheduler.geometry.sizes for _ in range(10 if g == 1 else 2)])
        if running and chosen.random() < 0.45:
            name, size = running.pop(chosen.randrange(len(running)))
            decision = scheduler.depart(name)
            key = ("depart", size)
        else:
            decision = scheduler.arrive(f"j{job}", gpus)
            key = ("arrive", gpus)
            assert decision.admitted == (key in steps)
            if not decision.admitted:
                continue
            running.append((f"j{job}", gpus))
        assert (abstract_settled(scheduler), len(decision.moves)) in steps[key]


@pytest.mark.parametrize(
    "reading", ["refill=text", "refill=pseudocode", "rehome=before", "migrations=simultaneous", "hosts=first"]
)
def test_a_random_walk_of_printed_is_a_walk_of_the_model(reading):
    readings = Readings.parse([reading])
    model, printed = PrintedModel(5, readings), Printed(5, readings=readings)
    chosen = random.Random(3)
    running = []
    for job in range(200):
        before = abstract_printed(printed, model)
        if running and chosen.random() < 0.4:
            name, size = running.pop(chosen.randrange(len(running)))
            event, phase = ("remove", size), -size
            try:
                printed.depart(name)
            except Exception:
                running.append((name, size))
                continue
        else:
            size = chosen.choice([1, 1, 1, 2, 3, 4, 5, 6, 7, 8])
            event, phase = ("place", size), size
            if not printed.arrive(f"j{job}", size).admitted:
                assert not model.place(before.nodes, size)
                continue
            running.append((f"j{job}", size))
        between = [s.state for s in model.successors(before) if (s.event.kind, s.event.gpus) == event and s.state]
        assert {state.phase for state in between} == {phase}
        after = {outcome.nodes for state in between for outcome in model.compact(state.nodes)}
        assert abstract_printed(printed, model).nodes in after


def test_node_types_of_printed_are_those_of_sigma():
    assert len(PrintedModel(1).types) == 38
    assert len(PrintedModel(1, sizes={1, 2, 4}).types) == 1 + 8 + 8
    assert all(sum(node.sizes) <= 8 for node in PrintedModel(1).types)


def test_a_filler_without_home_is_stuck():
    model = PrintedModel(1)
    [node] = model.of([[4, 3, 1]])
    slot = model.types[node].slots[0]
    assert slot == (3, 1)
    assert model.remove((node,), node, Leaving(3, slot, True)) == [Outcome(None, 0)]
    assert model.remove((node,), node, Leaving(1, slot, False))[0].moves == 0


def test_simultaneous_migrations_overflow_one_home():
    model = PrintedModel(3, Readings(migrations="simultaneous"))
    nodes = model.of([[5, 1, 1, 1], [1] * 6, [8]])
    node = model.of([[5, 1, 1, 1]])[-1]
    leaving = Leaving(5, model.types[node].slots[0], True)
    assert model.remove(nodes, node, leaving) == [Outcome(None, 0)]
    sequential = PrintedModel(3).remove(nodes, node, leaving)
    assert [(PrintedModel(3).describe(one.nodes), one.moves) for one in sequential] == [
        ("{1} {1,1,1,1,1,1,1,1} {8}", 2)
    ]


def test_rehoming_before_dissolving_does_not_see_the_node_as_empty():
    nodes = PrintedModel(2).of([[7, 1], [8]])
    node = PrintedModel(2).of([[7, 1], [8]])[0]
    leaving = Leaving(7, PrintedModel(2).types[node].slots[0], True)
    after = PrintedModel(2).remove(nodes, node, leaving)
    assert [(PrintedModel(2).describe(one.nodes), one.moves) for one in after] == [("{1} {8}", 0)]
    assert PrintedModel(2, Readings(rehome="before")).remove(nodes, node, leaving) == [Outcome(None, 0)]


def test_a_pass_follows_every_order_of_equal_nodes():
    model = PrintedModel(3)
    nodes = model.of([[3], [3, 1], [4]])
    results = {model.describe(one.nodes) for one in model.compact_pass(nodes, 4)}
    assert results == {"{3+0} {3+1,4}", "{3+0,4} {3+1}", "{3+0,3+1} {4}"}


def test_room_by_cap_exceeds_the_node():
    drain = Drain(Geometry(), Readings(room="cap", cap="nodes"), 4)
    types = PrintedModel(1).types
    nodes = [types[n] for n in PrintedModel(2).of([[4], [4, 2, 2]])]
    assert None in {board for board, _ in drain.run(nodes)}


def test_drained_nodes_keep_what_they_hold():
    drain = Drain(Geometry(), Readings(), 1)
    results = drain.run([NodeType((), 3), NodeType((), 4), NodeType((), 6)])
    assert {tuple(sorted(node.ones for node in board)) for board, _ in results} == {(0, 5, 8)}


def test_the_board_counts():
    model = unified_model(2)
    shapes = [model.table[n] for n in model.of([[3], [4, 1, 1, 1, 1]])]
    board = CountBoard(model.discipline, shapes)
    assert (board.vacancy, board.free, board.kinds[1], board.has_empty) == (1, 4, 1, False)
    with pytest.raises(AssertionError, match="fewer than no nodes"):
        board.replace([model.table.empty], [shapes[0]])


def test_states_read_well():
    model = repaired_model(2)
    with pytest.raises(ValueError, match="not 2 nodes"):
        model.of([[8], [8], [8]])
    assert model.describe(model.of([[4, 2]])) == "{4,2}"
    assert str(CountEvent("depart", 4, "{4,2}")) == "depart 4 from {4,2}"
    assert PrintedModel(2).start == CountState((0, 0))


def test_abstraction_recounts():
    model = PrintedModel(2)
    printed = Printed.from_state(AbsState.of(Geometry(), [([], ["a/0", "b/0"]), ([], [])]))
    assert model.describe(abstract_printed(printed, model).nodes) == "{1,1}"
