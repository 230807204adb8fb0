"""Consolidation on demand (as NVIDIA's KAI-Scheduler): running jobs make way only when a job waits for want of room."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from compass.errors import InputError
from compass.evaluation.baselines.best_fit import BestFit
from compass.evaluation.baselines.book import Levels
from compass.evaluation.baselines.moving import in_order
from compass.events import Decision, Move
from compass.geometry import Geometry


class Consolidate(BestFit):
    """Best-fit; a job that finds no room though enough GPUs are free makes the newest jobs go elsewhere.

    In a simulation running jobs are evicted one after another, the last admitted first, at most ``victims``. After each
    the arriving job and then the evicted ones, largest instances first, are placed by best-fit. The first time that all
    find a place it is done; an instance moves only if its job has one instance less on its node than before. A plan for
    which no order of the moves is found in which each finds room is passed over. KAI takes its victims from an
    unordered table; the newest first is our reading.

    Args:
        nodes: cluster size N.
        geometry: the node geometry.
        victims: the most jobs that are evicted for one.

    Raises:
        InputError: ``nodes`` or ``victims`` is not a positive integer.

    Examples:
        >>> scheduler = Consolidate(2)
        >>> for job, gpus in (("a", 5), ("b", 4), ("c", 3)):
        ...     _ = scheduler.arrive(job, gpus)
        >>> _ = scheduler.depart("a")
        >>> scheduler.arrive("d", 8).steps
        (Move(instance='c/0', source=0, target=1), Placement(instance='d/0', node=0))
    """

    def __init__(self, nodes: int, geometry: Geometry | None = None, victims: int = 16) -> None:
        super().__init__(nodes, geometry)
        if type(victims) is not int or victims < 1:
            raise InputError(f"{victims!r} victims: must be a positive integer")
        self._victims = victims

    def blocked(self, job: str, gpus: int, instances: int) -> Decision:
        """Admit the job after making room, or refuse it; O(victims (N + instances))."""
        free = self.size * self.geometry.capacity - self.running.total
        if gpus * instances <= free:
            emptied = self.book.levels.copy()
            evicted: list[str] = []
            for victim in islice(reversed(self._jobs), self._victims):
                for name in self._jobs[victim]:
                    emptied.change(self.book.node_of[name], self._size(name))
                evicted.append(victim)
                moves = self._plan(emptied.copy(), evicted, gpus, instances)
                if moves is not None:
                    done = tuple(self.move(move.instance, move.target) for move in moves)
                    return self.admit(job, gpus, instances, done)
        return super().blocked(job, gpus, instances)

    def _plan(self, trial: Levels, evicted: list[str], gpus: int, instances: int) -> tuple[Move, ...] | None:
        """Moves that make room, with the evicted jobs off the trial's nodes; None where someone finds no place."""
        if trial.room(gpus) < instances:
            return None
        for _ in range(instances):
            trial.change(trial.best_fit(gpus), -gpus)
        moves: list[tuple[Move, int]] = []
        for victim in sorted(evicted, key=lambda victim: -self._size(self._jobs[victim][0])):
            names = self._jobs[victim]
            size = self._size(names[0])
            if trial.room(size) < len(names):
                return None
            places: Counter[int] = Counter()
            for _ in names:
                node = trial.best_fit(size)
                trial.change(node, -size)
                places[node] += 1
            going: list[str] = []
            for name in names:
                node = self.book.node_of[name]
                if places[node]:
                    places[node] -= 1
                else:
                    going.append(name)
            targets = sorted(places.elements())
            moves += [
                (Move(name, self.book.node_of[name], target), size) for name, target in zip(going, targets, strict=True)
            ]
        return in_order(self.book.levels.free, moves)

    def _size(self, instance: str) -> int:
        return self.book.contents[self.book.node_of[instance]][instance]
