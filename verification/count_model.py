"""Count-level model of the settled variants: a cluster as the multiset of its nodes' shapes.

The abstraction forgets names and the order of nodes. :class:`compass.choice.Chooser` looks at shapes and their numbers
only, so the executable choice runs here unchanged, on a board that has numbers and no nodes. What is written a second
time is the loop around it (place, refill, merge); ``verification.agree`` compares the two.

Events are those after which the variants settle: one instance arrives, or one instance leaves a node of some shape.
Any instance may leave, so the model allows at least what jobs allow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from compass.board import Board
from compass.choice import Choice, Chooser
from compass.composition import Composition
from compass.discipline import SETTLED, Discipline
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.repaired import Repaired
from compass.settled import SettledScheduler
from compass.shapes import Shape
from compass.unified import Unified

MOST_KEPT = 400_000
"""Results of settling that a model remembers."""

Nodes = tuple[int, ...]
"""The types of all nodes by index, in increasing order."""


class CountState(NamedTuple):
    """A state: the nodes' types, and what is under way (0: nothing; only the printed model has other phases)."""

    nodes: Nodes
    phase: int = 0


class CountEvent(NamedTuple):
    """A step at count level: what happens, to an instance of which size, and the contents of the node that it leaves.

    ``kind`` is ``arrive`` or ``depart``; in the printed model ``place``, ``remove`` or ``compact``.
    """

    kind: str
    gpus: int = 0
    leaves: str = ""

    def __str__(self) -> str:
        size = f" {self.gpus}" if self.gpus else ""
        return f"{self.kind}{size}{' from ' + self.leaves if self.leaves else ''}"


class Outcome(NamedTuple):
    """What a step leads to: the state and the number of moved instances. ``nodes`` is None where it cannot be done."""

    nodes: Nodes | None
    moves: int


class Successor(NamedTuple):
    """An event and what it leads to; ``state`` is None where the model finds no legal destination or no plan."""

    event: CountEvent
    state: CountState | None
    moves: int


class CountBoard:
    """The part of :class:`compass.board.Board` that choices read, for a multiset of shapes.

    Args:
        discipline: the kinds that are counted.
        shapes: the shapes of the nodes.
        hidden_free: free instances on nodes that are not listed.
    """

    def __init__(self, discipline: Discipline, shapes: Sequence[Shape], hidden_free: int = 0) -> None:
        self.empty = discipline.table.empty
        self.live = [0] * len(discipline.table)
        self.kinds = [0] * len(discipline.limits)
        self.active: dict[Shape, None] = {}
        self.vacancy = 0
        self.free = hidden_free
        self._kind = discipline.kinds
        self._seen: set[int] = set()
        for shape in shapes:
            self.add(shape)

    @property
    def has_empty(self) -> bool:
        """Some node is empty."""
        return self.live[self.empty.index] > 0

    def add(self, shape: Shape, number: int = 1) -> None:
        """Count ``number`` (1 or -1) more nodes of a shape."""
        index = shape.index
        self._seen.add(index)
        self.live[index] += number
        if self.live[index] < 0:
            raise AssertionError(f"count board: fewer than no nodes of {shape}")
        self.vacancy += number * shape.vacancy
        self.free += number * shape.free
        kind = self._kind[index]
        if kind != SETTLED:
            self.kinds[kind] += number
            if self.live[index]:
                self.active[shape] = None
            else:
                del self.active[shape]

    def replace(self, before: Sequence[Shape], after: Sequence[Shape]) -> None:
        """Exchange nodes for as many others."""
        for shape in before:
            self.add(shape, -1)
        for shape in after:
            self.add(shape)

    def nodes(self) -> Nodes:
        """The indexes of all shapes, in increasing order."""
        return tuple(index for index in sorted(self._seen) for _ in range(self.live[index]))


