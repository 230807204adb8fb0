"""Baselines that place by best-fit and repair the placement in rounds: DRR (SoCC '25) and FFT (ICS '25).

Both are reconstructions; see the evaluation's specification.
"""

from __future__ import annotations

from compass.errors import InputError
from compass.evaluation.baselines.best_fit import BestFit
from compass.evaluation.baselines.drain import empty_node
from compass.evaluation.baselines.moving import by_contents, in_order, moves_of
from compass.evaluation.baselines.repack import fewest_moves
from compass.evaluation.hooks import Repack
from compass.events import Move
from compass.geometry import Geometry
from compass.phi import min_partial_nodes


class Rounded(BestFit):
    """Best-fit with a round length.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        round_length: R in seconds, None for never.

    Raises:
        InputError: ``nodes`` or ``round_length`` is not a positive integer.
    """

    settling = True

    def __init__(self, nodes: int, geometry: Geometry | None = None, round_length: int | None = 3600) -> None:
        super().__init__(nodes, geometry)
        if round_length is not None and (type(round_length) is not int or round_length < 1):
            raise InputError(f"round length {round_length!r}: must be a positive number of whole seconds, or None")
        self.round_length = round_length


class Drr(Rounded):
    """A round empties the partial node with the fewest busy GPUs, as far as the other nodes in use have room.

    Its instances go, largest first, each to the fullest other node in use that has room; the rest stays. One node a
    round. The learned policy that places jobs in the original is left out: it was trained to imitate best-fit.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        round_length: R in seconds, None for never.
        whole: the variant that moves all instances of the node or none.

    Examples:
        >>> scheduler = Drr(3)
        >>> for job, gpus in (("a", 7), ("b", 4), ("c", 1), ("d", 1)):
        ...     _ = scheduler.arrive(job, gpus)
        >>> _ = scheduler.depart("c")
        >>> scheduler.act()
        (Move(instance='d/0', source=1, target=0),)
    """

    def __init__(
        self, nodes: int, geometry: Geometry | None = None, round_length: int | None = 3600, whole: bool = False
    ) -> None:
        super().__init__(nodes, geometry, round_length)
        self._whole = whole

    def act(self) -> tuple[Move, ...]:
        """One round; the moves, legal one after another."""
        self.book.touched.clear()
        source = self.book.levels.emptiest()
        return tuple(empty_node(self, source, self._whole)) if source >= 0 else ()


class Fft(Rounded):
    """A round re-places all running instances: fewest partial nodes (``Phi*``), and of these the fewest moves, exactly.

    The integer program (:mod:`compass.evaluation.baselines.repack`) says how many nodes of each content get which other
    content; of equally good answers it is the solver's choice. Nodes of one content change in order of index. Where no
    order of the moves is found in which each finds room, they are meant simultaneously. Nothing is solved while
    ``nu = Phi*``.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        round_length: R in seconds, None for never.

    Examples:
        >>> scheduler = Fft(2)
        >>> for job, gpus in (("a", 5), ("b", 4), ("c", 3)):
        ...     _ = scheduler.arrive(job, gpus)
        >>> _ = scheduler.depart("a")
        >>> scheduler.act().moves
        (Move(instance='c/0', source=0, target=1),)
    """

    def act(self) -> Repack:
        """One round.

        Raises:
            CompassError: the solver is not installed (InputError), or gave up.
        """
        self.book.touched.clear()
        least = min_partial_nodes(self.running, nodes=self.size)
        if self.partial_nodes == least:
            return Repack()
        book = self.book
        nodes = by_contents(book)
        changes = fewest_moves({sizes: len(there) for sizes, there in nodes.items()}, self.geometry.capacity, least)
        moves = moves_of(book, nodes, changes)
        ordered = in_order(book.levels.free, moves)
        for move, _ in moves:
            book.take(move.instance)
        for move, gpus in moves:
            book.put(move.instance, gpus, move.target)
        return Repack(tuple(move for move, _ in moves), True) if ordered is None else Repack(ordered)
