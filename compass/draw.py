"""The nodes of a snapshot as lines of text, one a node, one character a GPU.

Every anchor is a letter, repeated once for each of its GPUs; a 1-GPU instance is a dot; a free GPU is a blank. So
``AAAABB. `` is a node with instances of 4, 2 and 1 GPUs and one GPU free. Letters tell the instances of one node
apart and begin with A on every node: nodes with the same load look the same and can be grouped.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import NamedTuple

from compass.snapshot import Node, Snapshot
from compass.text_input import printable

_LETTERS = string.ascii_uppercase


class Row(NamedTuple):
    """One line of the drawing.

    Attributes:
        label: name of the node, or of the first of a group.
        nodes: number of nodes that look like this.
        cells: one character for each GPU of the node.
        load: busy GPUs.
        pool: hardware pool.
        jobs: which job each letter stands for, and those of the 1-GPU instances.
    """

    label: str
    nodes: int
    cells: str
    load: int
    pool: str
    jobs: str

    @property
    def partial(self) -> bool:
        """The node counts as fragmented: busy in part."""
        return 0 < self.load < len(self.cells)

    @property
    def note(self) -> str:
        """The load in words."""
        state = " partial" if self.partial else " empty" if not self.load else ""
        pool = f" pool {self.pool}" if self.pool else ""
        return f"{self.load}/{len(self.cells)}{state}{pool}"


def rows(snapshot: Snapshot, *, group: bool = False, dot: str = "·") -> list[Row]:
    """The drawing as rows; with ``group``, nodes that look the same become one row, in the order of their first.

    >>> [(row.label, row.nodes, row.cells) for row in rows(Snapshot.of([[1, 4], [8], [4, 1]]), group=True, dot=".")]
    [('n0', 2, 'AAAA.   '), ('n1', 1, 'AAAAAAAA')]

    Cost: linear in the number of nodes and instances.
    """
    drawn = [_row(node, dot) for node in snapshot.nodes]
    if not group:
        return drawn
    groups: dict[tuple[str, str], Row] = {}
    for row in drawn:
        seen = groups.get((row.cells, row.pool))
        groups[row.cells, row.pool] = seen._replace(nodes=seen.nodes + 1, jobs="") if seen else row
    return list(groups.values())


def _row(node: Node, dot: str) -> Row:
    # Largest first, so that equal loads look equal; at most G/2 anchors, so the letters suffice.
    anchors = sorted((i for i in node.instances if i.gpus > 1), key=lambda i: -i.gpus)
    singles = [i.job for i in node.instances if i.gpus == 1]
    cells = "".join(letter * i.gpus for letter, i in zip(_LETTERS, anchors, strict=False)) + dot * len(singles)
    legend = [f"{letter}={printable(i.job)}" for letter, i in zip(_LETTERS, anchors, strict=False)]
    if singles:
        legend.append(f"{dot}={','.join(map(printable, singles))}")
    pool = printable(node.pool)
    return Row(printable(node.name), 1, cells.ljust(node.capacity), node.load, pool, " ".join(legend))


def draw(snapshot: Snapshot, *, group: bool = False, jobs: bool = False, ascii_only: bool = False) -> list[str]:
    """The drawing as lines of text.

    Args:
        snapshot: the nodes.
        group: one line for all nodes that look the same, with their number.
        jobs: add which job each letter stands for (not to a line that stands for several nodes).
        ascii_only: use no character beyond ASCII, unless a name holds one.

    Examples:
        >>> for line in draw(Snapshot.of([[4, 2], [1, 1], [], [8]]), ascii_only=True):
        ...     print(line)
        n0 |AAAABB  | 6/8 partial
        n1 |..      | 2/8 partial
        n2 |        | 0/8 empty
        n3 |AAAAAAAA| 8/8
    """
    return [text for _, text in lines(snapshot, group=group, jobs=jobs, ascii_only=ascii_only)]


def lines(
    snapshot: Snapshot, *, group: bool = False, jobs: bool = False, ascii_only: bool = False
) -> Iterator[tuple[Row, str]]:
    """Every line of ``draw`` with the row it shows, for callers that add colour."""
    edge, dot, times = ("|", ".", "x") if ascii_only else ("│", "·", "×")
    drawn = rows(snapshot, group=group, dot=dot)
    width = max((len(row.label) for row in drawn), default=0)
    most = max((row.nodes for row in drawn), default=0)
    for row in drawn:
        number = f" {times} {row.nodes:<{len(str(most))}}" if most > 1 else ""
        legend = f"  {row.jobs}" if jobs and row.jobs else ""
        yield row, f"{row.label:<{width}}{number} {edge}{row.cells}{edge} {row.note}{legend}".rstrip()
