"""The registry: one entry for each scheduler, with all that the rest of the evaluation knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from compass.evaluation.baselines.best_fit import BestFit, FirstFit, RandomFit, WorstFit
from compass.evaluation.baselines.buddy import Buddy
from compass.evaluation.baselines.cafgd import Cafgd
from compass.evaluation.baselines.consolidate import Consolidate
from compass.evaluation.baselines.drain import Drain
from compass.evaluation.baselines.fgd import CausalFgd, Fgd
from compass.evaluation.baselines.mcg import Mcg
from compass.evaluation.baselines.on_demand import OnDemand
from compass.evaluation.baselines.rounds import Drr, Fft
from compass.evaluation.ideal import Ideal
from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from compass.scheduler import Scheduler
from compass.unified import Unified

UNLIMITED, NEVER, BY_DAY = "unlimited", "never", "day"
"""No limit of open nodes; no rounds; rounds counted from the beginning of a day."""

Own = Mapping[str, Any]
"""The settings that only some schedulers have, by name."""
Make = Callable[[int, Own, Sequence[int]], Scheduler]
"""A scheduler from the cluster size, its own settings, and instances of each size where it knows them beforehand."""


class Entry(NamedTuple):
    """A scheduler.

    Attributes:
        make: how it is made.
        own: the settings it has, with their defaults; ``queue`` is there where its default is not ``fifo``.
        reconstruction: whether it is rebuilt from a description, or only in the manner of a published one.
        scores: whether the queue rules of MCG-Sched can ask it for a score.
        solves: whether it solves integer programs, with scipy.
        p: where its size distribution is from, if that is no setting.
    """

    make: Make
    own: Own = MappingProxyType({})
    reconstruction: bool = False
    scores: bool = False
    solves: bool = False
    p: str | None = None


def _fgd(nodes: int, own: Own, counts: Sequence[int]) -> Scheduler:
    if own["shares"] == "causal":
        return CausalFgd(nodes, variant=own["variant"])
    return Fgd(nodes, shares=counts, variant=own["variant"])


def _finite(value: int | str) -> int | None:
    return None if value in (NEVER, UNLIMITED) else int(value)


SCHEDULERS: Mapping[str, Entry] = MappingProxyType({
    "printed": Entry(lambda nodes, own, _: Printed(nodes, readings=own["readings"]), {"readings": Readings()}),
    "repaired": Entry(lambda nodes, *_: Repaired(nodes)),
    "unified": Entry(
        lambda nodes, own, _: Unified(nodes, open_nodes=_finite(own["open_nodes"])), {"open_nodes": 1}
    ),
    "ideal": Entry(lambda nodes, *_: Ideal(nodes)),
    "best-fit": Entry(lambda nodes, *_: BestFit(nodes)),
    "fgd": Entry(_fgd, {"shares": "day", "variant": "exact"}, scores=True),
    "cafgd": Entry(
        lambda nodes, own, _: Cafgd(nodes, alpha=own["alpha"], window=own["window"], variant=own["variant"]),
        {"variant": "exact", "alpha": 0.5, "window": 3600, "wait": "W0"},
        reconstruction=True,
        scores=True,
        p="mixed",  # what has been submitted so far, and lately
    ),
    "mcg": Entry(
        lambda nodes, own, _: Mcg(nodes, load=own["load"], variant=own["variant"]),
        {"variant": "exact", "load": 0.0, "queue": "mcg-skip"},
        reconstruction=True,
        scores=True,
        p="queue",  # the waiting jobs
    ),
    "fft": Entry(
        lambda nodes, own, _: Fft(nodes, round_length=_finite(own["round_length"])),
        {"round_length": 3600, "round_phase": 0},
        reconstruction=True,
        solves=True,
    ),
    "drr": Entry(
        lambda nodes, own, _: Drr(
            nodes, round_length=_finite(own["round_length"]), whole=own["drain"] == "all-or-none"
        ),
        {"round_length": 3600, "round_phase": 0, "drain": "rest-stays"},
        reconstruction=True,
    ),
    "first-fit": Entry(lambda nodes, *_: FirstFit(nodes)),
    "worst-fit": Entry(lambda nodes, *_: WorstFit(nodes)),
    "random": Entry(lambda nodes, own, _: RandomFit(nodes, seed=own["seed"]), {"seed": 0}),
    "buddy": Entry(lambda nodes, *_: Buddy(nodes)),
    "drain": Entry(lambda nodes, *_: Drain(nodes), reconstruction=True),
    "consolidate": Entry(lambda nodes, *_: Consolidate(nodes), reconstruction=True),
    "on-demand": Entry(lambda nodes, own, _: OnDemand(nodes, patience=own["patience"]), {"patience": 0}, solves=True),
})  # fmt: skip
"""The schedulers by name."""
