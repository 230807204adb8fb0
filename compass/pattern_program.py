"""An exact integer program with few rows and many columns, as packing problems have: branch and bound over exact LPs.

The program is ``min c x`` subject to ``A x = b``, ``x`` a vector of non-negative integers, where ``A``, ``b`` and
``c`` are non-negative integers and no column is zero. In a packing each row is an item size, each column a *pattern*
(what one node holds) and ``b`` the numbers of items; a limit on a number of nodes is one more row with a slack
column. The size of the program depends on the node capacity only. The group relaxation settles it without branching,
whatever the size of ``b``, unless a component of its solution is negative; the branching then is on that component.

Every number is an integer of unlimited size: no rounding, no tolerance, no time limit, so an answer is a proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

Column = tuple[int, ...]
"""Instances by size on one node: a column of the integer program."""

GROUP_LIMIT = 1024
"""Largest basis determinant for which the group relaxation is worth its time; it never changes an answer."""


class Solution(NamedTuple):
    """An optimal integer solution: its cost and the multiplicity of each column used, by column index."""

    cost: int
    used: dict[int, int]


class _Relaxation(NamedTuple):
    """An optimal vertex of the LP relaxation; every number is to be divided by ``denominator``."""

    value: int
    denominator: int
    basic: dict[int, int]
    """The columns that are not zero."""
    basis: list[int]
    """The column of each row of ``inverse``, negative for an artificial column (which is zero)."""
    dual: list[int]
    inverse: list[list[int]]
    """Inverse of the basis."""
    target: Column
    """Fractional parts of the basic solution: ``b`` as an element of the group."""

    @property
    def bound(self) -> int:
        """The value rounded up."""
        return -(-self.value // self.denominator)

    def basic_part(self, rhs: Column) -> dict[int, int]:
        """The basic solution of a right-hand side for which it is integer."""
        values = (sum(map(mul, row, rhs)) // self.denominator for row in self.inverse)
        return {j: x for j, x in zip(self.basis, values, strict=True) if j >= 0}


def solve(columns: Sequence[Column], costs: Sequence[int], rhs: Column, lower: int = 0) -> Solution | None:
    """Solve ``min c x, A x = b, x >= 0 integer``; None where no such ``x`` exists.

    Args:
        columns: the columns of ``A``. Their order is the preference of the greedy completion: put first what an
            optimal solution is likely to use.
        costs: ``c``, one a column.
        rhs: ``b``.
        lower: a proven lower bound of the cost (cuts the search short, never changes the answer).

    Guarantee: the returned cost is the minimum. At each node of the search the LP relaxation bounds the cost from
    below; where rounding its vertex does not attain the bound, the group relaxation gives a second bound and the
    solution that attains it, unless that has a negative component. Then such a column ``p`` is branched on: ``x_p`` is
    fixed to ``floor``, ``floor - 1``, ... of its LP value (the LP value is convex in it, so this ends at the first
    value whose LP bound is no better than the incumbent), or is at least ``floor + 1``. A fixed column leaves the
    program and a lower bound reduces ``b``, so the search is finite.

    Examples:
        Items of 3 and 5 units on nodes of 8, cost 1 for a node that is not full:

        >>> solve([(1, 1), (2, 0), (1, 0), (0, 1)], [0, 1, 1, 1], (4, 1))
        Solution(cost=2, used={0: 1, 1: 1, 2: 1})
    """
    search = _Search(columns, costs, rhs, lower)
    search.complete(range(len(columns)), rhs, {})
    if search.open(lower):
        search.branch(tuple(j for j, column in enumerate(columns) if _most(column, rhs)), rhs, {})
    return search.best


class _Search:
    """Depth-first branch and bound; ``best`` is the incumbent, ``cutoff`` the cost that must be beaten."""

    def __init__(self, columns: Sequence[Column], costs: Sequence[int], rhs: Column, lower: int) -> None:
        self.columns = columns
        self.costs = costs
        self.lower = lower
        self.best: Solution | None = None
        self.cutoff = 1 + max(costs, default=0) * sum(rhs)  # more than any solution costs: no column is zero

    def open(self, bound: int) -> bool:
        """Whether a subproblem with this lower bound can still hold something better than the incumbent."""
        return max(bound, self.lower) < self.cutoff

    def branch(self, available: tuple[int, ...], rhs: Column, fixed: dict[int, int]) -> bool:
        """Search the subproblem; False when its LP relaxation alone shows that it holds nothing better.

        ``fixed`` are the copies taken so far; of an available column any number may still be added.
        """
        relaxed = _relax(self.columns, self.costs, available, rhs)
        if relaxed is None:
            return False
        spent = self._cost(fixed)
        bound = relaxed.bound + spent
        if not self.open(bound):
            return False
        whole = {j: x // relaxed.denominator for j, x in relaxed.basic.items()}
        self.complete(available, self._without(rhs, whole), _sum(fixed, whole))
        if not self.open(bound):
            return True
        candidates = [j for j, x in relaxed.basic.items() if x % relaxed.denominator]
        if relaxed.denominator <= GROUP_LIMIT:
            shortest = self.group_relaxation(relaxed, available, spent)
            if shortest is None:
                return True
            length, beside = shortest
            bound = spent + (relaxed.value + length) // relaxed.denominator
            basic = relaxed.basic_part(self._without(rhs, beside))
            negative = [j for j, x in basic.items() if x < 0]
            if not negative:
                used = _sum(beside, basic)
                self.complete((), self._without(rhs, used), _sum(fixed, used))
            if not self.open(bound):
                return True
            candidates = negative or candidates
        split = min(candidates, key=lambda j: (whole.get(j, 0), j))
        column, at = self.columns[split], whole.get(split, 0)
        rest = tuple(j for j in available if j != split)
        for value in range(at, -1, -1):
            lower_holds = self.branch(rest, self._without(rhs, {split: value}), _sum(fixed, {split: value}))
            if not lower_holds or not self.open(bound):
                break
        if _most(column, rhs) > at and self.open(bound):
            self.branch(available, self._without(rhs, {split: at + 1}), _sum(fixed, {split: at + 1}))
        return True

    def group_relaxation(
        self, relaxed: _Relaxation, available: tuple[int, ...], spent: int
    ) -> tuple[int, dict[int, int]] | None:
        """The cheapest columns beside the basis that leave an integer basic solution, of whatever sign (Gomory 1965).

        Every solution has ``x_B = B^-1 b - sum B^-1 A_j x_j`` over the columns ``j`` outside the basis and costs the LP
        value plus ``sum r_j x_j``, ``r_j >= 0`` their reduced costs. That ``x_B`` is integer is a condition in the
        finite group ``Z^m / B Z^m``, so the least ``sum r_j x_j`` is the length of a shortest path from 0 to ``b``
        there: a lower bound that does not depend on the size of ``b``, and attained unless some ``x_B`` is negative.

        Returns:
            The length (scaled) and the columns on the path; None where no path is short enough to beat the incumbent.
        """
        scale = relaxed.denominator
        budget = (self.cutoff - 1 - spent) * scale - relaxed.value
        steps: dict[Column, tuple[int, int]] = {}
        for j in available:
            column = self.columns[j]
            reduced = self.costs[j] * scale - sum(map(mul, relaxed.dual, column))
            if reduced <= budget:
                element = tuple(sum(map(mul, column, row)) % scale for row in relaxed.inverse)
                steps[element] = min((reduced, j), steps.get(element, (reduced, j)))
        origin = (0,) * len(relaxed.inverse)
        reached: dict[Column, tuple[int, int, Column]] = {origin: (0, -1, origin)}
        queue = [(0, origin)]
        while queue:
            length, element = heapq.heappop(queue)
            if element == relaxed.target:
                path: dict[int, int] = {}
                while element != origin:
                    _, j, element = reached[element]
                    path[j] = path.get(j, 0) + 1
                return length, path
            if length > reached[element][0]:
                continue
            for step, (cost, j) in steps.items():
                further = length + cost
                target = tuple((a + b) % scale for a, b in zip(element, step, strict=True))
                if further <= budget and (target not in reached or further < reached[target][0]):
                    reached[target] = (further, j, element)
                    heapq.heappush(queue, (further, target))
        return None

    def complete(self, available: Sequence[int], rhs: Column, start: dict[int, int]) -> None:
        """Extend ``start`` greedily, first column first, and keep the result if it is a better incumbent."""
        used = dict(start)
        for j in available:
            if not any(rhs):
                break
            number = _most(self.columns[j], rhs)
            if number:
                used[j] = used.get(j, 0) + number
                rhs = self._without(rhs, {j: number})
        cost = self._cost(used)
        if not any(rhs) and cost < self.cutoff:
            self.cutoff = cost
            self.best = Solution(cost, {j: x for j, x in sorted(used.items()) if x})

    def _without(self, rhs: Column, used: dict[int, int]) -> Column:
        left = list(rhs)
        for j, number in used.items():
            for i, a in enumerate(self.columns[j]):
                left[i] -= a * number
        return tuple(left)

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
    penalty = 1 + (1 + max(costs, default=0)) * (1 + sum(rhs)) * max(map(sum, columns), default=0) ** len(rhs)
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
    return _Relaxation(
        value,
        scale,
        {j: row[0] for j, row in zip(basis, table, strict=True) if row[0]},
        basis,
        dual,
        [row[1:] for row in table],
        tuple(row[0] % scale for row in table),
    )


def _lexicographic_ratio(table: list[list[int]], alpha: list[int]) -> int:
    """The row with ``alpha > 0`` whose ``table`` row divided by its ``alpha`` is lexicographically least."""
    candidates = (i for i, a in enumerate(alpha) if a > 0)
    least = next(candidates)  # one exists: costs are not negative, so the program is bounded
    for i in candidates:
        a, b = alpha[i], alpha[least]
        if [u * b for u in table[i]] < [u * a for u in table[least]]:
            least = i
    return least


def _most(column: Column, rhs: Column) -> int:
    """How many copies of the column fit below ``rhs``."""
    return min(b // a for a, b in zip(column, rhs, strict=True) if a)


def _sum(left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
    return left | {j: left.get(j, 0) + x for j, x in right.items()}
