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
from verification.count_model import CountState, Nodes, Outcome, SettledModel, abstract_settled
from verification.count_printed import Leaving, NodeType, PrintedModel, abstract_printed

Result = tuple[Nodes | None, int]
"""What an event leads to and the moved instances; None where there is no legal destination."""
REFUSED: Result = ((), 0)
"""The result of an arrival that is refused."""
CHANGED: Result = ((), 1)
"""It is refused, and yet something is changed; no model says so."""


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
    most_moves: bool = False
    """Whether the expected moves are the most of several ways to a state; the code may need fewer."""

    def found(self, result: Result) -> Result | None:
        """The expected result that this is, None if it is none."""
        if not self.most_moves:
            return result if result in self.expected else None
        nodes, moves = result
        return next((one for one in self.expected if one[0] == nodes and moves <= one[1]), None)


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
                    expected = case.found(result)
                    if expected is None:
                        text = _difference(model, order, case, result)
                        return Agreement(model.variant, model.nodes, len(states), runs, steps, missed, False, text)
                    taken.setdefault(case.event, set()).add(expected)
                if case.exact:
                    wanted[case.event] = case.expected
        for event, results in wanted.items():
            steps += len(results)
            for result in sorted(results - taken.get(event, set()), key=str):
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
    if result in (REFUSED, CHANGED):
        return "refused" if result == REFUSED else "refused, and yet changed"
    nodes, moves = result
    return "no legal destination" if nodes is None else f"{model.describe(nodes) or '{}'} ({moves} moves)"


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
            yield _Case(f"depart 2 x {gpus}", _two_departures(model, nodes, gpus), run, False, most_moves=True)


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
    """Every way in which two instances leave, with the most moves; those of the second one are dropped by the code."""
    found: dict[Nodes | None, int] = {}
    for first in {n for n in nodes if gpus in model.sizes_of(n)}:
        between, moves = model.depart(nodes, first, gpus)
        assert between is not None
        for second in {n for n in between if gpus in model.sizes_of(n)}:
            after, more = model.depart(between, second, gpus)
            found[after] = max(found.get(after, 0), moves + more)
    return frozenset(found.items())


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
        before = scheduler.snapshot()
        try:
            decision = scheduler.arrive("new", gpus, instances)
        except NeverFits:
            decision = Decision("arrive", "new", False)
        scheduler.check()
        if decision.admitted:
            yield abstract_settled(scheduler).nodes, len(decision.moves)
        else:
            yield REFUSED if scheduler.snapshot() == before else CHANGED

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
        yield abstract_settled(scheduler).nodes, len(decision.moves)

    return run


# -- printed ----------------------------------------------------------------------------------------------------------


def _printed_cases(model: PrintedModel, nodes: Nodes, order: _Order) -> Iterator[_Case]:
    contents = [node for _, node in order if node is not None]
    for gpus in model.sizes:
        for instances in (1, 2):
            expected = _printed_arrivals(model, nodes, gpus, instances)
            run = _printed_arrival(model, contents, gpus, instances)
            yield _Case(f"arrive {instances} x {gpus}", expected, run, instances == 1, most_moves=True)
    for host, (node, _) in enumerate(order):
        for leaving in model.removals(node) if node else ():
            expected = _compacted(model, model.remove(nodes, node, leaving))
            run = _printed_departure(model, contents, host, leaving)
            what = "" if leaving.slot is None else f" ({'anchor' if leaving.anchor else 'filler'} of {leaving.slot})"
            event = f"depart {leaving.gpus}{what} from {model.describe((node,))}"
            yield _Case(event, expected, run, most_moves=True)


def _printed_arrivals(model: PrintedModel, nodes: Nodes, gpus: int, instances: int) -> frozenset[Result]:
    reached = [Outcome(nodes, 0)]
    refused: set[Result] = set()
    for _ in range(instances):
        following: dict[Nodes, int] = {}
        for before, moves in reached:
            assert before is not None
            outcomes = model.place(before, gpus)
            for after, more in outcomes:
                if after is not None:
                    following[after] = max(following.get(after, 0), moves + more)
            refused |= set() if outcomes else {REFUSED}
        reached = [Outcome(*one) for one in following.items()]
    return _compacted(model, reached) | refused


def _compacted(model: PrintedModel, reached: Sequence[Outcome]) -> frozenset[Result]:
    """After Compact, with the most moves of the ways to each state."""
    found: dict[Nodes | None, int] = {}
    for nodes, moves in reached:
        for after, more in model.compact(nodes) if nodes is not None else [Outcome(None, 0)]:
            found[after] = max(found.get(after, 0), moves + more if after is not None else 0)
    return frozenset(found.items())


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
        before = printed.snapshot()
        try:
            decision = printed.arrive("new", gpus, instances)
        except NeverFits:
            decision = Decision("arrive", "new", False)
        except NoLegalDestination:
            yield None, 0
            return
        if decision.admitted:
            yield abstract_printed(printed, model).nodes, len(decision.moves)
        else:
            yield REFUSED if printed.snapshot() == before else CHANGED

    return run


def _printed_departure(
    model: PrintedModel, contents: Sequence[NodeType], host: int, leaving: Leaving
) -> Callable[[], Iterator[Result]]:
    """Each instance of the kind leaves in turn, from the same state."""

    def run() -> Iterator[Result]:
        for name in _names(contents[host], host, leaving):
            printed = Printed.from_state(named_state(model, contents), model.readings)
            try:
                decision = printed.depart(name)
            except NoLegalDestination:
                yield None, 0
            else:
                yield abstract_printed(printed, model).nodes, len(decision.moves)

    return run


def _names(node: NodeType, host: int, leaving: Leaving) -> list[str]:
    slot: SlotType | None = leaving.slot
    if slot is None:
        return [f"p{host}-{p}" for p in range(node.ones)]
    if leaving.anchor:
        return [f"a{host}-{s}" for s, one in enumerate(node.slots) if one == slot]
    return [f"f{host}-{s}-{p}" for s, one in enumerate(node.slots) if one == slot for p in range(slot.fillers)]
