"""Settings: what is known, what belongs to whom, and the schedulers they make."""

from __future__ import annotations

import pytest

from compass import InputError, Readings, Scheduler
from compass.evaluation.baselines.fgd import CausalFgd, instance_counts
from compass.evaluation.hooks import Placeless, Scored
from compass.evaluation.queues import EasyBackfill, Fifo, GfsQueue, McgQueue, Skip
from compass.evaluation.registry import SCHEDULERS
from compass.evaluation.schedulers import make
from compass.evaluation.settings import NAMES, OWN_SETTINGS, Settings
from tests.evaluation.common import trace_of


@pytest.mark.parametrize("name", OWN_SETTINGS)
def test_every_scheduler_can_be_made(name):
    scheduler = make(Settings.of(name), 3, [])
    assert isinstance(scheduler, Scheduler)
    assert scheduler.nodes == 3
    assert isinstance(scheduler, Placeless) == (name == "ideal")
    assert set(OWN_SETTINGS[name]) < set(NAMES)
    assert SCHEDULERS[name].scores == isinstance(scheduler, Scored)


@pytest.mark.parametrize(
    ("scheduler", "values", "message"),
    [
        ("unifed", {}, "scheduler 'unifed': there is none, did you mean 'unified'?"),
        ("drr", {"round_lenght": 4}, "setting 'round_lenght': there is none, did you mean 'round_length'?"),
        ("drr", {"open_nodes": 4}, "open_nodes: 'drr' has no such setting \\(it has round_length, round_phase, drain,"),
        ("drr", {"round_length": 0}, "round_length 0: must be a positive integer or never"),
        ("drr", {"round_length": "unlimited"}, "round_length 'unlimited': must be a positive integer or never"),
        ("unified", {"open_nodes": True}, "open_nodes True: must be a positive integer or unlimited"),
        ("cafgd", {"window": 0}, "window 0: must be a positive integer$"),
        ("cafgd", {"alpha": 1.5}, "alpha 1.5: must be a number from 0 to 1"),
        ("cafgd", {"wait": "W1", "queue": "skip"}, "wait W1: only with queue fifo, not skip"),
        ("best-fit", {"queue": "skipp"}, "queue 'skipp': must be one of .*, did you mean 'skip'"),
        ("best-fit", {"queue": "mcg-skip"}, "queue mcg-skip: needs a scheduler that scores jobs"),
        ("best-fit", {"cost": -1}, "cost -1: must be an integer, 0 or more"),
        ("fft", {"round_phase": -1}, "round_phase -1: must be an integer, 0 or more, or day$"),
        ("fft", {"round_phase": "never"}, "round_phase 'never': must be an integer, 0 or more, or day$"),
        ("best-fit", {"round_phase": 0}, "round_phase: 'best-fit' has no such setting"),
        ("printed", {"readings": "ties=lowest"}, "readings 'ties=lowest': must be Readings"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(scheduler, values, message):
    with pytest.raises(InputError, match=message) as error:
        Settings.of(scheduler, **values)
    assert "\n" not in str(error.value)


def test_a_row_states_every_setting():
    row = Settings.of("fft", round_length="never", cost=8).row()
    assert list(row) == ["label", *NAMES, "reconstruction"]
    assert {k: v for k, v in row.items() if v != "-"} == {
        "label": "fft R=never c=8",
        "scheduler": "fft",
        "round_length": "never",
        "round_phase": "0",
        "queue": "fifo",
        "cost": 8,
        "cost_rule": "job",
        "reconstruction": "yes",
    }
    assert Settings.of("printed").row()["readings"] == str(Readings())


def test_labels_tell_settings_apart():
    assert Settings.of("unified").label == "unified m=1"
    assert Settings.of("drr", drain="all-or-none", queue="easy").label == "drr R=3600 drain=all-or-none queue=easy"
    assert Settings.of("drr", round_phase="day").label == "drr R=3600 round_phase=day"
    assert Settings.of("fft", round_length=300, round_phase=0).label == "fft R=300"
    assert Settings.of("mcg").label == "mcg"
    assert Settings.of("mcg", queue="fifo").label == "mcg queue=fifo"
    assert Settings.of("fgd", shares="trace", cost=5).label == "fgd shares=trace c=5"


def test_changed_settings_are_checked():
    assert Settings.of("unified").but(cost=3).cost == 3
    with pytest.raises(InputError):
        Settings.of("unified").but(seed=3)


def test_queues_and_bounds():
    kinds = {"fifo": Fifo, "easy": EasyBackfill, "skip": Skip, "gfs-queue": GfsQueue, "mcg-block": McgQueue}
    for name, kind in kinds.items():
        assert type(Settings.of("mcg", queue=name).make_queue()) is kind
    assert type(Settings.of("cafgd", wait="W1").make_queue()) is Fifo
    bounds = {"ideal": 0, "unified": 0, "repaired": 2, "printed": 2, "best-fit": 2}
    assert {name: Settings.of(name).bound for name in bounds} == bounds
    assert [Settings.of("unified", open_nodes=m).bound for m in (2, 3, "unlimited")] == [2, 3, None]


def test_shares_come_from_where_the_setting_says():
    day, trace = trace_of((0, 1, 1, 4)), instance_counts(trace_of((0, 1, 1, 4), (0, 1, 3, 2)))
    assert make(Settings.of("fgd"), 1, day, trace).table == [0, 1, 2, 3, 0, 0, 0, 0, 0]
    assert make(Settings.of("fgd", shares="trace"), 1, day, trace).table == [0, 4, 2, 3, 0, 0, 0, 0, 0]
    assert make(Settings.of("fgd", shares="trace"), 1, day).table == [0, 1, 2, 3, 0, 0, 0, 0, 0]
    assert isinstance(make(Settings.of("fgd", shares="causal"), 1, day, trace), CausalFgd)
