"""Steps of the settled variants on arrays of states: each operator run once for each of its small surroundings.

What an operator looks at (the masks below) follows from the code of the choice. Placing and merging look at open,
stray and empty nodes; covered nodes with free instances matter by their number of free instances, and by their shapes
only where open and empty nodes alone have no plan. Refilling looks at one donor and one vacancy at a time. A wrong mask
would show: :mod:`verification.count_explorer`'s results are compared with steps of whole states.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compass.choice import Chooser
from compass.composition import Composition
from compass.shapes import Shape
from verification.count_model import STUCK, CountBoard, CountEvent, Nodes, Outcome, SettledModel
from verification.count_space import Applied, Ints, LocalStep, Memo, Ranking, Rows, sort_columns


class Batch(NamedTuple):
    """Steps of one kind: column ``source[k]`` goes to ``rows[:, k]``; from the columns ``stuck`` it cannot be done."""

    event: CountEvent
    source: Ints
    rows: Rows
    moves: npt.NDArray[np.int16]
    stuck: Ints
    phase: int = 0


class Compositions:
    """Instances by size, as one integer a state (mixed radix, so that keys add).

    Args:
        sizes: instance sizes of each node type.
        capacity: ``G``.
        nodes: N.
    """

    def __init__(self, sizes: list[tuple[int, ...]], capacity: int, nodes: int) -> None:
        self.capacity = capacity
        self.unit = [0] * (capacity + 1)
        radix = 1
        for gpus in range(capacity, 0, -1):
            self.unit[gpus] = radix
            radix *= capacity * nodes // gpus + 2  # one more than fits: an arrival is added before it is admitted
        if radix >= 2**57:  # six bits are left for a number of partial nodes
            raise ValueError(f"capacity {capacity}, {nodes} nodes: compositions do not fit 57 bits")
        self.of_type = np.array([sum(self.unit[g] for g in node) for node in sizes], dtype=np.int64)

    def keys(self, rows: Rows) -> Ints:
        """The composition of each column."""
        total = np.zeros(rows.shape[1], dtype=np.int64)
        for row in rows:
            total += self.of_type[row]
        return total

    def key_of(self, counts: dict[int, int]) -> int:
        """The key of given counts."""
        return sum(self.unit[gpus] * number for gpus, number in counts.items())

    def counts(self, keys: Ints) -> Ints:
        """The inverse: a row for each size from 0 to G, a column for each key."""
        left = keys.copy()
        found = np.zeros((self.capacity + 1, len(keys)), dtype=np.int64)
        for gpus in range(1, self.capacity + 1):
            found[gpus], left = np.divmod(left, self.unit[gpus])
        return found


class SettledSteps:
    """All steps of :class:`verification.count_model.SettledModel` on arrays of states."""

    def __init__(self, model: SettledModel) -> None:
        self.model = model
        table = model.table
        self.ranking = Ranking(len(table), model.nodes)
        self.compositions = Compositions([shape.sizes for shape in table], model.geometry.capacity, model.nodes)
        kinds = np.array(model.discipline.kinds)
        self._kinds = kinds
        self._vacancy = np.array([shape.vacancy for shape in table], dtype=np.int16)
        self._free = np.array([shape.free for shape in table], dtype=np.int16)
        self._empty = table.empty.index
        self._seen = (kinds != 0) | (np.arange(len(table)) == self._empty)
        self._plus = self._changes([shape.plus for shape in table])
        self._minus = self._changes([shape.minus for shape in table])
        choose = Chooser(CountBoard(model.discipline, []), model.plans)  # type: ignore[arg-type]
        self._donor = self._order([shape.index for shape in choose._donors])
        self._vacant = self._order([shape.index for shape in choose._vacant])
        self._cap = 2 * int(self._vacancy.max())
        self.admitted = Memo(self._admit)
        self._refill = LocalStep(self.ranking, lambda nodes: (model.refill(nodes, 1),))
        self._merge = LocalStep(self.ranking, lambda nodes: (model.merge(nodes),))
        self._narrow: dict[tuple[int, int], LocalStep] = {}
        self._wide: dict[int, LocalStep] = {}

    def _changes(self, shapes: list[list[Shape | None]]) -> Rows:
        """Type after one more (fewer) instance: a row for each size, -1 where there is none."""
        return np.array(
            [[-1 if shape is None else shape.index for shape in row] for row in shapes],
            dtype=np.int16,
        ).T

    def _order(self, first: list[int]) -> Rows:
        order = np.full(len(self.model.table), np.iinfo(np.int16).max, dtype=np.int16)
        order[first] = np.arange(len(first))
        return order

    def _admit(self, key: int) -> int:
        counts = self.compositions.counts(np.array([key]))[:, 0].tolist()
        geometry = self.model.geometry
        return self.model.admits(Composition(geometry, {g: n for g, n in enumerate(counts) if n}))

    # -- steps ----------------------------------------------------------------------------------------------------

    def expand(self, rows: Rows) -> Iterator[Batch]:
        """Every step from every column."""
        compositions = self.compositions.keys(rows)
        for gpus in self.model.sizes:
            admitted = np.flatnonzero(self.admitted(compositions + self.compositions.unit[gpus]))
            if len(admitted):
                yield self._arrivals(rows, admitted, gpus)
        for gpus in self.model.sizes:
            for i in range(len(rows)):
                smaller = self._minus[gpus][rows[i]]
                leaves = smaller >= 0
                if i:
                    leaves &= rows[i] != rows[i - 1]  # one of several equal nodes
                source = np.flatnonzero(leaves)
                if len(source):
                    changed = rows[:, source]
                    changed[i] = smaller[source]
                    yield self._settled(CountEvent("depart", gpus), source, sort_columns(changed))

    def _arrivals(self, rows: Rows, admitted: Ints, gpus: int) -> Batch:
        event = CountEvent("arrive", gpus)
        rows = rows[:, admitted]
        if gpus == 1:
            placed = self._place_filler(rows)
            return Batch(event, admitted[placed.source], placed.rows, placed.moves, admitted[placed.stuck])
        placed = self._place_anchor(rows, gpus)
        settled = self._settled(event, placed.source, placed.rows, placed.moves)
        failed = np.concatenate([placed.stuck, settled.stuck])
        return settled._replace(source=admitted[settled.source], stuck=admitted[failed])

    def _place_filler(self, rows: Rows) -> Applied:
        """A vacancy, else an open or empty node."""
        vacant, column = self._first(self._vacant, rows), np.arange(rows.shape[1])
        mask = self._seen[rows]
        some = self._vacancy[rows[vacant, column]] > 0
        mask[:, some] = False
        mask[vacant[some], column[some]] = True
        return self._narrow_step(1, 0).apply(rows, mask)

    def _place_anchor(self, rows: Rows, gpus: int) -> Applied:
        """Over open and empty nodes; where they have no plan, over covered nodes with free instances too."""
        mask = self._seen[rows]
        hidden = np.where(mask, 0, self._free[rows]).sum(axis=0)
        hidden = np.minimum(hidden, self._cap)
        parts: list[Applied] = []
        for free in np.unique(hidden).tolist():
            columns = np.flatnonzero(hidden == free)
            applied = self._narrow_step(gpus, free).apply(rows[:, columns], mask[:, columns])
            if free:  # no plan is no failure here
                wider = columns[applied.stuck]
                wide = self._wide_step(gpus).apply(rows[:, wider], mask[:, wider] | (self._free[rows[:, wider]] > 0))
                parts.append(wide._replace(source=wider[wide.source], stuck=wider[wide.stuck]))
                applied = applied._replace(stuck=applied.stuck[:0])
            parts.append(applied._replace(source=columns[applied.source], stuck=columns[applied.stuck]))
        return Applied(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.rows for part in parts], axis=1),
            np.concatenate([part.moves for part in parts]),
            np.concatenate([part.stuck for part in parts]),
        )

    def _settled(self, event: CountEvent, source: Ints, rows: Rows, paid: Rows | None = None) -> Batch:
        """Refill and merge what needs it; ``paid`` moves have been made before."""
        moves = np.zeros(len(source), dtype=np.int16) if paid is None else paid.copy()
        rows = rows.copy()
        self._refill_all(rows, moves)
        over = np.zeros(len(source), dtype=bool)
        for kind, limit in self.model.discipline.limited:
            over |= (self._kinds[rows] == kind).sum(axis=0) > limit
        todo = np.flatnonzero(over)
        applied = self._merge.apply(rows[:, todo], self._seen[rows[:, todo]])
        done = todo[applied.source]
        rows[:, done] = applied.rows
        moves[done] += applied.moves
        good = np.ones(len(source), dtype=bool)
        good[todo[applied.stuck]] = False
        return Batch(event, source[good], rows[:, good], moves[good], source[~good])

    def _refill_all(self, rows: Rows, moves: Rows) -> None:
        """One move after another, from the first donor into the least vacancy, until none can be made."""
        todo = np.arange(rows.shape[1])
        while len(todo):
            part = rows[:, todo]
            donor, vacant = self._first(self._donor, part), self._first(self._vacant, part)
            column = np.arange(len(todo))
            both = (self._free[part[donor, column]] > 0) & (self._vacancy[part[vacant, column]] > 0)
            todo, part, donor, vacant = todo[both], part[:, both], donor[both], vacant[both]
            mask = np.zeros(part.shape, dtype=bool)
            mask[donor, np.arange(len(todo))] = True
            mask[vacant, np.arange(len(todo))] = True
            applied = self._refill.apply(part, mask)
            rows[:, todo] = applied.rows
            moves[todo] += applied.moves
            todo = todo[applied.moves > 0]

    @staticmethod
    def _first(order: Rows, rows: Rows) -> Ints:
        """Position of the node that comes first in an order of the types."""
        return np.asarray(order[rows].argmin(axis=0))

    def _narrow_step(self, gpus: int, hidden: int) -> LocalStep:
        def place(nodes: Nodes) -> tuple[Outcome]:
            return (self.model.place(nodes, gpus, hidden) or STUCK,)

        if (gpus, hidden) not in self._narrow:
            self._narrow[gpus, hidden] = LocalStep(self.ranking, place)
        return self._narrow[gpus, hidden]

    def _wide_step(self, gpus: int) -> LocalStep:
        if gpus not in self._wide:
            self._wide[gpus] = LocalStep(self.ranking, lambda nodes: (self.model.place(nodes, gpus) or STUCK,))
        return self._wide[gpus]

    def layer(self, codes: Ints) -> Iterator[tuple[Ints, Batch]]:
        """Every step from the states with these codes (ranks, as there is one phase): the codes and their steps."""
        for start in range(0, len(codes), CHUNK):
            part = codes[start : start + CHUNK]
            for batch in self.expand(self.ranking.rows(part)):
                yield part, batch


CHUNK = 250_000
"""States expanded at a time."""
