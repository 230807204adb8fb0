"""Facts of the design that rest on lists of cases, counted again.

* `unified`: in every placement in which exclusion holds, whatever is open in it, every instance whose arrival leaves
  ``max(W, T) <= G N`` is admitted, by steps that an independent list of nodes can follow.
* The most moves that merge two open nodes, by the sizes on them.
* `repaired`: ``T <= G (N - 1)`` alone does not give a place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, combinations_with_replacement, count

from compass.composition import Composition
from compass.discipline import unified_discipline
from compass.events import Decision, Move
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.repaired import Repaired
from compass.shapes import Shape, shape_table
from compass.snapshot import Snapshot
from compass.unified import Unified
from verification.figures import Found
from verification.making_room import keeps_exclusion
from verification.packings import outcomes


def every_arrival_is_placed(nodes: int, capacity: int = 8) -> Found:
    """Every placement up to the order of nodes, every size: cases, most moves of the scheduler, most that are needed.

    ``needed`` is the largest number of moves that the shortest plan of a case has, where the state after it is to keep
    exclusion; the scheduler, which plans for two nodes at a time, may move more. Cost: 5290 cases for two nodes of 8,
    124077 for three.
    """
    geometry = Geometry(capacity)
    cases = most = needed = 0
    for shapes in _exclusive(geometry, nodes):
        snapshot = Snapshot.of([shape.sizes for shape in shapes], capacity)
        counts = Counter(chain.from_iterable(shape.sizes for shape in shapes))
        for gpus in geometry.sizes:
            if _width(counts + Counter([gpus]), capacity) > capacity * nodes:
                continue
            scheduler = Unified(nodes, geometry, None)
            scheduler.load(snapshot)
            decision = scheduler.arrive("new", gpus)
            if not decision.admitted or not _can_follow(snapshot, decision, gpus):
                return False, f"{[shape.sizes for shape in shapes]}, {gpus} GPUs: {decision}", {}
            moves = len(decision.moves)
            cases, most = cases + 1, max(most, moves)
            if moves > needed:
                needed = max(needed, _fewest_moves(shapes, gpus))
    numbers = {"cases": cases, "most": most, "needed": needed}
    return True, f"{cases} cases, at most {needed} moves are needed, at most {most} made", numbers


def _fewest_moves(shapes: tuple[Shape, ...], gpus: int) -> int:
    """Of the plans that place an instance, one legal move at a time, the fewest moves; some plan exists."""
    layer = {tuple(sorted(shapes, key=_index))}
    seen = set(layer)
    for moves in count():
        if any(keeps_exclusion(after) for state in layer for after in _with(state, gpus)):
            return moves
        layer = {after for state in layer for after in _moved(state)} - seen
        seen |= layer
    raise AssertionError("unreachable")


def _index(shape: Shape) -> int:
    return shape.index


def _with(state: tuple[Shape, ...], gpus: int) -> Iterator[tuple[Shape, ...]]:
    """One more instance on one of the nodes."""
    for k, shape in enumerate(state):
        if (more := shape.plus[gpus]) is not None:
            yield (*state[:k], more, *state[k + 1 :])


def _moved(state: tuple[Shape, ...]) -> Iterator[tuple[Shape, ...]]:
    """One instance moves to another node."""
    for k, shape in enumerate(state):
        for gpus in set(shape.sizes):
            for others in _with((*state[:k], *state[k + 1 :]), gpus):
                less = shape.minus[gpus]
                assert less is not None
                yield tuple(sorted((*others, less), key=_index))


def _exclusive(geometry: Geometry, nodes: int) -> Iterator[tuple[Shape, ...]]:
    for shapes in combinations_with_replacement(shape_table(geometry), nodes):
        if keeps_exclusion(shapes):
            yield shapes


def _width(counts: Counter[int], capacity: int) -> int:
    """``max(W, T)``: the GPUs in slots, the next power of two of each anchor's, or the busy ones if those are more."""
    slots = sum(n * min(width for width in (2, 4, 8, 16) if g <= width) for g, n in counts.items() if g > 1)
    return max(slots, sum(g * n for g, n in counts.items()))


def _can_follow(snapshot: Snapshot, decision: Decision, gpus: int) -> bool:
    """Whether lists of instances that know nothing but the capacity can take every step, and the new one ends there."""
    held = [{f"{job}/0": size for job, size in node.instances} for node in snapshot.nodes]
    for step in decision.steps:
        size = held[step.source].pop(step.instance) if isinstance(step, Move) else gpus
        held[step.target if isinstance(step, Move) else step.node][step.instance] = size
        if any(sum(node.values()) > (snapshot.capacity or 0) for node in held):
            return False
    return sum("new/0" in node for node in held) == 1


def most_merge_moves(sizes: Sequence[int], capacity: int = 8) -> Found:
    """The most moves of a shortest plan after which of two open nodes with these sizes at most one is open."""
    discipline = unified_discipline(Geometry(capacity))
    plans = PlanTable(discipline)
    shapes = [shape for shape in discipline.table if shape.open and set(shape.sizes) <= set(sizes)]
    moves = []
    for first, second in chain(combinations(shapes, 2), zip(shapes, shapes, strict=True)):
        if not keeps_exclusion((first, second)):
            continue
        plan = plans.plan(first, second)
        if plan is None or sum(shape.open for shape in plan.result) > 1:
            return False, f"{first} and {second}: {plan}", {}
        moves.append(plan.moves)
    return True, f"{len(moves)} pairs, at most {max(moves)} moves", {"pairs": len(moves), "most": max(moves)}


def demand_alone_is_not_enough(nodes: int = 5) -> Found:
    """``T <= G (N - 1)`` holds for one 5 more than there are nodes, and no packing on N nodes of 8 has them."""
    running = Composition(Geometry(), {5: nodes + 1})
    fewest = min(used for used, _ in outcomes((5,) * (nodes + 1), 8))
    holds = running.total <= 8 * (nodes - 1) and fewest > nodes and not Repaired(nodes).admits(running)
    return (
        holds,
        f"{nodes + 1} fives: T = {running.total}, A = {running.anchor_width}, {fewest} nodes needed",
        {
            "total": running.total,
            "width": running.anchor_width,
            "nodes": fewest,
        },
    )