class SettledModel:
    """``repaired`` or ``unified`` on N nodes with jobs and names forgotten.

    Args:
        scheduler: gives geometry, discipline, admission and bound; it stays idle.
        sizes: demands that may arrive (default: all).
        plans: another plan table than the discipline's own, to seed faults.

    Examples:
        >>> model = unified_model(2)
        >>> [str(s.event) for s in model.successors(model.start)][:3]
        ['arrive 1', 'arrive 2', 'arrive 3']
        >>> model.describe(model.settle(model.of([[4, 2], [4]])).nodes)
        '{2} {4,4}'
    """

    phases = (0,)
    readings_text = ""

    def __init__(
        self, scheduler: SettledScheduler, sizes: Collection[int] | None = None, plans: PlanTable | None = None
    ) -> None:
        assert scheduler.nodes is not None
        self.scheduler = scheduler
        self.nodes: int = scheduler.nodes
        self.geometry: Geometry = scheduler.geometry
        self.discipline: Discipline = scheduler.discipline
        self.table = self.discipline.table
        self.plans = plans or PlanTable(self.discipline)
        self.sizes = tuple(sorted(sizes or self.geometry.sizes))
        self.variant = "unified" if isinstance(scheduler, Unified) else "repaired"
        self.open_nodes: int = getattr(scheduler, "open_nodes", None) or 0
        self.type_sizes = [shape.sizes for shape in self.table]
        self.type_vacancy = [shape.vacancy for shape in self.table]
        self._admitted: dict[tuple[int, ...], bool] = {}
        self.settle = lru_cache(MOST_KEPT)(self._settle)

    # -- states ---------------------------------------------------------------------------------------------------

    @property
    def start(self) -> CountState:
        """Every node empty."""
        return CountState((self.table.empty.index,) * self.nodes)

    def of(self, contents: Sequence[Sequence[int]]) -> Nodes:
        """The nodes with these instance sizes; missing nodes are empty."""
        shapes = [self.table.of(list(sizes)) for sizes in contents]
        if None in shapes or len(shapes) > self.nodes:
            raise ValueError(f"{contents}: not {self.nodes} nodes of the space")
        idle = [self.table.empty] * (self.nodes - len(shapes))
        return _sorted_nodes([shape for shape in [*shapes, *idle] if shape is not None])

    def sizes_of(self, node: int) -> tuple[int, ...]:
        """Instance sizes of a node type."""
        return self.table[node].sizes

    def describe(self, nodes: Nodes | None) -> str:
        """Node contents as text, idle nodes left out."""
        return " ".join(f"{{{','.join(map(str, self.table[n].sizes))}}}" for n in nodes or () if self.table[n].load)

    def composition(self, nodes: Nodes) -> Composition:
        """The instances counted by size."""
        running = Composition(self.geometry)
        for node in nodes:
            for gpus in self.table[node].sizes:
                running.add(gpus)
        return running

    def admits(self, running: Composition) -> bool:
        """The variant's own admission condition, remembered by counts."""
        key = tuple(running.counts)
        if key not in self._admitted:
            self._admitted[key] = self.scheduler.admits(running)
        return self._admitted[key]

    # -- operators, on all nodes or on the part of them that they look at -------------------------------------------

    def place(self, nodes: Nodes, gpus: int, hidden_free: int = 0) -> Outcome | None:
        """Install an arriving instance with what must move before it; the state is not settled yet.

        With ``hidden_free`` other nodes than those listed have that many free instances (under a cap that no plan's
        vacancy exceeds). None: no plan over the listed nodes exists, so the hidden ones must be looked at.
        """
        board, choose = self._board(nodes, hidden_free)
        if gpus == 1:
            host = choose.filler_host()
            return self._installed(board, host, 1)
        if gpus == self.geometry.capacity and board.has_empty:
            return self._installed(board, board.empty, gpus)
        moves = 0
        while (choice := choose.anchor_host(gpus)) is None:
            if hidden_free:
                return None
            merge = choose.merge()
            if merge is None:
                return Outcome(None, moves)
            moves += _carry_out(board, merge)
        moves += _carry_out(board, choice)
        return Outcome(board.nodes(), moves)

    def refill(self, nodes: Nodes, most: int | None = None) -> Outcome:
        """Move free instances into vacancies until there are no free ones or no vacancy, ``most`` of them at most."""
        board, choose = self._board(nodes)
        moves = 0
        while board.vacancy and board.free and moves != most:
            donor, vacant = choose.donor(), choose.least_vacant()
            poorer, fuller = donor.minus[1], vacant.plus[1]
            assert poorer is not None
            assert fuller is not None
            board.replace((donor, vacant), (poorer, fuller))
            moves += 1
        return Outcome(board.nodes(), moves)

    def merge(self, nodes: Nodes) -> Outcome:
        """Merge nodes while a kind is over its limit."""
        board, choose = self._board(nodes)
        moves = 0
        while any(board.kinds[kind] > limit for kind, limit in self.discipline.limited):
            choice = choose.merge()
            if choice is None:
                return Outcome(None, moves)
            moves += _carry_out(board, choice)
        return Outcome(board.nodes(), moves)

    def _settle(self, nodes: Nodes) -> Outcome:
        """``settle``: refill, then merge. Many states lead to the same nodes to settle, so it is remembered."""
        refilled = self.refill(nodes)
        assert refilled.nodes is not None
        merged = self.merge(refilled.nodes)
        return Outcome(merged.nodes, refilled.moves + merged.moves)

    # -- steps ----------------------------------------------------------------------------------------------------

    def arrive(self, nodes: Nodes, gpus: int) -> Outcome:
        """One instance arrives; the caller has asked :meth:`admits`."""
        placed = self.place(nodes, gpus)
        assert placed is not None
        if placed.nodes is None or gpus == 1:
            return placed
        # The code leaves this out where an instance of G GPUs finds an empty node: nothing needs settling then.
        settled = self.settle(placed.nodes)
        return Outcome(settled.nodes, placed.moves + settled.moves)

    def depart(self, nodes: Nodes, node: int, gpus: int) -> Outcome:
        """One instance of ``gpus`` leaves a node of type ``node``."""
        smaller = self.table[node].minus[gpus]
        assert smaller is not None
        left = list(nodes)
        left[left.index(node)] = smaller.index
        return self.settle(tuple(sorted(left)))

    def successors(self, state: CountState) -> Iterator[Successor]:
        """Every step from a state, arrivals by size first, then departures by node type."""
        running = self.composition(state.nodes)
        for gpus in self.sizes:
            running.add(gpus)
            if self.admits(running):
                yield _successor(CountEvent("arrive", gpus), self.arrive(state.nodes, gpus))
            running.add(gpus, -1)
        for node in sorted(set(state.nodes)):
            for gpus in sorted(set(self.table[node].sizes)):
                event = CountEvent("depart", gpus, self.describe((node,)))
                yield _successor(event, self.depart(state.nodes, node, gpus))

    def _board(self, nodes: Nodes, hidden_free: int = 0) -> tuple[CountBoard, Chooser]:
        board = CountBoard(self.discipline, [self.table[n] for n in nodes], hidden_free)
        return board, Chooser(cast(Board, board), self.plans)

    @staticmethod
    def _installed(board: CountBoard, host: Shape, gpus: int) -> Outcome:
        larger = host.plus[gpus]
        if larger is None or not board.live[host.index]:
            return STUCK
        board.replace((host,), (larger,))
        return Outcome(board.nodes(), 0)


