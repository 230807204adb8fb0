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

    @property
    def busy_nodes(self) -> int:
        """Nodes that hold an instance; O(N)."""
        return sum(load > 0 for load in self._loads)

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
