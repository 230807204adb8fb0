"""Seeded faults in the printed algorithm: its operators, its readings and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from compass.events import Move
from compass.geometry import Geometry
from compass.printed import DEFAULT_GEOMETRY, DEFAULT_READINGS, Printed
from compass.printed_state import IndexSet, LiveInstance, LiveNode, LiveSlot, LiveState
from compass.readings import VALUES, Readings
from verification.fault_kinds import Change, Fault, around, instead


def _printed(name: str, caught_by: str, what: str, change: Change) -> Fault:
    return Fault(name, "operator", what, "printed", caught_by, (change,))


class _Told(Readings):
    """Readings that are followed, under the name of those that were told."""

    told: Readings

    def __str__(self) -> str:
        return str(self.told)


def _swapped(name: str) -> Change:
    """The code follows the other value of a reading than it is told; messages name what it was told."""

    def faulty(
        original: Callable[..., None],
        self: Printed,
        nodes: int | None,
        geometry: Geometry = DEFAULT_GEOMETRY,
        readings: Readings = DEFAULT_READINGS,
    ) -> None:
        values = {field: getattr(readings, field) for field in VALUES}
        followed = _Told(**values | {name: next(value for value in VALUES[name] if value != values[name])})
        object.__setattr__(followed, "told", readings)
        original(self, nodes, geometry, followed)

    return Change(Printed, "__init__", around(faulty))


def _reading(name: str, caught_by: str = "agree printed") -> Fault:
    return _printed(
        f"reading {name} swapped", caught_by, f"The code takes the other reading of `{name}`.", _swapped(name)
    )


def _uncompacted(method: str) -> Change:
    def faulty(original: Callable[..., object], self: Any, *arguments: object) -> object:  # noqa: ANN401
        self._compact = lambda: None
        try:
            return original(self, *arguments)
        finally:
            del self._compact

    return Change(Printed, method, around(faulty))


def _drain(
    *,
    roomiest_first: bool = True,
    best: Callable[..., LiveNode] = min,
    least: int = 1,
    goes_on: bool = True,
    longest: int = 1000,
    seen: int = 1000,
) -> Change:
    """``BestFitDrain`` of the default readings, with one thing changed."""

    def faulty(
        self: Printed,
        nodes: list[LiveNode],
        items: Callable[[LiveNode], list[Any]],
        room: Callable[[LiveNode], int],
        move: Callable[[Any, LiveNode], None],
    ) -> None:
        nodes.sort(key=lambda node: (-room(node) if roomiest_first else room(node), node.index))
        while len(nodes) >= 2:
            source = nodes[0]
            moved = False
            for item in list(items(source)):
                hosts = [node for node in reversed(nodes[1 : seen + 1]) if room(node) >= least]
                if not hosts:
                    break
                move(item, best(hosts, key=room))
                moved = True
            if not items(source):
                del nodes[0]
            if not moved or not goes_on or len(nodes) > longest:
                break

    return Change(Printed, "_best_fit_drain", instead(faulty))


def _worst_fit(self: Printed, width: int) -> LiveNode | None:
    return next((self._pick(nodes) for nodes in reversed(self._state.slotted[width:]) if nodes), None)


def _narrow_slot(original: Callable[..., None], self: LiveSlot, width: int, anchor: LiveInstance) -> None:
    original(self, anchor.gpus, anchor)


def _strands(self: Printed, slot: LiveSlot) -> None:
    for filler in list(slot.ones):
        self._state.detach(filler)
    self._state.dissolve(slot)


def _hides_fillers(original: Callable[..., None], self: Printed, slot: LiveSlot, target: LiveNode) -> None:
    before = list(self._steps)
    original(self, slot, target)
    moved = self._steps[len(before) :]
    self._steps = before + [step for step in moved if isinstance(step, Move) and step.instance == slot.anchor.name]


@contextmanager
def _no_undo(self: LiveState) -> Iterator[None]:
    self._journal.clear()
    self.changed.clear()
    yield


def _full_counts(original: Callable[..., None], self: LiveState, node: LiveNode) -> None:
    before = node.load
    original(self, node)
    self.partial_nodes += (node.load == node.capacity) - (before == node.capacity)


PRINTED_FAULTS = (
    *(_reading(name) for name in ("refill", "rehome", "migrations")),
    _reading("fill", "operators printed G=8"),
    _reading("pool", "operators printed"),
    _reading("draw", "operators printed"),
    _reading("hosts", "operators printed"),
    _reading("room", "agree printed {2,4}"),
    _reading("cap", "trace printed-slotted-pass-all"),
    _reading("ties", "trace printed-saturation-no-refill"),
    _printed(
        "no draw",
        "agree printed",
        "Place draws no fillers from the pool.",
        Change(Printed, "_draw", instead(lambda self, slot, wanted: None)),
    ),
    _printed(
        "one filler too few",
        "agree printed",
        "Place draws one filler fewer than the vacancy.",
        Change(Printed, "_draw", around(lambda f, self, slot, wanted: f(self, slot, wanted - 1))),
    ),
    _printed(
        "worst fit",
        "agree printed {2,4}",
        "Place takes the slotted node with the most unprofiled GPUs.",
        Change(Printed, "_least_unprofiled", instead(_worst_fit)),
    ),
    _printed(
        "slots as wide as the demand",
        "agree printed",
        "A slot is as wide as its anchor, whatever w* says.",
        Change(LiveSlot, "__init__", around(_narrow_slot)),
    ),
    _printed(
        "empty nodes first",
        "agree printed",
        "A 1-GPU instance goes to an empty node where there is one.",
        Change(Printed, "_home_of_one", around(lambda f, self, excluded=None: self._empty_node() or f(self, excluded))),
    ),
    _printed(
        "into the dissolved slot",
        "operators printed rehome=before",
        "A filler may be re-homed into the slot that is dissolved.",
        Change(Printed, "_home_of_one", around(lambda f, self, excluded=None: f(self))),
    ),
    _printed(
        "fillers vanish",
        "run printed",
        "The fillers of a dissolved slot are dropped.",
        Change(Printed, "_remove_anchor", instead(_strands)),
    ),
    _printed(
        "no Compact on arrivals",
        "agree printed {2,4}",
        "Compact does not run after an arrival.",
        _uncompacted("arrive"),
    ),
    _printed(
        "no Compact on departures", "agree printed", "Compact does not run after a departure.", _uncompacted("depart")
    ),
    _printed(
        "no pool pass",
        "agree printed",
        "Compact drains no pool nodes.",
        Change(Printed, "_drain_pool", instead(lambda self: None)),
    ),
    _printed(
        "no width passes",
        "agree printed",
        "Compact drains no slots.",
        Change(Printed, "_drain_slots", instead(lambda self, width: None)),
    ),
    _printed(
        "narrow slots first",
        "agree printed {2,4}",
        "Compact drains slots of width 2 before those of width 4.",
        Change(
            Printed,
            "_compact",
            instead(lambda self: [self._drain_pool(), *map(self._drain_slots, self.geometry.widths[:-1])]),
        ),
    ),
    _printed(
        "fullest drained",
        "operators printed",
        "Compact drains the node with the least room.",
        _drain(roomiest_first=False),
    ),
    _printed("roomiest host", "operators printed", "Compact fills the node with the most room.", _drain(best=max)),
    _printed("hosts without room", "agree printed", "Compact moves onto nodes without room.", _drain(least=0)),
    _printed(
        "Compact stops early", "operators printed", "Compact stops once a node has been drained.", _drain(goes_on=False)
    ),
    _printed(
        "Compact stops in long lists",
        "passes printed",
        "Compact stops after a node of a list of more than three.",
        _drain(longest=3),
    ),
    _printed(
        "far hosts unseen",
        "passes printed",
        "Compact looks for hosts among the next 24 nodes of its list.",
        _drain(seen=24),
    ),
    Fault(
        "indexes of one word",
        "operator",
        "Nodes from the 65th on stay in an index once they are in it.",
        "",  # the other queries have few nodes; they would only take longer
        "passes printed",
        (Change(IndexSet, "discard", around(lambda f, self, index: f(self, index) if index < 64 else None)),),
    ),
    _printed(
        "moved fillers not listed",
        "run printed G=8",
        "When a slot moves, the moves of its fillers are not listed.",
        Change(Printed, "_move_slot", around(_hides_fillers)),
    ),
    _printed(
        "refused arrivals stay",
        "run printed",
        "What a refused arrival has placed stays there.",
        Change(LiveState, "undo_on_error", instead(_no_undo)),
    ),
    _printed(
        "nu counts full nodes",
        "run printed",
        "Full nodes count as partial.",
        Change(LiveState, "_refresh", around(_full_counts)),
    ),
    _printed(
        "no index of vacancy",
        "agree printed",
        "Slots with vacancy are not found.",
        Change(
            LiveState,
            "_members",
            around(lambda f, self, node: f(self, node)[:1]),
        ),
    ),
)
