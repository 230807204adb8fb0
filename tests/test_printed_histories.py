"""The printed algorithm: the known counterexamples, random histories on a capacity model and a second transcription."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from compass.errors import NeverFits, NoLegalDestination
from compass.events import Decision, Move, Placement, instance_name
from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import all_readings
from tests.literal_printed import Literal

G8 = Geometry()
GEOMETRIES = [Geometry(2), Geometry(4), G8, Geometry(16), Geometry(8, (4, 8)), Geometry(16, (4, 16))]
ALL = list(all_readings())


# -- the claims' counterexample -------------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [3, None])
def test_theorem_1_fails_under_every_reading_in_which_room_respects_capacity(nodes):
    respecting = [r for r in ALL if r.room == "floor" or r.cap == "fits"]
    assert len(respecting) == 768
    for readings in respecting:
        printed = Printed(nodes, readings=readings)
        printed.arrive("a", 4)
        printed.arrive("b", 2)
        printed.arrive("c", 4)
        printed.arrive("d", 1, 6)
        assert sorted(node.load for node in printed.snapshot().nodes) == [4, 6, 6]
        assert printed.partial_nodes == 3
        assert printed.running.wcc
        printed.check()


def test_prop_1_fails_under_every_reading_a_filler_can_have_no_legal_destination():
    for readings in ALL:
        printed = Printed(1, readings=readings)
        printed.arrive("a", 3)
        printed.arrive("b", 1)
        printed.arrive("c", 4)
        assert printed.running.wcc
        with pytest.raises(NoLegalDestination, match="filler b/0 has no legal destination"):
            printed.depart("a")


def test_under_the_other_readings_compact_overfills_a_node():
    for readings in ALL:
        if readings.room == "floor" or readings.cap == "fits":
            continue
        overfilled = []
        for first, second in ("ab", "ba"):  # job a is on the node that ties prefer
            printed = Printed(2, readings=readings)
            printed.arrive("a", 8)
            printed.arrive("b", 8)
            printed.depart(first)
            printed.arrive("c", 4)
            printed.arrive("d", 2)
            printed.depart(second)
            try:
                printed.arrive("e", 4)
            except NoLegalDestination:
                overfilled.append(second)
        assert overfilled == ["a"]


# -- random histories -----------------------------------------------------------------------------------------------


class Replay(RuleBasedStateMachine):
    """Replays every step on a model that knows capacities only."""

    @initialize(
        geometry=st.sampled_from(GEOMETRIES), nodes=st.sampled_from([1, 2, 3, 4, None]), readings=st.sampled_from(ALL)
    )
    def start(self, geometry, nodes, readings):
        self.geometry = geometry
        self.printed = Printed(nodes, geometry, readings)
        self.where = {}
        self.size = {}
        self.jobs = {}
        self.number = 0

    def call(self, event, *arguments):
        """The decision, or None where the state is unchanged as it must be."""
        before = self.printed.state()
        counts = list(self.printed.running.counts)
        partial = self.printed.partial_nodes
        try:
            decision = event(*arguments)
        except (NoLegalDestination, NeverFits):
            decision = None
        if decision is None or not decision.admitted:
            assert self.printed.state() == before
            assert self.printed.running.counts == counts
            assert self.printed.partial_nodes == partial
            return None
        return decision

    def carry_out(self, decision, new):
        for step in decision.steps:
            if isinstance(step, Placement):
                assert step.instance in new
                assert step.instance not in self.where
                self.where[step.instance] = step.node
            else:
                assert isinstance(step, Move)
                assert step.source != step.target
                assert self.where[step.instance] == step.source
                self.where[step.instance] = step.target
            changed = self.where[step.instance]
            assert sum(self.size[i] for i, n in self.where.items() if n == changed) <= self.geometry.capacity
            assert changed >= 0
            assert self.printed.nodes is None or changed < self.printed.nodes

    @rule(data=st.data(), instances=st.integers(1, 6))
    def arrive(self, data, instances):
        capacity = self.geometry.capacity
        gpus = data.draw(st.one_of(st.just(1), st.integers(1, capacity), st.integers(1, min(capacity, 4))))
        job = f"j{self.number}"
        self.number += 1
        decision = self.call(self.printed.arrive, job, gpus, instances)
        if decision is None:
            return
        names = [instance_name(job, k) for k in range(instances)]
        self.size.update(dict.fromkeys(names, gpus))
        self.jobs[job] = names
        self.carry_out(decision, names)
        assert sorted(p.instance for p in decision.placements) == sorted(names)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def depart(self, data):
        job = data.draw(st.sampled_from(sorted(self.jobs)))
        decision = self.call(self.printed.depart, job)
        if decision is None:
            return
        for name in self.jobs.pop(job):
            del self.where[name]
        self.carry_out(decision, [])

    @invariant()
    def placement_is_the_model(self):
        if not hasattr(self, "printed"):
            return
        self.printed.check()
        found = {name: n for n, node in enumerate(self.printed.state().nodes) for name in node.names}
        assert found == self.where
        model = [sum(self.size[i] for i, n in self.where.items() if n == k) for k in set(self.where.values())]
        assert self.printed.partial_nodes == sum(load < self.geometry.capacity for load in model)


TestReplay = Replay.TestCase
TestReplay.settings = settings(max_examples=150, stateful_step_count=25)


EVENTS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([1, 1, 1, 2, 3, 3, 4, 5, 6, 7, 8]), st.integers(1, 4)), max_size=30
)


@given(
    st.sampled_from([r for r in ALL if (r.migrations, r.room, r.cap) == ("sequential", "floor", "fits")]),
    st.integers(1, 4),
    EVENTS,
)
def test_printed_does_what_an_independent_transcription_does(readings, nodes, events):
    printed = Printed(nodes, readings=readings)
    literal = Literal(nodes, readings)
    running = {}
    for number, (wanted, size, width) in enumerate(events):
        leaves, gpus, instances = wanted and bool(running), size, width
        literal.moves = []
        try:
            if leaves:
                job = sorted(running)[gpus % len(running)]
                gpus, instances = running.pop(job)
                for k in range(instances):
                    literal.remove(f"{job}/{k}", gpus)
            else:
                job = f"j{number}"
                for k in range(instances):
                    literal.place(f"{job}/{k}", gpus)
                running[job] = (gpus, instances)
            literal.compact()
        except NoLegalDestination:
            if leaves:
                with pytest.raises(NoLegalDestination):
                    printed.depart(job)
            elif instances <= nodes * (8 // G8.slot_width(gpus)):
                assert not printed.arrive(job, gpus, instances).admitted
            return  # the transcription has no undo
        decision = printed.depart(job) if leaves else printed.arrive(job, gpus, instances)
        assert decision.admitted
        expected = [m for m in literal.moves if not leaves or not m[0].startswith(f"{job}/")]
        assert [(s.instance, s.node) for s in decision.placements] == [(m[0], m[2]) for m in expected if m[1] is None]
        assert list(decision.moves) == [m for m in expected if m[1] is not None]


@given(st.sampled_from([r for r in ALL if r != r.canonical()]), st.sampled_from([2, 3, 4]), EVENTS)
def test_canonical_readings_behave_alike(readings, nodes, events):
    pair = [Printed(nodes, readings=readings), Printed(nodes, readings=readings.canonical())]
    running = []
    for number, (leaves, gpus, instances) in enumerate(events):
        answers = []
        leaving = running.pop(gpus % len(running)) if leaves and running else None
        for printed in pair:
            try:
                answers.append(printed.depart(leaving) if leaving else printed.arrive(f"j{number}", gpus, instances))
            except (NoLegalDestination, NeverFits) as error:
                answers.append(type(error))
        assert answers[0] == answers[1]
        if leaving and not isinstance(answers[0], Decision):
            running.append(leaving)
        if not leaving and isinstance(answers[0], Decision) and answers[0].admitted:
            running.append(f"j{number}")
