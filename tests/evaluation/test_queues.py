"""Queue rules, by hand, on a desk that only counts GPUs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass import InputError
from compass.evaluation.baselines.best_fit import BestFit
from compass.evaluation.baselines.cafgd import Cafgd
from compass.evaluation.baselines.mcg import Mcg
from compass.evaluation.ideal import Ideal
from compass.evaluation.queues import EasyBackfill, Fifo, GfsQueue, McgQueue, Skip
from compass.evaluation.simulate import simulate
from compass.printed import Printed
from tests.evaluation.common import trace_of, traces


def starts(jobs, scheduler, queue):
    """When each job starts, in order of admission."""
    found = {}

    def note(record):
        if record.kind == "arrive":
            found[record.job.job_id] = record.time

    simulate(jobs, scheduler, queue=queue, observe=note)
    return found


# Of 16 GPUs a takes 12 until 20 and b 2 until 50. c needs 8, so it waits for a; 2 are free.
BLOCKED = [(0, 20, 6, 2), (0, 50, 1, 2), (1, 10, 1, 8)]


def test_fifo_lets_nobody_pass():
    assert starts(trace_of(*BLOCKED, (2, 5, 1, 1)), Ideal(2), Fifo()) == {"a": 0, "b": 0, "c": 20, "d": 20}


def test_easy_lets_pass_what_does_not_delay_the_head():
    """At 20 there will be 14 GPUs free, 6 more than c needs; 2 are free now. d ends before. e and g do not end before,
    but are spare; f needs 7. g starts when d has left its GPU, f when b and c have gone."""
    later = [(2, 5, 1, 1), (3, 90, 1, 1), (3, 90, 1, 7), (4, 90, 1, 1)]
    found = starts(trace_of(*BLOCKED, *later), Ideal(2), EasyBackfill())
    assert found == {"a": 0, "b": 0, "c": 20, "d": 2, "e": 3, "g": 7, "f": 30}


def test_easy_gives_spare_gpus_away_once():
    """At 20 all 16 GPUs are free and c needs 14: two are spare, for d or for e."""
    jobs = trace_of((0, 20, 1, 8), (0, 1, 1, 1), (1, 10, 7, 2), (2, 90, 1, 2), (2, 90, 1, 2))
    assert starts(jobs, Ideal(2), EasyBackfill()) == {"a": 0, "b": 0, "d": 2, "c": 20, "e": 30}


def test_easy_keeps_what_the_head_needs_where_its_gpus_are_scattered():
    """Two nodes with 5 busy: c finds no node though 6 GPUs are free, so its reservation is now, and 0 are spare."""
    jobs = trace_of((0, 10, 1, 5), (0, 10, 1, 5), (1, 5, 1, 6), (2, 1, 1, 1), (2, 0, 1, 1))
    assert starts(jobs, BestFit(2), EasyBackfill()) == {"a": 0, "b": 0, "e": 2, "c": 10, "d": 10}


def test_easy_lets_nobody_pass_while_no_end_is_known_at_which_the_head_could_start():
    """`printed` is stuck with a from 5 to 7 (see test_simulate), so d, which needs the whole node, has no reservation
    then; at 7 it has one, at 9, and e does not end before."""
    jobs = trace_of((0, 5, 1, 3), (0, 9, 1, 1), (0, 7, 1, 4), (6, 1, 1, 8), (6, 1, 1, 1))
    assert starts(jobs, Printed(1), EasyBackfill()) == {"a": 0, "b": 0, "c": 0, "e": 7, "d": 9}


@given(traces(), st.sampled_from([Ideal, BestFit]))
def test_easy_never_delays_the_first_that_has_to_wait_for_gpus(jobs, kind):
    """On `ideal`, where GPUs are all that counts, no head starts later than under FIFO's count of running jobs."""
    jobs = [job for job in jobs if job.instances * job.gpus_per_instance <= 8]
    easy, fifo = (starts(jobs, kind(2), rule) for rule in (EasyBackfill(), Fifo()))
    assert easy.keys() == fifo.keys()
    waits = [job.job_id for job in jobs if fifo[job.job_id] > job.submit_time]
    if kind is Ideal and waits:
        assert easy[waits[0]] <= fifo[waits[0]]


