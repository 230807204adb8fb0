"""Queue rules: in which order waiting jobs are tried, and who may pass whom.

The simulator adds a job at its submission and lets the rule :meth:`QueueRule.serve` at every instant. The *head* is the
waiting job that the rule would start before all others; whether enough GPUs are free for it is what the share of
waiting time blocked by fragmentation is about.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Protocol

from compass.errors import InputError
from compass.evaluation.hooks import Scored
from compass.scheduler import Scheduler
from compass.trace import TraceJob


class Desk(Protocol):
    """What a queue rule sees of the simulation."""

    scheduler: Scheduler

    @property
    def now(self) -> int:
        """The time."""

    @property
    def free_gpus(self) -> int:
        """GPUs of the cluster that are not busy."""

    def start(self, job: TraceJob) -> bool:
        """Offer a job to the scheduler; True when it leaves the queue, since it runs now or never fits."""

    def endings(self) -> Sequence[tuple[int, int]]:
        """Time of completion and GPUs of each running job, as far as known now, soonest first; O(n log n)."""


class QueueRule(Protocol):
    """The waiting jobs and their order."""

    def __len__(self) -> int:
        """How many jobs wait."""

    def add(self, job: TraceJob) -> None:
        """A job has been submitted."""

    def head(self) -> TraceJob:
        """The waiting job that is to start first; there is one."""

    def serve(self, desk: Desk) -> int | None:
        """Start what may start now; the result is a time at which to serve again though nothing may have happened."""


def demand(job: TraceJob) -> int:
    """GPUs of all instances of a job."""
    return job.instances * job.gpus_per_instance


class Fifo:
    """First in, first out: the head that does not fit blocks the rest.

    Args:
        hold: with a scheduler that scores (CAFGD's "wait for the peak", reading W1), the head is held back for up to
            so many seconds after its submission while its best place would add fragmentation; 0 for never.
    """

    def __init__(self, hold: int = 0) -> None:
        self._jobs: deque[TraceJob] = deque()
        self._hold = hold

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: TraceJob) -> None:
        """A job has been submitted."""
        self._jobs.append(job)

    def head(self) -> TraceJob:
        """The job that waits longest."""
        return self._jobs[0]

    def serve(self, desk: Desk) -> int | None:
        """Start jobs in order of submission up to the first that has to wait."""
        while self._jobs:
            until = self._jobs[0].submit_time + self._hold
            if desk.now < until and _adds_fragmentation(desk.scheduler, self._jobs[0]):
                return until
            if not desk.start(self._jobs[0]):
                break
            self._jobs.popleft()
        return None


def _adds_fragmentation(scheduler: Scheduler, job: TraceJob) -> bool:
    score = _scored(scheduler).score(job.gpus_per_instance, job.instances)
    return score is not None and score > 0


def _scored(scheduler: Scheduler) -> Scored:
    if not isinstance(scheduler, Scored):
        raise InputError(f"{type(scheduler).__name__}: this queue rule needs a scheduler that scores jobs")
    return scheduler


class EasyBackfill(Fifo):
    """EASY backfilling: the head gets a reservation, and a later job may pass if it does not delay that.

    The reservation is the earliest time at which as many GPUs are free as the head needs, given when running jobs end
    (durations are known exactly, which favours this rule). A later job may start if it ends by then, or needs no more
    than what is spare then. GPUs are counted, not nodes: the head may find its GPUs scattered. Where those that will
    end do not leave enough, as when `printed` is stuck with others, there is no reservation and nobody passes.

    Source: Lifka, "The ANL/IBM SP scheduling system", JSSPP '95.
    """

    def serve(self, desk: Desk) -> int | None:
        """Start from the head on, then let others pass the first that has to wait."""
        super().serve(desk)
        if len(self._jobs) < 2:
            return None
        reservation = self._reservation(desk)
        if reservation is None:
            return None
        reserved, spare = reservation
        waiting = [self._jobs.popleft()]
        for job in self._jobs:
            ends_before = desk.now + job.duration <= reserved
            if (ends_before or demand(job) <= spare) and desk.start(job):
                spare -= 0 if ends_before else demand(job)
            else:
                waiting.append(job)
        self._jobs = deque(waiting)
        return None

    def _reservation(self, desk: Desk) -> tuple[int, int] | None:
        """When enough GPUs will be free for the head, and how many more than it needs; None where that is not known."""
        spare = desk.free_gpus - demand(self._jobs[0])
        if spare >= 0:
            return desk.now, spare
        for time, gpus in desk.endings():
            spare += gpus
            if spare >= 0:
                return time, spare
        return None


class Skip(Fifo):
    """Order of submission, and whatever does not fit is passed."""

    def serve(self, desk: Desk) -> int | None:
        """Try each waiting job once."""
        self._jobs = deque([job for job in self._jobs if not desk.start(job)])
        return None


class GfsQueue:
    """The queue of GFS: largest instances first, then order of submission.

    Once a job with instances of ``g`` GPUs does not fit, jobs with instances of at least ``g`` are skipped, as the
    public code of GFS does it for one priority class.
    """

    def __init__(self) -> None:
        self._by_size: dict[int, deque[TraceJob]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._by_size.values()))

    def add(self, job: TraceJob) -> None:
        """A job has been submitted."""
        self._by_size.setdefault(job.gpus_per_instance, deque()).append(job)

    def head(self) -> TraceJob:
        """The first of those with the largest instances."""
        return self._by_size[max(g for g, jobs in self._by_size.items() if jobs)][0]

    def serve(self, desk: Desk) -> int | None:
        """From the largest size down, start jobs of a size up to the first that does not fit."""
        for gpus in sorted(self._by_size, reverse=True):
            jobs = self._by_size[gpus]
            while jobs and desk.start(jobs[0]):
                jobs.popleft()
        return None


class McgQueue(Fifo):
    """The queue of MCG-Sched, reconstructed: least added fragmentation per GPU first, then order of submission.

    The order is made anew before each pass. Jobs that have waited for more than ``patience`` seconds come first, in
    order of submission; those that do not fit now come last. The head is the first in the order of the last pass.

    Args:
        block: whether the first job that does not fit ends the pass; otherwise it is skipped. As those that do not fit
            come last, this only matters to jobs that have waited long and where jobs of the same pass take the room.
        patience: in seconds.
    """

    def __init__(self, block: bool = False, patience: int = 3600) -> None:
        super().__init__()
        self._block = block
        self._patience = patience

    def serve(self, desk: Desk) -> int | None:
        """Order the waiting jobs and try each once."""
        waiting: list[TraceJob] = []
        for job in self._ordered(desk):
            if (self._block and waiting) or not desk.start(job):
                waiting.append(job)
        self._jobs = deque(waiting)
        return None

    def _ordered(self, desk: Desk) -> Iterable[TraceJob]:
        scheduler = _scored(desk.scheduler)
        kinds = {(job.gpus_per_instance, job.instances) for job in self._jobs}
        scores = {kind: scheduler.score(*kind) for kind in kinds}
        by_submission = sorted(self._jobs, key=lambda job: job.submit_time)
        patient = [job for job in by_submission if desk.now - job.submit_time <= self._patience]
        ranked = [(scores[job.gpus_per_instance, job.instances], k, job) for k, job in enumerate(patient)]
        yield from (job for job in by_submission if desk.now - job.submit_time > self._patience)
        yield from (job for _, _, job in sorted((s, k, job) for s, k, job in ranked if s is not None))
        yield from (job for score, _, job in ranked if score is None)
