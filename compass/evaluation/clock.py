"""The clock of a simulation: when each running job ends, and how migration delays that."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence

from compass.errors import InputError
from compass.evaluation.queues import demand
from compass.events import Move, job_of
from compass.trace import TraceJob

COST_RULES = ("job", "instance")
"""What ``cost`` is for: all moves of one job at one instant, or each moved instance."""


class Clock:
    """The time, and the ends of the running jobs.

    Args:
        cost: migration cost in seconds.
        cost_rule: one of ``COST_RULES``.

    Attributes:
        now: the time; whoever owns the clock sets it.

    Raises:
        InputError: an argument is malformed.

    Examples:
        >>> clock = Clock(cost=3)
        >>> clock.start(TraceJob("a", 0, 10, 1, 4)), clock.delay([Move("a/0", 0, 1)]), clock.soonest()
        (None, 1, 13)
    """

    def __init__(self, cost: int = 0, cost_rule: str = "job") -> None:
        if type(cost) is not int or cost < 0 or cost_rule not in COST_RULES:
            raise InputError(f"migration cost {cost!r} for each {cost_rule!r}: must be a whole number >= 0 for each "
                             f"{' or '.join(COST_RULES)}")  # fmt: skip
        self.now = 0
        self._cost, self._per_instance = cost, cost_rule == "instance"
        self._admitted = 0
        self._heap: list[tuple[int, int, TraceJob]] = []  # an entry may be early: a job was delayed since
        self._ends: dict[str, int] = {}
        self._delayed: dict[str, int] = {}  # when a running job was last delayed

    def __len__(self) -> int:
        """How many jobs run."""
        return len(self._heap)

    def start(self, job: TraceJob) -> None:
        """A job has been admitted now; O(log n)."""
        self._admitted += 1
        end = self._ends[job.job_id] = self.now + job.duration
        heapq.heappush(self._heap, (end, self._admitted, job))

    def soonest(self) -> int | None:
        """When the next job ends, None where none runs."""
        heap = self._heap
        while heap and heap[0][0] < self._ends[heap[0][2].job_id]:
            _, rank, job = heap[0]
            heapq.heapreplace(heap, (self._ends[job.job_id], rank, job))
        return heap[0][0] if heap else None

    def due(self) -> list[TraceJob]:
        """The jobs that end now, in order of admission; they no longer run."""
        due: list[tuple[int, TraceJob]] = []
        while self.soonest() == self.now:
            _, rank, job = heapq.heappop(self._heap)
            due.append((rank, job))
            del self._ends[job.job_id]
            self._delayed.pop(job.job_id, None)
        return [job for _, job in sorted(due)]

    def endings(self) -> list[tuple[int, int]]:
        """Time of completion and GPUs of each running job, soonest first; O(n log n)."""
        return sorted((self._ends[job.job_id], demand(job)) for _, _, job in self._heap)

    def delay(self, moves: Sequence[Move]) -> int:
        """Delay the jobs whose instances have moved now; how many times a job was delayed."""
        delays = 0
        for job, number in Counter(job_of(move.instance) for move in moves).items() if self._cost else ():
            if job not in self._ends:  # ends at this instant, or is just being placed
                continue
            if self._per_instance:
                self._ends[job] += self._cost * number
            elif self._delayed.get(job) != self.now:
                self._ends[job] += self._cost
            else:
                continue
            self._delayed[job] = self.now
            delays += 1
        return delays
