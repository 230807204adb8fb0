"""Means over days, first places, coverage, series and figures, from rows written by hand."""

from __future__ import annotations

import re

import pytest

from compass import InputError
from compass.evaluation import figures
from compass.evaluation.books import Books
from compass.evaluation.measures import Measures
from compass.evaluation.places import Ideals
from compass.evaluation.plans import BASELINES, COMPASS, DYNAMICS, Scope, blocked_day, dynamics, on_blocked_day
from compass.evaluation.ranking import EDGES, PAPER_COVERAGE, beside_ideal, coverage, first_places
from compass.evaluation.recorder import Record
from compass.evaluation.runs import Run, Workload, perform, tasks_of
from compass.evaluation.series import series
from compass.evaluation.settings import Settings
from compass.evaluation.summary import ALL_DAYS, COMPARED, QUEUE_DAYS, means, with_queue
from compass.evaluation.table import format_csv, mean, shortened
from compass.evaluation.watch import LONGEST, Watch
from compass.events import Decision, Placement
from compass.plotting import INK
from tests.evaluation.common import trace_of


def row(settings, day=0, **measures):
    """A row of the results table with some measures."""
    usual = Measures(10, 8, jobs=30, peak_seconds=5).to_json()
    return {**Run("t", day, "0.90", 10, settings).row(), "status": "done", **usual, **measures}


def test_means_over_days():
    ideal, other = Settings.of("ideal"), Settings.of("best-fit")
    rows = [
        row(ideal, 0, jobs=30, ajct=100.0, afr=0.0),
        row(ideal, 1, jobs=90, ajct=200.0, afr=None, peak_seconds=0),
        row(other, 0, jobs=30, ajct=110.0, afr=0.5, moves=6, max_sif=0.5, wcc_events=10, over_bound_events=2),
        row(other, 1, jobs=90, ajct=220.0, afr=0.25, moves=6, max_sif=0.25, wcc_events=10, over_bound_events=0),
    ]
    found = {(one["label"], one["mean_over"]): one for one in means(rows)}
    assert len(found) == 4
    all_days = found["best-fit", ALL_DAYS]
    expected = {
        "days": 2,
        "days_with_queue": 2,
        "jobs": 120,
        "ajct": 165.0,
        "ajct_by_jobs": (30 * 110 + 90 * 220) / 120,
        "over_ideal": pytest.approx(0.1),
        "afr": 0.375,
        "afr_by_jobs": (30 * 0.5 + 90 * 0.25) / 120,
        "worst_sif": 0.5,
        "mean_max_sif": 0.375,
        "moves_per_job": 0.1,
        "over_bound_event_share": 0.1,
        "days_over_bound": 1,
        "failed": 0,
    }
    assert {key: all_days[key] for key in expected} == expected
    assert found["ideal", ALL_DAYS]["days_with_queue"] == 1
    assert found["ideal", ALL_DAYS]["afr"] == 0
    assert found["best-fit", QUEUE_DAYS]["days"] == 1  # on day 1 nobody waits under ideal
    assert found["best-fit", QUEUE_DAYS]["over_ideal"] == pytest.approx(0.1)
    assert found["best-fit", QUEUE_DAYS]["over_bound_time_share"] is None


def test_how_far_above_ideal_days_are():
    """On days 0 to 9, in another order, best-fit is 0 to 9 % above `ideal`: of ten days five are at most 4 % above."""
    ideal, other = Settings.of("ideal"), Settings.of("best-fit")
    above = [7, 0, 9, 4, 2, 8, 1, 6, 3, 5]
    rows = [row(ideal, day, ajct=100.0 * (day + 1)) for day in range(10)]
    rows += [row(other, day, ajct=(100.0 + percent) * (day + 1)) for day, percent in enumerate(above)]
    found = {(one["label"], one["mean_over"]): one for one in means(rows)}["best-fit", QUEUE_DAYS]
    columns = ("median_over_ideal", "over_ideal_75", "over_ideal_90", "most_over_ideal")
    assert [found[column] for column in columns] == pytest.approx([0.04, 0.07, 0.08, 0.09])
    (alone,) = (one for one in means(rows[10:]) if one["mean_over"] == ALL_DAYS)
    assert [alone[column] for column in columns] == [None] * 4


