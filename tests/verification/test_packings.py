"""Claims about packings: the enumeration against set partitions, and the counterexamples it finds."""

import pytest

from compass.geometry import Geometry
from compass.phi import best_packing
from verification import packings
from verification.packings import multisets, outcomes, phi_star, smallest_counterexample


def by_partitions(sizes, capacity):
    """Every (nodes, partial) over all set partitions into nodes, by putting the items one by one."""
    found = set()

    def put(index, nodes):
        if index == len(sizes):
            found.add((len(nodes), sum(load < capacity for load in nodes)))
            return
        for k in range(len(nodes)):
            if nodes[k] + sizes[index] <= capacity:
                nodes[k] += sizes[index]
                put(index + 1, nodes)
                nodes[k] -= sizes[index]
        nodes.append(sizes[index])
        put(index + 1, nodes)
        nodes.pop()

    put(0, [])
    return frozenset(found)


@pytest.mark.parametrize(("capacity", "largest"), [(2, 6), (4, 6), (8, 5)])
def test_outcomes_are_those_of_all_partitions(capacity, largest):
    for sizes in multisets(Geometry(capacity), largest):
        assert outcomes(sizes, capacity) == by_partitions(sizes, capacity)


def test_multisets_come_smallest_first_and_once():
    listed = list(multisets(Geometry(4), 3))
    assert len(listed) == len(set(listed)) == 1 + 4 + 10 + 20
    assert [len(sizes) for sizes in listed] == sorted(len(sizes) for sizes in listed)
    assert listed[:4] == [(), (1,), (2,), (3,)]


@pytest.mark.parametrize(("claim", "largest"), [("closed-form", 6), ("exact-phi", 6), ("equivalence-jointly", 7)])
def test_claims_that_hold_on_small_multisets(claim, largest):
    assert smallest_counterexample(claim, largest) is None


@pytest.mark.parametrize("claim", ["equivalence", "algorithm-2"])
def test_smallest_counterexamples_are_checked_independently(claim):
    found = smallest_counterexample(claim, 5)
    assert found is not None
    pairs = by_partitions(found.sizes, 8)
    assert phi_star(found.sizes, 8) == min(partial for _, partial in pairs)
    for sizes in multisets(Geometry(), len(found.sizes) - 1):
        assert packings.STATEMENTS[claim](sizes, Geometry()) is None


def test_for_sixteen_gpus_fewest_partial_nodes_can_need_more_nodes():
    # found by a search over residual multisets; here only recomputed
    counts = {4: 2, 5: 2, 7: 2, 10: 4}
    packing = best_packing(counts, Geometry(16))
    limited = best_packing(counts, Geometry(16), nodes=5)
    assert (packing.partial_nodes, packing.nodes) == (4, 6)
    assert (limited.partial_nodes, limited.nodes) == (5, 5)


def test_statements_can_fail(monkeypatch):
    monkeypatch.setattr(packings, "min_partial_nodes", lambda counts, geometry: 0)
    assert "computed" in smallest_counterexample("exact-phi", 2).reason
    monkeypatch.setattr(packings, "phi_star", lambda sizes, capacity: 7)
    assert "closed form" in smallest_counterexample("closed-form", 2).reason
