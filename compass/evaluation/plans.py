"""Which runs each experiment consists of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from compass.evaluation.baselines.fgd import instance_counts
from compass.evaluation.days import day_of, nodes_for
from compass.evaluation.places import IDEAL
from compass.evaluation.registry import BY_DAY, NEVER, UNLIMITED
from compass.evaluation.runs import Row, Run, Workload
from compass.evaluation.settings import Settings
from compass.evaluation.watch import STEP
from compass.text_input import about
from compass.trace import TraceJob

HEADLINE = ("0.90",)
"""The cluster size of most figures of the paper."""
INTENSITIES = ("0.85", "0.90", "0.95")
ENOUGH_JOBS = 20
"""Days with fewer jobs are in the table, and left out of means over days with a queue."""


@dataclass(frozen=True)
class Scope:
    """What an experiment is run on where it is not to be all of the trace.

    Attributes:
        etas: shares for cluster sizes, in place of the experiment's own.
        nodes: a cluster size in place of them.
        days: only these days.
    """

    etas: tuple[str, ...] = ()
    nodes: int | None = None
    days: tuple[int, ...] = ()

    def days_of(self, workload: Workload) -> list[int]:
        """The days to run.

        Raises:
            InputError: one of the days has no job.
        """
        for day in self.days:
            with about(f"{workload.name}:"):
                day_of(workload.days, day)
        return list(self.days or workload.days)

    def sizes(self, jobs: Sequence[TraceJob], etas: Iterable[str]) -> list[tuple[str, int]]:
        """The cluster sizes for some jobs, each with its eta."""
        if self.nodes is not None:
            return [("-", self.nodes)]
        return [(eta, nodes_for(jobs, Fraction(eta))) for eta in self.etas or etas]


def _unified(*dials: int | str) -> list[Settings]:
    return [Settings.of("unified", open_nodes=m) for m in dials]


def _named(*names: str) -> list[Settings]:
    return [Settings.of(name) for name in names]


COMPASS = [*_named("printed", "repaired"), *_unified(1, 2)]
"""The variants of COMPASS that are compared with the baselines of the paper."""
ROUNDS_OF_RIVALS = (300, 3600)
"""Round lengths that COMPASS is compared under: the paper gives none, and the ranking depends on it."""
IN_ROUNDS = [Settings.of(name, round_length=R) for name in ("fft", "drr") for R in ROUNDS_OF_RIVALS]
PHASES = 20
"""Phases of rounds that are compared, in equal steps: the paper does not say when its rounds are."""
BASELINES = [
    *_named("best-fit", "fgd", "cafgd"),
    Settings.of("mcg", queue="fifo"),
    Settings.of("mcg"),
    *IN_ROUNDS,
]
"""The six baselines of the paper; MCG-Sched with its own queue and with FIFO, FFT and DRR with two round lengths."""
MAIN = [IDEAL, *COMPASS, *_unified(3, 8, UNLIMITED), *BASELINES]
EXTRA = _named("first-fit", "worst-fit", "random", "buddy", "drain", "consolidate", "on-demand")
ABLATIONS = [
    Settings.of("best-fit", queue="gfs-queue"),
    Settings.of("best-fit", queue="easy"),
    Settings.of("best-fit", queue="skip"),
    Settings.of("unified", queue="skip"),
    Settings.of("ideal", queue="skip"),
    Settings.of("fgd", shares="trace"),
    Settings.of("fgd", shares="causal"),
    Settings.of("fgd", variant="trunc"),
    Settings.of("cafgd", alpha=0.25),
    Settings.of("cafgd", alpha=0.75),
    Settings.of("cafgd", window=21600),
    Settings.of("cafgd", wait="W1"),
    Settings.of("mcg", queue="mcg-block"),
    Settings.of("mcg", load=0.1),
    Settings.of("drr", drain="all-or-none"),
]
"""Variants of the baselines and other queue rules, for what the headline settings leave open."""
ROUNDS = (300, 3600, 10800)
FRONTIER = [
    IDEAL,
    *_named("printed", "repaired"),
    *_unified(1, 2, 3, 4, 6, 8, 11, 16, UNLIMITED),
    *_named("best-fit", "fgd", "drain", "consolidate"),
    *(Settings.of("on-demand", patience=seconds) for seconds in (0, 60, 300, 420, 480, 900)),
    *(Settings.of("drr", round_length=R) for R in (*ROUNDS, NEVER)),
    *(Settings.of("drr", round_length=R, drain="all-or-none") for R in ROUNDS),
    *(Settings.of("fft", round_length=R) for R in ROUNDS),
]
MIGRATING = [
    *_named("printed", "repaired"),
    *_unified(1, 2, 3, UNLIMITED),
    Settings.of("drr", round_length=300),
    *_named("drr", "drain", "consolidate"),
]
COSTS = range(1, 11)
PROGRAMS = _named("fft", "on-demand")
"""Schedulers that solve integer programs take minutes for a trace, so they are run with fewer costs."""
FEWER_COSTS = (1, 4, 7, 10)
DYNAMICS = [*_named("printed", "repaired"), *_unified(1, 2), *_named("best-fit", "fgd", "drr", "fft"), IDEAL]
DEMO = [IDEAL, Settings.of("printed"), *_unified(2), Settings.of("best-fit"), Settings.of("drr")]


def over_days(
    workload: Workload, scope: Scope, settings: Sequence[Settings], etas: Iterable[str], step: int | None = None
) -> list[Run]:
    """Every scheduler on every day and cluster size, watched where ``step`` says so."""
    return [
        Run(workload.name, day, eta, nodes, chosen, step)
        for day in scope.days_of(workload)
        for eta, nodes in scope.sizes(workload.days[day], etas)
        for chosen in settings
    ]


def overall(workload: Workload, scope: Scope) -> list[Run]:
    """All schedulers, and the variants of baselines and queue rules; without migration cost, and with 8 s."""
    costly = [chosen.but(cost=8) for chosen in (*COMPASS, *_named("fft", "drr", "drain", "on-demand"))]
    by_day = [chosen.but(round_phase=BY_DAY) for chosen in IN_ROUNDS]
    return over_days(workload, scope, [*MAIN, *EXTRA, *ABLATIONS, *by_day, *costly], HEADLINE)


def intensity(workload: Workload, scope: Scope) -> list[Run]:
    """The main schedulers under three cluster sizes."""
    return over_days(workload, scope, MAIN, INTENSITIES)


def wcc(workload: Workload, scope: Scope) -> list[Run]:
    """The variants of COMPASS, the six baselines and ideal under three cluster sizes."""
    return over_days(workload, scope, [IDEAL, *COMPASS, *BASELINES], INTENSITIES)


def migration(workload: Workload, scope: Scope) -> list[Run]:
    """Schedulers that move instances, with a cost from 0 to 10 s, and two that do not move any."""
    settings = [IDEAL, Settings.of("best-fit"), *MIGRATING, *PROGRAMS]
    settings += [chosen.but(cost=cost) for cost in COSTS for chosen in MIGRATING]
    settings += [chosen.but(cost=cost) for cost in FEWER_COSTS for chosen in PROGRAMS]
    return over_days(workload, scope, settings, HEADLINE)


def frontier(workload: Workload, scope: Scope) -> list[Run]:
    """Every dial, round length and rule that trades moves for fragmentation."""
    return over_days(workload, scope, FRONTIER, HEADLINE)


def blocking(workload: Workload, scope: Scope) -> list[Run]:
    """The main schedulers and the extra ones."""
    return over_days(workload, scope, [*MAIN, *EXTRA], HEADLINE)


def demo(workload: Workload, scope: Scope) -> list[Run]:
    """Five schedulers."""
    return over_days(workload, scope, DEMO, HEADLINE)


def composition(workload: Workload, scope: Scope) -> list[Run]:
    """The main schedulers on day 92 of the paper and on the two days whose compositions are farthest apart."""
    return over_days(workload, _on_its_days(workload, scope), [*MAIN, Settings.of("drain")], HEADLINE)


def phases(workload: Workload, scope: Scope) -> list[Run]:
    """FFT and DRR on the days of ``composition``, with rounds shifted by parts of their length, and by the day."""
    shifted = [
        chosen.but(round_phase=phase)
        for chosen in IN_ROUNDS
        for phase in (*(k * int(chosen.round_length or 0) // PHASES for k in range(PHASES)), BY_DAY)
    ]
    return over_days(workload, _on_its_days(workload, scope), [IDEAL, *shifted], HEADLINE)


def _on_its_days(workload: Workload, scope: Scope) -> Scope:
    return Scope(scope.etas, scope.nodes, scope.days or compositions(workload))


PAPER_DAY = 91
"""Day 92 of the paper, counted from 0."""


def compositions(workload: Workload) -> tuple[int, ...]:
    """Day 92 of the paper where the trace has it, and the two days that differ most in their shares of sizes.

    The distance is the sum of the differences of the shares, by instance; days with fewer than 20 jobs are left
    out where there are two others; of equal pairs the earliest.
    """
    days = workload.days
    shares = {
        day: [Fraction(number, sum(counts)) for number in counts]
        for day, counts in ((day, instance_counts(jobs)) for day, jobs in days.items() if len(jobs) >= ENOUGH_JOBS)
    }
    found = [PAPER_DAY] if PAPER_DAY in days else []

    if len(shares) >= 2:
        distances: dict[tuple[int, int], Fraction | int] = {
            (one, other): sum(abs(p - q) for p, q in zip(shares[one], shares[other], strict=True))
            for one, other in combinations(shares, 2)
        }
        found += max(distances.items(), key=lambda entry: entry[1])[0]
    return tuple(dict.fromkeys(found or list(days)[:1]))


SEARCHED = Settings.of("best-fit")
"""The scheduler under which the day of the dynamics is looked for."""


def dynamics(workload: Workload, scope: Scope, step: int = STEP) -> list[Run]:
    """Best-fit on every day, watched, to find the day to look at."""
    return over_days(workload, scope, [SEARCHED], HEADLINE, step)


def blocked_day(rows: Sequence[Row]) -> int:
    """The day on which a large 8-GPU job is the head of the queue for the longest time, under best-fit.

    Large: more than one instance. Of equal days the first.
    """
    searched = [row for row in rows if row["label"] == SEARCHED.label]
    return int(max(searched, key=lambda row: row["head_of_large_seconds"])["day"])


def on_blocked_day(workload: Workload, scope: Scope, rows: Sequence[Row], step: int = STEP) -> list[Run]:
    """The others on that day, watched; without rows on the first, as there are as many runs on every day."""
    day = blocked_day(rows) if rows else scope.days_of(workload)[0]
    others = [chosen for chosen in DYNAMICS if chosen != SEARCHED]
    return over_days(workload, replace(scope, days=(day,)), others, HEADLINE, step)


def nothing(_: Workload, __: Scope) -> list[Run]:
    """No runs: the experiment looks at traces."""
    return []


def nothing_more(_: Workload, __: Scope, ___: Sequence[Row]) -> list[Run]:
    """No runs that depend on the results of others."""
    return []
