"""Job-level explorer: every history of jobs up to a size, on the executable scheduler.

A history is a sequence of arrivals and departures from the empty cluster. Histories that lead to the same concrete
state, up to the names of jobs (and, with ``symmetric``, up to the order of nodes), are followed once. The smallest
history that breaks a claim has the fewest events, then the fewest instances, then the least total GPUs; it is found by
going through the histories in that order.

The state of a printed scheduler includes its slots and the order of instances within them, so two histories are merged
only when the scheduler cannot tell them apart. Ties between nodes are broken by index, so ``symmetric`` may merge
states that go on differently; tests compare it with the plain search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from compass.errors import NeverFits, NoLegalDestination
from compass.events import Arrive, Depart, Event, job_of
from compass.printed import Printed
from compass.scheduler import Scheduler, apply_event
from compass.settled import SettledScheduler
from verification.job_claims import Outcome, Predicate

Factory = Callable[[], Scheduler]
NodeKey = tuple[tuple[str, int, int], ...]
"""A node as (job, gpus, slot) for each instance in order; slot is -1 outside of any."""


@dataclass(frozen=True)
class Violation:
    """A history that breaks a claim: its events, the sentence that says why, and how many states were looked at."""

    events: tuple[Event, ...]
    reason: str
    states: int

    @property
    def instances(self) -> int:
        """Instances that arrive in the history."""
        return number_of_instances(self.events)

    @property
    def gpus(self) -> int:
        """GPUs that arrive in the history."""
        return number_of_gpus(self.events)


@dataclass(frozen=True)
class Exhausted:
    """No history within the bounds breaks the claim."""

    events: int
    states: int


def smallest_violation(
    make: Factory,
    breaks: Predicate,
    sizes: Sequence[int],
    max_events: int,
    *,
    symmetric: bool = False,
) -> Violation | Exhausted:
    """The smallest history of at most ``max_events`` events that breaks a claim on ``make()``'s cluster.

    Args:
        make: a new scheduler on an empty cluster of a fixed number of nodes.
        breaks: the claim.
        sizes: demands of arriving instances.
        max_events: bound on the length.
        symmetric: merge states that differ in the order of nodes only.

    Cost: exponential in ``max_events``; states and histories are kept for one number of instances at a time.
    """
    probe = make()
    if probe.nodes is None:
        raise ValueError("a bounded cluster is needed")
    room = probe.geometry.capacity * probe.nodes
    states = 0
    for length in range(1, max_events + 1):
        for instances in range(1, room * length + 1):
            search = _Search(make, breaks, sizes, room=room, length=length, instances=instances, symmetric=symmetric)
            found = search.run()
            states += search.states
            if found is not None:
                return Violation(*found, states)
            if instances >= length and not search.reached:
                break  # some arrival has several instances: one fewer would have fitted, so more do not either
    return Exhausted(max_events, states)


def smallest_over(
    makes: Sequence[Factory], breaks: Predicate, sizes: Sequence[int], max_events: int, *, symmetric: bool = False
) -> Violation | Exhausted:
    """The smallest history over several schedulers, as over every tie-break of one; the first of equals.

    Cost: that of :func:`smallest_violation` for each, where none has to look at longer histories than the best so far.
    """
    best: Violation | Exhausted = Exhausted(max_events, 0)
    for make in makes:
        longest = len(best.events) if isinstance(best, Violation) else max_events
        found = smallest_violation(make, breaks, sizes, longest, symmetric=symmetric)
        if isinstance(found, Violation) and (isinstance(best, Exhausted) or _size(found) < _size(best)):
            best = found
    return best


def _size(violation: Violation) -> tuple[int, int, int]:
    return len(violation.events), violation.instances, violation.gpus


def replayed(make: Factory, events: Sequence[Event]) -> tuple[Scheduler, Outcome]:
    """Play a history; returns the scheduler after it and the outcome of the last event.

    An event before the last that raises a finding is an error.
    """
    scheduler = make()
    outcome = Outcome(events[0], False)
    for index, event in enumerate(events):
        try:
            outcome = Outcome(event, apply_event(scheduler, event).admitted)
        except NoLegalDestination as finding:
            if index < len(events) - 1:
                raise
            outcome = Outcome(event, False, str(finding))
    return scheduler, outcome


class _Search:
    """Histories of exactly ``length`` events and ``instances`` arriving instances, breadth first."""

    def __init__(
        self,
        make: Factory,
        breaks: Predicate,
        sizes: Sequence[int],
        *,
        room: int,
        length: int,
        instances: int,
        symmetric: bool,
    ) -> None:
        self._make = make
        self._breaks = breaks
        self._sizes = sorted(sizes)
        self._room = room
        self._length = length
        self._instances = instances
        self._symmetric = symmetric
        self.states = 0
        self.reached = False

    def run(self) -> tuple[tuple[Event, ...], str] | None:
        """The least history by GPUs, then in lexicographic order of its events."""
        layer: list[tuple[Event, ...]] = [()]
        best: tuple[int, tuple[Event, ...], str] | None = None
        for depth in range(self._length):
            last = depth == self._length - 1
            seen: dict[object, tuple[int, tuple[Event, ...]]] = {}
            for history in layer:
                for event in self._events(history, self._length - depth):
                    longer = (*history, event)
                    try:
                        scheduler, outcome = replayed(self._make, longer)
                    except NeverFits:
                        continue
                    self.states += 1
                    gpus = number_of_gpus(longer)
                    if last:
                        self.reached = True
                        reason = self._breaks(scheduler, outcome)
                        if reason is not None and (best is None or gpus < best[0]):
                            best = (gpus, longer, reason)
                    elif outcome.finding is None and (outcome.admitted or isinstance(event, Depart)):
                        key = (state_key(scheduler, symmetric=self._symmetric), number_of_instances(longer))
                        if key not in seen or gpus < seen[key][0]:
                            seen[key] = (gpus, longer)
            layer = [history for _, history in seen.values()]
        return None if best is None else best[1:]

    def _events(self, history: tuple[Event, ...], events_left: int) -> Iterator[Event]:
        """Every event that can follow and still leads to the wanted number of instances."""
        running: dict[str, Arrive] = {}
        for event in history:
            if isinstance(event, Arrive):
                running[event.job] = event
            else:
                del running[event.job]
        left = self._instances - number_of_instances(history)
        if left == 0 or events_left > 1:
            for job in running:
                yield Depart(job)
        free = self._room - sum(job.gpus * job.instances for job in running.values())
        name = f"j{sum(isinstance(event, Arrive) for event in history)}"
        for gpus in self._sizes:
            for number in range(1, min(left, free // gpus) + 1):
                if events_left > 1 or number == left:
                    yield Arrive(name, gpus, number)


def state_key(scheduler: Scheduler, *, symmetric: bool = False) -> tuple[NodeKey, ...]:
    """The concrete state up to the names of jobs, and up to the order of nodes where ``symmetric``.

    Jobs are renamed in the order in which they are met; with ``symmetric`` the least renamed form over all orders of
    the nodes is taken, so the cost grows with N factorial.
    """
    nodes = _nodes(scheduler)
    if not symmetric:
        return _renamed(nodes)
    return min(_renamed(order) for order in permutations(nodes))


def _nodes(scheduler: Scheduler) -> list[NodeKey]:
    if isinstance(scheduler, SettledScheduler):
        contents = [
            tuple((instance.job, instance.gpus, -1) for instance in content) for content in scheduler.board.contents
        ]
        return contents + [()] * ((scheduler.nodes or 0) - len(contents))
    if isinstance(scheduler, Printed):
        keys: list[NodeKey] = []
        for node in scheduler.state().nodes:
            slots = getattr(node, "slots", ())
            inside = [
                (job_of(name), slot.anchor.gpus if name == slot.anchor.name else 1, index)
                for index, slot in enumerate(slots)
                for name in (slot.anchor.name, *slot.fillers)
            ]
            keys.append(tuple(inside) if slots else tuple((job_of(name), 1, -1) for name in node.names))
        return keys
    return [tuple((job, gpus, -1) for job, gpus in node.instances) for node in scheduler.snapshot().nodes]


def _renamed(nodes: Sequence[NodeKey]) -> tuple[NodeKey, ...]:
    names: dict[str, str] = {}
    return tuple(
        tuple((names.setdefault(job, f"{len(names):03}"), gpus, slot) for job, gpus, slot in node) for node in nodes
    )


def number_of_instances(history: Sequence[Event]) -> int:
    """Instances that arrive in a history."""
    return sum(event.instances for event in history if isinstance(event, Arrive))


def number_of_gpus(history: Sequence[Event]) -> int:
    """GPUs that arrive in a history."""
    return sum(event.instances * event.gpus for event in history if isinstance(event, Arrive))
