"""Baselines that move instances: against plain rules, against enumeration, and step by step on independent books."""

import itertools
import random
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import CompassError, DoesNotFitNow, InvariantViolated
from compass.evaluation import baselines as b
from compass.evaluation.baselines.moving import in_order
from compass.evaluation.baselines.repack import fewest_moves, node_patterns, solve
from compass.evaluation.hooks import Repack
from compass.events import Decision, Move
from compass.follow import Follower
from compass.geometry import Geometry
from compass.phi import min_partial_nodes
from tests.evaluation.naive import NaiveCluster, best_fit, free


def fill(scheduler, cluster, seed, count=60):
    """Random single-instance events under best-fit, leaving fragmented nodes behind; yields after each."""
    chance = random.Random(seed)
    for k in range(count):
        if cluster.jobs and chance.random() < 0.45:
            job = chance.choice(sorted(cluster.jobs))
            cluster.depart(job)
            scheduler.depart(job)
        else:
            gpus, instances = chance.choice([1, 1, 2, 2, 3, 4, 5, 6, 8]), chance.choice([1, 1, 2])
            chosen = cluster.arrive(f"j{k}", gpus, instances, best_fit)
            assert scheduler.arrive(f"j{k}", gpus, instances).admitted == (chosen is not None)
        yield k


def build(scheduler, contents):
    """Fill the nodes of an idle cluster with these sizes, whatever the scheduler would choose."""
    for node, sizes in enumerate(contents):
        for k, gpus in enumerate(sizes):
            job = f"n{node}i{k}"
            scheduler.book.put(f"{job}/0", gpus, node)
            scheduler._jobs[job] = (f"{job}/0",)
            scheduler.running.add(gpus)
    scheduler.check()
    return scheduler


def contents(scheduler):
    return [scheduler.book.sizes(node) for node in range(scheduler.size)]


@pytest.mark.parametrize("whole", [False, True])
def test_drr(whole):
    moved = 0
    for seed in range(4):
        scheduler, cluster = b.Drr(6, whole=whole), NaiveCluster(6)
        assert scheduler.act() == ()
        for _ in fill(scheduler, cluster, seed):
            moves = scheduler.act()
            assert [tuple(move) for move in moves] == cluster.drain_one(whole)
            assert [sorted(sizes) for sizes in contents(scheduler)] == cluster.sizes()
            scheduler.check_changes()
            scheduler.check()
            moved += len(moves)
    assert moved > 10


def consolidated(cluster, gpus, instances, victims):
    """The plan by the definition: contents without the victims, the arriving job, the victims again."""
    newest = list(reversed(cluster.jobs))[:victims]
    for number in range(1, len(newest) + 1):
        chosen = newest[:number]
        gone = {f"{job}/{k}" for job in chosen for k in range(cluster.jobs[job][1])}
        trial = NaiveCluster(len(cluster.nodes))
        trial.nodes = [[entry for entry in node if entry[0] not in gone] for node in cluster.nodes]
        placed = {"new": trial.arrive("new", gpus, instances, best_fit)}
        for job in sorted(chosen, key=lambda job: -cluster.jobs[job][0]):
            placed[job] = trial.arrive(job, *cluster.jobs[job], best_fit)
        if None not in placed.values():
            yield placed


def test_consolidate():
    moved = 0
    for seed in range(60):
        chance = random.Random(seed)
        scheduler, cluster = b.Consolidate(4, victims=5), NaiveCluster(4)
        for k in range(30):
            if cluster.jobs and chance.random() < 0.45:
                job = chance.choice(sorted(cluster.jobs))
                cluster.depart(job)
                scheduler.depart(job)
                continue
            gpus, instances = chance.choice([1, 2, 3, 4, 8]), chance.choice([1, 1, 2])
            job = f"j{k}"
            decision = scheduler.arrive(job, gpus, instances)
            chosen = cluster.arrive(job, gpus, instances, best_fit)
            if chosen is not None:
                assert [step.node for step in decision.steps] == chosen
                continue
            plans = list(consolidated(cluster, gpus, instances, 5))
            room = sum(free(node) for node in cluster.nodes) >= gpus * instances
            if not plans or not room:
                assert not decision.admitted
                continue
            if not decision.admitted:  # every plan needs a swap
                continue
            before = {name: k for k, node in enumerate(cluster.nodes) for name, _ in node}
            follower_moves = Counter()
            for move in decision.moves:
                assert before[move.instance] == move.source
                cluster.move(move.instance, move.target)
                assert all(free(node) >= 0 for node in cluster.nodes)
                follower_moves[move.instance.split("/")[0]] += 1
            assert cluster.arrive(job, gpus, instances, best_fit) == [p.node for p in decision.placements]
            (plan,) = [plan for plan in plans if ends_in(plan, cluster)][:1]
            for victim, nodes in plan.items():
                if victim != "new":
                    old = Counter(before[f"{victim}/{k}"] for k in range(cluster.jobs[victim][1]))
                    assert follower_moves.pop(victim, 0) == (old - Counter(nodes)).total()
            assert not follower_moves
            moved += len(decision.moves)
            scheduler.check()
    assert moved > 20


