"""The exploration against brute force, its known numbers, and every claim shown to fail on a seeded fault."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest

from compass.errors import DoesNotFitNow, NeverFits, NoLegalDestination
from compass.geometry import Geometry, geometry_of
from compass.phi import min_partial_nodes
from compass.printed import Printed
from compass.printed_state import LiveInstance
from compass.readings import Readings
from compass.repaired import Repaired
from compass.snapshot import Snapshot
from compass.space import AbsState, Anchor
from compass.unified import Unified
from verification.count_claims import PRINTED, States
from verification.count_explorer import Search, explore
from verification.count_model import abstract_settled, repaired_model, unified_model
from verification.count_phi import PhiTable
from verification.count_printed import PrintedModel, abstract_printed
from verification.count_settled import Compositions
from verification.count_space import Ranking, sort_columns

# -- against brute force with the schedulers themselves ---------------------------------------------------------------


def brute_force_settled(make, nodes):
    """Reachable node multisets, by starting the scheduler in each of them and carrying out every event."""
    reached = {abstract_settled(make()).nodes: [[] for _ in range(nodes)]}
    transitions = set()
    todo = list(reached)
    for state in todo:
        contents = reached[state]
        places = [(k, p) for k, node in enumerate(contents) for p in range(len(node))]
        for event in [*range(1, 9), *places]:
            scheduler = make()
            scheduler.load(Snapshot.of(contents))
            if isinstance(event, int):
                try:
                    if not scheduler.arrive("new", event).admitted:
                        continue
                except NeverFits:
                    continue
            else:
                scheduler.depart(f"j{places.index(event)}")
            after = abstract_settled(scheduler).nodes
            label = event if isinstance(event, int) else (tuple(contents[event[0]]), contents[event[0]][event[1]])
            transitions.add((state, label, after))
            if after not in reached:
                reached[after] = [sorted((g for _, g in n.instances), reverse=True) for n in scheduler.snapshot().nodes]
                todo.append(after)
    return len(reached), len(transitions)


@pytest.mark.parametrize(
    ("make", "model", "nodes"),
    [
        (lambda: Repaired(2), repaired_model(2), 2),
        (lambda: Unified(2), unified_model(2), 2),
        (lambda: Unified(1, open_nodes=2), unified_model(1, 2), 1),
    ],
    ids=["repaired", "unified-1", "unified-2"],
)
def test_as_many_states_as_brute_force_finds(make, model, nodes):
    found = explore(model)
    assert (found.states, found.transitions) == brute_force_settled(make, nodes)


def brute_force_printed(model):
    """Reachable (phase, node multiset), by the operators of the code from every order of nodes and slots."""
    reached = {model.start}
    todo = [model.start]
    for state in todo:
        for printed, instances in _every_order(model, state):
            for after in _operators(model, state, printed, instances):
                if after not in reached:
                    reached.add(after)
                    todo.append(after)
    return reached


def _every_order(model, state):
    """Functions that start the code in the state, for every order, and the instances that run."""
    for order in set(itertools.permutations(state.nodes)):
        for slots in itertools.product(*(set(itertools.permutations(model.types[n].slots)) for n in order)):
            contents = []
            for k, (node, chosen) in enumerate(zip(order, slots, strict=True)):
                made = [(Anchor(f"{k}.{s}", g), [f"{k}.{s}.{p}" for p in range(f)]) for s, (g, f) in enumerate(chosen)]
                contents.append((made, [f"{k}..{p}" for p in range(model.types[node].ones)]))
            state_ = AbsState.of(model.geometry, contents)
            sizes = {name: 1 for node in state_.nodes for name in node.names}
            sizes |= {slot.anchor.name: slot.anchor.gpus for n in state_.nodes for slot in getattr(n, "slots", ())}
            yield (lambda state_=state_: Printed.from_state(state_, model.readings)), sizes


def _operators(model, state, start, instances):
    def run(phase, operator):
        printed = start()
        try:
            operator(printed)
        except (DoesNotFitNow, NoLegalDestination):
            return []
        return [abstract_printed(printed, model)._replace(phase=phase)]

    for gpus in model.sizes:
        if state.phase in (0, gpus):
            yield from run(gpus, lambda printed, g=gpus: printed._place(LiveInstance("new/0", "new", g)))
    for name, gpus in instances.items():
        if state.phase in (0, -gpus):
            yield from run(-gpus, lambda printed, name=name: printed._remove(printed._jobs[name][0]))
    if state.phase:
        yield from run(0, lambda printed: printed._compact())


@pytest.mark.parametrize(
    ("nodes", "sizes", "readings"),
    [
        (1, range(1, 9), Readings()),
        (2, {1, 3, 8}, Readings()),
        (2, {1, 5}, Readings(rehome="before", refill="pseudocode", pool="emptiest")),
        (2, {1, 3}, Readings(migrations="simultaneous", draw="fullest", fill="loosest")),
        (3, {2, 8}, Readings(hosts="first")),
        (2, {2, 4}, Readings(room="cap", cap="nodes")),
    ],
    ids=str,
)
def test_as_many_states_of_printed_as_brute_force_finds(nodes, sizes, readings):
    model = PrintedModel(nodes, readings, sizes=sizes)
    search = Search(model)
    search.run()
    assert {search.state_of(code) for code in search.reached().tolist()} == brute_force_printed(model)


@pytest.mark.parametrize(
    "model",
    [repaired_model(3, sizes={1, 2, 4, 5}), unified_model(3, 2, sizes={1, 3, 4, 6}), PrintedModel(2, sizes={1, 3, 6})],
    ids=["repaired", "unified-2", "printed"],
)
def test_local_steps_are_steps_of_whole_states(model):
    """Vectorised steps, which look at part of a state, against the model's steps on all of it."""
    search = Search(model)
    search.run()
    codes = search.reached()
    found = {}
    for sources, batch in search.steps.layer(codes):
        targets = search.ranking.ranks(batch.rows) + batch.phase * search.ranking.size
        for source, target, moves in zip(sources[batch.source].tolist(), targets.tolist(), batch.moves, strict=True):
            key = (source, batch.event.kind, batch.event.gpus, target)
            found[key] = max(found.get(key, 0), int(moves))
    expected = {}
    compacted = {key[0] for key in found if key[1] == "compact"}
    for code in codes.tolist():
        for event, after, moves in model.successors(search.state_of(code)):
            # Compact is done once for a multiset of nodes, whatever the phase.
            if after is not None and (event.kind != "compact" or code in compacted):
                key = (code, event.kind, event.gpus, search.code_of(after))
                expected[key] = max(expected.get(key, 0), moves)
    assert found == expected if not isinstance(model, PrintedModel) else found.items() <= expected.items()


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "states", "transitions", "depth", "most"),
    [
        (PrintedModel(3), 5628, 75709, 25, (3, 3, 3, 3)),
        (repaired_model(3), 4854, 35250, 24, (3, 3, 2, 2)),
        (unified_model(3), 10322, 82116, 24, (3, 3, 1, 0)),
        (unified_model(2, 2), 1569, 10720, 16, (2, 2, 2, 2)),
        (unified_model(2, 1, Geometry(16), sizes={1, 3, 8}), None, None, 32, (2, 2, 1, 0)),
        (repaired_model(6, Geometry(4)), None, None, 24, (6, 2, 2, 2)),
        (unified_model(8, 1, Geometry(2)), 81, None, 16, (1, 0, 1, 0)),
    ],
    ids=["printed", "repaired", "unified-1", "unified-2", "unified-16", "repaired-4", "unified-of-2"],
)
def test_known_numbers(model, states, transitions, depth, most):
    found = explore(model)
    assert states in (None, found.states)
    assert transitions in (None, found.transitions)
    assert found.depth == depth
    assert (found.max_partial, found.max_avoidable, found.max_partial_wcc, found.max_avoidable_wcc) == most
    if model.variant != "printed":
        assert found.violated == []
        assert found.stuck == 0


