"""The running instances, counted by size: the only thing Phi*, WCC and admission depend on.

With ``n_g`` the number of running instances of demand ``g``:

* total demand ``T = sum g n_g``;
* anchor width ``A = sum_{g >= 2} w*(g) n_g``, the width of all slots;
* vacancy ``V = sum_{g >= 2} (w*(g) - g) n_g``, the 1-GPU instances that the slots can take in;
* WCC slack ``n_1 - V``; the Workload Composition Condition holds iff it is not negative (eq. 18);
* covered width ``W = max(A, T)``: slots, plus 1-GPU instances that no slot can take.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from compass.errors import InputError
from compass.geometry import Geometry


class Composition:
    """Counts ``n_g`` of running instances with their sums kept up to date; every operation costs O(1).

    Args:
        geometry: the node geometry.
        counts: initial ``{size: number}``.

    Raises:
        InputError: a size is not in ``1..G`` or a number is not a non-negative integer.

    Examples:
        >>> running = Composition(Geometry(), {3: 2, 1: 1})
        >>> running.total, running.vacancy, running.slack, running.wcc
        (7, 2, -1, False)
        >>> running.add(1, 5)
        >>> running.slack, running.wcc
        (4, True)
    """

    __slots__ = ("_coefficients", "anchor_width", "counts", "geometry", "total", "vacancy")

    def __init__(self, geometry: Geometry, counts: Mapping[int, int] | None = None) -> None:
        self.geometry = geometry
        self._coefficients = geometry.wcc_coefficients
        self.counts = [0] * (geometry.capacity + 1)
        self.total = 0
        self.vacancy = 0
        self.anchor_width = 0
        for gpus, number in (counts or {}).items():
            geometry.check_gpus(gpus)
            if type(number) is not int or number < 0:
                raise InputError(f"{number!r} instances of {gpus} GPUs: must be a non-negative integer")
            self.add(gpus, number)

    def add(self, gpus: int, number: int = 1) -> None:
        """Count ``number`` more instances of demand ``gpus`` (fewer when negative); the caller keeps them >= 0."""
        self.counts[gpus] += number
        demand = gpus * number
        self.total += demand
        if gpus > 1:
            vacancy = self._coefficients[gpus] * number
            self.vacancy += vacancy
            self.anchor_width += demand + vacancy

    @property
    def slack(self) -> int:
        """``n_1 - V``, how many 1-GPU instances there are beyond the slots' vacancy; negative where WCC fails."""
        return self.counts[1] - self.vacancy

    @property
    def wcc(self) -> bool:
        """The Workload Composition Condition in its count form ``n_1 >= V`` (eq. 18)."""
        return self.counts[1] >= self.vacancy

    @property
    def deficit(self) -> int:
        """``delta = max(0, V - n_1)``: vacancy that no 1-GPU instance can fill."""
        return max(0, self.vacancy - self.counts[1])

    @property
    def width(self) -> int:
        """``W = max(A, T)``: GPUs covered by slots and by 1-GPU instances outside of them."""
        return max(self.anchor_width, self.total)

    @property
    def instances(self) -> int:
        """Number of running instances."""
        return sum(self.counts)

    def as_dict(self) -> dict[int, int]:
        """The counts that are not zero, by size."""
        return {g: n for g, n in enumerate(self.counts) if n}


def wcc_shares(geometry: Geometry, shares: Mapping[int, Fraction | int]) -> bool:
    """The Workload Composition Condition in its share form, ``p_1 >= sum_{g>=2} (w*(g) - g) p_g`` (eq. 9).

    For the default geometry that is ``p_1 >= p_3 + 3 p_5 + 2 p_6 + p_7``. Shares are of running instances, any
    non-negative multiples of them give the same answer. Equivalent to the count form (Lemma A.1).

    Raises:
        InputError: a size is not in ``1..G`` or a share is negative.

    Examples:
        >>> wcc_shares(Geometry(), {1: Fraction(1, 2), 5: Fraction(1, 6), 8: Fraction(1, 3)})
        True
    """
    for gpus, share in shares.items():
        geometry.check_gpus(gpus)
        if share < 0:
            raise InputError(f"share {share} of {gpus}-GPU instances: must not be negative")
    wanted = sum((geometry.vacancy(g) * p for g, p in shares.items() if g > 1), Fraction(0))
    return shares.get(1, 0) >= wanted
