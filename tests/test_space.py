"""The Anchor-Based Space: constructors that refuse every illegal state, round trips, enumeration counts."""

from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import InputError, InvariantViolated
from compass.geometry import Geometry
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.space import (
    AbsState,
    Anchor,
    EmptyNode,
    PoolNode,
    Slot,
    SlottedNode,
    job_of,
    pool_types,
    slot_configurations,
    slot_types,
    slotted_types,
)

G8 = Geometry()
GEOMETRIES = [Geometry(2), Geometry(4), G8, Geometry(16), Geometry(8, (4, 8)), Geometry(16, (4, 16))]


@pytest.mark.parametrize(
    ("width", "anchor", "fillers", "error", "message"),
    [
        (4, Anchor("a/0", 1), (), InvariantViolated, r"slot of width 4, anchor 'a/0': an anchor has at least 2 GPUs"),
        (4, Anchor("a/0", 5), (), InvariantViolated, r"5 \+ 0 fillers exceed the width \(eq. 4\)"),
        (4, Anchor("a/0", 3), ("b", "c"), InvariantViolated, r"3 \+ 2 fillers exceed the width \(eq. 4\)"),
        ("4", Anchor("a/0", 3), (), InputError, r"width '4': must be an integer"),
        (4, Anchor("a/0", True), (), InputError, r"anchor size True: must be an integer"),
        (4, Anchor("", 3), (), InputError, r"instance name '': must be text"),
        (4, Anchor("a/0", 3), (7,), InputError, r"instance name 7: must be text"),
    ],
)
def test_a_slot_cannot_be_illegal(width, anchor, fillers, error, message):
    with pytest.raises(error, match=message):
        Slot(width, anchor, fillers)


def test_what_a_slot_knows():
    slot = Slot(8, Anchor("a/0", 5), ("b/0", "b/1"))
    assert (slot.load, slot.vacancy, slot.saturated) == (7, 1, False)
    assert Slot(8, Anchor("a/0", 5), ("b/0", "b/1", "b/2")).saturated


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ((), r"it has no slot \(eq. 7\)"),
        ((Slot(2, Anchor("a", 2)), Slot(8, Anchor("b", 3))), r"slot 1 of width 8, anchor 'b': 3 GPUs.*\(eq. 3\)"),
        ((Slot(16, Anchor("a", 9)),), r"slot 0 of width 16, anchor 'a': 9 GPUs.*\(eq. 3\)"),
        ((Slot(8, Anchor("a", 8)), Slot(2, Anchor("b", 2))), r"slot widths \[8, 2\] exceed the capacity 8 \(eq. 5\)"),
    ],
)
def test_a_slotted_node_cannot_be_illegal(slots, message):
    with pytest.raises(InvariantViolated, match=message):
        SlottedNode(G8, slots)


@pytest.mark.parametrize("number", [0, 9])
def test_a_pool_node_cannot_be_illegal(number):
    with pytest.raises(InvariantViolated, match=rf"pool node: {number} instances: must be 1 to 8 \(eq. 7\)"):
        PoolNode(G8, tuple(f"a/{k}" for k in range(number)))


def test_a_pool_node_has_named_instances():
    with pytest.raises(InputError, match="instance name None"):
        PoolNode(G8, (None,))


def test_what_nodes_know():
    pool = PoolNode(G8, ("p", "q"))
    assert (pool.load, pool.vacancy, pool.saturated, pool.open, pool.names) == (2, 0, True, True, ("p", "q"))
    assert not PoolNode(Geometry(2), ("p", "q")).open
    node = SlottedNode(G8, (Slot(4, Anchor("a", 3), ("f",)), Slot(4, Anchor("b", 3))))
    assert (node.load, node.vacancy, node.saturated, node.open, node.unprofiled) == (7, 1, False, False, 0)
    assert node.names == ("a", "f", "b")
    empty = EmptyNode(G8)
    assert (empty.load, empty.vacancy, empty.saturated, empty.open, empty.names) == (0, 0, True, False, ())


