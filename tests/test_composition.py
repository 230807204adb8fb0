from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.composition import Composition, wcc_shares
from compass.errors import InputError
from compass.geometry import Geometry

G8 = Geometry()
counts = st.dictionaries(st.integers(1, 8), st.integers(0, 40))


@given(counts)
def test_sums_follow_their_definitions(numbers):
    running = Composition(G8, numbers)
    n = {g: numbers.get(g, 0) for g in range(1, 9)}
    width = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 8: 8}  # eq. 3
    assert running.total == sum(g * n[g] for g in n)
    assert running.anchor_width == sum(width[g] * n[g] for g in n if g > 1)
    assert running.vacancy == n[3] + 3 * n[5] + 2 * n[6] + n[7]
    assert running.slack == n[1] - running.vacancy
    assert running.deficit == max(0, running.vacancy - n[1])
    assert running.width == max(running.anchor_width, running.total)
    assert running.instances == sum(n.values())
    assert running.as_dict() == {g: k for g, k in n.items() if k}


@given(counts, st.lists(st.tuples(st.integers(1, 8), st.integers(1, 5))))
def test_adding_one_by_one_is_adding_at_once(start, more):
    running = Composition(G8, start)
    totals = dict(start)
    for gpus, number in more:
        running.add(gpus, number)
        totals[gpus] = totals.get(gpus, 0) + number
    fresh = Composition(G8, totals)
    for name in ("counts", "total", "vacancy", "anchor_width"):
        assert getattr(running, name) == getattr(fresh, name)
    for gpus, number in more:
        running.add(gpus, -number)
    assert running.counts == Composition(G8, start).counts


@given(counts)
def test_both_forms_of_wcc_agree(numbers):
    # Lemma A.1: the share form (eq. 9) and the count form (eq. 18) are equivalent.
    running = Composition(G8, numbers)
    total = sum(numbers.values()) or 1
    shares = {g: Fraction(k, total) for g, k in numbers.items()}
    assert wcc_shares(G8, shares) == running.wcc
    paper = shares.get(1, 0) >= sum(c * shares.get(g, 0) for g, c in {3: 1, 5: 3, 6: 2, 7: 1}.items())
    assert wcc_shares(G8, shares) == paper


def test_the_empty_cluster_satisfies_wcc():
    assert Composition(G8).wcc
    assert Composition(G8).slack == 0


@pytest.mark.parametrize("bad", [{0: 1}, {9: 1}, {1: -1}, {1: 1.5}, {1: True}, {"1": 1}])
def test_bad_counts_are_refused(bad):
    with pytest.raises(InputError):
        Composition(G8, bad)


def test_bad_shares_are_refused():
    with pytest.raises(InputError, match="negative"):
        wcc_shares(G8, {1: Fraction(-1, 2)})
    with pytest.raises(InputError, match="GPUs an instance"):
        wcc_shares(G8, {9: Fraction(1, 2)})
