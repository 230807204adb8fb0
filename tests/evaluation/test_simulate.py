"""The simulator: by hand, against a second one that looks at every second, and against what is known of Venus."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compass import Decision, InputError, InvariantViolated, NeverFits, NoLegalDestination, Printed, Unified
from compass.evaluation.baselines.best_fit import BestFit, WorstFit
from compass.evaluation.baselines.drain import Drain
from compass.evaluation.baselines.rounds import Drr
from compass.evaluation.days import DAY, nodes_for, split_days
from compass.evaluation.hooks import Repack
from compass.evaluation.ideal import Ideal
from compass.evaluation.queues import Skip
from compass.evaluation.schedulers import make
from compass.evaluation.settings import Settings
from compass.evaluation.simulate import simulate
from compass.events import Move, Placement
from compass.synthetic import generate
from compass.trace import TraceJob
from tests.evaluation.common import completions, needs_traces, trace_of, traces, venus


def test_two_nodes_by_hand():
    """a and c take half a node each, so b waits for a whole one until c ends at 60."""
    jobs = trace_of((0, 90, 1, 4), (0, 60, 1, 4), (0, 30, 1, 8), (0, 5, 3, 8))
    ends, found = completions(jobs, WorstFit(2), bound=1)
    assert ends == {"a": 90, "b": 60, "c": 90}
    assert found.to_json() == {
        "nodes": 2,
        "jobs": 3,
        "never_fit": 1,
        "ajct": 80.0,
        "agu": 0.5,  # 8 of 16 GPUs from 0 to 60
        "afr": 1.0,  # two partial nodes of two, though 4 and 4 would share one
        "max_sif": 1.0,
        "max_sif_lasting": 1.0,
        "mean_sif": 2 / 3,  # from 60 to 90 one node is partial, as it must be
        "moves": 0,
        "moves_per_job": 0.0,
        "needed_moves": 0,
        "wcc_share": 1.0,
        "wcc_share_of_day": 1.0,
        "blocked_by_fragmentation_share": 1.0,
        "blocked_wcc_seconds": 60,
        "peak_seconds": 60,
        "running_seconds": 90,
        "events": 6,
        "delays": 0,
        "stuck": 0,
        "bound": 1,
        "max_avoidable_wcc": 2,
        "wcc_events": 6,
        "over_bound_events": 1,  # after the admission of the second job, once
        "wcc_seconds": 90,
        "over_bound_seconds": 60,
    }


def test_the_end_of_the_day_cuts_the_share_of_wcc():
    """A 7 beside a 1 that leaves a second before midnight; it runs on for 9 s, alone."""
    found = simulate(trace_of((DAY - 10, 19, 1, 7), (DAY - 10, 9, 1, 1)), BestFit(1))
    assert (found.wcc_share, found.wcc_share_of_day) == (Fraction(9, 19), Fraction(9, 10))


def test_undefined_where_nothing_waits_or_runs():
    found = simulate(trace_of((0, 0, 1, 8)), BestFit(1))
    assert (found.ajct, found.afr, found.agu, found.blocked_share) == (0, None, None, None)
    assert (found.wcc_share, found.wcc_share_of_day, found.mean_sif) == (None, None, None)
    assert simulate([], BestFit(1)).to_json()["ajct"] is None


@pytest.mark.parametrize(("rule", "end"), [("job", 105), ("instance", 110)])
def test_moves_of_one_job_at_one_instant_delay_it_once(rule, end):
    """When a leaves, drain moves both of c's instances that stood beside it."""
    jobs = trace_of((0, 10, 1, 4), (0, 100, 1, 8), (0, 100, 4, 2))
    ends, found = completions(jobs, Drain(3), cost=5, cost_rule=rule)
    assert ends == {"a": 10, "b": 100, "c": end}
    assert (found.moves, found.delays) == (2, 1)
    assert found.running_seconds == end
    assert completions(jobs, Drain(3))[0] == {"a": 10, "b": 100, "c": 100}


