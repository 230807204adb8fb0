"""Playing lines, random sessions, making a failing list smaller."""

import pytest

from compass.conformance import session
from compass.conformance.judge import ExactJudge, Jobs
from compass.conformance.lines import EventLine
from compass.conformance.minimise import Minimiser
from compass.conformance.port import PortEnded, PortFailure
from compass.conformance.property_judge import PropertyJudge
from compass.conformance.session import Played, RandomEvents, play, random_session
from compass.conformance.settings import Settings
from compass.event_io import format_decision
from compass.events import Arrive, Depart
from compass.geometry import Geometry


class InProcess:
    """Stands for a port process: the reference, with a fault where ``wrong`` says so."""

    settings: Settings
    wrong = staticmethod(lambda event, decision: decision)
    runs = 0

    def __init__(self, words, timeout):
        self.judge = ExactJudge(self.settings)
        type(self).runs += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ask(self, text):
        line = EventLine.of(text, self.settings.geometry.capacity)
        ending = self.judge.ending(line)
        if ending:
            raise PortEnded("the port ended", ending.status)
        return format_decision(self.wrong(line.event, self.judge.decision))

    def ends(self, text, status):
        with pytest.raises(PortEnded) as caught:
            self.ask(text)
        if caught.value.status != status:
            raise PortFailure("another status")

    def finish(self):
        pass


@pytest.fixture
def port(monkeypatch):
    class Own(InProcess):
        pass

    monkeypatch.setattr(session, "Port", Own)
    return Own


def lines(*events):
    return [EventLine.to(event) for event in events]


# -- random events ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [Settings("unified", 1), Settings("repaired", 40), Settings("printed", 3, Geometry(2))]
)
def test_random_events_fit_and_depart_only_what_runs(settings):
    events, again = RandomEvents(settings, 3, 20), RandomEvents(settings, 3, 20)
    jobs = Jobs(settings)
    sizes, most = set(), 0
    for _ in range(1500):
        event = events.next(jobs)
        assert event == again.next(jobs)
        if isinstance(event, Arrive):
            assert settings.ever_fits(event.gpus, event.instances)
            sizes.add(event.gpus)
            jobs.note(event, jobs.running.total + event.gpus * event.instances <= settings.nodes * 8)
        else:
            jobs.note(event, True)
        most = max(most, len(jobs.demands))
    assert sizes == set(settings.geometry.sizes)
    assert most > (64 if settings.nodes == 40 else 1)


# -- playing ----------------------------------------------------------------------------------------------------------


def test_a_last_line_may_end_the_run_others_are_left_out(port):
    port.settings = Settings("unified", 1)
    told = lines(Arrive("a", 4), Depart("z"), Depart("a"))
    played = play([], ExactJudge(port.settings), told, 1)
    assert played == Played([told[0], told[2]], 2, 0, None)
    played = play([], ExactJudge(port.settings), told[:2], 1)
    assert played == Played(told[:2], 2, 0, None)
    assert play([], ExactJudge(port.settings), [], 1) == Played([], 0, 0, None)


def test_a_wrong_answer_is_where_it_ends(port):
    port.settings = Settings("unified", 1)
    port.wrong = staticmethod(lambda event, decision: decision._replace(admitted=False, steps=()))
    told = lines(Arrive("a", 4), Depart("a"))
    played = play([], ExactJudge(port.settings), told, 1)
    assert played.sent == told[:1]
    assert played.reason.startswith("expected ")


FILLED = lines(Arrive("a", 3), Arrive("b", 1), Arrive("c", 4))


def test_a_port_that_is_stuck_where_it_may_be(port):
    port.settings = Settings("printed", 1)
    told = [*FILLED, *lines(Depart("a"), Depart("b"))]
    assert play([], PropertyJudge(port.settings), told, 1) == Played(told[:4], 4, 0, None, 1)
    failed = play([], PropertyJudge(port.settings), lines(Depart("a"))[:0] + FILLED[:1] + lines(Arrive("b", 5)), 1)
    assert failed.reason is None
    port.wrong = staticmethod(_stuck)
    assert play([], PropertyJudge(port.settings), FILLED, 1).reason == "the port ended"


def _stuck(event, decision):
    raise PortEnded("the port ended", 1)


def test_a_session_of_a_port_that_is_always_stuck_ends(port, monkeypatch):
    monkeypatch.setattr(PropertyJudge, "may_get_stuck", lambda *_: True)
    port.settings, port.wrong = Settings("printed", 1), staticmethod(_stuck)
    played = random_session([], port.settings, lambda: PropertyJudge(port.settings), events=5, seed=2, timeout=1)
    assert (played.events, played.reason, played.stuck) == (5, None, 5)


@pytest.mark.parametrize("judge", [ExactJudge, PropertyJudge])
@pytest.mark.parametrize("variant", ["unified", "printed"])
def test_a_random_session(port, judge, variant):
    port.settings = Settings(variant, 1)
    told = []
    played = random_session(
        [], port.settings, lambda: judge(port.settings), events=400, seed=2, timeout=1, told=told.append
    )
    assert played.reason is None
    assert sum(told) == 400
    assert port.runs > 1 or judge is ExactJudge or variant == "unified"


