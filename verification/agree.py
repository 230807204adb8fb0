"""Model and code agree: every step of a scheduler, abstracted, is a step of the model, and the other way round.

Each reachable settled state of the model is given to the executable scheduler in every order of its nodes (and, for
``printed``, of the slots on them), or in some orders drawn with a seed. Then every event of one instance is carried out
there, and its result, abstracted, must be one of the model's. The other way round, each result of the model must be
one of the code in some order: where the drawn ones do not show it, further ones are drawn.

One kind of step is expected to be missed: in one event the code breaks the ties of Place or Remove and those of Compact
by one order of the nodes, the model by any. Of the default readings there are none up to N = 3 and four for N = 4; in
``{4,2,2} {3+0} {3+0} {3+0,3+1}`` an anchor of the last node leaves, and its filler has three slots to go to: the code
takes that on the first node, and that is the node that Compact drains. With ``room=cap cap=nodes`` there are some for
N = 2.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verification.agree_cases import CHANGED, REFUSED, Case, Cases, Result
from verification.agree_printed import PrintedCases
from verification.agree_settled import SettledCases
from verification.count_explorer import Model, Search
from verification.count_model import CountState, Nodes
from verification.count_printed import PrintedModel


@dataclass(frozen=True)
class Agreement:
    """What a comparison saw.

    Attributes:
        variant: which one.
        nodes: N.
        states: settled states compared.
        runs: events carried out by the code.
        steps: distinct steps of the model from these states, an event with its result each.
        missed: those that no run took (0 is only to be expected over all orders, or with enough further ones).
        exhaustive: all reachable states and all orders were taken.
        disagreement: the first step of the code that the model does not have, None if there is none.
        first_missed: the first step of the model that no run took.
    """

    variant: str
    nodes: int
    states: int
    runs: int
    steps: int
    missed: int
    exhaustive: bool
    disagreement: str | None
    first_missed: str | None = None


class _Steps:
    """The model's steps from one state by event, and those of them that runs took."""

    def __init__(self) -> None:
        self.expected: dict[str, frozenset[Result]] = {}
        self.missed: dict[str, set[Result]] = {}

    def expect(self, case: Case) -> None:
        if case.exact and case.event not in self.expected:
            self.expected[case.event] = case.expected
            self.missed[case.event] = set(case.expected)

    def take(self, case: Case, step: Result) -> None:
        if case.exact:
            self.missed[case.event].discard(step)


def agree(
    model: Model,
    most_states: int | None = None,
    most_orders: int | None = None,
    *,
    seed: int = 0,
    further: int = 0,
    instances: int = 2,
) -> Agreement:
    """Compare a model with the code it models.

    Args:
        model: the model; its states are explored first.
        most_states: compare a sample of this many reachable states (None: all).
        most_orders: draw this many orders of a state for all events (None: all orders).
        seed: of what is drawn.
        further: draw at most this many orders more for the events that have results no run has shown.
        instances: of the largest jobs, 1 or 2.

    Examples:
        >>> from verification.count_model import repaired_model
        >>> found = agree(repaired_model(1))
        >>> found.states, found.steps, found.missed, found.disagreement
        (34, 318, 0, None)
    """
    chosen = random.Random(seed)
    states, every_state = _states(model, most_states, chosen)
    cases: Cases[Any]
    cases = PrintedCases(model, instances) if isinstance(model, PrintedModel) else SettledCases(model, instances)
    runs = steps = missed = 0
    first: str | None = None
    for state in states:
        found = _Steps()
        for number, order in enumerate(_orders(cases, state.nodes, most_orders, further, chosen)):
            everything = most_orders is None or number < most_orders
            if not everything and not any(found.missed.values()):
                break
            for case in cases.of(state.nodes, order):
                found.expect(case)
                for result in case.runs() if everything or found.missed.get(case.event) else ():
                    runs += 1
                    step = case.found(result)
                    if step is None:
                        text = _difference(model, [cases.node(content) for content in order], case, result)
                        return Agreement(model.variant, model.nodes, len(states), runs, steps, missed, False, text)
                    found.take(case, step)
        for event, results in found.missed.items():
            steps += len(found.expected[event])
            for result in sorted(results, key=str):
                missed += 1
                first = first or f"{model.describe(state.nodes) or '{}'}, {event}: {_text(model, result)}"
    exhaustive = every_state and most_orders is None
    return Agreement(model.variant, model.nodes, len(states), runs, steps, missed, exhaustive, None, first)


def _states(model: Model, most: int | None, chosen: random.Random) -> tuple[list[CountState], bool]:
    search = Search(model)
    search.run()
    codes = search.settled().tolist()
    if most is None or len(codes) <= most:
        return [search.state_of(code) for code in codes], True
    return [search.state_of(code) for code in sorted(chosen.sample(codes, most))], False


def _orders(
    cases: Cases[Any], nodes: Nodes, most: int | None, further: int, chosen: random.Random
) -> Iterator[tuple[Any, ...]]:
    if most is None:
        yield from cases.orders(nodes)
    else:
        for _ in range(most + further):
            yield cases.shuffled(nodes, chosen)


def _difference(model: Model, order: list[int], case: Case, result: Result) -> str:
    nodes = " ".join(model.describe((node,)) or "{}" for node in order)
    expected = " or ".join(sorted(_text(model, one) for one in case.expected)) or "nothing"
    return f"{model.variant}, nodes {nodes}, {case.event}: code {_text(model, result)}, model {expected}"


def _text(model: Model, result: Result) -> str:
    if result in (REFUSED, CHANGED):
        return "refused" if result == REFUSED else "refused, and yet changed"
    nodes, moves = result
    return "no legal destination" if nodes is None else f"{model.describe(nodes) or '{}'} ({moves} moves)"
