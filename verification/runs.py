"""Decisions as their user sees them: runs on books of one's own, the follower, replay reports, and ``load``.

``verification.agree`` compares single steps from given states. Here whole runs are followed: what is reported of
running instances and partial nodes, what a refused arrival leaves behind, what the snapshot shows.

Each function returns whether all is right, a sentence, and how many cases it saw, as evidence of kind ``function``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

from compass.composition import Composition
from compass.errors import DoesNotFitNow, InvariantViolated, NeverFits
from compass.events import Decision, Move, Placement
from compass.follow import Follower
from compass.geometry import Geometry
from compass.metric import sif
from compass.replay import fifo, replay
from compass.scheduler import Scheduler
from compass.settled import SettledScheduler
from compass.shapes import shape_table
from compass.snapshot import Snapshot
from compass.trace import TraceJob
from compass.variants import make_scheduler
from verification.figures import Found, first_fault

# -- decisions and replays ----------------------------------------------------------------------------------------


def decisions_add_up(variant: str, nodes: int = 3, events: int = 400, capacity: int = 4) -> Found:
    """A run of random jobs on books of one's own: legal steps, all instances there, counts and nu as reported."""
    return first_fault(_run_faults(make_scheduler(variant, nodes, Geometry(capacity)), events), "events")


def _run_faults(scheduler: Scheduler, events: int) -> Iterator[str | None]:
    rng = random.Random(events)
    capacity = scheduler.geometry.capacity
    jobs: dict[str, tuple[int, int]] = {}
    where: dict[str, int] = {}
    assert scheduler.nodes is not None
    for number in range(events):
        before = dict(where)
        if jobs and rng.random() < 0.48:
            job = rng.choice(sorted(jobs))
            gpus, instances = jobs.pop(job)
            decision = scheduler.depart(job)
            for k in range(instances):
                del where[f"{job}/{k}"]
        else:
            job, gpus, instances = f"j{number}", rng.choice([1, 1, *range(1, capacity + 1)]), rng.choice([1, 1, 2, 3])
            try:
                decision = scheduler.arrive(job, gpus, instances)
            except NeverFits:
                decision = Decision("arrive", job, False)
            if decision.admitted:
                jobs[job] = gpus, instances
        sizes = {f"{job}/{k}": size for job, (size, number) in jobs.items() for k in range(number)}
        fault = _step_fault(decision, where, sizes, capacity, scheduler.nodes)
        if not decision.admitted and where != before:
            fault = fault or f"{decision}: refused, and yet it changes something"
        yield fault or _books_fault(scheduler, where, sizes)


def _step_fault(decision: Decision, where: dict[str, int], sizes: dict[str, int], full: int, nodes: int) -> str | None:
    """Carry out the steps one after another; what is wrong with the first illegal one."""
    for step in decision.steps:
        name, target = step.instance, step.target if isinstance(step, Move) else step.node
        here = where.get(name, -1)
        legal = here == step.source != target if isinstance(step, Move) else here < 0
        if name not in sizes or not legal or not 0 <= target < nodes:
            return f"{decision.event} {decision.job}: {step} with the instance on node {here}"
        where[name] = target
        if sum(sizes[other] for other, node in where.items() if node == target) > full:
            return f"{decision.event} {decision.job}: {step} overfills the node"
    return None if where.keys() == sizes.keys() else f"{decision}: runs {sorted(where)}, not {sorted(sizes)}"


def _books_fault(scheduler: Scheduler, where: dict[str, int], sizes: dict[str, int]) -> str | None:
    try:
        scheduler.check_changes()
        scheduler.check()
    except InvariantViolated as error:
        return str(error)
    capacity, nodes = scheduler.geometry.capacity, scheduler.nodes or 0
    loads = Counter(dict.fromkeys(range(nodes), 0))
    for name, node in where.items():
        loads[node] += sizes[name]
    partial = sum(0 < load < capacity for load in loads.values())
    counts = [0] + [list(sizes.values()).count(g) for g in range(1, capacity + 1)]
    if (scheduler.running.counts, scheduler.partial_nodes) != (counts, partial):
        found = f"{scheduler.running.counts}, nu = {scheduler.partial_nodes}"
        return f"counted {found}, on the books {counts}, nu = {partial}"
    shown = [sorted(instance.gpus for instance in node.instances) for node in scheduler.snapshot().nodes]
    placed = [sorted(sizes[name] for name, on in where.items() if on == node) for node in range(nodes)]
    return None if shown == placed else f"the snapshot shows {shown}, on the books {placed}"