class Moving(BestFit):
    """Moves b/0 to and fro on every departure, and in rounds."""

    round_length: int | None = 7

    def __init__(self, nodes, moves=1):
        super().__init__(nodes)
        self.log = []
        self.number = moves

    def clock(self, now):
        self.log.append(("clock", now))

    def submitted(self, now, job):
        self.log.append(("submitted", job.job_id))

    def act(self):
        self.log.append("act")
        return self._moves()

    def departed(self):
        return self._moves()

    def arrive(self, job, gpus, instances=1):
        decision = super().arrive(job, gpus, instances)
        self.log.append(("arrive", job, decision.admitted))
        return decision

    def depart(self, job):
        self.log.append(("depart", job))
        return super().depart(job)

    def _moves(self):
        if "b/0" not in self.book.node_of:
            return ()
        return tuple(self.move("b/0", 1 - self.book.node_of["b/0"]) for _ in range(self.number))


def test_order_at_one_instant_and_times_of_rounds():
    """Rounds at 3 + 7k. At 10 a and c end, in order of admission; b is moved three times then, and delayed once."""
    scheduler = Moving(2)
    jobs = trace_of((3, 7, 1, 2), (3, 12, 1, 2), (4, 6, 1, 2), (10, 4, 1, 8))
    ends, found = completions(jobs, scheduler, cost=4)
    assert scheduler.log == [
        *(("clock", 3), ("submitted", "a"), ("submitted", "b"), ("arrive", "a", True), ("arrive", "b", True)),
        *(("clock", 4), ("submitted", "c"), ("arrive", "c", True)),
        *(("clock", 10), ("depart", "a"), ("depart", "c"), "act", ("submitted", "d"), ("arrive", "d", True)),
        *(("clock", 14), ("depart", "d")),
        *(("clock", 17), "act"),
        *(("clock", 24), "act"),
        *(("clock", 31), ("depart", "b")),
    ]  # fmt: skip
    assert ends == {"a": 10, "c": 10, "d": 14, "b": 3 + 12 + 4 * 4}
    assert (found.moves, found.delays) == (6, 4)  # delayed at 10, at 14 by the departure of d, at 17 and 24


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (0, [10, 17, 24]),
        (2, [5, 12, 19, 26]),
        (9, [5, 12, 19, 26]),
        (6, [9, 16, 23]),
        ("day", [7, 14, 21]),
    ],
)
def test_phases_of_rounds(phase, expected):
    """A job from second 3 to second 27 of day 2, R = 7."""
    begin = 2 * DAY
    scheduler = Moving(2, moves=0)
    completions(trace_of((begin + 3, 24, 1, 2)), scheduler, round_phase=phase)
    times = [before[1] - begin for before, entry in pairwise(scheduler.log) if entry == "act"]
    assert times == expected


@pytest.mark.parametrize("name", ["drr", "fft"])
def test_a_phase_is_a_shift_of_the_rounds(name):
    """The same as with rounds counted from a job that comes so much earlier and ends at once."""
    jobs = list(generate("venus", 80, seed=2, mean_gap=400, mean_duration=3000))
    begin, length, sums = jobs[0].submit_time, 600, []
    for phase in range(100, length, 100):
        first = TraceJob("first", begin + phase - length, 0, 1, 1)
        for some, shift in ((jobs, phase), ([first, *jobs], 0)):
            scheduler = make(Settings.of(name, round_length=length), 8, jobs)
            found = simulate(some, scheduler, round_phase=shift)
            sums.append((found.completion_seconds, found.moves, found.peak_avoidable, found.running_avoidable))
    assert sums[::2] == sums[1::2]
    assert len(set(sums)) == 5


def test_a_job_that_ends_at_this_instant_is_not_delayed():
    ends, _ = completions(trace_of((0, 5, 1, 2), (0, 5, 1, 2)), Moving(2), cost=4)
    assert ends == {"a": 5, "b": 5}


class Restless(Drr):
    settling = False


@given(traces(), st.integers(0, 3))
@settings(max_examples=40)
def test_rounds_that_would_move_nothing_are_left_out(jobs, cost):
    """The same measures as with every round; and two rounds for a job of a very long time."""
    found = [simulate(jobs, kind(2, round_length=3), cost=cost) for kind in (Drr, Restless)]
    assert found[0] == found[1]
    acted = []

    class Counted(Drr):
        def act(self):
            acted.append(1)
            return super().act()

    assert simulate(trace_of((0, 10**15, 1, 3), (5, 2, 1, 3)), Counted(1, round_length=3)).running_seconds == 10**15
    assert len(acted) == 3  # at 3, at 6 and at 9


