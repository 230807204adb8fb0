"""The job-level explorer: smallest histories, against plain enumeration, and with symmetry against without."""

import itertools
from functools import cache

import pytest

from compass.errors import NeverFits, NoLegalDestination
from compass.events import Arrive, Depart
from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from compass.scheduler import apply_event
from compass.unified import Unified
from verification.appendix_b import APPENDIX_B, SIZES, BestFitCompacted
from verification.evidence import PREDICATES
from verification.job_claims import Outcome
from verification.jobs import Exhausted, Violation, replayed, smallest_over, smallest_violation, state_key

ALL = range(1, 9)
SMALL = [
    ("prop-1", lambda: Printed(1), ALL, 3),
    ("no-waiting", lambda: Printed(1), ALL, 2),
    ("theorem-1-structure", lambda: Printed(2), ALL, 2),
    ("slotted-pass", lambda: Printed(2), ALL, 2),
    ("saturation", lambda: Printed(2, readings=Readings(refill="pseudocode")), (1, 3), 4),
    ("free-six", lambda: BestFitCompacted(2), SIZES, 4),
    ("free-value", lambda: BestFitCompacted(2), SIZES, 4),
    ("one-after-departure", lambda: BestFitCompacted(2), SIZES, 4),
]


@cache  # several tests look at what was found
def found_smallest(name):
    """The smallest history of a case of SMALL."""
    return next(smallest_violation(make, PREDICATES[claim], *rest) for claim, make, *rest in SMALL if claim == name)


