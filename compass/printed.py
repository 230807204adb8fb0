"""The paper's pseudocode, step by step: Place, Remove, Compact and Algorithm 1 (section 4.3).

One method an operator; where the pseudocode leaves a choice open, the branch names the field of ``Readings`` that
settles it. Nothing is repaired here: what the printed algorithm cannot do raises ``NoLegalDestination``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Reversible
from itertools import islice
from typing import TypeVar

from compass.composition import Composition
from compass.errors import DoesNotFitNow, InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.events import Decision, Move, Placement, Step, instance_name, without
from compass.geometry import Geometry
from compass.printed_state import IndexSet, LiveInstance, LiveNode, LiveSlot, LiveState
from compass.readings import Readings
from compass.scheduler import check_arrival, check_departure, check_nodes
from compass.snapshot import Snapshot
from compass.space import AbsState

DEFAULT_GEOMETRY = Geometry()
"""Eight GPUs, slots of 2, 4 and 8."""
DEFAULT_READINGS = Readings()
"""The readings kindest to the paper."""
Item = TypeVar("Item", LiveInstance, LiveSlot)
T = TypeVar("T")


class Printed:
    """The printed algorithm under one reading, on ``nodes`` nodes (None: as many as it asks for).

    Admission is all-or-nothing: an arrival some instance of which has no destination now is refused. A call that
    raises, and a refused arrival, leave the state exactly as it was. Every step is legal by itself. Deterministic.
    A new scheduler costs O(N), Place O(N/64 + G), Remove O(N/64 + G^2) and Compact O(m log m + m k) with m open nodes
    and k moves, where the paper states O(log N) for Place, O(1) for Remove and O(N) for Compact (prop-2).

    Raises:
        InputError: ``nodes`` is not a positive integer.

    Examples:
        The arrivals that refute theorem-1: three partial nodes, although the demand is 16 = 2 G.

        >>> printed = Printed(3)
        >>> for job, gpus, instances in (("a", 4, 1), ("b", 2, 1), ("c", 4, 1), ("d", 1, 6)):
        ...     _ = printed.arrive(job, gpus, instances)
        >>> [node.load for node in printed.snapshot().nodes], printed.partial_nodes, printed.running.wcc
        ([6, 4, 6], 3, True)
    """

    def __init__(
        self,
        nodes: int | None,
        geometry: Geometry = DEFAULT_GEOMETRY,
        readings: Readings = DEFAULT_READINGS,
    ) -> None:
        self.geometry = geometry
        self.nodes = check_nodes(nodes)
        self.readings = readings
        self.running = Composition(geometry)
        self._state = LiveState(geometry, nodes)
        self._jobs: dict[str, list[LiveInstance]] = {}
        self._steps: list[Step] = []
        self._highest = readings.ties == "highest"

    @classmethod
    def from_state(cls, state: AbsState, readings: Readings = DEFAULT_READINGS) -> Printed:
        """The algorithm started in a given state of Sigma, on as many nodes as the state has.

        Jobs are read off the instance names, ``"x/k"`` belonging to job ``x``; what is first in the state came first.

        Raises:
            InputError: the state has no node, or instances of one job differ in size.
        """
        printed = cls(len(state.nodes), state.geometry, readings)
        for instance in printed._state.load(state):
            mates = printed._jobs.setdefault(instance.job, [])
            if mates and mates[0].gpus != instance.gpus:
                raise InputError(f"job {instance.job!r}: instances of {mates[0].gpus} and of {instance.gpus} GPUs")
            mates.append(instance)
            printed.running.add(instance.gpus)
        for mates in printed._jobs.values():
            mates.sort(key=lambda instance: (len(instance.name), instance.name))  # x/2 before x/10
        return printed

    # -- Algorithm 1 ---------------------------------------------------------------------------------------------

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """Place every instance in turn, then Compact; refuse the job if one of them has no destination now.

        Raises:
            InputError: the demand is malformed or the job is running already.
            NeverFits: ``instances > N floor(G / w*(gpus))``: an empty cluster could not hold the job's slots.
            NoLegalDestination: Compact chose a node that cannot hold what it moves (only with ``room=cap``).
        """
        check_arrival(self.geometry, self._jobs, job, gpus, instances)
        width = self.geometry.slot_width(gpus)
        if self.nodes is not None and instances > self.nodes * (self.geometry.capacity // width):
            raise NeverFits(f"job {job!r}: {instances} slots of width {width} do not fit {self.nodes} empty nodes")
        arriving = [LiveInstance(instance_name(job, k), job, gpus) for k in range(instances)]
        self._steps = []
        try:
            with self._state.undo_on_error():
                for instance in arriving:
                    self._place(instance)
                self._compact()
        except DoesNotFitNow:
            return Decision("arrive", job, admitted=False)
        self._jobs[job] = arriving
        self.running.add(gpus, instances)
        return Decision("arrive", job, admitted=True, steps=tuple(self._steps))

    def depart(self, job: str) -> Decision:
        """Remove every instance of the job in turn, then Compact.

        Raises:
            InputError: the job is not running.
            NoLegalDestination: a filler must be re-homed and no node may take it, or as in ``arrive``.
        """
        check_departure(self._jobs, job)
        leaving = self._jobs[job]
        self._steps = []
        with self._state.undo_on_error():
            for instance in leaving:
                self._remove(instance)
            self._compact()
        del self._jobs[job]
        self.running.add(leaving[0].gpus, -len(leaving))
        return Decision("depart", job, True, without(self._steps, [instance.name for instance in leaving]))

    # -- Place ---------------------------------------------------------------------------------------------------

    def _place(self, instance: LiveInstance) -> None:
        if instance.gpus == 1:
            home = self._home_of_one()
            if home is None:
                raise DoesNotFitNow(f"instance {instance.name}: no slot, pool node or empty node has room")
            self._state.settle(instance, home)
            self._steps.append(Placement(instance.name, home.node.index))
            return
        width = self.geometry.slot_width(instance.gpus)
        node = self._least_unprofiled(width) or self._empty_node()
        if node is None:
            raise DoesNotFitNow(f"instance {instance.name}: no slotted node has D >= {width}, and no node is empty")
        slot = LiveSlot(width, instance)
        self._state.install(slot, node)
        self._steps.append(Placement(instance.name, node.index))
        self._draw(slot, slot.room)

    def _least_unprofiled(self, width: int) -> LiveNode | None:
        """Of the slotted nodes with ``D(n) >= width`` one with the least ``D(n)``."""
        return next((self._pick(nodes) for nodes in self._state.slotted[width:] if nodes), None)

    def _home_of_one(self, excluded: LiveSlot | None = None) -> LiveSlot | LiveNode | None:
        """The 1-GPU rule: an unsaturated slot (not ``excluded``), else a pool node with room, else an empty node."""
        state = self._state
        for vacancy in _in_order(range(1, self.geometry.capacity), self.readings.fill == "loosest"):
            for index in _in_order(state.vacant[vacancy], self._highest):
                for slot in _in_order(state.nodes[index].slots, self._highest):
                    if slot.room == vacancy and slot is not excluded:
                        return slot
        for load in _in_order(range(1, self.geometry.capacity), self.readings.pool == "fullest"):
            if state.pool[load]:
                return self._pick(state.pool[load])
        return self._empty_node()

    def _draw(self, slot: LiveSlot, wanted: int) -> None:
        """Move up to ``wanted`` 1-GPU instances from pool nodes into the slot."""
        if self.readings.migrations == "simultaneous":
            for instance in list(islice(self._pool_instances(), wanted)):
                self._migrate(instance, slot)
            return
        for _ in range(wanted):
            drawn = next(self._pool_instances(), None)
            if drawn is None:
                return
            self._migrate(drawn, slot)

    def _pool_instances(self) -> Iterator[LiveInstance]:
        """All instances on pool nodes in the order in which they are drawn."""
        for load in _in_order(range(1, self.geometry.capacity + 1), self.readings.draw == "fullest"):
            for index in _in_order(self._state.pool[load], self._highest):
                yield from _in_order(self._state.nodes[index].ones, self._highest)

    # -- Remove --------------------------------------------------------------------------------------------------

    def _remove(self, instance: LiveInstance) -> None:
        home = instance.home
        if isinstance(home, LiveSlot) and home.anchor is instance:
            self._remove_anchor(home)
            return
        self._state.detach(instance)
        if isinstance(home, LiveSlot) and self.readings.refill == "text":
            self._draw(home, 1)

    def _remove_anchor(self, slot: LiveSlot) -> None:
        fillers = list(_in_order(slot.ones, self._highest))
        simultaneous = self.readings.migrations == "simultaneous"
        # Against one and the same state, the 1-GPU rule gives one and the same answer for every filler.
        common = self._home_of_one(slot) if simultaneous and fillers else None
        position = slot.node.slots.index(slot)
        if self.readings.rehome == "after":
            self._state.dissolve(slot)
        for filler in fillers:
            home = common if simultaneous else self._home_of_one(slot)
            if home is None or not home.room:
                raise NoLegalDestination(
                    f"node n{slot.node.index}, slot {position} (width {slot.width}, anchor {slot.anchor.name}): "
                    f"filler {filler.name} has no legal destination under {self.readings}"
                )
            self._migrate(filler, home)
        if self.readings.rehome == "before":
            self._state.dissolve(slot)

    # -- Compact -------------------------------------------------------------------------------------------------

    def _compact(self) -> None:
        self._drain_pool()
        for width in self.geometry.widths[-2::-1]:
            self._drain_slots(width)

    def _drain_pool(self) -> None:
        nodes = [node for load in range(1, self.geometry.capacity) for node in self._nodes(self._state.pool[load])]
        self._best_fit_drain(nodes, lambda node: node.ones, lambda node: node.room, self._migrate)

    def _drain_slots(self, width: int) -> None:
        most = self.geometry.capacity // width
        if self.readings.cap == "fits":
            nodes = [node for node in self._nodes(self._state.slotted_from(width)) if node.count(width)]
        else:
            nodes = [node for node in self._nodes(self._state.slotted_from(0)) if 0 < node.count(width) < most]

        def items(node: LiveNode) -> list[LiveSlot]:
            return [slot for slot in node.slots if slot.width == width]

        def room(node: LiveNode) -> int:
            return node.unprofiled // width if self.readings.room == "floor" else most - node.count(width)

        self._best_fit_drain(nodes, items, room, self._move_slot)

    def _best_fit_drain(
        self,
        nodes: list[LiveNode],
        items: Callable[[LiveNode], list[Item]],
        room: Callable[[LiveNode], int],
        move: Callable[[Item, LiveNode], None],
    ) -> None:
        """Empty the roomiest node of ``N`` into the least roomy ones, again and again."""
        sign = -1 if self._highest else 1
        nodes.sort(key=lambda node: (-room(node), sign * node.index))
        while len(nodes) >= 2:
            source = nodes[0]
            moved = False
            for item in list(_in_order(items(source), self._highest)):
                hosts = [node for node in _in_order(nodes[1:], self.readings.hosts == "last") if room(node) >= 1]
                if not hosts:
                    break
                move(item, min(hosts, key=room))  # the first of equals
                moved = True
            if not items(source):
                del nodes[0]
            if not moved:
                break

    def _move_slot(self, slot: LiveSlot, target: LiveNode) -> None:
        source = slot.node
        if slot.width > target.unprofiled:
            raise NoLegalDestination(
                f"node n{target.index}: Compact moves a slot of width {slot.width} (anchor {slot.anchor.name}) from "
                f"n{source.index} to it, but its D is {target.unprofiled}: the room of this reading exceeds the node "
                f"({self.readings})"
            )
        self._state.dissolve(slot)
        self._state.install(slot, target)
        self._steps += [Move(instance.name, source.index, target.index) for instance in (slot.anchor, *slot.ones)]

    # -- shared by the operators ---------------------------------------------------------------------------------

    def _migrate(self, instance: LiveInstance, home: LiveSlot | LiveNode) -> None:
        """Move a 1-GPU instance; from slot to slot of one node nothing moves in the cluster."""
        source = instance.home.node
        self._state.detach(instance)
        self._state.settle(instance, home)
        if home.node is not source:
            self._steps.append(Move(instance.name, source.index, home.node.index))

    def _empty_node(self) -> LiveNode | None:
        state = self._state
        if self.nodes is None:
            return state.nodes[state.empty.first] if state.empty else state.grow()
        return self._pick(state.empty) if state.empty else None

    def _pick(self, nodes: IndexSet) -> LiveNode:
        return self._state.nodes[nodes.last if self._highest else nodes.first]

    def _nodes(self, indices: IndexSet) -> list[LiveNode]:
        return [self._state.nodes[index] for index in indices]

    # -- what can be read ----------------------------------------------------------------------------------------

    @property
    def partial_nodes(self) -> int:
        """``nu``: nodes with at least one and fewer than ``G`` busy GPUs."""
        return self._state.partial_nodes

    def state(self) -> AbsState:
        """The current state as a value of Sigma; costs O(N).

        Raises:
            InvariantViolated: it is not in Sigma.
        """
        return self._state.to_abs()

    def snapshot(self) -> Snapshot:
        """The current placement; node ``k`` is named ``nk``. An unbounded cluster has the nodes used so far."""
        return self.state().to_snapshot()

    def check_changes(self) -> None:
        """Check membership in Sigma and the indexes for the nodes that the last event changed.

        Raises:
            InvariantViolated: one does not hold; the message names the node, the slot and the condition.
        """
        self._state.check_changes()

    def check(self) -> None:
        """Check membership in Sigma (prop-1), the indexes and the running composition; costs O(N).

        Raises:
            InvariantViolated: one does not hold; the message names the node, the slot and the condition.
        """
        found = self._state.check().composition().counts
        if found != self.running.counts:
            raise InvariantViolated(f"instances by size: {self.running.counts} counted, {found} found")


def _in_order(values: Reversible[T], backwards: bool) -> Iterator[T]:
    return reversed(values) if backwards else iter(values)
