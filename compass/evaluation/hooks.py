"""What a scheduler may have beside :class:`compass.Scheduler`: the simulator calls each hook that it finds.

Order at one instant: ``clock``, departures in order of admission, the round action, ``submitted`` for each submission,
admissions. Times are whole seconds of the trace.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, runtime_checkable

from compass.events import Move
from compass.trace import TraceJob

RoundPhase = int | Literal["day"]
"""Seconds from the first submission to a round, or ``"day"``: a round is when the day of that begins."""


class Repack(NamedTuple):
    """What a round action did.

    ``simultaneous`` says that all instances are taken off first and put down afterwards, as a permutation needs it;
    then there is at most one move of an instance. Otherwise the moves are legal one after another.
    """

    moves: tuple[Move, ...] = ()
    simultaneous: bool = False


@runtime_checkable
class Clocked(Protocol):
    """A scheduler that looks at the time."""

    def clock(self, now: int) -> None:
        """It is ``now``; called at each instant before anything else happens."""


@runtime_checkable
class Informed(Protocol):
    """A scheduler that learns of jobs before it is asked to place them."""

    def submitted(self, now: int, job: TraceJob) -> None:
        """The job has been submitted; not called for a job that never fits."""


@runtime_checkable
class Rounds(Protocol):
    """A scheduler that acts in rounds.

    Attributes:
        round_length: ``R`` in seconds, None for never. Rounds are at multiples of ``R`` after the first submission,
            shifted by ``round_phase`` of the simulator, while a job runs or waits.
    """

    round_length: int | None

    def act(self) -> tuple[Move, ...] | Repack:
        """Move running instances; the scheduler's own state has changed when this returns."""


@runtime_checkable
class Settling(Protocol):
    """A scheduler with rounds whose round action depends on its placement alone.

    After one that moves nothing no round is held until a job is admitted or departs: it would move nothing either.
    """

    settling: bool


@runtime_checkable
class Scored(Protocol):
    """A scheduler that can say how well a job would fit now, for the queue rule of MCG-Sched."""

    def score(self, gpus: int, instances: int) -> float | None:
        """Added fragmentation per GPU of placing the job now, None where it does not fit."""


@runtime_checkable
class Placeless(Protocol):
    """A scheduler that only counts GPUs: its decisions have no steps, no books are kept, its SIF is 0 by definition."""

    placeless: bool