STUCK = Outcome(None, 0)


def repaired_model(nodes: int, geometry: Geometry | None = None, sizes: Collection[int] | None = None) -> SettledModel:
    """The model of ``repaired``."""
    return SettledModel(Repaired(nodes, geometry), sizes)


def unified_model(
    nodes: int, open_nodes: int = 1, geometry: Geometry | None = None, sizes: Collection[int] | None = None
) -> SettledModel:
    """The model of ``unified`` with the dial m = ``open_nodes``."""
    return SettledModel(Unified(nodes, geometry, open_nodes), sizes)


def abstract_settled(scheduler: SettledScheduler) -> CountState:
    """The abstraction function: the shapes of a scheduler's nodes, recounted from what runs on them."""
    assert scheduler.nodes is not None
    table = scheduler.discipline.table
    shapes = [table.of([instance.gpus for instance in content]) for content in scheduler.board.contents]
    idle = [table.empty] * (scheduler.nodes - len(shapes))
    return CountState(_sorted_nodes([shape for shape in [*shapes, *idle] if shape is not None]))


def _carry_out(board: CountBoard, choice: Choice) -> int:
    board.replace(choice.before, choice.plan.result)
    return choice.plan.moves


def _sorted_nodes(shapes: Sequence[Shape]) -> Nodes:
    return tuple(sorted(shape.index for shape in shapes))


def _successor(event: CountEvent, outcome: Outcome) -> Successor:
    return Successor(event, None if outcome.nodes is None else CountState(outcome.nodes), outcome.moves)
