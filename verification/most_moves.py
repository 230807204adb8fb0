"""The most instances that one event moves, exactly, for every N: an event looks at few nodes.

Take away nodes that an event neither changes nor weighs, and the others' state is settled too, the event possible, and
every choice the same: choices are minima over shapes in a fixed order. So the most moves over *all* settled states of
the nodes that an event can look at, reachable or not, bound it for every N. These nodes are

* every open node, at most as many as the limits say, and the node that an instance leaves;
* an empty one: an arrival uses one at most, a merge only together with a stray node, of which there is one at most;
* covered nodes that take part in refills. Vacancy and free instances do not occur together before an event, so either
  those freed by a departure fill vacancies, where it only matters how many go to covered nodes, or covered donors fill
  the vacancy that the event has made, at most one for each;
* one covered donor more where an arrival finds room on no open or empty node.

The bound is the constant where a history of jobs reaches it. States that lack a place are left out as they get stuck.
No exchange is made: `repaired` has none without vacancy on the open node (tested), `unified` needs none for G <= 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple, cast

from compass.board import Board
from compass.choice import Chooser
from compass.discipline import SETTLED, STRAY
from compass.event_io import read_events
from compass.geometry import Geometry
from compass.scheduler import apply_event
from compass.shapes import Shape
from compass.unified import Unified
from compass.variants import make_scheduler
from verification.count_model import CountBoard, Nodes, SettledModel, repaired_model, unified_model
from verification.figures import Found

Shapes = tuple[Shape, ...]


def most_moves(variant: str, capacity: int = 8, open_nodes: int = 1) -> Found:
    """The most moves of a departing and of an arriving instance, for every N; cost grows with ``open_nodes``."""
    nearby = _Nearby(variant, Geometry(capacity), open_nodes)
    departure, arrival = max(nearby.departures()), max(nearby.arrivals())
    detail = f"G = {capacity}: at most {departure} for a departure, {arrival} for an arrival, whatever N is"
    return True, detail, {"departure": departure, "arrival": arrival}


def moves_of_history(path: str, variant: str, nodes: int, open_nodes: int | None = None, capacity: int = 8) -> Found:
    """How many instances the last event of a recorded history moves."""
    scheduler = make_scheduler(variant, nodes, Geometry(capacity), open_nodes, None)
    for _, event in read_events(path, capacity):
        moves = len(apply_event(scheduler, event).moves)
        scheduler.check()
    return True, f"{moves} moves in the last event, on {nodes} nodes", {"moves": moves}


def moves_of_last_half(capacity: int, dials: int) -> Found:
    """Anchors of G/2 GPUs leave m + 1 full nodes: the last one moves the G/2 free instances of a node; m = 1 .. dials.

    So it is for every m: no event before moves anything, and open nodes all alike have one kind of merge.
    """
    half = capacity // 2
    moves = set()
    for dial in range(1, dials + 1):
        scheduler = Unified(dial + 1, Geometry(capacity), dial)
        for node in range(dial + 1):
            scheduler.arrive(f"anchor {node}", half)
            scheduler.arrive(f"free {node}", 1, half)
        before = sum(len(scheduler.depart(f"anchor {node}").moves) for node in range(dial))
        moves.add((before, len(scheduler.depart(f"anchor {dial}").moves)))
        scheduler.check()
    detail = f"G = {capacity}, m = 1 .. {dials}: {half} moves for the last departure"
    return moves == {(0, half)}, detail, {"moves": max(last for _, last in moves)}


class _Placed(NamedTuple):
    """An anchor on its host: the shapes of all nodes listed, what moved, and the free instances on nodes not listed."""

    shapes: Shapes
    moves: int
    hidden: int


class _Nearby:
    """What an event of a variant can look at."""

    def __init__(self, variant: str, geometry: Geometry, open_nodes: int) -> None:
        model = repaired_model(1, geometry) if variant == "repaired" else unified_model(1, open_nodes, geometry)
        self._model: SettledModel = model
        self._kinds = model.discipline.kinds
        self._open = [shape for shape in model.table if self._kinds[shape.index] not in (SETTLED, STRAY)]
        self._covered = [shape for shape in model.table if self._kinds[shape.index] == SETTLED and shape.load]
        self._donors = [shape for shape in self._covered if shape.free]
        self._most = max(geometry.wcc_coefficients)
        self._empty = (model.table.empty,)
        self._merged: dict[Nodes, int | None] = {}

    def departures(self) -> Iterator[int]:
        """The moves of each departure, from each settled state of the nodes looked at."""
        for opens in self._open_nodes():
            for leaves in dict.fromkeys((*opens, *self._covered)):
                rest = list(opens)
                if leaves in rest:
                    rest.remove(leaves)
                vacancy, free = _sums((*rest, leaves))
                for gpus in sorted(set(leaves.sizes)) if not (vacancy and free) else ():
                    smaller = leaves.minus[gpus]
                    assert smaller is not None
                    for nodes, refills in self._refilled((*rest, smaller), vacancy, free):
                        for idle in range(2):
                            moves = self._merge((*nodes, *self._empty * idle))
                            if moves is not None:
                                yield refills + moves

    def arrivals(self) -> Iterator[int]:
        """The moves of each arrival of an anchor; a 1-GPU instance moves none."""
        for opens in self._open_nodes():
            for idle in range(2):
                for gpus in self._model.sizes[1:]:
                    for placed in self._hosts((*opens, *self._empty * idle), gpus):
                        for donors in self._refilling(placed):
                            moves = self._settled((*placed.shapes, *donors))
                            if moves is not None:
                                yield placed.moves + moves

    # -- which nodes ------------------------------------------------------------------------------------------------

    def _open_nodes(self) -> Iterator[Shapes]:
        """Every multiset of open nodes within the limits that keeps exclusion."""
        limits = self._model.discipline.limited
        for number in range(sum(limit for _, limit in limits) + 1):
            for opens in combinations_with_replacement(self._open, number):
                kinds = [self._kinds[shape.index] for shape in opens]
                if all(kinds.count(kind) <= limit for kind, limit in limits) and not all(_sums(opens)):
                    yield opens

    def _refilled(self, shapes: Shapes, vacancy: int, free: int) -> Iterator[tuple[Shapes, int]]:
        """After a departure and all refills; with ``vacancy`` and ``free`` before it.

        Covered nodes that are filled stay covered: it only matters how many of the freed instances they take, before
        and after the nodes listed are filled. Only the node that was left has free instances then.
        """
        lacking, freed = _sums(shapes)
        if not vacancy:
            for donors in ((), *_multisets(self._donors, lacking)):
                yield self._refill((*shapes, *donors))
        for here in range(min(lacking, freed) + 1) if not free else ():
            nodes, _ = self._refill(shapes, here)
            for elsewhere in range(freed - here + 1) if here == lacking else (freed - here,):
                yield tuple(_without(shape, elsewhere) if shape.free else shape for shape in nodes), here + elsewhere

    def _refilling(self, placed: _Placed) -> Iterator[Shapes]:
        """The covered donors that refills after an arrival touch: all there are, or as many as there is vacancy."""
        vacancy, _ = _sums(placed.shapes)
        if not placed.hidden or not vacancy:
            yield ()
        for donors in _multisets(self._donors, vacancy):
            free = min(self._most, _sums(donors)[1])
            if placed.hidden == free or (placed.hidden > free and len(donors) == vacancy):
                yield donors

    # -- what happens on them ---------------------------------------------------------------------------------------

    def _hosts(self, shapes: Shapes, gpus: int) -> Iterator[_Placed]:
        """Ways to place an anchor, with any number of free instances on other nodes, one of which may take part."""
        vacancy, _ = _sums(shapes)
        for hidden in range(1 if vacancy else self._most + 1):
            placed, at_once = self._place(shapes, gpus, hidden)
            if placed is not None:
                yield placed
            if not at_once and not vacancy:
                for donor in self._donors:
                    placed, _ = self._place((*shapes, donor), gpus, hidden)
                    if placed is not None:
                        yield placed

    def _place(self, shapes: Shapes, gpus: int, hidden: int) -> tuple[_Placed | None, bool]:
        """The scheduler's own choice among these nodes, and whether it needs no merge before."""
        model = self._model
        board = CountBoard(model.discipline, shapes, hidden)
        choose = Chooser(cast(Board, board), model.plans)
        if gpus == model.geometry.capacity and board.has_empty:
            return _Placed(_replaced(shapes, self._empty, (cast(Shape, board.empty.plus[gpus]),)), 0, hidden), True
        moves, at_once = 0, True
        while (choice := choose.anchor_host(gpus)) is None:
            merge, at_once = choose.merge(), False
            if merge is None:
                return None, False
            board.replace(merge.before, merge.plan.result)
            shapes, moves = _replaced(shapes, merge.before, merge.plan.result), moves + merge.plan.moves
        shapes = _replaced(shapes, choice.before, choice.plan.result)
        return _Placed(shapes, moves + choice.plan.moves, hidden), at_once

    def _settled(self, shapes: Shapes) -> int | None:
        """Refill and merge: the moves, None where the nodes lack a place."""
        nodes, refills = self._refill(shapes)
        moves = self._merge(nodes)
        return None if moves is None else refills + moves

    def _refill(self, shapes: Shapes, most: int | None = None) -> tuple[Shapes, int]:
        if most == 0 or not all(_sums(shapes)):
            return shapes, 0
        nodes, moves = self._model.refill(tuple(shape.index for shape in shapes), most)
        return tuple(self._model.table[n] for n in cast(Nodes, nodes)), moves

    def _merge(self, shapes: Shapes) -> int | None:
        active = tuple(sorted(shape.index for shape in shapes if self._kinds[shape.index] != SETTLED or not shape.load))
        if active not in self._merged:
            merged = self._model.merge(active)
            self._merged[active] = None if merged.nodes is None else merged.moves
        return self._merged[active]


def _sums(shapes: Sequence[Shape]) -> tuple[int, int]:
    """Vacancy and free instances."""
    return sum(shape.vacancy for shape in shapes), sum(shape.free for shape in shapes)


def _multisets(shapes: list[Shape], most: int) -> Iterator[Shapes]:
    for number in range(1, most + 1):
        yield from combinations_with_replacement(shapes, number)


def _without(shape: Shape, fillers: int) -> Shape:
    for _ in range(fillers):
        shape = cast(Shape, shape.minus[1])
    return shape


def _replaced(shapes: Shapes, before: Shapes, after: Shapes) -> Shapes:
    left = list(shapes)
    for shape in before:
        left.remove(shape)
    return (*left, *after)
