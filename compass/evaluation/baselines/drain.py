"""Drains (as Gandiva, OSDI '18): after a departure, nodes are emptied into fuller ones."""

from __future__ import annotations

from compass.evaluation.baselines.best_fit import BestFit
from compass.events import Move, Step


class Drain(BestFit):
    """Best-fit; after a departure the non-empty node with most free GPUs is emptied, again and again while it can be.

    Its instances go, largest first, each by best fit to the other nodes in use (which are as full or fuller). A node is
    emptied as a whole or not at all, so each time there is one partial node less; the first node that cannot be emptied
    ends it.

    Examples:
        >>> scheduler = Drain(3)
        >>> for job, gpus in (("a", 5), ("b", 3), ("c", 6)):
        ...     _ = scheduler.arrive(job, gpus)
        >>> _ = scheduler.arrive("d", 2)
        >>> scheduler.depart("a").moves
        ()
        >>> scheduler.depart("d").moves
        ()
        >>> _ = scheduler.arrive("e", 2)
        >>> scheduler.depart("c").moves
        (Move(instance='e/0', source=1, target=0),)
    """

    def departed(self) -> tuple[Step, ...]:
        """Empty nodes while it helps."""
        steps: list[Move] = []
        while (source := self.book.levels.emptiest()) >= 0:
            moves = empty_node(self, source)
            if not moves:
                break
            steps += moves
        return tuple(steps)


def empty_node(scheduler: BestFit, source: int, whole: bool = True) -> list[Move]:
    """Move the instances of a node, largest first, to the fullest other nodes in use that have room.

    Args:
        scheduler: whose cluster it is.
        source: the node.
        whole: if not all of them find a place, move none; otherwise those stay that find none.

    Returns: the moves, carried out.
    """
    book = scheduler.book
    trial = book.levels.copy()
    trial.change(source, -trial.free[source])  # no target
    found: list[tuple[str, int]] = []
    for instance, gpus in sorted(book.contents[source].items(), key=lambda entry: -entry[1]):
        target = trial.best_fit(gpus, use_empty=False)
        if target >= 0:
            trial.change(target, -gpus)
            found.append((instance, target))
        elif whole:
            return []
    return [scheduler.move(instance, target) for instance, target in found]