def test_days_without_result_or_ideal():
    other = Settings.of("best-fit")
    (found,) = means([row(other, status="InvariantViolated: no", jobs=0, ajct=None, peak_seconds=0)])
    assert (found["failed"], found["days"], found["ajct"], found["moves_per_job"]) == (1, 0, None, None)
    assert means([row(other, ajct=5.0)])[0]["over_ideal"] is None
    assert with_queue([row(other, jobs=19)]) == []


def test_a_run_that_failed_neither_improves_a_mean_nor_hides_its_day():
    ideal, other = Settings.of("ideal"), Settings.of("printed")
    failed = row(other, 1, status="NoLegalDestination: no", jobs=0, ajct=None, peak_seconds=0)
    rows = [row(ideal, 0, ajct=100.0), row(ideal, 1, ajct=900.0), row(other, 0, ajct=101.0, afr=0.1), failed]
    found = {(one["label"], one["mean_over"]): one for one in means(rows)}
    for days in (ALL_DAYS, QUEUE_DAYS):
        assert (found["ideal", days]["days"], found["ideal", days]["ajct"]) == (2, 500)
        assert (found["printed", days]["days"], found["printed", days]["failed"]) == (1, 1)
        assert {found["printed", days][column] for column in COMPARED} == {None}


def test_over_ideal_only_where_both_completed_the_same_jobs():
    """Found for jobs 1 x 8, 3 x 5, 2 x 8 on two nodes, where ideal had admitted the second one, which fits nowhere."""
    ideal, ours = row(Settings.of("ideal"), jobs=3, ajct=100.0), row(Settings.of("repaired"), jobs=2, ajct=16.0)
    assert means([ideal, ours])[1]["over_ideal"] is None
    assert beside_ideal([ideal, ours], set()) == []
    assert Ideals([ideal]).over(ours) is None
    assert Ideals([{**ideal, "status": "InvariantViolated: no"}]).of(ideal) is None


def test_first_places():
    """Day 0: unified m=1 is first alone in AJCT, shares AFR with drr, is second in AGU to fft. Day 1: drr failed."""
    ours, theirs = COMPASS[2], {chosen.label: chosen for chosen in BASELINES}
    assert ours.label == "unified m=1"
    rows = []
    for label, chosen in {ours.label: ours, **theirs}.items():
        special = {"unified m=1": (1.0, 0.0, 0.8), "drr R=3600": (2.0, 0.0, 0.5), "fft R=3600": (2.0, 0.5, 0.9)}
        ajct, afr, agu = special.get(label, (3.0, 0.5, 0.5))
        rows.append(row(chosen, 0, ajct=ajct, afr=afr, agu=agu))
        rows.append(row(chosen, 1, ajct=1.0, afr=0.1, agu=0.5, jobs=29 if label.startswith("drr") else 30))
    table = first_places(rows)
    found = {(*(one[key] for key in ("variant", "queue_of_mcg", "round_length", "measure")),): one for one in table}
    assert len(found) == len(COMPASS) * 2 * 2 * 3
    places = {
        measure: [
            found["unified m=1", "fifo", 3600, measure][key] for key in ("runs", "left_out", "first", "strictly_first")
        ]
        for measure in ("ajct", "afr", "agu")
    }
    assert places == {"ajct": [1, 1, 1, 1], "afr": [1, 1, 1, 0], "agu": [1, 1, 0, 0]}
    assert found["unified m=1", "fifo", 3600, "ajct"]["behind_mcg"] == 0
    assert found["unified m=1", "fifo", 300, "agu"]["first"] == 1  # fft with R = 3600 does not take part
    assert found["repaired", "fifo", 3600, "ajct"]["runs"] == 0
    assert found["repaired", "fifo", 3600, "ajct"]["first_share"] is None


