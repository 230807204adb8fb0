"""Schedulers by their settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from compass.errors import InputError
from compass.evaluation.baselines.fgd import instance_counts
from compass.evaluation.registry import SCHEDULERS
from compass.evaluation.settings import Settings
from compass.scheduler import Scheduler
from compass.trace import TraceJob


def make(
    settings: Settings, nodes: int, jobs: Sequence[TraceJob], trace_counts: Sequence[int] | None = None
) -> Scheduler:
    """A new scheduler on an idle cluster; queue rule and migration cost are the simulator's.

    Args:
        settings: which one.
        nodes: cluster size N.
        jobs: the jobs that it is going to serve, for schedulers that know their size distribution.
        trace_counts: instances of each size in the whole trace, for ``shares="trace"``; default: those of ``jobs``.

    Raises:
        InputError: ``nodes`` is not a positive integer.

    Examples:
        >>> make(Settings.of("unified", open_nodes=2), 4, []).arrive("a", 3).admitted
        True
    """
    entry = SCHEDULERS[settings.scheduler]
    own = {name: getattr(settings, name) for name in entry.own}
    counts = trace_counts if settings.shares == "trace" and trace_counts is not None else instance_counts(jobs)
    return entry.make(nodes, own, counts)


def check_solver(chosen: Iterable[Settings]) -> None:
    """See to it that what some schedulers need beside this package is there before anything is run.

    Raises:
        InputError: it is not.
    """
    for settings in chosen:
        if SCHEDULERS[settings.scheduler].solves and find_spec("scipy") is None:
            raise InputError(f"{settings.scheduler} needs scipy, to solve integer programs: "
                             "pip install 'compass-abs[evaluate]'")  # fmt: skip
