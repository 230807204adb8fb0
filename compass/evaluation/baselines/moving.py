"""From changed contents to moves, and into an order in which each finds room."""

from __future__ import annotations

from collections.abc import Sequence

from compass.evaluation.baselines.book import Book
from compass.evaluation.baselines.repack import Pattern
from compass.events import Move


def by_contents(book: Book) -> dict[Pattern, list[int]]:
    """The nodes by what is on them, each list in order."""
    nodes: dict[Pattern, list[int]] = {}
    for node in range(len(book.contents)):
        nodes.setdefault(book.sizes(node), []).append(node)
    return nodes


def moves_of(
    book: Book, nodes: dict[Pattern, list[int]], changes: list[tuple[Pattern, Pattern, int]]
) -> list[tuple[Move, int]]:
    """Moves (with sizes) that give so many nodes of some contents other ones, nodes of one content by index.

    Of equal instances on a node the last to come goes first; those of one size go to the places for it in the order in
    which both were found. Places left over are for instances that arrive.
    """
    leaving: list[tuple[str, int, int]] = []
    places: dict[int, list[int]] = {}
    done: dict[Pattern, int] = {}
    for before, after, number in changes:
        first = done.get(before, 0)
        done[before] = first + number
        for node in nodes[before][first : first + number]:
            surplus = beyond(before, after)
            for name, gpus in reversed(book.contents[node].items()):
                if gpus in surplus:
                    surplus.remove(gpus)
                    leaving.append((name, gpus, node))
            for gpus in beyond(after, before):
                places.setdefault(gpus, []).append(node)
    targets = {gpus: iter(there) for gpus, there in places.items()}
    return [(Move(name, node, next(targets[gpus])), gpus) for name, gpus, node in leaving]


def beyond(wanted: Pattern, there: Pattern) -> list[int]:
    """The sizes of ``wanted`` beyond those of ``there``, as multisets.

    >>> beyond((4, 2, 2), (2, 1))
    [4, 2]
    """
    left = list(wanted)
    for gpus in there:
        if gpus in left:
            left.remove(gpus)
    return left


def in_order(free: Sequence[int], moves: Sequence[tuple[Move, int]]) -> tuple[Move, ...] | None:
    """Put moves (with the sizes of what they move) into an order in which each finds room; None where none is found.

    The largest instance that can move moves next, ties in the order given. Where only smaller ones must go first no
    order is found, even if there is one. O(M^2) for M moves; ``free`` holds the free GPUs of each node.

    Examples:
        >>> in_order([0, 4], [(Move("a/0", 1, 0), 4), (Move("b/0", 0, 1), 4)])
        (Move(instance='b/0', source=0, target=1), Move(instance='a/0', source=1, target=0))
    """
    left = list(free)
    waiting = sorted(moves, key=lambda entry: -entry[1])
    ordered: list[Move] = []
    while waiting:
        found = next((entry for entry in waiting if left[entry[0].target] >= entry[1]), None)
        if found is None:
            return None
        waiting.remove(found)
        move, gpus = found
        left[move.source] += gpus
        left[move.target] -= gpus
        ordered.append(move)
    return tuple(ordered)
