"""Baselines against rules written out node by node, on random events; their interface, books and limits."""

import random
from fractions import Fraction

import pytest

from compass.errors import InputError, InvariantViolated, NeverFits
from compass.evaluation import baselines as b
from compass.evaluation.baselines.book import Levels
from compass.evaluation.hooks import Clocked, Informed, Rounds, Scored
from compass.follow import Follower
from compass.geometry import Geometry
from compass.scheduler import Scheduler
from compass.trace import TraceJob
from tests.evaluation.naive import (
    NaiveCluster,
    added_per_gpu,
    best_fit,
    buddy_cells,
    fgd,
    first_fit,
    normed,
    worst_fit,
)

SHARES = [0, 0.375, 0.125, 0.0625, 0.125, 0.0625, 0, 0, 0.25]
SIZES = [1, 1, 1, 2, 3, 4, 5, 6, 7, 8]
NODES = 7


def events(seed, count=160):
    """Random arrivals and departures: (time, name, gpus, instances) or (time, name)."""
    chance = random.Random(seed)
    now, running = 0, []
    for k in range(count):
        now += chance.choice([0, 1, 20, 900])
        if running and chance.random() < 0.45:
            yield now, running.pop(chance.randrange(len(running)))
        else:
            name = f"j{k}"
            answer = yield now, name, chance.choice(SIZES), chance.choice([1, 1, 1, 2, 3])
            if answer:
                running.append(name)


def assert_follows(scheduler, rule_of, after=lambda cluster: [], seeds=range(3)):
    """Compare a scheduler with ``rule_of(scheduler's history)`` event for event; also its books and decisions."""
    make = scheduler
    for seed in seeds:
        scheduler = make()
        cluster = NaiveCluster(NODES)
        follower = Follower(8, NODES)
        history = []  # of [time, name, gpus, instances, admitted]
        source = events(seed)
        event = next(source)
        while True:
            answer = None
            if isinstance(scheduler, Clocked):
                scheduler.clock(event[0])
            if len(event) == 2:
                gpus, instances = cluster.jobs[event[1]]
                cluster.depart(event[1])
                decision = scheduler.depart(event[1])
                assert [tuple(move) for move in decision.moves] == after(cluster)
                follower.departed(decision, gpus, instances)
            else:
                now, name, gpus, instances = event
                history.append([now, name, gpus, instances, False])
                if isinstance(scheduler, Informed):
                    scheduler.submitted(now, TraceJob(name, now, 9, instances, gpus))
                rule = rule_of(history, now)
                if isinstance(scheduler, Scored):
                    expected = added_per_gpu(rule.shares, cluster.nodes, gpus, instances, rule)
                    found = scheduler.score(gpus, instances)
                    assert (found is None) == (expected is None)
                    assert expected is None or found == pytest.approx(float(expected))
                chosen = cluster.arrive(name, gpus, instances, rule)
                decision = scheduler.arrive(name, gpus, instances)
                assert decision.admitted == (chosen is not None)
                assert [p.node for p in decision.placements] == (chosen or [])
                follower.arrived(decision, gpus, instances)
                answer = history[-1][4] = decision.admitted
            scheduler.check_changes()
            assert [sorted(i.gpus for i in node.instances) for node in scheduler.snapshot().nodes] == cluster.sizes()
            assert scheduler.partial_nodes == follower.partial_nodes
            assert scheduler.running.counts == follower.counts
            try:
                event = source.send(answer)
            except StopIteration:
                break
        scheduler.check()
        assert sum(not entry[4] for entry in history) > 3  # some were refused
        assert isinstance(scheduler, Scheduler)


def fixed(rule):
    return lambda history, now: rule


def counted(entries):
    weights = {}
    for _, _, gpus, instances, _ in entries:
        weights[gpus] = weights.get(gpus, 0) + instances
    return weights


def fgd_rule(shares, **settings):
    rule = fgd(shares, **settings)
    rule.shares = shares
    return rule