def ends_in(plan, cluster):
    where = {name: k for k, node in enumerate(cluster.nodes) for name, _ in node}
    return all(
        Counter(nodes) == Counter(where[f"{job}/{k}"] for k in range(len(nodes)))
        for job, nodes in plan.items()
        if job != "new"
    )


def enumerated(nodes, capacity, arriving=()):
    """(partial nodes, moves) of every packing of the instances, by trying all."""
    placed = [(k, g) for k, sizes in enumerate(nodes) for g in sizes] + [(None, g) for g in arriving]
    for targets in itertools.product(range(len(nodes)), repeat=len(placed)):
        loads = [0] * len(nodes)
        for (_, g), target in zip(placed, targets, strict=True):
            loads[target] += g
        if max(loads) <= capacity:
            moves = sum(k not in (None, target) for (k, _), target in zip(placed, targets, strict=True))
            yield sum(0 < load < capacity for load in loads), moves


def draw_nodes(chance, size, capacity, most):
    nodes = [[] for _ in range(size)]
    for _ in range(most):
        node, gpus = chance.choice(nodes), chance.choice(range(1, capacity + 1))
        if sum(node) + gpus <= capacity:
            node.append(gpus)
    return nodes


@pytest.mark.parametrize("capacity", [4, 8])
def test_rounds_of_fft_by_enumeration(capacity):
    solved = 0
    for seed in range(50):
        nodes = draw_nodes(random.Random(seed), 3, capacity, 9)
        if sum(map(len, nodes)) > 6:
            continue
        least, moves = min(enumerated(nodes, capacity))
        scheduler = build(b.Fft(3, Geometry(capacity)), nodes)
        follower = place(nodes, capacity)
        done = scheduler.act()
        assert len(done.moves) == moves
        assert scheduler.partial_nodes == least == min_partial_nodes(scheduler.running, nodes=3)
        scheduler.check()
        scheduler.check_changes()
        if not done.simultaneous:
            follower.departed(Decision("depart", "seed", True, done.moves), 1, 0)
            assert follower.partial_nodes == least
        solved += bool(moves)
    assert solved > 5


@pytest.mark.parametrize("capacity", [4, 8])
def test_room_on_demand_by_enumeration(capacity):
    made = refused = 0
    for seed in range(80):
        chance = random.Random(seed)
        nodes = draw_nodes(chance, 3, capacity, 7)
        if sum(map(len, nodes)) > 5:
            continue
        gpus, instances = chance.choice(range(1, capacity + 1)), chance.choice([1, 2])
        options = enumerated(nodes, capacity, [gpus] * instances)
        least, partial = min(((moves, partial) for partial, moves in options), default=(None, 0))
        if least is not None:
            assert planned_partial(nodes, capacity, gpus, instances) == partial
        scheduler = build(b.OnDemand(3, Geometry(capacity)), nodes)
        follower = place(nodes, capacity)
        decision = scheduler.arrive("new", gpus, instances)
        assert decision.admitted == (least is not None)
        follower.arrived(decision, gpus, instances)
        assert len(decision.moves) == (least or 0)
        scheduler.check()
        scheduler.check_changes()
        made += bool(least)
        refused += least is None
    assert made >= 3
    assert refused > 3


def planned_partial(nodes, capacity, gpus, instances):
    """Partial nodes of the packing that the program finds for the instances and the arriving ones."""
    contents = Counter(tuple(sorted(sizes, reverse=True)) for sizes in nodes)
    for before, after, number in fewest_moves(contents, capacity, arriving={gpus: instances}):
        contents[before] -= number
        contents[after] += number
    assert min(contents.values()) >= 0
    return sum(number for sizes, number in contents.items() if 0 < sum(sizes) < capacity)


def place(nodes, capacity):
    """A follower that knows the instances of ``build``."""
    follower = Follower(capacity, len(nodes))
    for node, sizes in enumerate(nodes):
        for k, gpus in enumerate(sizes):
            job = f"n{node}i{k}"
            follower.arrived(b.FirstFit(1, Geometry(capacity)).arrive(job, gpus)._replace(steps=()), gpus, 0)
            follower._put(f"{job}/0", gpus, node, job)
            follower.counts[gpus] += 1
    return follower


