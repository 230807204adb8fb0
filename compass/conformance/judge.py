"""What a port has to answer: the judge that wants the reference's own decisions, and what all judges share."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from compass.composition import Composition
from compass.conformance.decision_text import parse_decision
from compass.conformance.failure import Failure
from compass.conformance.lines import EventLine
from compass.conformance.settings import Settings
from compass.errors import InputError, NeverFits, NoLegalDestination
from compass.event_io import format_decision
from compass.events import Arrive, Decision, Event
from compass.scheduler import apply_event
from compass.text_input import printable

BAD_EVENT, STUCK = 2, 1
"""Exit statuses of a port: the event is bad or the job never fits; the printed algorithm has no destination."""


class Divergence(Failure):
    """The port's answer is not one that conforms."""


class Ends(NamedTuple):
    """The event has no decision: it ends the run with this exit status."""

    status: int
    reason: str


class Jobs:
    """The running jobs, by the decisions so far.

    Attributes:
        demands: size and number of instances of each running job.
        running: the running instances.
    """

    def __init__(self, settings: Settings) -> None:
        self.demands: dict[str, tuple[int, int]] = {}
        self.running = Composition(settings.geometry)

    def note(self, event: Event, admitted: bool) -> None:
        """Take a decision into account."""
        if isinstance(event, Arrive):
            if admitted:
                self.demands[event.job] = event[1:]
                self.running.add(*event[1:])
        else:
            gpus, instances = self.demands.pop(event.job)
            self.running.add(gpus, -instances)


class Judge(Protocol):
    """Says what may be answered to one event after another.

    Attributes:
        jobs: the running jobs.
    """

    jobs: Jobs

    def ending(self, line: EventLine) -> Ends | None:
        """Whether the line must end the run. If not, ``check`` has to follow, with the answer to it."""

    def may_get_stuck(self, line: EventLine) -> bool:
        """Whether the port may end with status ``STUCK`` at this line, which need not end the run."""

    def check(self, line: EventLine, answer: str) -> Decision:
        """Take in the answer to a line that did not end the run.

        Raises:
            Divergence: the answer does not conform.
        """


def parsed(line: EventLine, answer: str) -> Decision:
    """The decision in an answer, if it is one about this event.

    Raises:
        Divergence: it is not.
    """
    event = line.event
    assert event, "a bad event has no answer"
    try:
        decision = parse_decision(answer)
    except InputError as error:
        raise Divergence(f"'{printable(answer, 100)}' is no decision: {error}", "no decision") from error
    kind = "arrive" if isinstance(event, Arrive) else "depart"
    if (decision.event, decision.job) != (kind, event.job):
        asked = f"{kind} {printable(event.job)!r}"
        answered = f"{decision.event} {printable(decision.job)!r}"
        raise Divergence(f"the answer is about {answered}, asked was {asked}", "about another event")
    return decision


class ExactJudge:
    """Wants the decisions of the reference implementation, step by step.

    Attributes:
        decision: the reference's decision on the line that ``ending`` last said None of.
    """

    def __init__(self, settings: Settings) -> None:
        self.jobs = Jobs(settings)
        self.scheduler = settings.scheduler()
        self.decision: Decision

    def ending(self, line: EventLine) -> Ends | None:
        """Decides on the event itself."""
        if line.event is None:
            return Ends(BAD_EVENT, "the event is malformed")
        try:
            self.decision = apply_event(self.scheduler, line.event)
        except (InputError, NeverFits) as error:
            return Ends(BAD_EVENT, str(error))
        except NoLegalDestination as error:
            return Ends(STUCK, str(error))
        return None

    def may_get_stuck(self, line: EventLine) -> bool:
        """Never: where the reference goes on, the port does."""
        return False

    def check(self, line: EventLine, answer: str) -> Decision:
        """Compare with the reference's decision."""
        expected = self.decision
        assert line.event, "a bad event has no answer"
        text = format_decision(expected)
        if answer != text and (found := parsed(line, answer)) != expected:
            shown = printable(format_decision(found), 1000)
            raise Divergence(f"expected {text}, found {shown}", "another decision")
        self.jobs.note(line.event, expected.admitted)
        return expected
