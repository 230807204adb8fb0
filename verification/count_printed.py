"""Count-level model of the printed algorithm under any reading: a cluster as the multiset of its nodes' types.

Written from section 4.3 and the readings, not from :mod:`compass.printed`; :mod:`verification.agree` compares the two.
Which of several equal nodes, slots or instances is taken depends on what this level forgets, so an operator has a *set*
of outcomes: all those that some order of the nodes and some history allow. That covers both readings of ``ties``.

A job arrives or leaves instance by instance, and Compact follows when it is complete. So a state has a phase: 0 when
nothing is under way, ``+g`` after one or more Places and ``-g`` after one or more Removes of instances of g GPUs. Any
instances of one size may leave together, which is more than jobs allow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from compass.composition import Composition
from compass.geometry import Geometry, geometry_of
from compass.printed import Printed
from compass.readings import Readings
from compass.space import SlotType, pool_types, slotted_types
from verification.count_drain import Drain
from verification.count_model import CountEvent, CountState, Nodes, Outcome, Successor


class NodeType(NamedTuple):
    """A node of Sigma up to names: its slots, sorted, and its pool instances (one of the two is empty)."""

    slots: tuple[SlotType, ...] = ()
    ones: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """Instance sizes, descending."""
        anchors = [slot.anchor for slot in self.slots]
        fillers = sum(slot.fillers for slot in self.slots) + self.ones
        return (*sorted(anchors, reverse=True), *(1,) * fillers)


class Leaving(NamedTuple):
    """What leaves a node: the anchor or a filler of ``slot``, or an instance of a pool node (None)."""

    gpus: int
    slot: SlotType | None
    anchor: bool


class _Held(NamedTuple):
    """Where the anchor that leaves has been: its node by position, and whether the node still counts as taken."""

    position: int
    taken: bool


class _Rehoming(NamedTuple):
    """Fillers on their way: the board, the moves so far, and the last home: its node and the room it had."""

    board: tuple[NodeType, ...]
    moves: int
    last: tuple[int, int] | None


class PrintedModel:
    """The printed algorithm on N nodes with jobs and names forgotten.

    Args:
        nodes: N.
        readings: the choices at the open points; ``ties`` has no effect.
        geometry: the node geometry.
        sizes: demands that may arrive (default: all).
        single: every job has one instance, so that Compact follows each Place and each Remove.

    Examples:
        >>> model = PrintedModel(2)
        >>> state = CountState(model.of([[3], [1, 1]]))
        >>> [model.describe(s.state.nodes) for s in model.successors(state) if s.event.gpus == 2]
        ['{1,1} {2,3+0}']
        >>> [model.describe(s.state.nodes) for s in model.successors(state) if s.event == CountEvent("place", 1)]
        ['{1,1} {3+1}']
    """

    variant = "printed"
    open_nodes = 0

    def __init__(
        self,
        nodes: int,
        readings: Readings | None = None,
        geometry: Geometry | None = None,
        sizes: Collection[int] | None = None,
        single: bool = False,
    ) -> None:
        self.nodes = nodes
        self.single = single
        self.readings = readings or Readings()
        self.geometry = geometry or geometry_of(8)
        self.sizes = tuple(sorted(sizes or self.geometry.sizes))
        self.types = _types(self.geometry, self.sizes)
        self.index = {node: index for index, node in enumerate(self.types)}
        self.phases = (0, *self.sizes, *(-g for g in self.sizes))
        self.readings_text = str(self.readings.canonical())
        self.type_sizes = [node.sizes for node in self.types]
        self.unprofiled = [self.geometry.capacity - sum(map(self._width, node.slots)) for node in self.types]
        self.vacancies = [sorted({v for v in map(self.vacancy, node.slots) if v}) for node in self.types]
        self.type_vacancy = [sum(map(self.vacancy, node.slots)) for node in self.types]
        self._drains = {width: Drain(self.geometry, self.readings, width) for width in self.passes}
        self._members = {width: drain.members(self.types) for width, drain in self._drains.items()}
        self.compact_pass = lru_cache(maxsize=None)(self._compact_pass)

    # -- states -----------------------------------------------------------------------------------------------------

    @property
    def start(self) -> CountState:
        """Every node empty."""
        return CountState((0,) * self.nodes)

    def of(self, contents: Sequence[Sequence[int]]) -> Nodes:
        """The nodes with these instance sizes, fillers given to slots in order; missing nodes are empty."""
        return tuple(sorted([self._type_of(sizes) for sizes in contents] + [0] * (self.nodes - len(contents))))

    def describe(self, nodes: Nodes | None) -> str:
        """Node contents as text (``3+1``: an anchor of 3 with a filler), idle nodes left out."""
        return " ".join(f"{{{self._text(self.types[node])}}}" for node in nodes or () if node)

    def composition(self, nodes: Nodes) -> Composition:
        """The instances counted by size."""
        running = Composition(self.geometry)
        for node in nodes:
            for gpus in self.types[node].sizes:
                running.add(gpus)
        return running

    def vacancy(self, slot: SlotType) -> int:
        """What fillers may still take in a slot."""
        return self._width(slot) - slot.anchor - slot.fillers

    def _width(self, slot: SlotType) -> int:
        return self.geometry.slot_width(slot.anchor)

    def _type_of(self, sizes: Sequence[int]) -> int:
        slots: list[SlotType] = []
        ones = list(sizes).count(1)
        for anchor in [g for g in sizes if g > 1]:
            fillers = min(ones, self.geometry.vacancy(anchor))
            ones -= fillers
            slots.append(SlotType(anchor, fillers))
        return self.index[NodeType(tuple(sorted(slots)), ones)]

    def _text(self, node: NodeType) -> str:
        plain = [f"{s.anchor}+{s.fillers}" if self.geometry.vacancy(s.anchor) else str(s.anchor) for s in node.slots]
        return ",".join(plain or ["1"] * node.ones)

    # -- Place --------------------------------------------------------------------------------------------------------

    def place(self, nodes: Nodes, gpus: int) -> list[Outcome]:
        """Place one instance; [] where it has no destination, so the job is refused."""
        if gpus == 1:
            board = [self.types[n] for n in nodes]
            homes = self._homes_of_one(board, None)
            return self._distinct((self._settle(board, home), 0) for home in homes)
        width = self.geometry.slot_width(gpus)
        rooms = [self.unprofiled[n] for n in nodes if self.types[n].slots and self.unprofiled[n] >= width]
        if rooms:
            hosts = {n for n in nodes if self.types[n].slots and self.unprofiled[n] == min(rooms)}
        else:
            hosts = {0} & set(nodes)
        return self._distinct(self._place_on(nodes, host, gpus) for host in sorted(hosts))

    def _place_on(self, nodes: Nodes, host: int, gpus: int) -> tuple[list[NodeType], int]:
        board = [self.types[n] for n in nodes]
        position = nodes.index(host)
        node = board[position]
        del board[position]
        drawn = self._draw(board, self.geometry.vacancy(gpus))
        return [*board, NodeType(tuple(sorted([*node.slots, SlotType(gpus, drawn)])))], drawn

    def _draw(self, board: list[NodeType], wanted: int) -> int:
        """Take up to ``wanted`` instances off the pool nodes of the board; how many there were."""
        fullest = self.readings.draw == "fullest"
        drawn = 0
        while drawn < wanted:
            pools = [(node.ones, k) for k, node in enumerate(board) if node.ones]
            if not pools:
                break
            ones, k = max(pools) if fullest else min(pools)
            # Against the state before the call, one node gives all it has before the next is asked.
            given = min(ones, wanted - drawn) if self.readings.migrations == "simultaneous" else 1
            board[k] = NodeType((), ones - given)
            drawn += given
        return drawn

    # -- the 1-GPU rule -----------------------------------------------------------------------------------------------

    def _homes_of_one(self, board: Sequence[NodeType], held: _Held | None) -> list[tuple[int, int]]:
        """All (position, slot) that the 1-GPU rule may choose, slot -1 for a pool or empty node; one of equal ones."""
        vacant = [
            (self.vacancy(slot), p, s)
            for p, node in enumerate(board)
            for s, slot in enumerate(node.slots)
            if self.vacancy(slot)
        ]
        if vacant:
            wanted = (max if self.readings.fill == "loosest" else min)(v for v, _, _ in vacant)
            return self._one_of_equals(board, [(p, s) for v, p, s in vacant if v == wanted], held)
        pools = [node.ones for node in board if 0 < node.ones < self.geometry.capacity]
        wanted = (max if self.readings.pool == "fullest" else min)(pools, default=0)
        homes = [(p, -1) for p, node in enumerate(board) if not node.slots and node.ones == wanted]
        if held and held.taken:
            homes = [home for home in homes if home[0] != held.position]
        return self._one_of_equals(board, homes, held)

    @staticmethod
    def _one_of_equals(
        board: Sequence[NodeType], homes: list[tuple[int, int]], held: _Held | None
    ) -> list[tuple[int, int]]:
        mine = held.position if held else -1
        kept = {(board[p], board[p].slots[s] if s >= 0 else s, p == mine): (p, s) for p, s in reversed(homes)}
        return sorted(kept.values())

    @staticmethod
    def _settle(board: Sequence[NodeType], home: tuple[int, int], number: int = 1) -> list[NodeType]:
        """The board with 1-GPU instances added to a home."""
        position, slot = home
        node = board[position]
        if slot < 0:
            changed = NodeType((), node.ones + number)
        else:
            filled = SlotType(node.slots[slot].anchor, node.slots[slot].fillers + number)
            changed = NodeType((*node.slots[:slot], filled, *node.slots[slot + 1 :]))
        return [*board[:position], changed, *board[position + 1 :]]

    # -- Remove -------------------------------------------------------------------------------------------------------

    def removals(self, node: int) -> Iterator[Leaving]:
        """What can leave a node of a type."""
        if self.types[node].ones:
            yield Leaving(1, None, False)
        for slot in sorted(set(self.types[node].slots)):
            yield Leaving(slot.anchor, slot, True)
            if slot.fillers:
                yield Leaving(1, slot, False)

    def remove(self, nodes: Nodes, node: int, leaving: Leaving) -> list[Outcome]:
        """Remove an instance from a node of type ``node``."""
        _, slot, anchor = leaving
        board = [self.types[n] for n in nodes]
        position = nodes.index(node)
        leaves = board[position]
        if slot is None:
            board[position] = NodeType((), leaves.ones - 1)
            return self._distinct([(board, 0)])
        rest = list(leaves.slots)
        rest.remove(slot)
        if anchor:
            board[position] = NodeType(tuple(rest))
            return self._rehome(board, position, slot.fillers)
        drawn = self._draw(board, 1) if self.readings.refill == "text" else 0
        board[position] = NodeType(tuple(sorted([*rest, SlotType(slot.anchor, slot.fillers - 1 + drawn)])))
        return self._distinct([(board, drawn)])

    def _rehome(self, board: list[NodeType], position: int, fillers: int) -> list[Outcome]:
        """The slot is off the board; find a home for its fillers. Its node counts as taken until it is dissolved."""
        if self.readings.migrations == "simultaneous":
            return self._rehome_together(board, position, fillers)
        held = _Held(position, taken=self.readings.rehome == "before")
        reached: set[_Rehoming] = {_Rehoming(tuple(board), 0, None)}
        stuck = False
        for _ in range(fillers):
            following = set()
            for before in reached:
                homes = self._next_homes(before, held)
                stuck |= not homes
                for home in homes:
                    after = tuple(self._settle(before.board, home))
                    moves = before.moves + (home[0] != position)
                    following.add(_Rehoming(after, moves, (home[0], self._room(before.board, home))))
            reached = following
        return [*self._distinct((one.board, one.moves) for one in reached), *([Outcome(None, 0)] if stuck else [])]

    def _next_homes(self, before: _Rehoming, held: _Held) -> list[tuple[int, int]]:
        """Where the next filler may go. A node that won a tie wins it again, while it has a home as good as then."""
        board, _, last = before
        homes = self._homes_of_one(board, held)
        if last is None or not homes or self._room(board, homes[0]) != last[1]:
            return homes
        same = (_normal(board[last[0]]), last[0] == held.position)
        return [home for home in homes if (_normal(board[home[0]]), home[0] == held.position) == same] or homes

    def _rehome_together(self, board: list[NodeType], position: int, fillers: int) -> list[Outcome]:
        """All decided against the state before the call: one home for all, if it has room for all."""
        if not fillers:
            return self._distinct([(board, 0)])
        homes = self._homes_of_one(board, _Held(position, taken=True))
        good = [home for home in homes if self._room(board, home) >= fillers]
        outcomes = self._distinct(
            (self._settle(board, home, fillers), fillers if home[0] != position else 0) for home in good
        )
        return outcomes if homes and len(good) == len(homes) else [*outcomes, Outcome(None, 0)]

    def _room(self, board: Sequence[NodeType], home: tuple[int, int]) -> int:
        position, slot = home
        node = board[position]
        return self.geometry.capacity - node.ones if slot < 0 else self.vacancy(node.slots[slot])

    # -- Compact and steps --------------------------------------------------------------------------------------------

    @property
    def passes(self) -> tuple[int, ...]:
        """Compact's passes by width, 1 for the pool pass."""
        return (1, *self.geometry.widths[-2::-1])

    def members(self, width: int) -> list[bool]:
        """Which node types are in ``N`` of a pass."""
        return self._members[width]

    def _compact_pass(self, nodes: Nodes, width: int) -> tuple[Outcome, ...]:
        """One BestFitDrain pass over every order of equal nodes and items."""
        drain, inside = self._drains[width], self._members[width]
        rest = [self.types[n] for n in nodes if not inside[n]]
        results = drain.run([self.types[n] for n in nodes if inside[n]])
        good = ((rest + list(board), moves) for board, moves in results if board is not None)
        stuck = any(board is None for board, _ in results)
        return (*self._distinct(good), *((Outcome(None, 0),) if stuck else ()))

    def compact(self, nodes: Nodes) -> list[Outcome]:
        """All passes."""
        reached = {nodes: 0}
        stuck = False
        for width in self.passes:
            following: dict[Nodes, int] = {}
            for before, moves in reached.items():
                for after, more in self.compact_pass(before, width):
                    if after is None:
                        stuck = True
                    else:
                        following[after] = max(following.get(after, 0), moves + more)
            reached = following
        return [Outcome(n, moves) for n, moves in sorted(reached.items())] + ([Outcome(None, 0)] if stuck else [])

    def successors(self, state: CountState) -> Iterator[Successor]:
        """Every step: Places and Removes of the size under way, or of any if there is none, then Compact."""
        nodes, phase = state
        for gpus in self.sizes:
            if self.may_follow(phase, gpus):
                yield from self._steps(CountEvent("place", gpus), self.place(nodes, gpus), gpus)
        for node in sorted(set(nodes)):
            for leaving in self.removals(node):
                if self.may_follow(phase, -leaving.gpus):
                    event = CountEvent("remove", leaving.gpus, self.describe((node,)))
                    yield from self._steps(event, self.remove(nodes, node, leaving), -leaving.gpus)
        if phase:
            yield from self._steps(CountEvent("compact"), self.compact(nodes), 0)

    def may_follow(self, phase: int, wanted: int) -> bool:
        """Whether an instance of the phase ``wanted`` may come or leave in a phase."""
        return phase == 0 or (phase == wanted and not self.single)

    @staticmethod
    def _steps(event: CountEvent, outcomes: Iterable[Outcome], phase: int) -> Iterator[Successor]:
        for nodes, moves in outcomes:
            yield Successor(event, None if nodes is None else CountState(nodes, phase), moves)

    def _distinct(self, boards: Iterable[tuple[Sequence[NodeType], int]]) -> list[Outcome]:
        """Outcomes by node types, with the most moves that lead to each."""
        found: dict[Nodes, int] = {}
        for board, moves in boards:
            nodes = tuple(sorted(self.index[_normal(node)] for node in board))
            found[nodes] = max(found.get(nodes, 0), moves)
        return [Outcome(nodes, moves) for nodes, moves in sorted(found.items())]


def abstract_printed(printed: Printed, model: PrintedModel) -> CountState:
    """The abstraction function: the node types of a scheduler's state."""
    nodes = []
    for node in printed.state().nodes:
        slots = getattr(node, "slots", ())
        made = tuple(sorted(SlotType(slot.anchor.gpus, len(slot.fillers)) for slot in slots))
        nodes.append(model.index[NodeType(made, 0 if made else len(node.names))])
    return CountState(tuple(sorted(nodes)))


def _normal(node: NodeType) -> NodeType:
    return NodeType(tuple(sorted(node.slots)), node.ones)


def _types(geometry: Geometry, sizes: tuple[int, ...]) -> list[NodeType]:
    """Empty first, then pool nodes, then slotted nodes, made of these sizes only."""
    pools = [NodeType((), ones) for ones in pool_types(geometry)]
    slotted = [NodeType(tuple(sorted(slots))) for slots in slotted_types(geometry)]
    allowed = set(sizes)
    return [NodeType()] + [node for node in pools + slotted if allowed.issuperset(node.sizes)]