def test_runs_in_which_mcg_is_ahead():
    """Day 0: mcg, with its own queue, is ahead in AJCT and AGU, as good in AFR; day 1: behind in all, drr is ahead."""
    better, equal, worse = {"ajct": 1.0, "agu": 0.9}, {"ajct": 2.0, "agu": 0.8}, {"ajct": 3.0, "agu": 0.7}
    rows = []
    for chosen in (COMPASS[2], *BASELINES):
        rows.append(row(chosen, 0, afr=0.1, **(better if chosen.label == "mcg" else equal)))
        drr = chosen.scheduler == "drr"
        other = {**worse, "afr": 0.5} if chosen.label == "mcg" else {**equal, "afr": 0.1}
        rows.append(row(chosen, 1, **(other | better if drr else other)))
    found = {
        (one["queue_of_mcg"], one["measure"]): (one["behind_mcg"], one["first"])
        for one in first_places(rows)
        if (one["variant"], one["round_length"]) == ("unified m=1", 3600)
    }
    assert found == {
        ("fifo", "ajct"): (0, 1),
        ("fifo", "agu"): (0, 1),
        ("fifo", "afr"): (0, 2),
        ("mcg-skip", "ajct"): (1, 0),
        ("mcg-skip", "agu"): (1, 0),
        ("mcg-skip", "afr"): (0, 2),
    }


def test_beside_ideal():
    ideal, ours = Settings.of("ideal"), Settings.of("unified")
    rows = [
        *(row(ideal, day, ajct=100.0) for day in range(3)),
        row(ours, 0, ajct=100.0),
        row(ours, 1, ajct=104.0, blocked_wcc_seconds=3, over_bound_events=1, max_avoidable_wcc=2),
        row(ours, 2, ajct=110.0),
        row(Settings.of("best-fit"), 2, ajct=110.0),
    ]
    powers, others = beside_ideal(rows, {("t", "0"), ("t", "1")})
    assert (powers["sizes"], powers["days"], powers["as_ideal"]) == ("powers of two", 2, 1)
    assert (powers["over_ideal"], powers["worst_over_ideal"]) == (pytest.approx(0.02), pytest.approx(0.04))
    assert [powers[key] for key in ("blocked_wcc_seconds", "days_over_bound", "worst_avoidable_wcc")] == [3, 1, 2]
    assert (others["days"], others["as_ideal"], others["variant"]) == (1, 0, "unified m=1")


def test_coverage():
    shares = [1.0, 1.0, 0.995, 0.9, 0.1, None]
    found = coverage([row(Settings.of("repaired"), day, wcc_share=share) for day, share in enumerate(shares)])
    assert [one["runs"] for one in found if one["over"] == "run"] == [2, 1, 0, 1, 0, 1]
    assert [one["edge_for_paper"] for one in found] == [None] * 6
    rows = [row(Settings.of("repaired"), wcc_share_of_day=share) for share in (1.0, 0.96)]
    assert [one["runs"] for one in coverage(rows) if one["over"] == "day"] == [1, 0, 1, 0, 0, 0]
    many = [row(Settings.of("repaired"), day, wcc_share=1 - day / 564) for day in range(sum(PAPER_COVERAGE))]
    found = coverage(many)
    assert found[0]["edge_for_paper"] == 1 - 486 / 564
    assert (len(EDGES), sum(PAPER_COVERAGE)) == (6, 564)


def test_tables():
    assert format_csv([{"a": "x,y", "b": 1 / 3}, {"a": "", "b": 2}]) == 'a,b\n"x,y",0.3333333333333333\n,2\n'
    assert format_csv([]) == ""
    assert shortened([]) == []
    with pytest.raises(InputError):
        format_csv([{"a": 1}, {"b": 1}])
    assert mean([]) is None


def record(time, head=None, busy=0, avoidable=0, empty=0, waiting=0):
    return Record(time, "submit", None, (), avoidable, busy, empty, waiting, head, True)


def test_a_series_by_hand():
    """Steps of 10 s from 100 on: a large 8-GPU job is the head from 105 to 112, another kind until 130."""
    large, small = trace_of((0, 1, 2, 8), (0, 1, 1, 8))
    watch = Watch(100, 10)
    for one in (
        record(100, busy=4),
        record(105, large, busy=8, avoidable=2, empty=1, waiting=1),
        record(112, small, busy=8, waiting=2),
        record(130, busy=0, empty=3),
        record(130),
    ):
        watch(one)
    assert watch.sums == [
        {"avoidable": 10, "busy": 60, "empty": 5, "waiting": 5},
        {"avoidable": 4, "busy": 80, "empty": 2, "waiting": 2 + 16},
        {"avoidable": 0, "busy": 80, "empty": 0, "waiting": 20},
    ]
    assert (watch.head_of_large, watch.last_waiting) == (7, 130)


