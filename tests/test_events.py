import json

import pytest

from compass.events import Arrive, Decision, Depart, Move, Placement, instance_name
from compass.scheduler import Scheduler, apply_event
from compass.variants import VARIANTS, make_scheduler

INTERLEAVED = Decision(
    "arrive", "a", True, (Move("b/0", 1, 0), Placement("a/0", 1), Move("c/0", 2, 1), Placement("a/1", 2))
)


def replayed_order(record):
    """What a reader of the format makes of a record: all moves, then all placements, unless ``order`` says else."""
    lists = {"move": record["moves"], "placement": record["placements"]}
    order = record.get("order") or [[kind, k] for kind in ("move", "placement") for k in range(len(lists[kind]))]
    return [lists[kind][k] for kind, k in order]


def test_order_is_given_where_steps_interleave():
    record = json.loads(json.dumps(INTERLEAVED.to_json()))
    assert replayed_order(record) == [
        {"instance": "b/0", "from": 1, "to": 0},
        {"instance": "a/0", "node": 1},
        {"instance": "c/0", "from": 2, "to": 1},
        {"instance": "a/1", "node": 2},
    ]


def test_order_is_left_out_where_moves_come_first():
    decision = Decision("arrive", "a", True, (Move("b/0", 1, 0), Placement("a/0", 1)))
    assert decision.to_json() == {
        "event": "arrive",
        "job": "a",
        "admitted": True,
        "moves": [{"instance": "b/0", "from": 1, "to": 0}],
        "placements": [{"instance": "a/0", "node": 1}],
    }


def test_refusals_and_departures():
    assert Decision("arrive", "a", False).to_json() == {
        "event": "arrive", "job": "a", "admitted": False, "moves": [], "placements": [],
    }  # fmt: skip
    assert Decision("depart", "a", True, (Move("b/0", 1, 0),)).to_json() == {
        "event": "depart", "job": "a", "moves": [{"instance": "b/0", "from": 1, "to": 0}],
    }  # fmt: skip


def test_instance_names():
    assert instance_name("job", 3) == "job/3"


@pytest.mark.parametrize("variant", VARIANTS)
def test_apply_event(variant):
    scheduler = make_scheduler(variant, 2)
    assert isinstance(scheduler, Scheduler)
    assert apply_event(scheduler, Arrive("a", 8)).placements == (Placement("a/0", 0),)
    assert apply_event(scheduler, Arrive("b", 8, 2)).admitted is False
    assert apply_event(scheduler, Depart("a")) == Decision("depart", "a", True)
