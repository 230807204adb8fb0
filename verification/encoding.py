"""Steps of the scheduler are entries of the encoding: what the solvers are asked about is what the code does.

Obligations are built from the tables of :class:`verification.smt_model.Model`. A table that lacks an entry makes every
proof easier. So the loop place, refill, merge is followed here from every reachable count state, with the scheduler's
own choices, and whatever an operator takes off the nodes and puts back must be an entry of its table, with as many
moves. That this loop is the one of the count-level model is checked on the way, that the model is the executable
scheduler's by :mod:`verification.agree`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from compass.board import Board
from compass.choice import Choice, Chooser
from compass.errors import InvariantViolated
from compass.geometry import Geometry
from compass.shapes import Shape
from verification.claims_settled import all_departures, arriving
from verification.count_explorer import Search
from verification.count_model import CountBoard, Nodes, SettledModel, repaired_model, unified_model
from verification.figures import Found, first_fault
from verification.smt_model import Entry, Model


class Effect(NamedTuple):
    """Indexes of the nodes taken and put back, each in increasing order, and moved instances."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    moves: int


Table = frozenset[Effect]
Exchange = tuple[tuple[Shape, ...], tuple[Shape | None, ...], int]
"""Shapes before and after an operator, and moved instances."""


def effect(before: Iterable[Shape], after: Iterable[Shape], moves: int) -> Effect:
    """The effect of taking some nodes and putting back others."""
    return Effect(tuple(sorted(s.index for s in before)), tuple(sorted(s.index for s in after)), moves)


def _effects(entries: Iterable[Entry]) -> Table:
    return frozenset(effect(entry.before, entry.after, entry.moves) for entry in entries)


class Tables:
    """The tables of the encoding by operator, and what the obligations assume of the choice among their entries."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.filler_vacant, self.filler_empty = _effects(model.filler_vacant()), _effects(model.filler_empty())
        self.filler_open = _effects(model.filler_open())
        self.anchors = {g: _effects([*model.single_hosts(g), *model.paired_hosts(g)]) for g in arriving(model)}
        self.refilling, self.merging = _effects(model.refills), _effects(model.merges)
        self.leaving = _effects(all_departures(model))

    def filler(self, board: Board | CountBoard) -> Table:
        """A vacancy is taken first, then an open node, then an empty one."""
        if board.vacancy:
            return self.filler_vacant
        takes_one = any(board.live[entry.before[0]] for entry in self.filler_open)
        return self.filler_open if takes_one else self.filler_empty

    def exceeds(self, board: Board | CountBoard, entry: Effect) -> bool:
        """An arrival makes a kind go over its limit, of those that it adds a node to."""
        kinds = self.model.discipline.kinds
        for kind, limit in self.model.discipline.limited:
            come = sum(kinds[index] == kind for index in entry.after)
            gone = sum(kinds[index] == kind for index in entry.before)
            if come and board.kinds[kind] + come - gone > limit:
                return True
        return False

    def not_preferred(self, board: Board | CountBoard, donor: Shape) -> bool:
        """A refill takes its instance from a donor of the highest kind there is."""
        kinds = [self.model.kind(shape) for shape in self.model.table if shape.free and board.live[shape.index]]
        return self.model.kind(donor) < max(kinds)


def encoding_covers(variant: str, nodes: int = 3, capacity: int = 4, open_nodes: int = 1) -> Found:
    """Every operator, from every reachable state, takes an entry of the table that the proofs are about.

    So it is with what obligations assume of the choice: fillers go into a vacancy first, then onto open nodes; an
    arrival keeps the limits; a refill prefers its donor by kind.
    """
    geometry = Geometry(capacity)
    explored = repaired_model(nodes, geometry) if variant == "repaired" else unified_model(nodes, open_nodes, geometry)
    tables = Tables(Model(explored.discipline, dial=variant == "unified"))
    return first_fault(_Walk(explored, tables).faults(), "operators, each an entry")


class _Walk:
    """The loop of :mod:`compass.settled` from every reachable state, one operator at a time."""

    def __init__(self, model: SettledModel, tables: Tables) -> None:
        self._model = model
        self._tables = tables

    def faults(self) -> Iterator[str | None]:
        """An item for each operator: None, or what the table lacks."""
        model = self._model
        search = Search(model)
        search.run()
        for code in search.settled().tolist():
            nodes = search.state_of(code).nodes
            running = model.composition(nodes)
            for gpus in model.sizes:
                running.add(gpus)
                if model.admits(running):
                    yield from self._arrival(nodes, gpus)
                running.add(gpus, -1)
            for node in set(nodes):
                for gpus in set(model.sizes_of(node)):
                    yield from self._departure(nodes, node, gpus)

    def _arrival(self, nodes: Nodes, gpus: int) -> Iterator[str | None]:
        board, choose = self._board(nodes)
        tables = self._tables
        if gpus == 1:
            host = choose.filler_host()
            yield _do(board, "place", tables.filler(board), ((host,), (host.plus[1],), 0))
        elif gpus == self._model.geometry.capacity and board.has_empty:
            yield _do(board, "place", tables.anchors[gpus], ((board.empty,), (board.empty.plus[gpus],), 0))
        else:
            while (choice := choose.anchor_host(gpus)) is None:
                yield _do(board, "merge", tables.merging, _exchange(choose.merge()))
            if tables.exceeds(board, effect(choice.before, choice.plan.result, choice.plan.moves)):
                yield f"place: {choice.before} to {choice.plan.result} exceeds a limit"
            yield _do(board, "place", tables.anchors[gpus], _exchange(choice))
            yield from self._settle(board, choose)
        yield None if board.nodes() == self._model.arrive(nodes, gpus).nodes else f"{nodes}, arrive {gpus}: another end"

    def _departure(self, nodes: Nodes, node: int, gpus: int) -> Iterator[str | None]:
        board, choose = self._board(nodes)
        shape = self._model.table[node]
        yield _do(board, "depart", self._tables.leaving, ((shape,), (shape.minus[gpus],), 0))
        yield from self._settle(board, choose)
        end = self._model.depart(nodes, node, gpus).nodes
        yield None if board.nodes() == end else f"{nodes}, depart {gpus}: another end"

    def _settle(self, board: CountBoard, choose: Chooser) -> Iterator[str | None]:
        while board.vacancy and board.free:
            donor, vacant = choose.donor(), choose.least_vacant()
            if self._tables.not_preferred(board, donor):
                yield f"refill: {donor} gives before a node of a higher kind"
            yield _do(board, "refill", self._tables.refilling, ((donor, vacant), (donor.minus[1], vacant.plus[1]), 1))
        while any(board.kinds[kind] > limit for kind, limit in self._model.discipline.limited):
            yield _do(board, "merge", self._tables.merging, _exchange(choose.merge()))

    def _board(self, nodes: Nodes) -> tuple[CountBoard, Chooser]:
        model = self._model
        board = CountBoard(model.discipline, [model.table[n] for n in nodes])
        return board, Chooser(cast(Board, board), model.plans)


def _exchange(choice: Choice | None) -> Exchange:
    if choice is None:
        raise InvariantViolated("the scheduler finds no nodes to merge")
    return choice.before, choice.plan.result, choice.plan.moves


def _do(board: CountBoard, what: str, table: Table, exchange: Exchange) -> str | None:
    """Carry out an exchange; None where it is an entry of the table."""
    before, after, moves = exchange
    made = [shape for shape in after if shape is not None]
    if len(made) == len(before) and effect(before, made, moves) in table:
        board.replace(before, made)
        return None
    return f"{what}: {before} to {after} in {moves} moves is no entry of the encoding"
