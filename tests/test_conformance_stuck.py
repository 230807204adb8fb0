"""Where a port of `printed` may get stuck: the judge counts, the reference tries, in every state of two nodes."""

from itertools import combinations_with_replacement, permutations

import pytest

from compass.conformance.lines import EventLine
from compass.conformance.property_judge import PropertyJudge
from compass.conformance.settings import Settings
from compass.errors import NoLegalDestination
from compass.event_io import format_decision
from compass.events import Arrive, Decision, Depart, Placement, instance_name, job_of
from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import Readings
from compass.scheduler import apply_event
from compass.space import AbsState, Anchor, slotted_types

G8 = Geometry(8)
NODES = [*([()] * 9), *slotted_types(G8)]
"""The slots of each kind of node; the first nine have none, and as many 1-GPU instances as their place says."""


def states(nodes):
    """Every state up to names and the order of nodes, with at most one pool node that is not full."""
    for state in combinations_with_replacement(range(len(NODES)), nodes):
        if sum(0 < kind < 8 for kind in state) <= 1:
            yield state


def departures(state):
    """The anchors of the job that departs: one, or two of one size, as (node, slot) in the order of leaving."""
    sizes = {(n, k): slot.anchor for n, kind in enumerate(state) for k, slot in enumerate(NODES[kind])}
    return [*((p,) for p in sizes), *((p, q) for p, q in permutations(sizes, 2) if sizes[p] == sizes[q])]


def contents(state, leaving=()):
    """Slots and 1-GPU instances of each node; the leaving anchors are job x, other anchors and the ones a job each."""
    for n, kind in enumerate(state):
        names = [instance_name(f"ones{n}", k) for k in range(8)]
        slots = []
        for k, (size, fillers) in enumerate(NODES[kind]):
            name = instance_name("x", leaving.index((n, k))) if (n, k) in leaving else f"a{n}.{k}/0"
            slots.append((Anchor(name, size), names[:fillers]))
            names = names[fillers:]
        yield slots, [] if slots else names[:kind]


def is_stuck(state, leaving, event, readings):
    """Whether the reference is."""
    try:
        apply_event(Printed.from_state(AbsState.of(G8, contents(state, leaving)), readings), event)
    except NoLegalDestination:
        return True
    return False


def may_get_stuck(state, leaving, event, readings):
    """What the judge says when it has seen this placement come about: slots, then full pool nodes, then the other."""
    jobs = {}
    for n, (slots, ones) in enumerate(contents(state, leaving)):
        for anchor, _ in slots:
            jobs.setdefault((0, job_of(anchor.name), anchor.gpus), []).append((anchor.name, n))
        if inside := [*ones, *(name for _, fillers in slots for name in fillers)]:
            jobs[1 + (len(inside) < 8), f"ones{n}", 1] = [(name, n) for name in inside]
    judge = PropertyJudge(Settings("printed", len(state), readings=readings))
    for (_, job, gpus), placed in sorted(jobs.items()):
        steps = [Placement(name, node) for name, node in sorted(placed)]
        answer = format_decision(Decision("arrive", job, True, tuple(steps)))
        judge.check(EventLine.to(Arrive(job, gpus, len(placed))), answer)
    return judge.may_get_stuck(EventLine.to(event))


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_departure_by_the_default_readings_is_stuck_exactly_where_the_count_says_so(nodes):
    found = []
    for state in states(nodes):
        for leaving in departures(state):
            case = (state, leaving, Depart("x"), Readings())
            found.append(is_stuck(*case))
            assert may_get_stuck(*case) == found[-1], case
    assert {True, False} == {*found}


@pytest.mark.parametrize(
    "readings",
    [
        Readings(rehome="before"),
        Readings(migrations="simultaneous"),
        Readings(room="cap", cap="nodes"),
    ],
    ids=["rehome", "migrations", "room"],
)
def test_under_other_readings_nothing_is_stuck_that_may_not_be(readings):
    found = 0
    for state in states(2):
        cases = [(leaving, Depart("x")) for leaving in departures(state)]
        cases += [((), Arrive("x", gpus)) for gpus in (1, 2, 4)]
        cases += [((), Depart(f"ones{n}")) for n, (slots, ones) in enumerate(contents(state)) if ones]
        for leaving, event in cases:
            if is_stuck(state, leaving, event, readings):
                found += 1
                assert may_get_stuck(state, leaving, event, readings), (state, leaving, event)
    assert found
