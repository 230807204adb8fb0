"""A story has every state of a decision and is told of legal steps only."""

from __future__ import annotations

import random
import re

import pytest

from compass import Arrive, Decision, Depart, InputError, Move, Placement, Snapshot, Unified, make_scheduler
from compass.follow import Follower
from compass.picture import Mark
from compass.scheduler import apply_event
from compass.story import story, story_pictures


def loads(snapshot):
    """What runs on each node, in no order and without the numbers of instances."""
    return [sorted(node.instances) for node in snapshot.nodes]


@pytest.mark.parametrize("variant", ["printed", "repaired", "unified"])
def test_a_story_ends_where_the_scheduler_is(variant):
    rng = random.Random(5)
    scheduler, follower = make_scheduler(variant, 6), Follower(8, 6)
    running = {}
    moved = 0
    for number in range(150):
        before = scheduler.snapshot()
        if running and rng.random() < 0.5:
            event = Depart(rng.choice(sorted(running)))
            gpus, instances = running.pop(event.job)
        else:
            gpus, instances = rng.choice((1, 1, 2, 3, 4, 5, 6, 8)), rng.randint(1, 2)
            event = Arrive(f"j{number}", gpus, instances)
        decision = apply_event(scheduler, event)
        if decision.admitted and isinstance(event, Arrive):
            running[event.job] = gpus, instances
        (follower.arrived if isinstance(event, Arrive) else follower.departed)(decision, gpus, instances)
        frames = story(before, event, decision.steps)
        assert len(frames) == 1 + isinstance(event, Depart) + len(decision.steps)
        assert loads(frames[-1].snapshot) == loads(scheduler.snapshot())
        assert frames[-1].snapshot.partial_nodes == follower.partial_nodes
        moved += len(decision.moves)
    assert moved > 10


def test_captions_and_marks():
    before = Snapshot.of([[4], []])
    arriving = (Move("j0/0", 0, 1), Placement("a/0", 0))
    frames = story(before, Arrive("a", 8), arriving)
    assert [(frame.caption, frame.mark) for frame in frames] == [
        ("before", None),
        ("j0/0: n0 to n1", Mark("j0", 1, 0)),
        ("a/0 on n0", Mark("a", 0)),
    ]
    leaving = story(frames[-1].snapshot, Depart("a"), ())
    assert [(frame.caption, [node.load for node in frame.snapshot.nodes]) for frame in leaving] == [
        ("before", [8, 4]),
        ("a leaves", [0, 4]),
    ]
    pictures = story_pictures(frames)
    assert [re.search("<title>(.*?):", picture)[1] for picture in pictures] == ["0. before", "1. j0/0", "2. a/0 on n0"]
    assert ['class="arrow"' in picture for picture in pictures] == [False, True, False]


@pytest.mark.parametrize(
    ("event", "step", "message"),
    [
        (None, Move("j0/0", 0, 1), "node 'n1': 9 GPUs busy, more than its 8"),
        (None, Move("j0/0", 0, 2), "there is no node 2 among 2"),
        (None, Move("j0/0", 1, 0), "node 'n1': no instance of job 'j0' is there to move"),
        (None, Placement("a/0", 0), "Placement(instance='a/0', node=0): only an arrival places instances"),
        (Depart("j0"), Placement("a/0", 0), "Placement(instance='a/0', node=0): only an arrival places instances"),
        (Depart("x"), None, "job 'x': is not running"),
        (Arrive("a", 5), Placement("a/0", 0), "node 'n0': 9 GPUs busy, more than its 8"),
        (Arrive("a", 5), Placement("a/0", -1), "there is no node -1 among 2"),
    ],
)
def test_what_cannot_be_is_not_told(event, step, message):
    with pytest.raises(InputError) as error:
        story(Snapshot.of([[4], [5]]), event, [step] if step else [])
    assert str(error.value) == message


def test_a_refused_arrival_has_only_a_beginning():
    scheduler = Unified(1)
    scheduler.arrive("a", 8)
    decision = scheduler.arrive("b", 8)
    assert decision == Decision("arrive", "b", admitted=False)
    assert len(story(scheduler.snapshot(), Arrive("b", 8), decision.steps)) == 1
