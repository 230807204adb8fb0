"""CAFGD (ICDCS '25), reconstructed: FGD whose size distribution mixes all of the past with its last hour.

Whether a job waits for a better moment is a matter of the queue, whose rule asks for the score of the job.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction

from compass.errors import InputError
from compass.evaluation.baselines.fgd import EXACT, Fgd, exact_share
from compass.geometry import Geometry
from compass.trace import TraceJob


class Cafgd(Fgd):
    """FGD with ``p = a p_long + (1 - a) p_short``: long is every job submitted so far, short those of the last window.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        alpha: ``a``, the share of the long term.
        window: length of the short term in seconds; at time t it holds what was submitted in ``(t - window, t]``. While
            it is empty, ``p = p_long``.
        variant: that of FGD.

    Raises:
        InputError: ``alpha`` is not a number from 0 to 1 or ``window`` is not a positive integer.

    Examples:
        >>> scheduler = Cafgd(2, window=100)
        >>> scheduler.submitted(0, TraceJob("a", 0, 60, 1, 4))
        >>> scheduler.submitted(100, TraceJob("b", 100, 60, 1, 2))
        >>> Fraction(scheduler.table[1], scheduler.total), Fraction(scheduler.table[2], scheduler.total)
        (Fraction(1, 1), Fraction(1, 2))
    """

    def __init__(
        self,
        nodes: int,
        geometry: Geometry | None = None,
        alpha: float | Fraction = 0.5,
        window: int = 3600,
        variant: str = EXACT,
    ) -> None:
        super().__init__(nodes, geometry, variant=variant)
        self._alpha = exact_share(alpha, "alpha")
        if type(window) is not int or window < 1:
            raise InputError(f"window {window!r}: must be a positive number of whole seconds")
        self._window = window
        self._long = [0] * (self.geometry.capacity + 1)
        self._short = self._long.copy()
        self._recent: deque[tuple[int, int, int]] = deque()  # time, size, instances

    def clock(self, now: int) -> None:
        """Forget what is older than the window."""
        if self._recent and self._recent[0][0] <= now - self._window:
            while self._recent and self._recent[0][0] <= now - self._window:
                _, gpus, instances = self._recent.popleft()
                self._short[gpus] -= instances
            self._mix()

    def submitted(self, now: int, job: TraceJob) -> None:
        """Count the job's instances in both terms."""
        self.clock(now)
        gpus, instances = job.gpus_per_instance, job.instances
        self._long[gpus] += instances
        self._short[gpus] += instances
        self._recent.append((now, gpus, instances))
        self._mix()

    def _mix(self) -> None:
        """Shares in units of ``1 / (denominator of a * both sums)``."""
        long, short = sum(self._long), sum(self._short)
        if not short:
            self.learn(self._long)
            return
        of_long = self._alpha.numerator * short
        of_short = (self._alpha.denominator - self._alpha.numerator) * long
        self.learn([of_long * n + of_short * m for n, m in zip(self._long, self._short, strict=True)])
