"""What the judges accept and refuse."""

import pytest

from compass.conformance.judge import BAD_EVENT, STUCK, Divergence, ExactJudge
from compass.conformance.lines import EventLine
from compass.conformance.property_judge import PropertyJudge
from compass.conformance.session import RandomEvents
from compass.conformance.settings import Settings
from compass.event_io import format_decision
from compass.events import Arrive, Decision, Depart, Move, Placement
from compass.geometry import Geometry
from compass.readings import Readings


def line(event):
    return EventLine.to(event)


def placed(job, nodes, moves=(), admitted=True):
    """An answer that installs instance k on nodes[k]."""
    steps = (*moves, *(Placement(f"{job}/{k}", node) for k, node in enumerate(nodes)))
    return format_decision(Decision("arrive", job, admitted, steps))


def left(job, *moves):
    return format_decision(Decision("depart", job, True, moves))


def play(judge, *pairs):
    """Judge answers; the last one's complaint, None where all are accepted."""
    for event, answer in pairs:
        assert judge.ending(line(event)) is None
        try:
            judge.check(line(event), answer)
        except Divergence as error:
            if event != pairs[-1][0]:
                raise
            return str(error)
    return None


A4, B4, C1 = Arrive("a", 4), Arrive("b", 4), Arrive("c", 1)


@pytest.mark.parametrize("judge", [ExactJudge, PropertyJudge])
@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("yes", "'yes' is no decision: answer:1: not JSON"),
        ("x" * 100_000, "is no decision"),
        (placed("b", [0]), "the answer is about arrive 'b', asked was arrive 'a'"),
        (left("a"), "the answer is about depart 'a', asked was arrive 'a'"),
    ],
)
def test_what_is_no_answer(judge, answer, what):
    found = play(judge(Settings("unified", 2)), (A4, answer))
    assert what in found
    assert len(found) < 1000


def test_exact_wants_the_same_steps_whatever_the_layout():
    settings = Settings("unified", 2)
    answer = '{ "placements": [{"node":0,"instance":"a/0"}], "moves":[], "job":"a","event":"arrive","admitted":true }'
    assert play(ExactJudge(settings), (A4, answer)) is None
    found = play(ExactJudge(settings), (A4, placed("a", [1])))
    assert found == f"expected {placed('a', [0])}, found {placed('a', [1])}"


@pytest.mark.parametrize("judge", [ExactJudge, PropertyJudge])
@pytest.mark.parametrize("variant", ["unified", "repaired", "printed"])
def test_what_ends_a_run(judge, variant):
    judged = judge(Settings(variant, 2))
    assert play(judged, (A4, placed("a", [0]))) is None
    for bad in (EventLine.of("{}", 8), *map(line, (A4, Depart("b"), Arrive("b", 8, 3), Arrive("b", 5, 3)))):
        ending = judged.ending(bad)
        assert ending.status == BAD_EVENT
        assert ending.reason
    assert judged.ending(line(Depart("a"))) is None


def test_exact_is_stuck_where_the_reference_is():
    judge = ExactJudge(Settings("printed", 1))
    filling = (Arrive("a", 3), placed("a", [0])), (Arrive("b", 1), placed("b", [0])), (Arrive("c", 4), placed("c", [0]))
    assert play(judge, *filling) is None
    assert not judge.may_get_stuck(line(Depart("a")))
    assert judge.ending(line(Depart("a"))).status == STUCK


# -- property: what every variant asks for -----------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["unified", "repaired", "printed"])
@pytest.mark.parametrize(
    ("event", "answer", "what"),
    [
        (A4, placed("a", [2]), "there is no node 2"),
        (A4, placed("a", []), "[] installed, not ['a/0']"),
        (A4, placed("a", [0, 0]), "not ['a/0']"),
        (A4, placed("a", [0], [Move("z/0", 0, 1)]), "the instance is not running"),
        (Arrive("a", 8, 2), placed("a", [0, 0]), "16 of 8 GPUs busy"),
        (Arrive("a", 5, 2), placed("a", [0, 0]), "10 of 8 GPUs busy"),
        (A4, placed("a", [0], admitted=False), "a job is refused and there are steps"),
        (A4, placed("a", [], admitted=False), "refused"),
        (C1, placed("c", [], admitted=False), "refused"),
    ],
)
def test_property_first_answers(variant, event, answer, what):
    assert what in play(PropertyJudge(Settings(variant, 2)), (event, answer))


