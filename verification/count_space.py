"""Multisets of node types as integers, and operators that look at few nodes applied to millions of states at once.

Arrays of states have a row for each node and a column for each state, every column sorted. The *rank* of a column
``t_0 <= ... <= t_{N-1}`` over ``n`` types is ``sum_i C(t_i + i, i + 1)``, a bijection onto ``0 .. C(n+N-1, N) - 1``
(the combinatorial number system), so a visited set is a plain array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verification.count_model import Nodes, Outcome

Rows = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


VISIBLE = np.int16(32767)
"""Stands for a node whose type an operator replaces."""


class Ranking:
    """The bijection between sorted columns over ``types`` types on ``nodes`` nodes and ``0 .. size - 1``.

    >>> ranking = Ranking(3, 2)
    >>> ranking.size, ranking.rows(np.arange(6)).T.tolist()
    (6, [[0, 0], [0, 1], [1, 1], [0, 2], [1, 2], [2, 2]])
    """

    def __init__(self, types: int, nodes: int) -> None:
        self.types = types
        self.nodes = nodes
        self.size = comb(types + nodes - 1, nodes)
        if self.size >= 2**62:
            raise ValueError(f"{types} node types on {nodes} nodes: too many multisets to number")
        self._table = [np.array([comb(t + i, i + 1) for t in range(types)], dtype=np.int64) for i in range(nodes)]

    def ranks(self, rows: Rows) -> Ints:
        """The rank of each column; O(N) an entry."""
        total = np.zeros(rows.shape[1], dtype=np.int64)
        for table, row in zip(self._table, rows, strict=True):
            total += table[row]
        return total

    def rows(self, ranks: Ints) -> Rows:
        """The inverse: the columns of these ranks."""
        left = ranks.astype(np.int64)
        rows = np.empty((self.nodes, len(left)), dtype=np.int16)
        for i in range(self.nodes - 1, -1, -1):
            table = self._table[i]
            rows[i] = np.searchsorted(table, left, side="right") - 1
            left -= table[rows[i]]
        return rows

    def rank_of(self, nodes: Nodes) -> int:
        """The rank of one state."""
        return int(self.ranks(np.array(nodes, dtype=np.int16).reshape(-1, 1))[0])


def sort_columns(rows: Rows) -> Rows:
    """Sort every column in place (odd-even transposition: whole rows at a time, quick for few nodes)."""
    number = len(rows)
    for turn in range(number):
        for i in range(turn % 2, number - 1, 2):
            low, high = rows[i], rows[i + 1]
            smaller = np.minimum(low, high)
            np.maximum(low, high, out=rows[i + 1])
            rows[i] = smaller
    return rows


class Memo:
    """A function of integer keys, called once for each key and looked up in a sorted array afterwards."""

    def __init__(self, function: Callable[[int], int]) -> None:
        self._function = function
        self._keys = np.empty(0, dtype=np.int64)
        self._values = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def __call__(self, keys: Ints) -> Ints:
        """The value of each key."""
        found = np.searchsorted(self._keys, keys)
        if len(self._keys):
            missing = self._keys[np.minimum(found, len(self._keys) - 1)] != keys
        else:
            missing = np.ones(len(keys), dtype=bool)
        if missing.any():
            self._learn(np.unique(keys[missing]))
            found = np.searchsorted(self._keys, keys)
        return self._values[found] if len(keys) else found

    def _learn(self, keys: Ints) -> None:
        values = np.array([self._function(key) for key in keys.tolist()], dtype=np.int64)
        merged = np.concatenate([self._keys, keys])
        order = np.argsort(merged, kind="stable")
        self._keys = merged[order]
        self._values = np.concatenate([self._values, values])[order]


class Applied(NamedTuple):
    """Results of an operator on many states: result ``k`` comes from column ``source[k]``; ``stuck`` lists columns."""

    source: Ints
    rows: Rows
    moves: npt.NDArray[np.int16]
    stuck: Ints


class LocalStep:
    """An operator that looks at the masked nodes of a state only, run once for each multiset of them.

    Args:
        ranking: the states' ranking.
        outcomes: the operator on a multiset of node types, as many nodes in each result; () where it does not apply.

    The guarantee that the operator looks at nothing else is its caller's; tests compare with the whole state.
    """

    def __init__(self, ranking: Ranking, outcomes: Callable[[Nodes], Sequence[Outcome]]) -> None:
        self._outcomes = outcomes
        self._nodes = ranking.nodes
        self._keys = Ranking(ranking.types + 1, ranking.nodes)
        self._entry = Memo(self._run)
        self._flat: list[int] = []
        self._moves: list[int] = []
        self._start: list[int] = [0]
        self._stuck: list[bool] = []
        self._arrays: tuple[Rows, Rows, Ints, Mask] | None = None

    @property
    def runs(self) -> int:
        """How many multisets it has been run for."""
        return len(self._entry)

    def apply(self, rows: Rows, mask: Mask) -> Applied:
        """Run the operator on the masked nodes of each column."""
        # Hidden nodes become type 0 and stand first; the visible ones, shifted by one, stand last.
        key = self._keys.ranks(sort_columns(np.where(mask, rows + np.int16(1), np.int16(0))))
        entry = self._entry(key)
        flat, moves, start, stuck = self._tables()
        first, number = start[entry], start[entry + 1] - start[entry]
        hidden = sort_columns(np.where(mask, VISIBLE, rows))
        source = np.arange(len(number))
        if (number == 1).all():
            chosen = first
        else:
            source = np.repeat(source, number)
            chosen = first[source] + np.arange(len(source)) - np.repeat(np.cumsum(number) - number, number)
            hidden = hidden[:, source]
        result = sort_columns(np.where(hidden == VISIBLE, flat[:, chosen], hidden))
        return Applied(source, result, moves[chosen], np.flatnonzero(stuck[entry]))

    def _run(self, key: int) -> int:
        column = self._keys.rows(np.array([key]))[:, 0].tolist()
        visible = tuple(node - 1 for node in column if node)
        stuck = False
        for nodes, moves in self._outcomes(visible):
            if nodes is None:
                stuck = True
                continue
            if len(nodes) != len(visible):
                raise AssertionError(f"{visible}: {nodes} has another number of nodes")
            self._flat += [0] * (self._nodes - len(nodes)) + list(nodes)
            self._moves.append(moves)
        self._start.append(len(self._moves))
        self._stuck.append(stuck)
        self._arrays = None
        return len(self._stuck) - 1

    def _tables(self) -> tuple[Rows, Rows, Ints, Mask]:
        if self._arrays is None:
            flat = np.array(self._flat, dtype=np.int16).reshape(-1, self._nodes).T
            moves, start = np.array(self._moves, dtype=np.int16), np.array(self._start, dtype=np.int64)
            self._arrays = (np.ascontiguousarray(flat), moves, start, np.array(self._stuck, dtype=bool))
        return self._arrays
