"""Days of a trace, and the cluster size for a load quantile (protocol of section 5).

A day is an independent replay of the jobs submitted on it, from an empty cluster until the last of them has ended.
Days have 86,400 s and are counted from 0 at the first submission of the trace, which :func:`from_first` makes time 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from compass.errors import InputError
from compass.evaluation.queues import demand
from compass.trace import TraceJob

DAY = 86_400
"""Seconds of a day."""
CAPACITY = 8
"""GPUs of a node in the protocol."""


def from_first(jobs: Iterable[TraceJob]) -> list[TraceJob]:
    """The jobs with times counted from the first submission.

    >>> from_first([TraceJob("a", 1_700_000_000, 9, 1, 1)])
    [TraceJob(job_id='a', submit_time=0, duration=9, instances=1, gpus_per_instance=1)]
    """
    jobs = list(jobs)
    return [job._replace(submit_time=job.submit_time - jobs[0].submit_time) for job in jobs]


def split_days(jobs: Iterable[TraceJob]) -> dict[int, list[TraceJob]]:
    """The jobs submitted on each day from time 0 that has any, days and jobs in order.

    >>> split_days([TraceJob("a", 5, 1, 1, 1), TraceJob("b", 2 * DAY, 1, 1, 1)]).keys()
    dict_keys([0, 2])
    """
    days: dict[int, list[TraceJob]] = {}
    for job in jobs:
        days.setdefault(job.submit_time // DAY, []).append(job)
    return dict(sorted(days.items()))


def jobs_of_day(jobs: Iterable[TraceJob], day: int) -> Sequence[TraceJob]:
    """The jobs submitted on one day.

    Raises:
        InputError: there are none; the message says which days there are.
    """
    return day_of(split_days(jobs), day)


def day_of(days: Mapping[int, Sequence[TraceJob]], day: int) -> Sequence[TraceJob]:
    """The jobs of one of the days that have any.

    Raises:
        InputError: it is not one of them; the message says which there are.
    """
    if day not in days:
        raise InputError(f"day {day}: no job was submitted on it ({len(days)} days from 0 to {max(days)} have jobs)")
    return days[day]


def needed_nodes(job: TraceJob) -> int:
    """``ceil(w / floor(G / g))``: the fewest nodes on which the job alone can run.

    >>> needed_nodes(TraceJob("a", 0, 1, 5, 3))
    3
    """
    return -(-job.instances // (CAPACITY // job.gpus_per_instance))


def nodes_for(jobs: Sequence[TraceJob], eta: Fraction) -> int:
    """``N(eta)``: nodes for the demand of a share ``eta`` of the time.

    With ``D(t)`` the GPUs in use if every job started at its submission, ``p`` is the smallest level that ``D`` stays
    at or below for at least a share ``eta`` of the time with ``D > 0``, and ``N = max(ceil(p / 8), nodes that the
    largest job needs)``.

    Cost: O(n log n).

    Raises:
        InputError: ``eta`` is not in (0, 1], or there is no job.

    Source: section 5, where ``p`` is a percentile of the demand; that the time after the last submission counts, and
    time without demand does not, is our reading.

    Examples:
        >>> jobs = [TraceJob("a", 0, 100, 1, 8), TraceJob("b", 90, 10, 3, 8)]
        >>> nodes_for(jobs, Fraction(9, 10)), nodes_for(jobs[:1], Fraction(1)), nodes_for(jobs, Fraction(91, 100))
        (3, 1, 4)
    """
    if not 0 < eta <= 1:
        raise InputError(f"eta {eta}: must be above 0 and at most 1")
    if not jobs:
        raise InputError("eta: there is no job to take the demand of")
    changes: dict[int, int] = {}
    for job in jobs:
        changes[job.submit_time] = changes.get(job.submit_time, 0) + demand(job)
        end = job.submit_time + job.duration
        changes[end] = changes.get(end, 0) - demand(job)
    lasts: dict[int, int] = {}  # how long each level of demand lasts
    level, since = 0, min(changes)
    for time, change in sorted(changes.items()):
        lasts[level] = lasts.get(level, 0) + time - since
        level, since = level + change, time
    del lasts[0]
    busy = sum(lasts.values())
    largest = max(map(needed_nodes, jobs))
    below = 0
    for level in sorted(lasts):
        below += lasts[level]
        if below >= eta * busy:
            return max(-(-level // CAPACITY), largest)
    return largest
