"""The printed formulas say what the tables say: guards and effects of steps, evaluated on concrete states.

Solvers see one formula for a whole table, with entries put together by effect and by partner. Here that formula is
evaluated, without a solver, on every small state: a step is enabled just where some entry finds its nodes, and has just
the effects of the entries that do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations_with_replacement

from compass.geometry import Geometry
from compass.shapes import Shape
from verification.claims_settled import all_departures, arriving
from verification.figures import Found, first_fault
from verification.obligations import model_of
from verification.smt_model import Entry, Model, State, sums
from verification.smt_terms import Script, evaluate

NAMES = ("nodes", "vacancy", "free", "demand", "partial", "open")
"""The sums whose changes are looked at."""


def translation_holds(variant: str, capacity: int = 4, nodes: int = 2, every: int = 12) -> Found:
    """Guards on every state of at most ``nodes`` nodes, effects on every ``every``-th of them."""
    return first_fault(_faults(model_of(variant, Geometry(capacity)), nodes, every), "steps of states")


def _faults(model: Model, nodes: int, every: int) -> Iterator[str | None]:
    hosts = chain.from_iterable([*model.single_hosts(g), *model.paired_hosts(g)] for g in arriving(model))
    fillers = [*model.filler_vacant(), *model.filler_open(), *model.filler_empty()]
    tables = {"place": [*fillers, *hosts], "refill": model.refills, "merge": model.merges}
    tables["depart"] = all_departures(model)
    every_size = (combinations_with_replacement(model.table, number) for number in range(1, nodes + 1))
    states = [Counter(shapes) for shapes in chain.from_iterable(every_size)]
    for what, entries in tables.items():
        state, asked = State(model, Script()), State(model, Script())
        guard = asked.enabled(entries)
        state.step(entries, NAMES)
        effects = sorted({_effect(model, entry) for entry in entries})
        for number, counts in enumerate(states):
            there = [entry for entry in entries if Counter(entry.before) <= counts]
            enabled = evaluate(guard, asked.values(counts))
            yield None if enabled == bool(there) else f"{what} from {_text(counts)}: enabled says {enabled}"
            if number % every == 0:
                yield from _effect_faults(what, state, counts, {_effect(model, entry) for entry in there}, effects)


def _effect_faults(
    what: str, state: State, counts: Counter[Shape], there: set[tuple[int, ...]], effects: list[tuple[int, ...]]
) -> Iterator[str | None]:
    for effect in effects:
        change = {f"d_{name}": value for name, value in zip(NAMES, effect, strict=True)}
        possible = state.script.holds(state.values(counts) | change)
        yield None if possible == (effect in there) else f"{what} from {_text(counts)}: effect {change} is {possible}"


def _effect(model: Model, entry: Entry) -> tuple[int, ...]:
    weights = sums(model)
    return tuple(
        sum(weights[name](s) for s in entry.after) - sum(weights[name](s) for s in entry.before) for name in NAMES
    )


def _text(counts: Counter[Shape]) -> str:
    return " ".join(map(str, counts.elements()))
