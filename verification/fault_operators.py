"""Seeded faults in what the settled schedulers do, and in the board they work on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain

from compass import events
from compass.board import Board, Instance
from compass.choice import Choice, Chooser
from compass.events import Decision, Step
from compass.settled import SettledScheduler
from compass.shapes import Shape
from verification.fault_kinds import Change, Everywhere, Fault, Make, around, instead


def _operator(name: str, caught_by: str, what: str, change: Change | Everywhere) -> Fault:
    return Fault(name, "operator", what, "settled", caught_by, (change,))


def _dearest(self: Chooser) -> Choice | None:
    return max(self._merges(), key=lambda choice: choice.cost, default=None)


def _singles_only(self: Chooser, gpus: int) -> Choice | None:
    return min(self._within_limits(self._single_hosts(gpus)), key=lambda choice: choice.cost, default=None)


def _no_donors(self: Chooser, gpus: int) -> Choice | None:
    choices = chain(self._single_hosts(gpus), self._paired_hosts(self._pairs(), gpus))
    return min(self._within_limits(choices), key=lambda choice: choice.cost, default=None)


def _settle(refill: Callable[[SettledScheduler], None], merge: Callable[[SettledScheduler], None]) -> Make:
    def settle(self: SettledScheduler) -> None:
        refill(self)
        merge(self)

    return instead(settle)


def _refill_one(self: SettledScheduler) -> None:
    if self.board.vacancy and self.board.free:
        donor, vacant = self._choose.donor(), self._choose.least_vacant()
        self._move(1, self.board.node_of(donor), self.board.node_of(vacant))


def _refill(self: SettledScheduler) -> None:
    while self.board.vacancy and self.board.free:
        _refill_one(self)


def _over(self: SettledScheduler) -> bool:
    return any(self.board.kinds[kind] > limit for kind, limit in self.discipline.limited)


def _merge_one(self: SettledScheduler) -> None:
    if _over(self):
        self._merge()


def _merge(self: SettledScheduler) -> None:
    while _over(self):
        self._merge()


def _nothing(*arguments: object) -> None:
    return None


def _quiet(method: str, *silent: str) -> Change:
    """A method during which others do nothing."""

    def faulty(original: Callable[..., object], self: SettledScheduler, *arguments: object) -> object:
        for name in silent:
            setattr(self, name, _nothing)
        try:
            return original(self, *arguments)
        finally:
            for name in silent:
                delattr(self, name)

    return Change(SettledScheduler, method, around(faulty))


def _refused_but_counted(
    original: Callable[..., Decision], self: SettledScheduler, job: str, gpus: int, instances: int = 1
) -> Decision:
    decision = original(self, job, gpus, instances)
    if not decision.admitted:
        self.running.add(gpus, instances)
    return decision


_DEPART = SettledScheduler.depart


def _forgets_to_count(self: SettledScheduler, job: str) -> Decision:
    """Departs, and counts its instances as running still."""
    leaving = self._jobs[job]
    decision = _DEPART(self, job)
    self.running.add(leaving[0].gpus, len(leaving))
    return decision


def _on_the_first_empty(original: Callable[..., None], self: SettledScheduler, instance: Instance) -> None:
    if self.board.has_empty:
        self._install(instance, self.board.node_of(self.board.empty))
    else:
        original(self, instance)


def _counter(name: str) -> Change:
    """A total of the board that no change of a node reaches."""

    def faulty(original: Callable[..., None], self: Board, node: int, old: Shape, new: Shape) -> None:
        before = getattr(self, name)
        original(self, node, old, new)
        setattr(self, name, before)

    return Change(Board, "_change", around(faulty))


def _keeps_all(steps: Iterable[Step], leaving: Iterable[str]) -> tuple[Step, ...]:
    return tuple(steps)


def _most_vacant(original: Callable[..., None], self: Chooser, *arguments: object) -> None:
    original(self, *arguments)
    self._vacant = self._vacant[::-1]


def _settles_once(self: SettledScheduler, job: str) -> Decision:
    leaving = self._jobs.pop(job)
    self._steps = []
    for instance in leaving[:-1]:
        self.board.evict(instance)
        self.running.add(instance.gpus, -1)
    self._jobs[job] = leaving[-1:]
    return _DEPART(self, job)


_DEPART = SettledScheduler.depart


OPERATOR_FAULTS = (
    _operator(
        "no refill",
        "agree unified",
        "Settling fills no vacancy.",
        Change(SettledScheduler, "_settle", _settle(_nothing, _merge)),
    ),
    _operator(
        "one refill only",
        "load unified",
        "Settling fills one vacancy only.",
        Change(SettledScheduler, "_settle", _settle(_refill_one, _merge)),
    ),
    _operator(
        "no merge",
        "agree unified",
        "Settling merges no nodes.",
        Change(SettledScheduler, "_settle", _settle(_refill, _nothing)),
    ),
    _operator(
        "one merge only",
        "load repaired",
        "Settling merges once only.",
        Change(SettledScheduler, "_settle", _settle(_refill, _merge_one)),
    ),
    _operator(
        "merge before refill",
        "load unified",
        "Settling merges first and refills then.",
        Change(SettledScheduler, "_settle", _settle(_merge, _refill)),
    ),
    _operator(
        "departures unsettled", "agree unified", "Nothing is settled after a departure.", _quiet("depart", "_settle")
    ),
    _operator(
        "arrivals unsettled", "agree unified", "Nothing is settled after an arrival.", _quiet("arrive", "_settle")
    ),
    _operator("load unsettled", "load unified", "A loaded placement is not settled.", _quiet("load", "_settle")),
    _operator(
        "departures not counted",
        "run unified",
        "Instances that left still count as running.",
        Change(SettledScheduler, "depart", instead(_forgets_to_count)),
    ),
    _operator(
        "refused arrivals counted",
        "run unified",
        "A refused arrival counts as running.",
        Change(SettledScheduler, "arrive", around(_refused_but_counted)),
    ),
    _operator(
        "moves of who leaves",
        "run unified",
        "A departure lists moves of instances that leave with it.",
        Everywhere(events.without, instead(_keeps_all)),
    ),
    _operator(
        "anchors on empty nodes",
        "agree unified",
        "An anchor goes to an empty node, whatever is open, and is not settled.",
        Change(SettledScheduler, "_place_anchor", around(_on_the_first_empty)),
    ),
    _operator(
        "anchors alone",
        "counts unified: progress",
        "No anchor goes where an instance has to move first.",
        Change(Chooser, "anchor_host", instead(_singles_only)),
    ),
    _operator(
        "no covered donors",
        "counts unified G=8: progress",
        "No covered node makes room for an anchor.",
        Change(Chooser, "anchor_host", instead(_no_donors)),
    ),
    _operator(
        "dearest merge",
        "moves unified m=2",
        "The merge that moves most is chosen.",
        Change(Chooser, "merge", instead(_dearest)),
    ),
    _operator(
        "donors in the wrong order",
        "encoding unified N=3",
        "Covered nodes give their free instances first.",
        Change(
            Chooser, "donor", instead(lambda self: next(s for s in self._donors[::-1] if self._board.live[s.index]))
        ),
    ),
    _operator(
        "most vacancy first",
        "moves unified G=8",
        "Fillers go where most vacancy is.",
        Change(Chooser, "__init__", around(_most_vacant)),
    ),
    _operator(
        "one node for two",
        "agree unified",
        "Where two nodes of one shape are wanted, the board names one of them twice.",
        Change(Board, "node_of", around(lambda f, self, shape, beside=-1: f(self, shape))),
    ),
    _operator("nu not counted", "agree unified", "The board does not count partial nodes.", _counter("partial")),
    _operator("vacancy not counted", "agree unified", "The board does not count vacancy.", _counter("vacancy")),
    _operator("free not counted", "agree unified", "The board does not count free instances.", _counter("free")),
    _operator(
        "no index",
        "agree unified",
        "The board does not index a node's new shape.",
        Change(Board, "_index", instead(_nothing)),
    ),
    _operator(
        "departures settled once",
        "walk unified",
        "Instances of a job leave together and are settled once, which no proof speaks of.",
        Change(SettledScheduler, "depart", instead(_settles_once)),
    ),
    _operator(
        "four hosts looked at",
        "walk unified",
        "Of the shapes of open nodes only the first four are looked at.",
        Change(Chooser, "_active", around(lambda f, self: f(self)[:4])),
    ),
)
