"""The simulator against one that looks at every second; what holds of its schedulers on any trace."""

from __future__ import annotations

from collections import deque
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compass import InputError, NeverFits, Unified, sif
from compass.evaluation.baselines.best_fit import BestFit
from compass.evaluation.ideal import Ideal
from compass.evaluation.queues import Skip
from compass.evaluation.schedulers import make
from compass.evaluation.settings import OWN_SETTINGS, Settings
from compass.evaluation.simulate import simulate
from tests.evaluation.common import completions, trace_of, traces


def second_by_second(jobs, scheduler):
    """FIFO, one second after another; SIF from snapshots. Sums of SIF and busy GPUs while a job waits, and ends."""
    nodes = scheduler.nodes
    waiting, running, ends = deque(), [], {}
    fragmentation, busy, blocked, peak, now = Fraction(0), 0, 0, 0, 0
    coming = deque(jobs)
    while coming or waiting or running:
        changed = True
        while changed:  # a job of no duration ends at the instant of its start
            changed = False
            for end, job in list(running):
                if end == now:
                    running.remove((end, job))
                    scheduler.depart(job.job_id)
                    ends[job.job_id] = now
                    changed = True
            while coming and coming[0].submit_time == now:
                waiting.append(coming.popleft())
            while (
                waiting
                and scheduler.arrive(waiting[0].job_id, waiting[0].gpus_per_instance, waiting[0].instances).admitted
            ):
                job = waiting.popleft()
                running.append((now + job.duration, job))
                changed = True
        if waiting:
            used = sum(job.instances * job.gpus_per_instance for _, job in running)
            peak += 1
            busy += used
            fragmentation += sif(scheduler.snapshot()).sif
            blocked += waiting[0].instances * waiting[0].gpus_per_instance <= 8 * nodes - used
        now += 1
    return ends, fragmentation, busy, blocked, peak


@given(traces(), st.sampled_from(["best-fit", "worst-fit", "drain", "unified", "repaired", "consolidate"]))
@settings(max_examples=60)
def test_against_every_second_looked_at(jobs, name):
    chosen = Settings.of(name)
    jobs = [job for job in jobs if name != "repaired" or job.instances * job.gpus_per_instance <= 8]
    ends, found = completions(jobs, make(chosen, 2, jobs))
    expected, fragmentation, busy, blocked, peak = second_by_second(jobs, make(chosen, 2, jobs))
    assert ends == expected
    assert found.peak_seconds == peak
    assert Fraction(found.peak_avoidable, 2) == fragmentation
    assert (found.peak_busy, found.blocked_seconds) == (busy, blocked)


@given(traces(), st.sampled_from(sorted(OWN_SETTINGS)))
@settings(max_examples=60)
def test_under_fifo_nothing_ends_before_it_does_under_ideal(jobs, name):
    """The theorem in the docstring of Ideal, with the same set of jobs."""
    chosen = Settings.of(name, queue="fifo")
    scheduler = make(chosen, 2, jobs)
    ends, found = completions(jobs, scheduler, queue=chosen.make_queue())
    best, of_ideal = completions(jobs, Ideal(2))
    assert found.never_fit == of_ideal.never_fit
    assert all(best[job] <= end for job, end in ends.items())


@given(traces(), st.sampled_from(["fft", "drr"]))
@settings(max_examples=30)
def test_without_rounds_fft_and_drr_are_best_fit_event_for_event(jobs, name):
    records = {}
    for chosen in (Settings.of(name, round_length="never"), Settings.of("best-fit")):
        records[chosen.scheduler] = some = []
        simulate(jobs, make(chosen, 2, jobs), observe=some.append)
    assert records[name] == records["best-fit"]


@given(traces(), st.sampled_from(["unified", "consolidate", "on-demand"]))
@settings(max_examples=60)
def test_the_moves_needed_are_no_more_than_those_made(jobs, name):
    _, found = completions(jobs, make(Settings.of(name), 2, jobs))
    assert found.needed_moves <= found.moves


@given(traces(st.sampled_from([1, 2, 4, 8])), st.sampled_from([1, 2, 3, "unlimited"]))
@settings(max_examples=60)
def test_unified_is_ideal_where_sizes_are_powers_of_two(jobs, dial):
    chosen = Settings.of("unified", open_nodes=dial)
    ends, found = completions(jobs, make(chosen, 2, jobs), bound=chosen.bound)
    assert ends == completions(jobs, Ideal(2))[0]
    assert not found.blocked_seconds
    assert not found.over_bound_events


@given(traces(), st.sampled_from([1, 2, "unlimited"]))
@settings(max_examples=60)
def test_unified_blocks_no_job_while_wcc_holds_with_it(jobs, dial):
    _, found = completions(jobs, make(Settings.of("unified", open_nodes=dial), 2, jobs))
    assert not found.blocked_wcc_seconds


def test_unified_may_block_where_wcc_fails():
    """Two 5-GPU jobs take all of two nodes while no 1-GPU job runs; the 3s wait for 10 s with six GPUs free."""
    _, found = completions(trace_of((0, 10, 2, 5), (0, 1, 1, 3)), Unified(2))
    assert (found.blocked_seconds, found.blocked_wcc_seconds) == (10, 0)


def test_ideal_by_itself():
    ideal = Ideal(2)
    with pytest.raises(NeverFits):
        ideal.arrive("a", 6, 3)
    ideal.arrive("a", 5, 2)
    assert ideal.partial_nodes == 1
    ideal.depart("a")
    assert ideal.partial_nodes == 0
    with pytest.raises(InputError, match="no placement"):
        ideal.snapshot()
    ideal.check_changes()


def test_other_queue_rules_have_no_such_theorem():
    """With skip, ideal lets the long d pass c at once; best-fit finds no node for d, and at 10 c comes first."""
    jobs = trace_of((0, 10, 1, 5), (0, 10, 1, 5), (1, 1, 2, 8), (2, 100, 1, 6))
    assert completions(jobs, Ideal(2), queue=Skip())[0]["c"] == 103
    assert completions(jobs, BestFit(2), queue=Skip())[0]["c"] == 11