def mixed(history, now, alpha, window):
    long = normed(counted(history))
    short = normed(counted([entry for entry in history if now - window < entry[0]]))
    return {g: alpha * long[g] + (1 - alpha) * short.get(g, 0) for g in long} if short else long


def in_queue(history, now):
    return normed(counted([entry for entry in history if not entry[4]]))


@pytest.mark.parametrize(
    ("scheduler", "rule"), [(b.BestFit, best_fit), (b.FirstFit, first_fit), (b.WorstFit, worst_fit)]
)
def test_fits(scheduler, rule):
    assert_follows(lambda: scheduler(NODES), fixed(rule))


def test_a_faulty_rule_is_noticed():
    class Faulty(b.BestFit):
        def choose(self, gpus):
            return self.book.levels.lowest_with(gpus)

    with pytest.raises(AssertionError):
        assert_follows(lambda: Faulty(NODES), fixed(best_fit))


def test_fgd():
    shares = {g: Fraction(p) for g, p in enumerate(SHARES) if p}
    assert_follows(lambda: b.Fgd(NODES, shares=SHARES), fixed(fgd_rule(shares)))


def test_fgd_truncated():
    given = [0, 0.96875, 0.0078125, 0, 0.0078125, 0, 0.0078125, 0, 0.0078125]
    shares = {g: p for g, p in enumerate(given) if p}
    scheduler = b.Fgd(NODES, shares=given, variant="trunc")
    rule = fgd(shares, trunc=True)
    cluster = NaiveCluster(NODES)
    chance = random.Random(5)
    for k in range(60):
        gpus = chance.choice(SIZES)
        decision = scheduler.arrive(f"j{k}", gpus)
        assert ([p.node for p in decision.placements] or None) == cluster.arrive(f"j{k}", gpus, 1, rule)
        if cluster.jobs and chance.random() < 0.5:
            job = chance.choice(sorted(cluster.jobs))
            cluster.depart(job)
            scheduler.depart(job)
    exact = b.Fgd(NODES, shares=given)
    assert any(scheduler.preferred(g) != exact.preferred(g) for g in range(1, 9))


def test_fgd_knows_the_past_only():
    assert_follows(lambda: b.CausalFgd(NODES), lambda history, now: fgd_rule(normed(counted(history))))


@pytest.mark.parametrize(("alpha", "window"), [(0.5, 3600), (0.25, 30)])
def test_cafgd(alpha, window):
    assert_follows(
        lambda: b.Cafgd(NODES, alpha=alpha, window=window),
        lambda history, now: fgd_rule(mixed(history, now, Fraction(alpha), window)),
    )


def test_cafgd_forgets_by_the_clock():
    scheduler = b.Cafgd(2, alpha=0, window=10)
    scheduler.submitted(0, TraceJob("a", 0, 9, 1, 4))
    scheduler.submitted(5, TraceJob("b", 5, 9, 1, 2))
    for now, expected in ((9, [0, 2, 2, 3, 0]), (10, [0, 1, 0, 0, 0]), (15, [0, 2, 2, 3, 0])):
        scheduler.clock(now)
        total = Fraction(scheduler.total, 1 if now == 10 else 2)
        assert [scheduler.table[r] / total for r in range(5)] == expected


@pytest.mark.parametrize("load", [0, Fraction(1, 10)])
def test_mcg(load):
    assert_follows(
        lambda: b.Mcg(NODES, load=load),
        lambda history, now: fgd_rule(in_queue(history, now), load=load),
    )


def test_mcg_takes_all_of_the_past_while_nobody_waits():
    scheduler = b.Mcg(2)
    scheduler.submitted(0, TraceJob("a", 0, 9, 2, 3))
    scheduler.arrive("a", 3, 2)
    assert scheduler.table[:4] == [0, 2, 4, 0]
    assert scheduler.score(4, 1) == scheduler.score(4, 1) == 0.25  # beside one of the two, 1 GPU is left
    scheduler.depart("a")
    assert scheduler.score(4, 1) == 0
    scheduler.submitted(1, TraceJob("b", 1, 9, 1, 8))
    assert scheduler.table[:4] == [0, 1, 2, 3]
    scheduler.arrive("unheard", 1)
    assert scheduler.table[:4] == [0, 1, 2, 3]


