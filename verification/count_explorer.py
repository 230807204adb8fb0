"""Exhaustive exploration at count level: every reachable multiset of node types, breadth first.

Within a model (N nodes, a variant, allowed sizes) the result is exact: all states, all transitions, the true maxima. A
model allows at least what jobs allow, so what holds here holds for the scheduler; a refutation still needs a trace of
jobs, for which a witness and its path are the place to start.

A state's code is ``phase * ranking.size + rank``. Memory: 9 bytes a possible code, and the chunk that is expanded.
Deterministic: chunks, events and ties of parents are ordered.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from compass.unified import Unified
from verification.count_claims import PRINTED, REPAIRED, UNIFIED, UNIFIED_ONE, NodeFacts, Predicate, Setting, States
from verification.count_model import CountEvent, CountState, Nodes, SettledModel, Successor
from verification.count_phi import PhiTable
from verification.count_printed import PrintedModel
from verification.count_printed_steps import PrintedSteps
from verification.count_results import ClaimCount, Exploration, Witness
from verification.count_settled import Batch, Compositions, SettledSteps
from verification.count_space import Ints, Ranking, Rows

__all__ = ["ClaimCount", "Exploration", "Model", "Search", "Steps", "Witness", "default_claims", "explore"]

Model = SettledModel | PrintedModel

CHUNK = 1_000_000
"""States measured at a time."""


class Steps(Protocol):
    """A model's steps on arrays of states."""

    ranking: Ranking
    compositions: Compositions

    def layer(self, codes: Ints) -> Iterator[tuple[Ints, Batch]]:
        """Every step from the states with these codes: source codes and the steps from them."""


def explore(model: Model, claims: Mapping[str, Predicate] | None = None) -> Exploration:
    """Explore a model from the empty cluster and check claims on every settled state.

    Args:
        model: what to explore.
        claims: predicates by name (default: those of the variant).

    Examples:
        >>> from verification.count_model import repaired_model
        >>> found = explore(repaired_model(2))
        >>> found.states, found.transitions, found.depth, found.max_avoidable_wcc, found.violated
        (525, 2723, 16, 2, [])
    """
    started = time.perf_counter()
    search = Search(model)
    search.run()
    return search.report(default_claims(model) if claims is None else claims, started)


def default_claims(model: Model) -> dict[str, Predicate]:
    """The claims about a model's variant."""
    if isinstance(model, PrintedModel):
        return PRINTED
    if isinstance(model.scheduler, Unified):
        return UNIFIED_ONE if model.scheduler.open_nodes == 1 else UNIFIED
    return REPAIRED