def follower_refuses() -> Found:
    """The books that replays trust turn down every decision that cannot be carried out, and count the others."""
    return first_fault(_follower_faults(), "decisions")


def _follower_faults() -> Iterator[str | None]:
    def started() -> Follower:
        follower = Follower(8, 2)
        follower.arrived(Decision("arrive", "a", True, (Placement("a/0", 0), Placement("a/1", 1))), 4, 2)
        return follower

    def arrival(*steps: Placement | Move, admitted: bool = True) -> Decision:
        return Decision("arrive", "b", admitted, steps)

    follower = started()
    follower.arrived(arrival(Move("a/1", 1, 0), Placement("b/0", 1)), 8, 1)
    follower.departed(Decision("depart", "b", True, ()), 8, 1)
    figures = follower.counts[4], follower.counts[8], follower.partial_nodes
    yield None if figures == (2, 0, 0) else f"the follower counts {figures}, not (2, 0, 0)"
    follower.departed(Decision("depart", "a", True, ()), 4, 2)
    yield None if not any(follower.counts) and not follower.partial_nodes else "something is left on an idle cluster"
    illegal: dict[str, tuple[Decision, int]] = {
        "a node over capacity": (arrival(Placement("b/0", 0)), 5),
        "no such node": (arrival(Placement("b/0", 2)), 1),
        "a negative node": (arrival(Placement("b/0", -1)), 1),
        "a move from elsewhere": (arrival(Move("a/0", 1, 0), Placement("b/0", 1)), 1),
        "a move to where it is": (arrival(Move("a/0", 0, 0), Placement("b/0", 1)), 1),
        "a move of nothing": (arrival(Move("c/0", 0, 1), Placement("b/0", 1)), 1),
        "an instance missing": (arrival(), 1),
        "an instance twice": (arrival(Placement("b/0", 0), Placement("b/0", 1)), 1),
        "another instance": (arrival(Placement("b/7", 0)), 1),
        "a refused job installed": (arrival(Placement("b/0", 0), admitted=False), 1),
        "an overfull node on the way": (arrival(Placement("b/0", 0), Move("a/0", 0, 1)), 8),
    }
    for what, (decision, gpus) in illegal.items():
        yield _accepted(started().arrived, decision, gpus, 1, what)
    again = Decision("depart", "a", True, (Placement("b/0", 0),))
    yield _accepted(started().departed, again, 4, 2, "an arrival in a departure")


def _accepted(
    carry_out: Callable[[Decision, int, int], None], decision: Decision, gpus: int, instances: int, what: str
) -> str | None:
    try:
        carry_out(decision, gpus, instances)
    except InvariantViolated:
        return None
    return f"the follower accepts {what}"


def replay_by_hand(variant: str, nodes: int = 8, jobs: int = 150) -> Found:
    """The report of a replay against figures taken from the snapshot after each event."""
    return first_fault(_replay_faults(variant, nodes, jobs), "figures")


