"""Buddy cells (as HiveD, OSDI '20): an instance takes an aligned cell of the next power of two."""

from __future__ import annotations

from compass.errors import InvariantViolated
from compass.evaluation.baselines.plain import PlainScheduler
from compass.geometry import Geometry


class Buddy(PlainScheduler):
    """A free cell of the lowest sufficient level, ties to the lowest node; larger ones are split, free halves merged.

    A cell of width v = 1, 2, 4, ..., G covers the GPUs ``k v .. (k+1) v - 1`` of the cluster. An instance whose size is
    no power of two leaves the rest of its cell idle. Splitting and merging are by halves whatever the geometry's
    widths. An instance costs O(log G) operations on integers of N G bits.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.

    Examples:
        >>> scheduler = Buddy(2)
        >>> [scheduler.arrive(job, gpus).placements[0].node for job, gpus in (("a", 1), ("b", 8), ("c", 3))]
        [0, 1, 0]
        >>> scheduler.arrive("d", 3).admitted
        False
    """

    def __init__(self, nodes: int, geometry: Geometry | None = None) -> None:
        super().__init__(nodes, geometry)
        capacity = self.geometry.capacity
        self._free = {1 << k: 0 for k in range(capacity.bit_length())}  # bit k of _free[v]: cell k of width v is free
        self._free[capacity] = (1 << nodes) - 1
        self._cells: dict[str, tuple[int, int]] = {}  # width and number of the cell of each instance

    def admits(self, job: str, gpus: int, instances: int) -> bool:
        """Whether the free cells hold the whole gang, ``sum floor(v / width)`` over them; O(log G)."""
        width = cell_width(gpus)
        return sum(cells.bit_count() * (v // width) for v, cells in self._free.items()) >= instances

    def most(self, gpus: int) -> int:
        """How many instances of this size the empty cluster holds."""
        return self.size * (self.geometry.capacity // cell_width(gpus))

    def choose(self, gpus: int) -> int:
        """The node of the cell that :meth:`put` takes."""
        width, cell = self._lowest(cell_width(gpus))
        return cell * width // self.geometry.capacity

    def put(self, instance: str, gpus: int) -> int:
        """Place an instance in a cell; its node."""
        wanted = cell_width(gpus)
        width, cell = self._lowest(wanted)
        node = super().put(instance, gpus)
        self._free[width] ^= 1 << cell
        while width > wanted:
            width //= 2
            cell *= 2
            self._free[width] |= 1 << (cell + 1)
        self._cells[instance] = width, cell
        return node

    def take(self, instance: str) -> int:
        """Take an instance away and merge its cell with free ones."""
        width, cell = self._cells.pop(instance)
        while width < self.geometry.capacity and self._free[width] >> (cell ^ 1) & 1:
            self._free[width] ^= 1 << (cell ^ 1)
            width *= 2
            cell //= 2
        self._free[width] |= 1 << cell
        return super().take(instance)

    def check(self) -> None:
        """Recount everything; every GPU is in just one cell, free or taken, and no two free halves are apart.

        Raises:
            InvariantViolated: something differs from what is recorded.
        """
        super().check()
        covered = [0] * (self.size * self.geometry.capacity)
        free = [(v, k) for v, cells in self._free.items() for k in range(cells.bit_length()) if cells >> k & 1]
        for width, cell in (*free, *self._cells.values()):
            for gpu in range(width * cell, width * (cell + 1)):
                covered[gpu] += 1
        if set(covered) != {1}:
            raise InvariantViolated("the cells do not cover every GPU once")
        for width, cell in free:
            if width < self.geometry.capacity and (width, cell ^ 1) in free:
                raise InvariantViolated(f"cells {cell} and {cell ^ 1} of width {width} are both free")
        for instance, (width, cell) in self._cells.items():
            if self.book.node_of[instance] != width * cell // self.geometry.capacity:
                raise InvariantViolated(f"{instance} is not on the node of its cell")

    def _lowest(self, wanted: int) -> tuple[int, int]:
        """Width and number of the cell to use or split."""
        width = next(v for v, cells in self._free.items() if v >= wanted and cells)
        cells = self._free[width]
        return width, (cells & -cells).bit_length() - 1


def cell_width(gpus: int) -> int:
    """The least power of two that is at least ``gpus``.

    >>> [cell_width(g) for g in range(1, 9)]
    [1, 2, 4, 4, 8, 8, 8, 8]
    """
    return 1 << (gpus - 1).bit_length()