def test_random_fit():
    first, second = b.RandomFit(NODES, seed=4), b.RandomFit(NODES, seed=4)
    follower = Follower(8, NODES)
    seen = set()
    for k in range(12):
        decision = first.arrive(f"j{k}", 3)
        if k == 5:
            assert not second.arrive("too-much", 8, NODES).admitted
        assert second.arrive(f"j{k}", 3) == decision
        follower.arrived(decision, 3, 1)
        seen.add(decision.placements[0].node)
    assert len(seen) > 3


def test_buddy():
    cells = {}  # instance -> (node, first, width)

    def rule(nodes, gpus):
        width = next(w for w in (1, 2, 4, 8) if w >= gpus)
        there = {name for node in nodes for name, _ in node}
        for name in set(cells) - there:
            del cells[name]
        options = []
        for k in range(len(nodes)):
            taken = {gpu for node, at, w in cells.values() if node == k for gpu in range(at, at + w)}
            options += [(v, k, at) for v, at in buddy_cells(taken) if v >= width]
        if not options:
            return None
        _, k, at = min(options)
        cells[f"{rule.job}/{rule.index}"] = (k, at, width)
        rule.index += 1
        return k

    def rule_of(history, now):
        rule.job, rule.index = history[-1][1], 0
        return rule

    assert_follows(lambda: b.Buddy(NODES), rule_of)
    with pytest.raises(NeverFits):
        b.Buddy(3).arrive("a", 3, 7)
    assert b.Buddy(3).arrive("a", 3, 6).admitted


def test_drain():
    assert_follows(lambda: b.Drain(NODES), fixed(best_fit), lambda cluster: cluster.drain())


def test_fragmentation_of_venus():
    """Shares and values of the evaluation's specification."""
    shares = [0, 37.694, 4.033, 0.117, 5.277, 0.057, 0.120, 0.143, 52.559]
    scheduler = b.Fgd(1, shares=shares)
    found = [float(Fraction(value, scheduler.total)) for value in scheduler.table]
    assert found == pytest.approx([0, 0.623, 1.165, 1.745, 2.115, 2.641, 3.162, 3.679, 0], abs=6e-4)


@pytest.mark.parametrize("scheduler", [b.Drr, b.Fft])
def test_without_rounds_they_are_best_fit(scheduler):
    assert_follows(lambda: scheduler(NODES, round_length=None), fixed(best_fit))
    assert isinstance(scheduler(2), Rounds)
    assert not isinstance(b.BestFit(2), Rounds)


ALL = [getattr(b, name) for name in b.__all__ if name[0].isupper() and name != "PlainScheduler"]


@pytest.mark.parametrize("scheduler", ALL)
def test_interface(scheduler):
    cluster = scheduler(3)
    assert cluster.arrive("a", 5, 2).admitted
    assert cluster.arrive("b", 2).admitted
    before = cluster.snapshot()
    with pytest.raises(NeverFits):
        cluster.arrive("c", 5, 4)
    assert not cluster.arrive("c", 8, 2).admitted
    for call in (
        lambda: cluster.arrive("a", 1),
        lambda: cluster.arrive("c", 9),
        lambda: cluster.arrive("c", 1, 0),
        lambda: cluster.depart("c"),
        lambda: scheduler(0),
        lambda: scheduler(None),
    ):
        with pytest.raises(InputError):
            call()
    assert cluster.snapshot() == before
    cluster.check()
    assert scheduler(2, Geometry(4)).arrive("a", 4, 2).admitted


