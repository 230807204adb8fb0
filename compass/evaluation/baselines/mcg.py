"""MCG-Sched (TPDS '25), reconstructed: FGD whose size distribution is that of the waiting queue.

Its order of the queue is a queue rule of the simulator, which asks for :meth:`Mcg.score`.
"""

from __future__ import annotations

from fractions import Fraction

from compass.evaluation.baselines.fgd import EXACT, Fgd, exact_share
from compass.events import Decision, Move
from compass.geometry import Geometry
from compass.trace import TraceJob


class Mcg(Fgd):
    """FGD with the shares of the jobs that wait; while none waits, of all submitted so far.

    A job that waits for its own placement belongs to the queue. Jobs it has not been told of count nowhere.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        load: ``b``, adds ``b`` times the busy share of a node to its dF when nodes are compared; the score is dF alone.
        variant: that of FGD; ``load`` is for ``"exact"``.

    Raises:
        InputError: ``load`` is not a number from 0 to 1.

    Examples:
        >>> scheduler = Mcg(2)
        >>> for name, gpus in (("a", 4), ("b", 2)):
        ...     scheduler.submitted(0, TraceJob(name, 0, 60, 1, gpus))
        >>> scheduler.table[:4], scheduler.score(4, 1)
        ([0, 2, 2, 3], 0.0)
        >>> _ = scheduler.arrive("a", 4)
        >>> scheduler.table[:4]
        [0, 1, 0, 0]
    """

    def __init__(
        self, nodes: int, geometry: Geometry | None = None, load: float | Fraction = 0, variant: str = EXACT
    ) -> None:
        super().__init__(nodes, geometry, variant=variant)
        self._load = exact_share(load, "load")
        self._seen = [0] * (self.geometry.capacity + 1)
        self._queue = self._seen.copy()
        self._waiting: set[str] = set()
        self._scores: dict[tuple[int, int], float | None] = {}

    def submitted(self, now: int, job: TraceJob) -> None:
        """The job joins the queue."""
        self._seen[job.gpus_per_instance] += job.instances
        self._queue[job.gpus_per_instance] += job.instances
        self._waiting.add(job.job_id)
        self._look()

    def admit(self, job: str, gpus: int, instances: int, before: tuple[Move, ...] = ()) -> Decision:
        """Place a job that fits; it leaves the queue."""
        decision = super().admit(job, gpus, instances, before)
        if job in self._waiting:
            self._waiting.remove(job)
            self._queue[gpus] -= instances
        self._look()
        return decision

    def depart(self, job: str) -> Decision:
        """Remove all instances of a job."""
        decision = super().depart(job)
        self._scores.clear()
        return decision

    def rank(self, free: int, gpus: int) -> Fraction | int:
        """``dF`` and the load term."""
        if not self._load:
            return super().rank(free, gpus)
        capacity = self.geometry.capacity
        return self.added(free, gpus) + self._load * self.total * Fraction(capacity - free, capacity)

    def score(self, gpus: int, instances: int) -> float | None:
        """That of FGD; computed once for equal jobs as long as nothing changes."""
        key = (gpus, instances)
        if key not in self._scores:
            self._scores[key] = super().score(gpus, instances)
        return self._scores[key]

    def _look(self) -> None:
        self.learn(self._queue if self._waiting else self._seen)
        self._scores.clear()
