"""The Anchor-Based Space Sigma (section 4.2, eq. 3-8) as values that cannot leave it.

A node is *empty*, a *pool node* (1-GPU instances only) or *slotted* (its instances sit in slots, each held by one
multi-GPU anchor). The conditions, by the names that messages use:

* eq. 3: the width of a slot is ``w*(g)`` of its anchor;
* eq. 4, the capacity invariant: ``g_anchor + #fillers <= width``;
* eq. 5: the widths of a node's slots are a multiset over the geometry's widths with sum ``<= G``;
* eq. 7: the three node types exclude each other, a pool node holds at most ``G`` instances;
* eq. 8: every node is of one of the three types, and no instance is placed twice.

Which error: a *description* that breaks one of these conditions raises ``InvariantViolated``, whoever wrote it: being
in Sigma is the property under check. ``InputError`` is for arguments that describe nothing (a size that is no
integer, a name that is no text, nodes of another geometry).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import NamedTuple

from compass.abs_node import AbsNode, Anchor, EmptyNode, PoolNode, Slot, SlottedNode
from compass.composition import Composition
from compass.errors import InputError, InvariantViolated
from compass.events import instance_name, job_of
from compass.geometry import Geometry
from compass.snapshot import Node, PlacedInstance, Snapshot

__all__ = [
    "AbsNode",
    "AbsState",
    "Anchor",
    "EmptyNode",
    "NodeContent",
    "PoolNode",
    "Slot",
    "SlotType",
    "SlottedNode",
    "job_of",
    "pool_types",
    "slot_configurations",
    "slot_types",
    "slotted_types",
]

NodeContent = tuple[Iterable[tuple[Anchor, Sequence[str]]], Sequence[str]]
"""What a node holds, not checked yet: ``(anchor, fillers)`` for each slot, and the 1-GPU instances in no slot."""


@dataclass(frozen=True, slots=True)
class AbsState:
    """A cluster state in Sigma (eq. 8): nodes of one geometry, every instance name used once.

    Raises:
        InputError: a node has another geometry.
        InvariantViolated: an instance is placed twice.

    Examples:
        >>> state = AbsState.from_snapshot(Snapshot.of([[3, 1], [1, 1], []]))
        >>> state.nodes[0].slots[0].saturated, state.partial_nodes
        (True, 2)
        >>> AbsState.from_snapshot(Snapshot.of([[4, 4], [4, 1]]))
        Traceback (most recent call last):
            ...
        compass.errors.InvariantViolated: node n1: 1 of 1 1-GPU instances are in no slot of a slotted node (eq. 7)
    """

    geometry: Geometry
    nodes: tuple[AbsNode, ...]

    def __post_init__(self) -> None:
        home: dict[str, int] = {}
        for index, node in enumerate(self.nodes):
            if node.geometry != self.geometry:
                raise InputError(f"node n{index}: {node.geometry} is not the state's {self.geometry}")
            for name in node.names:
                if name in home:
                    raise InvariantViolated(f"node n{index}: instance {name!r} is on n{home[name]} already (eq. 8)")
                home[name] = index

    @classmethod
    def of(cls, geometry: Geometry, contents: Iterable[NodeContent], names: Sequence[str] | None = None) -> AbsState:
        """The checker: the state with these node contents, if it is in Sigma.

        Slot widths are those of eq. 3. ``names`` replaces the node names ``n0, n1, ...`` in messages. Costs O(N).

        Raises:
            InputError: a content describes no node.
            InvariantViolated: it is not in Sigma; the message names the node, the slot and the condition.
        """
        nodes: list[AbsNode] = []
        for index, (slots, ones) in enumerate(contents):
            try:
                nodes.append(_node(geometry, slots, ones))
            except (InputError, InvariantViolated) as error:
                raise type(error)(f"node {names[index] if names else f'n{index}'}: {error}") from error
        return cls(geometry, tuple(nodes))

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot, geometry: Geometry | None = None) -> AbsState:
        """The state that a plain placement stands for.

        Every multi-GPU instance makes a slot, in the node's order; 1-GPU instances on a slotted node fill its slots
        in that order, each to saturation before the next. Instances of a job are numbered in the snapshot's order.
        ``geometry`` defaults to the default one of the snapshot's capacity.

        Raises:
            InputError: nodes have different capacities, or another one than ``geometry``; or there is no node and no
                geometry.
            InvariantViolated: a node is not in Sigma; the message names it and the condition.
        """
        capacity = snapshot.capacity
        if geometry is None:
            if capacity is None:
                raise InputError("snapshot: no capacity that all nodes share")
            geometry = Geometry(capacity)
        numbers: dict[str, int] = {}
        contents = []
        for node in snapshot.nodes:
            if node.capacity != geometry.capacity:
                raise InputError(
                    f"node {node.name}: capacity {node.capacity}, not {geometry.capacity} as in the geometry"
                )
            anchors: list[Anchor] = []
            ones: list[str] = []
            for job, gpus in node.instances:
                name = instance_name(job, numbers.setdefault(job, 0))
                numbers[job] += 1
                if gpus == 1:
                    ones.append(name)
                else:
                    anchors.append(Anchor(name, gpus))
            contents.append(_fill_in_order(geometry, anchors, ones))
        return cls.of(geometry, contents, [node.name for node in snapshot.nodes])

    def to_snapshot(self) -> Snapshot:
        """The placement without its slots; node ``k`` is named ``nk``, instances come slot by slot, anchor first."""
        sizes = self._anchor_sizes()
        return Snapshot(
            tuple(
                Node(
                    f"n{index}",
                    tuple(PlacedInstance(job_of(name), sizes.get(name, 1)) for name in node.names),
                    self.geometry.capacity,
                )
                for index, node in enumerate(self.nodes)
            )
        )

    def composition(self) -> Composition:
        """The instances counted by size."""
        sizes = self._anchor_sizes()
        running = Composition(self.geometry)
        for node in self.nodes:
            for name in node.names:
                running.add(sizes.get(name, 1))
        return running

    @property
    def load(self) -> int:
        """``T``: busy GPUs."""
        return sum(node.load for node in self.nodes)

    @property
    def vacancy(self) -> int:
        """Vacancy of all slots."""
        return sum(node.vacancy for node in self.nodes)

    @property
    def saturated(self) -> bool:
        """Every slot of every node is saturated."""
        return self.vacancy == 0

    @property
    def partial_nodes(self) -> int:
        """``nu``: nodes with at least one and fewer than ``G`` busy GPUs."""
        return sum(0 < node.load < self.geometry.capacity for node in self.nodes)

    @property
    def open_slotted(self) -> int:
        """Slotted nodes with ``D(n) > 0``."""
        return sum(node.open for node in self.nodes if isinstance(node, SlottedNode))

    @property
    def open_pool(self) -> int:
        """Pool nodes that are not full."""
        return sum(node.open for node in self.nodes if isinstance(node, PoolNode))

    def _anchor_sizes(self) -> dict[str, int]:
        slotted = (node for node in self.nodes if isinstance(node, SlottedNode))
        return {slot.anchor.name: slot.anchor.gpus for node in slotted for slot in node.slots}


def slot_configurations(geometry: Geometry) -> Iterator[tuple[int, ...]]:
    """SlotConf (eq. 5): every multiset over the widths with sum ``<= G``, the empty one first, widths descending.

    >>> list(slot_configurations(Geometry(4)))
    [(), (2,), (4,), (2, 2)]
    """
    widths = geometry.widths[::-1]
    for number in range(geometry.capacity // geometry.widths[0] + 1):
        configurations = combinations_with_replacement(widths, number)
        yield from sorted(c for c in configurations if sum(c) <= geometry.capacity)


class SlotType(NamedTuple):
    """A slot with names forgotten: its anchor's demand and its number of fillers; the width follows (eq. 3)."""

    anchor: int
    fillers: int