def test_a_state_has_one_geometry():
    with pytest.raises(InputError, match=r"node n1: .*capacity=4"):
        AbsState(G8, (EmptyNode(G8), EmptyNode(Geometry(4))))


def test_a_state_places_an_instance_once():
    with pytest.raises(InvariantViolated, match=r"node n1: instance 'p' is on n0 already \(eq. 8\)"):
        AbsState(G8, (PoolNode(G8, ("p",)), PoolNode(G8, ("q", "p"))))


def test_what_a_state_knows():
    half = SlottedNode(G8, (Slot(4, Anchor("a/0", 3)),))
    full = SlottedNode(G8, (Slot(8, Anchor("b/0", 8)),))
    state = AbsState(G8, (half, full, PoolNode(G8, ("c/0",)), EmptyNode(G8)))
    assert (state.load, state.vacancy, state.saturated, state.partial_nodes) == (12, 1, False, 2)
    assert (state.open_slotted, state.open_pool) == (1, 1)
    assert state.composition().as_dict() == {1: 1, 3: 1, 8: 1}
    assert AbsState(G8, (full, EmptyNode(G8))).saturated


@pytest.mark.parametrize(
    ("contents", "error", "message"),
    [
        ([([], []), ([(Anchor("a", 3), ["b", "c"])], [])], InvariantViolated, r"node n1: slot 0: .* \(eq. 4\)"),
        ([([(Anchor("a", 9), [])], [])], InputError, r"node n0: slot 0: 9 GPUs an instance"),
        ([([(Anchor("a", 8), []), (Anchor("b", 2), [])], [])], InvariantViolated, r"node n0: slot widths \[8, 2\]"),
        ([([(Anchor("a", 8), []), (Anchor("b", 2), [])], ["c"])], InvariantViolated, r"node n0: slot widths \[8, 2\]"),
        ([([(Anchor("a", 3), ["x"])], ["y"])], InvariantViolated, r"n0: 1 of 2 1-GPU instances are in no slot.*eq. 7"),
        ([([], "abcdefghi")], InvariantViolated, r"node n0: pool node: 9 instances"),
    ],
)
def test_the_checker_names_node_slot_and_condition(contents, error, message):
    with pytest.raises(error, match=message):
        AbsState.of(G8, contents)


def test_a_snapshot_gets_slots_in_a_canonical_way():
    placed = [PlacedInstance("f", 1), PlacedInstance("a", 5), PlacedInstance("a", 3), PlacedInstance("f", 1)]
    snapshot = Snapshot((Node("x", tuple(placed), 16), Node("y", (PlacedInstance("f", 1),), 16), Node("z", (), 16)))
    state = AbsState.from_snapshot(snapshot)
    first = Slot(8, Anchor("a/0", 5), ("f/0", "f/1"))
    assert state.nodes == (
        SlottedNode(Geometry(16), (first, Slot(4, Anchor("a/1", 3)))),
        PoolNode(Geometry(16), ("f/2",)),
        EmptyNode(Geometry(16)),
    )
    jobs = [instance.job for instance in state.to_snapshot().nodes[0].instances]
    assert jobs == ["a", "f", "f", "a"]


@pytest.mark.parametrize(
    ("snapshot", "geometry", "error", "message"),
    [
        (Snapshot.of([[], [3, 1, 1]]), None, InvariantViolated, "node n1: 1 of 2 1-GPU instances are in no slot"),
        (Snapshot.of([[3, 3, 2]]), None, InvariantViolated, r"node n0: slot widths \[4, 4, 2\] exceed"),
        (Snapshot(()), None, InputError, "no capacity that all nodes share"),
        (Snapshot((Node("a", (), 4), Node("b"))), None, InputError, "no capacity that all nodes share"),
        (Snapshot((Node("a", (), 4),)), G8, InputError, "node a: capacity 4, not 8"),
    ],
)
def test_a_snapshot_outside_of_sigma_is_refused(snapshot, geometry, error, message):
    with pytest.raises(error, match=message):
        AbsState.from_snapshot(snapshot, geometry)


