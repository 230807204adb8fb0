"""Model and code agree: every step of a scheduler, abstracted, is a step of the model, and the other way round.

Each reachable settled state of the model is given to the executable scheduler in every order of its nodes (and, for
``printed``, of the slots on them), or in a seeded sample of orders. Then every event of one instance is carried out
there, and its result, abstracted, must be one of the model's; over all orders the code must show every result of the
model. Jobs of two instances are compared with two steps of the model (inclusion only: jobs do less than the model).

One kind of step is expected to be missed: in one event the code breaks the ties of Place and of Compact by one order of
the nodes, the model by any. Only with ``room=cap cap=nodes`` does that make a difference.

The code is started by its public entrances, ``SettledScheduler.load`` and ``Printed.from_state``; nothing is patched.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from compass.errors import NeverFits, NoLegalDestination
from compass.events import Decision
from compass.printed import Printed
from compass.repaired import Repaired
from compass.settled import SettledScheduler
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.space import AbsState, Anchor, SlotType
from compass.unified import Unified
from verification.count_explorer import Model, Search
from verification.count_model import CountState, Nodes, SettledModel, abstract_settled
from verification.count_printed import Leaving, NodeType, PrintedModel, abstract_printed

Result = tuple[Nodes | None, int]
"""What an event leads to and the moved instances; None where there is no legal destination."""
REFUSED: Result = ((), 0)
"""The result of an arrival that is refused."""


@dataclass(frozen=True)
class Agreement:
    """What a comparison saw.

    Attributes:
        variant: which one.
        nodes: N.
        states: settled states compared.
        runs: events carried out by the code.
        steps: distinct steps of the model from these states, an event with its result each.
        missed: those that no run took (0 is only to be expected over all orders).
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


@dataclass(frozen=True)
class _Case:
    """An event at count level, what the model says, and how code in a concrete state carries it out."""

    event: str
    expected: frozenset[Result]
    runs: Callable[[], Iterator[Result]]
    exact: bool = True
    """Whether the code must show each expected result in some order."""


def agree(model: Model, most_states: int | None = None, most_orders: int | None = None, seed: int = 0) -> Agreement:
    """Compare a model with the code it models.

    Args:
        model: the model; its states are explored first.
        most_states: compare a sample of this many reachable states (None: all).
        most_orders: try a sample of this many orders of a state (None: all).
        seed: of the samples.

    Examples:
        >>> from verification.count_model import repaired_model
        >>> found = agree(repaired_model(1))
        >>> found.states, found.steps, found.missed, found.disagreement
        (34, 318, 0, None)
    """
    chosen = random.Random(seed)
    states, every_state = _states(model, most_states, chosen)
    cases = _printed_cases if isinstance(model, PrintedModel) else _settled_cases
    runs = steps = missed = 0
    first: str | None = None
    every_order = True
    for state in states:
        taken: dict[str, set[Result]] = {}
        wanted: dict[str, frozenset[Result]] = {}
        orders, complete = _orders(model, state.nodes, most_orders, chosen)
        every_order &= complete
        for order in orders:
            for case in cases(model, state.nodes, order):  # type: ignore[arg-type]
                for result in case.runs():
                    runs += 1
                    if result not in case.expected:
                        text = _difference(model, order, case, result)
                        return Agreement(model.variant, model.nodes, len(states), runs, steps, missed, False, text)
                    taken.setdefault(case.event, set()).add(result)
                if case.exact:
                    wanted[case.event] = case.expected
        for event, expected in wanted.items():
            steps += len(expected)
            for result in sorted(expected - taken.get(event, set()), key=str):
                missed += 1
                first = first or f"{model.describe(state.nodes) or '{}'}, {event}: {_text(model, result)}"
    exhaustive = every_state and every_order
    return Agreement(model.variant, model.nodes, len(states), runs, steps, missed, exhaustive, None, first)


def _states(model: Model, most: int | None, chosen: random.Random) -> tuple[list[CountState], bool]:
    search = Search(model)
    search.run()
    codes = search.settled().tolist()
    if most is None or len(codes) <= most:
        return [search.state_of(code) for code in codes], True
    return [search.state_of(code) for code in sorted(chosen.sample(codes, most))], False


_Order = tuple[tuple[int, NodeType | None], ...]
"""The nodes by index: their types and, for ``printed``, their contents with the slots in order."""


