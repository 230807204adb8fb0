"""The metric on hand-made placements, on pools, and on random placements against its definition."""

import json
import random
from fractions import Fraction

import pytest

from compass.composition import Composition
from compass.errors import DoesNotFitNow, InputError
from compass.geometry import Geometry
from compass.metric import avoidable_partial_nodes, sif
from compass.phi import min_partial_nodes
from compass.snapshot import Node, PlacedInstance, Snapshot


def node(name, *sizes, capacity=8, pool=""):
    return Node(name, tuple(PlacedInstance(f"{name}{k}", g) for k, g in enumerate(sizes)), capacity, pool)


def test_the_three_node_example():
    """{4, 2} {4} and six 1-GPU instances: three partial nodes where none is needed."""
    report = sif(Snapshot.of([[4, 2], [4], [1] * 6]))
    assert report.fragmentation == 1
    assert report.inherent_fragmentation == 0
    assert report.to_json() == {
        "nodes": 3,
        "capacity": 8,
        "partial_nodes": 3,
        "inherent_partial_nodes": 0,
        "avoidable_partial_nodes": 3,
        "sif": "1",
        "sif_float": 1.0,
        "wcc": True,
        "wcc_slack": 6,
        "min_nodes": 2,
    }


def test_inherent_fragmentation_is_not_held_against_the_scheduler():
    report = sif(Snapshot.of([[7], [7], [4], [4], []]))
    assert (report.partial_nodes, report.inherent_partial_nodes) == (4, 2)
    assert report.fragmentation - report.inherent_fragmentation == report.sif == Fraction(2, 5)
    assert (report.wcc, report.wcc_slack) == (False, -2)
    assert report.to_json()["sif"] == "2/5"
    assert report.to_json()["sif_float"] == 0.4


def test_instances_do_not_move_between_pools():
    nodes = (node("a", 4, pool="x"), node("b", 4, pool="y"), node("c", 2, pool="x"), node("d", 7, pool="y"))
    report = sif(Snapshot(nodes))
    assert [(p.name, p.nodes, p.partial_nodes, p.inherent_partial_nodes) for p in report.pools] == [
        ("x", 2, 2, 1),
        ("y", 2, 2, 2),
    ]
    assert report.sif == Fraction(1, 4)
    assert (report.wcc_slack, report.min_nodes, report.capacity) == (-1, 3, 8)
    written = json.loads(json.dumps(report.to_json()))
    assert [pool["pool"] for pool in written["pools"]] == ["x", "y"]
    assert [pool["sif"] for pool in written["pools"]] == ["1/2", "0"]
    assert sif(Snapshot(nodes[::2])).sif == Fraction(1, 2)


def test_pools_of_different_capacity_keep_theirs():
    report = sif(Snapshot((node("a", 4, pool="x"), node("b", 3, capacity=4, pool="y"))))
    assert [pool.capacity for pool in report.pools] == [8, 4]
    assert report.capacity is None
    assert report.min_nodes == 2


def test_a_pool_of_several_capacities():
    """Phi* uses the nodes as they are; WCC is that of the largest capacity, 8."""
    report = sif(Snapshot((node("a", 4, 1), node("b", 3, capacity=4), node("c"))))
    assert (report.capacity, report.min_nodes) == (None, None)
    assert (report.partial_nodes, report.inherent_partial_nodes) == (2, 0)
    assert (report.wcc, report.wcc_slack) == (True, 0)
    # Both 4s fill nodes of capacity 4 and the 1s share a node, or all four share a node.
    halves = sif(Snapshot((node("a", 4), node("b", 1, capacity=4), node("c", 4, 1), node("d", capacity=4))))
    assert (halves.partial_nodes, halves.inherent_partial_nodes) == (3, 1)
    assert sif(Snapshot((node("a", 4, 2), node("b", 4, capacity=4)))).inherent_partial_nodes == 1


def test_the_number_of_nodes_is_a_limit():
    """Phi* is taken on the nodes there are: it never exceeds the partial nodes of the placement."""
    rng = random.Random(2)
    for _ in range(300):
        capacity = rng.choice((2, 4, 8))
        loads = []
        for _ in range(rng.randint(1, 6)):
            sizes, room = [], capacity
            while room and rng.random() < 0.8:
                sizes.append(rng.randint(1, room))
                room -= sizes[-1]
            loads.append(sizes)
        snapshot = Snapshot.of(loads, capacity)
        report = sif(snapshot)
        composition = Composition(Geometry(capacity))
        for sizes in loads:
            for g in sizes:
                composition.add(g)
        assert report.partial_nodes == snapshot.partial_nodes
        assert report.inherent_partial_nodes == min_partial_nodes(composition, nodes=len(loads))
        assert 0 <= report.sif == Fraction(report.avoidable_partial_nodes, len(loads)) <= 1
        assert report.wcc == composition.wcc
        assert avoidable_partial_nodes(snapshot.partial_nodes, composition, len(loads)) == (
            report.avoidable_partial_nodes
        )


def test_a_snapshot_without_nodes_is_refused():
    with pytest.raises(InputError, match="no nodes"):
        sif(Snapshot(()))


def test_impossible_figures_of_a_live_cluster_are_refused():
    composition = Composition(Geometry(), {7: 2})
    assert avoidable_partial_nodes(2, composition) == 0
    with pytest.raises(InputError, match="1 partial nodes"):
        avoidable_partial_nodes(1, composition)
    with pytest.raises(DoesNotFitNow):
        avoidable_partial_nodes(2, composition, nodes=1)
