"""How many instances an arrival moves under `unified` where the dial is m >= 2: at most, for every N.

An anchor that one or two nodes can take *at once* moves few: every plan of the table with all that may follow it. What
may follow are refills, and merges where covered nodes have given free instances. Then no open node has free instances
but the one that gave last, nor do merges make more such nodes; so of the m + 1 or more open nodes two have none, and
the scheduler's merge moves at most what two such nodes take. Where a node is empty only the limit can be in the way of
an anchor: one merge, and it goes there.

Where no node is empty and no two nodes can take the anchor, the scheduler merges, always the two nodes with the least
key (:func:`compass.choice._least_left`), until two can. Each such merge leaves one node covered and one open. Followed
here are all sequences of merges and the placing, over nodes that earlier merges have left and others, in which

* before the placing no two of the nodes met so far can take the anchor, nor can one;
* no pair among the nodes looked at has a lesser key than the pair merged;
* a node that no merge has touched was there at every merge before: no key that it had with the nodes looked at then was
  less than that of the pair merged, nor a key of two such nodes.

A real sequence keeps more conditions than these, so the most moves found are an upper bound. No merge follows such a
placing: at most m - 1 nodes are open before it, and it opens with its refills at most one more (checked here).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, combinations_with_replacement, product
from typing import NamedTuple, cast

from compass.board import Board
from compass.choice import Choice, Chooser, _least_left
from compass.discipline import unified_discipline
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.shapes import Shape
from verification.count_model import CountBoard
from verification.figures import Found

Key = tuple[int, ...]
Shapes = tuple[Shape, ...]
NEVER = -1000
"""Moves of what cannot be."""


def room_is_made(capacity: int = 8, dials: Sequence[int] = ()) -> Found:
    """The most moves of an arriving anchor: placed at once, and after merges with each dial m >= 2 and with any."""
    nodes = _Nodes(PlanTable(unified_discipline(Geometry(capacity))))
    at_once = _AtOnce(nodes)
    waiting = [_Waiting(nodes, gpus) for gpus in range(2, capacity + 1)]
    faults = [*at_once.faults, *chain.from_iterable(one.faults for one in waiting)]

    def after_merges(dial: float) -> int:
        return max(0, *(one.most((), one.narrow, (), dial) for one in waiting))

    numbers = {"at_once": at_once.most, **{f"m{m}": after_merges(m) for m in dials}, "any_m": after_merges(math.inf)}
    detail = f"G = {capacity}: at most {numbers['any_m']} moves after merges for any m, {at_once.most} without"
    return not faults, faults[0] if faults else detail, numbers


class _Nodes:
    """The shapes by what they can be in an arrival."""

    def __init__(self, plans: PlanTable) -> None:
        self.plans = plans
        self.geometry = plans.discipline.table.geometry
        self.empty = plans.discipline.table.empty
        self.open = tuple(shape for shape in plans.discipline.table if shape.open)
        self.donors = tuple(shape for shape in plans.discipline.table if shape.free and not shape.open)

    def opened(self, refills: int) -> int:
        """Covered donors that refills open at most: one gives all that it has before the next one gives."""
        return math.ceil(refills / min(donor.free for donor in self.donors))


class _AtOnce:
    """Placings before which nothing is merged, or one pair as only the limit is in the way, with all that follows."""

    def __init__(self, nodes: _Nodes) -> None:
        self.faults: list[str] = []
        self._nodes = nodes
        opens = nodes.open
        merge = max(self._merge(pair) for pair in combinations_with_replacement(opens, 2) if keeps_exclusion(pair))
        bare = [shape for shape in opens if not shape.free]
        self._later = max((self._merge(pair) for pair in combinations_with_replacement(bare, 2)), default=0)
        self.most = 0
        for gpus in range(2, nodes.geometry.capacity + 1):
            alone = nodes.empty.plus[gpus]
            if alone is not None and alone.open:
                self.most = max(self.most, merge + self._with_all(0, (nodes.empty,), (alone,)))
            for moves, before, after in self._placings(gpus):
                self.most = max(self.most, self._with_all(moves, before, after))
                more = _open(after) - _open(before) + nodes.opened(_refills(before, after))
                if nodes.empty not in before and more > 1:
                    self.faults.append(f"{before} with {gpus}: two more nodes are open after the refills")

    def _placings(self, gpus: int) -> Iterator[tuple[int, Shapes, Shapes]]:
        """Moves, nodes before and after, for every node and pair of nodes that take an anchor."""
        nodes = self._nodes
        hosts = (*nodes.open, nodes.empty)
        for host in hosts:
            if (larger := host.plus[gpus]) is not None:
                yield 0, (host,), (larger,)
        for pair in chain(combinations_with_replacement(hosts, 2), product(nodes.open, nodes.donors)):
            if keeps_exclusion(pair) and (plan := nodes.plans.plan(*pair, gpus)) is not None:
                yield plan.moves, pair, plan.result

    def _with_all(self, moves: int, before: Shapes, after: Shapes) -> int:
        """With the refills, and the merges that follow; the placing itself keeps the limit."""
        refills = _refills(before, after)
        excess = min(0, _open(after) - _open(before)) + self._nodes.opened(refills)
        return moves + refills + max(0, excess) * self._later

    def _merge(self, pair: Shapes) -> int:
        plan = self._nodes.plans.plan(pair[0], pair[1])
        if plan is None:
            self.faults.append(f"{pair} do not merge")
            return 0
        return plan.moves


class _Merge(NamedTuple):
    """The scheduler's merge of two open nodes: its key (moves first) and the node it leaves open."""

    key: Key
    left: Shape


