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

    Args:
        run: plays lines on a new port.
        seconds: how long it may take; the run under way is not broken off.
        clock: the time in seconds.
    """

    def __init__(self, run: Run, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._run = run
        self._clock = clock
        self._end = clock() + seconds
        self.best: list[EventLine] = []
        self.reason = ""

    def minimise(self, failed: Played) -> Played:
        """A list as small as was found that fails, perhaps for another reason; every try is cut where it fails."""
        assert failed.reason, "only what failed is made smaller"
        self.best, self.reason = failed.sent, failed.reason
        self._keep_running_jobs()
        self._without_parts(by_job=True)
        self._without_parts(by_job=False)
        self._fewer_instances()
        return failed._replace(sent=self.best, reason=self.reason)

    def _fails(self, lines: list[EventLine]) -> bool:
        if self._clock() >= self._end or not lines:
            return False
        played = self._run(lines)
        if played.reason is None:
            return False
        self.best, self.reason = played.sent, played.reason
        return True

    def _keep_running_jobs(self) -> None:
        """Without the jobs that have left: most of a long session."""
        gone = {line.event.job for line in self.best[:-1] if isinstance(line.event, Depart)}
        self._fails([line for line in self.best if _job(line) not in gone])

    def _without_parts(self, *, by_job: bool) -> None:
        """The classical scheme: leave out one of k parts, more and smaller parts when none can be left out."""
        parts = 2
        while True:
            units = list(dict.fromkeys(_job(line) for line in self.best)) if by_job else list(range(len(self.best)))
            parts = min(parts, len(units))
            if parts < 2 or self._clock() >= self._end:
                return
            size = -(-len(units) // parts)
            for begin in range(0, len(units), size):
                gone = set(units[begin : begin + size])
                if self._fails([line for k, line in enumerate(self.best) if (_job(line) if by_job else k) not in gone]):
                    parts = max(2, parts - 1)
                    break
            else:
                if size == 1:
                    return
                parts = 2 * parts

    def _fewer_instances(self) -> None:
        """Jobs of one instance, or half as many, where that still fails."""
        k = 0
        while k < len(self.best):
            event = self.best[k].event
            if isinstance(event, Arrive) and event.instances > 1:
                fewer = (event._replace(instances=number) for number in (1, event.instances // 2))
                if any(self._fails([*self.best[:k], EventLine.to(less), *self.best[k + 1 :]]) for less in fewer):
                    continue
            k += 1


def _job(line: EventLine) -> str:
    """The job of a line; a bad line is one of its own."""
    return line.event.job if line.event else f"/{line.text}"
