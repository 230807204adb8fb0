"""Schedulers by their settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any

from compass.errors import InputError
from compass.evaluation.baselines.best_fit import BestFit, FirstFit, RandomFit, WorstFit
from compass.evaluation.baselines.buddy import Buddy
from compass.evaluation.baselines.cafgd import Cafgd
from compass.evaluation.baselines.consolidate import Consolidate
from compass.evaluation.baselines.drain import Drain
from compass.evaluation.baselines.fgd import CausalFgd, Fgd, instance_counts
from compass.evaluation.baselines.mcg import Mcg
from compass.evaluation.baselines.on_demand import OnDemand
from compass.evaluation.baselines.rounds import Drr, Fft
from compass.evaluation.ideal import Ideal
from compass.evaluation.settings import NEVER, OWN_SETTINGS, UNLIMITED, Settings
from compass.printed import Printed
from compass.repaired import Repaired
from compass.scheduler import Scheduler
from compass.trace import TraceJob
from compass.unified import Unified

PROGRAMS = ("fft", "on-demand")
"""Schedulers that solve integer programs, with scipy."""

Own = dict[str, Any]
"""The settings that the scheduler has, as :mod:`compass.evaluation.settings` checked them."""


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
    own: Own = {name: getattr(settings, name) for name in OWN_SETTINGS[settings.scheduler]}
    if settings.scheduler == "fgd":
        of_day = trace_counts is None or own["shares"] == "day"
        return _fgd(nodes, own, instance_counts(jobs) if of_day else trace_counts)
    return _MAKERS[settings.scheduler](nodes, own)


def check_solver(chosen: Iterable[Settings]) -> None:
    """See to it that what some schedulers need beside this package is there before anything is run.

    Raises:
        InputError: it is not.
    """
    for settings in chosen:
        if settings.scheduler in PROGRAMS and find_spec("scipy") is None:
            raise InputError(f"{settings.scheduler} needs scipy, to solve integer programs: "
                             "pip install 'compass-abs[evaluate]'")  # fmt: skip


def _fgd(nodes: int, own: Own, counts: Sequence[int] | None) -> Scheduler:
    if own["shares"] == "causal":
        return CausalFgd(nodes, variant=own["variant"])
    return Fgd(nodes, shares=counts, variant=own["variant"])


def _finite(value: int | str) -> int | None:
    return None if value in (NEVER, UNLIMITED) else int(value)


_MAKERS: dict[str, Callable[[int, Own], Scheduler]] = {
    "printed": lambda nodes, own: Printed(nodes, readings=own["readings"]),
    "repaired": lambda nodes, _: Repaired(nodes),
    "unified": lambda nodes, own: Unified(nodes, open_nodes=_finite(own["open_nodes"])),
    "ideal": lambda nodes, _: Ideal(nodes),
    "best-fit": lambda nodes, _: BestFit(nodes),
    "cafgd": lambda nodes, own: Cafgd(nodes, alpha=own["alpha"], window=own["window"], variant=own["variant"]),
    "mcg": lambda nodes, own: Mcg(nodes, load=own["load"], variant=own["variant"]),
    "fft": lambda nodes, own: Fft(nodes, round_length=_finite(own["round_length"])),
    "drr": lambda nodes, own: Drr(
        nodes, round_length=_finite(own["round_length"]), whole=own["drain"] == "all-or-none"
    ),
    "first-fit": lambda nodes, _: FirstFit(nodes),
    "worst-fit": lambda nodes, _: WorstFit(nodes),
    "random": lambda nodes, own: RandomFit(nodes, seed=own["seed"]),
    "buddy": lambda nodes, _: Buddy(nodes),
    "drain": lambda nodes, _: Drain(nodes),
    "consolidate": lambda nodes, _: Consolidate(nodes),
    "on-demand": lambda nodes, own: OnDemand(nodes, patience=own["patience"]),
}
