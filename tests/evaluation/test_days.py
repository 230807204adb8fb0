"""Days of a trace and cluster sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass import InputError
from compass.evaluation.days import DAY, from_first, jobs_of_day, needed_nodes, nodes_for, split_days
from compass.evaluation.runs import Workload
from compass.trace import TraceJob
from tests.evaluation.common import needs_traces, trace_of, traces, venus


def test_days_are_counted_from_time_zero():
    jobs = trace_of((5, 9, 1, 1), (DAY - 1, 9, 1, 1), (DAY, 9, 1, 1), (3 * DAY, 9, 1, 1))
    assert {day: [job.job_id for job in some] for day, some in split_days(jobs).items()} == {
        0: ["a", "b"],
        1: ["c"],
        3: ["d"],
    }
    assert jobs_of_day(jobs, 1) == [jobs[2]]
    with pytest.raises(InputError, match="day 2: no job was submitted on it \\(3 days from 0 to 3 have jobs\\)"):
        jobs_of_day(jobs, 2)


def test_a_trace_begins_with_its_first_submission():
    jobs = trace_of((1_700_000_000, 9, 1, 1), (1_700_050_000, 9, 1, 1), (1_700_086_400, 9, 1, 1))
    assert [job.submit_time for job in from_first(jobs)] == [0, 50_000, DAY]
    assert {day: len(some) for day, some in Workload("w", jobs).days.items()} == {0: 2, 1: 1}
    assert from_first([]) == []


@given(traces(), st.fractions(Fraction(1, 50), 1))
def test_nodes_against_every_second_looked_at(jobs, eta):
    levels = [
        sum(j.instances * j.gpus_per_instance for j in jobs if j.submit_time <= t < j.submit_time + j.duration)
        for t in range(22)
    ]
    busy = sorted(level for level in levels if level)
    level = next((busy[k] for k in range(len(busy)) if (k + 1) >= eta * len(busy)), 0)
    assert nodes_for(jobs, eta) == max(-(-level // 8), *map(needed_nodes, jobs))


def test_a_job_that_does_not_fit_its_share_of_nodes_makes_room():
    assert needed_nodes(TraceJob("a", 0, 1, 3, 5)) == 3
    assert nodes_for(trace_of((0, 1, 3, 5)), Fraction(1)) == 3
    assert nodes_for(trace_of((0, 0, 3, 5)), Fraction(1)) == 3  # no demand for any time


def test_at_least_a_share_is_enough():
    """8 GPUs for 90 s, then 32 for 10 s."""
    jobs = trace_of((0, 100, 1, 8), (90, 10, 1, 8), (90, 10, 2, 8))
    assert [nodes_for(jobs, Fraction(share, 100)) for share in (90, 91)] == [2, 4]  # two for the job of two instances


def test_bad_arguments():
    for jobs, eta in ((trace_of((0, 1, 1, 1)), 0), (trace_of((0, 1, 1, 1)), Fraction(11, 10)), ([], 1)):
        with pytest.raises(InputError, match="eta"):
            nodes_for(jobs, Fraction(eta))


@needs_traces
def test_venus_has_188_days():
    days = split_days(venus())
    assert len(days) == 188
    assert len(days[91]) == 629