def _orders(model: Model, nodes: Nodes, most: int | None, chosen: random.Random) -> tuple[list[_Order], bool]:
    found: list[_Order] = []
    for order in sorted(set(permutations(nodes))):
        if isinstance(model, PrintedModel):
            slots = [sorted(set(permutations(model.types[node].slots))) for node in order]
            ones = [model.types[node].ones for node in order]
            for choice in product(*slots):
                contents = [NodeType(part, k) for part, k in zip(choice, ones, strict=True)]
                found.append(tuple(zip(order, contents, strict=True)))
        else:
            found.append(tuple((node, None) for node in order))
    if most is None or len(found) <= most:
        return found, True
    return chosen.sample(found, most), False


def _difference(model: Model, order: _Order, case: _Case, result: Result) -> str:
    nodes = " ".join(model.describe((node,)) or "{}" for node, _ in order)
    expected = " or ".join(sorted(_text(model, one) for one in case.expected)) or "nothing"
    return f"{model.variant}, nodes {nodes}, {case.event}: code {_text(model, result)}, model {expected}"


def _text(model: Model, result: Result) -> str:
    if result == REFUSED:
        return "refused"
    nodes, moves = result
    contents = "no legal destination" if nodes is None else model.describe(nodes) or "{}"
    return contents if moves < 0 else f"{contents} ({moves} moves)"


def _moves(decision: Decision) -> int:
    return len(decision.moves)


# -- settled variants -------------------------------------------------------------------------------------------------


def _settled_cases(model: SettledModel, nodes: Nodes, order: _Order) -> Iterator[_Case]:
    contents = [list(model.sizes_of(node)) for node, _ in order]
    for gpus in model.sizes:
        for instances in (1, 2):
            expected = _arrivals(model, nodes, gpus, instances)
            run = _settled_arrival(model, contents, gpus, instances)
            yield _Case(f"arrive {instances} x {gpus}", expected, run, instances == 1)
    for gpus in sorted({g for node in contents for g in node}):
        for one, node in enumerate(contents):
            if gpus in node:
                expected = frozenset({_result(model.depart(nodes, order[one][0], gpus))})
                run = _settled_departure(model, contents, gpus, (one,))
                yield _Case(f"depart {gpus} from {model.describe((order[one][0],))}", expected, run)
        pair = [k for k, node in enumerate(contents) for g in node if g == gpus][:2]
        if len(pair) == 2:
            run = _settled_departure(model, contents, gpus, tuple(pair))
            yield _Case(f"depart 2 x {gpus}", _two_departures(model, nodes, gpus), run, False)


def _result(outcome: tuple[Nodes | None, int]) -> Result:
    nodes, moves = outcome
    return nodes, moves


def _arrivals(model: SettledModel, nodes: Nodes, gpus: int, instances: int) -> frozenset[Result]:
    running = model.composition(nodes)
    running.add(gpus, instances)
    if not model.admits(running):
        return frozenset({REFUSED})
    moves = 0
    after: Nodes | None = nodes
    for _ in range(instances):
        assert after is not None
        after, more = model.arrive(after, gpus)
        moves += more
    return frozenset({(after, moves)})


def _two_departures(model: SettledModel, nodes: Nodes, gpus: int) -> frozenset[Result]:
    """Every way in which two instances leave; moves are not compared, as those of the second one are dropped."""
    found: set[Result] = set()
    for first in {n for n in nodes if gpus in model.sizes_of(n)}:
        between = model.depart(nodes, first, gpus).nodes
        assert between is not None
        for second in {n for n in between if gpus in model.sizes_of(n)}:
            found.add((model.depart(between, second, gpus).nodes, -1))
    return frozenset(found)


def _loaded(model: SettledModel, nodes: Sequence[Sequence[int]], jobs: dict[tuple[int, int], str]) -> SettledScheduler:
    """The scheduler with instance ``p`` of node ``k`` belonging to ``jobs[k, p]``, or else to a job of its own."""
    scheduler = _fresh(model)
    snapshot = Snapshot(
        tuple(
            Node(
                f"n{k}",
                tuple(PlacedInstance(jobs.get((k, p), f"j{k}-{p}"), g) for p, g in enumerate(node)),
                model.geometry.capacity,
            )
            for k, node in enumerate(nodes)
        )
    )
    moves = scheduler.load(snapshot)
    if moves:
        raise AssertionError(f"{nodes}: {moves} settle a settled state")
    return scheduler


def _fresh(model: SettledModel) -> SettledScheduler:
    if isinstance(model.scheduler, Unified):
        return Unified(model.nodes, model.geometry, model.scheduler.open_nodes)
    return Repaired(model.nodes, model.geometry)


