"""Evidence that is a function: each returns whether the claim holds, a sentence, and the numbers it found."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from compass.events import Decision
from compass.geometry import CAPACITIES, Geometry
from compass.printed import Printed
from compass.readings import Readings
from verification.agree import agree
from verification.count_explorer import Model
from verification.count_model import repaired_model, unified_model
from verification.count_printed import PrintedModel
from verification.evidence import PREDICATES
from verification.jobs import Violation, smallest_violation
from verification.obligations import model_of
from verification.symbolic import wcc_forms
from verification.table_check import table_faults

Found = tuple[bool, str, dict[str, int]]

SHARES = (38, 4, 1, 6, 1, 1, 1, 48)
"""Weights of the sizes 1..8 in random events: about those of the Venus trace, with more unfriendly sizes."""


def wcc_forms_agree() -> Found:
    """WCC derived from the widths; both forms are the same polynomial up to a positive factor, for every capacity.

    The coefficients found are those that the core uses, and for G = 8 those of eq. 9, ``p3 + 3 p5 + 2 p6 + p7``.
    """
    forms = {capacity: wcc_forms(Geometry(capacity)) for capacity in CAPACITIES}
    agree = all(form.equivalent for form in forms.values()) and forms[8].coefficients == {3: 1, 5: 3, 6: 2, 7: 1}
    for capacity, form in forms.items():
        core = Geometry(capacity).wcc_coefficients
        agree = agree and form.coefficients == {g: c for g, c in enumerate(core) if c}
    shown = ", ".join(f"{c} p{g}" if c > 1 else f"p{g}" for g, c in sorted(forms[8].coefficients.items()))
    return (
        agree,
        f"coefficients for G = 8: {shown}",
        {f"g{capacity}": len(f.coefficients) for capacity, f in forms.items()},
    )


def tables_are_legal(variant: str, capacities: list[int]) -> Found:
    """Every entry of the step and plan tables keeps both nodes within capacity and widths after every single move."""
    models = {capacity: model_of(variant, Geometry(capacity)) for capacity in capacities}
    faults = [f"G = {capacity}: {fault}" for capacity, model in models.items() for fault in table_faults(model)]
    return not faults, faults[0] if faults else f"tables for G = {capacities} walked", {}


def models_agree(variant: str, nodes: int, **options: int) -> Found:
    """Every step of the scheduler from states of N nodes is a step of the count model, and every step of it is taken.

    ``open_nodes`` is the dial; the other options are those of :func:`verification.agree.agree`. ``tied`` steps of the
    model no run can take: they break ties by two orders of the nodes in one event, where the code has one.
    """
    open_nodes, tied = options.pop("open_nodes", 1), options.pop("tied", 0)
    model: Model
    if variant == "printed":
        model = PrintedModel(nodes)
    else:
        model = repaired_model(nodes) if variant == "repaired" else unified_model(nodes, open_nodes)
    found = agree(model, **options)
    good = found.disagreement is None and found.missed == tied
    extent = "all states and orders" if found.exhaustive else f"{found.missed} of them missed"
    if found.first_missed:
        extent += f", the first {found.first_missed}"
    detail = found.disagreement or f"{found.states} states, {found.runs} runs, {found.steps} steps, {extent}"
    return good, detail, {"states": found.states, "steps": found.steps, "missed": found.missed}


def no_history_breaks(predicate: str, nodes: int, sizes: list[int], events: int, readings: Sequence[str] = ()) -> Found:
    """No history of `printed` with instances of these sizes alone breaks a claim: a predicate does not always bite."""
    make = partial(Printed, nodes, readings=Readings.parse(readings))
    found = smallest_violation(make, PREDICATES[predicate], sizes, events)
    if isinstance(found, Violation):
        return False, f"{found.events} breaks {predicate}: {found.reason}", {}
    return True, f"{found.states} histories of at most {events} events", {"histories": found.states}


def operator_moves(sizes: list[int], events: int, share: int = 0) -> Found:
    """Most instances that one event of `printed` moves, over random jobs that keep N nodes at nine tenths load.

    Jobs have one instance, or, with a ``share``, up to N / share instances.
    """
    numbers: dict[str, int] = {}
    for nodes in sizes:
        most = max(1, nodes // share) if share else 1
        numbers[f"n{nodes}"] = max(len(decision.moves) for decision in _random_decisions(nodes, events, most))
    grows = ", ".join(f"N = {nodes}: {numbers[f'n{nodes}']}" for nodes in sizes)
    return True, f"most moves of one event: {grows}", numbers


def _random_decisions(nodes: int, events: int, most: int) -> list[Decision]:
    rng = random.Random(nodes)
    scheduler = Printed(nodes)
    running: list[str] = []
    decisions: list[Decision] = []
    for number in range(events):
        if scheduler.running.total > 7 * nodes and running:
            job = running.pop(rng.randrange(len(running)))
            decisions.append(scheduler.depart(job))
        else:
            gpus = rng.choices(range(1, 9), SHARES)[0]
            decision = scheduler.arrive(f"j{number}", gpus, rng.randint(1, most) if most > 1 else 1)
            decisions.append(decision)
            if decision.admitted:
                running.append(f"j{number}")
    return decisions
