"""The nodes of a snapshot as lines of text, one a node, one character a GPU.

Every anchor is a letter, repeated once for each of its GPUs; a 1-GPU instance is a dot; a free GPU is a blank. So
``AAAABB.`` and a blank is a node with instances of 4, 2 and 1 GPUs and one GPU free. Letters tell the instances of one
node apart and begin with A on every node: nodes with the same load look the same and can be grouped. A drawing that
names the jobs and groups nothing gives each job one letter on all nodes instead, as long as the alphabet lasts.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from compass.snapshot import Node, PlacedInstance, Snapshot
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


def rows(snapshot: Snapshot, *, group: bool = False, jobs: bool = False, dot: str = "·") -> list[Row]:
    """The drawing as rows.

    Args:
        snapshot: the nodes.
        group: nodes that look the same become one row, in the order of their first.
        jobs: without ``group``, a job has one letter on all nodes, where at most 26 jobs have anchors; two anchors of
            one job side by side are told apart by capital and small letters.
        dot: the character of a 1-GPU instance.

    >>> [(row.label, row.nodes, row.cells) for row in rows(Snapshot.of([[1, 4], [8], [4, 1]]), group=True, dot=".")]
    [('n0', 2, 'AAAA.   '), ('n1', 1, 'AAAAAAAA')]

    Cost: linear in the number of nodes and instances.
    """
    letters = _letters_of_jobs(snapshot) if jobs and not group else {}
    drawn = [_row(node, dot, letters) for node in snapshot.nodes]
    if not group:
        return drawn
    groups: dict[tuple[str, str], Row] = {}
    for row in drawn:
        seen = groups.get((row.cells, row.pool))
        groups[row.cells, row.pool] = seen._replace(nodes=seen.nodes + 1, jobs="") if seen else row
    return list(groups.values())


def _anchors(node: Node) -> list[PlacedInstance]:
    """Largest first, so that equal loads look equal."""
    return sorted((i for i in node.instances if i.gpus > 1), key=lambda i: -i.gpus)


def _letters_of_jobs(snapshot: Snapshot) -> dict[str, str]:
    """A letter for each job with anchors, in the order of the drawing; nothing where there are more than letters."""
    names = dict.fromkeys(anchor.job for node in snapshot.nodes for anchor in _anchors(node))
    return {} if len(names) > len(_LETTERS) else dict(zip(names, _LETTERS, strict=False))


def _row(node: Node, dot: str, letters: Mapping[str, str]) -> Row:
    anchors = _anchors(node)
    cells = ""
    legend: dict[str, None] = {}
    for own, anchor in zip(_LETTERS, anchors, strict=False):  # at most G/2 anchors, so the letters suffice
        letter = letters.get(anchor.job, own)
        cells += (letter.lower() if cells.endswith(letter) else letter) * anchor.gpus
        legend[f"{letter}={printable(anchor.job)}"] = None
    singles = [i.job for i in node.instances if i.gpus == 1]
    cells += dot * len(singles)
    if singles:
        legend[f"{dot}={','.join(map(printable, singles))}"] = None
    pool = printable(node.pool)
    return Row(printable(node.name), 1, cells.ljust(node.capacity), node.load, pool, " ".join(legend))


def draw(snapshot: Snapshot, *, group: bool = False, jobs: bool = False, ascii_only: bool = False) -> list[str]:
    """The drawing as lines of text.

    Args:
        snapshot: the nodes.
        group: one line for all nodes that look the same, with their number.
        jobs: add which job each letter stands for (not to a line that stands for several nodes), and use letters as
            in :func:`rows`.
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
    drawn = rows(snapshot, group=group, jobs=jobs, dot=dot)
    width = max((len(row.label) for row in drawn), default=0)
    most = max((row.nodes for row in drawn), default=0)
    for row in drawn:
        number = f" {times} {row.nodes:<{len(str(most))}}" if most > 1 else ""
        legend = f"  {row.jobs}" if jobs and row.jobs else ""
        yield row, f"{row.label:<{width}}{number} {edge}{row.cells}{edge} {row.note}{legend}".rstrip()
