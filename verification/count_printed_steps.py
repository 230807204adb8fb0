"""Steps of the printed model on arrays of states: each operator run once for each of its small surroundings.

What an operator looks at: Place the slotted nodes of least sufficient ``D``, or the empty ones, and the pool nodes if
the new slot has vacancy; the 1-GPU rule the slots of preferred vacancy, or else the preferred pool nodes, or else the
empty ones; Remove its node, with the pool nodes if it draws, and with every home of a filler if it has fillers to
re-home; a Compact pass the nodes of ``N``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verification.count_model import CountEvent
from verification.count_printed import Leaving, PrintedModel
from verification.count_settled import CHUNK, Batch, Compositions
from verification.count_space import Ints, LocalStep, Mask, Ranking, Rows


class PrintedSteps:
    """All steps of :class:`verification.count_printed.PrintedModel` on arrays of states."""

    def __init__(self, model: PrintedModel) -> None:
        self.model = model
        types = model.types
        number = len(types)
        capacity = model.geometry.capacity
        self.ranking = Ranking(number, model.nodes)
        self.compositions = Compositions(model.type_sizes, capacity, model.nodes)
        self._slotted = np.array([bool(node.slots) for node in types])
        self._ones = np.array([node.ones for node in types], dtype=np.int16)
        self._unprofiled = np.array(model.unprofiled, dtype=np.int16)
        self._empty = np.arange(number) == 0
        loosest, emptiest = model.readings.fill == "loosest", model.readings.pool == "emptiest"
        # Preference of the 1-GPU rule, least first: vacancies, then pool nodes with room, then empty nodes.
        self._home = np.full(number, NONE, dtype=np.int16)
        for k, node in enumerate(types):
            if model.vacancies[k]:
                self._home[k] = -max(model.vacancies[k]) if loosest else min(model.vacancies[k])
            elif 0 < node.ones < capacity:
                self._home[k] = 1000 + (node.ones if emptiest else -node.ones)
            elif k == 0:
                self._home[k] = 2000
        self._any_home = self._home != NONE
        self._place = {g: self._local_place(g) for g in model.sizes}
        self._remove: dict[tuple[int, Leaving], LocalStep] = {}
        self._passes = [(np.array(model.members(w)), self._local_pass(w)) for w in model.passes]
        self._compacted = np.zeros(self.ranking.size, dtype=bool)

    def _local_place(self, gpus: int) -> LocalStep:
        return LocalStep(self.ranking, lambda nodes: self.model.place(nodes, gpus))

    def _local_pass(self, width: int) -> LocalStep:
        return LocalStep(self.ranking, lambda nodes: self.model.compact_pass(nodes, width))

    def _local_remove(self, node: int, leaving: Leaving) -> LocalStep:
        if (node, leaving) not in self._remove:
            step = LocalStep(self.ranking, lambda nodes: self.model.remove(nodes, node, leaving))
            self._remove[node, leaving] = step
        return self._remove[node, leaving]

    def layer(self, codes: Ints) -> Iterator[tuple[Ints, Batch]]:
        """Every step from the states with these codes: the codes and their steps.

        Compact does not depend on what was placed or removed before it: it is done once for a multiset of nodes.
        """
        phases, ranks = np.divmod(codes, self.ranking.size)
        for phase in np.unique(phases).tolist():
            chosen = np.flatnonzero(phases == phase)
            for start in range(0, len(chosen), CHUNK):
                part = chosen[start : start + CHUNK]
                for batch in self._jobs(self.ranking.rows(ranks[part]), self.model.phases[phase]):
                    yield codes[part], batch
        busy = np.flatnonzero((phases > 0) & ~self._compacted[ranks])
        _, first = np.unique(ranks[busy], return_index=True)
        busy = busy[first]
        self._compacted[ranks[busy]] = True
        for start in range(0, len(busy), CHUNK):
            part = busy[start : start + CHUNK]
            yield codes[part], self._compact(self.ranking.rows(ranks[part]))

    # -- operators --------------------------------------------------------------------------------------------------

    def _jobs(self, rows: Rows, phase: int) -> Iterator[Batch]:
        """Places and Removes that may follow in a phase."""
        for gpus in self.model.sizes:
            if self.model.may_follow(phase, gpus):
                applied = self._place[gpus].apply(rows, self._place_mask(rows, gpus))
                target = self.model.phases.index(gpus)
                yield Batch(CountEvent("place", gpus), applied.source, applied.rows, applied.moves, NOTHING, target)
        for node in range(1, len(self.model.types)):
            of_type = rows == node
            source = np.flatnonzero(of_type.any(axis=0))
            if len(source):
                for leaving in self.model.removals(node):
                    if self.model.may_follow(phase, -leaving.gpus):
                        yield self._removal(rows[:, source], source, node, leaving)

    def _removal(self, rows: Rows, source: Ints, node: int, leaving: Leaving) -> Batch:
        gpus, slot, anchor = leaving
        mask = rows == node
        if slot is not None and anchor and slot.fillers:
            mask |= self._any_home[rows]
        elif slot is not None and not anchor and self.model.readings.refill == "text":
            mask |= self._ones[rows] > 0
        applied = self._local_remove(node, leaving).apply(rows, mask)
        event = CountEvent("remove", gpus)
        target = self.model.phases.index(-gpus)
        return Batch(event, source[applied.source], applied.rows, applied.moves, source[applied.stuck], target)

    def _place_mask(self, rows: Rows, gpus: int) -> Mask:
        if gpus == 1:
            home = self._home[rows]
            return np.asarray((home == home.min(axis=0)) & (home != NONE))
        width = self.model.geometry.slot_width(gpus)
        room = np.where(self._slotted[rows] & (self._unprofiled[rows] >= width), self._unprofiled[rows], NONE)
        least = room.min(axis=0)
        mask: Mask = np.where(least < NONE, room == least, self._empty[rows])
        if width > gpus:
            mask |= self._ones[rows] > 0
        return np.asarray(mask)

    def _compact(self, rows: Rows) -> Batch:
        source = np.arange(rows.shape[1])
        moves = np.zeros(len(source), dtype=np.int16)
        stuck = []
        for members, step in self._passes:
            applied = step.apply(rows, members[rows])
            stuck.append(source[applied.stuck])
            moves = moves[applied.source] + applied.moves
            source, rows = source[applied.source], applied.rows
        # Different ways to one successor are one transition, with the most moves.
        order = np.lexsort((-moves, self.ranking.ranks(rows), source))
        pair = np.stack([source[order], self.ranking.ranks(rows)[order]])
        first = np.ones(len(order), dtype=bool)
        first[1:] = (pair[:, 1:] != pair[:, :-1]).any(axis=0)
        kept = order[first]
        return Batch(CountEvent("compact"), source[kept], rows[:, kept], moves[kept], np.unique(np.concatenate(stuck)))


NONE = np.iinfo(np.int16).max
"""Stands after every preference."""

NOTHING: Ints = np.empty(0, dtype=np.int64)