# -- smaller ----------------------------------------------------------------------------------------------------------


def minimised(port, sent, seconds=100.0, clock=None):
    def run(some):
        return play([], ExactJudge(port.settings), some, 1)

    failed = run(sent)
    assert failed.reason
    arguments = {} if clock is None else {"clock": clock}
    return Minimiser(failed, run, seconds, **arguments).minimise()


def long_history(settings):
    events, jobs, found = RandomEvents(settings, 9, 30), ExactJudge(settings), []
    for _ in range(80):
        told = EventLine.to(events.next(jobs.jobs))
        if jobs.ending(told) is None:
            jobs.jobs.note(told.event, jobs.decision.admitted)
            found.append(told)
    return found


def test_a_failure_is_made_as_small_as_it_can_be(port, monkeypatch):
    """The port answers wrongly once a job of three GPUs runs and another one leaves: three lines are enough."""
    port.settings = Settings("unified", 4)
    threes = set()

    def wrong(event, decision):
        if isinstance(event, Arrive):
            threes.discard(event.job)
            if event.gpus == 3 and decision.admitted:
                threes.add(event.job)
            return decision
        faulty = threes - {event.job}
        threes.discard(event.job)
        return decision._replace(job="x") if faulty else decision

    def fresh(event, decision):
        return wrong(event, decision)

    class Forgetting(port):
        def __init__(self, words, timeout):
            super().__init__(words, timeout)
            threes.clear()

    monkeypatch.setattr(session, "Port", Forgetting)
    Forgetting.wrong = staticmethod(fresh)
    small = minimised(Forgetting, long_history(port.settings))
    *arrivals, last = [line.event for line in small.sent]
    assert sorted(type(event).__name__ for event in arrivals) == ["Arrive", "Arrive"]
    assert isinstance(last, Depart)
    assert all(event.instances == 1 for event in arrivals)
    assert "asked was depart" in small.reason


def test_without_time_the_list_stays_as_it_is(port):
    port.settings = Settings("unified", 4)
    port.wrong = staticmethod(
        lambda event, decision: decision if isinstance(event, Arrive) else decision._replace(job="x")
    )
    history = long_history(port.settings)
    small = minimised(port, history, 0.0)
    assert small.sent == history[: len(small.sent)]
    ticks = iter(range(1000))
    assert len(minimised(port, history, 3, lambda: next(ticks)).sent) <= len(small.sent)


def test_a_bad_line_can_be_what_is_left(port, monkeypatch):
    port.settings = Settings("unified", 2)

    class Tolerant(port):
        def ends(self, text, status):
            raise PortFailure("it goes on")

    monkeypatch.setattr(session, "Port", Tolerant)
    small = minimised(Tolerant, [*FILLED, EventLine.of("{}", 8)])
    assert [line.text for line in small.sent] == ["{}"]


def test_instances_become_fewer():
    """It fails from 3 instances on, so that 8 can be halved once; the other job, of one instance, cannot go."""

    def run(some):
        arrivals = [line.event for line in some]
        fails = sum(event.instances for event in arrivals if event.job == "a") >= 3 and len(some) == 2
        return Played(list(some), len(some), 0, "wrong" if fails else None)

    small = Minimiser(run(lines(Arrive("a", 1, 8), Arrive("b", 2))), run, 100).minimise()
    assert [line.event for line in small.sent] == [Arrive("a", 1, 4), Arrive("b", 2)]


def test_another_failure_does_not_take_the_place_of_the_first():
    """The fault that was found needs two lines; a list without the first of them fails too, in another kind."""

    def run(some):
        jobs = [line.event.job for line in some]
        kind = "first" if {"a", "b"} <= set(jobs) else "second" if "b" in jobs else ""
        return Played(list(some), len(some), 0, f"{kind}, {len(jobs)} lines" if kind else None, kind=kind)

    small = Minimiser(run(lines(*(Arrive(job, 1) for job in "xaybz"))), run, 100).minimise()
    assert [line.event.job for line in small.sent] == ["a", "b"]
    assert small.reason == "first, 2 lines"


def test_failures_of_one_kind_differ_in_names_and_numbers_only(port):
    """The same fault at another job is one kind, whatever the judge; another fault is another."""

    def failure(judge, wrong, *events):
        port.wrong = staticmethod(lambda event, decision: wrong(decision) if event == events[-1] else decision)
        played = play([], judge(port.settings), lines(*events), 1)
        assert played.reason
        return played

    def refused(decision):
        return decision._replace(admitted=False, steps=())

    def renamed(decision):
        return decision._replace(job="x")

    port.settings = Settings("unified", 2)
    for judge in (ExactJudge, PropertyJudge):
        one, other = (failure(judge, renamed, Arrive(job, 4)) for job in "ab")
        assert one.kind == other.kind
        assert one.reason != other.reason
        assert failure(judge, refused, Arrive("a", 4)).kind != one.kind
