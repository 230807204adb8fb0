"""Random histories under `repaired` and `unified`, on a capacity model."""

import itertools

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from compass.errors import InputError, NeverFits
from compass.geometry import Geometry
from compass.repaired import Repaired
from compass.unified import Unified
from tests.plain_model import PlainCluster
from tests.settled_rules import placement, repaired_can_run, unified_can_run

GEOMETRIES = [Geometry(2), Geometry(4), Geometry(8), Geometry(8, (4, 8)), Geometry(16), Geometry(16, (4, 16))]


class Machine(RuleBasedStateMachine):
    """Random events; every decision is carried out on the plain model and every guarantee is checked on it."""

    def __init__(self):
        super().__init__()
        self.jobs = {}
        self.names = itertools.count()

    def begin(self, scheduler, geometry, nodes):
        self.scheduler = scheduler
        self.geometry = geometry
        self.nodes = nodes
        self.model = PlainCluster(nodes, geometry.capacity)

    @rule(data=st.data(), instances=st.integers(1, 4))
    def arrive(self, data, instances):
        gpus = data.draw(st.integers(1, self.geometry.capacity) | st.just(1))
        job = f"j{next(self.names)}"
        before = self.scheduler.snapshot()
        with_job = self.model.counts()
        with_job[gpus] = with_job.get(gpus, 0) + instances
        try:
            decision = self.scheduler.arrive(job, gpus, instances)
        except NeverFits:
            assert not self.can_run({gpus: instances})
            assert self.scheduler.snapshot() == before
            return
        assert decision.admitted == self.can_run(with_job)
        assert self.can_run({gpus: instances})
        if not decision.admitted:
            assert decision.steps == ()
            assert self.scheduler.snapshot() == before
            return
        self.model.apply(decision, gpus, instances)
        self.jobs[job] = (gpus, instances)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def depart(self, data):
        job = data.draw(st.sampled_from(sorted(self.jobs)))
        del self.jobs[job]
        self.model.apply(self.scheduler.depart(job))

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def bad_calls_change_nothing(self, data):
        job = data.draw(st.sampled_from(sorted(self.jobs)))
        before = self.scheduler.snapshot()
        for call in (
            lambda: self.scheduler.arrive(job, 1),
            lambda: self.scheduler.depart("absent"),
            lambda: self.scheduler.arrive("new", 0),
            lambda: self.scheduler.arrive("new", 1, 0),
        ):
            with pytest.raises(InputError):
                call()
        assert self.scheduler.snapshot() == before

    @invariant()
    def bookkeeping(self):
        scheduler = self.scheduler
        scheduler.check()
        scheduler.check_changes()
        snapshot = scheduler.snapshot()
        assert [sorted((i.gpus for i in node.instances), reverse=True) for node in snapshot.nodes] == self.model.sizes()
        assert placement(scheduler) == self.model.placement()
        assert scheduler.partial_nodes == self.model.partial() == snapshot.partial_nodes
        assert scheduler.running.as_dict() == self.model.counts()

    def wcc(self):
        counts = self.model.counts()
        return counts.get(1, 0) >= sum(self.geometry.vacancy(g) * n for g, n in counts.items() if g > 1)

    def deficit(self):
        counts = self.model.counts()
        vacancy = sum(self.geometry.vacancy(g) * n for g, n in counts.items() if g > 1)
        return max(0, vacancy - counts.get(1, 0))

    def slots(self, sizes):
        return sum(self.geometry.slot_width(g) for g in sizes if g > 1)

    @invariant()
    def exclusion(self):
        nodes = self.model.sizes()
        vacant = any(self.slots(sizes) > sum(sizes) for sizes in nodes)
        free = any(sum(sizes) > self.slots(sizes) for sizes in nodes)
        assert not (vacant and free)


class RepairedMachine(Machine):
    @initialize(geometry=st.sampled_from(GEOMETRIES), nodes=st.integers(1, 5))
    def start(self, geometry, nodes):
        self.begin(Repaired(nodes, geometry), geometry, nodes)

    def can_run(self, counts):
        return repaired_can_run(self.geometry, self.nodes, counts)

    @invariant()
    def in_sigma(self):
        capacity = self.geometry.capacity
        open_slotted = open_pool = 0
        for sizes in self.model.sizes():
            slots = self.slots(sizes)
            assert slots <= capacity
            if slots:
                assert sum(sizes) <= slots, "1-GPU instances stand on a slotted node only as fillers"
                open_slotted += slots < capacity
            else:
                open_pool += 0 < len(sizes) < capacity
        assert open_slotted <= 1
        assert open_pool <= 1

    @invariant()
    def bounds(self):
        if self.wcc():
            assert self.model.partial() <= 2
        assert self.model.partial() <= 1 + max(1, self.deficit())


class UnifiedMachine(Machine):
    @initialize(
        geometry=st.sampled_from(GEOMETRIES), nodes=st.integers(1, 6), open_nodes=st.sampled_from([1, 1, 2, 3, None])
    )
    def start(self, geometry, nodes, open_nodes):
        self.begin(Unified(nodes, geometry, open_nodes), geometry, nodes)

    def can_run(self, counts):
        return unified_can_run(self.geometry, self.nodes, counts)

    @invariant()
    def bounds(self):
        m = self.scheduler.open_nodes
        if m is None:
            assert self.scheduler.partial_bound() is None
            return
        capacity = self.geometry.capacity
        nodes = self.model.sizes()
        covered = [max(self.slots(sizes), sum(sizes)) for sizes in nodes]
        assert all(width <= capacity for width in covered)
        assert sum(0 < width < capacity for width in covered) <= m
        if self.wcc():
            assert self.model.partial() <= m
            if m == 1:
                assert self.model.partial() == (sum(map(sum, nodes)) % capacity != 0)
        assert self.model.partial() <= m + self.deficit()


TestRepaired = RepairedMachine.TestCase
TestUnified = UnifiedMachine.TestCase
TestRepaired.settings = TestUnified.settings = settings(max_examples=150, stateful_step_count=40)
