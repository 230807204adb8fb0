"""Random events for a port, and playing lines against it under a judge."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from compass.conformance.failure import Failure
from compass.conformance.judge import STUCK, Jobs, Judge
from compass.conformance.lines import EventLine
from compass.conformance.port import Port, PortEnded
from compass.conformance.settings import Settings
from compass.events import Arrive, Depart, Event


class Played(NamedTuple):
    """What a port was told and did.

    ``sent`` are the lines of its last run, ``events`` the number of lines in all, ``moves`` the instances it moved, and
    ``reason`` says in one line why it failed, None where it did not, and ``kind`` is the kind of the failure. ``stuck``
    counts the runs that it ended with status ``STUCK`` where the judge lets it.
    """

    sent: list[EventLine]
    events: int
    moves: int
    reason: str | None
    stuck: int = 0
    kind: str = ""


class RandomEvents:
    """A seeded stream of events that drives a cluster between empty and full; endless.

    Phases follow each other, each with a mix of sizes and a load it aims at, some above what the cluster has, so that
    jobs are refused. Every arrival could run on the empty cluster, every departure is of a running job.

    Args:
        settings: the cluster.
        seed: the seed of all chance.
        phase: longest phase, in events.
    """

    def __init__(self, settings: Settings, seed: int, phase: int = 2000) -> None:
        self._settings = settings
        self._chance = random.Random(seed)
        self._longest = phase
        self._left = 0
        self._number = 0
        self._weights: list[float] = []
        self._target = 0.0
        self._gang = 1
        self._brim = False

    def next(self, jobs: Jobs) -> Event:
        """The next event where these jobs are running."""
        if not self._left:
            self._begin_phase()
        self._left -= 1
        chance = self._chance
        low = jobs.running.total < self._target
        if jobs.demands and chance.random() < (0.2 if low else 0.8):
            names = list(jobs.demands) if len(jobs.demands) < 64 else None
            return Depart(chance.choice(names or self._some(jobs)))
        self._number += 1
        geometry = self._settings.geometry
        (gpus,) = chance.choices(geometry.sizes, self._weights)
        if self._brim and chance.random() < 0.5:  # about what is left
            left = geometry.capacity * self._settings.nodes - jobs.running.width - chance.randint(0, 2)
            gpus = max(1, min(geometry.capacity, left))
        instances = chance.randint(1, self._gang) if chance.random() < 0.4 else 1
        while not self._settings.ever_fits(gpus, instances):
            instances -= 1
            gpus = gpus if instances else 1
            instances = max(1, instances)
        return Arrive(f"j{self._number}", gpus, instances)

    def _begin_phase(self) -> None:
        chance, geometry = self._chance, self._settings.geometry
        self._left = chance.randint(min(5, self._longest), self._longest)
        mix = chance.choice(("any", "ones", "friendly", "unfriendly", "two"))
        few = chance.sample(geometry.sizes, 2)
        self._weights = [_weight(mix, g, geometry.slot_width(g) == g, g in few) for g in geometry.sizes]
        self._target = chance.choice((0.0, 0.3, 0.6, 0.8, 0.9, 1.0, 1.2)) * self._settings.nodes * geometry.capacity
        self._brim = chance.random() < 0.3
        self._gang = chance.choice((1, 2, 4, min(16, 2 * self._settings.nodes)))

    def _some(self, jobs: Jobs) -> list[str]:
        """Some running jobs, old and new ones, without a look at all of them."""
        old = [job for job, _ in zip(jobs.demands, range(32), strict=False)]
        new = [job for job, _ in zip(reversed(jobs.demands), range(32), strict=False)]
        return old + new


def _weight(mix: str, gpus: int, fits_slot: bool, chosen: bool) -> float:
    if mix == "any":
        return 1.0
    if mix == "two":
        return 1.0 if chosen else 0.0
    if mix == "ones":
        return 5.0 if gpus == 1 else 0.5
    return {"friendly": 1.0, "unfriendly": 0.3}[mix] if fits_slot else {"friendly": 0.05, "unfriendly": 1.0}[mix]


def play(words: Sequence[str], judge: Judge, lines: Iterable[EventLine], timeout: float) -> Played:
    """Play lines on a new port.

    A line that must end the run ends it where it is the ``last`` one of a list, and is left out otherwise. ``lines`` is
    asked for a line only when the one before is answered, so it may look at the judge's jobs.
    """
    sent: list[EventLine] = []
    last = lines[-1] if isinstance(lines, Sequence) and lines else None
    moves = 0
    with Port(words, timeout) as port:
        try:
            for line in lines:
                ending = judge.ending(line)
                if ending and line is not last:
                    continue
                sent.append(line)
                if ending:
                    port.ends(line.text, ending.status)
                    return Played(sent, len(sent), moves, None)
                stuck = judge.may_get_stuck(line)
                try:
                    answer = port.ask(line.text)
                except PortEnded as error:
                    if stuck and error.status == STUCK:
                        return Played(sent, len(sent), moves, None, 1)
                    raise
                moves += len(judge.check(line, answer).moves)
            port.finish()
        except Failure as error:
            return Played(sent, len(sent), moves, str(error), kind=error.kind)
    return Played(sent, len(sent), moves, None)


def random_session(
    words: Sequence[str],
    settings: Settings,
    new_judge: Callable[[], Judge],
    *,
    events: int,
    seed: int,
    timeout: float,
    told: Callable[[int], object] = lambda advance: None,
) -> Played:
    """A long random session; where a port may get stuck and does, the next one goes on with an idle cluster."""
    chance = RandomEvents(settings, seed)
    count = moves = stuck = 0

    def lines(judge: Judge) -> Iterator[EventLine]:
        nonlocal count
        while count < events:
            count += 1  # before it is played: a port that is stuck at each first event comes to an end too
            told(1)
            yield EventLine.to(chance.next(judge.jobs))

    while True:
        judge = new_judge()
        played = play(words, judge, lines(judge), timeout)
        moves += played.moves
        stuck += played.stuck
        if played.reason or count >= events:
            return played._replace(events=count, moves=moves, stuck=stuck)
