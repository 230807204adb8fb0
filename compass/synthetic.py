"""Synthetic traces with a given mix of instance sizes, for everyone without the real ones.

Arrivals are a Poisson process, durations a mixture of exponentials (a heavy tail, as training jobs have it), sizes
are drawn from the shares of a ``Mix``. Shares are of *instances*, as in the paper's table 1; a job of a size with
many instances a job is drawn more rarely, so that the instances keep their shares.

*What is known of the paper's two mixes.* Of table 1 we know the Venus row by class: 37.68 % I, 9.44 % in {2, 4},
0.44 % in {3, 5, 6, 7}, 52.44 % of 8 GPUs. ``venus`` has the split by size counted in the public Venus trace, which
agrees with each class to 0.13 percentage points. The other row, GFS, we do not know. ``openb`` stands for it: the
whole-GPU pods of an older public trace of the same operator, likewise a mix in which the WCC holds at all times, but
98 % of it 1-GPU instances. How many instances a job has and how long it runs is assumed for every mix, in round
numbers near the Venus trace.

*Determinism.* The same arguments give the same trace, byte by byte, on every platform and Python version: the only
source of chance is ``random.Random(seed).random()``, whose sequence Python guarantees, and the only arithmetic on it
is addition, multiplication, division and comparison of doubles. No logarithm is taken, as C libraries differ in its
last bit; exponentials are drawn by von Neumann's comparison method.
"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from compass.errors import InputError
from compass.geometry import CAPACITIES
from compass.text_input import MAX_INSTANCES, MAX_NAME, about, check_name, check_range, nearest
from compass.trace import TraceJob

T = TypeVar("T")
Weights = Mapping[int, float]
"""Relative weights of integer values; they need not sum to 1 or 100."""

MAX_JOBS = 2_000_000
"""Longest trace that is generated."""
MAX_GAP = 10**6
"""Largest mean time between two submissions, in seconds."""
MAX_DURATION = 10**9
"""Largest mean duration, in seconds."""

MAX_WEIGHT = 10**9
"""Largest weight of a mix."""

DURATIONS = {0.1: 6, 1.0: 3, 6.3: 1}
"""Durations as multiples of the mean: the mean of each exponential, and its weight. The mean of all is 1."""

_GANGS = {8: {1: 60, 2: 20, 4: 12, 8: 6, 16: 2}}


@dataclass(frozen=True)
class Mix:
    """Which sizes instances have, and how many instances a job of each size has.

    Args:
        name: what the mix is called on the command line.
        phases: shares of instances by size; more than one are taken in turn, ``phase_jobs`` jobs each.
        phase_jobs: length of a phase in jobs.
        gangs: for a size, weights of the number of instances of a job; one instance where a size is not listed.
        about: one line on what it is.

    Raises:
        InputError: a phase has no positive weight, or a size, number or weight is out of range.
    """

    name: str
    phases: tuple[Weights, ...]
    phase_jobs: int = 1
    gangs: Mapping[int, Weights] = field(default_factory=dict)
    about: str = ""

    def __post_init__(self) -> None:
        with about(f"mix {self.name!r}:"):
            check_name(self.name)
            check_range(self.phase_jobs, 1, MAX_JOBS)
            if not self.phases:
                raise InputError("has no phase")
            for phase in self.phases:
                _check_weights(phase, max(CAPACITIES))
            for gpus, weights in self.gangs.items():
                check_range(gpus, 1, max(CAPACITIES))
                _check_weights(weights, MAX_INSTANCES)


def _check_weights(weights: Weights, most: int) -> None:
    for value, weight in weights.items():
        check_range(value, 1, most)
        if not 0 <= weight <= MAX_WEIGHT:
            raise InputError(f"weight {weight} of {value}: must be from 0 to {MAX_WEIGHT}")
    if not any(weights.values()):
        raise InputError("no weight is positive")


_VENUS = {1: 37.694, 2: 4.033, 3: 0.117, 4: 5.277, 5: 0.057, 6: 0.120, 7: 0.143, 8: 52.559}
_OPENB = {1: 97.961, 2: 0.413, 4: 0.413, 8: 1.212}
_WITHOUT_ONES = {2: 20, 3: 15, 4: 20, 5: 5, 6: 10, 7: 10, 8: 20}
_WITH_ONES = {1: 400, **_WITHOUT_ONES}  # slack 0.68 a job on average, and -0.6 without: it crosses zero in every phase

MIXES: Mapping[str, Mix] = {
    mix.name: mix
    for mix in (
        Mix("venus", (_VENUS,), gangs=_GANGS, about="table 1, Venus: half of the instances take a whole node"),
        Mix("openb", (_OPENB,), about="stands for table 1, GFS, which we do not know: almost all 1-GPU"),
        Mix("friendly", ({2: 40, 4: 40, 8: 20},), about="sizes 2, 4, 8 only, as in appendix B"),
        Mix("uniform", (dict.fromkeys(range(1, 9), 1),), about="every size alike: WCC fails almost always"),
        Mix(
            "alternating",
            (_WITH_ONES, _WITHOUT_ONES),
            phase_jobs=400,
            about="400 jobs with 1-GPU instances among them, 400 without: WCC fails for part of the time",
        ),
        Mix("violating", ({3: 1, 5: 1, 6: 1, 7: 1},), about="sizes 3, 5, 6, 7 only: WCC fails whenever a job runs"),
    )
}
"""The mixes that come with the package, by name."""


def find_mix(name: str) -> Mix:
    """The mix of that name.

    Raises:
        InputError: there is none.
    """
    if name not in MIXES:
        raise InputError(f"mix {name!r}: there is none{nearest(name, MIXES)} (known: {', '.join(MIXES)})")
    return MIXES[name]


def generate(
    mix: Mix | str,
    jobs: int,
    seed: int = 0,
    *,
    mean_gap: float = 60.0,
    mean_duration: float = 9000.0,
    prefix: str = "job",
) -> list[TraceJob]:
    """A trace of ``jobs`` jobs; the first is submitted at time 0, every one runs for at least a second.

    By Little's law ``mean_duration / mean_gap`` jobs run at a time on an unlimited cluster, 150 by default; the phases
    of a mix show where that is less than their length.

    Args:
        mix: a mix or the name of one in ``MIXES``.
        jobs: number of jobs.
        seed: a non-negative integer; the same arguments give the same trace everywhere (see the module).
        mean_gap: mean time between two submissions, in seconds.
        mean_duration: mean duration, in seconds.
        prefix: job ids are this, a hyphen and a number.

    Raises:
        InputError: an argument is out of range or the mix is not known.

    Examples:
        >>> for job in generate("venus", 2, seed=1):
        ...     print(job)
        TraceJob(job_id='job-0', submit_time=0, duration=13045, instances=1, gpus_per_instance=1)
        TraceJob(job_id='job-1', submit_time=47, duration=18, instances=1, gpus_per_instance=1)

    Cost: linear in the number of jobs, some microseconds each.
    """
    mix = find_mix(mix) if isinstance(mix, str) else mix
    _check_arguments(jobs, seed, mean_gap, mean_duration, prefix)
    rng = random.Random(seed)
    sizes = [_Choice(_job_weights(phase, mix.gangs)) for phase in mix.phases]
    gangs = {gpus: _Choice(weights) for gpus, weights in mix.gangs.items()}
    tail = _Choice(DURATIONS)
    digits = len(str(jobs - 1))
    trace: list[TraceJob] = []
    clock = 0.0
    for index in range(jobs):
        gpus = sizes[index // mix.phase_jobs % len(sizes)].draw(rng)
        instances = gangs[gpus].draw(rng) if gpus in gangs else 1
        duration = int(tail.draw(rng) * mean_duration * _exponential(rng))
        trace.append(TraceJob(f"{prefix}-{index:0{digits}}", int(clock), max(1, duration), instances, gpus))
        clock += mean_gap * _exponential(rng)
    return trace


def _check_arguments(jobs: int, seed: int, mean_gap: float, mean_duration: float, prefix: str) -> None:
    with about("jobs:"):
        check_range(jobs, 1, MAX_JOBS)
    with about("seed:"):
        check_range(seed, 0, 2**63 - 1)
    for what, value, most in (("mean gap", mean_gap, MAX_GAP), ("mean duration", mean_duration, MAX_DURATION)):
        if not 0 < value <= most:
            raise InputError(f"{what}: {value} must be positive and at most {most}")
    with about("prefix"):
        check_name(prefix, slash=False)
        check_range(len(prefix), 1, MAX_NAME - 9)


def _job_weights(shares: Weights, gangs: Mapping[int, Weights]) -> dict[int, float]:
    """Weights of jobs by size such that their instances have the given shares."""
    weights: dict[int, float] = {}
    for gpus, share in shares.items():
        gang = gangs.get(gpus, {1: 1})
        weights[gpus] = share * math.fsum(gang.values()) / math.fsum(number * weight for number, weight in gang.items())
    return weights


class _Choice(Generic[T]):
    """Draws values with given weights."""

    def __init__(self, weights: Mapping[T, float]) -> None:
        self._values = list(weights)
        self._bounds = list(itertools.accumulate(weights.values()))

    def draw(self, rng: random.Random) -> T:
        """One value; the last bound is never searched, so rounding cannot lead past the last value."""
        return self._values[
            bisect.bisect_right(self._bounds, rng.random() * self._bounds[-1], 0, len(self._bounds) - 1)
        ]


def _exponential(rng: random.Random) -> float:
    """A draw from the exponential distribution of mean 1, by comparisons alone (von Neumann, 1951).

    The length of the descending run that begins with the uniform draw x exceeds k with probability x^k / k!, so it
    is odd with probability exp(-x); every even run adds 1 and starts over.
    """
    whole = 0
    while True:
        first = rng.random()
        length, last = 1, first
        while (following := rng.random()) < last:
            length, last = length + 1, following
        if length % 2:
            return whole + first
        whole += 1
