"""An independent model of a cluster for tests: nodes are plain lists and know nothing but their capacity."""

from __future__ import annotations


class PlainCluster:
    """Carries decisions out step by step and fails on the first step that is not possible."""

    def __init__(self, nodes, capacity):
        self.capacity = capacity
        self.bounded = nodes is not None
        self.nodes = [[] for _ in range(nodes or 0)]  # of (instance, gpus)
        self.jobs = {}

    def _node(self, index):
        assert index >= 0
        while not self.bounded and index >= len(self.nodes):
            self.nodes.append([])
        assert index < len(self.nodes), f"node {index} does not exist"
        return self.nodes[index]

    def _add(self, index, instance, gpus):
        node = self._node(index)
        node.append((instance, gpus))
        assert sum(g for _, g in node) <= self.capacity, f"node {index} is over capacity"

    def apply(self, decision, gpus=None, instances=None):
        """Carry out a decision; ``gpus`` and ``instances`` are those of an arriving job."""
        if decision.event == "depart":
            left = self.jobs.pop(decision.job)
            for node in self.nodes:
                node[:] = [(name, g) for name, g in node if name not in left]
        expected = []
        if decision.event == "arrive" and decision.admitted:
            expected = [f"{decision.job}/{k}" for k in range(instances)]
            self.jobs[decision.job] = set(expected)
        installed = []
        for step in decision.steps:
            if hasattr(step, "source"):
                assert step.source != step.target, "a move to where the instance is"
                node = self._node(step.source)
                (gpus_moved,) = [g for name, g in node if name == step.instance]
                node.remove((step.instance, gpus_moved))
                self._add(step.target, step.instance, gpus_moved)
            else:
                assert step.instance not in installed
                installed.append(step.instance)
                self._add(step.node, step.instance, gpus)
        assert sorted(installed) == sorted(expected), "every instance is installed once, on admission only"

    def sizes(self):
        """Sorted sizes on each node."""
        return [sorted((g for _, g in node), reverse=True) for node in self.nodes]

    def placement(self):
        """Every instance with its node."""
        return {name: index for index, node in enumerate(self.nodes) for name, _ in node}

    def counts(self):
        """Running instances by size."""
        counts = {}
        for node in self.nodes:
            for _, g in node:
                counts[g] = counts.get(g, 0) + 1
        return counts

    def partial(self):
        """Partial nodes, by the definition."""
        return sum(0 < sum(g for _, g in node) < self.capacity for node in self.nodes)