def test_the_largest_sif_of_a_state_that_lasts():
    """At 5 worst-fit has one partial node for b and c in turn, which both end at once; only a's and b's states last."""
    found = simulate(trace_of((0, 9, 1, 4), (5, 0, 1, 4)), WorstFit(2))
    assert (found.max_sif, found.max_sif_lasting) == (1, 0)


def test_rounds_are_not_held_while_the_cluster_is_idle():
    scheduler = Moving(2)
    completions(trace_of((0, 1, 1, 1), (70, 8, 1, 1)), scheduler)
    assert [entry for entry in scheduler.log if entry == "act"] == ["act"]
    assert [entry[1] for entry in scheduler.log if entry[0] == "clock"] == [0, 1, 70, 77, 78]
    scheduler = Moving(2)
    scheduler.round_length = None
    completions(trace_of((0, 30, 1, 1)), scheduler)
    assert "act" not in scheduler.log


class Swapping(BestFit):
    """Exchanges two full nodes every 10 s; no order of single moves is legal."""

    round_length = 10
    simultaneous = True

    def act(self):
        nodes = dict(self.book.node_of)
        for instance in nodes:
            self.book.take(instance)
        for instance, node in nodes.items():
            self.book.put(instance, 8, 1 - node)
        moves = tuple(Move(instance, node, 1 - node) for instance, node in nodes.items())
        return Repack(moves, self.simultaneous)


def test_a_permutation_is_carried_out_at_once():
    found = simulate(trace_of((0, 15, 1, 8), (0, 15, 1, 8)), Swapping(2), cost=1)
    assert (found.moves, found.delays, found.completion_seconds) == (2, 2, 32)
    scheduler = Swapping(2)
    scheduler.simultaneous = False
    with pytest.raises(InvariantViolated, match="16 of 8 GPUs busy"):
        simulate(trace_of((0, 15, 1, 8), (0, 15, 1, 8)), scheduler)


@pytest.mark.parametrize("move", [Move("a/0", 1, 0), Move("a/0", 0, 0), Move("b/0", 0, 1)])
def test_a_false_round_is_found_out(move):
    scheduler = Swapping(2)
    scheduler.act = lambda: Repack((move,), simultaneous=True)
    with pytest.raises(InvariantViolated, match="round: Move"):
        simulate(trace_of((0, 15, 1, 8)), scheduler)


def test_false_counts_are_found_out():
    class Miscounting(BestFit):
        partial_nodes = 1

    with pytest.raises(InvariantViolated, match="1 partial nodes counted, 0 found"):
        simulate(trace_of((0, 15, 1, 8)), Miscounting(2))

    class Forgetful(BestFit):
        def depart(self, job):
            return Decision("depart", job, True)

    with pytest.raises(InvariantViolated, match="counted"):
        simulate(trace_of((0, 15, 1, 8)), Forgetful(2))

    class Lying(BestFit):
        def arrive(self, job, gpus, instances=1):
            super().arrive(job, gpus, instances)
            return Decision("arrive", job, True, (Placement("a/0", 2),))

    with pytest.raises(InvariantViolated, match="there is no node 2"):
        simulate(trace_of((0, 15, 1, 8)), Lying(2))

    class Refusing(BestFit):
        def arrive(self, job, gpus, instances=1):
            return Decision("arrive", job, False)

    with pytest.raises(InvariantViolated, match="1 jobs wait, 'a' first: refused on the empty cluster"):
        simulate(trace_of((0, 15, 1, 8)), Refusing(2))


def test_bad_arguments():
    jobs = trace_of((5, 1, 1, 1))
    busy = BestFit(1)
    busy.arrive("x", 1)
    waiting = Skip()
    waiting.add(jobs[0])
    for scheduler, options in (
        (Unified(None), {}),
        (busy, {}),
        (BestFit(1), {"queue": waiting}),
        (BestFit(1), {"cost": -1}),
        (BestFit(1), {"cost": 1.0}),
        (BestFit(1), {"cost_rule": "node"}),
        (BestFit(1), {"round_phase": -1}),
        (BestFit(1), {"round_phase": 1.0}),
        (BestFit(1), {"round_phase": "noon"}),
    ):
        with pytest.raises(InputError):
            simulate(jobs, scheduler, **options)
    with pytest.raises(InputError, match="job 'z': the jobs are not in order of submission"):
        simulate([*jobs, TraceJob("z", 4, 1, 1, 1)], BestFit(1))


