"""One BestFitDrain pass of the printed Compact, over every order of equal nodes and equal items.

Nodes of equal room stand in ``N`` in an order that the count level does not know, and the items of a node are taken in
the order in which they came there; each possible order is followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, product
from typing import TYPE_CHECKING, TypeVar

from compass.geometry import Geometry
from compass.readings import Readings

if TYPE_CHECKING:
    from compass.space import SlotType
    from verification.count_printed import NodeType

T = TypeVar("T")
Board = tuple["NodeType", ...]
Result = tuple[Board | None, int]
"""The nodes after the pass, None where an item has no legal destination; moved instances."""


class Drain:
    """A pass: ``width`` 1 is the pool pass, otherwise the slots of that width are its items."""

    def __init__(self, geometry: Geometry, readings: Readings, width: int) -> None:
        self._geometry = geometry
        self._width = width
        self._most = geometry.capacity // width
        self._by_cap = readings.room == "cap"
        self._any_node = readings.cap == "nodes"
        self._last = readings.hosts == "last"
        # There are few node types, and each is asked about again and again.
        self._items = cache(self._items_of)
        self._room = cache(self._room_of)
        self._unprofiled = cache(self._unprofiled_of)

    def members(self, types: Sequence[NodeType]) -> list[bool]:
        """Which node types are in ``N``."""
        return [self._member(node) for node in types]

    def run(self, members: Sequence[NodeType]) -> set[Result]:
        """Every result of the pass over these nodes of ``N``."""
        results: set[Result] = set()
        for order in self._orders(members):
            results |= set(self._drain(order, (), 0))
        return results

    def _orders(self, members: Sequence[NodeType]) -> Iterator[Board]:
        """``N`` sorted by room, largest first, in each order of the nodes of equal room."""
        ordered = sorted(members, key=lambda node: (-self._room(node), node))
        groups = [list(_arrangements(list(group))) for _, group in groupby(ordered, key=self._room)]
        for choice in product(*groups):
            yield tuple(node for group in choice for node in group)

    def _drain(self, nodes: Board, done: Board, moves: int) -> Iterator[Result]:
        """The while loop from its head: drain the first node into the others."""
        if len(nodes) < 2:
            yield (*done, *nodes), moves
            return
        items = self._items(nodes[0])
        for order in _arrangements(items):
            after, moved, legal = self._drain_head(nodes, order)
            if not legal:
                yield None, 0
            elif not moved:
                dropped = not self._items(after[0])
                yield (*done, *(after[1:] if dropped else after), *(after[:1] if dropped else ())), moves
            elif not self._items(after[0]):
                yield from self._drain(after[1:], (*done, after[0]), moves + moved)
            else:
                yield from self._drain(after, done, moves + moved)

    def _drain_head(self, nodes: Board, items: Sequence[SlotType | None]) -> tuple[Board, int, bool]:
        """Move the items of the first node, one after another: the nodes, moved instances, and was every move legal."""
        board = list(nodes)
        moved = 0
        for item in items:
            hosts = [k for k in range(1, len(board)) if self._room(board[k]) >= 1]
            if not hosts:
                break
            least = min(self._room(board[k]) for k in hosts)
            tied = [k for k in hosts if self._room(board[k]) == least]
            host = tied[-1] if self._last else tied[0]
            if item is not None and self._unprofiled(board[host]) < self._width:
                return tuple(board), moved, False
            board[0], board[host] = _without(board[0], item), _with(board[host], item)
            moved += 1 if item is None else 1 + item.fillers
        return tuple(board), moved, True

    def _items_of(self, node: NodeType) -> tuple[SlotType | None, ...]:
        if self._width == 1:
            return (None,) * node.ones
        return tuple(slot for slot in node.slots if self._slot_width(slot) == self._width)

    def _member(self, node: NodeType) -> bool:
        count = len(self._items(node))
        if self._width == 1:
            return 0 < count < self._geometry.capacity
        most = self._most if self._any_node else count + self._unprofiled(node) // self._width
        return 0 < count < most

    def _room_of(self, node: NodeType) -> int:
        if self._width == 1 or self._by_cap:
            return self._most - len(self._items(node))
        return self._unprofiled(node) // self._width

    def _unprofiled_of(self, node: NodeType) -> int:
        return self._geometry.capacity - sum(map(self._slot_width, node.slots))

    def _slot_width(self, slot: SlotType) -> int:
        return self._geometry.slot_width(slot.anchor)


def _arrangements(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Every distinct order of the items."""
    if not items:
        yield ()
    for k, item in enumerate(items):
        if item not in items[:k]:
            for rest in _arrangements([*items[:k], *items[k + 1 :]]):
                yield (item, *rest)


def _without(node: NodeType, item: SlotType | None) -> NodeType:
    if item is None:
        return node._replace(ones=node.ones - 1)
    slots = list(node.slots)
    slots.remove(item)
    return node._replace(slots=tuple(slots))


def _with(node: NodeType, item: SlotType | None) -> NodeType:
    if item is None:
        return node._replace(ones=node.ones + 1)
    return node._replace(slots=tuple(sorted([*node.slots, item])))
