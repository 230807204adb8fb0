"""Seeded faults in what the settled schedulers allow: admission, limits, hosts, merges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from compass.board import Board
from compass.choice import Choice, Chooser
from compass.composition import Composition
from compass.discipline import SETTLED, Discipline, repaired_discipline, unified_discipline
from compass.geometry import Geometry
from compass.repaired import Repaired
from compass.settled import SettledScheduler
from compass.shapes import Shape
from compass.unified import Unified
from verification.fault_kinds import Change, Everywhere, Fault, around, instead


def _guard(name: str, caught_by: str, what: str, *changes: Change | Everywhere) -> Fault:
    return Fault(name, "guard", what, "settled", caught_by, changes)


def _limits(discipline: Callable[..., Discipline], *more: int) -> Everywhere:
    """Limits of the kinds from 1 on, larger by so much."""

    def faulty(original: Callable[..., Discipline], *arguments: Geometry | int | None) -> Discipline:
        found = original(*arguments)
        limits = zip(found.limits, (0, *more), strict=True)
        return replace(found, limits=tuple(None if limit is None else limit + k for limit, k in limits))

    return Everywhere(discipline, around(faulty))


def _admits(scheduler: type[SettledScheduler], faulty: Callable[[SettledScheduler, Composition, int], bool]) -> Change:
    """Another admission condition, from the running instances and the GPUs of the cluster."""

    def admits(self: SettledScheduler, running: Composition) -> bool:
        return self.nodes is None or faulty(self, running, self.geometry.capacity * self.nodes)

    return Change(scheduler, "admits", instead(admits))


def _sigma_now(self: SettledScheduler, running: Composition, room: int) -> bool:
    """A place in Sigma for what runs, whatever departures leave of it."""
    capacity = self.geometry.capacity
    pool = max(0, running.slack)
    return (-(-running.anchor_width // capacity) - (-pool // capacity)) * capacity <= room


def _filler_host(accepts: Callable[[Chooser, Shape, Shape], bool], vacancy: bool = True) -> Change:
    """The host of a 1-GPU instance, of those open nodes that are accepted, by the room as it should be."""

    def faulty(self: Chooser) -> Shape:
        board = self._board
        if board.vacancy and vacancy:
            return self.least_vacant()
        hosts = [s for s in board.active if s.plus[1] is not None and accepts(self, s, s.plus[1])]
        return min(hosts, key=lambda s: (s.room, s.index), default=board.empty)

    return Change(Chooser, "filler_host", instead(faulty))


def _same_kind(self: Chooser, host: Shape, larger: Shape) -> bool:
    return self._kinds[larger.index] in (SETTLED, self._kinds[host.index])


def _merges(keep: Callable[[list[int], list[int]], bool]) -> Change:
    """Merges allowed by the kinds before and after."""

    def faulty(self: Chooser) -> Iterator[Choice]:
        for pair in self._pairs():
            plan = self._plans.plan(*pair)
            if plan is not None:
                before, after = (sorted((self._kinds[s.index] for s in t), reverse=True) for t in (pair, plan.result))
                if keep(after, before):
                    yield Choice(plan.moves, pair, plan)

    return Change(Chooser, "_merges", instead(faulty))


GUARD_FAULTS = (
    _guard(
        "one GPU too many",
        "counts unified: progress",
        "`unified` admits when one GPU is missing.",
        _admits(Unified, lambda self, running, room: running.width <= room + 1),
    ),
    _guard(
        "one GPU too few",
        "counts unified: no-waiting",
        "`unified` refuses what fills the last GPU.",
        _admits(Unified, lambda self, running, room: running.width < room),
    ),
    _guard(
        "free GPUs only",
        "counts unified: progress",
        "`unified` admits whenever enough GPUs are free, slots or not.",
        _admits(Unified, lambda self, running, room: running.total <= room),
    ),
    _guard(
        "slots only",
        "counts unified: progress",
        "`unified` admits whenever the slots fit, free 1-GPU instances or not.",
        _admits(Unified, lambda self, running, room: running.anchor_width <= room),
    ),
    _guard(
        "no departures foreseen",
        "counts repaired G=8: admission",
        "`repaired` admits what has a place now, without looking at departures.",
        _admits(Repaired, _sigma_now),
    ),
    _guard(
        "pool forgotten",
        "counts repaired: admission",
        "`repaired` admits by slots and GPUs, without nodes for the pool.",
        _admits(Repaired, lambda self, running, room: running.width <= room),
    ),
    _guard(
        "spare one too strict",
        "counts repaired: admission",
        "`repaired` wants one GPU more to spare than the room beside the slots.",
        Change(
            Repaired,
            "_overflows",
            around(lambda f, self, running, least, spare, *rest: f(self, running, least, spare - 1, *rest)),
        ),
    ),
    _guard(
        "departures of 3 not foreseen",
        "counts repaired G=8: admission",
        "`repaired` foresees no departures of anchors of less than 4 GPUs.",
        Change(
            Repaired,
            "_overflows",
            around(lambda f, self, running, least, *rest: f(self, running, max(4, least), *rest)),
        ),
    ),
    _guard(
        "one open node more",
        "counts unified: open-nodes",
        "`unified` allows m + 1 open nodes.",
        _limits(unified_discipline, 1),
    ),
    _guard(
        "two open slotted nodes",
        "counts repaired: open-nodes",
        "`repaired` allows two open slotted nodes.",
        _limits(repaired_discipline, 1, 0, 0),
    ),
    _guard(
        "two open pool nodes",
        "counts repaired: open-nodes",
        "`repaired` allows two open pool nodes.",
        _limits(repaired_discipline, 0, 1, 0),
    ),
    _guard(
        "a stray node allowed",
        "counts repaired: space",
        "`repaired` allows one stray node.",
        _limits(repaired_discipline, 0, 0, 1),
    ),
    _guard(
        "limits of arrivals ignored",
        "encoding unified",
        "An arrival may go where it takes a kind over its limit.",
        Change(Chooser, "_within_limits", instead(lambda self, choices: choices)),
    ),
    _guard(
        "limits of three and more ignored",
        "walk unified",
        "Where three open nodes or more are allowed, an arrival may go where there is one too many then.",
        Change(
            Chooser,
            "_within_limits",
            around(lambda f, self, choices: f(self, choices) if all(k < 3 for _, k in self._limited) else choices),
        ),
    ),
    _guard(
        "one node in twenty kept back",
        "walk unified",
        "`unified` leaves a twentieth of its nodes out of account.",
        _admits(Unified, lambda self, running, room: running.width <= room - room // 20),
    ),
    _guard(
        "fillers beside anchors",
        "counts repaired: space",
        "A 1-GPU instance may go onto an open node that it makes stray.",
        _filler_host(lambda self, host, larger: True),
    ),
    _guard(
        "fillers want a node of their own",
        "counts unified: open-nodes",
        "A 1-GPU instance without vacancy goes to an empty node.",
        _filler_host(lambda self, host, larger: False),
    ),
    _guard(
        "fillers shun vacancy",
        "encoding unified",
        "A 1-GPU instance does not look for vacancy.",
        _filler_host(_same_kind, vacancy=False),
    ),
    _guard(
        "merges without progress",
        "counts unified",
        "A merge may leave as many open nodes as before.",
        _merges(lambda after, before: after <= before),
    ),
    _guard(
        "merges of strays only",
        "agree unified",
        "A merge has to lower the highest kind.",
        _merges(lambda after, before: after[0] < before[0]),
    ),
    _guard(
        "empty nodes without end",
        "load repaired",
        "The board always knows one more empty node.",
        Change(Board, "has_empty", instead(property(lambda self: True))),
    ),
    _guard(
        "no fresh nodes",
        "agree unified",
        "The board knows only empty nodes that have been used before.",
        Change(Board, "has_empty", instead(property(lambda self: self.live[self.empty.index] > 0))),
    ),
)