@pytest.mark.parametrize(
    "call",
    [
        lambda: b.RandomFit(2, seed="x"),
        lambda: b.Fgd(2, shares=[0] * 8),
        lambda: b.Fgd(2, shares=[0, -1, *[0] * 7]),
        lambda: b.Fgd(2, shares=[1, 1, *[0] * 7]),
        lambda: b.Fgd(2, shares=[0, float("nan"), *[0] * 7]),
        lambda: b.Fgd(2, shares=[0, float("inf"), *[0] * 7]),
        lambda: b.Fgd(2, shares=[0, None, *[0] * 7]),
        lambda: b.Fgd(2, variant="sigmoid"),
        lambda: b.Cafgd(2, alpha=1.5),
        lambda: b.Cafgd(2, alpha="half"),
        lambda: b.Cafgd(2, window=0),
        lambda: b.Mcg(2, load=-1),
        lambda: b.Consolidate(2, victims=0),
        lambda: b.Drr(2, round_length=0),
        lambda: b.Fft(2, round_length=1.5),
        lambda: b.OnDemand(2, patience=-1),
    ],
)
def test_settings_out_of_range(call):
    with pytest.raises(InputError):
        call()


def test_shares_of_a_trace():
    jobs = [TraceJob("a", 0, 1, 2, 3), TraceJob("b", 0, 1, 1, 8)]
    assert b.instance_counts(jobs) == [0, 0, 0, 2, 0, 0, 0, 0, 1]


def damage(scheduler):
    """Faults in the books, each of another kind."""
    book = scheduler.book
    yield lambda: book.contents[0].update(ghost=1)
    yield lambda: book.node_of.pop("a/0")
    yield lambda: book.levels.numbers.__setitem__(8, 9)
    yield lambda: book.levels._nodes_at.__setitem__(8, 0)
    yield lambda: scheduler.running.add(1)
    yield lambda: scheduler._jobs.pop("b")


@pytest.mark.parametrize("fault", range(6))
def test_faults_in_the_books_are_found(fault):
    scheduler = b.BestFit(3)
    scheduler.arrive("a", 5)
    scheduler.arrive("b", 5)
    scheduler.check()
    list(damage(scheduler))[fault]()
    with pytest.raises(InvariantViolated):
        scheduler.check()


def covered_twice(scheduler):
    scheduler._free[1] |= 1


def halves_apart(scheduler):
    scheduler._free[8] = 0
    scheduler._free[4] |= 0b1100


def on_another_node(scheduler):
    scheduler._cells["a/0"] = (1, 8)
    scheduler._free[1] = 1 | 1 << 9
    scheduler._free[2] |= 1 << 5
    scheduler._free[4] |= 1 << 3
    scheduler._free[8] = 0


@pytest.mark.parametrize(
    ("fault", "message"),
    [(covered_twice, "do not cover"), (halves_apart, "are both free"), (on_another_node, "is not on the node")],
)
def test_faults_in_cells_are_found(fault, message):
    scheduler = b.Buddy(2)
    scheduler.arrive("a", 1)
    scheduler.arrive("b", 1)
    scheduler.check()
    fault(scheduler)
    with pytest.raises(InvariantViolated, match=message):
        scheduler.check()


def test_an_index_of_levels_that_is_wrong_is_found_among_all_nodes():
    for wrong in (8, 3):
        levels = Levels(20, 8)
        levels.change(17, -5)
        levels.check()
        levels._nodes_at[wrong] ^= 1 << 17
        with pytest.raises(InvariantViolated, match=r"node 17: 3 GPUs free, indexed at \["):
            levels.check()


def test_levels_take_no_more_than_there_is():
    levels = Levels(1, 8)
    with pytest.raises(InvariantViolated):
        levels.change(0, 1)
    with pytest.raises(InvariantViolated):
        levels.change(0, -9)
    assert levels.best_fit(3, use_empty=False) == -1
    levels.change(0, -8)
    assert levels.best_fit(1) == levels.lowest(3) == levels.lowest_with(1) == levels.emptiest() == -1
