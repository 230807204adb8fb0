"""The printed algorithm: operators by hand-computed cases, arguments, checks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.events import Decision, Placement
from compass.geometry import Geometry
from compass.printed import Printed
from compass.printed_state import IndexSet
from compass.readings import Readings
from compass.scheduler import Scheduler
from compass.space import AbsState, Anchor

G8 = Geometry()


def cluster(*nodes, geometry=G8, **readings):
    """A cluster in a given state: a node is its number of pool instances or a list of ``(anchor, fillers)``.

    Every instance is a job of its own: ``A1.0`` anchors slot 0 of node 1, ``F1.0.2`` is its third filler, ``P1.0`` the
    first instance of pool node 1.
    """
    contents = []
    for n, node in enumerate(nodes):
        slots, pool = ([], node) if isinstance(node, int) else (node, 0)
        named = [(Anchor(f"A{n}.{k}/0", g), [f"F{n}.{k}.{i}/0" for i in range(f)]) for k, (g, f) in enumerate(slots)]
        contents.append((named, [f"P{n}.{k}/0" for k in range(pool)]))
    return Printed.from_state(AbsState.of(geometry, contents), Readings(**readings))


def loads(printed):
    return [node.load for node in printed.snapshot().nodes]


def steps(decision):
    """The steps as text: ``"x@1"`` a placement, ``"x:0>1"`` a move; instance number 0 is left out."""
    text = [
        f"{s.instance}@{s.node}" if isinstance(s, Placement) else f"{s.instance}:{s.source}>{s.target}"
        for s in decision.steps
    ]
    return [t.replace("/0", "") for t in text]


# -- Place ---------------------------------------------------------------------------------------------------------


def test_place_takes_the_slotted_node_with_the_least_sufficient_d():
    printed = cluster(0, [(4, 0)], [(4, 0), (2, 0)])
    assert steps(printed.arrive("x", 2)) == ["x@2"]
    assert steps(printed.arrive("y", 3)) == ["y@1"]
    assert steps(printed.arrive("z", 2)) == ["z@0"]


def test_place_does_not_put_an_anchor_on_a_pool_node():
    printed = cluster(1)
    assert printed.arrive("x", 2) == Decision("arrive", "x", admitted=False)


def test_place_draws_fillers_after_the_anchor_is_installed():
    printed = cluster(3, 7, 0)
    assert steps(printed.arrive("x", 6)) == ["x@2", "P0.0:0>2", "P0.1:0>2", "P0.2:0>1"]
    assert loads(printed) == [0, 8, 8]


def test_place_draws_no_more_than_there_are():
    assert steps(cluster(1, 0).arrive("x", 5)) == ["x@1", "P0.0:0>1"]
    assert steps(cluster(1, 0, migrations="simultaneous").arrive("x", 5)) == ["x@1", "P0.0:0>1"]


def test_place_of_one_gpu_slot_before_pool_before_empty():
    printed = cluster([(7, 0)], 7, 0)
    assert [steps(printed.arrive(job, 1)) for job in "abc"] == [["a@0"], ["b@1"], ["c@2"]]


def test_a_gang_with_no_place_for_one_instance_changes_nothing():
    printed = cluster(4, 8, 0, [(2, 0)])
    before = printed.state()
    decision = printed.arrive("x", 5, 2)
    assert decision == Decision("arrive", "x", admitted=False)
    assert printed.state() == before
    assert printed.running.as_dict() == {1: 12, 2: 1}
    printed.check()
    assert steps(printed.arrive("x", 5)) == ["x@2", "P0.0:0>2", "P0.1:0>2", "P0.2:0>2"]


@pytest.mark.parametrize(("gpus", "instances"), [(5, 3), (3, 5), (2, 9), (1, 17)])
def test_what_could_never_fit(gpus, instances):
    with pytest.raises(NeverFits, match=f"{instances} slots of width"):
        Printed(2).arrive("x", gpus, instances)
    assert Printed(2).arrive("x", gpus, instances - 1).admitted


# -- Remove --------------------------------------------------------------------------------------------------------


def test_remove_of_an_anchor_rehomes_fillers_by_the_one_gpu_rule():
    printed = cluster([(5, 3)], [(7, 0)], 7, 0)
    assert steps(printed.depart("A0.0")) == ["F0.0.0:0>1", "F0.0.1:0>2"]
    assert loads(printed) == [1, 8, 8, 0]


def test_remove_of_a_pool_instance_only_detaches_it():
    printed = cluster(3, [(4, 0)])
    assert steps(printed.depart("P0.1")) == []
    assert loads(printed) == [2, 4]


def test_a_filler_stays_on_its_node_where_another_slot_has_room():
    printed = cluster([(3, 1), (3, 0)])
    assert steps(printed.depart("A0.0")) == []
    assert printed.state().nodes[0].names == ("A0.1/0", "F0.0.0/0")


def test_no_legal_destination_names_node_slot_and_filler_and_changes_nothing():
    printed = cluster([(4, 0), (3, 1)], [(4, 0), (4, 0)])
    before = printed.state()
    with pytest.raises(NoLegalDestination, match=r"node n0, slot 1 \(width 4, anchor A0.1/0\): filler F0.1.0/0 has no"):
        printed.depart("A0.1")
    assert printed.state() == before
    printed.check()
    assert steps(printed.depart("F0.1.0")) == []
    assert steps(printed.depart("A0.1")) == []


def test_moves_of_the_departing_job_are_dropped():
    printed = Printed(3)
    printed.arrive("a", 3)
    printed.arrive("d", 1, 3)
    printed.arrive("e", 1)
    assert loads(printed) == [4, 3, 0]
    assert steps(printed.depart("d")) == ["e:1>0"]
    assert loads(printed) == [4, 0, 0]


# -- Compact -------------------------------------------------------------------------------------------------------


def test_pool_pass_empties_the_roomiest_node_into_the_least_roomy():
    assert steps(cluster(2, 3, 7, 0).arrive("x", 8)) == ["x@3", "P0.0:0>2", "P0.1:0>1"]


def test_pool_pass_stops_where_no_host_has_room():
    printed = cluster(5, 6, 0)
    assert steps(printed.arrive("x", 8)) == ["x@2", "P0.0:0>1", "P0.1:0>1"]
    assert loads(printed) == [3, 8, 8]


def test_pool_pass_goes_on_with_the_next_source():
    printed = cluster(1, 2, 3, 0)
    assert steps(printed.arrive("x", 8)) == ["x@3", "P0.0:0>2", "P1.0:1>2", "P1.1:1>2"]


def test_width_pass_takes_fillers_along():
    printed = cluster([(3, 1)], [(4, 0)], 0)
    assert steps(printed.arrive("x", 8)) == ["x@2", "A0.0:0>1", "F0.0.0:0>1"]
    assert printed.state().nodes[1].names == ("A1.0/0", "A0.0/0", "F0.0.0/0")


def test_width_passes_go_from_wide_to_narrow():
    printed = cluster([(2, 0), (4, 0)], [(4, 0), (2, 0)], [(2, 0)], 0)
    assert steps(printed.arrive("x", 8)) == ["x@3", "A2.0:2>1"]
    printed = cluster([(2, 0)], [(4, 0)], [(2, 0), (4, 0)], [(4, 0)], 0)
    assert steps(printed.arrive("x", 8)) == ["x@4", "A1.0:1>3", "A0.0:0>2"]


def test_width_pass_stops_where_no_host_has_room():
    printed = cluster([(2, 0), (2, 0)], [(4, 0), (2, 0)], 0)
    assert steps(printed.arrive("x", 8)) == ["x@2", "A0.0:0>1"]


# -- each reading changes what happens ------------------------------------------------------------------------------


def test_refill():
    assert steps(cluster([(3, 1)], 2).depart("F0.0.0")) == ["P1.0:1>0"]
    assert steps(cluster([(3, 1)], 2, migrations="simultaneous").depart("F0.0.0")) == ["P1.0:1>0"]
    assert steps(cluster([(3, 1)], 2, refill="pseudocode").depart("F0.0.0")) == []


def test_rehome():
    assert steps(cluster([(6, 2)]).depart("A0.0")) == []
    assert steps(cluster([(6, 2)], 0, rehome="before").depart("A0.0")) == ["F0.0.0:0>1", "F0.0.1:0>1"]
    with pytest.raises(NoLegalDestination):
        cluster([(6, 2)], rehome="before").depart("A0.0")


def test_migrations_of_remove():
    sequential = cluster([(6, 2)], [(3, 0)], [(3, 0)])
    assert steps(sequential.depart("A0.0")) == ["F0.0.0:0>1", "F0.0.1:0>2", "A1.0:1>2", "F0.0.0:1>2"]
    simultaneous = cluster([(6, 2)], [(3, 0)], [(3, 0)], migrations="simultaneous")
    before = simultaneous.state()
    with pytest.raises(NoLegalDestination, match=r"filler F0\.0\.1/0 has no legal destination"):
        simultaneous.depart("A0.0")
    assert simultaneous.state() == before
    assert steps(cluster([(6, 2)], 3, migrations="simultaneous").depart("A0.0")) == ["F0.0.0:0>1", "F0.0.1:0>1"]
    assert steps(cluster([(6, 0)], migrations="simultaneous").depart("A0.0")) == []


def test_migrations_of_place():
    nodes = (7, 7, 0)
    assert steps(cluster(*nodes, draw="fullest").arrive("x", 6))[:3] == ["x@2", "P0.0:0>2", "P1.0:1>2"]
    simultaneous = cluster(*nodes, draw="fullest", migrations="simultaneous")
    assert steps(simultaneous.arrive("x", 6))[:3] == ["x@2", "P0.0:0>2", "P0.1:0>2"]


def test_room_and_cap():
    nodes = ([(4, 0)], [(4, 0), (2, 0)], 0)
    for readings in ({}, {"room": "cap"}, {"cap": "nodes"}):
        assert steps(cluster(*nodes, **readings).arrive("x", 8)) == ["x@2"]
    printed = cluster(*nodes, room="cap", cap="nodes")
    before = printed.state()
    message = r"node n1: Compact moves a slot of width 4 \(anchor A0.0/0\) from n0 to it, but its D is 2: the room of"
    with pytest.raises(NoLegalDestination, match=message):
        printed.arrive("x", 8)
    assert printed.state() == before
    assert printed.running.as_dict() == {2: 1, 4: 2}
    printed.check()
    with pytest.raises(NoLegalDestination, match=message):
        cluster(*nodes[:2], [(8, 0)], room="cap", cap="nodes").depart("A2.0")


def test_room_alone_orders_hosts():
    nodes = ([(2, 0)], [(2, 0)] * 3, [(4, 0), (2, 0)], 0)
    assert steps(cluster(*nodes).arrive("x", 8)) == ["x@3", "A0.0:0>2"]
    assert steps(cluster(*nodes, room="cap").arrive("x", 8)) == ["x@3", "A0.0:0>1"]


def test_room_cap_exceeds_a_node_even_where_one_slot_fits():
    nodes = ([(2, 0)], [(2, 0)], [(4, 0), (2, 0)], 0)
    assert steps(cluster(*nodes).arrive("x", 8)) == ["x@3", "A0.0:0>2"]
    with pytest.raises(NoLegalDestination, match=r"width 2 \(anchor A1\.0/0\) from n1 to it, but its D is 0"):
        cluster(*nodes, room="cap").arrive("x", 8)


def test_ties():
    assert steps(cluster(0, 0).arrive("x", 8)) == ["x@0"]
    assert steps(cluster(0, 0, ties="highest").arrive("x", 8)) == ["x@1"]
    assert steps(cluster([(3, 1)], [(4, 0)], 0, ties="highest").arrive("x", 8)) == ["x@2", "A1.0:1>0"]
    highest = cluster(3, 3, 0, ties="highest")
    assert steps(highest.arrive("x", 7))[:2] == ["x@2", "P1.2:1>2"]
    slots = cluster([(3, 0), (3, 0)], ties="highest")
    slots.arrive("x", 1)
    assert slots.state().nodes[0].names == ("A0.0/0", "A0.1/0", "x/0")


def test_hosts():
    nodes = ([(2, 0)], [(4, 0), (2, 0)], [(4, 0), (2, 0)], 0)
    assert steps(cluster(*nodes).arrive("x", 8)) == ["x@3", "A0.0:0>2"]
    # n1 has just been filled and comes to the head of N: a migration that gains nothing
    assert steps(cluster(*nodes, hosts="first").arrive("x", 8)) == ["x@3", "A0.0:0>1", "A1.1:1>2"]


def test_fill():
    assert steps(cluster([(5, 0)], [(3, 0)]).arrive("x", 1)) == ["x@1"]
    assert steps(cluster([(5, 0)], [(3, 0)], fill="loosest").arrive("x", 1)) == ["x@0"]


def test_pool():
    assert steps(cluster(2, 5).arrive("x", 1))[0] == "x@1"
    assert steps(cluster(2, 5, pool="emptiest").arrive("x", 1))[0] == "x@0"


def test_draw():
    assert steps(cluster(7, 6, 0).arrive("x", 3))[:2] == ["x@2", "P1.0:1>2"]
    assert steps(cluster(7, 6, 0, draw="fullest").arrive("x", 3))[:2] == ["x@2", "P0.0:0>2"]


# -- arguments, growth, checks --------------------------------------------------------------------------------------


def test_printed_is_a_scheduler():
    assert isinstance(Printed(1), Scheduler)


@pytest.mark.parametrize("nodes", [0, -1, 2.0, True])
def test_nodes_is_a_positive_integer(nodes):
    with pytest.raises(InputError, match="nodes: must be a positive integer"):
        Printed(nodes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", 1), "job 'a': is running already"),
        (("", 1), "job '': a name must be text"),
        ((3, 1), "job 3: a name must be text"),
        (("b", 9), "9 GPUs an instance"),
        (("b", 0), "0 GPUs an instance"),
        (("b", 1, 0), "job 'b': 0 instances: must be a positive integer"),
        (("b", 1, 1.0), "job 'b': 1.0 instances: must be a positive integer"),
    ],
)
def test_bad_arrivals(arguments, message):
    printed = Printed(1)
    printed.arrive("a", 1)
    with pytest.raises(InputError, match=message):
        printed.arrive(*arguments)


def test_bad_departures():
    with pytest.raises(InputError, match="job 'a': is not running"):
        Printed(1).depart("a")


def test_a_cluster_without_bound_grows_and_reuses():
    for ties in ("lowest", "highest"):
        printed = Printed(None, readings=Readings(ties=ties))
        assert steps(printed.arrive("a", 8, 3)) == ["a@0", "a/1@1", "a/2@2"]
        printed.arrive("b", 8)
        printed.depart("a")
        assert printed.partial_nodes == 0
        assert steps(printed.arrive("c", 5)) == ["c@0"]
        assert len(printed.snapshot().nodes) == 4


def test_growth_is_undone():
    printed = Printed(None, readings=Readings(room="cap", cap="nodes", ties="highest"))
    printed.arrive("a", 4)
    printed.arrive("b", 2)
    with pytest.raises(NoLegalDestination):
        printed.arrive("c", 4)
    assert loads(printed) == [6]
    assert steps(printed.arrive("d", 8)) == ["d@1"]


def test_from_state_gathers_jobs_in_instance_order():
    contents = [([(Anchor("a/10", 3), ["b/1"])], []), ([(Anchor("a/2", 3), [])], []), ([], ["b/0"])]
    printed = Printed.from_state(AbsState.of(G8, contents))
    printed.check()
    assert printed.running.as_dict() == {1: 2, 3: 2}
    assert steps(printed.depart("a")) == ["b/1:0>2"]  # had a/10 left first, b/1 would first fill a/2's slot
    with pytest.raises(InputError, match="job 'a': instances of 3 and of 1 GPUs"):
        Printed.from_state(AbsState.of(G8, [([(Anchor("a/0", 3), ["a/1"])], [])]))
    with pytest.raises(InputError, match="0 nodes"):
        Printed.from_state(AbsState(G8, ()))


def test_check_can_fail():
    def break_sigma(printed):
        printed._state.nodes[0].ones.append(printed._jobs["P1.0"][0])

    def break_load(printed):
        printed._state.nodes[0].load = 7

    def break_index(printed):
        printed._state.empty.add(1)

    def break_partial(printed):
        printed._state.partial_nodes += 1

    def break_running(printed):
        printed.running.add(2)

    for tamper, message in (
        (break_sigma, "node n0: 1 of 2 1-GPU instances are in no slot"),
        (break_load, "node n0: load 7 kept, 4 GPUs busy"),
        (break_index, "node n1: the indexes do not show"),
        (break_partial, "3 partial nodes counted, 2 found"),
        (break_running, "instances by size"),
    ):
        printed = cluster([(3, 1)], 2, 0)
        printed.check()
        tamper(printed)
        with pytest.raises(InvariantViolated, match=message):
            printed.check()


@given(st.sets(st.integers(0, 200)))
def test_index_sets_are_sets(indices):
    index_set = IndexSet()
    for index in indices:
        index_set.add(index)
        index_set.add(index)
    assert list(index_set) == sorted(indices)
    assert list(reversed(index_set)) == sorted(indices, reverse=True)
    assert bool(index_set) == bool(indices)
    for index in list(indices)[::2]:
        assert index_set.first == min(index_set)
        assert index_set.last == max(index_set)
        index_set.discard(index)
        index_set.discard(index)
        assert index not in list(index_set)


def test_check_changes_looks_at_what_the_last_event_changed():
    printed = Printed(3)
    printed.arrive("a", 4)
    printed.arrive("b", 8)
    printed.check_changes()
    printed._state.nodes[0].load = 7  # not touched by the last event
    printed.check_changes()
    printed._state.nodes[1].load = 7
    with pytest.raises(InvariantViolated, match="node n1: load 7 kept, 8 GPUs busy"):
        printed.check_changes()
