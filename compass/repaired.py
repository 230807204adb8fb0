"""The `repaired` variant: the paper's Sigma, with three repairs that make its bounds true.

Nodes are empty, pool or slotted as in section 4.2. What differs from the printed algorithm: open slotted nodes are
merged whatever the widths of their slots, a vacancy is filled whenever a pool instance exists, and instances left
without a slot find a place before the event ends. Then, with delta the deficit of 1-GPU instances,

* at most one slotted and one pool node are open, so ``nu <= 2`` and ``SIF <= 2/N`` whenever WCC holds at that moment,
  whatever happened before, and ``nu <= 1 + max(1, delta)`` always;
* N nodes hold a composition iff ``ceil(A/G) + ceil(P/G) <= N`` with ``P = max(0, n_1 - V)`` pool instances.
"""

from __future__ import annotations

from compass.composition import Composition
from compass.discipline import repaired_discipline
from compass.geometry import Geometry, geometry_of
from compass.settled import SettledScheduler


class Repaired(SettledScheduler):
    """COMPASS on the paper's Anchor-Based Space, repaired.

    Args:
        nodes: cluster size N, None for one that grows without bound.
        geometry: the node geometry.

    Raises:
        InputError: ``nodes`` is not a positive integer.

    Examples:
        >>> repaired = Repaired(3)
        >>> for job, gpus, instances in (("a", 4, 1), ("b", 2, 1), ("c", 4, 1), ("d", 1, 6)):
        ...     decision = repaired.arrive(job, gpus, instances)
        >>> [node.load for node in repaired.snapshot().nodes], repaired.partial_nodes
        ([2, 8, 6], 2)
    """

    def __init__(self, nodes: int | None, geometry: Geometry | None = None) -> None:
        super().__init__(nodes, repaired_discipline(geometry or geometry_of(8)))

    def admits(self, running: Composition) -> bool:
        """Whether the running instances, and what is left after any departures, have a place in Sigma.

        Sigma on N nodes holds a composition S iff ``A(S) <= G N`` and not (``T(S) > A(S)`` and the room beside the
        slots, ``-A(S) mod G``, exceeds the spare ``G N - T(S)``): then pool instances and slots each leave a node open
        and one node is missing. 1-GPU departures only add spare, so it is enough to look at departures of anchors
        smaller than the largest room ``G - w_1``. Cost: O(1) while the spare is at least that, else a few small sums
        (7 for G = 8).
        """
        if self.nodes is None:
            return True
        capacity = self.geometry.capacity
        spare = capacity * self.nodes - running.total
        if spare < 0 or running.anchor_width > capacity * self.nodes:
            return False
        return not self._overflows(running, 2, spare, running.anchor_width, running.slack)

    def _overflows(self, running: Composition, least: int, spare: int, width: int, slack: int) -> bool:
        """Whether Sigma can miss a node now or after departures of anchors of at least ``least`` GPUs."""
        capacity = self.geometry.capacity
        if slack > 0 and -width % capacity > spare:
            return True
        room = capacity - self.geometry.widths[0]
        for gpus in range(least, room - spare):
            slot_width = self.geometry.slot_width(gpus)
            most = min(running.counts[gpus], (room - spare - 1) // gpus)
            for k in range(1, most + 1):
                after = (spare + k * gpus, width - k * slot_width, slack + k * (slot_width - gpus))
                if self._overflows(running, gpus + 1, *after):
                    return True
        return False

    def partial_bound(self) -> int | None:
        """``2`` under WCC, ``1 + max(1, delta)`` in general."""
        return 1 + max(1, self.running.deficit)