def test_theorem_1_is_refuted_with_three_nodes():
    search = Search(PrintedModel(3))
    search.run()
    found = search.report(PRINTED, time.perf_counter())
    assert found.violated == ["slotted-pass", "theorem-1", "sif-bound", "progress"]
    worst = found.witnesses["avoidable_wcc"]
    assert worst.value == 3
    claim = found.claims["sif-bound"]
    assert claim.violations == 8
    # The best known one: jobs of 4, 2, 4 and six times 1 GPU.
    known = search.model.of([[4, 2], [4], [1] * 6])
    assert search.distance[search.ranking.rank_of(known)] > 0
    states = States(np.array(known, dtype=np.int16).reshape(-1, 1), search.setting)
    assert (states.avoidable[0], bool(states.wcc[0])) == (3, True)


def test_jobs_of_several_instances_make_the_printed_bound_grow():
    """Jobs of one instance: three avoidable partial nodes at most; otherwise more with every second node."""
    sizes = {1, 2, 4}
    several = [explore(PrintedModel(n, sizes=sizes)).max_avoidable_wcc for n in range(2, 7)]
    single = [explore(PrintedModel(n, sizes=sizes, single=True)).max_avoidable_wcc for n in range(2, 7)]
    assert several == [2, 3, 3, 4, 4]
    assert single == [2, 3, 3, 3, 3]


