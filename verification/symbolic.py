"""The Workload Composition Condition, derived from the geometry with sympy, for symbolic counts of instances.

With ``n_g`` running instances of g GPUs, ``n = sum n_g`` and ``p_g = n_g / n`` their shares, the condition has two
forms (Lemma A.1): ``p_1 >= sum c_g p_g`` (eq. 9) and ``n_1 >= V`` (eq. 18), V being what the slots leave vacant. They
are equivalent because ``n (p_1 - sum c_g p_g)`` and ``n_1 - V`` are one and the same polynomial and ``n > 0``. In the
same way ``n_1 - V = T - A``, so that under WCC, and only then, ``max(A, T) = T``.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from compass.geometry import Geometry


@dataclass(frozen=True)
class WccForms:
    """Both forms of WCC for one geometry, each as a polynomial that is not negative where the condition holds.

    Attributes:
        coefficients: ``c_g`` of the share form by size, those that are not 0.
        share_slack: ``p_1 - sum c_g p_g`` with ``p_g = n_g / n``.
        count_slack: ``n_1 - V``.
        demand_slack: ``T - A``.
    """

    coefficients: dict[int, int]
    share_slack: sympy.Expr
    count_slack: sympy.Expr
    demand_slack: sympy.Expr
    instances: sympy.Expr

    @property
    def equivalent(self) -> bool:
        """``n share_slack = count_slack = demand_slack`` for all counts with ``n > 0``."""
        scaled = sympy.cancel(self.instances * self.share_slack)
        return bool(sympy.expand(scaled - self.count_slack) == 0 == sympy.expand(self.count_slack - self.demand_slack))


def wcc_forms(geometry: Geometry) -> WccForms:
    """Derive WCC: slot widths from the chain of widths, vacancy from the slots, coefficients from the vacancy.

    Nothing but ``geometry.widths`` and ``geometry.capacity`` is used, so it also checks what the core derived.

    Examples:
        >>> forms = wcc_forms(Geometry())
        >>> forms.coefficients, forms.equivalent
        ({3: 1, 5: 3, 6: 2, 7: 1}, True)
    """
    counts = {g: sympy.Symbol(f"n_{g}", integer=True, nonnegative=True) for g in geometry.sizes}
    width = {g: min(w for w in geometry.widths if w >= g) for g in geometry.sizes if g > 1}
    instances = sympy.Add(*counts.values())
    slots = sympy.Add(*(width[g] * counts[g] for g in width))
    anchors = sympy.Add(*(g * counts[g] for g in width))
    vacancy = sympy.expand(slots - anchors)
    coefficients = {g: int(vacancy.coeff(counts[g])) for g in width if vacancy.coeff(counts[g])}
    shares = {g: count / instances for g, count in counts.items()}
    share_slack = shares[1] - sympy.Add(*(c * shares[g] for g, c in coefficients.items()))
    return WccForms(coefficients, share_slack, counts[1] - vacancy, counts[1] + anchors - slots, instances)
