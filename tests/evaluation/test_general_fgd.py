"""FGD in its general form: against its definition, against the closed form on whole GPUs, by hand."""

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import DoesNotFitNow, InputError
from compass.evaluation.baselines.fgd import Fgd
from compass.evaluation.general_fgd import (
    Cluster,
    Demand,
    Fragmentation,
    Free,
    GeneralBestFit,
    GeneralFgd,
    check_demand,
    typical,
)

HALF = Demand(gpus=1, milli=500)


def whole(gpus, **others):
    return Demand(gpus=gpus, milli=1000, **others)


def empty(gpus, cpu=0, **others):
    return Free(cpu, 0, (1000,) * gpus, **others)


def by_definition(free, weights):
    """F of one node as its definition reads, demand by demand, with fractions."""
    total = Fraction(0)
    for demand, weight in weights.items():
        everything = sum(free.gpus)
        takes = (
            demand.gpus > 0
            and len([part for part in free.gpus if part >= demand.milli]) >= demand.gpus
            and free.cpu >= demand.cpu
            and (demand.models == () or free.model in demand.models)
        )
        small = sum(part for part in free.gpus if part < demand.milli)
        total += Fraction(weight, sum(weights.values())) * (small if takes else everything)
    return total


MODELS = st.sampled_from([(), ("A",), ("A", "B")])
MEMORY = st.integers(0, 3)
DEMANDS = st.one_of(
    st.builds(Demand, st.integers(0, 4), MEMORY, st.just(0), st.just(0), st.just(())),
    st.builds(Demand, st.integers(0, 4), MEMORY, st.just(1), st.sampled_from([200, 500, 700]), MODELS),
    st.builds(Demand, st.integers(0, 4), MEMORY, st.integers(1, 3), st.just(1000), MODELS),
)
WORKLOADS = st.dictionaries(DEMANDS, st.integers(1, 9), min_size=1, max_size=6)
GPUS = st.lists(st.sampled_from([0, 100, 300, 500, 800, 1000]), max_size=4).map(tuple)
NODES = st.builds(Free, st.integers(0, 5), MEMORY, GPUS, st.sampled_from("ABC"))


@given(NODES, WORKLOADS)
def test_fragmentation_is_what_the_definition_says(free, weights):
    fragmentation = Fragmentation(weights)
    assert Fraction(fragmentation.amount(free), fragmentation.total) == by_definition(free, weights)


@given(NODES, WORKLOADS, DEMANDS)
def test_the_gpu_and_the_growth_are_the_least_over_all_choices(free, weights, demand):
    if not free.fits(demand):
        return
    fragmentation = Fragmentation(weights)
    growth, best = min(
        (by_definition(after, weights) - by_definition(free, weights), after)
        for gpus in itertools.combinations(range(len(free.gpus)), demand.gpus)
        if all(free.gpus[gpu] >= demand.milli for gpu in gpus)
        for after in [free.changed(demand, gpus, -1)]
    )
    score = GeneralFgd(fragmentation).score(free, demand)
    assert Fraction(-score.value, fragmentation.total) == growth
    after = free.changed(demand, score.gpus, -1)
    assert min(after.gpus, default=0) >= 0
    assert by_definition(after, weights) == by_definition(best, weights)


SHARES = st.lists(st.integers(0, 5), min_size=8, max_size=8).filter(any)


@given(SHARES)
def test_on_whole_gpus_it_is_r_times_the_share_of_larger_demands(counts):
    fragmentation = Fragmentation({whole(gpus): count for gpus, count in enumerate(counts, 1)})
    for free in range(9):
        larger = Fraction(sum(counts[free:]), sum(counts))  # sizes free + 1 .. 8
        amount = Fraction(fragmentation.amount(empty(free)), 1000 * fragmentation.total)
        assert amount == free * larger
        assert free not in (0, 8) or amount == 0