def test_the_geometry_decides_what_is_in_sigma():
    snapshot = Snapshot.of([[2, 2, 2]])
    assert AbsState.from_snapshot(snapshot).nodes[0].unprofiled == 2
    with pytest.raises(InvariantViolated, match=r"eq\. 5"):
        AbsState.from_snapshot(snapshot, Geometry(8, (4, 8)))


@st.composite
def states(draw):
    geometry = draw(st.sampled_from(GEOMETRIES))
    types = [(), *slotted_types(geometry)] if geometry.capacity < 16 else [()]
    contents = []
    for n in range(draw(st.integers(1, 4))):
        node = draw(st.sampled_from(types))
        slots = [
            (Anchor(f"a{n}.{k}/0", s.anchor), [f"f{n}/{k}.{i}" for i in range(s.fillers)]) for k, s in enumerate(node)
        ]
        ones = [] if slots else [f"p/{n}.{k}" for k in range(draw(st.integers(0, geometry.capacity)))]
        contents.append((slots, ones))
    return AbsState.of(geometry, contents)


@given(states())
def test_snapshots_round_trip(state):
    snapshot = state.to_snapshot()
    canonical = AbsState.from_snapshot(snapshot, state.geometry)
    assert [sorted(n.instances) for n in canonical.to_snapshot().nodes] == [sorted(n.instances) for n in snapshot.nodes]
    assert AbsState.from_snapshot(canonical.to_snapshot(), state.geometry) == canonical
    for before, after in zip(state.nodes, canonical.nodes, strict=True):
        assert (type(before), before.load, before.vacancy) == (type(after), after.load, after.vacancy)
    assert snapshot.partial_nodes == state.partial_nodes
    assert canonical.composition().counts == state.composition().counts
    assert state.composition().total == state.load


def test_the_job_of_an_instance():
    assert [job_of(name) for name in ("a/0", "a/b/12", "a")] == ["a", "a/b", "a"]


def multisets_by_recurrence(weights, capacity):
    """How many multisets of items with these weights have sum <= capacity, by the coin-change recurrence."""
    ways = [1] + [0] * capacity
    for weight in weights:
        for total in range(weight, capacity + 1):
            ways[total] += ways[total - weight]
    return sum(ways)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_enumerations_have_the_counts_of_an_independent_recurrence(geometry):
    configurations = list(slot_configurations(geometry))
    assert (
        len(configurations) == len(set(configurations)) == multisets_by_recurrence(geometry.widths, geometry.capacity)
    )
    assert configurations[0] == ()
    pairs = [(g, f) for g in geometry.sizes[1:] for f in range(geometry.slot_width(g) - g + 1)]
    assert list(slot_types(geometry)) == pairs
    nodes = list(slotted_types(geometry))
    weights = [geometry.slot_width(g) for g, _ in pairs]
    assert (
        len(nodes) == len({tuple(sorted(n)) for n in nodes}) == multisets_by_recurrence(weights, geometry.capacity) - 1
    )
    assert {tuple(sorted((geometry.slot_width(s.anchor) for s in n), reverse=True)) for n in nodes} == set(
        configurations[1:]
    )
    assert list(pool_types(geometry)) == list(geometry.sizes)


def test_the_node_types_of_eight_gpus():
    nodes = set(slotted_types(G8))
    brute = {
        chosen
        for number in range(1, 5)
        for chosen in combinations_with_replacement(slot_types(G8), number)
        if sum(G8.slot_width(s.anchor) for s in chosen) <= 8
    }
    assert nodes == brute
    assert (len(nodes), len(pool_types(G8)), len(list(slot_configurations(G8)))) == (29, 8, 10)
    by_occupancy = {tuple(sorted((G8.slot_width(s.anchor), sum(s)) for s in node)) for node in nodes}
    assert len(by_occupancy) == 17
