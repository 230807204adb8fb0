"""The `unified` variant: a free 1-GPU instance is a slot of width 1 and may stand on any node.

With m the dial ``open_nodes``, T the total demand and W the covered width (:mod:`compass.composition`):

* at most m nodes are open, so under WCC ``nu <= m`` and ``SIF <= m/N``; for m = 1, ``nu = [T mod G != 0] = Phi*``;
* a job is admitted exactly when ``W <= G N`` afterwards: under WCC, where ``W = T``, exactly when enough GPUs are free,
  so no job waits because of fragmentation;
* W never grows on a departure, so the state stays in the space whatever departs.
"""

from __future__ import annotations

from compass.composition import Composition
from compass.discipline import unified_discipline
from compass.geometry import Geometry, geometry_of
from compass.settled import SettledScheduler


class Unified(SettledScheduler):
    """COMPASS on the wider space, with a dial between fragmentation and migration.

    Args:
        nodes: cluster size N, None for one that grows without bound.
        geometry: the node geometry.
        open_nodes: the dial m, None for no limit; nodes are merged only when there would be more than m open ones,
            or when an arrival needs the room or costs fewer moves that way.

    Raises:
        InputError: ``nodes`` or ``open_nodes`` is not a positive integer.

    Examples:
        The arrivals that leave three partial nodes under the printed algorithm leave none here.

        >>> unified = Unified(3)
        >>> for job, gpus, instances in (("a", 4, 1), ("b", 2, 1), ("c", 4, 1), ("d", 1, 6)):
        ...     decision = unified.arrive(job, gpus, instances)
        >>> [node.load for node in unified.snapshot().nodes], unified.partial_nodes
        ([8, 8, 0], 0)
    """

    def __init__(self, nodes: int | None, geometry: Geometry | None = None, open_nodes: int | None = 1) -> None:
        super().__init__(nodes, unified_discipline(geometry or geometry_of(8), open_nodes))
        self.open_nodes = open_nodes

    def admits(self, running: Composition) -> bool:
        """``W = max(A, T) <= G N``; O(1)."""
        return self.nodes is None or running.width <= self.geometry.capacity * self.nodes

    def partial_bound(self) -> int | None:
        """``m`` under WCC, and ``[T mod G != 0]`` for m = 1; otherwise ``m`` and the deficit ``delta``."""
        if self.open_nodes is None:
            return None
        running = self.running
        if running.wcc and self.open_nodes == 1:
            return int(running.total % self.geometry.capacity != 0)
        return self.open_nodes + running.deficit
