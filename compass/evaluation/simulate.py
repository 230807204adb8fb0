"""The simulator: event-driven, deterministic, for any scheduler and any queue rule.

At one instant: the clock is told, departures in order of admission, the round action, submissions in order of the
trace, then the queue rule admits what it can. Between two instants nothing changes, so sums over time are exact.
Decisions are carried out on the simulator's own books, and every figure comes from those (``recorder.py``).

A job that has ended but cannot be removed (`printed` alone) keeps its GPUs, and is tried again at each instant.

*Migration cost.* All moves of one job at one instant delay its completion by ``cost`` once; with ``cost_rule
"instance"`` each moved instance delays it. Its GPUs stay busy. A job that ends at this instant is not delayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from compass.errors import InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.evaluation.clock import Clock
from compass.evaluation.days import DAY
from compass.evaluation.hooks import Clocked, Informed, Repack, RoundPhase, Rounds, Settling
from compass.evaluation.measures import Measures
from compass.evaluation.queues import Fifo, QueueRule
from compass.evaluation.recorder import Observer, Recorder
from compass.events import Move
from compass.scheduler import Scheduler
from compass.trace import TraceJob


def simulate(
    jobs: Iterable[TraceJob],
    scheduler: Scheduler,
    *,
    queue: QueueRule | None = None,
    cost: int = 0,
    cost_rule: str = "job",
    round_phase: RoundPhase = 0,
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
        round_phase: of a scheduler with rounds: they are at multiples of its round length, shifted so that one is so
            many seconds after the first submission, or when its ``"day"`` begins (days are counted from time 0).
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
    if round_phase != "day" and (type(round_phase) is not int or round_phase < 0):
        raise InputError(f"round phase {round_phase!r}: must be a whole number of seconds >= 0, or 'day'")
    queue = Fifo() if queue is None else queue
    run = _Run(
        scheduler, queue, clock, round_phase=round_phase, bound=bound, check=check, observe=observe, progress=progress
    )
    begin = time.perf_counter()
    run.through(iter(jobs))
    measures = run.recorder.measures
    measures.seconds = time.perf_counter() - begin
    return measures


class _Run:
    """The state of one simulation; it is the desk of its queue rule."""

    def __init__(
        self,
        scheduler: Scheduler,
        queue: QueueRule,
        clock: Clock,
        *,
        round_phase: RoundPhase,
        bound: int | None,
        check: bool,
        observe: Observer | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        if scheduler.nodes is None or scheduler.running.instances or len(queue):
            raise InputError("a simulation begins with an idle scheduler of a finite cluster and an empty queue")
        self.scheduler = scheduler
        self.queue = queue
        self.clock = clock
        self.nodes = scheduler.nodes
        self.recorder = Recorder(scheduler, self.nodes, clock, queue, bound=bound, check=check, observe=observe)
        self._progress = progress
        self._clocked = scheduler if isinstance(scheduler, Clocked) else None
        self._informed = scheduler if isinstance(scheduler, Informed) else None
        self._rounds = scheduler if isinstance(scheduler, Rounds) else None
        self._round_length = self._rounds.round_length if self._rounds and self.recorder.books else None
        self._round_phase = round_phase
        self._next_round = 0
        self._settled = False  # a round would move nothing
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
        return self.recorder.free_gpus

    def endings(self) -> Sequence[tuple[int, int]]:
        """Time of completion and GPUs of each running job, soonest first."""
        return self.clock.endings()

    def start(self, job: TraceJob) -> bool:
        """Offer a job to the scheduler; True when it leaves the queue."""
        try:
            decision = self.scheduler.arrive(job.job_id, job.gpus_per_instance, job.instances)
        except NeverFits:
            self._never_fits(job)
            return True
        if not decision.admitted:
            return False
        self.recorder.arrived(job, decision)
        self._moved(decision.moves)
        self.clock.start(job)
        return True

    # -- time ---------------------------------------------------------------------------------------------------

    def through(self, jobs: Iterable[TraceJob]) -> None:
        """The whole run."""
        jobs = iter(jobs)
        upcoming = next(jobs, None)
        if upcoming is None:
            return
        self.clock.now = origin = upcoming.submit_time
        self.recorder.begins()
        a_round = origin - origin % DAY if self._round_phase == "day" else origin + self._round_phase
        while (now := self._next_instant(upcoming)) is not None:
            passed = now - self.now
            self.recorder.time_passes(passed)
            self.clock.now = now
            if self._clocked:
                self._clocked.clock(now)
            self._departures()
            if self._round_length is not None:
                since = (now - a_round) % self._round_length
                if passed and not since and len(self.clock) and self._rounds:
                    self._round(self._rounds)
                self._next_round = now - since + self._round_length
            while upcoming is not None and upcoming.submit_time == now:
                self._submitted(upcoming)
                upcoming = next(jobs, None)
                if upcoming is not None and upcoming.submit_time < now:
                    raise InputError(f"job {upcoming.job_id!r}: the jobs are not in order of submission")
            self._wake = self.queue.serve(self) if len(self.queue) else None
            self.recorder.tell("instant")
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

    # -- events -------------------------------------------------------------------------------------------------

    def _departures(self) -> None:
        due = self.clock.due()
        self.recorder.ended(due)
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
                self.recorder.stuck(job)
        self._held = leaving

    def _depart(self, job: TraceJob) -> bool:
        """Whether the scheduler could remove the job; `printed` may find no place for its fillers now."""
        try:
            decision = self.scheduler.depart(job.job_id)
        except NoLegalDestination:
            return False
        self.recorder.departed(job, decision)
        self._moved(decision.moves)
        return True

    def _round(self, scheduler: Rounds) -> None:
        action = scheduler.act()
        action = action if isinstance(action, Repack) else Repack(action)
        if action.moves:
            self.recorder.acted(action)
            self._moved(action.moves)
        else:
            self._settled = isinstance(scheduler, Settling)

    def _submitted(self, job: TraceJob) -> None:
        if job.instances > self.nodes * (self.scheduler.geometry.capacity // job.gpus_per_instance):
            self._never_fits(job)
            return
        if self._informed:
            self._informed.submitted(self.now, job)
        self.queue.add(job)
        self.recorder.tell("submit", job)

    def _never_fits(self, job: TraceJob) -> None:
        self.recorder.never_fits(job)
        if self._progress:
            self._progress(1)

    def _moved(self, moves: Sequence[Move]) -> None:
        """After an event: its moves delay their jobs, and a round may move something again."""
        self.recorder.measures.delays += self.clock.delay(moves)
        self._settled = False
