"""Capacity, membership and legality of single moves, by walking every entry of the tables: finite, so for every N.

What an operator does to a cluster is what an entry does to one or two of its nodes. So if every entry starts and ends
in shapes, and every single step of its plan too, then no node ever holds more than G busy GPUs or leaves the space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from compass.discipline import SETTLED, STRAY
from compass.plans import Plan, PlanTable
from compass.shapes import Shape
from verification.claims_settled import arriving
from verification.smt_model import Model


def table_faults(model: Model, plans: PlanTable | None = None) -> list[str]:
    """What is wrong with the tables of a variant; empty where every entry is legal.

    Checked: shapes hold at most G GPUs and G of width; ``plus`` and ``minus`` add and remove just one instance; a plan
    for any two open, stray or empty nodes, or for one and a donor, with any arriving anchor, is legal after each step,
    installs the anchor once, keeps all other instances, ends in its stated shapes with its stated number of moves, with
    exclusion, no stray and at most one node of each open kind.
    """
    plans = plans or PlanTable(model.discipline)
    return [*_shape_faults(model), *_plan_faults(model, plans)]


def _shape_faults(model: Model) -> Iterator[str]:
    geometry, capacity = model.geometry, model.geometry.capacity
    for s in model.table:
        anchors = [g for g in s.sizes if g > 1]
        width = sum(geometry.slot_width(g) for g in anchors)
        ones = s.sizes.count(1)
        inside = min(ones, width - sum(anchors))
        facts = (sum(s.sizes), width, ones - inside, width - sum(anchors) - inside, max(width, sum(s.sizes)))
        if facts != (s.load, s.anchor_width, s.free, s.vacancy, s.width) or s.width > capacity:
            yield f"{s}: its figures are not those of its instances"
        for g in geometry.sizes:
            larger, smaller = s.plus[g], s.minus[g]
            if larger is not None and Counter(larger.sizes) != Counter([*s.sizes, g]):
                yield f"{s}: plus {g} is {larger}"
            if smaller is not None and Counter([*smaller.sizes, g]) != Counter(s.sizes):
                yield f"{s}: minus {g} is {smaller}"


def _plan_faults(model: Model, plans: PlanTable) -> Iterator[str]:
    for pair in model.pairs():
        for gpus in (0, *arriving(model)):
            plan = plans.plan(*pair, gpus)
            fault = _fault(model, pair, gpus, plan) if plan else None
            if fault:
                yield f"plan for {pair[0]}, {pair[1]} and {gpus or 'no'} GPUs: {fault}"


def _fault(model: Model, pair: tuple[Shape, Shape], gpus: int, plan: Plan) -> str | None:
    nodes: list[Shape] = list(pair)
    installed = moved = 0
    for step in plan.steps:
        target = step.source if step.install else 1 - step.source
        if not step.install:
            smaller = nodes[step.source].minus[step.gpus]
            if smaller is None:
                return f"{step}: no such instance on {nodes[step.source]}"
            nodes[step.source] = smaller
            moved += 1
        else:
            installed += step.gpus
        larger = nodes[target].plus[step.gpus]
        if larger is None:
            return f"{step}: does not go with {nodes[target]}"
        nodes[target] = larger
    if (tuple(nodes), moved, installed) != (plan.result, plan.moves, gpus):
        return f"ends in {nodes} after {moved} moves with {installed} GPUs installed"
    kinds = [model.kind(s) for s in nodes]
    if STRAY in kinds or (kinds[0] == kinds[1] != SETTLED):
        return f"ends in {nodes}, which are not settled"
    if any(s.vacancy for s in nodes) and any(s.free for s in nodes):
        return f"ends in {nodes} with vacancy beside a free instance"
    return None
