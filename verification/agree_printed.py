"""What is compared of ``printed``: jobs of one instance come and go, and jobs of two come.

The model has a set of results, for everything that some order of the nodes and some history allow; Compact is part of
every event. In one order every instance leaves in turn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import permutations, product

from compass.errors import NoLegalDestination
from compass.printed import Printed
from compass.space import AbsState, Anchor
from verification.agree_cases import REFUSED, Case, Cases, Result, Start
from verification.count_model import Nodes, Outcome
from verification.count_printed import Leaving, NodeType, PrintedModel, abstract_printed

MOST_KEPT = 1_000
"""Answers of the model that are kept: for all orders of a state."""


class PrintedCases(Cases[NodeType]):
    """The cases of ``printed``; a node's content is its type with the slots in order."""

    def __init__(self, model: PrintedModel, most_instances: int) -> None:
        self.model = model
        self._instances = range(1, most_instances + 1)
        self._arrivals = lru_cache(MOST_KEPT)(self._arrivals_of)
        self._departures = lru_cache(MOST_KEPT)(self._departures_of)

    def orders(self, nodes: Nodes) -> Iterator[tuple[NodeType, ...]]:
        """Every order of the nodes and of their slots."""
        for order in sorted(set(permutations(nodes))):
            types = [self.model.types[node] for node in order]
            yield from product(*([NodeType(s, t.ones) for s in sorted(set(permutations(t.slots)))] for t in types))

    def shuffled(self, nodes: Nodes, chosen: random.Random) -> tuple[NodeType, ...]:
        """One of these orders."""
        types = [self.model.types[node] for node in chosen.sample(nodes, len(nodes))]
        return tuple(NodeType(tuple(chosen.sample(t.slots, len(t.slots))), t.ones) for t in types)

    def node(self, content: NodeType) -> int:
        """The node type of a content."""
        return self.model.index[NodeType(tuple(sorted(content.slots)), content.ones)]

    def of(self, nodes: Nodes, order: Sequence[NodeType]) -> Iterator[Case]:
        """The cases from a state whose nodes stand in this order."""
        model = self.model
        state = named_state(model, order)
        start = Start(
            Printed.from_state(state, model.readings), partial(Printed.from_state, state, model.readings), Printed.state
        )
        for gpus in model.sizes:
            for instances in self._instances:
                expected = self._arrivals(nodes, gpus, instances)
                run = partial(start.arrival, gpus, instances, self._seen)
                yield Case(f"arrive {instances} x {gpus}", expected, run, instances == 1, most_moves=True)
        for host, content in enumerate(order):
            node = self.node(content)
            for leaving in model.removals(node):
                what = (
                    "" if leaving.slot is None else f" ({'anchor' if leaving.anchor else 'filler'} of {leaving.slot})"
                )
                event = f"depart {leaving.gpus}{what} from {model.describe((node,))}"
                run = partial(self._departure, start, _names(content, host, leaving))
                yield Case(event, self._departures(nodes, node, leaving), run, most_moves=True)

    # -- what the model says ----------------------------------------------------------------------------------------

    def _arrivals_of(self, nodes: Nodes, gpus: int, instances: int) -> frozenset[Result]:
        reached = [Outcome(nodes, 0)]
        refused: set[Result] = set()
        for _ in range(instances):
            following: dict[Nodes, int] = {}
            for before, moves in reached:
                assert before is not None
                outcomes = self.model.place(before, gpus)
                for after, more in outcomes:
                    if after is not None:
                        following[after] = max(following.get(after, 0), moves + more)
                refused |= set() if outcomes else {REFUSED}
            reached = [Outcome(*one) for one in following.items()]
        return self._compacted(reached) | refused

    def _departures_of(self, nodes: Nodes, node: int, leaving: Leaving) -> frozenset[Result]:
        return self._compacted(self.model.remove(nodes, node, leaving))

    def _compacted(self, reached: Sequence[Outcome]) -> frozenset[Result]:
        """After Compact, with the most moves of the ways to each state."""
        found: dict[Nodes | None, int] = {}
        for nodes, moves in reached:
            for after, more in self.model.compact(nodes) if nodes is not None else [Outcome(None, 0)]:
                found[after] = max(found.get(after, 0), moves + more if after is not None else 0)
        return frozenset(found.items())

    # -- what the code does -----------------------------------------------------------------------------------------

    def _seen(self, printed: Printed) -> Nodes:
        return abstract_printed(printed, self.model).nodes

    def _departure(self, start: Start[Printed], jobs: Sequence[str]) -> Iterator[Result]:
        """Each of the jobs leaves, from the same state."""
        for job in jobs:
            printed = start.scheduler()
            try:
                decision = printed.depart(job)
            except NoLegalDestination:
                yield None, 0
            else:
                yield self._seen(printed), len(decision.moves)


def named_state(model: PrintedModel, contents: Sequence[NodeType]) -> AbsState:
    """The contents with names: each instance is a job, named by its kind, its node, its slot and its number there."""
    described = []
    for k, node in enumerate(contents):
        slots = [
            (Anchor(f"a{k}-{s}/0", slot.anchor), [f"f{k}-{s}-{p}/0" for p in range(slot.fillers)])
            for s, slot in enumerate(node.slots)
        ]
        described.append((slots, [f"p{k}-{p}/0" for p in range(node.ones)]))
    return AbsState.of(model.geometry, described)


def _names(node: NodeType, host: int, leaving: Leaving) -> list[str]:
    if leaving.slot is None:
        return [f"p{host}-{p}" for p in range(node.ones)]
    slots = [s for s, one in enumerate(node.slots) if one == leaving.slot]
    if leaving.anchor:
        return [f"a{host}-{s}" for s in slots]
    return [f"f{host}-{s}-{p}" for s in slots for p in range(leaving.slot.fillers)]
