"""What all baselines have in common: a plain cluster, gangs placed instance by instance, nothing moved."""

from __future__ import annotations

from abc import ABC, abstractmethod

from compass.composition import Composition
from compass.errors import InputError, InvariantViolated, NeverFits
from compass.evaluation.baselines.book import Book
from compass.events import Decision, Move, Placement, Step, instance_name, job_of
from compass.geometry import Geometry, geometry_of
from compass.scheduler import check_arrival, check_departure, check_nodes
from compass.snapshot import Node, PlacedInstance, Snapshot


class PlainScheduler(ABC):
    """A scheduler (:class:`compass.Scheduler`) on the books of a plain cluster.

    A subclass says where an instance goes; it may do something on a departure or when a job finds no room. A refused
    arrival, and a call that raises anything but InvariantViolated (a bug), leave the state as it was. Deterministic.

    Args:
        nodes: cluster size N.
        geometry: the node geometry, of which a baseline uses the capacity only.

    Raises:
        InputError: ``nodes`` is not a positive integer.
    """

    def __init__(self, nodes: int, geometry: Geometry | None = None) -> None:
        if check_nodes(nodes) is None:
            raise InputError("None nodes: a baseline needs a cluster of a given size")
        self.geometry = geometry or geometry_of(8)
        self.nodes: int | None = nodes
        self.size = nodes
        self.running = Composition(self.geometry)
        self.book = Book(nodes, self.geometry.capacity)
        self._jobs: dict[str, tuple[str, ...]] = {}  # names of the instances, jobs in order of admission

    # -- what a baseline decides ----------------------------------------------------------------------------------

    @abstractmethod
    def choose(self, gpus: int) -> int:
        """The node for an instance of this size; there is one with room."""

    def admits(self, job: str, gpus: int, instances: int) -> bool:
        """Whether the whole gang finds room now; O(G)."""
        return self.book.levels.room(gpus) >= instances

    def most(self, gpus: int) -> int:
        """How many instances of this size the empty cluster holds: ``N floor(G / g)``."""
        return self.size * (self.geometry.capacity // gpus)

    def blocked(self, job: str, gpus: int, instances: int) -> Decision:
        """The answer to a job that is not admitted as things stand: no."""
        return Decision("arrive", job, False)

    def departed(self) -> tuple[Step, ...]:
        """What follows on a departure: nothing."""
        return ()

    def put(self, instance: str, gpus: int) -> int:
        """Place an instance; its node."""
        node = self.choose(gpus)
        self.book.put(instance, gpus, node)
        return node

    def take(self, instance: str) -> int:
        """Take an instance away; its size."""
        return self.book.take(instance)

    # -- the interface --------------------------------------------------------------------------------------------

    @property
    def partial_nodes(self) -> int:
        """``nu``: the number of partial nodes."""
        return self.book.levels.partial

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """Place a job, or refuse it where it does not fit as a whole.

        Raises:
            InputError: the demand is malformed or the job is running already.
            NeverFits: it does not fit the empty cluster either.
        """
        check_arrival(self.geometry, self._jobs, job, gpus, instances)
        if instances > self.most(gpus):
            raise NeverFits(f"job {job!r}: {instances} x {gpus} GPUs never fit {self.size} nodes")
        self.book.touched.clear()
        if not self.admits(job, gpus, instances):
            return self.blocked(job, gpus, instances)
        return self.admit(job, gpus, instances)

    def admit(self, job: str, gpus: int, instances: int, before: tuple[Move, ...] = ()) -> Decision:
        """Place a job that fits, after the given moves, which have been carried out."""
        names = tuple(instance_name(job, k) for k in range(instances))
        steps = tuple(Placement(name, self.put(name, gpus)) for name in names)
        self._jobs[job] = names
        self.running.add(gpus, instances)
        return Decision("arrive", job, True, before + steps)

    def depart(self, job: str) -> Decision:
        """Remove all instances of a job.

        Raises:
            InputError: the job is not running.
        """
        check_departure(self._jobs, job)
        self.book.touched.clear()
        names = self._jobs.pop(job)
        for name in names:
            gpus = self.take(name)
        self.running.add(gpus, -len(names))
        return Decision("depart", job, True, self.departed())

    def snapshot(self) -> Snapshot:
        """The current placement; O(N)."""
        return Snapshot(
            tuple(
                Node(
                    f"n{index}",
                    tuple(PlacedInstance(job_of(name), gpus) for name, gpus in content.items()),
                    self.geometry.capacity,
                )
                for index, content in enumerate(self.book.contents)
            )
        )

    def check_changes(self) -> None:
        """Recount the nodes that the last event touched.

        Raises:
            InvariantViolated: something differs from what is recorded.
        """
        self.book.check(self.book.touched)

    def check(self) -> None:
        """Recount everything; O(N).

        Raises:
            InvariantViolated: something differs from what is recorded.
        """
        self.book.check()
        running = Composition(self.geometry)
        for content in self.book.contents:
            for gpus in content.values():
                running.add(gpus)
        if running.counts != self.running.counts or running.total != self.running.total:
            raise InvariantViolated(f"{self.running.as_dict()} running recorded, {running.as_dict()} counted")
        if {name for names in self._jobs.values() for name in names} != self.book.node_of.keys():
            raise InvariantViolated("the instances of the jobs are not those on the nodes")

    # -- moving ---------------------------------------------------------------------------------------------------

    def move(self, instance: str, target: int) -> Move:
        """Move an instance to another node that has room for it."""
        source = self.book.node_of[instance]
        self.book.put(instance, self.book.take(instance), target)
        return Move(instance, source, target)
