"""The figures that everything else rests on, against their definitions, for every small composition and placement.

What the count-level engines do not look at: slot widths and classes, the sums of a composition and both forms of WCC,
SIF of a snapshot with pools and mixed capacities, and Phi* on a limited number of nodes. Definitions are written out
here a second time, as plainly as they read.

Each function returns whether all is right, a sentence, and how many cases it saw, as evidence of kind ``function``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from compass.composition import Composition, wcc_shares
from compass.errors import DoesNotFitNow
from compass.geometry import CAPACITIES, Geometry, SizeClass
from compass.metric import sif
from compass.phi import best_packing, min_nodes
from compass.snapshot import Node, PlacedInstance, Snapshot
from verification.packings import multisets, outcomes

Found = tuple[bool, str, dict[str, int]]


def first_fault(faults: Iterator[str | None], what: str) -> Found:
    """Go through cases, each None or what is wrong with it, up to the first fault."""
    cases = 0
    for fault in faults:
        cases += 1
        if fault is not None:
            return False, fault, {}
    return True, f"{cases} {what}", {"cases": cases}


# -- composition and WCC ------------------------------------------------------------------------------------------


def compositions_by_definition(capacities: Sequence[int] = (2, 4, 8), largest: int = 4) -> Found:
    """Slot widths, classes, sums, slack and both forms of WCC, for every multiset of at most ``largest`` sizes."""
    return first_fault(_composition_faults(capacities, largest), "compositions")


def _composition_faults(capacities: Sequence[int], largest: int) -> Iterator[str | None]:
    for capacity in CAPACITIES:
        geometry = Geometry(capacity)
        chain = [2**k for k in range(1, 5) if 2**k <= capacity]
        widths = {g: min(w for w in (1, *chain) if w >= g) for g in range(1, capacity + 1)}
        for g, width in widths.items():
            kind = SizeClass.FILLER if g == 1 else SizeClass.FRIENDLY if g == width else SizeClass.UNFRIENDLY
            found = (geometry.slot_width(g), geometry.vacancy(g), geometry.size_class(g))
            yield None if found == (width, width - g, kind) else f"G = {capacity}, {g} GPUs: {found}"
        for sizes in multisets(geometry, largest) if capacity in capacities else ():
            yield _composition_fault(geometry, widths, sizes)


def _composition_fault(geometry: Geometry, widths: dict[int, int], sizes: tuple[int, ...]) -> str | None:
    counts = Counter(sizes)
    running = Composition(geometry, counts)
    total, ones = sum(sizes), counts[1]
    slots = sum(widths[g] for g in sizes if g > 1)
    vacancy = slots - (total - ones)
    wanted = (total, slots, vacancy, ones - vacancy, ones >= vacancy, max(0, vacancy - ones), max(slots, total))
    found = (running.total, running.anchor_width, running.vacancy, running.slack, running.wcc, running.deficit)
    if (*found, running.width) != wanted:
        return f"{sizes}: {(*found, running.width)}, by definition {wanted}"
    shares = {g: Fraction(n, len(sizes)) for g, n in counts.items()}
    return None if wcc_shares(geometry, shares) == (ones >= vacancy) else f"{sizes}: the share form of WCC differs"


# -- the metric ---------------------------------------------------------------------------------------------------


def sif_by_definition() -> Found:
    """Every figure of a report, for every placement on small clusters: one pool, two, and mixed capacities."""
    return first_fault(_sif_faults(), "placements")


def _sif_faults() -> Iterator[str | None]:
    for capacities, pools in (((4, 4), "aa"), ((4, 4), "ab"), ((4, 2), "aa"), ((4, 2, 2), "aaa"), ((8,), "a")):
        for contents in _placements(capacities):
            placed = [tuple(PlacedInstance(f"j{k}-{i}", g) for i, g in enumerate(c)) for k, c in enumerate(contents)]
            cluster = zip(placed, capacities, pools, strict=True)
            snapshot = Snapshot(tuple(Node(f"n{k}", *node) for k, node in enumerate(cluster)))
            wanted = _sif_wanted(contents, capacities, pools)
            report = sif(snapshot)
            shares = report.fragmentation, report.sif, report.inherent_fragmentation
            found = (report.partial_nodes, report.inherent_partial_nodes, *shares, report.wcc_slack, report.min_nodes)
            yield None if found == wanted else f"{contents} on {capacities}: {found}, by definition {wanted}"


def _placements(capacities: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    if not capacities:
        yield ()
        return
    contents = [c for c in multisets(Geometry(capacities[0]), capacities[0]) if sum(c) <= capacities[0]]
    for rest in _placements(capacities[1:]):
        yield from ((content, *rest) for content in contents)


def _sif_wanted(contents: Sequence[tuple[int, ...]], capacities: Sequence[int], pools: str) -> tuple[object, ...]:
    partial = inherent = fewest = 0
    slacks = []
    for pool in sorted(set(pools)):
        own = [k for k, name in enumerate(pools) if name == pool]
        caps = tuple(capacities[k] for k in own)
        sizes = tuple(sorted((g for k in own for g in contents[k]), reverse=True))
        every = _packed(sizes, caps)
        partial += sum(0 < sum(contents[k]) < capacities[k] for k in own)
        inherent += min(p for _, p in every)
        fewest += min(n for n, _ in every)
        width = {g: next(w for w in (1, 2, 4, 8) if w >= g) for g in sizes}
        slacks.append(sizes.count(1) - sum(width[g] - g for g in sizes))
    nodes = len(contents)
    shares = Fraction(partial, nodes), Fraction(partial - inherent, nodes), Fraction(inherent, nodes)
    mixed = any(len({c for c, q in zip(capacities, pools, strict=True) if q == p}) > 1 for p in pools)
    return partial, inherent, *shares, min(slacks), None if mixed else fewest


@lru_cache(maxsize=4096)
def _packed(sizes: tuple[int, ...], free: tuple[int, ...], full: tuple[int, ...] = ()) -> frozenset[tuple[int, int]]:
    """Every (nodes in use, partial nodes) over all ways to put the sizes on nodes with so much free."""
    full = full or free
    if not sizes:
        pairs = list(zip(free, full, strict=True))
        return frozenset({(sum(f < c for f, c in pairs), sum(0 < f < c for f, c in pairs))})
    found: set[tuple[int, int]] = set()
    for k, room in enumerate(free):
        if room >= sizes[0]:
            found |= _packed(sizes[1:], (*free[:k], room - sizes[0], *free[k + 1 :]), full)
    return frozenset(found)


def phi_within_nodes() -> Found:
    """Phi* on a limited number of nodes, where the limit matters: G = 16, four 10s with two each of 4, 5 and 7."""
    sizes = (10,) * 4 + (7, 7, 5, 5, 4, 4)
    every = outcomes(sizes, 16)
    return first_fault(_limited_faults(sizes, every), "numbers of nodes")


def _limited_faults(sizes: tuple[int, ...], every: frozenset[tuple[int, int]]) -> Iterator[str | None]:
    geometry = Geometry(16)
    fewest = min(n for n, _ in every)
    yield None if min_nodes(Counter(sizes), geometry) == fewest else f"{sizes}: fewest nodes in use not {fewest}"
    for nodes in range(fewest - 1, fewest + 3):
        wanted = min((partial for n, partial in every if n <= nodes), default=None)
        try:
            packing = best_packing(Counter(sizes), geometry, nodes)
            packing.check(Counter(sizes))
            found = packing.partial_nodes if packing.nodes <= nodes else -1
        except DoesNotFitNow:
            found = None
        yield None if found == wanted else f"{sizes} on {nodes} nodes: Phi* = {wanted}, computed {found}"
