"""The simulator: event-driven, deterministic, for any scheduler and any queue rule.

At one instant: the clock is told, departures in order of admission, the round action, submissions in order of the
trace, then the queue rule admits what it can. Between two instants nothing changes, so sums over time are exact.
Decisions are carried out on books of the simulator's own, and every figure comes from those.

A job that has ended but cannot be removed (`printed` alone) keeps its GPUs, and is tried again at each instant.

*Migration cost.* All moves of one job at one instant delay its completion by ``cost`` once; with ``cost_rule
"instance"`` each moved instance delays it. Its GPUs stay busy. A job that ends at this instant is not delayed.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from compass.composition import Composition
from compass.errors import InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.evaluation.books import Books
from compass.evaluation.days import DAY
from compass.evaluation.hooks import Clocked, Informed, Placeless, Repack, Rounds, Settling
from compass.evaluation.measures import Measures, avoidable_now
from compass.evaluation.queues import Fifo, QueueRule, demand
from compass.events import Move, Step, job_of
from compass.scheduler import Scheduler
from compass.trace import TraceJob

COST_RULES = ("job", "instance")
"""What ``cost`` is for: all moves of one job at one instant, or each moved instance."""

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
    run = _Run(scheduler, Fifo() if queue is None else queue, cost, cost_rule, bound)
    run.check, run.observe, run.progress = check, observe, progress
    begin = time.perf_counter()
    run.through(iter(jobs))
    run.measures.seconds = time.perf_counter() - begin
    return run.measures


class _Run:
    """The state of one simulation; it is the desk of its queue rule."""

    check: bool = False
    observe: Observer | None = None
    progress: Callable[[int], None] | None = None

    def __init__(self, scheduler: Scheduler, queue: QueueRule, cost: int, cost_rule: str, bound: int | None) -> None:
        if scheduler.nodes is None or scheduler.running.instances or len(queue):
            raise InputError("a simulation begins with an idle scheduler of a finite cluster and an empty queue")
        if type(cost) is not int or cost < 0 or cost_rule not in COST_RULES:
            raise InputError(f"migration cost {cost!r} for each {cost_rule!r}: must be a whole number >= 0 for each "
                             f"{' or '.join(COST_RULES)}")  # fmt: skip
        capacity = scheduler.geometry.capacity
        self.scheduler = scheduler
        self.queue = queue
        self.nodes = scheduler.nodes
        self.gpus = capacity * self.nodes
        self.running = Composition(scheduler.geometry)
        self.measures = Measures(self.nodes, capacity, bound)
        self.books = None if isinstance(scheduler, Placeless) else Books(capacity, self.nodes)
        self.now = 0
        self.avoidable = 0
        self._cost, self._per_instance = cost, cost_rule == "instance"
        self._clocked = scheduler if isinstance(scheduler, Clocked) else None
        self._informed = scheduler if isinstance(scheduler, Informed) else None
        self._rounds = scheduler if isinstance(scheduler, Rounds) else None
        self._round_length = self._rounds.round_length if self._rounds else None
        self._next_round = 0
        self._settled = False  # a round would move nothing
        self._day_ends = 0
        self._wake: int | None = None
        self._admitted = 0
        self._heap: list[tuple[int, int, TraceJob]] = []  # an entry may be early: a job was delayed since
        self._ends: dict[str, int] = {}
        self._delayed: dict[str, int] = {}  # when a running job was last delayed
        self._held: list[TraceJob] = []  # have ended, but the scheduler is stuck with them

    # -- what a queue rule sees ---------------------------------------------------------------------------------

    @property
    def free_gpus(self) -> int:
        """GPUs of the cluster that are not busy."""
        return self.gpus - self.running.total

    def endings(self) -> Sequence[tuple[int, int]]:
        """Time of completion and GPUs of each running job, soonest first."""
        return sorted((self._ends[job.job_id], demand(job)) for _, _, job in self._heap)

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
        self._admitted += 1
        self._moved(decision.moves)
        end = self._ends[job.job_id] = self.now + job.duration
        heapq.heappush(self._heap, (end, self._admitted, job))
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
        self.now = origin = upcoming.submit_time
        self._day_ends = origin - origin % DAY + DAY
        while (now := self._next_instant(upcoming)) is not None:
            passed = now - self.now
            self._time_passes(passed)
            self.now = now
            if self._clocked:
                self._clocked.clock(now)
            self._departures()
            if self._round_length is not None:
                since = (now - origin) % self._round_length
                if passed and not since and self._heap and self._rounds and self.books:
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
        heap = self._heap
        while heap and heap[0][0] < self._ends[heap[0][2].job_id]:
            _, rank, job = heap[0]
            heapq.heapreplace(heap, (self._ends[job.job_id], rank, job))
        times = [heap[0][0]] if heap else []
        if upcoming is not None:
            times.append(upcoming.submit_time)
        if self._round_length is not None and heap and not self._settled:
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
        due: list[tuple[int, TraceJob]] = []
        while self._heap and self._heap[0][0] == self.now:
            _, rank, job = heapq.heappop(self._heap)
            if self._ends[job.job_id] > self.now:
                heapq.heappush(self._heap, (self._ends[job.job_id], rank, job))
                continue
            due.append((rank, job))
            del self._ends[job.job_id]
            self._delayed.pop(job.job_id, None)
            self.measures.jobs += 1
            self.measures.completion_seconds += self.now - job.submit_time
            if self.progress:
                self.progress(1)
        leaving = [*(job for _, job in sorted(due)), *self._held]
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
        if self.progress:
            self.progress(1)

    def _moved(self, moves: Sequence[Move]) -> None:
        self.measures.moves += len(moves)
        if not self._cost:
            return
        for job, number in Counter(job_of(move.instance) for move in moves).items():
            if job not in self._ends:  # ends at this instant, or is just being placed
                continue
            if self._per_instance:
                self._ends[job] += self._cost * number
            elif self._delayed.get(job) != self.now:
                self._ends[job] += self._cost
            else:
                continue
            self._delayed[job] = self.now
            self.measures.delays += 1

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
        if self.check:
            scheduler.check_changes()
        self.measures.event(self.avoidable, running.wcc)
        if self.observe:
            self._record(kind, job, steps)

    def _record(self, kind: Kind, job: TraceJob | None, steps: tuple[Step, ...]) -> None:
        if self.observe:
            waiting = len(self.queue)
            head = self.queue.head() if waiting else None
            empty = self.nodes - self.books.busy_nodes if self.books else None
            state = (self.avoidable, self.running.total, empty, waiting, head, self.running.wcc)
            self.observe(Record(self.now, kind, job, steps, *state))
