"""Claims as predicates over one concrete state: each says in a sentence why the state breaks it, or None.

These are the statements a history of jobs can refute. They read the scheduler's own state only through its snapshot,
its running composition and, for the printed algorithm, its Anchor-Based state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from compass.errors import InvariantViolated
from compass.events import Arrive, Event
from compass.phi import min_partial_nodes
from compass.printed import Printed
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


PREDICATES: dict[str, Predicate] = {
    "prop-1": prop_1,
    "theorem-1": theorem_1,
    "at-most-three": at_most_three,
    "theorem-1-structure": theorem_1_structure,
    "saturation": saturation,
    "pool-pass": pool_pass,
    "slotted-pass": slotted_pass,
    "no-waiting": no_waiting,
}
"""The predicates by the id of their claim."""


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
