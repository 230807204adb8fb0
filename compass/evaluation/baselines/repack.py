"""The integer program behind FFT's rounds: fewest moved instances to a placement with a given number of partial nodes.

Nodes with equal contents are alike. For contents ``s`` (of some node) and ``k`` (any load pattern) the variable
``y[s, k]``, ``k != s``, says how many nodes go from s to k; ``cost(s, k)`` is the number of instances of s beyond k, as
multisets. An instance that leaves one node enters another, so the sum of the costs is the number of moved instances::

    minimise   sum cost(s, k) y[s, k]
    subject to sum_k y[s, k] <= nodes with contents s                 for each s
               sum (k_g - s_g) y[s, k] = arriving instances of size g for each size g
               sum (partial(k) - partial(s)) y[s, k] = partial - nu   if a number of partial nodes is given,
                                                                     else this sum is minimised after the moves

Full nodes with one instance take no part: were such an instance to move, exchange the new contents of its node and of
the node it moves to, which saves a move. In an answer with at most L moves at most L instances leave a node, and at
most L and the arriving ones enter it; so the program is solved for small L first, with the few variables that this
leaves, and its answer is the best of all if it has at most L moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from compass.errors import CompassError, DoesNotFitNow, InputError, InvariantViolated

Pattern = tuple[int, ...]
"""Sizes on one node, descending."""

FEW = 2
"""The first number of moves to try; it never changes their number."""

OPTIMAL, INFEASIBLE = 0, 2  # status of scipy.optimize.milp


def fewest_moves(
    nodes: Mapping[Pattern, int], capacity: int, partial: int | None = None, arriving: Mapping[int, int] | None = None
) -> list[tuple[Pattern, Pattern, int]]:
    """How many nodes of which contents get which other contents, with the fewest moves; exact.

    Args:
        nodes: number of nodes of each content, the empty ones (``()``) included.
        capacity: GPUs of a node.
        partial: the number of partial nodes to reach; None for any, of answers with equally many moves one with the
            fewest partial nodes.
        arriving: instances that come in addition, ``{size: number}``.

    Returns: triples (contents before, contents after, number of nodes), sorted. Deterministic for one version of the
    solver; another may pick another of several optimal answers.

    Raises:
        InputError: scipy is not installed.
        DoesNotFitNow: there is no such placement.

    Cost: one mixed-integer program with at most 67 x 66 variables for G = 8, usually some hundred.

    Examples:
        >>> fewest_moves({(4, 2): 1, (4,): 1, (2,): 1}, 8, partial=1)
        [((2,), (), 1), ((4, 2), (4, 2, 2), 1)]
    """
    coming = {g: n for g, n in (arriving or {}).items() if n}
    sources = sorted(content for content, number in nodes.items() if number and content != (capacity,))
    sizes = tuple(sorted({g for content in sources for g in content} | coming.keys()))
    numbers = [nodes[content] for content in sources]
    rhs = [coming.get(g, 0) for g in sizes]
    if partial is not None:
        rhs.append(partial - sum(n for content, n in nodes.items() if 0 < sum(content) < capacity))
    weight = 2 * sum(numbers) + 1  # of a move, more than any change in partial nodes
    many = sum(coming.values())
    instances = sum(len(content) * nodes[content] for content in sources)
    limit = FEW
    while True:
        blocks = [
            [c for c in _changes(content, sizes, capacity) if c.leaving <= limit and c.entering <= limit + many]
            for content in sources
        ]
        flat = [change for block in blocks for change in block]
        used = solve(
            [change.leaving if partial is not None else weight * change.leaving + change.partial for change in flat],
            [len(block) for block in blocks],
            numbers,
            [change.gains if partial is None else (*change.gains, change.partial) for change in flat],
            rhs,
        )
        if used is None and limit >= instances:
            raise DoesNotFitNow("no placement has these instances and this number of partial nodes")
        moves = 2 * limit if used is None else sum(n * c.leaving for n, c in zip(used, flat, strict=True))
        if used is not None and moves <= limit:
            return [(c.before, c.after, n) for n, c in zip(used, flat, strict=True) if n]
        limit = moves


class _Change(NamedTuple):
    """A node gets other contents."""

    before: Pattern
    after: Pattern
    leaving: int
    entering: int
    gains: tuple[int, ...]
    """Instances gained of each size."""
    partial: int
    """Partial nodes gained."""


@lru_cache(maxsize=4096)
def _changes(before: Pattern, sizes: tuple[int, ...], capacity: int) -> list[_Change]:
    return [
        _Change(
            before,
            after,
            (Counter(before) - Counter(after)).total(),
            (Counter(after) - Counter(before)).total(),
            tuple(after.count(g) - before.count(g) for g in sizes),
            (0 < sum(after) < capacity) - (0 < sum(before) < capacity),
        )
        for after in node_patterns(sizes, capacity)
        if after != before
    ]


@lru_cache(maxsize=512)
def node_patterns(sizes: tuple[int, ...], capacity: int) -> list[Pattern]:
    """Everything that one node can hold of these sizes, nothing included.

    Examples:
        >>> node_patterns((2, 3), 5)
        [(), (2,), (2, 2), (3,), (3, 2)]
    """
    found: list[Pattern] = [()]
    for content in found:  # grows
        largest = min(capacity - sum(content), *content[-1:], capacity)
        found += [(*content, g) for g in sizes if g <= largest]
    return sorted(found)


def solve(
    costs: Sequence[int],
    lengths: Sequence[int],
    limits: Sequence[int],
    equations: Sequence[tuple[int, ...]],
    rhs: Sequence[int],
) -> list[int] | None:
    """``min c y``: consecutive blocks of y of these lengths sum to at most the limits, and ``sum y_j column_j = rhs``.

    Solved by HiGHS, through scipy, with no gap allowed; that the answer keeps the constraints is checked in integers.

    Returns: y, None where there is no solution.

    Raises:
        InputError: scipy is not installed.
        CompassError: the solver gave up.
    """
    try:
        import numpy as np  # noqa: PLC0415 - an extra
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415
        from scipy.sparse import csr_array  # noqa: PLC0415
    except ImportError:
        raise InputError("no solver of integer programs: pip install 'compass-abs[evaluate]'") from None
    count = len(costs)
    if not count:
        return None if any(rhs) else []
    block = np.repeat(np.arange(len(lengths)), lengths)
    of_block = csr_array((np.ones(count), (block, np.arange(count))), shape=(len(lengths), count))
    upper = np.asarray(limits)
    result: Any = milp(
        np.asarray(costs),
        integrality=np.ones(count),
        bounds=Bounds(0, upper[block]),
        constraints=[
            LinearConstraint(of_block, 0, upper),
            LinearConstraint(np.asarray(equations).T, rhs, rhs),
        ],
        options={"mip_rel_gap": 0},
    )
    if result.status == INFEASIBLE:
        return None
    if result.status != OPTIMAL:
        raise CompassError(f"the integer program was not solved: {result.message}")
    used = [round(value) for value in result.x]
    return _checked(used, block.tolist(), limits, equations, rhs)


def _checked(
    used: list[int],
    block: Sequence[int],
    limits: Sequence[int],
    equations: Sequence[tuple[int, ...]],
    rhs: Sequence[int],
) -> list[int]:
    """The answer, if it keeps the constraints."""
    there = [0] * len(limits)
    sums = [0] * len(rhs)
    for column, number in enumerate(used):
        if number:
            there[block[column]] += number
            sums = [total + number * change for total, change in zip(sums, equations[column], strict=True)]
    if min(used) < 0 or any(n > limit for n, limit in zip(there, limits, strict=True)) or sums != list(rhs):
        raise InvariantViolated("the solver's answer is none")
    return used
