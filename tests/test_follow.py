import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import InvariantViolated
from compass.events import Decision, Move, Placement
from compass.follow import Follower
from compass.unified import Unified
from tests.plain_model import PlainCluster


def arrive(*steps, job="a", admitted=True):
    return Decision("arrive", job, admitted, steps)


def depart(*steps, job="a"):
    return Decision("depart", job, True, steps)


def follower_with(*sizes):
    """Two nodes of 8; instance k has the given size and is on node 0."""
    follower = Follower(8, 2)
    for k, size in enumerate(sizes):
        follower.arrived(arrive(Placement(f"j{k}/0", 0), job=f"j{k}"), size, 1)
    return follower


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (arrive(Placement("a/0", 0)), r"a/0 on node 0: 9 of 8 GPUs busy"),
        (arrive(Placement("a/0", 2)), "there is no node 2"),
        (arrive(Placement("a/0", -1)), "there is no node -1"),
        (arrive(), r"\[\] installed, not \['a/0'\]"),
        (arrive(Placement("a/0", 1), Placement("a/1", 1)), "installed, not"),
        (arrive(Placement("a/0", 1), admitted=False), r"\['a/0'\] installed, not \[\]"),
        (arrive(Placement("a/1", 1)), r"\['a/1'\] installed, not \['a/0'\]"),
        (arrive(Placement("j0/0", 1)), "is no new instance"),
        (arrive(Move("j0/0", 1, 0), Placement("a/0", 0)), "the instance is on node 0"),
        (arrive(Move("j0/0", 0, 0), Placement("a/0", 1)), "the instance is on node 0"),
        (arrive(Move("zz/0", 0, 1), Placement("a/0", 1)), "the instance is not running"),
    ],
)
def test_impossible_arrivals(decision, message):
    with pytest.raises(InvariantViolated, match=message):
        follower_with(5).arrived(decision, 4, 1)


def test_impossible_departures():
    with pytest.raises(InvariantViolated, match="is no new instance"):
        follower_with(5).departed(depart(Placement("x/0", 0), job="j0"), 5, 1)
    with pytest.raises(InvariantViolated, match="the instance is not running"):
        follower_with(5, 2).departed(depart(Move("j0/0", 0, 1), job="j0"), 5, 1)


def test_where_an_instance_is():
    follower = follower_with(5, 2)
    assert follower.node_of("j1/0") == 0
    follower.departed(depart(Move("j1/0", 0, 1), job="j0"), 5, 1)
    assert follower.node_of("j1/0") == 1
    with pytest.raises(KeyError):
        follower.node_of("j0/0")


def test_a_step_in_between_may_not_overfill_a_node():
    follower = follower_with(4, 4)
    follower.arrived(arrive(Placement("b/0", 1), job="b"), 8, 1)
    swap = depart(Move("j0/0", 0, 1), Move("j1/0", 0, 1), job="b")
    follower.departed(swap, 8, 1)
    assert follower.partial_nodes == 0
    with pytest.raises(InvariantViolated, match="12 of 8"):
        follower.arrived(arrive(Placement("c/0", 1), Move("j0/0", 1, 0), job="c"), 4, 1)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 3), st.booleans()), max_size=30))
def test_it_agrees_with_the_plain_model(events):
    scheduler, follower, model, jobs = Unified(5), Follower(8, 5), PlainCluster(5, 8), []
    for k, (gpus, instances, leave) in enumerate(events):
        if leave and jobs:
            job, size, number = jobs.pop(0)
            decision = scheduler.depart(job)
            follower.departed(decision, size, number)
            model.apply(decision)
        else:
            decision = scheduler.arrive(f"j{k}", gpus, instances)
            follower.arrived(decision, gpus, instances)
            model.apply(decision, gpus, instances)
            if decision.admitted:
                jobs.append((f"j{k}", gpus, instances))
        assert follower.partial_nodes == model.partial()
        assert {g: n for g, n in enumerate(follower.counts) if n} == model.counts()