@given(SHARES, st.integers(1, 4), st.sampled_from(["exact", "trunc"]), st.integers(0, 2**32))
def test_on_whole_gpus_the_baseline_takes_a_node_that_is_best_here(counts, nodes, variant, seed):
    """Arrivals and departures under both; of the best nodes the baseline takes one with least free, then the lowest."""
    draw = random.Random(seed)
    weights = {whole(gpus): count for gpus, count in enumerate(counts, 1)}
    cluster = Cluster([empty(8)] * nodes, GeneralFgd(Fragmentation(weights), truncated=variant == "trunc"))
    baseline = Fgd(nodes, shares=[0, *counts], variant=variant)
    running = {}
    for job in map(str, range(12)):
        if running and draw.random() < 0.4:
            leaving = draw.choice(sorted(running))
            cluster.remove(running.pop(leaving))
            baseline.depart(leaving)
        demand = whole(draw.randint(1, 8))
        decision = baseline.arrive(job, demand.gpus)
        best = cluster.best(demand)
        assert decision.admitted == bool(best)
        if best:
            (placement,) = decision.placements
            assert placement.node == min(best, key=lambda node: (sum(cluster.nodes[node].gpus), node))
            running[job] = cluster.put(demand, placement.node)


def test_a_shared_gpu_by_hand():
    """Half of the demands want 0.7 of a GPU, half a whole one. A node has GPUs with 0.5 and 1 free.

    F before: 0.5 for both. Taking 0.5 from the first leaves only the whole one: F = 0, growth -0.5. Taking it from the
    second leaves 0.5 + 0.5, of use for neither: F = 1, growth 0.5.
    """
    policy = GeneralFgd(Fragmentation({Demand(gpus=1, milli=700): 1, whole(1): 1}))
    score = policy.score(Free(0, 0, (500, 1000)), HALF)
    assert score == (2 * 500, (0,))
    assert policy.score(Free(0, 0, (1000, 500)), HALF).gpus == (1,)


def test_lack_of_cpu_by_hand():
    """The workload is one GPU with 4 cores. A node has two GPUs and 5 cores: F = 0.

    A whole GPU without CPU leaves one GPU and 5 cores: growth 0. With 2 cores it leaves 3: the other GPU is lost.
    """
    policy = GeneralFgd(Fragmentation({whole(1, cpu=4): 1}))
    assert policy.score(empty(2, cpu=5), whole(1)).value == 0
    assert policy.score(empty(2, cpu=5), whole(1, cpu=2)).value == -1000


def test_cpu_alone_and_models_by_hand():
    weights = {Demand(cpu=1): 1, whole(1, models=("A",)): 3}
    amounts = {model: Fragmentation(weights).amount(empty(2, cpu=9, model=model)) for model in "AB"}
    assert amounts == {"A": 1 * 2000, "B": 4 * 2000}


@pytest.mark.parametrize(("growth", "value"), [(0, 50), (1, 26), (-1, 73), (2, 11), (-2, 88), (8, 0), (-8, 99)])
def test_truncated_scores_by_hand(growth, value):
    """100 / (1 + e^growth): 26.89, 73.11, 11.92, 88.08, 0.03, 99.97. A node where it grows by so many GPUs is made."""
    if growth >= 0:  # `growth` of the free GPUs are of use for the workload; the last core goes
        fragmentation, free, demand = Fragmentation({whole(1, cpu=1): 1}), empty(growth, cpu=1), Demand(cpu=1)
    else:  # all are of no use to a workload that wants ten; they are taken
        fragmentation, free, demand = Fragmentation({whole(10): 1}), empty(-growth), whole(-growth)
    assert GeneralFgd(fragmentation).score(free, demand).value == -1000 * growth
    assert GeneralFgd(fragmentation, truncated=True).score(free, demand).value == value


def test_truncation_takes_the_first_of_gpus_that_it_cannot_tell_apart():
    """The workload wants 0.2 of a GPU; half a GPU is taken from one with 0.61 or from one with 0.6 free.

    0.11 or 0.1 are lost: the second is better. But both scores, 47.25 and 47.50, count as 47.
    """
    fragmentation = Fragmentation({Demand(gpus=1, milli=200): 1})
    free = Free(0, 0, (610, 600))
    assert GeneralFgd(fragmentation).score(free, HALF) == (-100, (1,))
    assert GeneralFgd(fragmentation, truncated=True).score(free, HALF) == (47, (0,))


def test_best_fit_by_hand():
    """64 of 128 cores and 4 of 8 GPUs left: 100 (1 - (1/2 + 1/2) / 2) = 50; one core less, 50.39, is 50 as well."""
    node = empty(5, cpu=64_000)
    assert GeneralBestFit().score(node, whole(1)) == (50, (0,))
    assert GeneralBestFit().score(node, whole(1, cpu=1000)).value == 50
    assert GeneralBestFit().score(node, whole(1, cpu=3000)).value == 51  # 51.17
    assert GeneralBestFit().score(node, Demand(cpu=64_000)) == (68, ())  # 100 (1 - (0 + 5/8) / 2) = 68.75
    assert GeneralBestFit().score(Free(0, 0, (400, 1000, 600, 600)), HALF).gpus == (2,)
    assert GeneralBestFit().score(Free(0, 0, (400, 1000, 600, 1000)), whole(2)).gpus == (1, 3)


