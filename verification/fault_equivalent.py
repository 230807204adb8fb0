"""Changes that look like faults and are none: no claim depends on them, so no query may notice them."""

from __future__ import annotations

from compass import phi
from compass.board import Board
from compass.composition import Composition
from compass.plans import PlanTable
from compass.printed import Printed
from compass.repaired import Repaired
from verification.fault_kinds import Change, Fault, Part, around, instead


def _equal(name: str, part: Part, about: str, why: str, change: Change) -> Fault:
    return Fault(name, part, why, about, "", (change,))


def _overflows(self: Repaired, running: Composition, least: int, *now: int) -> bool:
    """``Repaired._overflows`` with ``slack >= 0`` for ``slack > 0``."""
    spare, width, slack = now
    capacity = self.geometry.capacity
    if slack >= 0 and -width % capacity > spare:
        return True
    room = capacity - self.geometry.widths[0]
    for gpus in range(least, room - spare):
        slot_width = self.geometry.slot_width(gpus)
        for k in range(1, min(running.counts[gpus], (room - spare - 1) // gpus) + 1):
            after = (spare + k * gpus, width - k * slot_width, slack + k * (slot_width - gpus))
            if self._overflows(running, gpus + 1, *after):
                return True
    return False


EQUIVALENT = (
    _equal(
        "plans leave most anchors open",
        "table",
        "settled",
        "A preference among shortest plans; on up to three nodes not even the number of moves depends on it.",
        Change(
            PlanTable,
            "_anchors_left_open",
            lambda raw: staticmethod(lambda state: tuple(-figure for figure in raw.__func__(state))),
        ),
    ),
    _equal(
        "instances by last come",
        "operator",
        "settled",
        "Of equal instances on a node any may move: they differ in their names only.",
        Change(
            Board,
            "instance_on",
            instead(lambda self, node, gpus: next(i for i in self.contents[node][::-1] if i.gpus == gpus)),
        ),
    ),
    _equal(
        "pool pass last",
        "operator",
        "printed",
        "The pool pass and the width passes of Compact look at different nodes, so their order does not matter.",
        Change(
            Printed,
            "_compact",
            instead(lambda self: [*map(self._drain_slots, self.geometry.widths[-2::-1]), self._drain_pool()]),
        ),
    ),
    _equal(
        "overflow without surplus",
        "guard",
        "settled",
        "For n_1 = V, T = A, so G N - T is at least -A mod G: the test with n_1 >= V says the same.",
        Change(Repaired, "_overflows", instead(_overflows)),
    ),
    _equal(
        "departures of 2 not foreseen",
        "guard",
        "settled",
        "Where an anchor as wide as its slot departs, spare and room beside the slots change alike.",
        Change(
            Repaired,
            "_overflows",
            around(lambda f, self, running, least, *rest: f(self, running, max(3, least), *rest)),
        ),
    ),
    _equal(
        "no pairs",
        "metric",
        "metric",
        "Pairing only shortens the search: the integer program finds such packings too.",
        Change(phi, "_pair", instead(lambda capacity, left, halves: {})),
    ),
)
