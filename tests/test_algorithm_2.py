"""The paper's algorithm-2 against the exact optimum: never below it, and where it is above."""

import itertools
import random
from collections import Counter

import pytest

from compass.algorithm_2 import algorithm_2
from compass.composition import Composition
from compass.errors import InputError
from compass.geometry import Geometry
from compass.phi import min_partial_nodes


def smallest_failures(**choices):
    for k in range(1, 7):
        failures = [
            counts
            for items in itertools.combinations_with_replacement(range(1, 9), k)
            if algorithm_2(counts := dict(Counter(items)), **choices) > min_partial_nodes(counts)
        ]
        if failures:
            return failures
    return []


@pytest.mark.parametrize("pair_without_ones", [True, False])
def test_it_is_never_below_the_optimum_and_equal_under_wcc(pair_without_ones):
    rng = random.Random(11)
    above = 0
    for _ in range(1500):
        composition = Composition(Geometry(), {g: rng.randint(0, 9) for g in range(1, 9) if rng.random() < 0.6})
        value = algorithm_2(composition, pair_without_ones=pair_without_ones)
        optimum = min_partial_nodes(composition)
        assert value >= optimum
        if composition.wcc:
            assert value == optimum
        above += value > optimum
    assert above


def test_it_is_not_optimal_and_the_smallest_failures_have_four_instances():
    """Claim algorithm-2 of the paper is refuted by search, under both readings of the pairing."""
    failures = smallest_failures()
    assert {sum(counts.values()) for counts in failures} == {4}
    for counts in failures:
        assert 2 in counts  # step 3 has packed the 2s together where the unpaired instances would need them apart
    assert {sum(counts.values()) for counts in smallest_failures(pair_without_ones=False)} == {3}


def test_examples_worked_by_hand():
    assert algorithm_2({5: 1, 3: 1}) == 0  # paired
    assert algorithm_2({5: 1, 2: 1, 1: 1}) == 0  # no 3 left: 2 + 1
    assert algorithm_2({5: 1, 1: 3}) == 0  # neither 3 nor 2: closed form
    assert algorithm_2({6: 2, 2: 1, 1: 2}) == 0  # 6 + 2, then 6 + 1 + 1
    assert algorithm_2({7: 2, 1: 1}) == 1  # 7 + 1, 7
    assert algorithm_2({3: 3, 1: 1}) == 2  # 3 + 1 in one node, a 3 on top of it and a 3, or 3 + 3
    assert algorithm_2({4: 1, 3: 1}) == 1  # on top of the packing
    assert algorithm_2({2: 1, 3: 2}) == 0  # both on top, the node is full
    assert algorithm_2({2: 2, 3: 2}) == 2  # the 2s share a node; Phi* is 1: {3, 3, 2} and {2}
    assert min_partial_nodes({2: 2, 3: 2}) == 1


def test_other_geometries_are_refused():
    for geometry in (Geometry(4), Geometry(8, (2, 8))):
        with pytest.raises(InputError, match="algorithm-2 is stated"):
            algorithm_2({1: 1}, geometry)
        with pytest.raises(InputError, match="algorithm-2 is stated"):
            algorithm_2(Composition(geometry, {1: 1}))
    with pytest.raises(InputError, match="algorithm-2 is stated"):
        algorithm_2(Composition(Geometry(4), {1: 1}), Geometry())
