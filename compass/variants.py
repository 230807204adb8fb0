"""The variants by name."""

from __future__ import annotations

from compass.errors import InputError
from compass.geometry import Geometry, geometry_of
from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from compass.scheduler import Scheduler
from compass.unified import Unified

VARIANTS = ("printed", "repaired", "unified")
"""The names that :func:`make_scheduler` knows."""


def make_scheduler(
    variant: str,
    nodes: int | None,
    geometry: Geometry | None = None,
    open_nodes: int | None = None,
    readings: Readings | None = None,
) -> Scheduler:
    """A new scheduler of a variant on an empty cluster.

    Args:
        variant: ``"printed"``, ``"repaired"`` or ``"unified"``.
        nodes: cluster size N, None for one that grows without bound.
        geometry: the node geometry; default capacity 8 with widths 2, 4, 8.
        open_nodes: the dial m of `unified`, default 1; None for the other variants.
        readings: the readings of `printed`, default the one kindest to the paper; None for the other variants.

    Raises:
        InputError: an argument is malformed or not one of the variant.

    Examples:
        >>> make_scheduler("unified", 4, open_nodes=2).arrive("a", 3).placements
        (Placement(instance='a/0', node=0),)
    """
    if variant not in VARIANTS:
        raise InputError(f"variant {variant!r}: must be one of {', '.join(VARIANTS)}")
    if open_nodes is not None and variant != "unified":
        raise InputError(f"open nodes: only for the variant 'unified', not for {variant!r}")
    if readings is not None and variant != "printed":
        raise InputError(f"readings: only for the variant 'printed', not for {variant!r}")
    geometry = geometry or geometry_of(8)
    if variant == "printed":
        return Printed(nodes, geometry, readings or Readings())
    if variant == "repaired":
        return Repaired(nodes, geometry)
    return Unified(nodes, geometry, 1 if open_nodes is None else open_nodes)
