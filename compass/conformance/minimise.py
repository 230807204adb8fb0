"""Making a failing list of lines smaller by running the port again and again on parts of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from compass.conformance.lines import EventLine
from compass.conformance.session import Played
from compass.events import Arrive, Depart

Run = Callable[[Sequence[EventLine]], Played]


class Minimiser:
    """Delta debugging, over jobs, then lines, then numbers of instances, for as long as there is time.

    Only lists that fail in the kind of the first failure are taken: another fault must not take its place.

    Args:
        failed: what was played when the port failed.
        run: plays lines on a new port.
        seconds: how long it may take; the run under way is not broken off.
        clock: the time in seconds.

    Attributes:
        best: the smallest list found so far, and how it fails.
    """

    def __init__(self, failed: Played, run: Run, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        assert failed.reason, "only what failed is made smaller"
        self.best = failed
        self._run = run
        self._clock = clock
        self._end = clock() + seconds

    @property
    def _lines(self) -> list[EventLine]:
        return self.best.sent

    def minimise(self) -> Played:
        """The best list when nothing smaller is found or the time is over; every try is cut where it fails."""
        self._keep_running_jobs()
        self._without_parts(by_job=True)
        self._without_parts(by_job=False)
        self._fewer_instances()
        return self.best

    def _fails(self, lines: list[EventLine]) -> bool:
        if self._clock() >= self._end or not lines:
            return False
        played = self._run(lines)
        if played.reason is None or played.kind != self.best.kind:
            return False
        self.best = played
        return True

    def _keep_running_jobs(self) -> None:
        """Without the jobs that have left: most of a long session."""
        gone = {line.event.job for line in self._lines[:-1] if isinstance(line.event, Depart)}
        self._fails([line for line in self._lines if _job(line) not in gone])

    def _without_parts(self, *, by_job: bool) -> None:
        """The classical scheme: leave out one of k parts, more and smaller parts when none can be left out."""
        parts = 2
        while True:
            units = list(dict.fromkeys(_job(line) for line in self._lines)) if by_job else list(range(len(self._lines)))
            parts = min(parts, len(units))
            if parts < 2 or self._clock() >= self._end:
                return
            size = -(-len(units) // parts)
            for begin in range(0, len(units), size):
                gone = set(units[begin : begin + size])
                if self._fails(
                    [line for k, line in enumerate(self._lines) if (_job(line) if by_job else k) not in gone]
                ):
                    parts = max(2, parts - 1)
                    break
            else:
                if size == 1:
                    return
                parts = 2 * parts

    def _fewer_instances(self) -> None:
        """Jobs of one instance, or half as many, where that still fails."""
        k = 0
        while k < len(self._lines):
            event = self._lines[k].event
            if isinstance(event, Arrive) and event.instances > 1:
                fewer = (event._replace(instances=number) for number in (1, event.instances // 2))
                if any(self._fails([*self._lines[:k], EventLine.to(less), *self._lines[k + 1 :]]) for less in fewer):
                    continue
            k += 1


def _job(line: EventLine) -> str:
    """The job of a line; a bad line is one of its own."""
    return line.event.job if line.event else f"/{line.text}"
