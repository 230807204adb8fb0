"""What happens in a simulation: carried out on books of its own, measured, and told to an observer.

Every figure comes from these books; what the scheduler says of itself is only compared with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from compass.composition import Composition
from compass.errors import InvariantViolated
from compass.evaluation.books import Books
from compass.evaluation.clock import Clock
from compass.evaluation.days import DAY
from compass.evaluation.hooks import Placeless, Repack
from compass.evaluation.measures import Measures, avoidable_now
from compass.evaluation.queues import QueueRule, demand
from compass.events import Decision, Step
from compass.scheduler import Scheduler
from compass.trace import TraceJob

Kind = Literal["submit", "arrive", "depart", "round", "never fits", "stuck", "instant"]
"""Kinds of events; ``instant`` is the end of an instant: the state that lasts until the next one."""


class Record(NamedTuple):
    """One event and the state after it.

    ``job`` is None for a round and an instant; ``avoidable`` is ``N SIF``; ``empty_nodes`` is None for a scheduler
    without placement. While a job is admitted it still counts as waiting.
    """

    time: int
    kind: Kind
    job: TraceJob | None
    steps: tuple[Step, ...]
    avoidable: int
    busy_gpus: int
    empty_nodes: int | None
    waiting: int
    head: TraceJob | None
    wcc: bool


Observer = Callable[[Record], None]


class Recorder:
    """The running instances, their placement, and the sums over what has happened.

    Args:
        scheduler: whose decisions these are; idle, of ``nodes`` nodes.
        nodes: cluster size N.
        clock: says what time it is.
        queue: says who waits.
        bound: as in :func:`~compass.evaluation.simulate.simulate`, as ``check`` and ``observe``.

    Attributes:
        running: the running instances.
        books: their placement; None for a scheduler without.
        measures: the sums.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        nodes: int,
        clock: Clock,
        queue: QueueRule,
        *,
        bound: int | None,
        check: bool,
        observe: Observer | None,
    ) -> None:
        capacity = scheduler.geometry.capacity
        self.running = Composition(scheduler.geometry)
        self.books = None if isinstance(scheduler, Placeless) else Books(capacity, nodes)
        self.measures = Measures(nodes, capacity, bound)
        self._scheduler, self._nodes, self._gpus = scheduler, nodes, nodes * capacity
        self._clock, self._queue = clock, queue
        self._check, self._observe = check, observe
        self._avoidable = 0
        self._day_ends = 0

    @property
    def free_gpus(self) -> int:
        """GPUs of the cluster that are not busy."""
        return self._gpus - self.running.total

    def begins(self) -> None:
        """The run begins at the time of the clock."""
        self._day_ends = self._clock.now - self._clock.now % DAY + DAY

    def time_passes(self, seconds: int) -> None:
        """From the time of the clock on, nothing happens for so long."""
        running = self.running
        if running.total:
            of_day = max(0, min(seconds, self._day_ends - self._clock.now))
            self.measures.time(seconds, self._avoidable, running.total, running.wcc, of_day)
        if len(self._queue):
            self.measures.waiting_time(seconds, self._avoidable, running.total)
            head = self._queue.head()
            if demand(head) <= self.free_gpus:
                running.add(head.gpus_per_instance, head.instances)
                self.measures.blocked_time(seconds, running.wcc)
                running.add(head.gpus_per_instance, -head.instances)

    def ended(self, jobs: Sequence[TraceJob]) -> None:
        """These jobs have completed now, whether they can be removed or not."""
        self.measures.jobs += len(jobs)
        self.measures.completion_seconds += sum(self._clock.now - job.submit_time for job in jobs)

    def never_fits(self, job: TraceJob) -> None:
        """The job is left out."""
        self.measures.never_fit += 1
        self.tell("never fits", job)

    def stuck(self, job: TraceJob) -> None:
        """The job has ended and cannot be removed."""
        self.measures.stuck += 1
        self.tell("stuck", job)

    def arrived(self, job: TraceJob, decision: Decision) -> None:
        """The job has been admitted.

        Raises:
            InvariantViolated: the decision is not possible, or the scheduler counts otherwise; so in the next two.
        """
        gpus, instances = job.gpus_per_instance, job.instances
        if self.books:
            if decision.moves:
                self.measures.needed_moves += self.books.moves_needed(gpus, instances)
            self.books.arrived(decision, gpus, instances)
        self.running.add(gpus, instances)
        self._changed("arrive", job, decision.steps, len(decision.moves))

    def departed(self, job: TraceJob, decision: Decision) -> None:
        """The job has been removed."""
        if self.books:
            self.books.departed(decision, job.gpus_per_instance, job.instances)
        self.running.add(job.gpus_per_instance, -job.instances)
        self._changed("depart", job, decision.steps, len(decision.moves))

    def acted(self, action: Repack) -> None:
        """A round action has moved something; there are books."""
        assert self.books, "a scheduler without placement has no rounds"
        self.books.repacked(action)
        self._changed("round", None, action.moves, len(action.moves))

    def _changed(self, kind: Kind, job: TraceJob | None, steps: tuple[Step, ...], moves: int) -> None:
        running, scheduler, books = self.running, self._scheduler, self.books
        if running.counts != scheduler.running.counts:
            raise InvariantViolated(f"{kind}: {scheduler.running.counts} counted, {running.counts} running")
        if books:
            if books.partial_nodes != scheduler.partial_nodes:
                found = books.partial_nodes
                raise InvariantViolated(f"{kind}: {scheduler.partial_nodes} partial nodes counted, {found} found")
            self._avoidable = avoidable_now(books.partial_nodes, running, self._nodes)
        if self._check:
            scheduler.check_changes()
        self.measures.moves += moves
        self.measures.event(self._avoidable, running.wcc)
        self.tell(kind, job, steps)

    def tell(self, kind: Kind, job: TraceJob | None = None, steps: tuple[Step, ...] = ()) -> None:
        """Tell the observer, if there is one, of an event."""
        if self._observe:
            waiting = len(self._queue)
            head = self._queue.head() if waiting else None
            empty = self._nodes - self.books.busy_nodes if self.books else None
            state = (self._avoidable, self.running.total, empty, waiting, head, self.running.wcc)
            self._observe(Record(self._clock.now, kind, job, steps, *state))
