"""Predicates of histories of `repaired` and `unified`: each is broken by a scheduler that lacks what keeps it."""

import random

import pytest

from compass.errors import NeverFits
from compass.events import Arrive, Depart
from compass.printed import Printed
from compass.repaired import Repaired
from compass.scheduler import apply_event
from compass.settled import SettledScheduler
from compass.unified import Unified
from verification.cli import PREDICATES_OF
from verification.job_claims import PREDICATES, Outcome


def broken(variant, scheduler, events):
    """The claims that the last event breaks, in the order in which the command asks."""
    for event in events:
        outcome = Outcome(event, apply_event(scheduler, event).admitted)
    return [name for name in PREDICATES_OF[variant] if PREDICATES[name](scheduler, outcome)]


def without_settling(make, monkeypatch):
    monkeypatch.setattr(SettledScheduler, "_settle", lambda self: None)
    return make()


def test_each_has_its_own_name(monkeypatch):
    # {4,4} {4,4} less a 4 of each: two open nodes, two partial; T = 8 is one node.
    halves = [Arrive("a", 4), Arrive("b", 4), Arrive("c", 4), Arrive("d", 4), Depart("b"), Depart("d")]
    found = broken("unified", without_settling(lambda: Unified(2), monkeypatch), halves)
    assert found == ["theorem-1", "open-nodes", "node-bound", "prop-1"]
    # nu = 2 = 1 + max(1, 0) is allowed, two open slotted nodes are not.
    found = broken("repaired", without_settling(lambda: Repaired(2), monkeypatch), halves)
    assert found == ["open-nodes", "theorem-1-structure", "slotted-pass", "prop-1"]
    # {7,1} {1 x 8}: the 1 beside the 7 leaves, and eight others are free.
    vacant = [Arrive("a", 7), Arrive("b", 1), Arrive("c", 1, 8), Depart("b")]
    found = broken("unified", without_settling(lambda: Unified(2), monkeypatch), vacant)
    assert found == ["saturation", "exclusion", "prop-1"]
    monkeypatch.undo()
    for variant, make in (("unified", lambda: Unified(2)), ("repaired", lambda: Repaired(2))):
        assert broken(variant, make(), halves) == broken(variant, make(), vacant) == []


def test_exclusion_of_printed_is_about_the_refill_of_the_text(monkeypatch):
    vacant = [Arrive("a", 7), Arrive("b", 1), Arrive("c", 1, 8), Depart("b")]
    assert broken("printed", Printed(2), vacant) == []
    monkeypatch.setattr(Printed, "_draw", lambda self, slot, wanted: None)
    assert "exclusion" in broken("printed", Printed(2), vacant)


@pytest.mark.parametrize(("admits", "said"), [(True, "runs"), (False, "waits")])
def test_admission_is_exact(admits, said):
    # A = 10 and P = 6: two nodes of slots and one of the pool, with 16 of 16 GPUs.
    full = [Arrive("a", 4, 2), Arrive("b", 2), Arrive("c", 1, 6)]
    assert broken("repaired", Repaired(3), full) == []
    scheduler = Repaired(2 if admits else 3)
    event = full.pop()
    for one in full:
        apply_event(scheduler, one)
    if admits:  # as if it had been
        scheduler.running.add(event.gpus, event.instances)
    reason = PREDICATES["admission"](scheduler, Outcome(event, admits))
    assert reason.startswith(f"the job {said}")


@pytest.mark.parametrize("make", [lambda: Repaired(4), lambda: Unified(4), lambda: Unified(4, open_nodes=3)])
def test_none_is_broken_in_random_runs(make):
    rng = random.Random(4)
    scheduler, running = make(), []
    variant = "repaired" if isinstance(scheduler, Repaired) else "unified"
    for number in range(150):
        if running and rng.random() < 0.45:
            event = Depart(running.pop(rng.randrange(len(running))))
        else:
            event = Arrive(f"j{number}", rng.choice([1, 1, 1, *range(1, 9)]), rng.choice([1, 2]))
        try:
            assert broken(variant, scheduler, [event]) == []
        except NeverFits:
            continue
        running += [event.job] if isinstance(event, Arrive) and event.job in scheduler._jobs else []


def test_no_limit_is_no_bound():
    scheduler = Unified(3, open_nodes=None)
    assert broken("unified", scheduler, [Arrive("a", 5), Arrive("b", 5), Arrive("c", 5)]) == []
