"""The settled scheduler as linear integer arithmetic over node-type counts, for every number of nodes.

A state is a count ``n_s >= 0`` for each shape ``s``: how many nodes hold that multiset of sizes. Jobs are forgotten
and any instance may depart, so the model allows everything the scheduler can do and more. Every quantity a claim speaks
of is a *sum*, ``sum over s of weight(s) n_s``: the number of nodes, vacancy, free instances, nodes of a kind.

A step is a table of *entries*: it takes nodes of one or two shapes away and puts nodes of other shapes there. The
tables are read from what the scheduler itself runs on: ``Shape.plus`` and ``minus``, ``Discipline.kinds``, the plans.
Where the scheduler prefers one of several entries the model may take any (but see ``preferred``), so what is proved
holds for every preference. A step is one disjunction over its entries: guards on the counts, and a change of each sum.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product

from compass.discipline import OPEN, OPEN_POOL, SETTLED, STRAY, Discipline
from compass.geometry import Geometry
from compass.plans import Plan, PlanTable
from compass.shapes import Shape
from verification.smt_terms import TRUE, Bool, Int, Script, conj, disj, maximum, same, total

KINDS = {OPEN: "open", OPEN_POOL: "open_pool", STRAY: "stray"}
"""The sum that counts the nodes of each kind."""


@dataclass(frozen=True)
class Entry:
    """One way to take a step: ``before`` become ``after``, with ``moves`` moved instances."""

    before: tuple[Shape, ...]
    after: tuple[Shape, ...]
    moves: int = 0


class Model:
    """The steps of :mod:`compass.settled` under a discipline, as tables.

    Args:
        discipline: kinds of shapes; the limit of a kind is a number or, where ``dial``, the unknown ``m >= 1``.
        dial: whether the limit of open nodes is the unknown m.
        plans: the plan table; default: the scheduler's own.
    """

    def __init__(self, discipline: Discipline, dial: bool, plans: PlanTable | None = None) -> None:
        self.discipline = discipline
        self.geometry: Geometry = discipline.table.geometry
        self.table = discipline.table
        self.dial = dial
        self._plans = plans or PlanTable(discipline)
        self._active = [s for s in self.table if self.kind(s) != SETTLED]
        self._hosts = [*self._active, self.table.empty]
        self._donors = [s for s in self.table if s.free]

    @property
    def has_vacancies(self) -> bool:
        """Some slot is wider than its anchor, so there are refills; from the widths alone, so not for G = 2.

        What is asked about refills is asked by this and not by the table, where a missing entry would go unnoticed. A
        step of an empty table cannot be taken: its premises are not satisfiable, which the solvers find.
        """
        return any(self.geometry.wcc_coefficients)

    def kind(self, shape: Shape) -> int:
        """The kind of a shape."""
        return self.discipline.kinds[shape.index]

    @property
    def limited(self) -> list[int]:
        """The kinds that have a limit."""
        return [kind for kind, _ in self.discipline.limited]

    @property
    def kind_sums(self) -> list[tuple[int, str]]:
        """The kinds that have a limit, with the sums that count their nodes."""
        return [(kind, KINDS[kind]) for kind in self.limited]

    def filler_vacant(self) -> list[Entry]:
        """A 1-GPU instance goes into a vacancy."""
        return [Entry((s,), (larger,)) for s in self.table if s.vacancy and (larger := s.plus[1])]

    def filler_open(self) -> list[Entry]:
        """Without vacancy, a 1-GPU instance goes to an open node that stays of its kind or is settled then."""
        pairs = ((s, s.plus[1]) for s in self._active)
        return [Entry((s,), (t,)) for s, t in pairs if t and self.kind(t) in (SETTLED, self.kind(s))]

    def filler_empty(self) -> list[Entry]:
        """Without vacancy and such a node, a 1-GPU instance goes to an empty node."""
        larger = self.table.empty.plus[1]
        return [Entry((self.table.empty,), (larger,))] if larger else []

    def single_hosts(self, gpus: int) -> list[Entry]:
        """An anchor is installed on an open, stray or empty node as it is."""
        return [Entry((s,), (larger,)) for s in self._hosts if (larger := s.plus[gpus])]

    def paired_hosts(self, gpus: int) -> list[Entry]:
        """An anchor is installed by a plan for two open, stray or empty nodes, or for one such and a covered donor."""
        planned = ((pair, self._plans.plan(*pair, gpus)) for pair in self.pairs())
        return [_planned(pair, plan) for pair, plan in planned if plan]

    def pairs(self) -> Iterator[tuple[Shape, Shape]]:
        """The pairs that have plans: of open, stray and empty nodes, and of such a node with a covered donor."""
        covered = [s for s in self._donors if not s.open]
        return iter(dict.fromkeys([*self._pairs(), *product(self._active, covered)]))

    @cached_property
    def refills(self) -> list[Entry]:
        """A free 1-GPU instance moves into a vacancy."""
        vacant = [s for s in self.table if s.vacancy]
        found = [(d, v, d.minus[1], v.plus[1]) for d, v in product(self._donors, vacant)]
        return [Entry((d, v), (less, more), 1) for d, v, less, more in found if less and more]

    @cached_property
    def merges(self) -> list[Entry]:
        """Two nodes follow their plan, where it leaves fewer stray or open nodes."""
        planned = ((pair, self._plans.plan(*pair)) for pair in self._pairs())
        return [_planned(pair, plan) for pair, plan in planned if plan and self._lower(pair, plan)]

    def departures(self, gpus: int) -> list[Entry]:
        """An instance departs from any node that has one of its size."""
        return [Entry((s,), (smaller,)) for s in self.table if (smaller := s.minus[gpus])]

    def within_limits(self, entry: Entry, state: State) -> Bool:
        """The scheduler's test of an arrival: no kind that comes is over its limit afterwards."""
        conditions = []
        for kind in self.limited:
            gone = sum(self.kind(s) == kind for s in entry.before)
            come = sum(self.kind(s) == kind for s in entry.after)
            if come:
                conditions.append(state[KINDS[kind]] + (come - gone) <= state.limit(kind))
        return conj(*conditions)

    def _pairs(self) -> Iterator[tuple[Shape, Shape]]:
        pairs = combinations_with_replacement(self._hosts, 2)
        return ((s, t) for s, t in pairs if s is not t or s.load)

    def _lower(self, pair: tuple[Shape, Shape], plan: Plan) -> bool:
        before, after = (sorted(map(self.kind, shapes), reverse=True) for shapes in (pair, plan.result))
        return after < before