def _settled_arrival(
    model: SettledModel, nodes: Sequence[Sequence[int]], gpus: int, instances: int
) -> Callable[[], Iterator[Result]]:
    def run() -> Iterator[Result]:
        scheduler = _loaded(model, nodes, {})
        try:
            decision = scheduler.arrive("new", gpus, instances)
        except NeverFits:
            yield REFUSED
            return
        scheduler.check()
        yield (abstract_settled(scheduler).nodes, _moves(decision)) if decision.admitted else REFUSED

    return run


def _settled_departure(
    model: SettledModel, nodes: Sequence[Sequence[int]], gpus: int, hosts: tuple[int, ...]
) -> Callable[[], Iterator[Result]]:
    """Instances of ``gpus`` leave the nodes ``hosts`` as one job."""

    def run() -> Iterator[Result]:
        jobs: dict[tuple[int, int], str] = {}
        for host in hosts:
            place = next(p for p, g in enumerate(nodes[host]) if g == gpus and (host, p) not in jobs)
            jobs[host, place] = "leaves"
        scheduler = _loaded(model, nodes, jobs)
        decision = scheduler.depart("leaves")
        scheduler.check()
        yield abstract_settled(scheduler).nodes, _moves(decision) if len(hosts) == 1 else -1

    return run


# -- printed ----------------------------------------------------------------------------------------------------------


def _printed_cases(model: PrintedModel, nodes: Nodes, order: _Order) -> Iterator[_Case]:
    contents = [node for _, node in order if node is not None]
    for gpus in model.sizes:
        for instances in (1, 2):
            expected = _printed_arrivals(model, nodes, gpus, instances)
            run = _printed_arrival(model, contents, gpus, instances)
            yield _Case(f"arrive {instances} x {gpus}", expected, run, instances == 1)
    for host, (node, _) in enumerate(order):
        for leaving in model.removals(node) if node else ():
            expected = _compacted(model, [after for after, _ in model.remove(nodes, node, leaving)])
            run = _printed_departure(model, contents, host, leaving)
            what = "" if leaving.slot is None else f" ({'anchor' if leaving.anchor else 'filler'} of {leaving.slot})"
            yield _Case(f"depart {leaving.gpus}{what} from {model.describe((node,))}", expected, run)


def _printed_arrivals(model: PrintedModel, nodes: Nodes, gpus: int, instances: int) -> frozenset[Result]:
    reached = {nodes}
    refused: set[Result] = set()
    for _ in range(instances):
        following: set[Nodes] = set()
        for before in reached:
            outcomes = model.place(before, gpus)
            following |= {after for after, _ in outcomes if after is not None}
            refused |= set() if outcomes else {REFUSED}
        reached = following
    return _compacted(model, sorted(reached)) | refused


def _compacted(model: PrintedModel, reached: Sequence[Nodes | None]) -> frozenset[Result]:
    """After Compact; moves are not compared, as a model's outcome has the most moves of several ways to it."""
    found: set[Result] = set()
    for nodes in reached:
        found |= {(after, -1) for after, _ in model.compact(nodes)} if nodes is not None else {(None, -1)}
    return frozenset(found)


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


def _printed_arrival(
    model: PrintedModel, contents: Sequence[NodeType], gpus: int, instances: int
) -> Callable[[], Iterator[Result]]:
    def run() -> Iterator[Result]:
        printed = Printed.from_state(named_state(model, contents), model.readings)
        try:
            decision = printed.arrive("new", gpus, instances)
        except NeverFits:
            yield REFUSED
        except NoLegalDestination:
            yield None, -1
        else:
            yield (abstract_printed(printed, model).nodes, -1) if decision.admitted else REFUSED

    return run


def _printed_departure(
    model: PrintedModel, contents: Sequence[NodeType], host: int, leaving: Leaving
) -> Callable[[], Iterator[Result]]:
    """Each instance of the kind leaves in turn, from the same state."""

    def run() -> Iterator[Result]:
        for name in _names(contents[host], host, leaving):
            printed = Printed.from_state(named_state(model, contents), model.readings)
            try:
                printed.depart(name)
            except NoLegalDestination:
                yield None, -1
            else:
                yield abstract_printed(printed, model).nodes, -1

    return run


def _names(node: NodeType, host: int, leaving: Leaving) -> list[str]:
    slot: SlotType | None = leaving.slot
    if slot is None:
        return [f"p{host}-{p}" for p in range(node.ones)]
    if leaving.anchor:
        return [f"a{host}-{s}" for s, one in enumerate(node.slots) if one == slot]
    return [f"f{host}-{s}-{p}" for s, one in enumerate(node.slots) if one == slot for p in range(slot.fillers)]