class Search:
    """One breadth-first search, and the tables it leaves: distance and parent of every code."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.steps: Steps = PrintedSteps(model) if isinstance(model, PrintedModel) else SettledSteps(model)
        self.ranking = self.steps.ranking
        codes = self.ranking.size * len(model.phases)
        if codes > MOST_CODES:
            raise ValueError(f"{codes} possible states, at most {MOST_CODES} are supported")
        self.distance: npt.NDArray[np.int16] = np.full(codes, -1, dtype=np.int16)
        self.parent: npt.NDArray[np.int32] = np.full(codes, -1, dtype=np.int32)
        self.transitions = 0
        self.moves: dict[str, Ints] = {}
        self.most_moves: dict[str, tuple[int, int, int]] = {}
        self._stuck: list[Ints] = []
        self._lost: list[Ints] = []
        self._sources: tuple[Ints, Ints] | None = None

    def run(self) -> None:
        """Reach everything."""
        frontier = np.array([self.code_of(self.model.start)])
        self.distance[frontier] = 0
        distance = 0
        while len(frontier):
            distance += 1
            found = [self._take(codes, batch, distance) for codes, batch in self.steps.layer(frontier)]
            frontier = np.sort(np.concatenate(found)) if found else frontier[:0]

    def _take(self, codes: Ints, batch: Batch, distance: int) -> Ints:
        """Count a batch of steps and return the codes it reaches first."""
        self.transitions += len(batch.source)
        if len(batch.stuck):
            self._stuck.append(codes[batch.stuck])
        self._check_conserved(codes, batch)
        targets = self.ranking.ranks(batch.rows) + batch.phase * self.ranking.size
        self._count_moves(codes, batch, targets)
        new = np.flatnonzero(self.distance[targets] < 0)
        reached, first = np.unique(targets[new], return_index=True)
        self.distance[reached] = distance
        self.parent[reached] = codes[batch.source[new[first]]]
        return reached

    def _check_conserved(self, codes: Ints, batch: Batch) -> None:
        """What runs after a step is what ran before it, and the instance that came, without the one that left."""
        encoding, event = self.steps.compositions, batch.event
        change = {"arrive": 1, "place": 1, "depart": -1, "remove": -1, "compact": 0}[event.kind]
        if self._sources is None or self._sources[0] is not codes:
            self._sources = codes, encoding.keys(self.ranking.rows(codes % self.ranking.size))
        before = self._sources[1][batch.source] + change * encoding.unit[event.gpus]
        lost = encoding.keys(batch.rows) != before
        if lost.any():
            self._lost.append(np.unique(codes[batch.source[lost]]))

    def _count_moves(self, codes: Ints, batch: Batch, targets: Ints) -> None:
        if not len(batch.moves):
            return
        kind = batch.event.kind
        counted = np.bincount(batch.moves).astype(np.int64)
        before = self.moves.get(kind, np.zeros(1, dtype=np.int64))
        self.moves[kind] = np.zeros(max(len(counted), len(before)), dtype=np.int64)
        self.moves[kind][: len(before)] += before
        self.moves[kind][: len(counted)] += counted
        most = int(batch.moves.max())
        if most > self.most_moves.get(kind, (-1, 0, 0))[0]:
            k = int(batch.moves.argmax())
            self.most_moves[kind] = (most, int(codes[batch.source[k]]), int(targets[k]))

    # -- codes and states -------------------------------------------------------------------------------------------

    def code_of(self, state: CountState) -> int:
        """The code of a state."""
        return self.model.phases.index(state.phase) * self.ranking.size + self.ranking.rank_of(state.nodes)

    def state_of(self, code: int) -> CountState:
        """The state with a code."""
        phase, rank = divmod(code, self.ranking.size)
        nodes: Nodes = tuple(self.ranking.rows(np.array([rank]))[:, 0].tolist())
        return CountState(nodes, self.model.phases[phase])

    def path(self, code: int) -> list[tuple[CountEvent, CountState]]:
        """A shortest path from the empty cluster: each event with the state it leads to."""
        states = [self.state_of(code)]
        while (code := int(self.parent[code])) >= 0:
            states.append(self.state_of(code))
        states.reverse()
        return [(self._step(one, two).event, two) for one, two in itertools.pairwise(states)]

    def _step(self, one: CountState, two: CountState) -> Successor:
        return next(step for step in self.model.successors(one) if step.state == two)

    def reached(self) -> Ints:
        """The codes of all reached states, in increasing order; settled ones first."""
        return np.flatnonzero(self.distance >= 0)

    def settled(self) -> Ints:
        """The codes (ranks) of the reached settled states."""
        return np.flatnonzero(self.distance[: self.ranking.size] >= 0)

    # -- what was found ---------------------------------------------------------------------------------------------

    def report(self, claims: Mapping[str, Predicate], started: float) -> Exploration:
        """Measure every settled state and check the claims."""
        model = self.model
        settled = self.settled()
        measured = _Maxima(self)
        violations: dict[str, list[Ints]] = {name: [] for name in claims}
        for rows, ranks in self._chunks(settled):
            states = States(rows, self.setting)
            measured.take(states, ranks)
            for name, predicate in claims.items():
                violations[name].append(ranks[~predicate(states)])
        stuck, lost = _distinct(self._stuck), _distinct(self._lost)
        counts = {name: self._claim(name, len(settled), np.concatenate(codes)) for name, codes in violations.items()}
        counts["progress"] = self._claim("progress", len(self.reached()), stuck)
        counts["conservation"] = self._claim("conservation", len(self.reached()), lost)
        return Exploration(
            variant=model.variant,
            readings=model.readings_text,
            capacity=model.geometry.capacity,
            widths=model.geometry.widths,
            nodes=model.nodes,
            open_nodes=model.open_nodes,
            sizes=model.sizes,
            states=len(settled),
            all_states=len(self.reached()),
            transitions=self.transitions,
            depth=int(self.distance[settled].max()),
            stuck=len(stuck),
            max_partial=measured.value("partial"),
            max_avoidable=measured.value("avoidable"),
            max_partial_wcc=measured.value("partial_wcc"),
            max_avoidable_wcc=measured.value("avoidable_wcc"),
            moves={kind: tuple(histogram.tolist()) for kind, histogram in sorted(self.moves.items())},
            witnesses={**measured.witnesses(), **self._move_witnesses()},
            claims=counts,
            seconds=time.perf_counter() - started,
        )

    @cached_property
    def setting(self) -> Setting:
        """What predicates are evaluated in."""
        model, encoding = self.model, self.steps.compositions
        return Setting(
            geometry=model.geometry,
            nodes=model.nodes,
            open_nodes=model.open_nodes,
            sizes=model.sizes,
            facts=NodeFacts.of(model.geometry, model.type_sizes, model.type_vacancy),
            compositions=encoding,
            phi=PhiTable(encoding, model.nodes, model.sizes),
            admits=self.steps.admitted if isinstance(self.steps, SettledSteps) else None,
        )

    def witness(self, code: int, value: int) -> Witness:
        """A state with the path to it."""
        state = self.state_of(code)
        path = tuple(str(event) for event, _ in self.path(code))
        return Witness(value, state, self.model.describe(state.nodes), path)

    def _chunks(self, ranks: Ints) -> Iterator[tuple[Rows, Ints]]:
        for start in range(0, len(ranks), CHUNK):
            part = ranks[start : start + CHUNK]
            yield self.ranking.rows(part), part

    def _claim(self, name: str, states: int, codes: Ints) -> ClaimCount:
        witness = None
        if len(codes):
            nearest = int(codes[self.distance[codes].argmin()])
            witness = self.witness(nearest, int(self.distance[nearest]))
        return ClaimCount(name, states, len(codes), witness)

    def _move_witnesses(self) -> dict[str, Witness]:
        found = {}
        for kind, (moves, source, target) in sorted(self.most_moves.items()):
            before = self.witness(source, moves)
            one, two = self.state_of(source), self.state_of(target)
            steps = [step for step in self.model.successors(one) if step.state == two and step.event.kind == kind]
            event = max(steps, key=lambda step: step.moves).event
            text = f"{before.text} -> {self.model.describe(two.nodes)}"
            found[f"moves of {kind}"] = Witness(moves, two, text, (*before.path, str(event)))
        return found


def _distinct(parts: list[Ints]) -> Ints:
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)


MOST_CODES = 2**31 - 1
"""Parents are 32-bit numbers."""


class _Maxima:
    """Largest values, each with a state that is reached first among those that have it."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._best: dict[str, tuple[int, int, int]] = {}

    def take(self, states: States, ranks: Ints) -> None:
        every = np.ones(len(ranks), dtype=bool)
        for name, values, mask in (
            ("partial", states.partial, every),
            ("avoidable", states.avoidable, every),
            ("partial_wcc", states.partial, states.wcc),
            ("avoidable_wcc", states.avoidable, states.wcc),
        ):
            chosen = np.flatnonzero(mask)
            if len(chosen):
                most = int(values[chosen].max())
                candidates = ranks[chosen[values[chosen] == most]]
                nearest = int(candidates[self._search.distance[candidates].argmin()])
                key = (most, -int(self._search.distance[nearest]), -nearest)
                self._best[name] = max(self._best.get(name, key), key)

    def value(self, name: str) -> int:
        return self._best[name][0]

    def witnesses(self) -> dict[str, Witness]:
        return {name: self._search.witness(-code, value) for name, (value, _, code) in self._best.items()}