def _planned(pair: tuple[Shape, Shape], plan: Plan) -> Entry:
    return Entry(pair, plan.result, plan.moves)


def sums(model: Model) -> dict[str, Callable[[Shape], int]]:
    """Every sum a claim may speak of: the weight of a shape in it."""
    coefficients = model.geometry.wcc_coefficients
    capacity = model.geometry.capacity
    by_kind: dict[str, Callable[[Shape], int]] = {
        KINDS[kind]: lambda s, kind=kind: int(model.kind(s) == kind)  # type: ignore[misc]
        for kind in model.limited
    }
    return by_kind | {
        "nodes": lambda s: 1,
        "vacancy": lambda s: s.vacancy,  # GPUs inside slots that 1-GPU instances could still fill
        "free": lambda s: s.free,  # 1-GPU instances outside of slots
        "demand": lambda s: s.load,  # T
        "slots": lambda s: s.anchor_width,  # A
        "ones": lambda s: s.sizes.count(1),  # n_1
        "wanted": lambda s: sum(coefficients[g] for g in s.sizes if g > 1),  # V of the composition
        "partial": lambda s: int(s.partial),  # nu
        "busy": lambda s: int(s.load > 0),
        "gap": lambda s: capacity - s.load if s.load else 0,  # idle GPUs on busy nodes: G busy - T
        "empty": lambda s: int(not s.load),
        "slotted": lambda s: int(s.slotted),
        "pool": lambda s: int(s.load > 0 and not s.slotted),
        "slotted_spare": lambda s: capacity - s.anchor_width if s.slotted else 0,  # G slotted - A
        "pool_spare": lambda s: (
            s.vacancy - s.free if s.slotted or not s.load else capacity - s.load
        ),  # G pool - n_1 + V
        "donors": lambda s: int(s.free > 0),
        "open_donors": lambda s: int(s.open and s.free > 0),
        "open_free": lambda s: s.free if s.open else 0,
    }


