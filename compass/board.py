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
from compass.events import instance_name
from compass.shapes import Shape


class Instance:
    """Instance number ``number`` of a job, its demand in GPUs, and the node it is on (None while it is on none)."""

    __slots__ = ("gpus", "job", "node", "number")

    def __init__(self, job: str, number: int, gpus: int) -> None:
        self.job = job
        self.number = number
        self.gpus = gpus
        self.node: BoardNode | None = None

    @property
    def name(self) -> str:
        """``"job/number"``; made when asked for, since a cluster holds many instances and few of them move."""
        return instance_name(self.job, self.number)

    def __repr__(self) -> str:
        return f"{self.name}({self.gpus})"


class BoardNode:
    """A node that has been used: its index, its shape, and its instances in the order of installation."""

    __slots__ = ("index", "instances", "shape")

    def __init__(self, index: int, shape: Shape) -> None:
        self.index = index
        self.shape = shape
        self.instances: list[Instance] = []


class Board:
    """Instances on nodes under a discipline.

    Args:
        discipline: the kinds that are counted.
        nodes: cluster size, None for one that grows without bound.

    Attributes:
        used: the nodes used so far, by index; nodes beyond the list are empty.
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
        self.used: list[BoardNode] = []
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
        return self.used[node].shape if node < len(self.used) else self.empty

    @property
    def contents(self) -> list[list[Instance]]:
        """The instances on each node used so far; O(N)."""
        return [node.instances for node in self.used]

    @property
    def has_empty(self) -> bool:
        """Some node is empty."""
        return self.live[self.empty.index] > 0 or self.nodes is None or len(self.used) < self.nodes

    def node_of(self, shape: Shape, beside: int = -1) -> int:
        """The lowest node of an indexed or the empty shape, other than ``beside``; amortised O(log N).

        Raises:
            InvariantViolated: no node has the shape.
        """
        if shape is self.empty and not self.live[shape.index] and self.has_empty:
            return len(self.used)
        heap = self._heaps[shape.index]
        used = self.used
        aside = False
        node = -1
        while heap:
            top = heap[0]
            if used[top].shape is not shape:
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
        for instance in self.used[node].instances:
            if instance.gpus == gpus:
                return instance
        raise InvariantViolated(f"node {node}: no instance of {gpus} GPUs")

    # -- changing -----------------------------------------------------------------------------------------------

    def install(self, instance: Instance, node: int) -> None:
        """Put an instance that has no node on one.

        Raises:
            InvariantViolated: the node would have no shape.
        """
        while node >= len(self.used):
            self.used.append(BoardNode(len(self.used), self.empty))
            self.live[self.empty.index] += 1
            self._index(self.empty, len(self.used) - 1)
        host = self.used[node]
        larger = host.shape.plus[instance.gpus]
        if larger is None:
            raise InvariantViolated(f"node {node}: {instance} does not go with {host.shape.sizes}")
        host.instances.append(instance)
        instance.node = host
        self._change(host, larger)

    def evict(self, instance: Instance) -> None:
        """Take an instance off its node.

        Raises:
            InvariantViolated: it is on no node, or the node's shape has no such instance.
        """
        host = instance.node
        smaller = host.shape.minus[instance.gpus] if host is not None else None
        if host is None or smaller is None:
            raise InvariantViolated(f"{instance} is not in {host.shape if host else 'any node'}")
        host.instances.remove(instance)
        instance.node = None
        self._change(host, smaller)

    def _change(self, node: BoardNode, new: Shape) -> None:
        old = node.shape
        node.shape = new
        self.changed.add(node.index)
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
        self._index(new, node.index)

    def _index(self, shape: Shape, node: int) -> None:
        heap = self._heaps[shape.index]
        if heap is not None:
            heappush(heap, node)
            if len(heap) > 2 * self.live[shape.index] + 16:
                # As many stale entries as good ones: keep each good one once.
                heap[:] = {n for n in heap if self.used[n].shape is shape}
                heapify(heap)

    # -- checking -----------------------------------------------------------------------------------------------

    def recount_nodes(self, nodes: Iterable[int]) -> None:
        """Derive the shape of these nodes from their contents again.

        Raises:
            InvariantViolated: a node has no shape or another one than recorded.
        """
        for index in nodes:
            node = self.used[index]
            found = self.table.of([instance.gpus for instance in node.instances])
            if found is not node.shape:
                raise InvariantViolated(f"node {index}: {node.instances} recorded as {node.shape}")
            for instance in node.instances:
                if instance.node is not node:
                    raise InvariantViolated(f"node {index}: {instance} is recorded elsewhere")

    def recount(self) -> None:
        """Derive every node, count and index again; O(N).

        Raises:
            InvariantViolated: something differs from what is recorded.
        """
        self.recount_nodes(range(len(self.used)))
        live = [0] * len(self.table)
        kinds = [0] * len(self.kinds)
        partial = vacancy = free = 0
        active = set()
        for node in self.used:
            shape = node.shape
            kind = self._kind[shape.index]
            live[shape.index] += 1
            kinds[kind] += 1
            partial += shape.partial
            vacancy += shape.vacancy
            free += shape.free
            if kind:
                active.add(shape)
        kinds[SETTLED] = self.kinds[SETTLED]  # not kept up to date: no limit on it
        found = (live, kinds, partial, vacancy, free, active)
        recorded = (self.live, self.kinds, self.partial, self.vacancy, self.free, set(self.active))
        if found != recorded:
            raise InvariantViolated(f"recounted {found}, recorded {recorded}")
        indexed = {shape: set(self._heaps[shape.index] or ()) for shape in {node.shape for node in self.used}}
        for node in self.used:
            if self._heaps[node.shape.index] is not None and node.index not in indexed[node.shape]:
                raise InvariantViolated(f"node {node.index}: {node.shape} is recorded, but in no index")


def _missing(shape: Shape) -> NoReturn:
    raise InvariantViolated(f"no node of shape {shape.sizes}")