def histories(sizes, room, length):
    """Every history of exactly ``length`` events, by plain recursion; instances bounded by the room."""
    if length == 0:
        yield ()
        return
    for history in histories(sizes, room, length - 1):
        running = {e.job: e for e in history if isinstance(e, Arrive)}
        for event in history:
            if isinstance(event, Depart):
                del running[event.job]
        for job in running:
            yield (*history, Depart(job))
        free = room - sum(e.gpus * e.instances for e in running.values())
        for gpus in sizes:
            for number in range(1, free // gpus + 1):
                yield (*history, Arrive(f"j{sum(isinstance(e, Arrive) for e in history)}", gpus, number))


def least_by_enumeration(make, breaks, sizes, max_events):
    """The least (events, instances, GPUs) of a history that breaks the claim."""
    room = make().geometry.capacity * make().nodes
    for length in range(1, max_events + 1):
        found = []
        for history in histories(sizes, room, length):
            scheduler = make()
            outcome = None
            try:
                for event in history:
                    outcome = Outcome(event, apply_event(scheduler, event).admitted)
                    if not outcome.admitted and event is not history[-1]:
                        break
            except NoLegalDestination as finding:
                outcome = Outcome(event, False, str(finding))
            except NeverFits:
                continue
            if event is history[-1] and breaks(scheduler, outcome):
                arrivals = [e for e in history if isinstance(e, Arrive)]
                found.append((length, sum(e.instances for e in arrivals), sum(e.instances * e.gpus for e in arrivals)))
        if found:
            return min(found)
    return None


@pytest.mark.parametrize(("claim", "make", "sizes", "events"), SMALL, ids=[case[0] for case in SMALL])
def test_the_found_history_breaks_the_claim_and_is_smallest(claim, make, sizes, events):
    found = found_smallest(claim)
    assert isinstance(found, Violation)
    scheduler, outcome = replayed(make, found.events)
    assert PREDICATES[claim](scheduler, outcome) == found.reason
    if events <= 3 or claim == "saturation":
        assert (len(found.events), found.instances, found.gpus) == least_by_enumeration(
            make, PREDICATES[claim], sizes, events
        )


@pytest.mark.parametrize(("claim", "make", "sizes", "events"), SMALL, ids=[case[0] for case in SMALL])
def test_with_and_without_symmetry_agree(claim, make, sizes, events):
    plain = found_smallest(claim)
    merged = smallest_violation(make, PREDICATES[claim], sizes, events, symmetric=True)
    assert (plain.events, plain.reason) == (merged.events, merged.reason)
    assert merged.states <= plain.states


@pytest.mark.parametrize("make", [lambda: Repaired(2), lambda: Unified(2), lambda: Unified(2, open_nodes=2)])
def test_nothing_breaks_the_other_variants(make):
    """One search for all claims: prop-1 (the variants check themselves), theorem-1 and saturation."""
    asked = []

    def broken(scheduler, outcome):
        asked.append(scheduler.running.wcc)
        scheduler.check()
        if scheduler.running.wcc and scheduler.board.vacancy:
            return "unsaturated"
        return PREDICATES["theorem-1"](scheduler, outcome)

    found = smallest_violation(make, broken, (1, 2, 3, 5), 3)
    assert isinstance(found, Exhausted)
    assert found.states > 1000
    assert sum(asked) > 500


def test_no_job_waits_in_unified():
    found = smallest_violation(lambda: Unified(2, open_nodes=2), PREDICATES["no-waiting"], (1, 2, 4, 5), 3)
    assert isinstance(found, Exhausted)


def test_state_keys_forget_names_and_with_symmetry_the_order_of_nodes():
    def played(*events):
        return replayed(lambda: Unified(3, open_nodes=3), events)[0]

    one = played(Arrive("a", 8), Arrive("b", 4))
    renamed = played(Arrive("x", 8), Arrive("y", 4))
    swapped = played(Arrive("b", 4), Arrive("a", 8))
    assert state_key(one) == state_key(renamed)
    assert state_key(one) != state_key(swapped)
    assert state_key(one, symmetric=True) == state_key(swapped, symmetric=True)
    together = played(Arrive("a", 8, 2))
    apart = played(Arrive("a", 8), Arrive("b", 8))
    assert state_key(together, symmetric=True) != state_key(apart, symmetric=True)


def test_a_finding_before_the_last_event_is_an_error():
    history = [Arrive("a", 3, 2), Arrive("b", 1, 2), Depart("a"), Depart("b")]
    with pytest.raises(NoLegalDestination):
        replayed(lambda: Printed(1), history)
    _, outcome = replayed(lambda: Printed(1), history[:3])
    assert outcome.finding is not None


def test_a_bounded_cluster_is_needed():
    with pytest.raises(ValueError, match="bounded cluster"):
        smallest_violation(lambda: Unified(None), PREDICATES["theorem-1"], (1,), 1)


@pytest.mark.parametrize("claim", sorted(APPENDIX_B))
def test_predicates_of_appendix_b_hold_where_nothing_is_wrong(claim):
    scheduler, outcome = replayed(lambda: BestFitCompacted(2), [Arrive("a", 4, 2), Arrive("b", 2), Depart("a")])
    assert APPENDIX_B[claim](scheduler, outcome) is None


def test_best_fit_compacts_after_departures_only():
    history = [Arrive("a", 4), Arrive("b", 4), Arrive("c", 4), Arrive("d", 4)]
    scheduler, _ = replayed(lambda: BestFitCompacted(2), [*history, Depart("a"), Depart("c")])
    assert [node.load for node in scheduler.snapshot().nodes] in ([8, 0], [0, 8])
    loads = list(itertools.chain(node.load for node in scheduler.snapshot().nodes))
    assert sum(loads) == 8


def test_over_every_tie_break():
    """Under `ties=highest` another instance has to leave; over both, the smaller history is found."""
    makes = [
        lambda ties=ties: Printed(2, readings=Readings(refill="pseudocode", ties=ties))
        for ties in ("highest", "lowest")
    ]
    each = [smallest_violation(makes[0], PREDICATES["saturation"], (1, 3), 4), found_smallest("saturation")]
    both = smallest_over(makes, PREDICATES["saturation"], (1, 3), 4)
    sizes = [(len(v.events), v.instances, v.gpus) for v in each]
    assert (len(both.events), both.instances, both.gpus) == min(sizes)
    assert both.events == each[sizes.index(min(sizes))].events
    assert isinstance(smallest_over(makes, PREDICATES["theorem-1"], (1,), 2), Exhausted)
