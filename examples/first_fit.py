"""A scheduler of one's own, measured like ours: first fit, which never moves anything.

    python examples/first_fit.py [TRACE [NODES]]

``compass.replay.replay`` takes any object of the form of ``compass.Scheduler``. It carries the decisions out on books
of its own, so a scheduler that misreports is found out.
"""

from __future__ import annotations

import sys
from pathlib import Path

from compass import Composition, Decision, Geometry, InputError, NeverFits, Placement, Scheduler, Snapshot, Unified
from compass.events import instance_name
from compass.replay import replay
from compass.trace import read_trace


class FirstFit(Scheduler):
    """Every instance goes to the first node with room for it."""

    def __init__(self, nodes: int) -> None:
        self.geometry, self.nodes = Geometry(), nodes
        self.running = Composition(self.geometry)
        self.loads = [0] * nodes
        self.jobs: dict[str, tuple[int, list[int]]] = {}  # size and node of each instance

    @property
    def partial_nodes(self) -> int:
        """Counted anew, as this is an example."""
        return sum(0 < load < self.geometry.capacity for load in self.loads)

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """All instances or none."""
        self.geometry.check_gpus(gpus)
        if job in self.jobs:
            raise InputError(f"job {job!r}: is running already")
        if instances > len(self.loads) * (self.geometry.capacity // gpus):
            raise NeverFits(f"job {job!r}: does not fit the empty cluster")
        loads, chosen = list(self.loads), []
        for _ in range(instances):
            node = next((k for k, load in enumerate(loads) if load + gpus <= self.geometry.capacity), None)
            if node is None:
                return Decision("arrive", job, admitted=False)
            loads[node] += gpus
            chosen.append(node)
        self.loads, self.jobs[job] = loads, (gpus, chosen)
        self.running.add(gpus, instances)
        steps = tuple(Placement(instance_name(job, k), node) for k, node in enumerate(chosen))
        return Decision("arrive", job, admitted=True, steps=steps)

    def depart(self, job: str) -> Decision:
        """All instances leave, nothing else happens."""
        if job not in self.jobs:
            raise InputError(f"job {job!r}: is not running")
        gpus, chosen = self.jobs.pop(job)
        for node in chosen:
            self.loads[node] -= gpus
        self.running.add(gpus, -len(chosen))
        return Decision("depart", job, admitted=True)

    def snapshot(self) -> Snapshot:
        """The sizes on every node."""
        placed = [(node, gpus) for gpus, chosen in self.jobs.values() for node in chosen]
        return Snapshot.of([gpus for node, gpus in placed if node == k] for k in range(len(self.loads)))

    def check_changes(self) -> None:
        """No invariants of its own."""

    def check(self) -> None:
        """No invariants of its own."""


def main(trace: str = str(Path(__file__).with_name("tiny-trace.csv")), nodes: str = "3") -> None:
    """Replay a trace under first fit and under `unified`."""
    jobs = read_trace(trace)
    for scheduler in (FirstFit(int(nodes)), Unified(int(nodes))):
        report = replay(jobs, scheduler)
        mean_sif = float(report.mean_avoidable) / int(nodes)
        print(
            f"{type(scheduler).__name__:<9} worst avoidable {report.max_avoidable}, mean SIF {mean_sif:.3f}, "
            f"{report.moves} moves, {report.violation or 'no violation'}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
