"""Claims about packings alone, decided by listing every packing of every small multiset of sizes.

Nothing here uses the solvers of :mod:`compass.phi`: packings are enumerated one by one, so each can check the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import combinations_with_replacement
from typing import NamedTuple

from compass.algorithm_2 import algorithm_2
from compass.composition import Composition
from compass.geometry import Geometry, geometry_of
from compass.phi import min_nodes, min_partial_nodes


class Counterexample(NamedTuple):
    """A multiset of instance sizes that breaks a statement about packings, and why."""

    sizes: tuple[int, ...]
    reason: str


@lru_cache(maxsize=200_000)
def outcomes(sizes: tuple[int, ...], capacity: int) -> frozenset[tuple[int, int]]:
    """Every pair (nodes in use, partial nodes) that some packing of the sizes (in decreasing order) has.

    The node of the first size is completed in every possible way, the rest follows by recursion: each packing is
    reached, none is left out. Cost: exponential; meant for a dozen instances.
    """
    if not sizes:
        return frozenset({(0, 0)})
    found: set[tuple[int, int]] = set()
    for load, rest in _completions(sizes[1:], capacity - sizes[0]):
        partial = sizes[0] + load < capacity
        found |= {(nodes + 1, partials + partial) for nodes, partials in outcomes(rest, capacity)}
    return frozenset(found)


def _completions(sizes: tuple[int, ...], room: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The ways to choose some of the sizes with sum at most ``room``: (sum, sizes left)."""
    if not sizes or room == 0:
        yield 0, sizes
        return
    first, count = sizes[0], sizes.count(sizes[0])
    for taken in range(min(count, room // first) + 1):
        kept = sizes[: count - taken]
        for load, rest in _completions(sizes[count:], room - taken * first):
            yield load + taken * first, kept + rest


def multisets(geometry: Geometry, largest: int) -> Iterator[tuple[int, ...]]:
    """Multisets of at most ``largest`` sizes: fewest instances first, then least total, then by size."""
    for number in range(largest + 1):
        yield from sorted(
            (sizes[::-1] for sizes in combinations_with_replacement(geometry.sizes, number)),
            key=lambda sizes: (sum(sizes), sizes),
        )


def phi_star(sizes: tuple[int, ...], capacity: int) -> int:
    """Fewest partial nodes of any packing, from the definition."""
    return min(partial for _, partial in outcomes(sizes, capacity))


def fewest_nodes_is_not_fewest_partial(sizes: tuple[int, ...], geometry: Geometry) -> str | None:
    """Some packing with the fewest nodes in use has more partial nodes than another packing."""
    found = outcomes(sizes, geometry.capacity)
    nodes = min(nodes for nodes, _ in found)
    worst = max(partial for n, partial in found if n == nodes)
    fewest = min(partial for _, partial in found)
    if worst == fewest:
        return None
    return f"a packing on {nodes} nodes, the fewest, has {worst} partial nodes; Phi* = {fewest}"


def fewest_partial_needs_more_nodes(sizes: tuple[int, ...], geometry: Geometry) -> str | None:
    """No packing has both the fewest partial nodes and the fewest nodes in use."""
    found = outcomes(sizes, geometry.capacity)
    nodes = min(nodes for nodes, _ in found)
    fewest = min(partial for _, partial in found)
    if (nodes, fewest) in found:
        return None
    needed = min(n for n, partial in found if partial == fewest)
    return f"Phi* = {fewest} needs {needed} nodes in use, the fewest nodes in use are {nodes}"


def fewest_partial_is_not_fewest_nodes(sizes: tuple[int, ...], geometry: Geometry) -> str | None:
    """Some packing with the fewest partial nodes uses more nodes than another packing."""
    found = outcomes(sizes, geometry.capacity)
    fewest = min(partial for _, partial in found)
    most = max(nodes for nodes, partial in found if partial == fewest)
    least = min(nodes for nodes, _ in found)
    return (
        None if most == least else f"Phi* = {fewest} is reached on {most} nodes, {least} are enough for the instances"
    )


def algorithm_2_is_not_optimal(
    sizes: tuple[int, ...], geometry: Geometry, pair_without_ones: bool = True
) -> str | None:
    """The paper's algorithm-2 answers more than Phi*."""
    answer = algorithm_2(_counts(sizes), geometry, pair_without_ones=pair_without_ones)
    fewest = phi_star(sizes, geometry.capacity)
    return None if answer == fewest else f"algorithm-2 answers {answer}, Phi* = {fewest}"


def closed_form_fails(sizes: tuple[int, ...], geometry: Geometry) -> str | None:
    """Under WCC, Phi* is not ``[T mod G != 0]``."""
    if not Composition(geometry, _counts(sizes)).wcc:
        return None
    expected = int(sum(sizes) % geometry.capacity != 0)
    fewest = phi_star(sizes, geometry.capacity)
    return None if fewest == expected else f"WCC holds, Phi* = {fewest}, closed form {expected}"


def phi_disagrees(sizes: tuple[int, ...], geometry: Geometry) -> str | None:
    """:mod:`compass.phi` differs from the definition."""
    found = outcomes(sizes, geometry.capacity)
    ours = (min_nodes(_counts(sizes), geometry), min_partial_nodes(_counts(sizes), geometry))
    truth = (min(nodes for nodes, _ in found), min(partial for _, partial in found))
    return None if ours == truth else f"(fewest nodes, Phi*) = {truth}, computed {ours}"


STATEMENTS: dict[str, Callable[[tuple[int, ...], Geometry], str | None]] = {
    "equivalence": fewest_nodes_is_not_fewest_partial,
    "equivalence-reversed": fewest_partial_is_not_fewest_nodes,
    "equivalence-jointly": fewest_partial_needs_more_nodes,
    "algorithm-2": algorithm_2_is_not_optimal,
    "algorithm-2-ones": partial(algorithm_2_is_not_optimal, pair_without_ones=False),
    "closed-form": closed_form_fails,
    "exact-phi": phi_disagrees,
}
"""Each by the id of the claim that its counterexamples break."""


def smallest_counterexample(claim: str, largest: int, geometry: Geometry | None = None) -> Counterexample | None:
    """The first multiset of at most ``largest`` sizes that breaks a claim: fewest instances, then least total."""
    breaks = STATEMENTS[claim]
    geometry = geometry or geometry_of(8)
    for sizes in multisets(geometry, largest):
        reason = breaks(sizes, geometry)
        if reason is not None:
            return Counterexample(sizes, reason)
    return None


def _counts(sizes: tuple[int, ...]) -> dict[int, int]:
    return {g: sizes.count(g) for g in set(sizes)}