def watched(workload, nodes, step):
    """The rows of both parts of the experiment `dynamics`."""
    rows = []
    for plan in (dynamics, lambda *place, step: on_blocked_day(*place, rows, step=step)):
        for run in plan(workload, Scope(nodes=nodes), step=step):
            (task,) = tasks_of(workload, [run])
            rows.append({**run.row(), **perform(task)[0].measures})
    return rows


def test_the_day_most_blocked_by_large_jobs():
    """Day 0: a single 8-GPU job waits. Day 2: a job of two waits for 50 s."""
    day = 86400
    jobs = trace_of((0, 90, 1, 1), (0, 9, 1, 8), (2 * day, 50, 1, 1), (2 * day, 9, 2, 8))
    found = watched(Workload("w", jobs), 2, 25)
    assert blocked_day(found) == 2
    rows = series(found, step=25)
    assert list(dict.fromkeys(one["label"] for one in rows)) == [chosen.label for chosen in DYNAMICS]
    best_fit = [one for one in rows if one["scheduler"] == "best-fit"]
    assert [one["utilisation"] for one in best_fit] == [1 / 16, 1 / 16]
    assert [one["waiting_jobs"] for one in best_fit] == [1, 1]
    assert [one["empty_nodes"] for one in rows if one["scheduler"] == "ideal"] == [None, None]


def test_a_series_ends_after_a_month():
    """The second job waits for most of 10 ** 12 s."""
    found = watched(Workload("w", trace_of((0, 10**12, 1, 8), (0, 9, 1, 8))), 1, LONGEST // 2)
    rows = series(found, step=LONGEST // 2)
    assert [(one["hour"], one["waiting_jobs"]) for one in rows if one["label"] == "best-fit"] == [(0, 1), (360, 1)]


def test_moves_needed():
    """Three nodes: 5 + 2, 4 + 1 + 1, 8."""
    books = Books(8, 3)
    for job, gpus, nodes in (("a", 5, [0]), ("b", 2, [0]), ("c", 4, [1]), ("d", 1, [1, 1]), ("e", 8, [2])):
        placements = tuple(Placement(f"{job}/{k}", node) for k, node in enumerate(nodes))
        books.arrived(Decision("arrive", job, True, placements), gpus, len(nodes))
    wanted = {(1, 3): 0, (2, 1): 0, (2, 2): 1, (3, 1): 1, (4, 1): 1, (4, 2): 1, (6, 1): 1, (8, 1): 2, (8, 2): 5}
    # (4, 2): the 8 may go, which makes room for two at once; for an 8 it would not help.
    assert {key: books.moves_needed(*key) for key in wanted} == wanted
    assert Books(8, 2).moves_needed(8, 2) == 0


def test_figures_say_what_is_in_them():
    table = [{"label": f"s{k}", "x": k, "y": None if k == 2 else k / 7} for k in range(6)]
    for draw, options in (
        (figures.bars, ({"y": "why"}, "title")),
        (figures.lines, ("x", {"y": "why"}, "title")),
        (figures.points, ("x", {"y": "why"}, "title")),
        (figures.stacks, ({"y": "why"}, "title", "share")),
    ):
        more = {"xlabel": "ex"} if draw in (figures.lines, figures.points) else {}
        assert "<?xml" in draw([], *options, **more)
        text = draw(table, *options, **more)
        assert text == draw(table, *options, **more)
        assert text.startswith("<?xml")
        assert all(word in text for word in ("why", "title", "s5"))
        written = re.findall(r"<t(?:ext|span) [^>]*>", text)
        assert written
        assert all(f"fill: {INK}" in tag for tag in written), "what the dark scheme does not know stays black"
    three = figures.bars([{"label": "a", "x": 1, "y": 2, "z": 3}], {"x": "ex", "y": "why", "z": "zed"}, "title")
    assert len(re.findall(r'<g id="axes_\d+">', three)) == 3, "three panels, two of them side by side"
    assert "undefined" in figures.bars(table, {"y": "why"}, "title")
    longer = [{"label": "one", "x": k, "y": k} for k in range(30)]
    assert "one" in figures.lines(longer, "x", {"y": "why"}, "title", xlabel="ex")
