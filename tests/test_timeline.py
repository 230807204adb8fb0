"""SIF over time agrees with the placement at every time, and with the replay."""

from __future__ import annotations

import pytest

from compass import InputError, Repaired, Unified, make_scheduler, sif
from compass.replay import fifo, replay
from compass.synthetic import generate
from compass.timeline import Moment, Timeline, timeline
from compass.trace import TraceJob
from compass.wcc_time import wcc_over_time


@pytest.mark.parametrize("variant", ["printed", "repaired", "unified"])
def test_every_moment_is_the_placement_after_the_last_event_of_its_time(variant):
    trace = generate("alternating", 300, 3, mean_gap=20, mean_duration=1500)
    run = timeline(trace, make_scheduler(variant, 60))
    scheduler, placed = make_scheduler(variant, 60), {}
    for served in fifo(trace, scheduler):
        placed[served.time] = sif(scheduler.snapshot()), sum(node.load for node in scheduler.snapshot().nodes)
    assert [moment.time for moment in run.moments] == list(placed)
    for moment, (report, busy) in zip(run.moments, placed.values(), strict=True):
        assert (moment.partial_nodes, moment.avoidable) == (report.partial_nodes, report.avoidable_partial_nodes)
        assert (moment.slack, moment.busy) == (report.wcc_slack, busy)
    assert run.moves == replay(trace, make_scheduler(variant, 60)).moves
    spread = sum(
        after.time - now.time
        for now, after in zip(run.moments, run.moments[1:], strict=False)
        for _ in range(now.avoidable)
    )
    assert run.mean_sif * 60 * (run.moments[-1].time - run.moments[0].time) == spread
    assert run.worst == max(report.avoidable_partial_nodes for report, _ in placed.values())


def test_without_wcc_is_what_the_trace_says_where_no_job_waits():
    trace = generate("alternating", 900, 2, mean_gap=60, mean_duration=9000)
    run, report = timeline(trace, Unified(400)), wcc_over_time(trace)
    spans = run.without_wcc()
    assert len(spans) == report.violations >= 2
    assert (spans[0], spans[-1]) == (report.first_violation, report.last_violation)


def test_periods_are_maximal():
    moments = [(0, 2), (5, 0), (7, 3), (9, 2), (12, 1), (13, 4)]
    run = Timeline(4, tuple(Moment(time, n, n, -1, 0, 0) for time, n in moments))
    assert run.periods(2) == [(0, 5), (7, 12)]
    assert run.periods() == [(0, 5), (7, 13)]
    assert run.periods(5) == []
    assert run.without_wcc() == [(0, 13)]


def test_no_time_is_no_fragmentation():
    assert timeline([TraceJob("a", 5, 0, 1, 4)], Repaired(2)).mean_sif == 0


def test_what_has_no_sif():
    with pytest.raises(InputError, match="no bound"):
        timeline([TraceJob("a", 0, 1, 1, 4)], Unified(None))
    with pytest.raises(InputError, match="at least one moment"):
        timeline([TraceJob("a", 0, 1, 9, 8)], Unified(2))  # the only job never fits


def test_a_span_of_a_run():
    run = Timeline(4, tuple(Moment(t, n, n, 0, 0, k) for t, n, k in ((0, 2, 0), (5, 0, 2), (10, 3, 7), (20, 0, 9))))
    assert [(m.time, m.avoidable) for m in run.between(5, 20).moments] == [(5, 0), (10, 3), (20, 0)]
    assert run.between(0, 20).moments == run.moments
    assert [run.moves, run.between(5, 20).moves, run.between(10, 20).moves] == [9, 7, 2]
    halves = run.between(0, 8).mean_sif * 8 + run.between(8, 20).mean_sif * 12
    assert halves == run.mean_sif * 20
    for begin, end in ((-1, 5), (0, 21), (5, 5), (9, 3)):
        with pytest.raises(InputError, match=f"from {begin} to {end}: the run lasts from 0 to 20"):
            run.between(begin, end)