def test_a_job_that_never_fits_is_left_out():
    """Four slots of width 4 fit two nodes, three whole nodes do not; nor do three 5s, also not ideal's."""
    found = simulate(trace_of((0, 4, 4, 3), (0, 4, 1, 8), (0, 1, 3, 8)), Printed(2))
    assert (found.jobs, found.never_fit) == (2, 1)
    found = simulate(trace_of((0, 4, 3, 5), (0, 4, 2, 5)), Ideal(2))
    assert (found.jobs, found.never_fit) == (1, 1)
    for scheduler in (Ideal(2), BestFit(2)):
        with pytest.raises(NeverFits):
            scheduler.arrive("a", 5, 3)

    class Choosy(BestFit):
        def most(self, gpus):
            return 1

    told = []
    found = simulate(trace_of((0, 4, 2, 1), (0, 4, 1, 1)), Choosy(2), progress=told.append)
    assert (found.jobs, found.never_fit, told) == (1, 1, [1, 1])


def test_printed_can_be_stuck_with_a_job_that_has_ended():
    """The filler b beside the 3-GPU anchor a has nowhere to go when a leaves at 5; when c leaves at 7 it has."""
    jobs = trace_of((0, 5, 1, 3), (0, 9, 1, 1), (0, 7, 1, 4), (6, 1, 1, 8))
    kinds = []
    found = simulate(jobs, Printed(1), observe=lambda record: kinds.append((record.time, record.kind)))
    kinds = [kind for kind in kinds if kind[1] != "instant"]
    assert kinds[-7:-2] == [(5, "stuck"), (6, "submit"), (7, "depart"), (7, "depart"), (9, "depart")]
    assert found.stuck == 1
    assert (found.jobs, found.completion_seconds) == (4, 5 + 9 + 7 + 4)
    with pytest.raises(NoLegalDestination, match="1 jobs wait, 'b' first; 1 jobs have ended and cannot be removed"):
        simulate(trace_of((0, 5, 1, 8), (0, 5, 1, 8)), Stuck(1))


class Stuck(BestFit):
    def depart(self, job):
        raise NoLegalDestination("nowhere")


def test_the_stream_of_jobs_is_read_as_time_passes():
    """Of 5,000 jobs no more are held than run or wait, and one to come."""
    pulled, ended = [0], [0]

    def stream():
        for job in generate("openb", 5000, 3, mean_gap=60, mean_duration=600):
            pulled[0] += 1
            yield job

    def look(record):
        ended[0] += record.kind == "depart"
        assert pulled[0] - ended[0] <= record.busy_gpus + record.waiting + 2

    assert simulate(stream(), BestFit(40), observe=look).jobs == 5000


# -- the real trace -------------------------------------------------------------------------------------------------


@needs_traces
def test_venus_day_92():
    """The reference values of the specification, within 1 %."""
    day = split_days(venus())[91]
    assert len(day) == 629
    assert [nodes_for(day, Fraction(eta, 100)) for eta in (85, 90, 95)] == [32, 33, 34]
    for name, values, (ajct, agu, afr) in (
        ("best-fit", {}, (15148, 0.800, 0.326)),
        ("fgd", {}, (15080, 0.821, 0.319)),
        ("drr", {"round_length": 3600}, (13095, 0.942, 0.128)),
        ("ideal", {}, (12012, 0.987, 0.0)),
        ("unified", {"open_nodes": 1}, (12012, 0.987, 0.0)),
    ):
        found = simulate(day, make(Settings.of(name, **values), 33, day))
        assert float(found.ajct) == pytest.approx(ajct, rel=0.01)
        assert float(found.agu) == pytest.approx(agu, rel=0.01)
        assert float(found.afr) == pytest.approx(afr, rel=0.01)
