"""Choosing where an arrival goes and which nodes are merged: the cheapest plan over the shapes at hand.

Only shapes are looked at, never the nodes one by one, so a choice costs the same for every cluster size: at most one
look at the plan table for each pair of shapes that open nodes have, and, where that finds no place for an arrival, for
each pair of an open shape and a covered one with free instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations_with_replacement, product
from typing import NamedTuple

from compass.board import Board
from compass.discipline import SETTLED
from compass.plans import Plan, PlanStep, PlanTable
from compass.shapes import Shape


class Choice(NamedTuple):
    """A plan for the lowest nodes of one or two shapes, and what it costs in moved instances."""

    cost: int
    before: tuple[Shape, ...]
    plan: Plan


_Key = Callable[[Choice], tuple[int, ...]]


class Chooser:
    """The choices of a scheduler on its board.

    Args:
        board: the nodes.
        plans: the plan table of the board's discipline.
    """

    def __init__(self, board: Board, plans: PlanTable) -> None:
        self._board = board
        self._plans = plans
        self._kinds = plans.discipline.kinds
        self._limited = plans.discipline.limited
        self._vacant = plans.discipline.vacant
        self._donors = plans.discipline.donors

    def filler_host(self) -> Shape:
        """Where a 1-GPU instance goes: the least vacancy, else the open shape with the least room, else empty."""
        board = self._board
        if board.vacancy:
            return self.least_vacant()
        kinds = self._kinds
        best, least = board.empty, (board.empty.room + 1, 0)
        for host in board.active:
            larger = host.plus[1]
            if larger is not None and kinds[larger.index] in (SETTLED, kinds[host.index]):
                rank = (host.room, host.index)
                if rank < least:
                    best, least = host, rank
        return best

    def least_vacant(self) -> Shape:
        """The shape with the least vacancy that some node has; there must be one."""
        return next(shape for shape in self._vacant if self._board.live[shape.index])

    def donor(self) -> Shape:
        """The shape that gives a free instance away: stray before open before covered, then fewest free instances."""
        return next(shape for shape in self._donors if self._board.live[shape.index])

    def anchor_host(self, gpus: int) -> Choice | None:
        """Where an anchor goes with the fewest moves: one node, else two, None where no plan keeps the limits.

        Of two nodes both are open or empty; only where that fails one of them is covered and has free instances.
        """
        best = _least(self._within_limits(self._single_hosts(gpus)), _best_fit)
        if best is None or best.cost:
            paired = self._within_limits(self._paired_hosts(self._pairs(), gpus))
            best = _least(chain((best,) if best else (), paired), _best_fit)
        if best is None:
            pairs = product(self._active(), self._covered_donors())
            best = _least(self._within_limits(self._paired_hosts(pairs, gpus)), _best_fit)
        return best

    def merge(self) -> Choice | None:
        """The shortest plan that lowers the number of stray or open nodes, None where there is none."""
        return _least(self._merges(), _least_left)

    def exchange(self) -> Choice | None:
        """The shortest exchange of slots on an open node for free instances of a covered one, None where none is."""
        found = ((pair, self._plans.exchange(*pair)) for pair in product(self._active(), self._covered_donors()))
        return _least((Choice(plan.moves, pair, plan) for pair, plan in found if plan is not None), _best_fit)

    def _covered_donors(self) -> list[Shape]:
        return [shape for shape in self._donors if self._board.live[shape.index] and not shape.open]

    def _single_hosts(self, gpus: int) -> Iterator[Choice]:
        for host in self._hosts():
            larger = host.plus[gpus]
            if larger is not None:
                yield self._choice((host,), Plan((PlanStep(True, gpus, 0),), (larger,), 0))

    def _paired_hosts(self, pairs: Iterable[tuple[Shape, Shape]], gpus: int) -> Iterator[Choice]:
        for pair in pairs:
            plan = self._plans.plan(*pair, gpus)
            if plan is not None:
                yield self._choice(pair, plan)

    def _merges(self) -> Iterator[Choice]:
        kinds = self._kinds
        for pair in self._pairs():
            plan = self._plans.plan(*pair)
            if plan is not None:
                before = sorted((kinds[shape.index] for shape in pair), reverse=True)
                after = sorted((kinds[shape.index] for shape in plan.result), reverse=True)
                if after < before:
                    yield Choice(plan.moves, pair, plan)

    def _pairs(self) -> Iterator[tuple[Shape, Shape]]:
        """Unordered pairs of open, stray or empty nodes by shape; a shape pairs with itself if two nodes have it."""
        live = self._board.live
        for first, second in combinations_with_replacement(self._hosts(), 2):
            if first is not second or (first.load and live[first.index] > 1):
                yield first, second

    def _active(self) -> list[Shape]:
        """The open and stray shapes, by index, so that ties do not depend on the past."""
        return sorted(self._board.active, key=lambda shape: shape.index)

    def _hosts(self) -> list[Shape]:
        return [*self._active(), self._board.empty] if self._board.has_empty else self._active()

    def _choice(self, before: tuple[Shape, ...], plan: Plan) -> Choice:
        """Count the moves of the plan and the 1-GPU instances that other nodes will give to its vacancy."""
        vacancy = sum(shape.vacancy for shape in plan.result)
        free = self._board.free - sum(shape.free for shape in before)
        return Choice(plan.moves + min(vacancy, free), before, plan)

    def _within_limits(self, choices: Iterable[Choice]) -> Iterator[Choice]:
        kinds, counts = self._kinds, self._board.kinds
        for choice in choices:
            for kind, limit in self._limited:
                gone = sum(kinds[shape.index] == kind for shape in choice.before)
                come = sum(kinds[shape.index] == kind for shape in choice.plan.result)
                if come and counts[kind] - gone + come > limit:
                    break
            else:
                yield choice


def _least(choices: Iterable[Choice], key: _Key) -> Choice | None:
    return min(choices, key=key, default=None)


def _best_fit(choice: Choice) -> tuple[int, ...]:
    """Where an arrival goes: fewest moves; then fewest open nodes left, with the least room."""
    left = [shape for shape in choice.plan.result if shape.open]
    return choice.cost, len(left), sum(shape.room for shape in left)


def _least_left(choice: Choice) -> tuple[int, ...]:
    """What is merged: fewest moves; then fewest open nodes left, with the least on them (a later merge is short)."""
    left = [shape for shape in choice.plan.result if shape.open]
    return choice.cost, len(left), sum(shape.width for shape in left)
