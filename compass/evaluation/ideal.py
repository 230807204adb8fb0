"""The ideal: a scheduler that counts GPUs and knows no nodes."""

from __future__ import annotations

from compass.composition import Composition
from compass.errors import InputError, NeverFits
from compass.events import Decision
from compass.geometry import Geometry, geometry_of
from compass.scheduler import check_arrival, check_departure, check_nodes
from compass.snapshot import Snapshot


class Ideal:
    """Admits a job whenever ``T + w g <= G N``, with ``T`` the GPUs in use; SIF is 0 by definition.

    A job that has more instances than the empty nodes hold, ``w > N floor(G / g)``, never fits, as for every scheduler
    that places: so all complete the same jobs.

    It is what fragmentation-free scheduling would give under the same queue rule. Under a rule that admits in order of
    submission (``fifo``) and without migration cost, no scheduler completes any job earlier: by induction over the
    jobs, each starts no earlier than here, since at that time all earlier jobs that still run here still run there.
    Rules that let jobs pass one another have no such theorem.

    Decisions have no steps, and there is no snapshot: several instances may share a node that no packing has.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.

    Raises:
        InputError: ``nodes`` is not a positive integer.

    Examples:
        >>> ideal = Ideal(2)
        >>> [ideal.arrive(job, gpus).admitted for job, gpus in (("a", 5), ("b", 5), ("c", 5), ("d", 2))]
        [True, True, True, False]
    """

    placeless = True

    def __init__(self, nodes: int, geometry: Geometry | None = None) -> None:
        self.geometry = geometry or geometry_of(8)
        self.nodes = check_nodes(nodes)
        self.running = Composition(self.geometry)
        self._total = self.geometry.capacity * nodes
        self._jobs: dict[str, tuple[int, int]] = {}

    @property
    def partial_nodes(self) -> int:
        """``[T mod G != 0]``: GPUs are counted as if instances could be cut."""
        return int(self.running.total % self.geometry.capacity != 0)

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """Admit a job for which enough GPUs are free; O(1).

        Raises:
            InputError: the demand is malformed or the job is running already.
            NeverFits: the empty nodes of the cluster do not hold the job.
        """
        check_arrival(self.geometry, self._jobs, job, gpus, instances)
        if instances > self._total // self.geometry.capacity * (self.geometry.capacity // gpus):
            raise NeverFits(f"job {job!r}: {instances} x {gpus} GPUs never fit {self.nodes} nodes")
        if self.running.total + gpus * instances > self._total:
            return Decision("arrive", job, admitted=False)
        self._jobs[job] = (gpus, instances)
        self.running.add(gpus, instances)
        return Decision("arrive", job, admitted=True)

    def depart(self, job: str) -> Decision:
        """Remove a running job; O(1).

        Raises:
            InputError: the job is not running.
        """
        check_departure(self._jobs, job)
        gpus, instances = self._jobs.pop(job)
        self.running.add(gpus, -instances)
        return Decision("depart", job, admitted=True)

    def snapshot(self) -> Snapshot:
        """There is none.

        Raises:
            InputError: always.
        """
        raise InputError("the ideal scheduler counts GPUs, it has no placement")

    def check_changes(self) -> None:
        """Nothing can be wrong that the simulator does not see."""

    def check(self) -> None:
        """Nothing can be wrong that the simulator does not see."""
