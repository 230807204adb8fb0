"""`repaired` and `unified`: their guarantees, under random events and exhaustively on small clusters."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compass.board import Instance
from compass.composition import Composition
from compass.errors import DoesNotFitNow, InputError, InvariantViolated, NeverFits
from compass.events import Decision
from compass.geometry import Geometry
from compass.repaired import Repaired
from compass.shapes import shape_table
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.unified import Unified
from tests.plain_model import PlainCluster
from tests.settled_rules import placement, repaired_can_run, unified_can_run


def exclusive_states(geometry, nodes):
    """Every placement of the wider space up to node order in which exclusion holds."""
    for shapes in itertools.combinations_with_replacement(shape_table(geometry), nodes):
        if not (any(s.vacancy for s in shapes) and any(s.free for s in shapes)):
            yield shapes


@pytest.mark.parametrize(
    ("geometry", "nodes", "cases", "most"),
    [
        (Geometry(8), 2, 5290, 4),
        (Geometry(4), 3, None, 3),
        (Geometry(2), 4, None, 1),
        (Geometry(8, (4, 8)), 2, None, 5),
    ],
)
def test_every_admissible_arrival_has_a_plan_in_every_state(geometry, nodes, cases, most):
    """Admission, exhaustively: any exclusive state, any instance with max(W, T) <= G N afterwards."""
    seen = worst = 0
    for shapes in exclusive_states(geometry, nodes):
        snapshot = Snapshot.of([shape.sizes for shape in shapes], geometry.capacity)
        counts = {}
        for g in itertools.chain(*(shape.sizes for shape in shapes)):
            counts[g] = counts.get(g, 0) + 1
        for gpus in geometry.sizes:
            more = {**counts, gpus: counts.get(gpus, 0) + 1}
            if not unified_can_run(geometry, nodes, more):
                continue
            scheduler = Unified(nodes, geometry, None)
            assert scheduler.load(snapshot) == ()
            decision = scheduler.arrive("new", gpus)
            assert decision.admitted
            scheduler.check()
            seen += 1
            worst = max(worst, len({move.instance for move in decision.moves}))
    assert worst <= most
    if cases is not None:
        assert seen == cases


@given(st.dictionaries(st.integers(1, 8), st.integers(0, 6), max_size=4), st.integers(1, 5))
def test_repaired_admission_is_exact(counts, nodes):
    for geometry in (Geometry(8), Geometry(8, (4, 8))):
        expected = repaired_can_run(geometry, nodes, counts)
        assert Repaired(nodes, geometry).admits(Composition(geometry, counts)) == expected


@given(st.dictionaries(st.sampled_from([1, 2, 3, 5, 9, 11, 13]), st.integers(0, 4), max_size=4), st.integers(1, 4))
def test_repaired_admission_is_exact_for_sixteen_gpus(counts, nodes):
    expected = repaired_can_run(Geometry(16), nodes, counts)
    assert Repaired(nodes, Geometry(16)).admits(Composition(Geometry(16), counts)) == expected


def test_keeping_a_node_of_spare_is_enough_for_repaired():
    # design: closed under departures when admission keeps T <= G (N - 1); the exact condition allows more
    geometry = Geometry()
    for nodes in (1, 2, 3):
        for counts in itertools.product(range(5), range(3), range(3), range(3), range(2)):
            numbers = dict(zip((1, 2, 3, 4, 5), counts, strict=True))
            running = Composition(geometry, numbers)
            if running.width <= 8 * nodes - 6:
                assert repaired_can_run(geometry, nodes, numbers)


@pytest.mark.parametrize("make", [Repaired, Unified])
def test_a_cluster_without_bound(make):
    scheduler = make(None)
    for k in range(20):
        assert scheduler.arrive(f"a{k}", 5, 2).admitted
        assert scheduler.arrive(f"b{k}", 1, 3).admitted
    scheduler.check()
    assert len(scheduler.snapshot().nodes) == 40


@pytest.mark.parametrize("make", [Repaired, Unified])
@pytest.mark.parametrize("nodes", [0, -1, 1.0, True, "3"])
def test_nodes_is_a_positive_integer(make, nodes):
    with pytest.raises(InputError, match="must be a positive integer"):
        make(nodes)


@pytest.mark.parametrize("make", [Repaired, Unified])
@pytest.mark.parametrize(("gpus", "instances"), [(8, 3), (5, 3), (1, 17), (2, 9)])
def test_never_fits_is_told_apart_from_not_now(make, gpus, instances):
    scheduler = make(2)
    with pytest.raises(NeverFits, match="never fit 2 nodes"):
        scheduler.arrive("a", gpus, instances)
    assert scheduler.arrive("b", 8, 2).admitted
    assert not scheduler.arrive("c", 8).admitted


def test_an_arriving_anchor_adopts_and_a_left_filler_stays():
    scheduler = Unified(2)
    scheduler.arrive("ones", 1, 3)
    assert scheduler.arrive("five", 5).moves == ()
    assert [node.load for node in scheduler.snapshot().nodes] == [8, 0]
    assert scheduler.depart("five").moves == ()


def test_repaired_lets_fillers_become_a_pool_node():
    scheduler = Repaired(2)
    scheduler.arrive("ones", 1, 3)
    scheduler.arrive("five", 5)
    assert scheduler.depart("five").steps == ()
    assert [node.load for node in scheduler.snapshot().nodes] == [3, 0]


@pytest.mark.parametrize("make", [Repaired, Unified])
def test_load_settles_what_another_scheduler_left(make):
    snapshot = Snapshot.of([[4, 2], [4], [1] * 6, [3], [5, 1]])
    scheduler = make(5)
    model = PlainCluster(5, 8)
    model.nodes = [[(f"{i.job}/0", i.gpus) for i in node.instances] for node in snapshot.nodes]
    for instance, source, target in scheduler.load(snapshot):
        (gpus,) = [g for name, g in model.nodes[source] if name == instance]
        model.nodes[source].remove((instance, gpus))
        model._add(target, instance, gpus)
    scheduler.check()
    assert model.placement() == placement(scheduler)
    assert scheduler.partial_nodes <= 2
    scheduler.depart("j0")
    scheduler.check()


@pytest.mark.parametrize(
    ("snapshot", "error", "message"),
    [
        (Snapshot.of([[1], [1], [1]]), InputError, "the snapshot has 3 nodes, the cluster 2"),
        (Snapshot.of([[1], [1]], 4), InputError, "node 'n0': capacity 4, expected 8"),
        (Snapshot.of([[5, 3], []]), InputError, "node 'n0': the slots of instances .* do not fit"),
        (
            Snapshot((Node("x", (PlacedInstance("a", 1), PlacedInstance("a", 2))), Node("y"))),
            InputError,
            "job 'a': instances of 1 and of 2 GPUs",
        ),
    ],
)
def test_snapshots_that_cannot_be_loaded(snapshot, error, message):
    scheduler = Unified(2)
    with pytest.raises(error, match=message):
        scheduler.load(snapshot)
    assert placement(scheduler) == {}


def test_load_needs_room_in_the_space_and_an_idle_cluster():
    full = Snapshot.of([[4, 3, 1], [1] * 8])
    with pytest.raises(DoesNotFitNow, match="no place in the space"):
        Repaired(2).load(full)
    scheduler = Unified(2)
    scheduler.load(full)
    with pytest.raises(InputError, match="idle"):
        scheduler.load(full)


def damaged(make):
    scheduler = make(3)
    scheduler.arrive("a", 4)
    return scheduler


@pytest.mark.parametrize("make", [Repaired, Unified])
def test_checks_can_fail(make):
    for damage, message in [
        (lambda s: s.board.install(Instance("x", 0, 2), 1), "nodes of kind"),
        (lambda s: (s.board.install(Instance("x", 0, 5), 1), s.board.install(Instance("y", 0, 1), 2)), "exclusion"),
        (lambda s: setattr(s.board.contents[0][0], "gpus", 2), "recorded"),
    ]:
        for method in ("check", "check_changes"):
            scheduler = damaged(make)
            damage(scheduler)
            with pytest.raises(InvariantViolated, match=message):
                getattr(scheduler, method)()
    scheduler = damaged(make)
    scheduler.partial_bound = lambda: 0
    with pytest.raises(InvariantViolated, match="1 partial nodes, at most 0"):
        scheduler.check()


def test_a_missing_plan_is_a_bug_and_said_so(monkeypatch):
    scheduler = Unified(2)
    monkeypatch.setattr(scheduler._choose, "merge", lambda: None)
    with pytest.raises(InvariantViolated, match="no plan merges"):
        scheduler._merge()
    board = damaged(Unified).board
    board.used[0].shape = board.empty
    with pytest.raises(InvariantViolated, match=r"a/0\(4\) is not in"):
        board.evict(board.contents[0][0])


def test_load_of_a_placement_that_no_legal_moves_settle_leaves_the_cluster_idle():
    # Sigma holds {4},{4} on one node and the seven 1s on the other, but no single move on the way there is legal.
    scheduler = Repaired(2)
    with pytest.raises(DoesNotFitNow, match="no legal moves settle"):
        scheduler.load(Snapshot.of([[4, 1, 1], [4, 1, 1, 1]]))
    assert placement(scheduler) == {}
    assert scheduler.running.total == 0
    assert scheduler.arrive("a", 8, 2).admitted
    scheduler.check()


@settings(max_examples=300)
@given(st.lists(st.integers(0, len(shape_table(Geometry())) - 1), min_size=1, max_size=5), st.integers(0, 2))
def test_any_placement_is_settled_or_refused_with_nothing_changed(indices, extra):
    shapes = [shape_table(Geometry())[index].sizes for index in indices] + [()] * extra
    snapshot = Snapshot.of(shapes)
    for scheduler in (Repaired(len(shapes)), Unified(len(shapes)), Unified(len(shapes), open_nodes=2)):
        model = PlainCluster(len(shapes), 8)
        model.nodes = [[(f"{i.job}/0", i.gpus) for i in node.instances] for node in snapshot.nodes]
        try:
            moves = scheduler.load(snapshot)
        except DoesNotFitNow:
            assert isinstance(scheduler, Repaired)
            assert placement(scheduler) == {}
            continue
        model.apply(Decision("arrive", "none", False, moves), 0, 0)
        assert placement(scheduler) == model.placement()
        scheduler.check()


@pytest.mark.parametrize(
    ("nodes", "geometry", "sizes"),
    [
        (4, Geometry(16), [8, 4, 2, 1, 1] * 3 + [4, 2, 9]),
        (4, Geometry(16), [8, 4, 2, 1, 1] * 3 + [4, 2, 10]),
        (3, Geometry(8, (2, 8)), [2, 2, 2, 1, 1] * 2 + [2, 2, 4]),
        (3, Geometry(8, (2, 8)), [2, 2, 2, 1, 1] * 2 + [2, 2, 3]),
    ],
)
def test_room_is_gathered_from_several_covered_nodes(nodes, geometry, sizes):
    """One open node, nothing to merge, and no one covered node has enough free instances for the wide slot."""
    scheduler, model = Unified(nodes, geometry), PlainCluster(nodes, geometry.capacity)
    for k, gpus in enumerate(sizes):
        decision = scheduler.arrive(f"j{k}", gpus)
        assert decision.admitted
        model.apply(decision, gpus, 1)
        scheduler.check()
    assert len(decision.moves) > 4


@pytest.mark.parametrize("geometry", [Geometry(8, (2, 8)), Geometry(8, (8,)), Geometry(16, (2, 16)), Geometry(16)])
def test_arrivals_that_fill_the_cluster_to_the_brim(geometry):
    """Directed at the edge of admission: most arrivals ask for about what is left."""
    rng = random.Random(geometry.capacity)
    for _ in range(60):
        nodes = rng.randint(1, 5)
        scheduler = Unified(nodes, geometry, rng.choice([1, 2, None]))
        running = []
        for k in range(60):
            left = geometry.capacity * nodes - scheduler.running.width
            if running and (left == 0 or rng.random() < 0.25):
                scheduler.depart(running.pop(rng.randrange(len(running))))
                continue
            gpus = rng.choice([1, *geometry.widths, max(1, min(geometry.capacity, left - rng.randint(0, 2)))])
            counts = {**scheduler.running.as_dict()}
            counts[gpus] = counts.get(gpus, 0) + 1
            decision = scheduler.arrive(f"j{k}", gpus)
            assert decision.admitted == unified_can_run(geometry, nodes, counts)
            if decision.admitted:
                running.append(f"j{k}")
        scheduler.check()


def test_a_missing_place_is_a_bug_and_said_so(monkeypatch):
    scheduler = Unified(2)
    monkeypatch.setattr(scheduler._choose, "anchor_host", lambda gpus: None)
    with pytest.raises(InvariantViolated, match="an admitted instance finds no node: a/0"):
        scheduler.arrive("a", 4)
