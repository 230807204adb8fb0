"""Plans for one or two nodes: the fewest instance moves that settle them, found by search and kept in a table.

A plan starts from the shapes of two nodes and may install one arriving anchor. It ends in shapes of which

* neither is stray, and at most one is of each open kind (under the discipline);
* vacancy and free instances do not both occur, so the *exclusion* invariant is kept.

Every step on the way is legal: both nodes have a shape, hence at most G busy GPUs, after each. There are finitely many
pairs of shapes, so the table is finite and independent of the cluster; an entry is searched when it is first asked
for, by breadth-first search over the distributions of the instances, in a fixed order, so plans are deterministic.

An *exchange* is such a plan between an open node and a covered one that has free instances, after which the slots on
the open node are less wide: its slots go, free instances come. It makes room for a wide slot where nothing is left to
merge. Widths divide each other, so where a slot narrower than the wanted one stands on the open node, the covered
node's free instances and narrower slots include a part of just its width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from compass.discipline import SETTLED, STRAY, Discipline
from compass.shapes import Shape


class PlanStep(NamedTuple):
    """Move an instance of size ``gpus`` away from node ``source``, or install it there where ``install``.

    Nodes are 0 and 1, the sides of the pair; a move ends on the other side.
    """

    install: bool
    gpus: int
    source: int


class Plan(NamedTuple):
    """A shortest plan: its steps, the shapes it ends in and the number of moved instances."""

    steps: tuple[PlanStep, ...]
    result: tuple[Shape, ...]
    moves: int


class PlanTable:
    """Shortest plans of a discipline, by pair of shapes and arriving anchor; each entry is searched once.

    Examples:
        >>> from compass.discipline import unified_discipline
        >>> from compass.geometry import Geometry
        >>> discipline = unified_discipline(Geometry())
        >>> of = discipline.table.of
        >>> plan = PlanTable(discipline).plan(of([4, 2]), of([4]))
        >>> plan.moves, plan.result
        (1, (Shape(2,), Shape(4, 4)))
    """

    def __init__(self, discipline: Discipline) -> None:
        self.discipline = discipline
        self._kinds = discipline.kinds
        self._plans: dict[tuple[int, int, int], Plan | None] = {}
        self._exchanges: dict[tuple[int, int], Plan | None] = {}

    def plan(self, first: Shape, second: Shape, arriving: int = 0) -> Plan | None:
        """Fewest moves that settle two nodes and install an anchor of ``arriving`` GPUs (0: none).

        Returns None where no such plan exists. O(1) after the first call for these arguments.
        """
        key = (first.index, second.index, arriving)
        try:
            return self._plans[key]
        except KeyError:
            plan = self._plans[key] = self._search(first, second, arriving, self._settled)
            return plan

    def exchange(self, first: Shape, second: Shape) -> Plan | None:
        """Fewest moves that settle an open and a covered node and leave less width in slots on the open one.

        Returns None where no such plan exists. O(1) after the first call for these shapes.
        """
        key = (first.index, second.index)
        if key not in self._exchanges:

            def goal(one: Shape, two: Shape) -> bool:
                return one.open and one.anchor_width < first.anchor_width and self._settled(one, two)

            self._exchanges[key] = self._search(first, second, 0, goal)
        return self._exchanges[key]

    def _search(self, first: Shape, second: Shape, arriving: int, goal: Callable[[Shape, Shape], bool]) -> Plan | None:
        """Breadth first by moves; an installation is no move, so it is tried within a layer."""
        start = (first, second, arriving)
        seen: dict[tuple[Shape, Shape, int], tuple[PlanStep, ...]] = {start: ()}
        layer = [start]
        moves = 0
        while layer:
            for state in layer:  # grows by the installations
                one, two, waiting = state
                if waiting:
                    for side, host in enumerate((one, two)):
                        larger = host.plus[waiting]
                        if larger is not None:
                            after = (one, larger) if side else (larger, two)
                            self._reach(seen, layer, state, (*after, 0), PlanStep(True, waiting, side))
            done = [state for state in layer if not state[2] and goal(state[0], state[1])]
            if done:
                best = min(done, key=self._anchors_left_open)
                return Plan(seen[best], best[:2], moves)
            following: list[tuple[Shape, Shape, int]] = []
            for state in layer:
                one, two, waiting = state
                for side, (source, target) in enumerate(((one, two), (two, one))):
                    for g in sorted(set(source.sizes), reverse=True):
                        smaller, larger = source.minus[g], target.plus[g]
                        if smaller is not None and larger is not None:
                            after = (larger, smaller) if side else (smaller, larger)
                            self._reach(seen, following, state, (*after, waiting), PlanStep(False, g, side))
            layer = following
            moves += 1
        return None

    @staticmethod
    def _reach(
        seen: dict[tuple[Shape, Shape, int], tuple[PlanStep, ...]],
        layer: list[tuple[Shape, Shape, int]],
        before: tuple[Shape, Shape, int],
        after: tuple[Shape, Shape, int],
        step: PlanStep,
    ) -> None:
        if after not in seen:
            seen[after] = (*seen[before], step)
            layer.append(after)

    def _settled(self, one: Shape, two: Shape) -> bool:
        kind, other = self._kinds[one.index], self._kinds[two.index]
        if STRAY in (kind, other) or (kind == other != SETTLED):
            return False
        return not ((one.vacancy or two.vacancy) and (one.free or two.free))

    @staticmethod
    def _anchors_left_open(state: tuple[Shape, Shape, int]) -> tuple[int, int]:
        """Open nodes, then anchors on them: 1-GPU instances left there fill later holes one by one."""
        left = [shape for shape in state[:2] if shape.open]
        return len(left), sum(g > 1 for shape in left for g in shape.sizes)
