"""The mutable state of the printed algorithm: nodes, slots, the indexes over them, and an undo journal.

Four mutators change the placement, ``install`` and ``dissolve`` a slot, ``settle`` and ``detach`` a 1-GPU instance.
Each one calls ``_refresh`` for its node, the only place where derived quantities (load, ``D(n)``, the indexes, ``nu``)
are computed, and journals its own inverse. The operators of the paper are in ``printed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from compass.errors import InvariantViolated
from compass.events import job_of
from compass.geometry import Geometry
from compass.space import AbsState, Anchor, NodeContent, SlottedNode


class IndexSet:
    """A set of node indices, kept as the bits of one integer.

    Every operation costs O(N/64) machine words in the worst case, which for thousands of nodes is less than a
    dictionary access; iteration is in increasing order, ``reversed`` in decreasing order.

    >>> nodes = IndexSet()
    >>> for index in (5, 1, 3):
    ...     nodes.add(index)
    >>> nodes.first, nodes.last, list(nodes)
    (1, 5, [1, 3, 5])
    """

    __slots__ = ("bits",)

    def __init__(self, bits: int = 0) -> None:
        self.bits = bits

    def add(self, index: int) -> None:
        """Put ``index`` into the set."""
        self.bits |= 1 << index

    def discard(self, index: int) -> None:
        """Take ``index`` out of the set, if it is in."""
        self.bits &= ~(1 << index)

    @property
    def first(self) -> int:
        """The least index; the set is not empty."""
        return (self.bits & -self.bits).bit_length() - 1

    @property
    def last(self) -> int:
        """The greatest index; the set is not empty."""
        return self.bits.bit_length() - 1

    def __bool__(self) -> bool:
        return self.bits != 0

    def __iter__(self) -> Iterator[int]:
        bits = self.bits
        while bits:
            least = bits & -bits
            yield least.bit_length() - 1
            bits ^= least

    def __reversed__(self) -> Iterator[int]:
        bits = self.bits
        while bits:
            index = bits.bit_length() - 1
            yield index
            bits ^= 1 << index


class LiveInstance:
    """A running instance; ``home`` is the slot it anchors or fills, or the pool node it is on."""

    __slots__ = ("gpus", "home", "job", "name")

    home: LiveSlot | LiveNode

    def __init__(self, name: str, job: str, gpus: int) -> None:
        self.name = name
        self.job = job
        self.gpus = gpus


class LiveSlot:
    """A slot: its anchor and ``ones``, the fillers. ``node`` stays set after the slot is dissolved."""

    __slots__ = ("anchor", "node", "ones", "width")

    node: LiveNode

    def __init__(self, width: int, anchor: LiveInstance) -> None:
        self.width = width
        self.anchor = anchor
        self.ones: list[LiveInstance] = []

    @property
    def room(self) -> int:
        """The slot vacancy: 1-GPU instances it can still take in."""
        return self.width - self.anchor.gpus - len(self.ones)


class LiveNode:
    """A node: ``slots`` of a slotted node, ``ones`` of a pool node; an empty node has neither."""

    __slots__ = ("capacity", "index", "load", "members", "ones", "slots", "unprofiled")

    def __init__(self, index: int, capacity: int) -> None:
        self.index = index
        self.capacity = capacity
        self.slots: list[LiveSlot] = []
        self.ones: list[LiveInstance] = []
        self.load = 0
        self.unprofiled = capacity
        self.members: tuple[IndexSet, ...] = ()

    @property
    def node(self) -> LiveNode:
        """The node itself: every home of a 1-GPU instance, slot or node, knows its node."""
        return self

    @property
    def room(self) -> int:
        """1-GPU instances it can still take in as a pool node."""
        return self.capacity - len(self.ones)

    def count(self, width: int) -> int:
        """``count_C(n)``: its slots of this width."""
        return sum(slot.width == width for slot in self.slots)


class LiveState:
    """All nodes of a cluster with the indexes that the operators search.

    ``empty``; ``pool[k]``, the pool nodes with ``k`` instances; ``slotted[d]``, the slotted nodes with ``D(n) = d``;
    ``vacant[v]``, the nodes that have a slot of vacancy ``v``. ``changed`` are the nodes that the last event changed.

    Args:
        geometry: the node geometry.
        nodes: number of nodes, None to let the cluster grow.
    """

    def __init__(self, geometry: Geometry, nodes: int | None) -> None:
        sizes = range(geometry.capacity + 1)
        self.geometry = geometry
        self.nodes: list[LiveNode] = []
        self.partial_nodes = 0
        self.changed: set[int] = set()
        self.empty = IndexSet()
        self.pool = [IndexSet() for _ in sizes]
        self.slotted = [IndexSet() for _ in sizes]
        self.vacant = [IndexSet() for _ in sizes]
        self._journal: list[Callable[[], object]] = []
        self._add_empty(nodes or 0)

    def _add_empty(self, number: int) -> None:
        first = len(self.nodes)
        self.empty.bits |= ((1 << number) - 1) << first
        for index in range(first, first + number):
            node = LiveNode(index, self.geometry.capacity)
            node.members = (self.empty,)
            self.nodes.append(node)

    @contextmanager
    def undo_on_error(self) -> Iterator[None]:
        """Carry out the body wholly or not at all: where it raises, every mutation in it is undone."""
        self._journal.clear()
        self.changed.clear()
        try:
            yield
        except BaseException:
            for undo in reversed(self._journal):
                undo()
            raise

    def grow(self) -> LiveNode:
        """A new empty node, with the next index."""
        self._add_empty(1)
        node = self.nodes[-1]
        self.changed.add(node.index)

        def shrink() -> None:
            index = self.nodes.pop().index
            self.empty.discard(index)
            self.changed.discard(index)

        self._journal.append(shrink)
        return node

    def install(self, slot: LiveSlot, node: LiveNode) -> None:
        """Create a slot on an empty or slotted node with ``D(n)`` at least its width; fillers come along."""
        slot.node = node
        slot.anchor.home = slot
        node.slots.append(slot)
        self._refresh(node)

        def uninstall() -> None:
            node.slots.pop()
            self._refresh(node)

        self._journal.append(uninstall)

    def dissolve(self, slot: LiveSlot) -> None:
        """Take a slot off its node. Fillers it still has keep it as their home until they are settled elsewhere."""
        node = slot.node
        position = node.slots.index(slot)
        del node.slots[position]
        self._refresh(node)

        def restore() -> None:
            slot.node = node
            node.slots.insert(position, slot)
            self._refresh(node)

        self._journal.append(restore)

    def settle(self, instance: LiveInstance, home: LiveSlot | LiveNode) -> None:
        """Put a 1-GPU instance that is nowhere into a slot or onto a pool or empty node with room."""
        instance.home = home
        home.ones.append(instance)
        self._refresh(home.node)

        def unsettle() -> None:
            home.ones.pop()
            self._refresh(home.node)

        self._journal.append(unsettle)

    def detach(self, instance: LiveInstance) -> None:
        """Take a 1-GPU instance from where it is."""
        home = instance.home
        position = home.ones.index(instance)
        del home.ones[position]
        self._refresh(home.node)

        def reattach() -> None:
            instance.home = home
            home.ones.insert(position, instance)
            self._refresh(home.node)

        self._journal.append(reattach)

    def load(self, state: AbsState) -> list[LiveInstance]:
        """Take over a state of as many nodes, all empty so far; returns its instances in the state's order."""
        instances: list[LiveInstance] = []

        def arrival(name: str, gpus: int = 1) -> LiveInstance:
            instances.append(LiveInstance(name, job_of(name), gpus))
            return instances[-1]

        for node, plain in zip(self.nodes, state.nodes, strict=True):
            if isinstance(plain, SlottedNode):
                for slot in plain.slots:
                    live = LiveSlot(slot.width, arrival(*slot.anchor))
                    self.install(live, node)
                    for name in slot.fillers:
                        self.settle(arrival(name), live)
            else:
                for name in plain.names:
                    self.settle(arrival(name), node)
        return instances

    def slotted_from(self, least: int) -> IndexSet:
        """The slotted nodes with ``D(n) >= least``."""
        bits = 0
        for nodes in self.slotted[least:]:
            bits |= nodes.bits
        return IndexSet(bits)

    def to_abs(self) -> AbsState:
        """The state as a value, if it is in Sigma.

        Raises:
            InvariantViolated: it is not.
        """
        return AbsState.of(self.geometry, map(_content, self.nodes))

    def check(self) -> AbsState:
        """Check membership in Sigma, and every derived quantity against the slots it derives from.

        Raises:
            InvariantViolated: something does not hold.
        """
        state = self.to_abs()
        self._check_derived(self.nodes, state)
        if self.partial_nodes != state.partial_nodes:
            raise InvariantViolated(f"{self.partial_nodes} partial nodes counted, {state.partial_nodes} found")
        return state

    def check_changes(self) -> None:
        """The same for the nodes that the last event changed.

        Raises:
            InvariantViolated: something does not hold.
        """
        nodes = [self.nodes[index] for index in sorted(self.changed)]
        names = [f"n{node.index}" for node in nodes]
        self._check_derived(nodes, AbsState.of(self.geometry, map(_content, nodes), names))

    def _check_derived(self, nodes: list[LiveNode], state: AbsState) -> None:
        everywhere = (self.empty, *self.pool, *self.slotted, *self.vacant)
        for node, plain in zip(nodes, state.nodes, strict=True):
            if node.load != plain.load:
                raise InvariantViolated(f"node n{node.index}: load {node.load} kept, {plain.load} GPUs busy")
            expected = self._members(node)
            if [s for s in everywhere if s.bits >> node.index & 1] != [s for s in everywhere if s in expected]:
                raise InvariantViolated(f"node n{node.index}: the indexes do not show what it holds")

    def _refresh(self, node: LiveNode) -> None:
        """Recompute what derives from the node's slots and 1-GPU instances; costs O(slots of the node)."""
        self.changed.add(node.index)
        was_partial = 0 < node.load < node.capacity
        node.load = len(node.ones) + sum(slot.anchor.gpus + len(slot.ones) for slot in node.slots)
        node.unprofiled = node.capacity - sum(slot.width for slot in node.slots)
        self.partial_nodes += (0 < node.load < node.capacity) - was_partial
        members = self._members(node)
        if members != node.members:
            for index_set in node.members:
                index_set.discard(node.index)
            for index_set in members:
                index_set.add(node.index)
            node.members = members

    def _members(self, node: LiveNode) -> tuple[IndexSet, ...]:
        if node.slots:
            vacant = [self.vacant[slot.room] for slot in node.slots if slot.room]
            return (self.slotted[node.unprofiled], *vacant)
        return (self.pool[len(node.ones)] if node.ones else self.empty,)


def _content(node: LiveNode) -> NodeContent:
    slots = [(Anchor(slot.anchor.name, slot.anchor.gpus), [one.name for one in slot.ones]) for slot in node.slots]
    return slots, [one.name for one in node.ones]
