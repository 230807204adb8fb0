"""Ours: placement without moves, and when the next job finds no room, the fewest moves that make it."""

from __future__ import annotations

from compass.errors import InputError
from compass.evaluation.baselines.best_fit import BestFit
from compass.evaluation.baselines.moving import by_contents, in_order, moves_of
from compass.evaluation.baselines.repack import fewest_moves
from compass.events import Decision, Move
from compass.geometry import Geometry
from compass.phi import min_nodes


class OnDemand(BestFit):
    """Best-fit; a job that finds no room though enough GPUs are free gets it with the fewest moves possible then.

    The integer program of FFT's rounds (:mod:`compass.evaluation.baselines.repack`), asked for any packing of the
    running instances and the arriving ones; of plans with equally many moves that with the fewest partial nodes. The
    job is placed by best-fit. It is refused only if no packing of them exists, or no order of the moves is found in
    which each finds room. Fewest moves now is not fewest over the whole trace.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        patience: for so many seconds after it was first refused though it could be packed, a job gets no room made; it
            gets it at the first event thereafter.

    Raises:
        InputError: ``nodes`` is not a positive integer or ``patience`` not a non-negative one.

    Examples:
        >>> scheduler = OnDemand(2)
        >>> for job, gpus in (("a", 5), ("b", 4), ("c", 2), ("d", 1)):
        ...     _ = scheduler.arrive(job, gpus)
        >>> _ = scheduler.depart("a")
        >>> scheduler.arrive("e", 8).steps
        (Move(instance='b/0', source=1, target=0), Placement(instance='e/0', node=1))
    """

    def __init__(self, nodes: int, geometry: Geometry | None = None, patience: int = 0) -> None:
        super().__init__(nodes, geometry)
        if type(patience) is not int or patience < 0:
            raise InputError(f"patience {patience!r}: must be a number of whole seconds, 0 or more")
        self._patience = patience
        self._now = 0
        self._asked: dict[str, int] = {}  # when each waiting job was first refused though enough GPUs were free

    def clock(self, now: int) -> None:
        """It is ``now``."""
        self._now = now

    def admit(self, job: str, gpus: int, instances: int, before: tuple[Move, ...] = ()) -> Decision:
        """Place a job that fits, after the given moves, which have been carried out."""
        self._asked.pop(job, None)
        return super().admit(job, gpus, instances, before)

    def blocked(self, job: str, gpus: int, instances: int) -> Decision:
        """Make room and admit the job, or refuse it.

        Raises:
            CompassError: the solver is not installed.
        """
        refused = super().blocked(job, gpus, instances)
        if not self._can_pack(gpus, instances):
            return refused
        if self._now - self._asked.setdefault(job, self._now) < self._patience:
            return refused
        book = self.book
        nodes = by_contents(book)
        numbers = {sizes: len(there) for sizes, there in nodes.items()}
        changes = fewest_moves(numbers, self.geometry.capacity, arriving={gpus: instances})
        ordered = in_order(book.levels.free, moves_of(book, nodes, changes))
        if ordered is None:
            return refused
        return self.admit(job, gpus, instances, tuple(self.move(move.instance, move.target) for move in ordered))

    def _can_pack(self, gpus: int, instances: int) -> bool:
        """Whether some packing of the running and these instances exists; O(1) under WCC."""
        self.running.add(gpus, instances)
        fits = self.running.total <= self.size * self.geometry.capacity and min_nodes(self.running) <= self.size
        self.running.add(gpus, -instances)
        return fits
