"""The board: which instance runs on which node, the shape of every node, and indexes over the shapes.

Every change goes through :meth:`Board.install` or :meth:`Board.evict` and costs O(log N): nodes of a shape are found
through heaps, never by a scan. Where several nodes have a shape the lowest index is taken, and of several instances of
a size on a node the one installed there first.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import NoReturn

from compass.discipline import SETTLED, Discipline
from compass.errors import InvariantViolated
from compass.shapes import Shape


class Instance:
    """A running instance: its name, its demand in GPUs and its node (-1 while it has none)."""

    __slots__ = ("gpus", "name", "node")

    def __init__(self, name: str, gpus: int) -> None:
        self.name = name
        self.gpus = gpus
        self.node = -1

    def __repr__(self) -> str:
        return f"{self.name}({self.gpus})"


class Board:
    """Instances on nodes under a discipline.

    Args:
        discipline: the kinds that are counted.
        nodes: cluster size, None for one that grows without bound.

    Attributes:
        shapes: the shape of each node used so far; nodes beyond the list are empty.
        contents: the instances on each node used so far, in the order of installation.
        live: number of nodes of each shape, by index; for the empty shape, of the used nodes that are empty again.
        active: the shapes of a kind other than settled that some node has.
        kinds: number of nodes of each kind.
        partial: number of partial nodes, ``nu``.
        vacancy: total vacancy of all slots.
        free: number of free 1-GPU instances.
        changed: the nodes changed since it was last cleared.
    """

    def __init__(self, discipline: Discipline, nodes: int | None) -> None:
        table = discipline.table
        self.table = table
        self.nodes = nodes
        self.empty = table.empty
        self.shapes: list[Shape] = []
        self.contents: list[list[Instance]] = []
        self.live = [0] * len(table)
        self.active: dict[Shape, None] = {}
        self.kinds = [0] * len(discipline.limits)
        self.partial = 0
        self.vacancy = 0
        self.free = 0
        self.changed: set[int] = set()
        self._kind = discipline.kinds
        # Only nodes that an operator may look for are indexed: open or stray ones, those with vacancy and those with
        # free instances. An entry is stale once its node has another shape.
        self._heaps: list[list[int] | None] = [
            [] if discipline.kinds[s.index] != SETTLED or s.vacancy or s.free or not s.load else None for s in table
        ]

    # -- looking ------------------------------------------------------------------------------------------------

    def shape_of(self, node: int) -> Shape:
        """The shape of a node."""
        return self.shapes[node] if node < len(self.shapes) else self.empty

    @property
    def has_empty(self) -> bool:
        """Some node is empty."""
        return self.live[self.empty.index] > 0 or self.nodes is None or len(self.shapes) < self.nodes

    def node_of(self, shape: Shape, beside: int = -1) -> int:
        """The lowest node of an indexed or the empty shape, other than ``beside``; amortised O(log N).

        Raises:
            InvariantViolated: no node has the shape.
        """
        if shape is self.empty and not self.live[shape.index] and self.has_empty:
            return len(self.shapes)
        heap = self._heaps[shape.index]
        shapes = self.shapes
        aside = False
        node = -1
        while heap:
            top = heap[0]
            if shapes[top] is not shape:
                heappop(heap)
            elif top == beside:
                heappop(heap)  # put back below: it still has the shape
                aside = True
            else:
                node = top
                break
        if aside and heap is not None:
            heappush(heap, beside)
        return node if node >= 0 else _missing(shape)

    def instance_on(self, node: int, gpus: int) -> Instance:
        """The instance of this size that was installed first on the node.

        Raises:
            InvariantViolated: the node has none.
        """
        for instance in self.contents[node]:
            if instance.gpus == gpus:
                return instance
        raise InvariantViolated(f"node {node}: no instance of {gpus} GPUs")

    # -- changing -----------------------------------------------------------------------------------------------

    def install(self, instance: Instance, node: int) -> None:
        """Put an instance that has no node on one.

        Raises:
            InvariantViolated: the node would have no shape.
        """
        while node >= len(self.shapes):
            self.shapes.append(self.empty)
            self.contents.append([])
            self.live[self.empty.index] += 1
            self._index(self.empty, len(self.shapes) - 1)
        shape = self.shapes[node]
        larger = shape.plus[instance.gpus]
        if larger is None:
            raise InvariantViolated(f"node {node}: {instance} does not go with {shape.sizes}")
        self.contents[node].append(instance)
        instance.node = node
        self._change(node, shape, larger)

    def evict(self, instance: Instance) -> None:
        """Take an instance off its node.

        Raises:
            InvariantViolated: the node's shape has no such instance.
        """
        node = instance.node
        shape = self.shapes[node]
        smaller = shape.minus[instance.gpus]
        if smaller is None:
            raise InvariantViolated(f"node {node}: {instance} is not in {shape.sizes}")
        self.contents[node].remove(instance)
        instance.node = -1
        self._change(node, shape, smaller)

    def _change(self, node: int, old: Shape, new: Shape) -> None:
        self.shapes[node] = new
        self.changed.add(node)
        self.partial += new.partial - old.partial
        self.vacancy += new.vacancy - old.vacancy
        self.free += new.free - old.free
        live, kind = self.live, self._kind
        index = old.index
        live[index] -= 1
        if kind[index]:
            self.kinds[kind[index]] -= 1
            if not live[index]:
                del self.active[old]
        index = new.index
        live[index] += 1
        if kind[index]:
            self.kinds[kind[index]] += 1
            self.active[new] = None
        self._index(new, node)

    def _index(self, shape: Shape, node: int) -> None:
        heap = self._heaps[shape.index]
        if heap is not None:
            heappush(heap, node)
            if len(heap) > 2 * self.live[shape.index] + 16:
                # As many stale entries as good ones: keep each good one once.
                heap[:] = {n for n in heap if self.shapes[n] is shape}
                heapify(heap)

    # -- checking -----------------------------------------------------------------------------------------------

    def recount_nodes(self, nodes: Iterable[int]) -> None:
        """Derive the shape of these nodes from their contents again.

        Raises:
            InvariantViolated: a node has no shape or another one than recorded.
        """
        for node in nodes:
            content = self.contents[node]
            found = self.table.of([instance.gpus for instance in content])
            if found is not self.shapes[node]:
                raise InvariantViolated(f"node {node}: {content} recorded as {self.shapes[node]}")
            for instance in content:
                if instance.node != node:
                    raise InvariantViolated(f"node {node}: {instance} recorded on node {instance.node}")

    def recount(self) -> None:
        """Derive every node, count and index again; O(N).

        Raises:
            InvariantViolated: something differs from what is recorded.
        """
        self.recount_nodes(range(len(self.shapes)))
        live = [0] * len(self.table)
        for shape in self.shapes:
            live[shape.index] += 1
        kinds = [0] * len(self.kinds)
        partial = vacancy = free = 0
        for index, number in enumerate(live):
            shape = self.table[index]
            kinds[self._kind[index]] += number
            partial += shape.partial * number
            vacancy += shape.vacancy * number
            free += shape.free * number
        kinds[SETTLED] = self.kinds[SETTLED]  # not kept up to date: no limit on it
        active = {shape for shape in self.table if live[shape.index] and self._kind[shape.index]}
        found = (live, kinds, partial, vacancy, free, active)
        recorded = (self.live, self.kinds, self.partial, self.vacancy, self.free, set(self.active))
        if found != recorded:
            raise InvariantViolated(f"recounted {found}, recorded {recorded}")
        indexed = [None if heap is None else set(heap) for heap in self._heaps]
        for node, shape in enumerate(self.shapes):
            known = indexed[shape.index]
            if known is not None and node not in known:
                raise InvariantViolated(f"node {node}: {shape} is recorded, but in no index")


def _missing(shape: Shape) -> NoReturn:
    raise InvariantViolated(f"no node of shape {shape.sizes}")
