"""Books of a plain cluster: free GPUs of every node, nodes by free GPUs, instances by node.

Nodes with equally many free GPUs form a *level*, kept as the bits of one integer; so the lowest node of a level, and
whether a level has a node, cost O(N / 64) and no search.
"""

from __future__ import annotations

from collections.abc import Iterable

from compass.errors import InvariantViolated


class Levels:
    """Free GPUs of every node, and the nodes of each level.

    Args:
        nodes: number of nodes, all empty at first.
        capacity: GPUs of a node.

    Attributes:
        free: free GPUs of each node.
        numbers: how many nodes have ``r`` free GPUs, at index ``r``.

    Examples:
        >>> levels = Levels(2, 8)
        >>> levels.change(0, -5)
        >>> levels.numbers, levels.lowest(3), levels.room(2)
        ([0, 0, 0, 1, 0, 0, 0, 0, 1], 0, 5)
    """

    __slots__ = ("_nodes_at", "capacity", "free", "numbers")

    def __init__(self, nodes: int, capacity: int) -> None:
        self.capacity = capacity
        self.free = [capacity] * nodes
        self.numbers = [0] * capacity + [nodes]
        self._nodes_at = [0] * capacity + [(1 << nodes) - 1]

    def copy(self) -> Levels:
        """The same levels, to try something on; O(N)."""
        twin = Levels(0, self.capacity)
        twin.free, twin.numbers, twin._nodes_at = self.free.copy(), self.numbers.copy(), self._nodes_at.copy()
        return twin

    def change(self, node: int, gpus: int) -> None:
        """Free so many more GPUs of a node (take them, when negative).

        Raises:
            InvariantViolated: the node has not so many.
        """
        before = self.free[node]
        after = before + gpus
        if not 0 <= after <= self.capacity:
            raise InvariantViolated(f"node {node}: {after} of {self.capacity} GPUs free")
        self.free[node] = after
        self.numbers[before] -= 1
        self.numbers[after] += 1
        bit = 1 << node
        self._nodes_at[before] ^= bit
        self._nodes_at[after] |= bit

    def lowest(self, level: int) -> int:
        """The lowest node of a level, -1 where it has none."""
        nodes = self._nodes_at[level]
        return (nodes & -nodes).bit_length() - 1

    def lowest_with(self, gpus: int) -> int:
        """The lowest node with at least so many free GPUs, -1 where there is none."""
        nodes = 0
        for at in self._nodes_at[gpus:]:
            nodes |= at
        return (nodes & -nodes).bit_length() - 1

    def best_fit(self, gpus: int, use_empty: bool = True) -> int:
        """The lowest node of the least level that has room for so many GPUs, -1 where none has.

        ``use_empty`` says whether a node without any busy GPU is one of them.
        """
        for level in range(gpus, self.capacity + use_empty):
            if self.numbers[level]:
                return self.lowest(level)
        return -1

    def emptiest(self) -> int:
        """The partial node with the most free GPUs, the lowest of several; -1 where no node is partial."""
        for level in range(self.capacity - 1, 0, -1):
            if self.numbers[level]:
                return self.lowest(level)
        return -1

    def room(self, gpus: int) -> int:
        """How many instances of this size fit now, ``sum floor(r / g)`` over the nodes; O(G).

        They fit in whatever order and on whichever nodes they are placed one after another, because every placement
        takes one from this sum. So a gang fits exactly when ``room(g) >= w``, and nothing has to be undone.
        """
        return sum(self.numbers[level] * (level // gpus) for level in range(gpus, self.capacity + 1))

    @property
    def partial(self) -> int:
        """Nodes with at least one busy and one free GPU."""
        return sum(self.numbers[1:-1])

    def _wrong(self) -> list[int]:
        """The lowest node that the index has otherwise than the free GPUs, if there is one; O(N)."""
        levels = [bytearray(len(self.free) // 8 + 1) for _ in self._nodes_at]
        for node, level in enumerate(self.free):
            levels[level][node // 8] |= 1 << node % 8
        wrong = 0
        for bits, there in zip(levels, self._nodes_at, strict=True):
            wrong |= int.from_bytes(bits, "little") ^ there
        return [(wrong & -wrong).bit_length() - 1] if wrong else []

    def check(self, nodes: Iterable[int] | None = None) -> None:
        """Compare the index with the free GPUs, on these nodes or on all.

        Raises:
            InvariantViolated: they differ.
        """
        for node in self._wrong() if nodes is None else nodes:
            at = [level for level, there in enumerate(self._nodes_at) if there >> node & 1]
            if at != [self.free[node]]:
                raise InvariantViolated(f"node {node}: {self.free[node]} GPUs free, indexed at {at}")
        numbers = [there.bit_count() for there in self._nodes_at]
        if numbers != self.numbers:
            raise InvariantViolated(f"nodes by free GPUs: {self.numbers} recorded, {numbers} indexed")


class Book:
    """Which instance is on which node.

    Attributes:
        levels: the free GPUs.
        contents: size of each instance on a node, by name, in the order in which they came.
        node_of: node of every instance.
        touched: nodes changed since it was last cleared.
    """

    def __init__(self, nodes: int, capacity: int) -> None:
        self.levels = Levels(nodes, capacity)
        self.contents: list[dict[str, int]] = [{} for _ in range(nodes)]
        self.node_of: dict[str, int] = {}
        self.touched: set[int] = set()

    def put(self, instance: str, gpus: int, node: int) -> None:
        """Place an instance that is nowhere.

        Raises:
            InvariantViolated: the node has no room.
        """
        self.levels.change(node, -gpus)
        self.contents[node][instance] = gpus
        self.node_of[instance] = node
        self.touched.add(node)

    def take(self, instance: str) -> int:
        """Take an instance off its node; its size."""
        node = self.node_of.pop(instance)
        gpus = self.contents[node].pop(instance)
        self.levels.change(node, gpus)
        self.touched.add(node)
        return gpus

    def sizes(self, node: int) -> tuple[int, ...]:
        """The sizes on a node, descending: its load pattern."""
        return tuple(sorted(self.contents[node].values(), reverse=True))

    def check(self, nodes: Iterable[int] | None = None) -> None:
        """Recount these nodes, or all and every instance.

        Raises:
            InvariantViolated: something differs from what is recorded.
        """
        everywhere = range(len(self.contents))
        for node in everywhere if nodes is None else nodes:
            free = self.levels.capacity - sum(self.contents[node].values())
            if free != self.levels.free[node]:
                raise InvariantViolated(f"node {node}: {self.levels.free[node]} GPUs free recorded, {free} counted")
        self.levels.check(nodes)
        if nodes is None:
            found = {instance: node for node in everywhere for instance in self.contents[node]}
            if found != self.node_of:
                raise InvariantViolated("the nodes of the instances are not those that hold them")
