"""Following a scheduler's decisions on books of one's own, which know nothing but capacity.

Whatever a scheduler says of itself, its decisions must be possible: every step finds its instance and keeps its node
within capacity, an admitted job has each instance installed once, a refused or leaving one none.
"""

from __future__ import annotations

from collections import Counter

from compass.errors import InvariantViolated
from compass.events import Decision, Move, instance_name


class Follower:
    """The placement that decisions add up to.

    Args:
        capacity: GPUs of a node.
        nodes: cluster size, None for one without bound.

    Attributes:
        counts: running instances by size, ``counts[g] = n_g``.
        partial_nodes: nodes with at least one and fewer than ``capacity`` busy GPUs.

    Examples:
        >>> from compass.events import Placement
        >>> follower = Follower(8, 2)
        >>> follower.arrived(Decision("arrive", "a", True, (Placement("a/0", 1),)), 4, 1)
        >>> follower.counts[4], follower.partial_nodes
        (1, 1)
        >>> follower.arrived(Decision("arrive", "b", True, (Placement("b/0", 1),)), 5, 1)
        Traceback (most recent call last):
            ...
        compass.errors.InvariantViolated: job 'b': b/0 on node 1: 9 of 8 GPUs busy
    """

    def __init__(self, capacity: int, nodes: int | None) -> None:
        self.counts = [0] * (capacity + 1)
        self.partial_nodes = 0
        self._capacity = capacity
        self._nodes = nodes
        self._loads: list[int] = []
        self._placed: dict[str, tuple[int, int]] = {}  # node and size of each instance

    def node_of(self, instance: str) -> int:
        """The node that a running instance is on; O(1).

        Raises:
            KeyError: no such instance is running.
        """
        return self._placed[instance][0]

    def arrived(self, decision: Decision, gpus: int, instances: int) -> None:
        """Carry out the decision on an arrival of so many instances; O(steps).

        Raises:
            InvariantViolated: a step is not possible, or an instance is missing or there twice.
        """
        job = decision.job
        names = self._carry_out(decision, gpus)
        expected = [instance_name(job, k) for k in range(instances)] if decision.admitted else []
        if names != expected and Counter(names) != Counter(expected):
            raise InvariantViolated(f"job {job!r}: {sorted(names)} installed, not {sorted(expected)}")
        self.counts[gpus] += len(names)

    def departed(self, decision: Decision, gpus: int, instances: int) -> None:
        """Take all instances of the job off, then carry out the decision; O(steps).

        Raises:
            InvariantViolated: a step is not possible.
        """
        for k in range(instances):
            node, _ = self._placed.pop(instance_name(decision.job, k))
            self._change(node, -gpus)
        self.counts[gpus] -= instances
        if decision.steps:
            self._carry_out(decision, 0)

    def _carry_out(self, decision: Decision, gpus: int) -> list[str]:
        """The names of the installed instances, in order."""
        installed: list[str] = []
        for step in decision.steps:
            if isinstance(step, Move):
                node, size = self._placed.pop(step.instance, (-1, 0))
                if node != step.source or step.source == step.target:
                    found = "is not running" if node < 0 else f"is on node {node}"
                    raise InvariantViolated(f"job {decision.job!r}: {step}: the instance {found}")
                self._change(node, -size)
                self._put(step.instance, size, step.target, decision.job)
            elif step.instance in self._placed or decision.event == "depart":
                raise InvariantViolated(f"job {decision.job!r}: {step} is no new instance")
            else:
                self._put(step.instance, gpus, step.node, decision.job)
                installed.append(step.instance)
        return installed

    def _put(self, instance: str, size: int, node: int, job: str) -> None:
        if node < 0 or (self._nodes is not None and node >= self._nodes):
            raise InvariantViolated(f"job {job!r}: {instance}: there is no node {node}")
        if node >= len(self._loads):
            self._loads.extend([0] * (node + 1 - len(self._loads)))
        if self._loads[node] + size > self._capacity:
            busy = self._loads[node] + size
            raise InvariantViolated(f"job {job!r}: {instance} on node {node}: {busy} of {self._capacity} GPUs busy")
        self._placed[instance] = (node, size)
        self._change(node, size)

    def _change(self, node: int, gpus: int) -> None:
        before = self._loads[node]
        after = self._loads[node] = before + gpus
        self.partial_nodes += (0 < after < self._capacity) - (0 < before < self._capacity)