class _Waiting:
    """Merges while an anchor of some size waits and no node is empty, and its placing."""

    def __init__(self, nodes: _Nodes, gpus: int) -> None:
        self.narrow = tuple(shape for shape in nodes.open if shape.plus[gpus] is None)
        self.faults: list[str] = []
        self._nodes = nodes
        self._gpus = gpus
        self._vacancy = nodes.geometry.wcc_coefficients[gpus]  # no plan leaves more: A - l grows by w*(g) - g
        self._merges: dict[Shapes, _Merge] = {}
        self._known: dict[tuple[Shapes, Shapes, Key, float], int] = {}
        self._placed: dict[tuple[Shapes, Shapes], int] = {}
        for pair in combinations_with_replacement(self.narrow, 2):
            if keeps_exclusion(pair) and nodes.plans.plan(*pair, gpus) is None:
                self._add(pair)

    def _add(self, pair: tuple[Shape, Shape]) -> None:
        plan = self._nodes.plans.plan(pair[0], pair[1])
        left = [shape for shape in plan.result if shape.open] if plan else []
        if plan is None or len(left) != 1 or left[0].room != sum(shape.room for shape in pair):
            self.faults.append(f"{pair} do not become a covered and an open node")
        else:
            self._merges[pair] = _Merge(_least_left(Choice(plan.moves, pair, plan)), left[0])

    def most(self, kept: Shapes, others: Shapes, floor: Key, left: float) -> int:
        """The most moves from here on.

        Args:
            kept: the nodes that merges have left open.
            others: the shapes that untouched nodes can have.
            floor: the largest key so far.
            left: how many nodes may be open besides those touched so far.
        """
        known = (kept, others, floor, left)
        if known not in self._known:
            found = [self._placing(kept, others if left else ())] if kept else [NEVER]
            if self._waits(kept):
                for pair, rest, touched in self._pairs(kept, others, left):
                    merge = self._merges.get(pair)
                    if merge is None or (touched == 2 and merge.key < floor) or not self._waits((*rest, *pair), merge):
                        continue
                    still = tuple(o for o in others if all(self._at_least(o, n, merge) for n in (*rest, *pair)))
                    after = _sorted((*rest, merge.left))
                    found.append(merge.key[0] + self.most(after, still, max(floor, merge.key), left - touched))
            self._known[known] = max(found)
        return self._known[known]

    def _pairs(self, kept: Shapes, others: Shapes, left: float) -> Iterator[tuple[Shapes, Shapes, int]]:
        """Two kept nodes, a kept and another one, or two others; the kept nodes that are left; how many are new."""
        for one, two in combinations(range(len(kept)), 2):
            rest = tuple(shape for k, shape in enumerate(kept) if k not in (one, two))
            yield _sorted((kept[one], kept[two])), rest, 0
        for one in range(len(kept) if left >= 1 else 0):
            for other in others:
                yield _sorted((kept[one], other)), kept[:one] + kept[one + 1 :], 1
        if left >= 2:
            for pair in combinations_with_replacement(others, 2):
                yield pair, kept, 2

    def _waits(self, nodes: Shapes, merge: _Merge | None = None) -> bool:
        """No one and no two of the nodes take the anchor; with ``merge`` no key is less than its."""
        narrow = all(shape in self.narrow for shape in nodes)
        return narrow and all(self._at_least(*pair, merge) for pair in combinations(nodes, 2))

    def _at_least(self, one: Shape, two: Shape, merge: _Merge | None) -> bool:
        other = self._merges.get(_sorted((one, two)))
        return other is not None and (merge is None or other.key >= merge.key)

    def _placing(self, kept: Shapes, others: Shapes) -> int:
        """The most moves of the scheduler's own choice with its refills, if it is one that was not there before.

        It takes a kept node, or a covered one that a merge has filled, and at most one node that is neither.
        """
        donors = self._nodes.donors
        more = chain([()], zip(others), zip(donors), product(others, donors))
        return max(self._chosen(kept, extra) for extra in more)

    def _chosen(self, kept: Shapes, extra: Shapes) -> int:
        """The most moves where the scheduler chooses all the ``extra`` nodes, whatever is free on nodes not listed."""
        if (kept, extra) not in self._placed:
            nodes, found = (*kept, *extra), [NEVER]
            hidden = 0 if any(shape.vacancy for shape in nodes) else self._vacancy
            for free in range(hidden + 1) if keeps_exclusion(nodes) else ():
                board = CountBoard(self._nodes.plans.discipline, nodes, free)
                choice = Chooser(cast(Board, board), self._nodes.plans).anchor_host(self._gpus)
                if choice is not None and set(extra) <= set(choice.before):
                    found.append(choice.cost)
            self._placed[kept, extra] = max(found)
        return self._placed[kept, extra]


def keeps_exclusion(nodes: Sequence[Shape]) -> bool:
    """Whether not both vacancy and free 1-GPU instances are on these nodes."""
    return not (any(shape.vacancy for shape in nodes) and any(shape.free for shape in nodes))


def _open(nodes: Shapes) -> int:
    return sum(shape.open for shape in nodes)


def _refills(before: Shapes, after: Shapes) -> int:
    """How much vacancy free instances on other nodes can fill: with vacancy before there are none."""
    return 0 if any(shape.vacancy for shape in before) else sum(shape.vacancy for shape in after)


def _sorted(shapes: Sequence[Shape]) -> Shapes:
    return tuple(sorted(shapes, key=lambda shape: shape.index))
