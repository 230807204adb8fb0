"""What is compared of ``repaired`` and ``unified``: jobs of one instance, and of two, come and go.

The model has one result for an event of one instance. Jobs of two are two steps of the model; where two instances
leave, it may be any two of their size, and moves of the second one before it leaves do not count for the code.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations

from compass.composition import Composition
from compass.repaired import Repaired
from compass.settled import SettledScheduler
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.unified import Unified
from verification.agree_cases import REFUSED, Case, Cases, Result, Start
from verification.count_model import Nodes, Outcome, SettledModel, abstract_settled
from verification.saved import Saved

PAIR = "pair"
"""The job of two instances that leave together."""


class SettledCases(Cases[int]):
    """The cases of a settled variant; a node's content is its type."""

    def __init__(self, model: SettledModel, most_instances: int) -> None:
        self.model = model
        self._instances = range(1, most_instances + 1)
        self._idle: Saved[SettledScheduler] = Saved(_fresh(model))

    def orders(self, nodes: Nodes) -> Iterator[tuple[int, ...]]:
        """Every order of the nodes."""
        yield from sorted(set(permutations(nodes)))

    def shuffled(self, nodes: Nodes, chosen: random.Random) -> tuple[int, ...]:
        """One of these orders."""
        return tuple(chosen.sample(nodes, len(nodes)))

    def node(self, content: int) -> int:
        """The node type of a content."""
        return content

    def of(self, nodes: Nodes, order: Sequence[int]) -> Iterator[Case]:
        """The cases from a state whose nodes stand in this order."""
        model = self.model
        contents = [model.sizes_of(node) for node in order]
        scheduler = self._loaded(contents)
        start = Start(scheduler, Saved(scheduler).again, SettledScheduler.snapshot)
        running = model.composition(nodes)
        for gpus in model.sizes:
            for instances in self._instances:
                expected = frozenset({self._arrival(nodes, running, gpus, instances)})
                run = partial(start.arrival, gpus, instances, _checked)
                yield Case(f"arrive {instances} x {gpus}", expected, run, instances == 1)
        for gpus in sorted({g for sizes in contents for g in sizes}):
            hosts = [k for k, sizes in enumerate(contents) for g in sizes if g == gpus]
            for host in dict.fromkeys(hosts):
                outcome = model.depart(nodes, order[host], gpus)
                run = partial(_departure, start, f"{host}-{contents[host].index(gpus)}")
                event = f"depart {gpus} from {model.describe((order[host],))}"
                yield Case(event, frozenset({(outcome.nodes, outcome.moves)}), run)
            if len(hosts) > 1 and 2 in self._instances:
                run = partial(self._pair_leaves, contents, gpus, hosts[:2])
                yield Case(f"depart 2 x {gpus}", self._two_departures(nodes, gpus), run, False, most_moves=True)

    # -- what the model says ----------------------------------------------------------------------------------------

    def _arrival(self, nodes: Nodes, running: Composition, gpus: int, instances: int) -> Result:
        running.add(gpus, instances)
        admitted = self.model.admits(running)
        running.add(gpus, -instances)
        if not admitted:
            return REFUSED
        after, moves = Outcome(nodes, 0)
        for _ in range(instances):
            assert after is not None
            after, more = self.model.arrive(after, gpus)
            moves += more
        return after, moves

    def _two_departures(self, nodes: Nodes, gpus: int) -> frozenset[Result]:
        """Every way in which two instances leave, with the most moves."""
        found: dict[Nodes | None, int] = {}
        for between, moves in self._departures(nodes, gpus):
            assert between is not None
            for after, more in self._departures(between, gpus):
                found[after] = max(found.get(after, 0), moves + more)
        return frozenset(found.items())

    def _departures(self, nodes: Nodes, gpus: int) -> list[Outcome]:
        hosts = dict.fromkeys(node for node in nodes if gpus in self.model.sizes_of(node))
        return [self.model.depart(nodes, host, gpus) for host in hosts]

    # -- what the code does -----------------------------------------------------------------------------------------

    def _loaded(self, contents: Sequence[Sequence[int]], leave: Sequence[int] = (), gpus: int = 0) -> SettledScheduler:
        """Every instance is a job of its own, except that one of ``gpus`` on each of the nodes ``leave`` is in PAIR."""
        placed = [[PlacedInstance(f"{k}-{p}", g) for p, g in enumerate(sizes)] for k, sizes in enumerate(contents)]
        for host in leave:
            place = next(p for p, (job, g) in enumerate(placed[host]) if g == gpus and job != PAIR)
            placed[host][place] = PlacedInstance(PAIR, gpus)
        capacity = self.model.geometry.capacity
        scheduler = self._idle.again()
        moves = scheduler.load(Snapshot(tuple(Node(f"n{k}", tuple(on), capacity) for k, on in enumerate(placed))))
        if moves:
            raise AssertionError(f"{contents}: {moves} settle a settled state")
        return scheduler

    def _pair_leaves(self, contents: Sequence[Sequence[int]], gpus: int, hosts: Sequence[int]) -> Iterator[Result]:
        scheduler = self._loaded(contents, hosts, gpus)
        moves = len(scheduler.depart(PAIR).moves)
        yield _checked(scheduler), moves


def _fresh(model: SettledModel) -> SettledScheduler:
    if isinstance(model.scheduler, Unified):
        return Unified(model.nodes, model.geometry, model.scheduler.open_nodes)
    return Repaired(model.nodes, model.geometry)


def _departure(start: Start[SettledScheduler], job: str) -> Iterator[Result]:
    scheduler = start.scheduler()
    moves = len(scheduler.depart(job).moves)
    yield _checked(scheduler), moves


def _checked(scheduler: SettledScheduler) -> Nodes:
    """The nodes after an event, which must keep the invariants."""
    scheduler.check()
    return abstract_settled(scheduler).nodes
