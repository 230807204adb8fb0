"""What the settled schedulers should choose, from the tables of the encoding and from the shapes that nodes have.

:mod:`compass.choice` goes through the shapes at hand and asks the plan table. Here all entries of the encoding that
could be taken are looked through, so a choice that overlooks some of them shows: an obligation that says "some entry is
enabled" is of use only where the code finds one.
"""

from __future__ import annotations

from itertools import combinations, product

from compass.board import Board
from compass.discipline import SETTLED
from compass.errors import InvariantViolated
from compass.shapes import Shape
from verification.encoding import Effect, Table, Tables


class Preferences:
    """The best choices on a board, by the tables of the encoding."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._table = tables.model.table
        self._kinds = tables.model.discipline.kinds
        self._merges = _by_nodes(tables.merging)
        self._anchors = {gpus: _by_nodes(entries) for gpus, entries in tables.anchors.items()}

    def merge_moves(self, board: Board) -> int:
        """The fewest moves of a merge of open, stray and empty nodes."""
        return min(entry.moves for before in self._groups(board) for entry in self._merges.get(before, ()))

    def host_moves(self, board: Board, gpus: int) -> int:
        """The fewest moves for an anchor, refills counted, within limits; beside covered nodes where it has to be."""
        active = [s.index for s in board.active]
        covered = [s.index for s in self._live(board) if s.free and not s.open]
        beside_covered = {(min(pair), max(pair)) for pair in product(active, covered)}
        for befores in (self._groups(board), beside_covered):
            entries = [entry for before in befores for entry in self._anchors[gpus].get(before, ())]
            costs = [self._cost(board, entry) for entry in entries if not self._tables.exceeds(board, entry)]
            if costs:
                return min(costs)
        raise InvariantViolated(f"no entry hosts {gpus} GPUs")

    def filler_host(self, board: Board) -> Shape:
        """The least vacancy; else of the open nodes that stay of their kind or are covered then, the least room."""
        live, kinds = self._live(board), self._kinds
        vacant = [s for s in live if s.vacancy]
        if vacant:
            return min(vacant, key=lambda s: (s.vacancy, s.index))
        grown = [(s, s.plus[1]) for s in live if s.open]
        taking = [s for s, larger in grown if larger and kinds[larger.index] in (SETTLED, kinds[s.index])]
        return min(taking, key=lambda s: (s.room, s.index), default=board.empty)

    def refill(self, board: Board) -> tuple[Shape, Shape]:
        """The donor, stray before open pool before open before covered, then the fewest free; and the least vacancy."""
        live = self._live(board)
        donor = min((s for s in live if s.free), key=lambda s: (-self._kinds[s.index], s.free, s.index))
        return donor, min((s for s in live if s.vacancy), key=lambda s: (s.vacancy, s.index))

    def _live(self, board: Board) -> list[Shape]:
        return [shape for shape in self._table if board.live[shape.index]]

    def _groups(self, board: Board) -> set[tuple[int, ...]]:
        """One or two open, stray or empty nodes, by shape."""
        single = [s.index for s in board.active] + [board.empty.index] * board.has_empty
        twice = [s.index for s in board.active if board.live[s.index] > 1]
        pairs = {(min(pair), max(pair)) for pair in combinations(single, 2)}
        return {*((one,) for one in single), *((one, one) for one in twice), *pairs}

    def _cost(self, board: Board, entry: Effect) -> int:
        vacancy = sum(self._table[index].vacancy for index in entry.after)
        return entry.moves + min(vacancy, board.free - sum(self._table[index].free for index in entry.before))


def _by_nodes(entries: Table) -> dict[tuple[int, ...], list[Effect]]:
    found: dict[tuple[int, ...], list[Effect]] = {}
    for entry in entries:
        found.setdefault(entry.before, []).append(entry)
    return found
