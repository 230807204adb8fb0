"""Which cell of a node shows what: the layout that the pictures of nodes draw.

A node is a row of ``G`` cells, one a GPU. Without a geometry the anchors come first, largest first, then the 1-GPU
instances, then the free GPUs. With the geometry of an Anchor-Based Space, slots come in order of width, widest first,
so every slot begins at a multiple of its width; 1-GPU instances fill the slots in that order, and those that are left
stand behind the slots.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from compass.geometry import Geometry
from compass.shapes import shape_table
from compass.snapshot import Node, PlacedInstance

Kind = Literal["anchor", "filler", "single", "vacancy", "free"]
"""A multi-GPU instance; a 1-GPU instance in a slot, and one in none; a free GPU in a slot, and one in none."""


class Part(NamedTuple):
    """Neighbouring cells that show one thing: all cells of an anchor, or one cell of anything else."""

    kind: Kind
    start: int
    gpus: int
    job: str = ""


class Span(NamedTuple):
    """The cells of a slot: its first one and its width."""

    start: int
    width: int


class Layout(NamedTuple):
    """The cells of one node, from left to right, and its slots, where they are known."""

    parts: tuple[Part, ...]
    slots: tuple[Span, ...] = ()


def layout(node: Node, geometry: Geometry | None = None) -> Layout:
    """Lay out a node; its slots are known where a geometry is given and they fit the node together.

    >>> node = Node("n0", (PlacedInstance("a", 2), PlacedInstance("b", 3)))
    >>> [(part.kind, part.gpus) for part in layout(node).parts[:2]]
    [('anchor', 3), ('anchor', 2)]
    >>> laid_out = layout(node, Geometry())
    >>> [(part.kind, part.start, part.gpus) for part in laid_out.parts[:3]]
    [('anchor', 0, 3), ('vacancy', 3, 1), ('anchor', 4, 2)]
    >>> laid_out.slots
    (Span(start=0, width=4), Span(start=4, width=2))

    Cost: O(G log G).
    """
    sizes = [instance.gpus for instance in node.instances]
    slotted = geometry and geometry.capacity == node.capacity and shape_table(geometry).of(sizes) is not None
    widths = geometry if slotted else None
    anchors = [instance for instance in node.instances if instance.gpus > 1]
    ones = [instance for instance in node.instances if instance.gpus == 1]
    parts: list[Part] = []
    slots: list[Span] = []
    at = 0
    for anchor in sorted(anchors, key=lambda instance: -instance.gpus):
        parts.append(Part("anchor", at, anchor.gpus, anchor.job))
        width = widths.slot_width(anchor.gpus) if widths else anchor.gpus
        parts += [_cell("filler", cell, ones) for cell in range(at + anchor.gpus, at + width)]
        if widths:
            slots.append(Span(at, width))
        at += width
    parts += [Part("single", at + k, 1, one.job) for k, one in enumerate(ones)]
    parts += [Part("free", cell, 1) for cell in range(at + len(ones), node.capacity)]
    return Layout(tuple(parts), tuple(slots))


def _cell(kind: Kind, cell: int, ones: list[PlacedInstance]) -> Part:
    """A cell for the first of ``ones``, which is taken off the list, or the vacancy where none is left."""
    return Part(kind, cell, 1, ones.pop(0).job) if ones else Part("vacancy", cell, 1)
