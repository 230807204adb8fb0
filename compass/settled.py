"""The scheduler behind `repaired` and `unified`: place, refill, merge, over one discipline.

After every instance that comes or goes the state is *settled*: no slot has vacancy while some 1-GPU instance is free
(*exclusion*), and no kind of node is over its limit. Its coming or going breaks this at a few nodes; then

1. *refill*, while a vacancy and a free instance exist: a free 1-GPU instance moves into the vacancy;
2. *merge*, while a kind is over its limit: two nodes follow the shortest plan of the plan table.

Each step lowers (vacancy that free instances could fill, stray nodes, open pool nodes, open nodes) lexicographically,
so this ends; of these kinds `unified` has the last alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from compass.board import Board, Instance
from compass.choice import Choice, Chooser
from compass.composition import Composition
from compass.discipline import Discipline
from compass.errors import DoesNotFitNow, InputError, InvariantViolated, NeverFits
from compass.events import Decision, Move, Placement, Step, without
from compass.plans import PlanTable
from compass.scheduler import check_arrival, check_departure, check_nodes
from compass.snapshot import Node, PlacedInstance, Snapshot


class SettledScheduler(ABC):
    """The common algorithm; a variant gives the discipline and the admission condition.

    A refused arrival, and a call that raises anything but InvariantViolated (a bug), leave the state as it was.
    Deterministic.

    Args:
        nodes: cluster size N, None for one that grows without bound.
        discipline: kinds and limits.

    Raises:
        InputError: ``nodes`` is not a positive integer.
    """

    def __init__(self, nodes: int | None, discipline: Discipline) -> None:
        self.geometry = discipline.table.geometry
        self.nodes = check_nodes(nodes)
        self.discipline = discipline
        self._plans = PlanTable(discipline)
        self._start()

    def _start(self) -> None:
        """The idle cluster."""
        self.running = Composition(self.geometry)
        self.board = Board(self.discipline, self.nodes)
        self._choose = Chooser(self.board, self._plans)
        self._jobs: dict[str, tuple[Instance, ...]] = {}
        self._steps: list[Step] = []

    # -- the interface ------------------------------------------------------------------------------------------

    @property
    def partial_nodes(self) -> int:
        """``nu``: the number of partial nodes."""
        return self.board.partial

    @abstractmethod
    def admits(self, running: Composition) -> bool:
        """Whether these instances have a place on the N nodes, and keep one whatever departs."""

    @abstractmethod
    def partial_bound(self) -> int | None:
        """The most partial nodes the variant allows now, None for no bound; it depends on ``running`` alone."""

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """Place a job, or refuse it where :meth:`admits` says no; O(log N) an instance.

        Raises:
            InputError: the demand is malformed or the job is running already.
            NeverFits: it is not admitted on the empty cluster either.
        """
        check_arrival(self.geometry, self._jobs, job, gpus, instances)
        running = self.running
        running.add(gpus, instances)
        admitted = self.admits(running)
        running.add(gpus, -instances)
        if not admitted:
            if not self.admits(Composition(self.geometry, {gpus: instances})):
                raise NeverFits(f"job {job!r}: {instances} x {gpus} GPUs never fit {self.nodes} nodes")
            return Decision("arrive", job, False)
        arriving = tuple(Instance(job, k, gpus) for k in range(instances))
        running.add(gpus, instances)
        self._jobs[job] = arriving
        self._steps = []
        self.board.changed.clear()
        place = self._place_filler if gpus == 1 else self._place_anchor
        for instance in arriving:
            place(instance)
        return Decision("arrive", job, True, tuple(self._steps))

    def depart(self, job: str) -> Decision:
        """Remove the instances of a job in turn, settling after each; O(log N) an instance.

        Settling once, after the last, would save moves when many instances leave together; in turn, every state is
        one that the proofs and the explored models speak of.

        Raises:
            InputError: the job is not running.
        """
        check_departure(self._jobs, job)
        leaving = self._jobs.pop(job)
        self._steps = []
        self.board.changed.clear()
        for instance in leaving:
            self.board.evict(instance)
            self.running.add(instance.gpus, -1)
            self._settle()
        steps = without(self._steps, [instance.name for instance in leaving]) if self._steps else ()
        return Decision("depart", job, True, steps)

    def load(self, snapshot: Snapshot) -> tuple[Move, ...]:
        """Take over a placement made by any scheduler, on the idle cluster, and settle it; O(N).

        Returns the moves that bring it into the variant's space, legal one after another. A call that raises leaves
        the cluster idle.

        Raises:
            InputError: the cluster is not idle, the snapshot has another number of nodes or capacity, a job's
                instances differ in size, or a node holds anchors whose slots together are wider than the node.
            DoesNotFitNow: :meth:`admits` says no to its composition, or no sequence of legal moves was found that
                settles the placement (`repaired`, where no node is empty).

        Examples:
            >>> from compass.unified import Unified
            >>> Unified(3).load(Snapshot.of([[4, 2], [4], [1] * 6]))
            (Move(instance='j0/0', source=0, target=1), Move(instance='j1/0', source=0, target=2))
        """
        if self._jobs:
            raise InputError("a snapshot is loaded into an idle cluster only")
        jobs = self._jobs_of(snapshot)
        running = Composition(self.geometry)
        for gpus, instances in jobs.values():
            running.add(gpus, instances)
        if not self.admits(running):
            raise DoesNotFitNow(f"the snapshot's instances have no place in the space on {self.nodes} nodes")
        for index, node in enumerate(snapshot.nodes):
            for job, gpus in node.instances:
                mates = self._jobs.get(job, ())
                self._jobs[job] = (*mates, Instance(job, len(mates), gpus))
                self.board.install(self._jobs[job][-1], index)
        for gpus, number in running.as_dict().items():
            self.running.add(gpus, number)
        self._steps = []
        try:
            self._settle()
        except InvariantViolated as error:
            self._start()
            raise DoesNotFitNow("no legal moves settle the placement: there is no empty node to use") from error
        return tuple(step for step in self._steps if isinstance(step, Move))

    def snapshot(self) -> Snapshot:
        """The current placement; O(N)."""
        used = self.board.used
        size = len(used) if self.nodes is None else self.nodes
        busy = (
            Node(
                f"n{node.index}",
                tuple(PlacedInstance(instance.job, instance.gpus) for instance in node.instances),
                self.geometry.capacity,
            )
            for node in used
        )
        idle = (Node(f"n{index}", (), self.geometry.capacity) for index in range(len(used), size))
        return Snapshot((*busy, *idle))

    def check(self) -> None:
        """Recount everything and check the invariants and the bound; O(N).

        Raises:
            InvariantViolated: one does not hold.
        """
        self.board.recount()
        self._check_settled()

    def check_changes(self) -> None:
        """The same, recounting only the nodes that the last event touched; O(1) a node.

        Raises:
            InvariantViolated: an invariant does not hold.
        """
        self.board.recount_nodes(self.board.changed)
        self._check_settled()

    # -- operators ----------------------------------------------------------------------------------------------

    def _place_filler(self, instance: Instance) -> None:
        """A 1-GPU instance needs no move: there is a vacancy, an open node or an empty one."""
        self._install(instance, self.board.node_of(self._choose.filler_host()))

    def _place_anchor(self, instance: Instance) -> None:
        """An anchor goes where it costs the fewest moves; where no two nodes have room for it, room is made first.

        Merging ends with at most one open node of a kind. For some geometries slots narrower than the arriving one then
        still stand in its way; each exchange leaves less of them.
        """
        board = self.board
        if instance.gpus == self.geometry.capacity and board.has_empty:  # the plain case: nothing to choose or settle
            self._install(instance, board.node_of(board.empty))
            return
        while (host := self._choose.anchor_host(instance.gpus)) is None:
            room = self._choose.merge() or self._choose.exchange()
            if room is None:
                raise InvariantViolated(f"an admitted instance finds no node: {instance}")
            self._carry_out(room)
        self._carry_out(host, instance)
        self._settle()

    def _settle(self) -> None:
        board = self.board
        while board.vacancy and board.free:
            donor, vacant = self._choose.donor(), self._choose.least_vacant()
            self._move(1, board.node_of(donor), board.node_of(vacant))
        while any(board.kinds[kind] > limit for kind, limit in self.discipline.limited):
            self._merge()

    def _merge(self) -> None:
        choice = self._choose.merge()
        if choice is None:
            raise InvariantViolated(f"no plan merges the open nodes {list(self.board.active)}")
        self._carry_out(choice)

    # -- steps --------------------------------------------------------------------------------------------------

    def _carry_out(self, choice: Choice, arriving: Instance | None = None) -> None:
        nodes: list[int] = []
        for shape in choice.before:
            nodes.append(self.board.node_of(shape, beside=nodes[0] if nodes else -1))
        for install, gpus, source in choice.plan.steps:
            if install and arriving is not None:
                self._install(arriving, nodes[source])
            else:
                self._move(gpus, nodes[source], nodes[1 - source])

    def _install(self, instance: Instance, node: int) -> None:
        self.board.install(instance, node)
        self._steps.append(Placement(instance.name, node))

    def _move(self, gpus: int, source: int, target: int) -> None:
        instance = self.board.instance_on(source, gpus)
        self.board.evict(instance)
        self.board.install(instance, target)
        self._steps.append(Move(instance.name, source, target))

    # -- checks -------------------------------------------------------------------------------------------------

    def _check_settled(self) -> None:
        board = self.board
        if board.vacancy and board.free:
            raise InvariantViolated(f"exclusion: {board.vacancy} GPUs of vacancy beside {board.free} free instances")
        for kind, limit in self.discipline.limited:
            if board.kinds[kind] > limit:
                raise InvariantViolated(f"{board.kinds[kind]} nodes of kind {kind}, at most {limit} are allowed")
        bound = self.partial_bound()
        if bound is not None and board.partial > bound:
            raise InvariantViolated(f"{board.partial} partial nodes, at most {bound} are allowed")

    def _jobs_of(self, snapshot: Snapshot) -> dict[str, tuple[int, int]]:
        """Demand and number of instances of each job in a snapshot that can be loaded."""
        if self.nodes not in (None, len(snapshot.nodes)):
            raise InputError(f"the snapshot has {len(snapshot.nodes)} nodes, the cluster {self.nodes}")
        jobs: dict[str, tuple[int, int]] = {}
        for node in snapshot.nodes:
            if node.capacity != self.geometry.capacity:
                raise InputError(f"node {node.name!r}: capacity {node.capacity}, expected {self.geometry.capacity}")
            if self.discipline.table.of([instance.gpus for instance in node.instances]) is None:
                sizes = [instance.gpus for instance in node.instances]
                raise InputError(f"node {node.name!r}: the slots of instances {sizes} do not fit the node together")
            for job, gpus in node.instances:
                size, instances = jobs.get(job, (gpus, 0))
                if size != gpus:
                    raise InputError(f"job {job!r}: instances of {size} and of {gpus} GPUs")
                jobs[job] = (gpus, instances + 1)
        return jobs