def test_ranks_break_ties_and_groups_follow_the_nodes():
    cluster = Cluster([empty(2), empty(2), empty(4)], GeneralBestFit(), ranks=[2, 1, 0])
    assert cluster.best(whole(1)) == [1, 0]  # both leave less free than the third
    first = cluster.place(whole(1))
    assert first == (1, whole(1), (0,))
    assert cluster.nodes[1].gpus == (0, 1000)
    assert cluster.place(whole(2)).node == 0
    assert cluster.place(whole(3)).node == 2
    assert cluster.place(whole(2)) is None
    cluster.remove(first)
    assert cluster.nodes == [Free(0, 0, (0, 0)), empty(2), Free(0, 0, (0, 0, 0, 1000))]
    assert cluster.best(whole(2)) == [1]


def test_memory_is_asked_for_and_taken():
    cluster = Cluster([Free(0, 10, (1000,))], GeneralBestFit())
    assert cluster.place(Demand(memory=11)) is None
    assert cluster.place(Demand(memory=6)).gpus == ()
    with pytest.raises(DoesNotFitNow, match=r"node 0 has .*memory=4"):
        cluster.put(Demand(memory=5), 0)


@given(st.lists(NODES, min_size=1, max_size=5), WORKLOADS, st.lists(DEMANDS, max_size=8), st.randoms())
def test_groups_change_nothing(nodes, weights, demands, draw):
    """The grouped, cached choice is the one of a look at every node, tie-break included; removal undoes."""
    ranks = draw.sample(range(len(nodes)), len(nodes))
    policy = draw.choice([GeneralFgd(Fragmentation(weights), truncated=draw.random() < 0.5), GeneralBestFit()])
    cluster, running = Cluster(nodes, policy, ranks), []
    for demand in demands:
        if running and draw.random() < 0.3:
            cluster.remove(running.pop())
        fitting = [node for node, free in enumerate(cluster.nodes) if free.fits(demand)]
        placed = cluster.place(demand)
        assert (placed is None) == (not fitting)
        if placed:
            cluster.remove(placed)
            values = {node: policy.score(cluster.nodes[node], demand).value for node in fitting}
            assert placed.node == min(fitting, key=lambda node: (-values[node], ranks[node]))
            running.append(cluster.place(demand))
    while running:
        cluster.remove(running.pop())
    assert cluster.nodes == nodes


def test_typical_demands_by_hand():
    """Ten demands: 4, 3, 2 and 1 of a kind; 70 % are the first two kinds, 71 % need the third."""
    kinds = [whole(1, cpu=cpu, memory=cpu) for cpu in (1, 2, 3, 4)]
    workload = [kind for kind, count in zip(kinds, (4, 3, 2, 1), strict=True) for _ in range(count)]
    without = [kind._replace(memory=0) for kind in kinds]
    assert list(typical(workload, 70).items()) == [(without[0], 4), (without[1], 3)]
    assert list(typical(workload, 71)) == without[:3]
    assert list(typical(workload, 100)) == without
    tied = [Demand(cpu=1), HALF, whole(2), whole(1, cpu=1), whole(1)]
    assert list(typical(tied, 100)) == [whole(1, cpu=1), Demand(cpu=1), whole(2), whole(1), HALF]


@pytest.mark.parametrize(
    "wrong",
    [Demand(cpu=-1), Demand(gpus=1), Demand(milli=1), Demand(gpus=1, milli=1001), Demand(gpus=2, milli=500)],
)
def test_malformed_demands(wrong):
    with pytest.raises(InputError, match="Demand"):
        check_demand(wrong)
    with pytest.raises(InputError):
        Fragmentation({wrong: 1})
    cluster = Cluster([empty(8)], GeneralBestFit())
    with pytest.raises(InputError):
        cluster.place(wrong)
    with pytest.raises(InputError):
        cluster.put(wrong, 0)


def test_malformed_workloads_and_ranks():
    with pytest.raises(InputError, match="at least one demand"):
        Fragmentation({})
    for ranks in ([0, 0], [0], [1, 2]):
        with pytest.raises(InputError, match=r"permutation of 0 \.\. 1"):
            Cluster([empty(1)] * 2, GeneralBestFit(), ranks)
