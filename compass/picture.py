"""The nodes of a snapshot as an SVG picture: a row of cells a node, a cell a GPU.

What a cell shows can be told without colour: an anchor is one block across all of its GPUs, labelled with its size or
its job, a 1-GPU instance a disc, a free GPU a hollow cell, a vacancy a hatched one, and a dashed frame holds a slot.
Colours follow the reader's light or dark scheme. Title and description say the same in words. The same input gives
the same bytes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from compass.geometry import Geometry
from compass.node_layout import Kind, Layout, Part, layout
from compass.snapshot import Node, Snapshot
from compass.text_input import printable

CELL, GAP, ROW, MARGIN = 26, 3, 34, 8
"""Width of a cell with its gap, the gap, height of a row and the margin around everything, in pixels."""
CHARACTER = 7.3
"""Width of a character in pixels: the text is monospaced, 12 pixels high."""
LANE = 20
"""Room for the arrow of a move between the cells and the note, in pixels."""

KINDS: dict[Kind, str] = {
    "anchor": "multi-GPU instance",
    "filler": "1-GPU instance in a slot",
    "single": "1-GPU instance",
    "vacancy": "vacancy of a slot",
    "free": "free GPU",
}
"""What the legend says of each kind of cell."""

STYLE = """
.nodes{font:12px ui-monospace,Menlo,Consolas,monospace}
.nodes text{fill:#1f2328}.nodes .note,.nodes .caption{fill:#57606a}.nodes .inside{fill:#ffffff;text-anchor:middle}
.nodes .paper{fill:#ffffff}.nodes .anchor{fill:#2f5d9b;stroke:#1d3f6e}
.nodes .filler{fill:#c2571a;stroke:#8a3a0c}.nodes .single{fill:#6b7280;stroke:#3f4650}
.nodes .cell,.nodes .free,.nodes .vacancy{fill:none;stroke:#818b98}.nodes .hatch{fill:none;stroke:#c2571a}
.nodes .slot{fill:none;stroke:#1f2328;stroke-dasharray:4 2}
.nodes .halo{fill:none;stroke:#ffffff;stroke-width:6}
.nodes .mark,.nodes .arrow{fill:none;stroke:#b3127a;stroke-width:2.5}.nodes .head{fill:#b3127a}
@media (prefers-color-scheme:dark){
.nodes text{fill:#e6e8eb}.nodes .note,.nodes .caption{fill:#a6adb6}.nodes .inside{fill:#0b1220}
.nodes .paper{fill:#131416}.nodes .anchor{fill:#8ab4f8;stroke:#c3d9fb}
.nodes .filler{fill:#f0a36b;stroke:#f7cfae}.nodes .single{fill:#a6adb6;stroke:#d5d9de}
.nodes .cell,.nodes .free,.nodes .vacancy{stroke:#6e7781}.nodes .hatch{stroke:#f0a36b}.nodes .slot{stroke:#e6e8eb}
.nodes .halo{stroke:#131416}.nodes .mark,.nodes .arrow{stroke:#ff8ad0}.nodes .head{fill:#ff8ad0}}
"""


class Mark(NamedTuple):
    """What a picture points at: an instance of ``job`` on node ``node``, and the node it came from, if any."""

    job: str
    node: int
    source: int | None = None


class _Row(NamedTuple):
    """A row of the picture: one node, or ``number`` nodes that look alike."""

    node: Node
    laid_out: Layout
    number: int = 1

    @property
    def note(self) -> str:
        state = " partial" if self.node.partial else "" if self.node.load else " empty"
        pool = f" pool {printable(self.node.pool, 20)}" if self.node.pool else ""
        return f"{self.node.load}/{self.node.capacity}{state}{pool}"

    def label(self) -> str:
        times = f" × {self.number}" if self.number > 1 else ""
        return printable(self.node.name, 20) + times

    def in_words(self) -> str:
        counted = {kind: [part for part in self.laid_out.parts if part.kind == kind] for kind in KINDS}
        sizes = ", ".join(str(part.gpus) for part in counted.pop("anchor"))
        said = [f"anchors of {sizes} GPUs"] if sizes else []
        said += [f"{len(parts)} × {KINDS[kind]}" for kind, parts in counted.items() if parts]
        return f"{self.label()}: {self.note}: {'; '.join(said)}"


def draw_svg(
    snapshot: Snapshot,
    *,
    geometry: Geometry | None = None,
    group: bool = False,
    jobs: bool = False,
    legend: bool = False,
    caption: str = "",
    mark: Mark | None = None,
) -> str:
    """The nodes as the text of an SVG file.

    Args:
        snapshot: the nodes.
        geometry: outline the slots of the Anchor-Based Space with this geometry, on nodes that they fit.
        group: nodes that look alike become one row with their number, in the order of their first.
        jobs: label anchors with their jobs instead of their sizes (not where a row stands for several nodes).
        legend: explain the kinds of cells that occur, below the nodes.
        caption: a line above the nodes.
        mark: frame an instance, without ``group``, and draw an arrow from the node that it came from.

    >>> picture = draw_svg(Snapshot.of([[3, 1], []]), geometry=Geometry(), caption="a slot with its filler")
    >>> root = ET.fromstring(picture)
    >>> [element.text for element in root if element.tag.endswith("title")]
    ['a slot with its filler: 2 nodes, 1 partial']

    Cost: linear in the number of nodes and instances.
    """
    rows = _rows(snapshot, geometry, group)
    left = MARGIN + max((_width(row.label()) for row in rows), default=0) + 9
    cells = CELL * max((row.node.capacity for row in rows), default=0)
    notes = max((_width(row.note) for row in rows), default=0)
    top = MARGIN + (22 if caption else 0)
    used = [kind for kind in KINDS if any(part.kind == kind for row in rows for part in row.laid_out.parts)]
    height = top + ROW * len(rows) + (18 * len(used) + 6 if legend else 0) + MARGIN
    width = max(left + cells + LANE + notes, MARGIN + _width(caption)) + MARGIN
    root = _canvas(width, height, _title(snapshot, caption), "\n".join(row.in_words() for row in rows))
    if caption:
        _text(root, MARGIN, MARGIN + 12, caption, "caption")
    for index, row in enumerate(rows):
        group_element = ET.SubElement(root, "g", {"class": "node"})
        y = top + ROW * index
        _text(group_element, MARGIN, y + 20, row.label(), "label")
        named = jobs and row.number == 1
        marked = mark.job if mark and mark.node == index and not group else None
        _draw_row(group_element, row, left, y, named=named, marked=marked)
        _text(group_element, left + CELL * row.node.capacity + LANE, y + 20, row.note, "note")
    if mark and mark.source is not None and not group:
        _arrow(root, left + cells, top + ROW * mark.source + 15, top + ROW * mark.node + 15)
    if legend:
        _legend(root, used, top + ROW * len(rows) + 6)
    return _serialised(root)


def _rows(snapshot: Snapshot, geometry: Geometry | None, group: bool) -> list[_Row]:
    rows = [_Row(node, layout(node, geometry)) for node in snapshot.nodes]
    if not group:
        return rows
    alike: dict[object, _Row] = {}
    for row in rows:
        key = (row.node.pool, tuple(part[:3] for part in row.laid_out.parts))
        seen = alike.get(key)
        alike[key] = seen._replace(number=seen.number + 1) if seen else row
    return list(alike.values())


def _title(snapshot: Snapshot, caption: str) -> str:
    counted = f"{len(snapshot.nodes)} nodes, {snapshot.partial_nodes} partial"
    return f"{caption}: {counted}" if caption else counted


def _draw_row(parent: ET.Element, row: _Row, left: float, y: float, *, named: bool, marked: str | None) -> None:
    """The cells of a node, then the frames of its slots; the last cell of the job ``marked`` is framed, too."""
    of_job = [part for part in row.laid_out.parts if part.job and part.job == marked]
    for part in row.laid_out.parts:
        _draw_part(parent, part, left, y, named=named)
        if of_job and part is of_job[-1]:
            for kind in ("halo", "mark"):  # the halo parts the frame from what it frames, whatever the colours
                _rect(parent, kind, left + CELL * part.start - 1, y + 2, CELL * part.gpus - GAP + 2, 27)
    for start, width in row.laid_out.slots:
        _rect(parent, "slot", left + CELL * start - 2, y + 1, CELL * width - GAP + 4, 29)


def _draw_part(parent: ET.Element, part: Part, left: float, y: float, *, named: bool) -> None:
    x, width = left + CELL * part.start, CELL * part.gpus - GAP
    job = printable(part.job)
    if part.kind == "anchor":
        block = _rect(parent, "anchor", x, y + 3, width, 25)
        ET.SubElement(block, "title").text = f"{job}: {part.gpus} GPUs"
        _text(parent, x + width / 2, y + 20, _shortened(job, width) if named else str(part.gpus), "inside")
    elif part.job:
        _rect(parent, "cell", x, y + 4, width, 23)
        disc = ET.SubElement(
            parent, "circle", {"class": part.kind, "cx": _number(x + width / 2), "cy": _number(y + 15.5), "r": "7"}
        )
        ET.SubElement(disc, "title").text = f"{job}: 1 GPU"
    else:
        _rect(parent, part.kind, x, y + 4, width, 23)
        if part.kind == "vacancy":
            strokes = ((3, 15, 8), (3, 24, 17), (12, 24, 8))  # where they begin, and how far they go up and right
            lines = " ".join(f"M{_number(x + dx)} {_number(y + dy)}l{far} -{far}" for dx, dy, far in strokes)
            ET.SubElement(parent, "path", {"class": "hatch", "d": lines})


def _arrow(parent: ET.Element, x: float, begin: float, end: float) -> None:
    """From the row at height ``begin`` to the one at ``end``, bent to the right of the cells."""
    tip = _number(x + 1)
    curve = f"M{tip} {_number(begin)}C{_number(x + 17)} {_number(begin)} {_number(x + 17)} {_number(end)}"
    ET.SubElement(parent, "path", {"class": "arrow", "d": f"{curve} {_number(x + 6)} {_number(end)}"})
    head = f"M{tip} {_number(end)}l9 -5v10z"
    ET.SubElement(parent, "path", {"class": "head", "d": head})


def _legend(parent: ET.Element, kinds: Sequence[Kind], y: float) -> None:
    """A line a kind: its cell at about half its size, and what it is."""
    for k, kind in enumerate(kinds):
        sample = Part(kind, 0, 2 if kind == "anchor" else 1, "" if kind in ("vacancy", "free") else "any")
        at = f"translate({MARGIN} {_number(y + 18 * k)}) scale(0.55)"
        group = ET.SubElement(parent, "g", {"class": "legend", "transform": at})
        _draw_part(group, sample, 0, 0, named=False)
        _text(parent, MARGIN + 34, y + 18 * k + 12, KINDS[kind], "note")


def _canvas(width: float, height: float, title: str, description: str) -> ET.Element:
    size = {"width": _number(width), "height": _number(height), "viewBox": f"0 0 {_number(width)} {_number(height)}"}
    head = {"xmlns": "http://www.w3.org/2000/svg", "class": "nodes", "role": "img", "aria-label": title}
    root = ET.Element("svg", {**head, **size})
    ET.SubElement(root, "title").text = title
    ET.SubElement(root, "desc").text = description
    ET.SubElement(root, "style").text = STYLE
    ET.SubElement(root, "rect", {"class": "paper", "width": _number(width), "height": _number(height), "rx": "4"})
    return root


def _rect(parent: ET.Element, kind: str, *box: float) -> ET.Element:
    """``box`` is x, y, width and height."""
    attributes = {name: _number(value) for name, value in zip(("x", "y", "width", "height"), box, strict=True)}
    return ET.SubElement(parent, "rect", {"class": kind, **attributes, "rx": "3"})


def _text(parent: ET.Element, x: float, y: float, text: str, kind: str) -> None:
    ET.SubElement(parent, "text", {"class": kind, "x": _number(x), "y": _number(y)}).text = text


def _width(text: str) -> float:
    """In pixels; East Asian characters are about twice as wide."""
    return CHARACTER * sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _shortened(text: str, room: float) -> str:
    if _width(text) <= room:
        return text
    while text and _width(text + "…") > room:
        text = text[:-1]
    return text + "…"


def _number(value: float) -> str:
    """At most one decimal, so that the bytes depend on no rounding of the platform."""
    return f"{value:.1f}".removesuffix(".0")


def _serialised(root: ET.Element) -> str:
    ET.indent(root, space="")
    return ET.tostring(root, encoding="unicode") + "\n"