def test_four_avoidable_partial_nodes_by_jobs():
    """The worst state of five nodes is reached by the code itself."""
    printed = Printed(5)
    for job, gpus, instances in (("c", 4, 1), ("a", 2, 1), ("y", 2, 1), ("b", 2, 3), ("x", 2, 2), ("d", 2, 3)):
        printed.arrive(job, gpus, instances)
    printed.depart("y")
    printed.arrive("e", 4)
    printed.arrive("o", 1, 2)
    printed.depart("x")
    assert [node.load for node in printed.snapshot().nodes] == [4, 6, 8, 4, 2]
    assert printed.running.wcc
    assert printed.partial_nodes - min_partial_nodes(printed.running, nodes=5) == 4


def test_witness_paths_lead_there():
    model = PrintedModel(2)
    found = explore(model)
    for witness in found.witnesses.values():
        reached = {model.start}
        for text in witness.path:
            reached = {s.state for state in reached for s in model.successors(state) if str(s.event) == text}
        assert witness.state in reached


def test_results_are_deterministic():
    assert explore(unified_model(2)) == explore(unified_model(2))
    assert explore(PrintedModel(2)) == explore(PrintedModel(2))


@pytest.mark.parametrize(
    "readings",
    [
        Readings(cap="nodes"),
        Readings(cap="nodes", hosts="first", refill="pseudocode"),
        Readings(migrations="simultaneous", rehome="before"),
        Readings(ties="highest"),
    ],
    ids=str,
)
def test_readings_that_are_said_to_coincide_do(readings):
    """``Readings.canonical`` leaves out points without effect; at count level ``ties`` has none either."""
    found = explore(PrintedModel(2, readings))
    same = explore(PrintedModel(2, replace(readings.canonical(), ties="lowest")))
    assert replace(found, readings="") == replace(same, readings="")


def test_moves_are_counted():
    found = explore(unified_model(2))
    assert found.max_moves == {"arrive": 4, "depart": 4}
    assert sum(map(sum, found.moves.values())) == found.transitions


def test_too_large_a_model_is_refused():
    with pytest.raises(ValueError, match="possible states"):
        explore(unified_model(4, 1, Geometry(16)))
    with pytest.raises(ValueError, match="too many multisets"):
        Ranking(700, 20)


@pytest.mark.parametrize(("capacity", "nodes"), [(8, 3), (4, 5), (16, 1), (2, 6)])
def test_phi_by_one_node_after_another(capacity, nodes):
    """Two ways to Phi* on at most N nodes, for every composition that fits."""
    encoding = Compositions([], capacity, nodes)
    table = PhiTable(encoding, nodes, range(1, capacity + 1))
    counts = encoding.counts(table._keys).T.tolist()
    for best, sizes in zip(table._best.tolist(), counts, strict=True):
        running = {g: n for g, n in enumerate(sizes) if n}
        assert min_partial_nodes(running, geometry_of(capacity), nodes) == best
    with pytest.raises(KeyError):
        table(np.array([encoding.key_of({1: capacity * nodes + 1})]))


def test_ranking_is_a_bijection():
    ranking = Ranking(9, 4)
    rows = ranking.rows(np.arange(ranking.size))
    assert np.array_equal(ranking.ranks(rows), np.arange(ranking.size))
    assert len(np.unique(rows, axis=1).T) == ranking.size
    assert np.array_equal(sort_columns(rows[::-1].copy()), rows)