SWAP = [[4, 3], [4, 2]]
"""4 and 2 change places: {4, 4} and {3, 2} have one partial node, and neither can move first."""


def test_a_swap_is_simultaneous():
    scheduler = build(b.Fft(2), SWAP)
    done = scheduler.act()
    assert done.simultaneous
    assert len(done.moves) == 2
    assert sorted(contents(scheduler)) == [(3, 2), (4, 4)]
    scheduler.check()
    assert scheduler.act() == Repack()


def test_no_room_is_made_by_a_swap():
    for scheduler in (b.OnDemand(2), b.Consolidate(2)):
        before = build(scheduler, SWAP).snapshot()
        assert not scheduler.arrive("new", 3).admitted
        assert scheduler.snapshot() == before
        scheduler.check()


def test_patience():
    scheduler = build(b.OnDemand(2, patience=60), [[4], [4]])
    for now, admitted in ((10, False), (69, False), (70, True)):
        scheduler.clock(now)
        assert scheduler.arrive("new", 8).admitted == admitted
    assert not scheduler.arrive("more", 1).admitted


@given(
    st.sampled_from([b.Drain, b.Consolidate, b.Drr, b.Fft, b.OnDemand, b.Buddy, b.RandomFit, b.CausalFgd]),
    st.lists(st.tuples(st.integers(1, 8) | st.just(1), st.integers(1, 3)) | st.integers(0, 9) | st.none(), max_size=30),
)
def test_every_decision_is_possible(kind, history):
    """Arrivals (gpus, instances), departures (an index) and rounds (None), followed on other books."""
    scheduler, follower = kind(4), Follower(8, 4)
    jobs = {}
    for k, event in enumerate(history):
        if event is None:
            done = scheduler.act() if hasattr(scheduler, "act") else ()
            moves = done.moves if isinstance(done, Repack) else done
            if isinstance(done, Repack) and done.simultaneous:
                nodes = [follower._placed.pop(move.instance) for move in moves]
                for (node, gpus), move in zip(nodes, moves, strict=True):
                    assert node == move.source != move.target
                    follower._change(node, -gpus)
                for (_, gpus), move in zip(nodes, moves, strict=True):
                    follower._put(move.instance, gpus, move.target, "round")
            else:
                follower.departed(Decision("depart", "round", True, moves), 1, 0)
        elif isinstance(event, int):
            if jobs:
                job = list(jobs)[event % len(jobs)]
                follower.departed(scheduler.depart(job), *jobs.pop(job))
        elif event[0] * event[1] <= 8:
            decision = scheduler.arrive(f"j{k}", *event)
            follower.arrived(decision, *event)
            if decision.admitted:
                jobs[f"j{k}"] = event
        scheduler.check_changes()
        scheduler.check()
        assert scheduler.partial_nodes == follower.partial_nodes
        assert scheduler.running.counts == follower.counts


def test_an_order_of_moves():
    moves = [(Move("a", 0, 1), 1), (Move("b", 1, 2), 3), (Move("c", 2, 0), 2)]
    assert in_order([1, 0, 1], moves) is None
    assert in_order([2, 0, 1], moves) == (moves[2][0], moves[1][0], moves[0][0])


def test_patterns_of_a_node():
    assert len(node_patterns(tuple(range(1, 9)), 8)) == 67  # 66 and the empty one


def test_programs_without_a_solution():
    with pytest.raises(DoesNotFitNow):
        fewest_moves({(5,): 2}, 8, partial=1)
    with pytest.raises(DoesNotFitNow):
        fewest_moves({(8,): 2}, 8, partial=1)
    assert fewest_moves({(8,): 3}, 8, partial=0) == fewest_moves({(8,): 3, (5, 3): 2}, 8, partial=0) == []


class Answer:
    def __init__(self, status, x=()):
        self.status, self.x, self.message = status, x, "time limit"


@pytest.mark.parametrize(
    ("answer", "error"),
    [(Answer(1), CompassError), (Answer(0, [1.0, 1.0]), InvariantViolated), (Answer(0, [0.0, 0.0]), InvariantViolated)],
)
def test_a_wrong_answer_of_the_solver_is_noticed(monkeypatch, answer, error):
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: answer)
    with pytest.raises(error):
        solve([1, 2], [2], [1], [(1,), (1,)], [1])


def test_without_the_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(CompassError, match=r"compass-abs\[evaluate\]"):
        build(b.Fft(2), [[5], [3]]).act()