@pytest.mark.parametrize("variant", ["unified", "repaired", "printed"])
def test_property_own_choices(variant):
    judge = PropertyJudge(Settings(variant, 3))
    to_and_fro = [Move("a/0", 2, 1), Move("a/0", 1, 2)]
    assert play(judge, (A4, placed("a", [2])), (B4, placed("b", [2], to_and_fro))) is None
    assert play(judge, (Depart("a"), left("a", Move("b/0", 2, 0)))) is None
    assert "the instance is on node 0" in play(judge, (A4, placed("a", [0], [Move("b/0", 2, 1)])))


def test_property_a_leaving_instance_does_not_move():
    judge = PropertyJudge(Settings("unified", 3))
    found = play(judge, (A4, placed("a", [0])), (Depart("a"), left("a", Move("a/0", 0, 1))))
    assert "the instance is not running" in found


def at(gpus, *nodes):
    """Jobs of one instance each on these nodes, one event each."""
    return [(gpus, node) for node in nodes]


SPACE = [
    ("unified", 1, at(4, 0, 1), "2 nodes are open, at most 1 may be"),
    ("unified", 2, at(4, 0, 1), None),
    ("unified", 2, at(4, 0, 1, 2), "3 nodes are open, at most 2 may be"),
    ("unified", 1, at(6, 0) + at(2, 0), "1 nodes are over-wide, at most 0 may be"),
    ("unified", 2, at(7, 0) + at(1, 1), "1 GPUs of vacancy beside 1 free 1-GPU instances"),
    ("unified", 1, at(4, 0) + at(1, 0, 0, 0, 0), None),
    ("repaired", None, at(4, 0) + at(1, 0), "1 nodes are stray, at most 0 may be"),
    ("repaired", None, at(4, 0) + at(1, 1), None),
    ("repaired", None, at(4, 0, 1), "2 nodes are open slotted, at most 1 may be"),
    ("repaired", None, at(1, 0, 1), "2 nodes are open pool, at most 1 may be"),
    ("repaired", None, at(6, 0) + at(2, 0), "1 nodes are over-wide, at most 0 may be"),
    ("repaired", None, at(7, 0) + at(1, 1), "1 GPUs of vacancy beside 1 free 1-GPU instances"),
    ("printed", None, at(4, 0, 1), None),
    ("printed", None, at(1, 0, 1), "2 nodes are open pool, at most 1 may be"),
    ("printed", None, at(4, 0) + at(1, 0), "1 nodes are stray, at most 0 may be"),
    ("printed", None, at(7, 0) + at(1, 1), None),
]


@pytest.mark.parametrize(("variant", "m", "instances", "what"), SPACE)
def test_property_space(variant, m, instances, what):
    judge = PropertyJudge(Settings(variant, 4, open_nodes=m))
    pairs = [(Arrive(f"j{k}", gpus), placed(f"j{k}", [node])) for k, (gpus, node) in enumerate(instances)]
    assert play(judge, *pairs) == what


def test_property_partial_nodes_of_unified():
    """Under WCC and m = 1 none may be partial where the demand is a multiple of the capacity; 5 + 3 leave 2 partial."""
    pairs = [(Arrive("a", 5), placed("a", [0])), (Arrive("b", 3), placed("b", [1]))]
    assert play(PropertyJudge(Settings("unified", 4)), *pairs) is None
    full = [*pairs, (Arrive("c", 1, 8), placed("c", [0, 0, 0, 1, 1, 1, 1, 1]))]
    assert play(PropertyJudge(Settings("unified", 4)), *full) is None
    # A judge that is told of one more partial node than there is: what the bound compares with is really the count.
    judge = PropertyJudge(Settings("unified", 4))
    judge.books.totals["partial"] = 1
    assert play(judge, *full[:1]) is None
    assert "partial, at most" in play(judge, (Arrive("b", 1, 3), placed("b", [0, 0, 0])))


