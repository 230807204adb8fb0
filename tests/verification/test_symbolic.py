from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.composition import Composition, wcc_shares
from compass.geometry import CAPACITIES, Geometry

pytest.importorskip("sympy", reason="sympy is not installed")

from verification.symbolic import wcc_forms


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_both_forms_are_the_same_polynomial(capacity: int) -> None:
    assert wcc_forms(Geometry(capacity)).equivalent


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_the_core_has_the_derived_coefficients(capacity: int) -> None:
    geometry = Geometry(capacity)
    core = {g: c for g, c in enumerate(geometry.wcc_coefficients) if c}
    assert wcc_forms(geometry).coefficients == core


def test_the_papers_coefficients() -> None:
    assert wcc_forms(Geometry()).coefficients == {3: 1, 5: 3, 6: 2, 7: 1}


def test_a_wrong_coefficient_is_noticed() -> None:
    forms = wcc_forms(Geometry())
    n_5 = next(symbol for symbol in forms.count_slack.free_symbols if symbol.name == "n_5")
    damaged = type(forms)(
        forms.coefficients, forms.share_slack, forms.count_slack + n_5, forms.demand_slack, forms.instances
    )
    assert not damaged.equivalent


@given(st.dictionaries(st.integers(1, 8), st.integers(0, 30), min_size=1))
def test_the_core_decides_as_the_polynomial(counts: dict[int, int]) -> None:
    composition = Composition(Geometry(), counts)
    forms = wcc_forms(Geometry())
    values = {symbol: counts.get(int(symbol.name[2:]), 0) for symbol in forms.instances.free_symbols}
    holds = int(forms.count_slack.subs(values)) >= 0
    assert composition.wcc == holds
    if composition.instances:
        shares = {g: Fraction(n, composition.instances) for g, n in counts.items()}
        assert wcc_shares(Geometry(), shares) == holds
