"""GPU-cluster fragmentation: the SIF metric, the Anchor-Based Space and the COMPASS schedulers.

The names below are the public interface; everything else is reached through its module, as in
``from compass.replay import replay``.

>>> sif(Snapshot.of([[4, 2], [4], [1] * 6])).sif
Fraction(1, 1)
"""

from compass.composition import Composition, wcc_shares
from compass.errors import (
    CompassError,
    DoesNotFitNow,
    InputError,
    InvariantViolated,
    NeverFits,
    NoLegalDestination,
)
from compass.events import Arrive, Decision, Depart, Move, Placement
from compass.geometry import Geometry, SizeClass
from compass.metric import PoolReport, SifReport, avoidable_partial_nodes, sif
from compass.phi import Packing, best_packing, min_nodes, min_partial_nodes
from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from compass.scheduler import Scheduler
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.space import AbsState
from compass.unified import Unified
from compass.variants import make_scheduler

__all__ = [
    "AbsState",
    "Arrive",
    "CompassError",
    "Composition",
    "Decision",
    "Depart",
    "DoesNotFitNow",
    "Geometry",
    "InputError",
    "InvariantViolated",
    "Move",
    "NeverFits",
    "NoLegalDestination",
    "Node",
    "Packing",
    "PlacedInstance",
    "Placement",
    "PoolReport",
    "Printed",
    "Readings",
    "Repaired",
    "Scheduler",
    "SifReport",
    "SizeClass",
    "Snapshot",
    "Unified",
    "avoidable_partial_nodes",
    "best_packing",
    "make_scheduler",
    "min_nodes",
    "min_partial_nodes",
    "sif",
    "wcc_shares",
]
