"""The reading ``pool`` makes no difference to what follows from the idle cluster.

It chooses among the pool nodes with room when the 1-GPU rule is asked. After every event at most one pool node has room
(Lemma A.3, claim pool-pass). Within an event the rule is asked while 1-GPU instances arrive, each of which fills that
node or, when it is full, starts one other, or while fillers of a departing anchor find a home, in the same way; only
draws and departures of 1-GPU instances make room on pool nodes, and in those events the rule is not asked. Where an
event starts from any state of Sigma, as :meth:`compass.printed.Printed.from_state` gives one, it can matter.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from compass.errors import NeverFits, NoLegalDestination
from compass.events import Decision
from compass.geometry import Geometry
from compass.printed import Printed
from compass.printed_state import LiveNode, LiveSlot
from compass.readings import Readings, all_readings
from compass.scheduler import Scheduler
from verification.figures import Found, first_fault
from verification.job_claims import Outcome
from verification.jobs import Exhausted, smallest_violation


class _Watched(Printed):
    """Notes whether the 1-GPU rule ever has several pool nodes to choose from."""

    chose = False

    def _home_of_one(self, excluded: LiveSlot | None = None) -> LiveSlot | LiveNode | None:
        self.chose |= sum(len(list(nodes)) for nodes in self._state.pool[1 : self.geometry.capacity]) > 1
        return super()._home_of_one(excluded)


def never_several_pool_nodes(nodes: int, capacity: int, events: int, readings: Sequence[str] = ()) -> Found:
    """In every history of so many events from the idle cluster the 1-GPU rule has at most one pool node to choose."""
    make = partial(_Watched, nodes, Geometry(capacity), Readings.parse(readings))
    found = smallest_violation(make, _chose, range(1, capacity + 1), events)
    if isinstance(found, Exhausted):
        return True, f"{found.states} histories of at most {events} events", {"histories": found.states}
    return False, f"{found.events}: {found.reason}", {}


def _chose(scheduler: Scheduler, outcome: Outcome) -> str | None:
    assert isinstance(scheduler, _Watched)
    return f"several pool nodes have room in {outcome.event}" if scheduler.chose else None


def pool_readings_agree(nodes: int = 4, events: int = 40) -> Found:
    """One random history for each of the other readings: both values of ``pool`` decide alike."""
    readings = dict.fromkeys(replace(reading.canonical(), pool="fullest") for reading in all_readings())
    return first_fault((_difference(reading, nodes, events) for reading in readings), "readings")


def _difference(reading: Readings, nodes: int, events: int) -> str | None:
    other = replace(reading, pool="emptiest")
    pairs = zip(_decisions(reading, nodes, events), _decisions(other, nodes, events), strict=True)
    return next((f"{reading}: {one}, {other}: {two}" for one, two in pairs if one != two), None)


def _decisions(reading: Readings, nodes: int, events: int) -> Iterator[Decision | str]:
    rng = random.Random(str(replace(reading, pool="fullest")))
    scheduler = Printed(nodes, readings=reading)
    running: list[str] = []
    for number in range(events):
        leaving = running.pop(rng.randrange(len(running))) if running and rng.random() < 0.45 else None
        gpus, instances = rng.choice([1, 1, 1, 2, 3, 4, 5, 6, 7]), rng.choice([1, 1, 2, 5])
        try:
            decision = scheduler.depart(leaving) if leaving else scheduler.arrive(f"j{number}", gpus, instances)
        except (NeverFits, NoLegalDestination) as error:
            yield str(type(error))
            running += [leaving] if leaving else []
            continue
        yield decision
        running += [decision.job] if decision.admitted and leaving is None else []
