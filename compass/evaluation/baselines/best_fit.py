"""Baselines that look at free GPUs only: best-fit (GFS), first-fit, worst-fit, random.

Source: the table of baselines in the evaluation's specification. GFS with one class of priority on nodes of 8 GPUs is
best-fit.
"""

from __future__ import annotations

import random

from compass.errors import InputError
from compass.evaluation.baselines.plain import PlainScheduler
from compass.geometry import Geometry


class BestFit(PlainScheduler):
    """The node with the least ``r >= g`` free GPUs, ties to the lowest index; O(G) an instance.

    Examples:
        >>> scheduler = BestFit(2)
        >>> [scheduler.arrive(job, gpus).placements[0].node for job, gpus in (("a", 5), ("b", 4), ("c", 3))]
        [0, 1, 0]
    """

    def choose(self, gpus: int) -> int:
        """The lowest node of the least level with room."""
        return self.book.levels.best_fit(gpus)


class FirstFit(PlainScheduler):
    """The lowest node with ``r >= g``.

    Examples:
        >>> scheduler = FirstFit(2)
        >>> [scheduler.arrive(job, gpus).placements[0].node for job, gpus in (("a", 2), ("b", 7), ("c", 1))]
        [0, 1, 0]
    """

    def choose(self, gpus: int) -> int:
        """The lowest node with room."""
        return self.book.levels.lowest_with(gpus)


class WorstFit(PlainScheduler):
    """The node with the most free GPUs, ties to the lowest index.

    Examples:
        >>> scheduler = WorstFit(2)
        >>> [scheduler.arrive(job, gpus).placements[0].node for job, gpus in (("a", 2), ("b", 3), ("c", 1))]
        [0, 1, 0]
    """

    def choose(self, gpus: int) -> int:
        """The lowest node of the greatest level."""
        levels = self.book.levels
        return next(levels.lowest(r) for r in range(levels.capacity, 0, -1) if levels.numbers[r])


class RandomFit(PlainScheduler):
    """Any node with room, each equally likely; the same for the same seed. O(N) an instance.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        seed: of the random numbers; a refused arrival uses none.

    Raises:
        InputError: ``nodes`` is not a positive integer or ``seed`` is no integer.

    Examples:
        >>> [RandomFit(50, seed=3).arrive("a", 1).placements[0].node for _ in range(2)]
        [15, 15]
    """

    def __init__(self, nodes: int, geometry: Geometry | None = None, seed: int = 0) -> None:
        super().__init__(nodes, geometry)
        if type(seed) is not int:
            raise InputError(f"seed {seed!r}: must be an integer")
        self._random = random.Random(seed)

    def choose(self, gpus: int) -> int:
        """One of the nodes with room."""
        return self._random.choice([node for node, free in enumerate(self.book.levels.free) if free >= gpus])
