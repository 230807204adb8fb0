"""Phi*, the minimum number of partial nodes over all feasible packings, exactly and for every instance multiset.

Three steps, none of which depends on the number of nodes:

1. *Closed form.* Under WCC every slot can be saturated; widths divide one another, so slots and the remaining 1-GPU
   instances fill node after node and ``Phi* = [T mod G != 0]`` within ``ceil(T / G)`` nodes, which is also the fewest.
2. *Pairing.* Some optimal packing has ``min(n_g, n_{G-g})`` nodes ``{g, G-g}`` for each ``g < G/2`` and
   ``floor(n_{G/2} / 2)`` nodes ``{G/2, G/2}``. Proof: let ``g`` be on a node of load ``a`` and ``G-g`` on another of
   load ``b``. Put the two together and everything else of both nodes, ``a + b - G <= min(a, b)``, on the other one.
   Of the two nodes the first is now full, and the second is full only if both were, so if it is partial one of them
   was before: never more partial nodes, never more nodes. Each step makes one more such node; repeat.
3. *Search.* At most one size of each complementary pair is left: at most ``G/2`` sizes, few load patterns of a node.
   The integer program over these patterns is solved exactly (:mod:`compass.pattern_program`).

The fewest nodes in use (:func:`min_nodes`) are found the same way with cost 1 for every node.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from compass.composition import Composition
from compass.errors import DoesNotFitNow, InputError, InvariantViolated
from compass.geometry import Geometry, geometry_of
from compass.pattern_program import solve

Patterns = dict[tuple[int, ...], int]
"""Sizes on one node, descending, and the number of nodes that hold just these."""


class Method(enum.StrEnum):
    """How Phi* was found."""

    CLOSED_FORM = "closed form"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Packing:
    """A packing as a multiset of node contents: the witness of an optimum.

    Args:
        capacity: GPUs of a node.
        patterns: sorted pairs (sizes of the instances on one node in descending order, number of such nodes).
        method: how it was found.

    Nothing is checked on construction; :meth:`check` does.

    Examples:
        >>> packing = best_packing({5: 1, 3: 1, 4: 1})
        >>> packing.patterns, packing.partial_nodes
        ((((4,), 1), ((5, 3), 1)), 1)
        >>> packing.check({5: 1, 3: 1, 4: 1})
    """

    capacity: int
    patterns: tuple[tuple[tuple[int, ...], int], ...]
    method: Method = Method.SEARCH

    @property
    def nodes(self) -> int:
        """Number of nodes in use."""
        return sum(number for _, number in self.patterns)

    @property
    def partial_nodes(self) -> int:
        """``nu``: number of nodes in use that are not full."""
        return sum(number for sizes, number in self.patterns if sum(sizes) < self.capacity)

    @property
    def counts(self) -> dict[int, int]:
        """Number of instances packed, by size."""
        counts: Counter[int] = Counter()
        for sizes, number in self.patterns:
            for gpus in sizes:
                counts[gpus] += number
        return dict(sorted(counts.items()))

    def check(self, counts: Mapping[int, int] | Composition) -> None:
        """Verify the witness without trusting its maker: feasible, and a packing of just these instances.

        Raises:
            InvariantViolated: a node is empty, over-full or listed twice, or the instances are not those of ``counts``.
        """
        for sizes, number in self.patterns:
            if number < 1 or not sizes or min(sizes) < 1 or sum(sizes) > self.capacity:
                raise InvariantViolated(f"packing: {number} nodes with {sizes} of capacity {self.capacity}")
        if len(dict(self.patterns)) < len(self.patterns):
            raise InvariantViolated("packing: the same node contents are listed twice")
        wanted = counts.as_dict() if isinstance(counts, Composition) else {g: n for g, n in counts.items() if n}
        if self.counts != dict(sorted(wanted.items())):
            raise InvariantViolated(f"packing: it holds {self.counts}, not {wanted}")


def min_partial_nodes(
    counts: Mapping[int, int] | Composition, geometry: Geometry | None = None, nodes: int | None = None
) -> int:
    """``Phi*``: the fewest partial nodes over all packings of the instances, on at most ``nodes`` nodes if given.

    Args:
        counts: running instances, ``{size: number}`` or a :class:`Composition`.
        geometry: the node geometry (default: the composition's, else capacity 8). Its widths decide only
            whether the closed form applies, never the value.
        nodes: number of nodes of the cluster (default: as many as needed).

    Cost: O(1) for a composition under WCC, else independent of the number of nodes; see the module.

    Raises:
        DoesNotFitNow: no packing on ``nodes`` nodes exists.
        InputError: bad counts, or ``nodes`` is not a non-negative integer.

    Source: Phi* of section 3.1, closed form of appendix C.2.

    Examples:
        >>> min_partial_nodes({4: 2, 2: 1, 1: 6})
        0
        >>> min_partial_nodes({5: 3, 3: 1, 7: 2})
        4
    """
    composition = _composition(counts, geometry)
    if composition.wcc:
        capacity = composition.geometry.capacity
        _check_demand(composition.total, capacity, nodes)
        return int(composition.total % capacity != 0)
    return best_packing(composition, nodes=nodes).partial_nodes


def best_packing(
    counts: Mapping[int, int] | Composition, geometry: Geometry | None = None, nodes: int | None = None
) -> Packing:
    """A packing with the fewest partial nodes (on at most ``nodes`` nodes): the witness of ``Phi*``.

    Arguments and exceptions are those of :func:`min_partial_nodes`. Under WCC the packing uses ``ceil(T / G)`` nodes,
    the fewest possible; without WCC it may use more nodes than :func:`min_nodes` as long as they are at most ``nodes``.

    Examples:
        >>> packing = best_packing({7: 1, 5: 1, 4: 1, 2: 3, 1: 1})
        >>> packing.patterns, packing.partial_nodes, str(packing.method)
        ((((4, 2, 2), 1), ((5, 2), 1), ((7, 1), 1)), 1, 'search')
        >>> packing.check({7: 1, 5: 1, 4: 1, 2: 3, 1: 1})
    """
    composition = _composition(counts, geometry)
    capacity = composition.geometry.capacity
    _check_demand(composition.total, capacity, nodes)
    if composition.wcc:
        patterns = _saturate(composition.geometry, tuple(composition.counts))
        return _packing(capacity, patterns, Method.CLOSED_FORM)
    packing = _search(capacity, composition.counts, fewest_nodes=False)
    if nodes is None or packing.nodes <= nodes:
        return packing
    smallest = _search(capacity, composition.counts, fewest_nodes=True)
    if smallest.nodes > nodes:
        raise DoesNotFitNow(f"the instances need {smallest.nodes} nodes of capacity {capacity}, there are {nodes}")
    if smallest.partial_nodes == packing.partial_nodes:
        return smallest
    return _search(capacity, composition.counts, fewest_nodes=False, limit=nodes)


def min_nodes(counts: Mapping[int, int] | Composition, geometry: Geometry | None = None) -> int:
    """The fewest nodes in use over all packings of the instances; ``ceil(T / G)`` under WCC.

    Args:
        counts: running instances, ``{size: number}`` or a :class:`Composition`.
        geometry: the node geometry, as in :func:`min_partial_nodes`.

    Cost: as for :func:`min_partial_nodes`.

    Raises:
        InputError: bad counts.

    Source: section 3.1, where it is said to be minimised together with the partial nodes; it is not always.

    Examples:
        >>> min_nodes({5: 3, 3: 1, 7: 2})
        5
    """
    composition = _composition(counts, geometry)
    capacity = composition.geometry.capacity
    if composition.wcc:
        return -(-composition.total // capacity)
    return _search(capacity, composition.counts, fewest_nodes=True).nodes


def min_partial_nodes_mixed(counts: Mapping[int, int], capacities: Mapping[int, int]) -> int:
    """``Phi*`` of one pool whose nodes differ in capacity; see :func:`best_packing_mixed`.

    Examples:
        >>> min_partial_nodes_mixed({4: 3, 3: 1}, {8: 2, 4: 1})
        1
        >>> min_partial_nodes_mixed({4: 3, 3: 1}, {8: 2})
        1
        >>> min_partial_nodes_mixed({4: 1}, {8: 1})
        1
    """
    return sum(packing.partial_nodes for packing in best_packing_mixed(counts, capacities).values())


def best_packing_mixed(counts: Mapping[int, int], capacities: Mapping[int, int]) -> dict[int, Packing]:
    """A packing with the fewest partial nodes on ``{capacity: number of nodes}``, by capacity. Exact.

    Pairing (step 2 of the module) stays right for the largest capacity ``C`` because ``g > C/2`` fits on nodes of
    capacity ``C`` alone (capacities are powers of two): with ``G-g = C-g`` on a node of any capacity ``c``, load ``b``,
    what moves there is ``a + b - C <= b``. Two halves are paired only where no node of capacity ``C/2`` exists.

    Raises:
        DoesNotFitNow: no packing on these nodes exists.
        InputError: bad counts, an unsupported capacity, or a number of nodes that is not a non-negative integer.

    Examples:
        >>> {c: p.patterns for c, p in best_packing_mixed({4: 1, 5: 1}, {8: 4, 4: 1}).items()}
        {8: (((5,), 1),), 4: (((4,), 1),)}
    """
    if not capacities:
        raise InputError("capacities: there must be at least one")
    for number in capacities.values():
        _check_nodes(number)
    composition = Composition(geometry_of(max(capacities)), counts)
    limits = {c: capacities[c] for c in sorted(capacities, reverse=True) if geometry_of(c) and capacities[c]}
    largest = max(limits, default=0)
    if any(composition.counts[largest + 1 :]) or composition.total > sum(c * n for c, n in limits.items()):
        raise DoesNotFitNow(f"{composition.total} GPUs in use do not fit on nodes {limits}")
    if len(limits) < 2:
        return {c: best_packing(composition.as_dict(), geometry_of(c), nodes) for c, nodes in limits.items()}
    left = composition.counts[: largest + 1]
    paired = _pair(largest, left, halves=largest // 2 not in limits)
    limits[largest] -= sum(paired.values())
    solution = _program(tuple(left), tuple(limits.items()), False) if limits[largest] >= 0 else None
    if solution is None:
        raise DoesNotFitNow(f"no packing of {composition.as_dict()} exists on the nodes {dict(capacities)}")
    found: dict[int, Patterns] = {c: {} for c in limits}
    found[largest] = paired
    for capacity, sizes, number in solution:
        _add(found[capacity], sizes, number)
    return {c: _packing(c, patterns, Method.SEARCH) for c, patterns in found.items()}


def _search(capacity: int, counts: list[int], fewest_nodes: bool, limit: int | None = None) -> Packing:
    """Steps 2 and 3 of the module; the caller knows that a packing within ``limit`` nodes exists."""
    left = list(counts)
    patterns = _pair(capacity, left, halves=True)
    composition = Composition(geometry_of(capacity), dict(enumerate(left[1:], 1)))
    if composition.wcc:
        rest = _saturate(composition.geometry, tuple(left))
    else:
        rest = _alone(capacity, left)
        if limit is not None:
            limit -= sum(patterns.values()) + sum(rest.values())
        solution = _program(tuple(left), ((capacity, limit),), fewest_nodes)
        if solution is None:
            raise InvariantViolated(f"phi: no packing of {left} within {limit} nodes")
        for _, sizes, number in solution:
            _add(rest, sizes, number)
    for sizes, number in rest.items():
        _add(patterns, sizes, number)
    return _packing(capacity, patterns, Method.SEARCH)


def _pair(capacity: int, left: list[int], halves: bool) -> Patterns:
    """Take full nodes of one or two instances out of ``left`` (step 2 of the module)."""
    pairs = [(capacity - g, g, min(left[g], left[capacity - g])) for g in range(1, (capacity + 1) // 2)]
    if halves:
        pairs.append((capacity // 2, capacity // 2, left[capacity // 2] // 2))
    for large, small, number in pairs:
        left[large] -= number
        left[small] -= number
    full = {(capacity,): left[capacity]} | {(large, small): number for large, small, number in pairs}
    left[capacity] = 0
    return {sizes: number for sizes, number in full.items() if number}


def _alone(capacity: int, left: list[int]) -> Patterns:
    """Take out the instances which nothing left can share a node with; ``left`` is not empty."""
    smallest = next(g for g, n in enumerate(left) if n)
    alone: Patterns = {(g,): n for g, n in enumerate(left) if n and g + smallest > capacity}
    for g, *_ in alone:
        left[g] = 0
    return alone


def _saturate(geometry: Geometry, counts: tuple[int, ...]) -> Patterns:
    """The packing of the closed form, for counts under WCC: O(G log G) whatever the counts.

    Blocks of each width are bundled into blocks of the next. Of each width fewer than a bundle are left over; they go
    into one open block, which therefore always stays below the next width.
    """
    blocks: dict[int, Patterns] = {w: {} for w in (1, *geometry.widths)}
    ones = counts[1]
    for g, number in enumerate(counts):
        if g > 1 and number:
            vacancy = geometry.vacancy(g)
            blocks[geometry.slot_width(g)][(g, *(1,) * vacancy)] = number
            ones -= vacancy * number
    blocks[1][1,] = ones
    still_open: tuple[int, ...] = ()
    width = 1
    for wider in geometry.widths:
        bundle: tuple[int, ...] = ()
        for block, available in blocks[width].items():
            first = min(available, (wider - sum(bundle)) // width) if bundle else 0
            bundle += block * first
            if sum(bundle) == wider:
                _add(blocks[wider], bundle, 1)
                bundle = ()
            many, few = divmod(available - first, wider // width)
            _add(blocks[wider], block * (wider // width), many)
            bundle += block * few
        still_open += bundle
        width = wider
    _add(blocks[width], still_open, 1)
    return blocks[width]


@lru_cache(maxsize=4096)
def _program(
    left: tuple[int, ...], limits: tuple[tuple[int, int | None], ...], fewest_nodes: bool
) -> tuple[tuple[int, tuple[int, ...], int], ...] | None:
    """Step 3 of the module: (capacity, sizes, number of nodes) of an optimal packing, None where there is none.

    Rows: the sizes left, and the number of nodes of each capacity that is limited.
    """
    sizes = tuple(g for g in range(len(left) - 1, 0, -1) if left[g])
    limited = [capacity for capacity, limit in limits if limit is not None]
    rhs = (*(left[g] for g in sizes), *(limit for _, limit in limits if limit is not None))
    keyed: list[tuple[int, int, tuple[int, ...]]] = []
    for capacity, _ in limits:
        for pattern in _node_patterns(capacity, sizes):
            free = capacity - sum(g * a for g, a in zip(sizes, pattern, strict=True))
            keyed.append((free, capacity, pattern))
    keyed.sort(key=lambda key: (key[0], [-a for a in key[2]]))
    columns = [(*pattern, *(int(c == capacity) for c in limited)) for _, capacity, pattern in keyed]
    costs = [int(fewest_nodes or free > 0) for free, _, _ in keyed]
    for capacity in limited:
        columns.append((*(0 for _ in sizes), *(int(c == capacity) for c in limited)))
        costs.append(0)
    solution = solve(columns, costs, rhs, _lower_bound(left, limits, fewest_nodes))
    if solution is None:
        return None
    used = ((keyed[j], number) for j, number in solution.used.items() if j < len(keyed))
    return tuple((c, tuple(g for g, a in zip(sizes, p, strict=True) for _ in range(a)), x) for (_, c, p), x in used)


def _lower_bound(left: tuple[int, ...], limits: tuple[tuple[int, int | None], ...], fewest_nodes: bool) -> int:
    total = sum(g * n for g, n in enumerate(left))
    if fewest_nodes:
        return -(-total // limits[0][0])
    return int(total % min(capacity for capacity, _ in limits) != 0)


@lru_cache(maxsize=4096)
def _node_patterns(capacity: int, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every non-empty content of a node: numbers of instances of the given sizes, of total at most ``capacity``."""
    found: list[tuple[int, ...]] = [()]
    for g in sizes:
        found = [
            (*p, a)
            for p in found
            for a in range((capacity - sum(h * b for h, b in zip(sizes, p, strict=False))) // g + 1)
        ]
    return tuple(p for p in found if any(p))


def _composition(counts: Mapping[int, int] | Composition, geometry: Geometry | None) -> Composition:
    if not isinstance(counts, Composition):
        return Composition(geometry or geometry_of(8), counts)
    if geometry is not None and geometry != counts.geometry:
        raise InputError(f"composition of {counts.geometry}, but {geometry} was asked for")
    return counts


def _check_nodes(nodes: int) -> None:
    if type(nodes) is not int or nodes < 0:
        raise InputError(f"{nodes!r} nodes: must be a non-negative integer")


def _check_demand(total: int, capacity: int, nodes: int | None) -> None:
    if nodes is not None:
        _check_nodes(nodes)
        if total > capacity * nodes:
            raise DoesNotFitNow(f"{total} GPUs in use do not fit on {nodes} nodes of capacity {capacity}")


def _add(patterns: Patterns, sizes: Iterable[int], number: int) -> None:
    key = tuple(sorted(sizes, reverse=True))
    if key and number:
        patterns[key] = patterns.get(key, 0) + number


def _packing(capacity: int, patterns: Patterns, method: Method) -> Packing:
    return Packing(capacity, tuple(sorted(patterns.items())), method)
