"""The simulator: event-driven, deterministic, for any scheduler and any queue rule.

At one instant: the clock is told, departures in order of admission, the round action, submissions in order of the
trace, then the queue rule admits what it can. Between two instants nothing changes, so sums over time are exact.
Decisions are carried out on books of the simulator's own, and every figure comes from those.

A job that has ended but cannot be removed (`printed` alone) keeps its GPUs, and is tried again at each instant.

*Migration cost.* All moves of one job at one instant delay its completion by ``cost`` once; with ``cost_rule
"instance"`` each moved instance delays it. Its GPUs stay busy. A job that ends at this instant is not delayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from compass.composition import Composition
from compass.errors import InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.evaluation.books import Books
from compass.evaluation.clock import Clock
from compass.evaluation.days import DAY
from compass.evaluation.hooks import Clocked, Informed, Placeless, Repack, Rounds, Settling
from compass.evaluation.measures import Measures, avoidable_now
from compass.evaluation.queues import Fifo, QueueRule, demand
from compass.events import Move, Step
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


def simulate(
    jobs: Iterable[TraceJob],
    scheduler: Scheduler,
    *,
    queue: QueueRule | None = None,
    cost: int = 0,
    cost_rule: str = "job",
    bound: int | None = None,
    check: bool = False,
    observe: Observer | None = None,
    progress: Callable[[int], None] | None = None,
) -> Measures:
    """Run jobs through a scheduler on an empty cluster until the last one has ended.

    Args:
        jobs: in order of submission; an iterator is read as time passes.
        scheduler: an idle scheduler of a finite cluster; see :mod:`compass.evaluation.hooks` for what it may have.
        queue: an empty queue rule, default :class:`~compass.evaluation.queues.Fifo`.
        cost: migration cost in seconds.
        cost_rule: ``"job"`` or ``"instance"``.
        bound: avoidable partial nodes not to be exceeded while WCC holds; events above it are counted.
        check: let the scheduler check its own invariants after every event.
        observe: called with a record after every event.
        progress: called with the number of jobs that have ended since the last call.

    Cost: O(log n) for an event beside the scheduler's and the queue rule's own; memory for what runs and waits only.

    Raises:
        InputError: the jobs are not in order of submission, the scheduler is not idle or has no finite size, or an
            argument is malformed.
        InvariantViolated: the scheduler did something impossible, or refuses a job on the empty cluster.

    Examples:
        Two nodes; b waits 60 s for a whole node though 8 GPUs are free, since a and c take half a node each.

        >>> from compass.evaluation.baselines.best_fit import WorstFit
        >>> jobs = [TraceJob("a", 0, 90, 1, 4), TraceJob("c", 0, 60, 1, 4), TraceJob("b", 0, 30, 1, 8)]
        >>> found = simulate(jobs, WorstFit(2))
        >>> found.ajct, found.blocked_share, found.afr
        (Fraction(80, 1), Fraction(1, 1), Fraction(1, 1))
    """
    clock = Clock(cost, cost_rule)
    queue = Fifo() if queue is None else queue
    run = _Run(scheduler, queue, clock, bound=bound, check=check, observe=observe, progress=progress)
    begin = time.perf_counter()
    run.through(iter(jobs))
    run.measures.seconds = time.perf_counter() - begin
    return run.measures


class _Run:
    """The state of one simulation; it is the desk of its queue rule."""

    def __init__(
        self,
        scheduler: Scheduler,
        queue: QueueRule,
        clock: Clock,
        *,
        bound: int | None,
        check: bool,
        observe: Observer | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        if scheduler.nodes is None or scheduler.running.instances or len(queue):
            raise InputError("a simulation begins with an idle scheduler of a finite cluster and an empty queue")
        capacity = scheduler.geometry.capacity
        self.scheduler = scheduler
        self.queue = queue
        self.clock = clock
        self.nodes = scheduler.nodes
        self.gpus = capacity * self.nodes
        self.running = Composition(scheduler.geometry)
        self.measures = Measures(self.nodes, capacity, bound)
        self.books = None if isinstance(scheduler, Placeless) else Books(capacity, self.nodes)
        self.avoidable = 0
        self._check, self._observe, self._progress = check, observe, progress
        self._clocked = scheduler if isinstance(scheduler, Clocked) else None
        self._informed = scheduler if isinstance(scheduler, Informed) else None
        self._rounds = scheduler if isinstance(scheduler, Rounds) else None
        self._round_length = self._rounds.round_length if self._rounds else None
        self._next_round = 0
        self._settled = False  # a round would move nothing
        self._day_ends = 0
        self._wake: int | None = None
        self._held: list[TraceJob] = []  # have ended, but the scheduler is stuck with them

    # -- what a queue rule sees ---------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The time."""
        return self.clock.now

    @property
    def free_gpus(self) -> int:
        """GPUs of the cluster that are not busy."""
        return self.gpus - self.running.total

    def endings(self) -> Sequence[tuple[int, int]]:
        """Time of completion and GPUs of each running job, soonest first."""
        return self.clock.endings()

    def start(self, job: TraceJob) -> bool:
        """Offer a job to the scheduler; True when it leaves the queue."""
        gpus, instances = job.gpus_per_instance, job.instances
        try:
            decision = self.scheduler.arrive(job.job_id, gpus, instances)
        except NeverFits:
            self._never_fits(job)
            return True
        if not decision.admitted:
            return False
        if self.books:
            if decision.moves:
                self.measures.needed_moves += self.books.moves_needed(gpus, instances)
            self.books.arrived(decision, gpus, instances)
        self._moved(decision.moves)
        self.clock.start(job)
        self.running.add(gpus, instances)
        self._after("arrive", job, decision.steps)
        return True

    # -- time ---------------------------------------------------------------------------------------------------

    def through(self, jobs: Iterable[TraceJob]) -> None:
        """The whole run."""
        jobs = iter(jobs)
        upcoming = next(jobs, None)
        if upcoming is None:
            return
        self.clock.now = origin = upcoming.submit_time
        self._day_ends = origin - origin % DAY + DAY
        while (now := self._next_instant(upcoming)) is not None:
            passed = now - self.now
            self._time_passes(passed)
            self.clock.now = now
            if self._clocked:
                self._clocked.clock(now)
            self._departures()
            if self._round_length is not None:
                since = (now - origin) % self._round_length
                if passed and not since and len(self.clock) and self._rounds and self.books:
                    self._round(self._rounds, self.books)
                self._next_round = now - since + self._round_length
            while upcoming is not None and upcoming.submit_time == now:
                self._submitted(upcoming)
                upcoming = next(jobs, None)
                if upcoming is not None and upcoming.submit_time < now:
                    raise InputError(f"job {upcoming.job_id!r}: the jobs are not in order of submission")
            self._wake = self.queue.serve(self) if len(self.queue) else None
            self._record("instant", None, ())
        if len(self.queue):
            waiting = f"{len(self.queue)} jobs wait, {self.queue.head().job_id!r} first"
            if self._held:
                raise NoLegalDestination(f"{waiting}; {len(self._held)} jobs have ended and cannot be removed")
            raise InvariantViolated(f"{waiting}: refused on the empty cluster")
        self.scheduler.check()

    def _next_instant(self, upcoming: TraceJob | None) -> int | None:
        soonest = self.clock.soonest()
        times = [] if soonest is None else [soonest]
        if upcoming is not None:
            times.append(upcoming.submit_time)
        if self._round_length is not None and soonest is not None and not self._settled:
            times.append(self._next_round)
        if self._wake is not None:
            times.append(self._wake)
        return min(times, default=None)

    def _time_passes(self, seconds: int) -> None:
        running = self.running
        if running.total:
            of_day = max(0, min(seconds, self._day_ends - self.now))
            self.measures.time(seconds, self.avoidable, running.total, running.wcc, of_day)
        if len(self.queue):
            self.measures.waiting_time(seconds, self.avoidable, running.total)
            head = self.queue.head()
            if demand(head) <= self.free_gpus:
                running.add(head.gpus_per_instance, head.instances)
                self.measures.blocked_time(seconds, running.wcc)
                running.add(head.gpus_per_instance, -head.instances)

    # -- events -------------------------------------------------------------------------------------------------

    def _departures(self) -> None:
        due = self.clock.due()
        self.measures.jobs += len(due)
        self.measures.completion_seconds += sum(self.now - job.submit_time for job in due)
        if self._progress and due:
            self._progress(len(due))
        leaving = [*due, *self._held]
        while leaving:
            left = [job for job in leaving if not self._depart(job)]
            if len(left) == len(leaving):
                break
            leaving = left
        for job in leaving:
            if job not in self._held:
                self.measures.stuck += 1
                self._record("stuck", job, ())
        self._held = leaving

    def _depart(self, job: TraceJob) -> bool:
        """Whether the scheduler could remove the job; `printed` may find no place for its fillers now."""
        try:
            decision = self.scheduler.depart(job.job_id)
        except NoLegalDestination:
            return False
        if self.books:
            self.books.departed(decision, job.gpus_per_instance, job.instances)
        self.running.add(job.gpus_per_instance, -job.instances)
        self._moved(decision.moves)
        self._after("depart", job, decision.steps)
        return True

    def _round(self, scheduler: Rounds, books: Books) -> None:
        action = scheduler.act()
        action = action if isinstance(action, Repack) else Repack(action)
        if action.moves:
            books.repacked(action)
            self._moved(action.moves)
            self._after("round", None, action.moves)
        else:
            self._settled = isinstance(scheduler, Settling)

    def _submitted(self, job: TraceJob) -> None:
        if job.instances > self.nodes * (self.scheduler.geometry.capacity // job.gpus_per_instance):
            self._never_fits(job)
            return
        if self._informed:
            self._informed.submitted(self.now, job)
        self.queue.add(job)
        self._record("submit", job, ())

    def _never_fits(self, job: TraceJob) -> None:
        self.measures.never_fit += 1
        self._record("never fits", job, ())
        if self._progress:
            self._progress(1)

    def _moved(self, moves: Sequence[Move]) -> None:
        self.measures.moves += len(moves)
        self.measures.delays += self.clock.delay(moves)

    # -- measuring ----------------------------------------------------------------------------------------------

    def _after(self, kind: Kind, job: TraceJob | None, steps: tuple[Step, ...]) -> None:
        self._settled = False
        running, scheduler, books = self.running, self.scheduler, self.books
        if running.counts != scheduler.running.counts:
            raise InvariantViolated(f"{kind}: {scheduler.running.counts} counted, {running.counts} running")
        if books:
            if books.partial_nodes != scheduler.partial_nodes:
                found = books.partial_nodes
                raise InvariantViolated(f"{kind}: {scheduler.partial_nodes} partial nodes counted, {found} found")
            self.avoidable = avoidable_now(books.partial_nodes, running, self.nodes)
        if self._check:
            scheduler.check_changes()
        self.measures.event(self.avoidable, running.wcc)
        self._record(kind, job, steps)

    def _record(self, kind: Kind, job: TraceJob | None, steps: tuple[Step, ...]) -> None:
        if self._observe:
            waiting = len(self.queue)
            head = self.queue.head() if waiting else None
            empty = self.nodes - self.books.busy_nodes if self.books else None
            state = (self.avoidable, self.running.total, empty, waiting, head, self.running.wcc)
            self._observe(Record(self.now, kind, job, steps, *state))
