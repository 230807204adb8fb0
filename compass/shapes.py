"""Node shapes: the contents of a node up to the names of its instances.

A shape is a multiset of instance sizes. The labels of the Anchor-Based Space are derived from it: every instance of
two or more GPUs is the anchor of a slot of width ``w*(g)``, 1-GPU instances fill the slots' vacancy first, and those
beyond it are *free*. With ``a`` the width of the slots and ``l`` the load,

    vacancy = max(0, a - l),   free = max(0, l - a),   width = max(a, l),   room D = G - width.

The shapes with ``width <= G`` are the node types of the wider space in which a free 1-GPU instance counts as a slot of
width 1; those among them without both an anchor and a free instance are the node types of the paper's Sigma. There are
62 for G = 8 with the widths 2, 4, 8, so what an operator does to a node is a finite table for all cluster sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from compass.geometry import Geometry


class Shape:
    """One multiset of instance sizes that a node can hold; interned, so shapes compare by identity.

    Attributes:
        index: position in the table, dense from 0 (the empty shape).
        sizes: instance sizes in decreasing order.
        load: busy GPUs ``l``.
        anchor_width: total width ``a`` of the slots.
        width: covered GPUs ``max(a, l)``.
        room: uncovered GPUs ``D = G - width``.
        vacancy: GPUs that 1-GPU instances could still fill inside the slots.
        free: 1-GPU instances outside of any slot.
        open: neither empty nor fully covered, ``0 < width < G``.
        partial: neither idle nor fully busy, ``0 < load < G``.
        plus: the shape with one more instance of size g at index g, None where that is no shape.
        minus: the shape with one instance of size g fewer at index g, None where there is none.
    """

    __slots__ = (
        "anchor_width",
        "free",
        "index",
        "load",
        "minus",
        "open",
        "partial",
        "plus",
        "room",
        "sizes",
        "vacancy",
        "width",
    )

    def __init__(self, geometry: Geometry, sizes: tuple[int, ...], index: int) -> None:
        capacity = geometry.capacity
        self.index = index
        self.sizes = sizes
        self.load = sum(sizes)
        self.anchor_width = sum(geometry.slot_width(g) for g in sizes if g > 1)
        self.width = max(self.anchor_width, self.load)
        self.room = capacity - self.width
        self.vacancy = max(0, self.anchor_width - self.load)
        self.free = max(0, self.load - self.anchor_width)
        self.open = 0 < self.width < capacity
        self.partial = 0 < self.load < capacity
        self.plus: list[Shape | None] = [None] * (capacity + 1)
        self.minus: list[Shape | None] = [None] * (capacity + 1)

    @property
    def slotted(self) -> bool:
        """Holds at least one anchor."""
        return self.anchor_width > 0

    def __repr__(self) -> str:
        return f"Shape{self.sizes}"


class ShapeTable:
    """Every shape of a geometry, with the transitions between them.

    Args:
        geometry: the node geometry.

    Examples:
        >>> table = shape_table(Geometry())
        >>> len(table), table[0].sizes, table.of([1, 3]).vacancy, table.of([3, 1, 1]).free
        (62, (), 0, 1)
        >>> table.of([6, 2]) is None  # slots of 8 and 2 do not fit a node of 8
        True
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self._shapes: list[Shape] = []
        self._by_sizes: dict[tuple[int, ...], Shape] = {}
        self._grow()

    def _grow(self) -> None:
        """Breadth first from the empty shape, so a shape's index grows with its number of instances."""
        self._intern(())
        for shape in self._shapes:  # the list grows while it is walked
            for g in self.geometry.sizes:
                sizes = tuple(sorted((*shape.sizes, g), reverse=True))
                larger = self._by_sizes.get(sizes) or self._intern(sizes)
                if larger is not None:
                    shape.plus[g] = larger
                    larger.minus[g] = shape

    def _intern(self, sizes: tuple[int, ...]) -> Shape | None:
        shape = Shape(self.geometry, sizes, len(self._shapes))
        if shape.width > self.geometry.capacity:
            return None
        self._shapes.append(shape)
        self._by_sizes[sizes] = shape
        return shape

    @property
    def empty(self) -> Shape:
        """The shape of an idle node."""
        return self._shapes[0]

    def of(self, sizes: list[int] | tuple[int, ...]) -> Shape | None:
        """The shape with these instance sizes in any order, None where they are no shape; O(G log G)."""
        return self._by_sizes.get(tuple(sorted(sizes, reverse=True)))

    def __len__(self) -> int:
        return len(self._shapes)

    def __iter__(self) -> Iterator[Shape]:
        return iter(self._shapes)

    def __getitem__(self, index: int) -> Shape:
        return self._shapes[index]


@lru_cache
def shape_table(geometry: Geometry) -> ShapeTable:
    """The shape table of a geometry, made once."""
    return ShapeTable(geometry)
