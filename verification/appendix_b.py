"""Appendix B: sizes 2, 4 and 8 only, best-fit arrivals without Compact, one Compact after each departure.

For these sizes Place of the printed algorithm is best fit: the slotted node with the least ``D(n)`` that is enough,
else an empty node, and no slot has a vacancy. So the process of lemmas B.1-B.3 and prop-3 is the printed algorithm
with Compact left out on arrivals.
"""

from __future__ import annotations

from compass.events import Decision, Depart
from compass.printed import Printed
from compass.scheduler import Scheduler
from verification.job_claims import Outcome, Predicate

SIZES = (2, 4, 8)
"""The demands the lemmas are about."""


class BestFitCompacted(Printed):
    """The printed algorithm, compacting after departures only."""

    _arriving = False

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """Place every instance by best fit; no Compact."""
        self._arriving = True
        try:
            return super().arrive(job, gpus, instances)
        finally:
            self._arriving = False

    def _compact(self) -> None:
        if not self._arriving:
            super()._compact()


def _free(scheduler: Scheduler) -> list[int]:
    """Free GPUs of each partial node."""
    return [node.capacity - node.load for node in scheduler.snapshot().nodes if node.partial]


def free_value(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Lemma B.1: at most one partial node for each number of free GPUs."""
    free = _free(scheduler)
    repeated = sorted({r for r in free if free.count(r) > 1})
    return f"partial nodes with {free} free GPUs: {repeated[0]} occurs twice" if repeated else None


def free_six(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Lemma B.2: a node with 6 free GPUs is the only partial node."""
    free = _free(scheduler)
    return f"a node with 6 free GPUs beside others: {free}" if 6 in free and len(free) > 1 else None


def two_partial(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Lemma B.3, prop-3: never more than two partial nodes."""
    free = _free(scheduler)
    return f"{len(free)} partial nodes, with {free} free GPUs" if len(free) > 2 else None


def one_after_departure(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """prop-3: after a departure and its Compact at most one node is partial."""
    free = _free(scheduler)
    if isinstance(outcome.event, Depart) and len(free) > 1:
        return f"after a departure {len(free)} partial nodes, with {free} free GPUs"
    return None


APPENDIX_B: dict[str, Predicate] = {
    "free-value": free_value,
    "free-six": free_six,
    "two-partial": two_partial,
    "one-after-departure": one_after_departure,
}
"""The predicates of the lemmas, by name."""
