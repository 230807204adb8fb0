"""Long runs of `repaired` and `unified`: what an operator does in a large cluster is an entry of the encoding too.

:mod:`verification.encoding` follows the count-level loop from every state of two or three nodes. Here the executable
scheduler itself is watched in runs of random jobs on many nodes, under any dial: every operator that it carries out
must be an entry of the table that the solvers are asked about, with as many moves, as the obligations assume of its
preferences, and must change the nodes by just that. No entry that could be taken instead costs fewer moves: what the
solvers find enabled, the code finds. Nodes are merged after all refills only, instances leave one by one
with the state settled in between, settling ends in a settled state, also after ``load``, and who is admitted is decided
as the variant's definition has it.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator

from compass.board import Instance
from compass.choice import Choice
from compass.errors import InvariantViolated
from compass.events import Move
from compass.geometry import Geometry
from compass.repaired import Repaired
from compass.settled import SettledScheduler
from compass.shapes import Shape
from compass.snapshot import Snapshot
from compass.unified import Unified
from verification.encoding import Exchange, Table, Tables, effect
from verification.figures import Found, first_fault
from verification.job_claims import has_place
from verification.preferences import Preferences
from verification.smt_model import Model


def walks_encoded(variant: str, nodes: int = 60, open_nodes: int = 1, events: int = 400, capacity: int = 8) -> Found:
    """Three runs of random jobs, from a foreign placement on: filled up, emptied by a third, filled up and so on."""
    geometry = Geometry(capacity)
    done: Counter[str] = Counter()
    tables = None
    for seed in range(3):
        scheduler = _Repaired(nodes, geometry) if variant == "repaired" else _Unified(nodes, geometry, open_nodes)
        tables = tables or Tables(Model(scheduler.discipline, dial=variant == "unified"))
        scheduler.watch(tables)
        holds, detail, _ = first_fault(_faults(scheduler, random.Random(seed), nodes, events), "events")
        if not holds:
            return holds, detail, {}
        done += scheduler.done
    return True, f"operators that are entries: {', '.join(f'{k} {done[k]}' for k in sorted(done))}", dict(done)


def _faults(scheduler: _Watched, rng: random.Random, nodes: int, events: int) -> Iterator[str | None]:
    jobs = _loaded(scheduler, nodes, rng)
    yield scheduler.faults[0] if scheduler.faults else None
    turned_down = 0
    filling = True
    for number in range(events):
        filling = turned_down < 5 if filling else 3 * scheduler.running.width < 2 * scheduler.geometry.capacity * nodes
        try:
            if jobs and rng.random() < (0.2 if filling else 0.9):
                turned_down = 0 if not filling else turned_down
                scheduler.depart(jobs.pop(rng.randrange(len(jobs))))
            elif _arrives(scheduler, f"a{number}", rng, ones=number // 200 % 2):
                jobs.append(f"a{number}")
            else:
                turned_down += 1
            scheduler.check()
        except InvariantViolated as error:
            scheduler.faults.append(str(error))
        yield scheduler.faults[0] if scheduler.faults else None


def _arrives(scheduler: _Watched, job: str, rng: random.Random, ones: int) -> bool:
    """An arrival, and whether it is admitted; ``ones`` makes those of one GPU three times as frequent."""
    gpus = rng.choice([*range(1, scheduler.geometry.capacity + 1), *[1, 1] * ones])
    instances = rng.choice([1, 1, 1, 2, 3, 6])
    before = scheduler.running.as_dict()
    expected = scheduler.admissible(Counter(before) + Counter({gpus: instances}))
    admitted = scheduler.arrive(job, gpus, instances).admitted
    if admitted != expected:
        scheduler.faults.append(f"{instances} x {gpus} GPUs beside {before}: admitted is {admitted}, not {expected}")
    return admitted


def _loaded(scheduler: _Watched, nodes: int, rng: random.Random) -> list[str]:
    """The jobs of a random placement, one node of it empty, so that it can be settled."""
    shapes = list(scheduler.discipline.table)
    while True:
        chosen = [rng.choice(shapes).sizes for _ in range(nodes - 1)]
        snapshot = Snapshot.of([*chosen, []], scheduler.geometry.capacity)
        if scheduler.admissible(Counter(i.gpus for node in snapshot.nodes for i in node.instances)):
            scheduler.load(snapshot)
            return [instance.job for node in snapshot.nodes for instance in node.instances]


class _Watched(SettledScheduler):
    """A scheduler with what its operators do compared with the tables of the encoding."""

    def watch(self, tables: Tables) -> None:
        """Start the comparison, on the idle cluster."""
        self.faults: list[str] = []
        self.done: Counter[str] = Counter()
        self._tables = tables
        self._best = Preferences(tables)
        self._known = self._shapes()
        self._planned = False

    @abstractmethod
    def admissible(self, running: Counter[int]) -> bool:
        """Whether these instances, by size, have to be admitted, by the definition of the variant."""

    def load(self, snapshot: Snapshot) -> tuple[Move, ...]:
        """As it is, with the comparison from there on."""
        self._known = Counter()
        return super().load(snapshot)

    def _shapes(self) -> Counter[int]:
        """Number of nodes of each shape, from what runs on them."""
        of = self.discipline.table.of
        found = Counter(shape.index for node in self.board.used if (shape := of([i.gpus for i in node.instances])))
        found[self.board.empty.index] += (self.nodes or 0) - len(self.board.used)
        return found

    def _did(self, what: str, exchange: Exchange, entries: Table) -> None:
        self.done[what] += 1
        before, after, moves = exchange
        made = [shape for shape in after if shape is not None]
        if len(made) != len(before) or effect(before, made, moves) not in entries:
            self.faults.append(f"{what}: {before} to {after} in {moves} moves is no entry of the encoding")
        self._known.subtract(shape.index for shape in before)
        self._known.update(shape.index for shape in made)
        if self._known != self._shapes():
            self.faults.append(f"{what}: {before} to {after} is not what changes")

    # -- operators --------------------------------------------------------------------------------------------------

    def _install(self, instance: Instance, node: int) -> None:
        host = self.board.shape_of(node)
        tables = self._tables
        entries = tables.filler(self.board) if instance.gpus == 1 else tables.anchors[instance.gpus]
        if instance.gpus == 1 and host is not (best := self._best.filler_host(self.board)):
            self.faults.append(f"place: a 1-GPU instance goes to {host}, not to {best}")
        super()._install(instance, node)
        if not self._planned:
            self._did("place", ((host,), (host.plus[instance.gpus],), 0), entries)

    def _move(self, gpus: int, source: int, target: int) -> None:
        if self._planned:
            super()._move(gpus, source, target)
            return
        donor, vacant = self.board.shape_of(source), self.board.shape_of(target)
        if (donor, vacant) != (best := self._best.refill(self.board)):
            self.faults.append(f"refill: {donor} gives to {vacant}, not {best[0]} to {best[1]}")
        super()._move(gpus, source, target)
        self._did("refill", ((donor, vacant), (donor.minus[gpus], vacant.plus[gpus]), 1), self._tables.refilling)

    def _carry_out(self, choice: Choice, arriving: Instance | None = None) -> None:
        board, tables = self.board, self._tables
        steps = len(self._steps)
        entry = effect(choice.before, choice.plan.result, choice.plan.moves)
        if arriving is not None and tables.exceeds(board, entry):
            self.faults.append(f"place: {choice.before} to {choice.plan.result} exceeds a limit")
        if arriving is None and board.vacancy and board.free:
            self.faults.append(f"merge: {choice.before} before all refills are done")
        least = self._best.host_moves(board, arriving.gpus) if arriving else self._best.merge_moves(board)
        if choice.cost > least:
            self.faults.append(f"{choice.before} to {choice.plan.result} costs {choice.cost} moves, another {least}")
        self._planned = True
        super()._carry_out(choice, arriving)
        self._planned = False
        moves = sum(isinstance(step, Move) for step in self._steps[steps:])
        what, entries = ("place", tables.anchors[arriving.gpus]) if arriving else ("merge", tables.merging)
        self._did(what, (choice.before, choice.plan.result, moves), entries)

    def _settle(self) -> None:
        now = self._shapes()
        left, come = self._known - now, now - self._known
        if self._known and (left or come):  # an instance has departed; at the start of load nothing is known yet
            before, after = self._of(left), self._of(come)
            if effect(before, after, 0) not in self._tables.leaving:
                self.faults.append(f"depart: {before} to {after} is not one instance less")
        self._known = now
        super()._settle()
        board = self.board
        if (board.vacancy and board.free) or any(board.kinds[k] > limit for k, limit in self.discipline.limited):
            self.faults.append("settling ends before the state is settled")

    def _of(self, numbers: Counter[int]) -> list[Shape]:
        return [self.discipline.table[index] for index in numbers.elements()]


class _Repaired(_Watched, Repaired):
    def admissible(self, running: Counter[int]) -> bool:
        """A place in Sigma, now and whatever departs."""
        return has_place(running, self.geometry, self.nodes or 0)


class _Unified(_Watched, Unified):
    def admissible(self, running: Counter[int]) -> bool:
        """``max(A, T) <= G N``."""
        slots = sum(n * self.geometry.slot_width(gpus) for gpus, n in running.items() if gpus > 1)
        demand = sum(n * gpus for gpus, n in running.items())
        return max(slots, demand) <= self.geometry.capacity * (self.nodes or 0)
