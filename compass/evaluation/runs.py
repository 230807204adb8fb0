"""Runs: one scheduler on one day (or on a whole trace) of one cluster, the unit of every experiment.

A run gives one row of the results table: where it was run, every setting, every measure. Runs are independent, so they
may be performed in any order and anywhere; the same run gives the same row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from compass.errors import CompassError, InputError
from compass.evaluation.baselines.fgd import instance_counts
from compass.evaluation.days import DAY, from_first, split_days
from compass.evaluation.measures import Measures
from compass.evaluation.recorder import Observer
from compass.evaluation.schedulers import make
from compass.evaluation.settings import Settings
from compass.evaluation.simulate import simulate
from compass.evaluation.watch import Watch
from compass.trace import TraceJob, format_trace

Row = dict[str, Any]
"""A row of the results table, by column; the row of a watched run also has its steps."""

FORMAT = 3
"""To be raised when the meaning of a row changes: results of another format are not used, nor are those of another
version of the package (:mod:`compass.evaluation.store`)."""
TOGETHER = 8
"""Most runs of one task: little enough that an interrupted evaluation has little to repeat."""
WHOLE = "all"
"""The day of a run over the whole trace."""


@dataclass(frozen=True)
class Run:
    """What is run, and where.

    Attributes:
        trace: name of the trace.
        day: day of the trace, or ``"all"``.
        eta: the share that the cluster size stands for, as text; ``-`` where the size was given.
        nodes: cluster size N.
        settings: the scheduler with its settings.
        step: seconds of the steps of time over which the run is watched, None where it is not.
    """

    trace: str
    day: int | str
    eta: str
    nodes: int
    settings: Settings
    step: int | None = None

    def row(self) -> Row:
        """The columns that say what was run."""
        return {
            "trace": self.trace,
            "day": str(self.day),
            "eta": self.eta,
            "nodes": self.nodes,
            **self.settings.row(),
        }

    def watch(self) -> Watch | None:
        """A new watch of the run, from the beginning of its day."""
        return None if self.step is None else Watch(int(self.day) * DAY, self.step)


class Workload:
    """The jobs of a trace, their days, and digests by which results are recognised.

    Args:
        name: of the trace, as the table has it.
        jobs: in order of submission; their times are counted from the first one.
    """

    def __init__(self, name: str, jobs: Sequence[TraceJob]) -> None:
        self.name = name
        self.jobs = tuple(from_first(jobs))

    @cached_property
    def days(self) -> dict[int, tuple[TraceJob, ...]]:
        """The jobs of every day that has any."""
        return {day: tuple(jobs) for day, jobs in split_days(self.jobs).items()}

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Instances of each size."""
        return tuple(instance_counts(self.jobs))

    def served(self, day: int | str) -> tuple[TraceJob, ...]:
        """The jobs of a day, or all."""
        return self.days[day] if isinstance(day, int) else self.jobs

    def digest(self, day: int | str) -> str:
        """A digest of all that a run on this day depends on beside its settings."""
        if day not in self._digests:
            text = f"{FORMAT}\n{self.counts}\n{format_trace(self.served(day))}"
            self._digests[day] = hashlib.sha256(text.encode()).hexdigest()
        return self._digests[day]

    @cached_property
    def _digests(self) -> dict[int | str, str]:
        return {}

    def key(self, run: Run) -> str:
        """What a run's result is stored under: the same for runs that differ in nothing but names."""
        watched = [] if run.step is None else [run.step]
        text = json.dumps([self.digest(run.day), run.nodes, run.settings.recognised(), *watched])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


COLUMNS = ("status", *(name for name in Measures(1, 8).to_json() if name != "nodes"))
"""The measures of a row."""
ADDED = frozenset({"max_sif_lasting"})
"""Those that stored results may lack, as they came later; None in the table then."""
REQUIRED = frozenset(COLUMNS) - ADDED


class Task(NamedTuple):
    """Runs on the same jobs, with these jobs: what is sent to a worker."""

    jobs: tuple[TraceJob, ...]
    trace_counts: tuple[int, ...]
    runs: tuple[Run, ...]


class Outcome(NamedTuple):
    """The measures of a run by column, the first saying whether it came to its end, and how many seconds it took."""

    measures: Row
    seconds: float


def tasks_of(workload: Workload, runs: Iterable[Run]) -> list[Task]:
    """Runs grouped by their jobs and cluster, a few together, in order."""
    groups: dict[tuple[int | str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.day, run.nodes), []).append(run)
    return [
        Task(workload.served(day), workload.counts, tuple(group[k : k + TOGETHER]))
        for (day, _), group in groups.items()
        for k in range(0, len(group), TOGETHER)
    ]


def perform(task: Task) -> list[Outcome]:
    """Carry out the runs of a task; can be sent to another process or machine."""
    return [_perform(run, task) for run in task.runs]


def _perform(run: Run, task: Task) -> Outcome:
    status, watch = "done", run.watch()
    try:
        found = simulate_run(run, task.jobs, task.trace_counts, watch)
    except InputError:
        raise
    except CompassError as error:  # a finding about the scheduler, or a solver that gave up: the row says so
        found, watch = Measures(run.nodes, 8), run.watch()
        status = f"{type(error).__name__}: {error}"
    measures = {"status": status, **found.to_json()}
    return Outcome({name: measures[name] for name in COLUMNS} | (watch.kept() if watch else {}), found.seconds)


def simulate_run(
    run: Run, jobs: Sequence[TraceJob], trace_counts: Sequence[int], observe: Observer | None = None
) -> Measures:
    """The measures of one run.

    Examples:
        >>> run = Run("two", 0, "-", 2, Settings.of("ideal"))
        >>> simulate_run(run, [TraceJob("a", 0, 60, 1, 4)], [0] * 9).ajct
        Fraction(60, 1)
    """
    settings = run.settings
    return simulate(
        jobs,
        make(settings, run.nodes, jobs, trace_counts),
        queue=settings.make_queue(),
        cost=settings.cost,
        cost_rule=settings.cost_rule,
        round_phase=settings.round_phase or 0,
        bound=settings.bound,
        observe=observe,
    )
