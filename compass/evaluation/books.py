"""Books of the placement, kept beside the scheduler's own: they know nothing but capacity."""

from __future__ import annotations

from compass.errors import InvariantViolated
from compass.evaluation.hooks import Repack
from compass.events import Decision
from compass.follow import Follower


class Books(Follower):
    """Follows round actions as well as decisions.

    Examples:
        >>> from compass.events import Move, Placement
        >>> books = Books(8, 2)
        >>> books.arrived(Decision("arrive", "a", True, (Placement("a/0", 0), Placement("a/1", 1))), 8, 2)
        >>> books.repacked(Repack((Move("a/0", 0, 1), Move("a/1", 1, 0)), simultaneous=True))
        >>> books.busy_nodes
        2
    """

    def __init__(self, capacity: int, nodes: int) -> None:
        super().__init__(capacity, nodes)
        self.nodes = nodes

    @property
    def busy_nodes(self) -> int:
        """Nodes that hold an instance; O(N)."""
        return sum(load > 0 for load in self._loads)

    def moves_needed(self, gpus: int, instances: int) -> int:
        """A lower bound on the moves that make room for so many instances, whoever decides; 0 where they fit.

        Taking the ``j`` largest instances off a node makes room for ``floor((r + their GPUs) / g) - floor(r / g)``
        more; the bound is the least number taken off whose room suffices, wherever they may go. An 8-GPU instance that
        makes way for an instance of 8 GPUs is not counted: it would need an empty node itself. O(N G w).
        """
        missing = instances - sum((self._capacity - load) // gpus for load in self._loads)
        missing -= (self.nodes - len(self._loads)) * (self._capacity // gpus)
        if missing <= 0:
            return 0
        contents: dict[int, list[int]] = {}
        for node, size in self._placed.values():
            if size < self._capacity or gpus < self._capacity:
                contents.setdefault(node, []).append(size)
        fewest = [0] + [len(self._placed)] * missing  # fewest moves that make room for so many
        for node, sizes in contents.items():
            free = self._capacity - self._loads[node]
            room = free
            gains: dict[int, int] = {}
            for moved, size in enumerate(sorted(sizes, reverse=True), 1):
                room += size
                gains.setdefault(room // gpus - free // gpus, moved)
            gains.pop(0, None)
            fewest = [
                min([fewest[k], *(fewest[max(0, k - gain)] + moved for gain, moved in gains.items())])
                for k in range(missing + 1)
            ]
        return fewest[missing]

    def repacked(self, action: Repack) -> None:
        """Carry out a round action; O(moves).

        Raises:
            InvariantViolated: a move is not possible.
        """
        if not action.simultaneous:
            self._carry_out(Decision("arrive", "(round)", True, action.moves), 0)
            return
        moved: list[tuple[str, int, int]] = []
        for move in action.moves:
            node, size = self._placed.pop(move.instance, (-1, 0))
            if node != move.source or move.source == move.target:
                raise InvariantViolated(f"round: {move}: the instance is on node {node}")
            self._change(node, -size)
            moved.append((move.instance, size, move.target))
        for instance, size, target in moved:
            self._put(instance, size, target, "(round)")
