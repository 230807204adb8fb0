"""FGD, fragmentation gradient descent (Weng et al., ATC '23), on nodes of whole GPUs.

For a node with r free GPUs and an instance of random size G' with shares ``P[G' = g] = p_g`` (by instance) the expected
number of GPUs that it cannot use is ``F(r) = r P[G' > r]``; ``F(0) = F(G) = 0``. An instance goes where the sum over
the nodes grows least: least ``dF = F(r - g) - F(r)``. Nodes with equal r are alike, so only levels are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from compass.errors import InputError
from compass.evaluation.baselines.plain import PlainScheduler
from compass.geometry import Geometry
from compass.trace import TraceJob

EXACT, TRUNC = "exact", "trunc"
"""Variants: compare dF itself, or the integer part of ``100 / (1 + exp(dF))``, as the authors' simulator does."""


def fragmentation(weights: Sequence[int]) -> list[int]:
    """``F(r)`` for each number r of free GPUs, times the sum of the weights; sizes have ``p_g ~ weights[g]``.

    Examples:
        >>> fragmentation([0, 1, 0, 0, 1])  # half of the instances want 1 GPU, half want 4
        [0, 1, 2, 3, 0]
    """
    beyond = sum(weights)
    table: list[int] = []
    for free, weight in enumerate(weights):
        beyond -= weight
        table.append(free * beyond)
    return table


def instance_counts(jobs: Sequence[TraceJob], capacity: int = 8) -> list[int]:
    """Instances of each size in a trace, ``0..capacity``: the shares ``p_g`` by instance, not normed.

    Examples:
        >>> instance_counts([TraceJob("a", 0, 1, 2, 3)], 4)
        [0, 0, 0, 2, 0]
    """
    counts = [0] * (capacity + 1)
    for job in jobs:
        counts[job.gpus_per_instance] += job.instances
    return counts


class Fgd(PlainScheduler):
    """Least ``dF``, ties to the smaller r, then to the lower index; O(G) an instance.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        shares: ``p_g`` by instance at index g = 0..G, in any unit; default: nothing is known, every dF is 0.
        variant: ``"exact"`` or ``"trunc"``.

    Raises:
        InputError: ``nodes`` is not a positive integer, there are not G + 1 shares, one of them is negative or no
            number, that of size 0 is not 0, or the variant is unknown.

    Source: F(r) for whole GPUs as in the evaluation's specification.

    Examples:
        A 4-GPU instance leaves 4 GPUs on an empty node rather than 3, which few can use, on the first one.

        >>> scheduler = Fgd(2, shares=[0, 0.2, 0, 0, 0.8, 0, 0, 0, 0])
        >>> [scheduler.arrive(job, gpus).placements[0].node for job, gpus in (("a", 1), ("b", 4), ("c", 1))]
        [0, 1, 0]
    """

    def __init__(
        self,
        nodes: int,
        geometry: Geometry | None = None,
        shares: Sequence[float | Fraction] | None = None,
        variant: str = EXACT,
    ) -> None:
        super().__init__(nodes, geometry)
        if variant not in (EXACT, TRUNC):
            raise InputError(f"variant {variant!r}: must be one of {EXACT}, {TRUNC}")
        self._trunc = variant == TRUNC
        capacity = self.geometry.capacity
        self.learn([0] * (capacity + 1) if shares is None else _integers(shares, capacity))

    def learn(self, weights: Sequence[int]) -> None:
        """From now on sizes have shares in these proportions."""
        self.total = sum(weights) or 1
        self.table = fragmentation(weights)
        self._preferred: list[list[int] | None] = [None] * (self.geometry.capacity + 1)

    def added(self, free: int, gpus: int) -> int:
        """``dF`` of an instance on a node with so many free GPUs, times ``total``."""
        return self.table[free - gpus] - self.table[free]

    def rank(self, free: int, gpus: int) -> Fraction | int:
        """What a level is chosen by, the least first."""
        added = self.added(free, gpus)
        return -int(100 / (1 + math.exp(added / self.total))) if self._trunc else added

    def preferred(self, gpus: int) -> list[int]:
        """The levels with room for an instance, best first."""
        levels = self._preferred[gpus]
        if levels is None:
            levels = sorted(range(gpus, self.geometry.capacity + 1), key=lambda free: self.rank(free, gpus))
            self._preferred[gpus] = levels
        return levels

    def choose(self, gpus: int) -> int:
        """The lowest node of the best level that has one."""
        numbers = self.book.levels.numbers
        return self.book.levels.lowest(next(level for level in self.preferred(gpus) if numbers[level]))

    def score(self, gpus: int, instances: int) -> float | None:
        """``dF`` of placing a gang now, instance after instance, per GPU; None where it does not fit. O(G w)."""
        if self.book.levels.room(gpus) < instances:
            return None
        numbers = self.book.levels.numbers.copy()
        added = 0
        for _ in range(instances):
            level = next(level for level in self.preferred(gpus) if numbers[level])
            numbers[level] -= 1
            numbers[level - gpus] += 1
            added += self.added(level, gpus)
        return added / (self.total * gpus * instances)


class CausalFgd(Fgd):
    """FGD that knows only the jobs submitted so far (hook :class:`compass.evaluation.hooks.Informed`).

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        variant: ``"exact"`` or ``"trunc"``.

    Examples:
        >>> scheduler = CausalFgd(2)
        >>> scheduler.submitted(0, TraceJob("a", 0, 60, 1, 4))
        >>> scheduler.table
        [0, 1, 2, 3, 0, 0, 0, 0, 0]
    """

    def __init__(self, nodes: int, geometry: Geometry | None = None, variant: str = EXACT) -> None:
        super().__init__(nodes, geometry, variant=variant)
        self._seen = [0] * (self.geometry.capacity + 1)

    def submitted(self, now: int, job: TraceJob) -> None:
        """Count the job's instances."""
        self._seen[job.gpus_per_instance] += job.instances
        self.learn(self._seen)


def _integers(shares: Sequence[float | Fraction], capacity: int) -> list[int]:
    """Shares in whole numbers of a common unit, exactly."""
    try:
        exact = [Fraction(share) for share in shares]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"shares {list(shares)}: must be finite numbers") from None
    if len(exact) != capacity + 1 or min(exact) < 0 or exact[0]:
        raise InputError(f"shares {list(shares)}: must be 0 for size 0 and at least 0 for each of 1..{capacity}")
    unit = math.lcm(*(share.denominator for share in exact))
    return [int(share * unit) for share in exact]


def exact_share(value: float | Fraction, name: str) -> Fraction:
    """A number from 0 to 1 as the fraction that its decimals say, ``0.1`` being 1/10.

    Raises:
        InputError: it is none.
    """
    try:
        exact = Fraction(str(value))
    except ValueError:
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise InputError(f"{name} {value!r}: must be a number from 0 to 1")
    return exact
