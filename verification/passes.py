"""Passes of the printed Compact are the encoded loop: what the solvers are asked about is what the code does.

:mod:`verification.claims_printed` writes BestFitDrain down by hand, for a list ``N`` of any length. Here the passes of
:mod:`compass.printed` are watched, on every list of up to so many nodes and on a sample of long ones, and each must be
that loop:

* at its start ``N`` has each node with an item and room for another one, and no other node;
* an item moves from a node of ``N`` to another one that has room, as the pseudocode prefers them: from the one that had
  most room at the start of those that are left, to one with least room;
* only nodes without an item are dropped from ``N``;
* it ends when fewer than two nodes are left, or when the first has an item and no other one has room.

Items and rooms are counted here, from widths alone (``room=floor``, ``cap=fits``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

from compass.geometry import Geometry
from compass.printed import Printed
from compass.printed_state import LiveInstance, LiveNode, LiveSlot
from compass.readings import Readings
from compass.space import SlotType
from verification.agree_printed import named_state
from verification.count_printed import NodeType, PrintedModel
from verification.figures import Found, first_fault

ORDERS = (Readings(), Readings(hosts="first"), Readings(ties="highest"), Readings(hosts="first", ties="highest"))
"""The readings that a pass can tell apart, with ``room=floor`` and ``cap=fits``."""


def passes_encoded(most_nodes: int = 7, capacity: int = 8, long_lists: int = 40, longest: int = 100) -> Found:
    """Compact on every list of up to ``most_nodes`` nodes of each pass, and on ``long_lists`` states of many nodes.

    Short lists are told apart by items and room; anchors as wide as their slots stand for all. Long ones are made of
    two, of five or of all types of nodes. The orders of ties and hosts are taken in turn.
    """
    model = PrintedModel(1, geometry=Geometry(capacity))
    states = [*_short(model, most_nodes), *_long(model, long_lists, longest)]
    return first_fault(_faults(model, states), "runs of Compact")


def _faults(model: PrintedModel, states: Sequence[list[NodeType]]) -> Iterator[str | None]:
    rng = random.Random(len(states))
    for number, contents in enumerate(states):
        rng.shuffle(contents)
        printed = _Watched.from_state(named_state(model, contents), ORDERS[number % len(ORDERS)])
        assert isinstance(printed, _Watched)
        printed.watch()
        shown = "".join(model.describe((model.index[node],)) for node in contents)
        yield f"{shown}, {printed.readings}: {printed.faults[0]}" if printed.faults else None


def _short(model: PrintedModel, most_nodes: int) -> Iterator[list[NodeType]]:
    """Every multiset of nodes with an item and room in some pass, beside one full node of each width."""
    widths = model.geometry.widths
    capacity = model.geometry.capacity
    pools = [NodeType((), ones) for ones in range(1, capacity)]
    slotted = [
        node
        for node in model.types
        if node.slots and all(s.anchor in widths for s in node.slots) and _loose(node, widths)
    ]
    full = [NodeType((), capacity), *(NodeType((SlotType(w, 0),) * (capacity // w)) for w in widths)]
    for loose in (pools, slotted):
        for number in range(1, most_nodes + 1):
            yield from ([*chosen, *full] for chosen in combinations_with_replacement(loose, number))


def _loose(node: NodeType, widths: Sequence[int]) -> bool:
    held = [slot.anchor for slot in node.slots]
    return any(width in held and widths[-1] - sum(held) >= width for width in widths)


def _long(model: PrintedModel, number: int, longest: int) -> Iterator[list[NodeType]]:
    """States of many nodes, of few types or of all of them."""
    rng = random.Random(longest)
    for k in range(number):
        types = rng.sample(model.types, min((2, 5, 100)[k % 3], len(model.types)))
        yield rng.choices(types, k=rng.randint(longest // 4, longest))


class _Watched(Printed):
    """The printed algorithm, with what its passes do compared with the encoding."""

    def watch(self) -> None:
        """Compact once, and gather what is no step of the encoding."""
        self.faults: list[str] = []
        self._seen: list[int] = []
        self._compact()
        expected = [1, *self.geometry.widths[:-1]]
        if sorted(self._seen) != expected:
            self.faults.append(f"passes of widths {self._seen}, not {expected}")

    def _drain_pool(self) -> None:
        self._width = 1
        super()._drain_pool()

    def _drain_slots(self, width: int) -> None:
        self._width = width
        super()._drain_slots(width)

    def _best_fit_drain(
        self,
        nodes: list[LiveNode],
        items: Callable[[LiveNode], list[Any]],
        room: Callable[[LiveNode], int],
        move: Callable[[Any, LiveNode], None],
    ) -> None:
        width = self._width
        self._seen.append(width)
        started = list(nodes)
        loose = [node.index for node in self._state.nodes if self._items(node) and self._room(node)]
        if sorted(node.index for node in started) != loose:
            self.faults.append(f"pass {width}: N is {[node.index for node in started]}, not {loose}")
        rooms = {node.index: self._room(node) for node in started}
        super()._best_fit_drain(nodes, items, room, partial(self._watched_move, nodes, move, rooms))
        for node in started:
            if node not in nodes and self._items(node):
                self.faults.append(f"pass {width}: n{node.index} is dropped with an item")
        hosts = [node.index for node in nodes[1:] if self._room(node)]
        if len(nodes) >= 2 and (hosts or not self._items(nodes[0])):
            self.faults.append(f"pass {width}: it ends with {len(nodes)} nodes, of which {hosts} have room")

    def _watched_move(
        self,
        nodes: list[LiveNode],
        move: Callable[[Any, LiveNode], None],
        rooms: dict[int, int],
        item: LiveInstance | LiveSlot,
        host: LiveNode,
    ) -> None:
        source = item.home.node if isinstance(item, LiveInstance) else item.node
        before = self._items(source), self._items(host), self._room(host)
        least = min((self._room(node) for node in nodes if node is not source and self._room(node)), default=0)
        legal = source in nodes and host in nodes and source is not host and 0 not in before
        if not legal or rooms[source.index] < max(rooms[node.index] for node in nodes) or before[2] > least:
            self.faults.append(f"pass {self._width}: an item moves from n{source.index} to n{host.index}")
        move(item, host)
        if (self._items(source) + 1, self._items(host) - 1, self._room(host) + 1) != before:
            self.faults.append(f"pass {self._width}: n{source.index} to n{host.index} is not one item")

    def _items(self, node: LiveNode) -> int:
        if self._width == 1:
            return 0 if node.slots else len(node.ones)
        return sum(self.geometry.slot_width(slot.anchor.gpus) == self._width for slot in node.slots)

    def _room(self, node: LiveNode) -> int:
        if self._width == 1:
            return 0 if node.slots else node.capacity - len(node.ones)
        free = node.capacity - sum(self.geometry.slot_width(slot.anchor.gpus) for slot in node.slots)
        return free // self._width if node.slots else 0
