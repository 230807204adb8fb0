"""WCC over a trace, against a second computation instant by instant and against the replay."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.composition import Composition
from compass.errors import InputError
from compass.geometry import Geometry
from compass.replay import replay
from compass.trace import TraceJob
from compass.unified import Unified
from compass.wcc_time import Interval, wcc_over_time

small_traces = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 8), st.integers(1, 3), st.integers(1, 8)), min_size=1, max_size=8
).map(lambda rows: sorted((TraceJob(f"j{k}", *row) for k, row in enumerate(rows)), key=lambda job: job.submit_time))


@given(small_traces)
def test_against_every_second_looked_at(trace):
    holds = []
    for second in range(21):
        running = Composition(Geometry())
        for job in trace:
            if job.submit_time <= second < job.submit_time + job.duration:
                running.add(job.gpus_per_instance, job.instances)
        holds.append((running.wcc, running.total > 0))
    busy = [wcc for wcc, some in holds if some]
    report = wcc_over_time(trace)
    assert report.time_share == (Fraction(sum(busy), len(busy)) if busy else 1)
    spans = []
    for second, (wcc, _) in enumerate(holds):
        if not wcc and spans and spans[-1].end == second:
            spans[-1] = Interval(spans[-1].begin, second + 1)
        elif not wcc:
            spans.append(Interval(second, second + 1))
    assert report.violations == len(spans)
    if spans:
        longest = max(spans, key=lambda span: span.end - span.begin)
        assert (report.first_violation, report.last_violation, report.longest_violation) == (
            spans[0],
            spans[-1],
            longest,
        )
    else:
        assert (report.first_violation, report.last_violation, report.longest_violation) == (None, None, None)


@given(small_traces)
def test_a_replay_without_bound_sees_the_same_events(trace):
    seen = replay(trace, Unified(None))
    report = wcc_over_time(trace)
    assert (report.events, report.wcc_events) == (seen.events, seen.wcc_events)


def test_the_worst_slack_also_at_instants_that_do_not_last():
    report = wcc_over_time([TraceJob("a", 5, 0, 2, 5), TraceJob("b", 5, 2, 1, 1)])
    assert (report.events, report.wcc_events, report.worst_slack) == (4, 2, -6)
    assert (report.time_share, report.violations) == (1, 0)


def test_departures_come_before_arrivals():
    report = wcc_over_time([TraceJob("b", 0, 5, 1, 7), TraceJob("a", 5, 5, 1, 7)])
    assert report.worst_slack == -1


def test_the_geometry_counts():
    trace = [TraceJob("a", 0, 1, 1, 2)]
    assert wcc_over_time(trace).wcc_events == 2
    assert wcc_over_time(trace, Geometry(8, (4, 8))).wcc_events == 1
    with pytest.raises(InputError, match="8 GPUs"):
        wcc_over_time([TraceJob("a", 0, 1, 1, 8)], Geometry(4))


def test_a_trace_without_jobs():
    with pytest.raises(InputError, match=r"^the trace has no job$"):
        wcc_over_time([])


def test_json():
    report = wcc_over_time([TraceJob("a", 0, 10, 1, 7), TraceJob("b", 4, 6, 1, 1)])
    assert report.to_json() == {
        "events": 4,
        "wcc_events": 3,
        "worst_slack": -1,
        "time_share": 0.6,
        "violations": 1,
        "first_violation": [0, 4],
        "last_violation": [0, 4],
        "longest_violation": [0, 4],
    }
    assert wcc_over_time([TraceJob("b", 4, 6, 1, 1)]).to_json()["first_violation"] is None