def test_skip_passes_what_does_not_fit():
    jobs = trace_of(*BLOCKED, (2, 90, 1, 1), (3, 90, 1, 2), (4, 90, 1, 1))
    assert starts(jobs, Ideal(2), Skip()) == {"a": 0, "b": 0, "d": 2, "f": 4, "c": 20, "e": 20}


def test_gfs_queue_skips_sizes_from_the_first_that_fails():
    """At 10 three GPUs come free. The 4s fail, one of the 2s fits, so the other is passed for the 1."""
    jobs = trace_of((0, 10, 3, 1), (0, 90, 1, 5), (1, 9, 1, 1), (2, 9, 1, 2), (2, 9, 1, 4), (3, 9, 1, 4), (4, 30, 1, 2))
    assert starts(jobs, Ideal(1), GfsQueue()) == {"a": 0, "b": 0, "d": 10, "c": 10, "g": 19, "e": 90, "f": 90}
    queue = GfsQueue()
    for job in jobs[2:6]:
        queue.add(job)
    assert (len(queue), queue.head().job_id) == (4, "e")


class Desk:
    """Free GPUs are all that counts; the score of a job is told beforehand."""

    def __init__(self, now, free, scores):
        self.now, self.free_gpus, self.started = now, free, []
        self.scheduler = self
        self.scores = scores

    def score(self, gpus, instances):
        return self.scores[gpus]

    def start(self, job):
        fits = job.gpus_per_instance <= self.free_gpus
        if fits:
            self.free_gpus -= job.gpus_per_instance
            self.started.append(job.job_id)
        return fits


@pytest.mark.parametrize("block", [False, True])
def test_mcg_orders_by_score_then_submission(block):
    """b and e have waited for more than an hour; then d and c by score; a does not fit now.

    With f, too large and third of those that waited long, a blocking pass ends there.
    """
    jobs = trace_of((3000, 1, 1, 7), (0, 1, 1, 1), (3000, 1, 1, 3), (3001, 1, 1, 2), (1, 1, 1, 1), (2, 1, 1, 8))
    for some, started, waiting in (
        (jobs[:-1], "bedc", "a"),
        (jobs, "be" if block else "bedc", "fdca" if block else "fa"),
    ):
        queue = McgQueue(block)
        for job in some:
            queue.add(job)
        desk = Desk(3700, 7, {1: 0.9, 2: 0.1, 3: 0.5, 7: None, 8: None})
        queue.serve(desk)
        assert "".join(desk.started) == started
        assert (len(queue), queue.head().job_id) == (len(waiting), waiting[0])


def test_mcg_needs_scores():
    with pytest.raises(InputError, match="BestFit: this queue rule needs a scheduler that scores jobs"):
        simulate(trace_of((0, 1, 1, 1)), BestFit(1), queue=McgQueue())
    assert starts(trace_of(*BLOCKED, (2, 5, 1, 1)), Mcg(2), McgQueue()) == {"a": 0, "b": 0, "d": 2, "c": 20}


def test_the_hold_lasts_a_minute_at_most_and_wakes_the_queue():
    """b would add fragmentation: it is held until 65 though there is room, and c, which would not, behind it."""

    class Reluctant(Cafgd):
        def score(self, gpus, instances):
            return {1: 0.5, 2: 0.0, 8: None}[gpus]

    jobs = trace_of((0, 200, 1, 2), (5, 10, 1, 1), (6, 10, 1, 2), (100, 5, 1, 8))
    assert starts(jobs, Reluctant(1), Fifo(hold=60)) == {"a": 0, "b": 65, "c": 65, "d": 200}
    assert starts(jobs, Reluctant(1), Fifo()) == {"a": 0, "b": 5, "c": 6, "d": 200}
