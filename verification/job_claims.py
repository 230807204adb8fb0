"""Claims as predicates over one concrete state: each says in a sentence why the state breaks it, or None.

These are the statements a history of jobs can refute. They read the scheduler's own state only through its snapshot,
its running composition and, for the printed algorithm, its Anchor-Based state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

from compass.errors import InvariantViolated
from compass.events import Arrive, Event
from compass.geometry import Geometry
from compass.phi import min_partial_nodes
from compass.printed import Printed
from compass.repaired import Repaired
from compass.scheduler import Scheduler
from compass.settled import SettledScheduler
from compass.space import AbsState, PoolNode, SlottedNode
from compass.unified import Unified


class Outcome(NamedTuple):
    """What an event did: the event, whether it was admitted, and the finding it raised, if any."""

    event: Event
    admitted: bool
    finding: str | None = None


Predicate = Callable[[Scheduler, Outcome], str | None]


def prop_1(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Every event leads from Sigma to Sigma: it can be carried out, and the state after it is legal."""
    if outcome.finding is not None:
        return f"the event cannot be carried out: {outcome.finding}"
    try:
        scheduler.check()
    except InvariantViolated as error:
        return f"the state is not in Sigma: {error}"
    return None


def theorem_1(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Under WCC, SIF <= 2/N; for `unified` SIF <= m/N, and 0 for m = 1."""
    if outcome.finding is not None or not scheduler.running.wcc:
        return None
    bound: int | None = 2
    if isinstance(scheduler, Unified):
        bound = 0 if scheduler.open_nodes == 1 else scheduler.open_nodes
    return _avoidable_over(scheduler, bound)


def at_most_three(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Under WCC at most three partial nodes are avoidable: a weaker bound than theorem-1's."""
    if outcome.finding is not None or not scheduler.running.wcc:
        return None
    return _avoidable_over(scheduler, 3)


def _avoidable_over(scheduler: Scheduler, bound: int | None) -> str | None:
    nu = scheduler.partial_nodes
    phi = min_partial_nodes(scheduler.running, nodes=scheduler.nodes)
    if bound is None or nu - phi <= bound:
        return None
    found = f"{nu} nodes are partial and Phi* = {phi}: N SIF = {nu - phi} > {bound}"
    return f"WCC holds (slack {scheduler.running.slack}), {found}"


def theorem_1_structure(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Under WCC, at most one slotted and at most one pool node are not full."""
    if outcome.finding is not None or not scheduler.running.wcc:
        return None
    state = _sigma(scheduler)
    return _not_full(state, SlottedNode) or _not_full(state, PoolNode)


def saturation(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Lemma A.2: under WCC every slot with room for fillers is saturated."""
    if outcome.finding is not None or not scheduler.running.wcc:
        return None
    vacancy = scheduler.board.vacancy if isinstance(scheduler, SettledScheduler) else _sigma(scheduler).vacancy
    if not vacancy:
        return None
    return f"WCC holds (slack {scheduler.running.slack}) and {vacancy} GPUs of the slots' vacancy are not filled"


def pool_pass(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Lemma A.3: after the pool pass at most one pool node is not full."""
    return None if outcome.finding is not None else _not_full(_sigma(scheduler), PoolNode)


def slotted_pass(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """Lemma A.4: after the width passes, where all slots are saturated, at most one slotted node is not full."""
    if outcome.finding is not None:
        return None
    state = _sigma(scheduler)
    return _not_full(state, SlottedNode) if state.saturated else None


def no_waiting(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """An arrival is refused only if ``max(W, T) > G N`` after it."""
    event = outcome.event
    if outcome.admitted or not isinstance(event, Arrive) or scheduler.nodes is None:
        return None
    running = scheduler.running
    running.add(event.gpus, event.instances)
    width = running.width
    running.add(event.gpus, -event.instances)
    room = scheduler.geometry.capacity * scheduler.nodes
    return f"the job waits although max(W, T) = {width} <= G N = {room} with it" if width <= room else None


def exclusion(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """No slot has vacancy beside a 1-GPU instance outside of slots; of `printed` with ``refill=text`` only."""
    if outcome.finding is not None or (isinstance(scheduler, Printed) and scheduler.readings.refill != "text"):
        return None
    if isinstance(scheduler, Printed):
        state = _sigma(scheduler)
        vacancy, free = state.vacancy, sum(node.load for node in state.nodes if isinstance(node, PoolNode))
    else:
        spare = [slots - load for slots, load in _slots_and_loads(scheduler)]
        vacancy, free = sum(n for n in spare if n > 0), -sum(n for n in spare if n < 0)
    return f"{vacancy} GPUs of vacancy beside {free} free 1-GPU instances" if vacancy and free else None


def open_nodes(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """`unified`: at most m open nodes; `repaired`: one open slotted, one open pool and no stray node."""
    if isinstance(scheduler, Printed):
        return None
    nodes = _slots_and_loads(scheduler)
    opened = [slots > 0 for slots, load in nodes if 0 < max(slots, load) < scheduler.geometry.capacity]
    if isinstance(scheduler, Unified):
        most = scheduler.open_nodes
        return f"{len(opened)} open nodes, more than {most}" if most is not None and len(opened) > most else None
    stray = sum(0 < slots < load for slots, load in nodes)
    slotted, pool = sum(opened), len(opened) - sum(opened)
    return (
        f"{slotted} open slotted, {pool} open pool, {stray} stray nodes" if max(slotted, pool, stray + 1) > 1 else None
    )


def node_bound(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """`unified`: nu <= m + delta, and for m = 1 under WCC [T mod G != 0]; `repaired`: nu <= 1 + max(1, delta)."""
    running, capacity = scheduler.running, scheduler.geometry.capacity
    if isinstance(scheduler, Printed) or (isinstance(scheduler, Unified) and scheduler.open_nodes is None):
        return None
    bound = 1 + max(1, running.deficit)
    if isinstance(scheduler, Unified) and scheduler.open_nodes is not None:
        bound = scheduler.open_nodes + running.deficit
        if scheduler.open_nodes == 1 and running.wcc:
            bound = int(running.total % capacity != 0)
    loads = [load for _, load in _slots_and_loads(scheduler)]
    partial = sum(0 < load < capacity for load in loads)
    return f"{partial} nodes are partial, more than {bound}; delta = {running.deficit}" if partial > bound else None


def admission(scheduler: Scheduler, outcome: Outcome) -> str | None:
    """`repaired`: who is admitted has a place in Sigma, and keeps one whatever departs; who has is admitted."""
    event, nodes = outcome.event, scheduler.nodes
    if not isinstance(scheduler, Repaired) or not isinstance(event, Arrive) or nodes is None:
        return None
    wanted = Counter(scheduler.running.as_dict())
    wanted[event.gpus] += 0 if outcome.admitted else event.instances
    if has_place(wanted, scheduler.geometry, nodes) == outcome.admitted:
        return None
    return "the job runs without a place in Sigma" if outcome.admitted else "the job waits although Sigma has a place"


def has_place(running: Counter[int], geometry: Geometry, nodes: int) -> bool:
    """``ceil(A/G) + ceil(P/G) <= N`` for these instances by size, and for all that departures of anchors leave of them.

    Anchors of more than G GPUs together, when they leave, make room for the node that may be missing.
    """
    capacity = geometry.capacity
    small = [gpus for gpus in range(2, capacity) for _ in range(min(running[gpus], capacity // gpus))]
    leaving = {left for size in range(capacity // 2 + 1) for left in combinations(small, size)}
    return all(_needed(running - Counter(left), geometry) <= nodes for left in leaving if sum(left) <= capacity)


def _needed(running: Counter[int], geometry: Geometry) -> int:
    slots = sum(n * geometry.slot_width(gpus) for gpus, n in running.items() if gpus > 1)
    pool = running[1] - sum(n * geometry.vacancy(gpus) for gpus, n in running.items() if gpus > 1)
    return -(-slots // geometry.capacity) - (-max(0, pool) // geometry.capacity)


def _slots_and_loads(scheduler: Scheduler) -> list[tuple[int, int]]:
    """Slot width and busy GPUs of each node."""
    width = scheduler.geometry.slot_width
    nodes = [[instance.gpus for instance in node.instances] for node in scheduler.snapshot().nodes]
    return [(sum(width(gpus) for gpus in sizes if gpus > 1), sum(sizes)) for sizes in nodes]


PREDICATES: dict[str, Predicate] = {
    "prop-1": prop_1,
    "theorem-1": theorem_1,
    "at-most-three": at_most_three,
    "theorem-1-structure": theorem_1_structure,
    "saturation": saturation,
    "pool-pass": pool_pass,
    "slotted-pass": slotted_pass,
    "no-waiting": no_waiting,
    "exclusion": exclusion,
    "open-nodes": open_nodes,
    "node-bound": node_bound,
    "admission": admission,
}
"""The predicates by the id of their claim; admission is part of `repaired`'s closure and no-waiting."""


def _sigma(scheduler: Scheduler) -> AbsState:
    if isinstance(scheduler, Printed):
        return scheduler.state()
    return AbsState.from_snapshot(scheduler.snapshot(), scheduler.geometry)


def _not_full(state: AbsState, kind: type[SlottedNode] | type[PoolNode]) -> str | None:
    loads = [f"n{index} with {node.load}" for index, node in enumerate(state.nodes) if _partial(node, kind)]
    name = "slotted" if kind is SlottedNode else "pool"
    return f"{len(loads)} {name} nodes are not full: {', '.join(loads)} busy GPUs" if len(loads) > 1 else None


def _partial(node: object, kind: type[SlottedNode] | type[PoolNode]) -> bool:
    return isinstance(node, kind) and 0 < node.load < node.geometry.capacity