def test_property_admission():
    """`unified` takes what fits by width and nothing else; `repaired` also looks at what may depart."""
    six = (Arrive("a", 1, 6), placed("a", [0] * 6))
    for variant in ("unified", "repaired"):
        judge = PropertyJudge(Settings(variant, 1))
        assert play(judge, six) is None
        refused = variant == "repaired"
        answer = placed("b", [] if refused else [0], admitted=not refused)
        assert play(judge, (Arrive("b", 2), answer)) is None
    judge = PropertyJudge(Settings("repaired", 1))
    assert play(judge, six, (Arrive("b", 2), placed("b", [0]))) == "the job is admitted and must be refused"


def test_property_admission_of_printed():
    """Refused is right only where no room is open: beside the slots, on empty nodes, for 1-GPU instances in slots."""
    judge = PropertyJudge(Settings("printed", 2))
    assert play(judge, (Arrive("a", 5), placed("a", [0])), (A4._replace(job="b"), placed("b", [1]))) is None
    no = "the job is refused although there is room for {} such instances"
    for gpus, room in ((4, 1), (3, 1), (2, 2), (1, 3)):
        for instances in (room, room + 1):
            answer = (Arrive("c", gpus, instances), placed("c", [], admitted=False))
            assert play(judge, answer) == (no.format(room) if instances == room else None)


def filled(readings=None):
    """One node of `printed`: slot {3} with filler b, slot {4}."""
    judge = PropertyJudge(Settings("printed", 1, readings=readings))
    filling = (Arrive("a", 3), placed("a", [0])), (Arrive("b", 1), placed("b", [0])), (Arrive("c", 4), placed("c", [0]))
    assert play(judge, *filling) is None
    return judge


def test_property_stuck_only_where_fillers_have_no_place():
    judge = filled()
    assert [judge.may_get_stuck(line(Depart(job))) for job in "abc"] == [True, False, False]
    assert not judge.may_get_stuck(line(Arrive("d", 4)))
    assert play(judge, (Depart("c"), left("c"))) is None
    assert not judge.may_get_stuck(line(Depart("a")))  # its node is empty then
    judge = filled(Readings(rehome="before"))
    assert play(judge, (Depart("c"), left("c"))) is None
    assert [judge.may_get_stuck(line(Depart(job))) for job in "ab"] == [True, False]
    cap = PropertyJudge(Settings("printed", 2, readings=Readings(room="cap")))
    assert not cap.may_get_stuck(line(Arrive("a", 4)))
    assert cap.may_get_stuck(line(Arrive("a", 4, 2)))
    assert play(cap, (Arrive("a", 4, 2), placed("a", [0, 0]))) is None
    assert cap.may_get_stuck(line(Arrive("d", 1)))
    assert not filled(Readings(room="cap")).may_get_stuck(line(Arrive("d", 4)))  # there is one node
    assert not PropertyJudge(Settings("unified", 1)).may_get_stuck(line(A4))


# -- the reference under both judges -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        Settings("unified", 6, open_nodes=2),
        Settings("unified", 4, Geometry(16)),
        Settings("repaired", 5),
        Settings("repaired", 5, Geometry(8, (2, 8))),
        Settings("printed", 5),
        Settings("printed", 3, Geometry(4), readings=Readings(refill="pseudocode", ties="highest")),
    ],
    ids=str,
)
def test_the_reference_keeps_to_what_it_promises(settings):
    events = RandomEvents(settings, 5, phase=60)
    exact, free = ExactJudge(settings), PropertyJudge(settings)
    refused = departed = 0
    for _ in range(600):
        told = line(events.next(exact.jobs))
        ending = exact.ending(told)
        if ending:
            assert ending.status == STUCK
            assert free.may_get_stuck(told)
            continue
        assert free.ending(told) is None
        answer = format_decision(exact.decision)
        free.check(told, answer)
        exact.check(told, answer)
        refused += not exact.decision.admitted
        departed += isinstance(told.event, Depart)
        assert free.jobs.demands == exact.jobs.demands
        assert free.books.totals["partial"] == exact.scheduler.partial_nodes
    assert refused > 10
    assert departed > 100
