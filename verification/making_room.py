"""How many instances move to make room for an arriving anchor under `unified`, for every N and every dial m.

Where no open node and no two of them can take the anchor, and no node is empty, the scheduler merges, always the two
nodes with the least key (:func:`compass.choice._least_left`), until two can. Each such merge leaves one node covered
and one open. However many nodes are open, few merges are enough: followed here are all sequences of merges, over nodes
that earlier merges have left and any others, in which

* no two of the nodes met so far can take the anchor, nor can one;
* no pair among the nodes now looked at has a lesser key than the pair merged;
* a pair that no merge has touched has no lesser key than any merge before: it was there already.

A real sequence keeps more conditions than these, so the longest one found is an upper bound. That there is a longest
one is found on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from compass.choice import Choice, _least_left
from compass.discipline import unified_discipline
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.shapes import Shape
from verification.figures import Found

Key = tuple[int, ...]
Shapes = tuple[Shape, ...]


def room_is_made(capacity: int = 8) -> Found:
    """The most merges, and the most moves in them, before an anchor is placed; for all N and m."""
    plans = PlanTable(unified_discipline(Geometry(capacity)))
    found = [_Waiting(plans, gpus) for gpus in range(2, capacity + 1)]
    other = [f"{gpus} GPUs: {fault}" for gpus, waiting in enumerate(found, 2) for fault in waiting.other_merges]
    # With an empty node only the limit is in the way, and one merge of any two open nodes is enough.
    longest = [_Length(1, _any_merge(plans)), *(waiting.longest((), ()) for waiting in found)]
    merges, moves = map(max, zip(*longest, strict=True))
    detail = (
        other[0] if other else f"G = {capacity}: at most {merges} merges of {moves} moves in all, whatever N and m are"
    )
    return not other, detail, {"merges": merges, "moves": moves}


class _Length(NamedTuple):
    """Bounds on a sequence of merges, each by itself."""

    merges: int
    moves: int


class _Merge(NamedTuple):
    """The scheduler's merge of two open nodes: its key (moves first) and the node it leaves open."""

    key: Key
    left: Shape


class _Waiting:
    """Merges while an anchor of some size waits."""

    def __init__(self, plans: PlanTable, gpus: int) -> None:
        self._narrow = [shape for shape in plans.discipline.table if shape.open and shape.plus[gpus] is None]
        self._merges: dict[Shapes, _Merge] = {}
        self._known: dict[tuple[Shapes, Key], _Length] = {}
        self.other_merges: list[str] = []
        for pair in combinations_with_replacement(self._narrow, 2):
            exclusive = not (any(s.vacancy for s in pair) and any(s.free for s in pair))
            if exclusive and plans.plan(*pair, gpus) is None:
                self._add(pair, plans)

    def _add(self, pair: tuple[Shape, Shape], plans: PlanTable) -> None:
        plan = plans.plan(*pair)
        left = [shape for shape in plan.result if shape.open] if plan else []
        if plan is None or len(left) != 1 or left[0].room != sum(shape.room for shape in pair):
            self.other_merges.append(f"{pair} do not become a covered and an open node")
        else:
            self._merges[pair] = _Merge(_least_left(Choice(plan.moves, pair, plan)), left[0])

    def longest(self, kept: Shapes, floor: Key) -> _Length:
        """Bounds on what follows where merges have left the nodes ``kept``; ``floor`` is the largest key so far."""
        if (kept, floor) not in self._known:
            lengths = [_Length(0, 0)]
            for rest, merge in self._possible(kept, floor):
                following = _Length(0, 0)
                if merge.left in self._narrow and all(_pair(merge.left, other) in self._merges for other in rest):
                    following = self.longest(_sorted((*rest, merge.left)), max(floor, merge.key))
                lengths.append(_Length(1 + following.merges, merge.key[0] + following.moves))
            self._known[kept, floor] = _Length(*map(max, zip(*lengths, strict=True)))
        return self._known[kept, floor]

    def _possible(self, kept: Shapes, floor: Key) -> Iterator[tuple[Shapes, _Merge]]:
        """Merges of two kept nodes, of a kept and another one, of two others; with the kept nodes that are left."""
        for one, two in combinations(range(len(kept)), 2):
            rest = tuple(shape for k, shape in enumerate(kept) if k not in (one, two))
            yield from self._least((kept[one], kept[two]), rest, kept)
        for one in range(len(kept)):
            rest = kept[:one] + kept[one + 1 :]
            for other in self._narrow:
                yield from self._least((kept[one], other), rest, (*kept, other))
        for pair, merge in self._merges.items():
            if merge.key >= floor:
                yield from self._least(pair, kept, (*kept, *pair))

    def _least(self, pair: Sequence[Shape], rest: Shapes, nodes: Shapes) -> Iterator[tuple[Shapes, _Merge]]:
        """The merge of a pair where no pair among the nodes can take the anchor and none has a lesser key."""
        merges = [self._merges.get(_pair(*two)) for two in combinations(nodes, 2)]
        chosen = self._merges.get(_pair(*pair))
        if chosen is not None and all(merge is not None and merge.key >= chosen.key for merge in merges):
            yield rest, chosen


def _any_merge(plans: PlanTable) -> int:
    """The most moves in a merge of two open nodes."""
    opens = [shape for shape in plans.discipline.table if shape.open]
    found = [plans.plan(*pair) for pair in combinations_with_replacement(opens, 2)]
    return max(plan.moves for plan in found if plan is not None)


def _pair(one: Shape, two: Shape) -> Shapes:
    return _sorted((one, two))


def _sorted(shapes: Sequence[Shape]) -> Shapes:
    return tuple(sorted(shapes, key=lambda shape: shape.index))
