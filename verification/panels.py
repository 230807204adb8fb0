"""Theorem 2 at the panel level: the printed algorithm on domains of K panels, with slots of 2, 4 and 8 panels.

The core knows capacities that are multiples of their widths. A domain of NVL72 has nine panels, so here is a geometry
of its own; what the algorithm does with it is decided by ``compass.printed`` alone. The core's Phi* does not cover such
domains: a packing that fills every domain it uses shows that no partial domain is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from compass.errors import InputError
from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import Readings, all_readings
from verification.figures import Found

WIDTHS = (2, 4, 8)
"""Slot widths in panels (appendix D); panel demand 3 takes a slot of 4, 5 to 8 one of 8."""


@dataclass(frozen=True)
class Domain(Geometry):
    """A domain of ``capacity`` panels, 8 or more; beside the greatest slots some panels may be left over.

    Examples:
        >>> Domain(9).slot_width(5), Domain(9).vacancy(5)
        (8, 3)
    """

    def __post_init__(self) -> None:
        if self.capacity < WIDTHS[-1]:
            raise InputError(f"{self.capacity} panels: a slot of {WIDTHS[-1]} does not fit")
        widths = (0, 1, *(next(w for w in WIDTHS if w >= g) for g in range(2, WIDTHS[-1] + 1)))
        none = (0,) * (self.capacity - WIDTHS[-1])  # no job asks for more than 8 panels
        object.__setattr__(self, "widths", WIDTHS)
        object.__setattr__(self, "_slot_width", widths)
        object.__setattr__(self, "wcc_coefficients", (*(w - g for g, w in enumerate(widths)), *none))


def jobs_against(panels: int) -> list[tuple[int, int]]:
    """Jobs as (panels of an instance, instances), in the order in which they arrive; 1-panel ones come first.

    They fill two domains exactly. Slots of 2 and 4 leave 1 to 3 panels of a domain, so one more slot of 4 opens a
    second one, and the 1-panel instances have one to themselves.

    >>> jobs_against(8), jobs_against(9)
    ([(1, 6), (2, 1), (4, 2)], [(1, 8), (2, 1), (4, 2)])
    """
    twos = 2 if panels % 4 == 2 else 1
    fours = (panels - 2 * twos) // 4 + 1
    return [(1, 2 * panels - 2 * twos - 4 * fours), (2, twos), (4, fours)]


def theorem_2_panels(least: int, most: int, every: bool = False) -> Found:
    """For each K from ``least`` to ``most``: WCC holds and three domains are partial, where none has to be.

    Under the default reading, or with ``every`` under all with ``cap=fits``.
    """
    alike = dict.fromkeys(reading.canonical() for reading in all_readings() if reading.cap == "fits")
    readings = [*alike] if every else [Readings()]
    runs = 0
    for panels in range(least, most + 1):
        for reading in readings:
            if (kept := _kept(panels, reading)) is not None:
                return False, f"K = {panels}, {reading}: {kept}", {}
            runs += 1
    what = f"K = {least} to {most}" if least < most else f"K = {least}"
    under = f" under {len(readings)} readings" if every else ""
    return True, f"{what}{under}: WCC holds, 3 domains are partial and Phi* = 0: N SIF = 3 > 2", {"runs": runs}


def _kept(panels: int, reading: Readings) -> str | None:
    """Why the history does not break the bound of two avoidable partial domains, or None where it does."""
    printed = Printed(3, Domain(panels), reading)
    jobs = jobs_against(panels)
    for number, (gpus, instances) in enumerate(jobs):
        if not printed.arrive(f"j{number}", gpus, instances).admitted:
            return f"{instances} x {gpus} panels are refused"
    loads = [node.load for node in printed.state().nodes]
    partial = sum(0 < load < panels for load in loads)
    if not printed.running.wcc or partial != 3:
        return f"slack {printed.running.slack}, loads {loads}"
    anchors = sum(gpus * instances for gpus, instances in jobs if gpus > 1)
    # One domain takes all slots but one of 4, the other one that slot; the 1s fill both.
    if printed.running.total != 2 * panels or anchors - 4 > panels:
        return f"two domains are not filled by {jobs}"
    return None
