"""An exact integer program with few rows and many columns, as packing problems have: branch and bound over exact LPs.

The program is ``min c x`` subject to ``A x = b``, ``x`` a vector of non-negative integers, where ``A``, ``b`` and
``c`` are non-negative integers and no column is zero. In a packing each row is an item size, each column a *pattern*
(what one node holds) and ``b`` the numbers of items; a limit on a number of nodes is one more row with a slack
column. Rows and columns depend on the node capacity only, so the work does not grow with the number of nodes.

Every number is an integer of unlimited size: no rounding, no tolerance, no time limit, so an answer is a proof.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from operator import mul
from typing import NamedTuple

Column = tuple[int, ...]


class Solution(NamedTuple):
    """An optimal integer solution: its cost and the multiplicity of each column used, by column index."""

    cost: int
    used: dict[int, int]


class _Relaxation(NamedTuple):
    """An optimal vertex of the LP relaxation; every number is to be divided by ``denominator``."""

    value: int
    denominator: int
    basic: dict[int, int]

    @property
    def bound(self) -> int:
        return -(-self.value // self.denominator)


def solve(
    columns: Sequence[Column], costs: Sequence[int], rhs: Column, lower: int = 0, incumbent: Solution | None = None
) -> Solution | None:
    """Solve ``min c x, A x = b, x >= 0 integer``; None where no such ``x`` exists.

    Args:
        columns: the columns of ``A``. Their order is the preference of the greedy completion: put first what an
            optimal solution is likely to use.
        costs: ``c``, one a column.
        rhs: ``b``.
        lower: a proven lower bound of the cost (cuts the search short, never changes the answer).
        incumbent: a feasible solution known beforehand.

    Guarantee: the returned cost is the minimum. At each node of the search the LP relaxation bounds the cost from
    below. One fractional ``x_p`` is fixed to ``floor``, ``floor - 1``, ... and to ``floor + 1``, ...: the LP value is
    convex in the value fixed and least between the first two, so each direction ends at the first value whose
    bound is no better than the incumbent. A fixed column leaves the program, so the search is finite.

    Examples:
        Items of 3 and 5 units on nodes of 8, cost 1 for a node that is not full:

        >>> solve([(1, 1), (2, 0), (1, 0), (0, 1)], [0, 1, 1, 1], (4, 1))
        Solution(cost=2, used={0: 1, 1: 1, 2: 1})
    """
    search = _Search(columns, costs, lower, incumbent)
    search.complete(range(len(columns)), rhs, {})
    if search.open(lower):
        search.branch(tuple(j for j, column in enumerate(columns) if _most(column, rhs)), rhs, {})
    return search.best


class _Search:
    """Depth-first branch and bound; ``best`` is the incumbent."""

    def __init__(self, columns: Sequence[Column], costs: Sequence[int], lower: int, best: Solution | None) -> None:
        self.columns = columns
        self.costs = costs
        self.lower = lower
        self.best = best

    def open(self, bound: int) -> bool:
        """Whether a subproblem with this lower bound can still hold something better than the incumbent."""
        return self.best is None or max(bound, self.lower) < self.best.cost

    def branch(self, available: tuple[int, ...], rhs: Column, fixed: dict[int, int]) -> bool:
        """Search the subproblem; False when its relaxation alone shows that it holds nothing better.

        ``fixed`` are the copies taken so far; of an available column any number of copies may still be added.
        """
        relaxed = _relax(self.columns, self.costs, available, rhs)
        if relaxed is None:
            return False
        bound = relaxed.bound + self._cost(fixed)
        if not self.open(bound):
            return False
        whole = {j: x // relaxed.denominator for j, x in relaxed.basic.items()}
        self.complete(available, _subtract(rhs, ((self.columns[j], x) for j, x in whole.items())), _sum(fixed, whole))
        if not self.open(bound):
            return True
        allowed = sum(1 << j for j in available)
        unsettled = [j for j in relaxed.basic if self.conflicts[j] & allowed]
        if unsettled:
            chosen = max(unsettled, key=lambda j: relaxed.basic[j])
            conflicts = self.conflicts[chosen]
            compatible = tuple(j for j in available if not conflicts >> j & 1)
            if _most(self.columns[chosen], rhs):
                self.branch(compatible, _subtract(rhs, [(self.columns[chosen], 1)]), _sum(fixed, {chosen: 1}))
            if self.open(bound):
                self.branch(tuple(j for j in available if j != chosen), rhs, fixed)
            return True
        split = min(j for j, x in relaxed.basic.items() if x % relaxed.denominator)
        rest = tuple(j for j in available if j != split)
        for values in (range(whole[split], -1, -1), range(whole[split] + 1, _most(self.columns[split], rhs) + 1)):
            for value in values:
                child = _subtract(rhs, [(self.columns[split], value)])
                if not self.branch(rest, child, _sum(fixed, {split: value})) or not self.open(bound):
                    break
        return True

    @cached_property
    def conflicts(self) -> tuple[int, ...]:
        """For each column the set of columns, as bits, that need not be used together with it."""
        return _conflicts(tuple(self.columns), tuple(self.costs))

    def complete(self, available: Sequence[int], rhs: Column, start: dict[int, int]) -> None:
        """Extend ``start`` greedily, first column first, and keep the result if it is a better incumbent."""
        used = dict(start)
        for j in available:
            if not any(rhs):
                break
            number = _most(self.columns[j], rhs)
            if number:
                used[j] = used.get(j, 0) + number
                rhs = _subtract(rhs, [(self.columns[j], number)])
        cost = self._cost(used)
        if not any(rhs) and (self.best is None or cost < self.best.cost):
            self.best = Solution(cost, {j: x for j, x in sorted(used.items()) if x})

    def _cost(self, used: dict[int, int]) -> int:
        return sum(self.costs[j] * x for j, x in used.items())


def _relax(
    columns: Sequence[Column], costs: Sequence[int], available: Sequence[int], rhs: Column
) -> _Relaxation | None:
    """Solve the LP relaxation over the available columns; None where it has no solution.

    Revised simplex with integer pivoting (Edmonds 1967, Bareiss 1968): ``table[i] = D (B^-1 b, B^-1)_i`` where ``D``
    is the determinant of the basis, so every division below is exact. It starts from artificial columns. The
    lexicographic ratio test excludes cycles under any choice of the entering column (Dantzig, Orden, Wolfe 1955).
    """
    rows = range(len(rhs))
    # An artificial column left at >= 1/D costs more than any solution: D <= prod |column| and sum c x <= max c sum b.
    penalty = 1 + (1 + max(costs)) * (1 + sum(rhs)) * max(map(sum, columns)) ** len(rhs)
    basis = [-1 - i for i in rows]
    basic_costs = [penalty] * len(rhs)
    table = [[b, *(int(i == k) for k in rows)] for i, b in enumerate(rhs)]
    scale = 1
    while True:
        dual = [sum(c * row[k + 1] for c, row in zip(basic_costs, table, strict=True)) for k in rows]
        reduced, entering = min(
            ((costs[j] * scale - sum(map(mul, dual, columns[j])), j) for j in available), default=(0, 0)
        )
        if reduced >= 0:
            break
        column = columns[entering]
        alpha = [sum(map(mul, column, row[1:])) for row in table]
        leaving = _lexicographic_ratio(table, alpha)
        pivot, pivot_row = alpha[leaving], table[leaving]
        for i in rows:
            if i != leaving:
                factor = alpha[i]
                table[i] = [(pivot * u - factor * v) // scale for u, v in zip(table[i], pivot_row, strict=True)]
        scale = pivot
        basis[leaving] = entering
        basic_costs[leaving] = costs[entering]
    if any(j < 0 and row[0] for j, row in zip(basis, table, strict=True)):
        return None
    value = sum(c * row[0] for c, row in zip(basic_costs, table, strict=True))
    return _Relaxation(value, scale, {j: row[0] for j, row in zip(basis, table, strict=True) if row[0]})


def _lexicographic_ratio(table: list[list[int]], alpha: list[int]) -> int:
    """The row with ``alpha > 0`` whose ``table`` row divided by its ``alpha`` is lexicographically least."""
    candidates = (i for i, a in enumerate(alpha) if a > 0)
    least = next(candidates)  # one exists: costs are not negative, so the program is bounded
    for i in candidates:
        a, b = alpha[i], alpha[least]
        if [u * b for u in table[i]] < [u * a for u in table[least]]:
            least = i
    return least


@lru_cache(maxsize=512)
def _conflicts(columns: tuple[Column, ...], costs: tuple[int, ...]) -> tuple[int, ...]:
    """Bit ``q`` of entry ``p``: two columns ``p, q`` can be exchanged for better ones (``p = q``: two copies of it).

    Among the optimal solutions take the one whose sorted list of columns is lexicographically least. In it no two
    columns ``p, q`` have the sum of another pair ``r, s`` (or of one column ``r``) which costs less, or costs the same
    and comes first in this order: exchanging them would give a better solution.
    """
    base = 2 * max(map(max, columns)) + 1
    codes = [sum(a * base**i for i, a in enumerate(column)) for column in columns]
    last = len(columns)
    best = {code: (costs[j], j, last) for j, code in enumerate(codes)}
    pairs = list(itertools.combinations_with_replacement(range(last), 2))
    for p, q in pairs:
        code, pair = codes[p] + codes[q], (costs[p] + costs[q], p, q)
        if code not in best or pair < best[code]:
            best[code] = pair
    found = [0] * last
    for p, q in pairs:
        if best[codes[p] + codes[q]][1:] != (p, q):
            found[p] |= 1 << q
            found[q] |= 1 << p
    return tuple(found)


def _most(column: Column, rhs: Column) -> int:
    """How many copies of the column fit below ``rhs``."""
    return min(b // a for a, b in zip(column, rhs, strict=True) if a)


def _sum(left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
    return left | {j: left.get(j, 0) + x for j, x in right.items()}


def _subtract(rhs: Column, used: Iterable[tuple[Column, int]]) -> Column:
    left = list(rhs)
    for column, number in used:
        for i, a in enumerate(column):
            left[i] -= a * number
    return tuple(left)