class State:
    """A symbolic state: the counts as unknowns, sums as defined terms, made when first asked for.

    Args:
        model: the steps.
        script: where declarations, definitions and assertions go.
        sample: steps have only some of their entries. That is a stronger condition, so where it can be satisfied the
            whole one can be too; it keeps the files that only show this short.
    """

    def __init__(self, model: Model, script: Script, sample: bool = False) -> None:
        self.model = model
        self.script = script
        self._sample = sample
        self._weights = sums(model)
        self._sums: dict[str, Int] = {}
        script.note("Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.")
        self.counts: dict[Shape, Int] = {s: script.declare(count_name(s)) for s in model.table}
        script.require(conj(*(count >= 0 for count in self.counts.values())))
        self._m: Int | None = None

    def __getitem__(self, name: str) -> Int:
        """A sum by name."""
        if name not in self._sums:
            weight = self._weights[name]
            self._sums[name] = self.script.define(name, total((weight(s), n) for s, n in self.counts.items()))
        return self._sums[name]

    def limit(self, kind: int) -> Int:
        """The most nodes of a kind."""
        if not self.model.dial:
            return Int(str(self.model.discipline.limits[kind]))
        if self._m is None:
            self._m = self.script.declare("m")
            self.script.require(self._m >= 1, "m: the most open nodes that the variant allows, any number from 1")
        return self._m

    @property
    def m(self) -> Int:
        """The dial; only for a model that has one."""
        return self.limit(OPEN)

    def need(self, shapes: Sequence[Shape]) -> Bool:
        """There are nodes of these shapes, each a node of its own."""
        return conj(*(self.counts[s] >= k if k > 1 else self.counts[s] > 0 for s, k in Counter(shapes).items()))

    def enabled(self, entries: Iterable[Entry], within_limits: bool = False) -> Bool:
        """Some entry can be taken; of arrivals only those within the limits."""
        groups: dict[Bool, list[tuple[Shape, ...]]] = defaultdict(list)
        for entry in entries:
            groups[self.model.within_limits(entry, self) if within_limits else TRUE].append(entry.before)
        return disj(*(conj(limits, self._any(befores)) for limits, befores in groups.items()))

    def step(
        self, entries: Iterable[Entry], names: Iterable[str], within_limits: bool = False, preferred: bool = False
    ) -> dict[str, Int]:
        """Assert that one entry is taken; returns the named sums after it, and its moves where ``moves`` is named.

        With ``preferred`` an entry is a refill of which the donor has the first kind that any donor has: stray before
        open pool before open before settled.
        """
        names = list(names)
        before = {name: self[name] for name in names if name != "moves"}
        entries = list(entries)
        if self._sample:
            entries = entries[:: max(1, -(-len(entries) // 64))]
        conditions = [self._condition(entry, within_limits, preferred) for entry in entries]
        self.script.note(
            "The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X."
        )
        changes = {name: self.script.declare(f"d_{name}") for name in names}
        groups: dict[tuple[tuple[int, ...], Bool], list[tuple[Shape, ...]]] = defaultdict(list)
        for entry, condition in zip(entries, conditions, strict=True):
            groups[self._effect(entry, names), condition].append(entry.before)
        self.script.require(
            disj(
                *(
                    conj(*(same(d, e) for d, e in zip(changes.values(), effect, strict=True)), extra, self._any(shapes))
                    for (effect, extra), shapes in sorted(groups.items(), key=lambda item: item[0][0])
                )
            )
        )
        after = {name: self.script.define(f"{name}_after", self[name] + changes[name]) for name in before}
        return after | {name: d for name, d in changes.items() if name not in before}

    def _condition(self, entry: Entry, within_limits: bool, preferred: bool) -> Bool:
        if preferred:
            return self._none_before(entry.before[0])
        return self.model.within_limits(entry, self) if within_limits else TRUE

    def _effect(self, entry: Entry, names: Iterable[str]) -> tuple[int, ...]:
        def change(name: str) -> int:
            weight = self._weights[name]
            return sum(map(weight, entry.after)) - sum(map(weight, entry.before))

        return tuple(entry.moves if name == "moves" else change(name) for name in names)

    def _any(self, befores: Iterable[tuple[Shape, ...]]) -> Bool:
        """There are the nodes of one of these tuples; first shapes that go with the same partners are put together."""
        partners: dict[Shape, dict[tuple[Shape, ...], None]] = defaultdict(dict)
        for shapes in befores:
            partners[shapes[0]][shapes[1:]] = None
        parts = [self.need((first, first)) for first, rests in partners.items() if (first,) in rests]
        firsts: dict[tuple[tuple[Shape, ...], ...], list[Shape]] = defaultdict(list)
        for first, rests in partners.items():
            others = tuple(rest for rest in rests if rest != (first,))
            if others:
                firsts[others].append(first)
        for others, group in firsts.items():
            one, two = (disj(*map(self.need, shapes)) for shapes in ([(s,) for s in group], others))
            parts.append(one if () in others else conj(one, two))
        return disj(*parts)

    def _none_before(self, donor: Shape) -> Bool:
        kinds = {self.model.kind(s) for s in self.counts if s.free}
        better = sorted(kind for kind in kinds if kind > self.model.kind(donor))
        ahead = [s for s in self.counts if s.free and self.model.kind(s) in better]
        return same(total((1, self.counts[s]) for s in ahead), 0) if ahead else TRUE

    # -- conditions ---------------------------------------------------------------------------------------------

    def exclusion(self) -> Bool:
        """No vacancy beside a free instance."""
        return exclusion(self["vacancy"], self["free"])

    def limits(self) -> Bool:
        """No kind is over its limit."""
        return conj(*(self[KINDS[kind]] <= self.limit(kind) for kind in self.model.limited))

    def settled(self) -> Bool:
        """The invariant: exclusion and limits."""
        return conj(self.exclusion(), self.limits())

    def deficit(self) -> Int:
        """``delta = max(0, V - n_1)``, the vacancy that no 1-GPU instance can fill."""
        return maximum(self["wanted"] - self["ones"], Int("0"))

    def values(self, counts: Mapping[Shape, int]) -> dict[str, int]:
        """The unknowns' values for a concrete state."""
        return {name.op: counts.get(shape, 0) for shape, name in self.counts.items()}


def exclusion(vacancy: Int, free: Int) -> Bool:
    """Not both."""
    return disj(same(vacancy, 0), same(free, 0))


def count_name(shape: Shape) -> str:
    """``n_411`` for a node with a 4-GPU and two 1-GPU instances; ``n_0`` for an empty one."""
    sizes = [str(g) if g < 10 else f"_{g}_" for g in shape.sizes]
    return "n_" + ("".join(sizes) or "0")
