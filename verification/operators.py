"""The operators of the printed algorithm one by one: Place, Remove and Compact of the code against those of the model.

:mod:`verification.agree` compares whole events from settled states, and their results only; what Place has done Compact
can undo. Here each operator runs by itself, also from the states between the operators of one event, and must move no
more instances than the model says.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import permutations

from compass.errors import NeverFits, NoLegalDestination
from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import Readings
from verification.agree_printed import named_state
from verification.count_explorer import Search
from verification.count_model import Nodes, Outcome
from verification.count_printed import NodeType, PrintedModel, abstract_printed
from verification.figures import Found, first_fault


class _Uncompacted(Printed):
    """Place and Remove alone."""

    def _compact(self) -> None:
        pass


def operators_agree(nodes: int = 3, capacity: int = 4, most_states: int = 150, readings: Sequence[str] = ()) -> Found:
    """Each operator from a sample of the reached states, each in three orders of its nodes."""
    model = PrintedModel(nodes, Readings.parse(readings), Geometry(capacity))
    return first_fault(_faults(model, most_states), "runs of an operator")


def _faults(model: PrintedModel, most: int) -> Iterator[str | None]:
    search = Search(model)
    search.run()
    rng = random.Random(most)
    reached = sorted({search.state_of(code).nodes for code in search.reached().tolist()})
    for nodes in sorted(rng.sample(reached, min(most, len(reached)))):
        orders = sorted(set(permutations(nodes)))
        for order in rng.sample(orders, min(3, len(orders))):
            yield from _operators(model, nodes, [model.types[node] for node in order])


def _operators(model: PrintedModel, nodes: Nodes, contents: list[NodeType]) -> Iterator[str | None]:
    def fault(what: str, expected: list[Outcome], after: Nodes | None, moves: int) -> str | None:
        if any(after == outcome.nodes and moves <= outcome.moves for outcome in expected):
            return None
        shown = [(model.describe(outcome.nodes), outcome.moves) for outcome in expected]
        return f"{model.describe(nodes)}, {what}: {model.describe(after)} in {moves} moves, the model has {shown}"

    for gpus in model.sizes:
        expected = model.place(nodes, gpus) or [Outcome(nodes, 0)]
        yield fault(f"place {gpus}", expected, *_placed(model, contents, gpus))
    for host, node in enumerate(contents):
        for leaving in model.removals(model.index[node]):
            expected = model.remove(nodes, model.index[node], leaving)
            slot = -1 if leaving.slot is None else node.slots.index(leaving.slot)
            job = f"p{host}-0" if slot < 0 else f"a{host}-{slot}" if leaving.anchor else f"f{host}-{slot}-0"
            yield fault(f"remove {leaving}", expected, *_removed(model, contents, job))
    yield fault("compact", model.compact(nodes), *_compacted(model, contents))


def _placed(model: PrintedModel, contents: Sequence[NodeType], gpus: int) -> tuple[Nodes | None, int]:
    printed = _Uncompacted.from_state(named_state(model, contents), model.readings)
    try:
        moves = len(printed.arrive("new", gpus).moves)
    except NeverFits:
        moves = 0
    return abstract_printed(printed, model).nodes, moves


def _removed(model: PrintedModel, contents: Sequence[NodeType], job: str) -> tuple[Nodes | None, int]:
    printed = _Uncompacted.from_state(named_state(model, contents), model.readings)
    try:
        moves = len(printed.depart(job).moves)
    except NoLegalDestination:
        return None, 0
    return abstract_printed(printed, model).nodes, moves


def _compacted(model: PrintedModel, contents: Sequence[NodeType]) -> tuple[Nodes | None, int]:
    printed = Printed.from_state(named_state(model, contents), model.readings)
    try:
        printed._compact()
    except NoLegalDestination:
        return None, 0
    return abstract_printed(printed, model).nodes, len(printed._steps)