def slot_types(geometry: Geometry) -> Iterator[SlotType]:
    """Every slot type: ``2 <= anchor <= G`` and ``0 <= fillers <= w*(anchor) - anchor`` (eq. 4)."""
    for anchor in range(2, geometry.capacity + 1):
        for fillers in range(geometry.vacancy(anchor) + 1):
            yield SlotType(anchor, fillers)


def slotted_types(geometry: Geometry) -> Iterator[tuple[SlotType, ...]]:
    """Every slotted node at count level: the non-empty multisets of slot types whose widths sum to at most ``G``.

    Two nodes have one type iff a renaming of instances and a reordering of slots makes them equal. (Counting slots by
    occupied GPUs instead would merge a 4-GPU anchor with a 3-GPU anchor and its filler, which depart differently: for
    ``G = 8`` that gives 17 types, this gives 29. With the pool types ``1..G`` and the empty node: 38 node types.)

    >>> len(list(slotted_types(Geometry(8))))
    29
    """
    types = list(slot_types(geometry))
    width = {slot: geometry.slot_width(slot.anchor) for slot in types}

    def extend(prefix: tuple[SlotType, ...], first: int, room: int) -> Iterator[tuple[SlotType, ...]]:
        for position in range(first, len(types)):
            slot = types[position]
            if width[slot] <= room:
                node = (*prefix, slot)
                yield node
                yield from extend(node, position, room - width[slot])

    return extend((), 0, geometry.capacity)


def pool_types(geometry: Geometry) -> range:
    """Every pool node at count level: its number of instances, ``1..G``."""
    return range(1, geometry.capacity + 1)


def _node(geometry: Geometry, slots: Iterable[tuple[Anchor, Sequence[str]]], ones: Sequence[str]) -> AbsNode:
    made: list[Slot] = []
    for position, (anchor, fillers) in enumerate(slots):
        try:
            width = geometry.slot_width(anchor.gpus)
            made.append(Slot(width, anchor, tuple(fillers)))
        except (InputError, InvariantViolated) as error:
            raise type(error)(f"slot {position}: {error}") from error
    if made and ones:
        total = len(ones) + sum(len(slot.fillers) for slot in made)
        SlottedNode(geometry, tuple(made))  # a broken slot is the better message
        raise InvariantViolated(f"{len(ones)} of {total} 1-GPU instances are in no slot of a slotted node (eq. 7)")
    if made:
        return SlottedNode(geometry, tuple(made))
    return PoolNode(geometry, tuple(ones)) if ones else EmptyNode(geometry)


def _fill_in_order(geometry: Geometry, anchors: Sequence[Anchor], ones: Sequence[str]) -> NodeContent:
    """Give each slot in turn as many 1-GPU instances as saturate it; the rest stay in no slot."""
    slots: list[tuple[Anchor, Sequence[str]]] = []
    for anchor in anchors:
        vacancy = geometry.vacancy(anchor.gpus)
        slots.append((anchor, ones[:vacancy]))
        ones = ones[vacancy:]
    return slots, ones
