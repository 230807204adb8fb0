"""The paper's algorithm-2 for Phi* (appendices C.3-C.4), step by step, as a function of its own.

It is claimed to be optimal for all instance counts. It always returns the partial count of some packing, so never
less than ``Phi*``; :func:`compass.phi.min_partial_nodes` is the exact value, and the two differ on some multisets.
"""

from __future__ import annotations

from collections.abc import Mapping

from compass.composition import Composition
from compass.errors import InputError
from compass.geometry import Geometry
from compass.phi import min_partial_nodes

PAIRINGS: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...] = (
    (5, ((3,), (2, 1), (1, 1, 1))),
    (6, ((2,), (1, 1))),
    (7, ((1,),)),
    (3, ((1,),)),
)
"""The unfriendly sizes in the order served, and the companions of each in the order tried."""


def algorithm_2(
    counts: Mapping[int, int] | Composition, geometry: Geometry | None = None, *, pair_without_ones: bool = True
) -> int:
    """The partial count that the paper's algorithm-2 computes; ``>= Phi*``.

    1. Under WCC the closed form. Otherwise:
    2. Pair the unfriendly instances as in :data:`PAIRINGS`.
    3. Place pairs (each as one block) and the power-of-two instances by best-fit-decreasing.
    4. Put the unpaired unfriendly instances into the room left or into new nodes, with the fewest partial nodes; exact.

    Args:
        counts: running instances, ``{size: number}`` or a :class:`Composition`.
        geometry: capacity 8 with widths 2, 4, 8 (the pairing lists these sizes).
        pair_without_ones: the paper pairs "until the 1s run out". True: a pairing is skipped only where its own
            companions are missing, so 5 + 3 and 6 + 2 are still paired without 1-GPU instances. False: all pairing
            ends with the last 1-GPU instance.

    Choices where the text is open: all instances of one size are served before the next size, in the order in which the
    paper lists them (5, 6, 7, 3); a companion is preferred for as many instances as it lasts; in step 4 the nodes of
    step 3 stay as they are.

    Cost: independent of the number of nodes.

    Raises:
        InputError: bad counts, or another geometry.

    Examples:
        >>> algorithm_2({6: 1, 4: 1, 2: 1})
        1
        >>> algorithm_2({6: 1, 4: 1, 2: 1}, pair_without_ones=False)
        2
    """
    if isinstance(counts, Composition):
        composition = counts
        geometry = geometry or composition.geometry
    else:
        geometry = geometry or Geometry()
        composition = Composition(geometry, counts)
    if geometry != Geometry() or composition.geometry != geometry:
        raise InputError(f"algorithm-2 is stated for {Geometry()}, not for {composition.geometry} and {geometry}")
    if composition.wcc:
        return int(composition.total % geometry.capacity != 0)
    left = list(composition.counts)
    blocks = _pair(left, pair_without_ones)
    for size in (1, 2, 4, 8):
        blocks[size] = blocks.get(size, 0) + left[size]
        left[size] = 0
    # Block widths divide one another: best-fit-decreasing fills every node but at most one.
    room = -sum(width * number for width, number in blocks.items()) % geometry.capacity
    return _place_unpaired(left, room, geometry)


def _pair(left: list[int], pair_without_ones: bool) -> dict[int, int]:
    """Take the pairs out of ``left``; the blocks made, by width."""
    blocks: dict[int, int] = {}
    for size, alternatives in PAIRINGS:
        for companions in alternatives:
            number = min(left[size], *(left[g] // companions.count(g) for g in companions))
            if left[1] or pair_without_ones:
                width = size + sum(companions)
                blocks[width] = blocks.get(width, 0) + number
                for g in (size, *companions):
                    left[g] -= number
    return blocks


def _place_unpaired(left: list[int], room: int, geometry: Geometry) -> int:
    """The fewest partial nodes with the instances ``left`` placed into one node with ``room`` free and into new nodes.

    ``room`` is 0 where step 3 left no node partial. Every content of that room is tried, the rest is solved exactly.
    """
    best = int(room > 0) + min_partial_nodes(dict(enumerate(left[1:], 1)), geometry)
    for size in range(1, room + 1):
        if left[size]:
            left[size] -= 1
            best = min(best, _place_unpaired(left, room - size, geometry))
            left[size] += 1
    return best