def _replay_faults(variant: str, nodes: int, jobs: int) -> Iterator[str | None]:
    rng = random.Random(jobs)
    sizes = [1] * 6 + [2, 3, 4, 5, 6, 7, 8]
    trace = [
        TraceJob(f"j{k}", 3 * k, rng.randint(1, 60), rng.choice([1, 1, 2]), rng.choice(sizes)) for k in range(jobs)
    ]
    trace.append(TraceJob("large", 3 * jobs, 1, nodes + 1, 8))
    scheduler = make_scheduler(variant, nodes)
    names = "never_fit events instance_events avoidable_sum moves wcc_events over_bound_events"
    wanted = dict.fromkeys(names.split(), 0)
    most = most_wcc = 0
    for served in fifo(trace, scheduler):
        if served.decision is None:
            wanted["never_fit"] += 1
            continue
        report = sif(scheduler.snapshot())
        avoidable = report.avoidable_partial_nodes
        most = max(most, avoidable)
        most_wcc = max(most_wcc, avoidable if report.wcc else 0)
        wanted["events"] += 1
        wanted["instance_events"] += served.job.instances
        wanted["avoidable_sum"] += avoidable
        wanted["moves"] += sum(isinstance(step, Move) for step in served.decision.steps)
        wanted["wcc_events"] += report.wcc
        wanted["over_bound_events"] += report.wcc and avoidable > 2
    found = replay(trace, make_scheduler(variant, nodes))
    yield found.violation
    yield None if wanted["events"] == 2 * jobs else f"{wanted['events']} events of {jobs} jobs that fit"
    mean = Fraction(wanted["avoidable_sum"], wanted["events"])
    shown: dict[str, float] = {**wanted, "nodes": nodes, "max_avoidable": most, "max_avoidable_under_wcc": most_wcc}
    shown |= {"mean_avoidable": float(mean), "mean_sif": float(mean / nodes), "max_sif": most / nodes}
    shown["moves_per_instance_event"] = wanted["moves"] / wanted["instance_events"]
    record = found.to_json()
    for name, value in shown.items():
        figure = getattr(found, name) if name == "avoidable_sum" else record[name]
        yield None if figure == value else f"{name}: {figure} reported, {value} by hand"


# -- load ---------------------------------------------------------------------------------------------------------


def load_settles(variant: str, nodes: int = 3, capacity: int = 4) -> Found:
    """Every placement in node shapes is settled by ``load`` in legal moves, or turned down where it may be."""
    return first_fault(_load_faults(variant, nodes, Geometry(capacity)), "placements")


def _load_faults(variant: str, nodes: int, geometry: Geometry) -> Iterator[str | None]:
    for shapes in combinations_with_replacement(shape_table(geometry), nodes):
        contents = [list(shape.sizes) for shape in shapes]
        scheduler = make_scheduler(variant, nodes, geometry)
        assert isinstance(scheduler, SettledScheduler)
        running = Composition(geometry, Counter(g for node in contents for g in node))
        snapshot = Snapshot.of(contents, geometry.capacity)
        try:
            moves = scheduler.load(snapshot)
        except DoesNotFitNow:
            may = variant == "repaired" and (not scheduler.admits(running) or all(contents))
            yield None if may else f"{contents}: turned down"
            continue
        jobs = [
            (instance.job, instance.gpus, k) for k, node in enumerate(snapshot.nodes) for instance in node.instances
        ]
        where = {f"{job}/0": k for job, _, k in jobs}
        sizes = {f"{job}/0": gpus for job, gpus, _ in jobs}
        decision = Decision("arrive", "load", True, moves)
        fault = _step_fault(decision, where, sizes, geometry.capacity, nodes)
        yield fault or _books_fault(scheduler, where, sizes) or _unsettled(variant, scheduler, geometry)


def _unsettled(variant: str, scheduler: Scheduler, geometry: Geometry) -> str | None:
    """Exclusion and limits from sizes alone: what ``check`` says too, without its tables."""
    vacancy = free = open_slotted = open_pool = strays = 0
    for node in scheduler.snapshot().nodes:
        sizes = [instance.gpus for instance in node.instances]
        slots = sum(next(w for w in geometry.widths if w >= g) for g in sizes if g > 1)
        vacancy += max(0, slots - sum(sizes))
        free += max(0, sum(sizes) - slots)
        strays += 0 < slots < sum(sizes)
        covered = max(slots, sum(sizes))
        open_slotted += 0 < covered < geometry.capacity and slots > 0
        open_pool += 0 < covered < geometry.capacity and not slots
    limits = open_slotted <= 1 >= open_pool and not strays if variant == "repaired" else open_slotted + open_pool <= 1
    if limits and not (vacancy and free):
        return None
    shown = [[instance.gpus for instance in node.instances] for node in scheduler.snapshot().nodes]
    return f"{shown}: vacancy {vacancy}, free {free}, open {open_slotted} + {open_pool}, stray {strays}"
