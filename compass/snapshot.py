"""A placement of instances on nodes by any scheduler: the value the metric is computed from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from compass.errors import InputError
from compass.geometry import CAPACITIES


class PlacedInstance(NamedTuple):
    """One running instance: its job and its demand in GPUs.

    >>> Node("n0", (PlacedInstance("a", 4), PlacedInstance("b", 1))).load
    5
    """

    job: str
    gpus: int


@dataclass(frozen=True, slots=True)
class Node:
    """A node with the instances placed on it.

    Args:
        name: unique name within the snapshot.
        instances: what runs there.
        capacity: GPUs of the node.
        pool: hardware pool; instances never count as movable between pools.

    Raises:
        InputError: the capacity is not supported, a demand is not in ``1..capacity``, or the node is over-full.

    Examples:
        >>> Node("n0", (PlacedInstance("a", 4),), capacity=8).partial
        True
    """

    name: str
    instances: tuple[PlacedInstance, ...] = ()
    capacity: int = 8
    pool: str = ""

    def __post_init__(self) -> None:
        if type(self.capacity) is not int or self.capacity not in CAPACITIES:
            raise InputError(
                f"node {self.name!r}: capacity {self.capacity!r}: must be one of {', '.join(map(str, CAPACITIES))}"
            )
        for job, gpus in self.instances:
            if type(gpus) is not int or not 1 <= gpus <= self.capacity:
                raise InputError(
                    f"node {self.name!r}: job {job!r}: {gpus!r} GPUs: must be an integer from 1 to {self.capacity}"
                )
        if self.load > self.capacity:
            raise InputError(f"node {self.name!r}: {self.load} GPUs busy, more than its {self.capacity}")

    @property
    def load(self) -> int:
        """Busy GPUs."""
        return sum(instance.gpus for instance in self.instances)

    @property
    def partial(self) -> bool:
        """At least one and fewer than ``capacity`` GPUs are busy (section 2)."""
        return 0 < self.load < self.capacity


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The nodes of a cluster, in order; node ``k`` of a decision is ``nodes[k]``.

    Raises:
        InputError: two nodes have one name.

    Examples:
        >>> Snapshot.of([[4, 2], [4], []]).partial_nodes
        2
    """

    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for node in self.nodes:
            if node.name in seen:
                raise InputError(f"node {node.name!r}: the name is used twice")
            seen.add(node.name)

    @classmethod
    def of(cls, sizes: Iterable[Iterable[int]], capacity: int = 8) -> Snapshot:
        """A snapshot from the instance sizes on each node, every instance a job of its own (``j0``, ``j1``, ...)."""
        nodes: list[Node] = []
        jobs = 0
        for index, node_sizes in enumerate(sizes):
            placed = tuple(PlacedInstance(f"j{jobs + k}", gpus) for k, gpus in enumerate(node_sizes))
            jobs += len(placed)
            nodes.append(Node(f"n{index}", placed, capacity))
        return cls(tuple(nodes))

    @property
    def partial_nodes(self) -> int:
        """``nu(P)``: the number of partial nodes."""
        return sum(node.partial for node in self.nodes)

    @property
    def capacity(self) -> int | None:
        """The capacity of every node, or None where capacities differ or there is no node."""
        capacities = {node.capacity for node in self.nodes}
        return capacities.pop() if len(capacities) == 1 else None
