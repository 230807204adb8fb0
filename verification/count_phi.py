"""``Phi*`` with at most N nodes for all compositions at once, by adding one node after another.

With ``f_k(c)`` the fewest partial nodes over all packings of composition ``c`` on at most ``k`` nodes,
``f_k(c) = min over node contents p of f_{k-1}(c - p) + [p is partial]``. It shares no code and no idea with
:mod:`compass.phi`: no closed form, no pairing, no integer program.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verification.count_settled import Compositions
from verification.count_space import Ints


class PhiTable:
    """``Phi*`` of every composition that ``nodes`` nodes can hold.

    Args:
        compositions: the encoding of compositions; gives capacity and radixes.
        nodes: N.
        sizes: the demands that occur.

    Examples:
        >>> encoding = Compositions([], 8, 3)
        >>> phi = PhiTable(encoding, 3, range(1, 9))
        >>> phi(np.array([encoding.key_of({4: 2, 2: 1, 1: 6}), encoding.key_of({5: 3})])).tolist()
        [0, 3]
    """

    def __init__(self, compositions: Compositions, nodes: int, sizes: tuple[int, ...] | range) -> None:
        contents = _contents(compositions, sizes)
        keys = np.zeros(1, dtype=np.int64)
        best = np.zeros(1, dtype=np.int8)
        for _ in range(nodes):
            parts, costs = [keys], [best]
            held = 0
            for content, partial in contents:
                parts.append(keys + content)
                costs.append(best + np.int8(partial))
                held += len(keys)
                if held > CHUNK:
                    merged, cost = _least(np.concatenate(parts), np.concatenate(costs))
                    parts, costs, held = [merged], [cost], 0
            keys, best = _least(np.concatenate(parts), np.concatenate(costs))
        self._keys = keys
        self._best = best

    def __len__(self) -> int:
        return len(self._keys)

    def __call__(self, keys: Ints) -> npt.NDArray[np.int8]:
        """``Phi*`` of each composition.

        Raises:
            KeyError: one does not fit the nodes.
        """
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        if not np.array_equal(self._keys[found], keys):
            raise KeyError("a composition does not fit the nodes")
        return self._best[found]


CHUNK = 20_000_000
"""Candidates held at a time (9 bytes each, a few times that while they are sorted)."""


def _contents(compositions: Compositions, sizes: tuple[int, ...] | range) -> list[tuple[int, bool]]:
    """Every non-empty content of a node as (key, is it partial)."""
    found: set[tuple[int, int]] = {(0, 0)}
    for gpus in sizes:
        found |= {
            (key + k * compositions.unit[gpus], load + k * gpus)
            for key, load in found
            for k in range(1, (compositions.capacity - load) // gpus + 1)
        }
    return sorted((key, load < compositions.capacity) for key, load in found if load)


def _least(keys: Ints, costs: npt.NDArray[np.int8]) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Each key once, with its least cost."""
    packed = np.sort(keys * 64 + costs)
    first = np.ones(len(packed), dtype=bool)
    first[1:] = packed[1:] // 64 != packed[:-1] // 64
    packed = packed[first]
    return packed // 64, (packed % 64).astype(np.int8)
