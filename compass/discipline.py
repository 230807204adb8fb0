"""Which node shapes a variant allows, and how many nodes of each open kind.

A discipline maps every shape to a *kind*: 0 for a settled shape, that any number of nodes may have, or the number of a
kind that at most ``limits[kind]`` nodes may have. Both of our variants are the same algorithm under two disciplines,
and the verification reads the same tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from compass.errors import InputError
from compass.geometry import Geometry
from compass.shapes import Shape, ShapeTable, shape_table

SETTLED = 0
"""Kind of a shape that any number of nodes may have."""
OPEN = 1
"""Kind of an open node; for `repaired` of an open slotted node."""
OPEN_POOL = 2
"""Kind of an open pool node (`repaired` only)."""
STRAY = 3
"""Kind of a node with a free 1-GPU instance beside an anchor (`repaired` only); no settled state has one."""


@dataclass(frozen=True)
class Discipline:
    """The kind of every shape and the limit of every kind.

    Attributes:
        table: the shapes.
        kinds: kind of the shape at each index.
        limits: most nodes of each kind in a settled state, None for no limit; ``limits[SETTLED]`` is None.
    """

    table: ShapeTable
    kinds: tuple[int, ...]
    limits: tuple[int | None, ...]

    @cached_property
    def limited(self) -> tuple[tuple[int, int], ...]:
        """The kinds that have a limit, each with it."""
        return tuple((kind, limit) for kind, limit in enumerate(self.limits) if limit is not None)

    @cached_property
    def vacant(self) -> tuple[Shape, ...]:
        """The shapes with vacancy in the order in which they are filled: least vacancy first."""
        return tuple(sorted((s for s in self.table if s.vacancy), key=lambda s: (s.vacancy, s.index)))

    @cached_property
    def donors(self) -> tuple[Shape, ...]:
        """The shapes with free instances in the order in which they give: by kind, last first, then the fewest free."""
        found = (shape for shape in self.table if shape.free)
        return tuple(sorted(found, key=lambda s: (-self.kinds[s.index], s.free, s.index)))


def unified_discipline(geometry: Geometry, open_nodes: int | None = 1) -> Discipline:
    """Free 1-GPU instances may stand anywhere; at most ``open_nodes`` nodes are open (None: any number).

    Raises:
        InputError: ``open_nodes`` is not a positive integer.
    """
    if open_nodes is not None and (type(open_nodes) is not int or open_nodes < 1):
        raise InputError(f"open nodes {open_nodes!r}: must be a positive integer")
    table = shape_table(geometry)
    kinds = tuple(OPEN if shape.open else SETTLED for shape in table)
    return Discipline(table, kinds, (None, open_nodes))


def repaired_discipline(geometry: Geometry) -> Discipline:
    """The paper's Sigma: no free instance beside an anchor, at most one open slotted and one open pool node."""
    table = shape_table(geometry)
    kinds = []
    for shape in table:
        if shape.slotted and shape.free:
            kinds.append(STRAY)
        elif shape.open:
            kinds.append(OPEN if shape.slotted else OPEN_POOL)
        else:
            kinds.append(SETTLED)
    return Discipline(table, tuple(kinds), (None, 1, 1, 0))
