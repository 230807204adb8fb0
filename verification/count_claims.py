"""Claims about count-level states, as predicates over arrays of states.

A predicate is true where the claim holds; :data:`CLAIMS` names them. Quantities are recomputed here from instance
sizes: bounds and limits are those that the claim states, not those that the code happens to enforce.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from compass.geometry import Geometry
from verification.count_phi import PhiTable
from verification.count_settled import Compositions
from verification.count_space import Ints, Mask, Rows


@dataclass(frozen=True)
class NodeFacts:
    """What a node type contributes, an entry a type.

    ``loose`` counts 1-GPU instances in no slot, ``vacancy`` the GPUs that fillers can still take.
    """

    load: Ints
    slotted: Mask
    anchor_width: Ints
    vacancy: Ints
    loose: Ints

    @staticmethod
    def of(geometry: Geometry, sizes: list[tuple[int, ...]], vacancy: list[int]) -> NodeFacts:
        """The facts of node types with these instance sizes and slot vacancies."""
        load = np.array([sum(node) for node in sizes], dtype=np.int64)
        width = np.array([sum(geometry.slot_width(g) for g in node if g > 1) for node in sizes], dtype=np.int64)
        vacant = np.array(vacancy, dtype=np.int64)
        return NodeFacts(load, width > 0, width, vacant, load - width + vacant)


@dataclass(frozen=True)
class Setting:
    """What the states of one model have in common.

    Attributes:
        geometry: the node geometry.
        nodes: N.
        open_nodes: the dial m that the claims speak of, 0 where the variant has none.
        sizes: the demands that may arrive.
        facts: what the node types contribute.
        compositions: encoding of the instances by size.
        phi: ``Phi*`` of compositions.
        admits: whether compositions are admitted, by key; None where that is no function of the composition.
    """

    geometry: Geometry
    nodes: int
    open_nodes: int
    sizes: tuple[int, ...]
    facts: NodeFacts
    compositions: Compositions
    phi: PhiTable
    admits: Callable[[Ints], Ints] | None


class States:
    """Some states of a model, a column each, and what claims are stated in; computed when first asked for."""

    def __init__(self, rows: Rows, setting: Setting) -> None:
        self.rows = rows
        self.setting = setting
        self.geometry = setting.geometry
        self.nodes = setting.nodes
        self.open_nodes = setting.open_nodes
        self.facts = setting.facts

    @property
    def capacity(self) -> int:
        """``G``."""
        return self.geometry.capacity

    def number(self, of_type: Ints | Mask) -> Ints:
        """Sum of a quantity of node types over the nodes."""
        total = np.zeros(self.rows.shape[1], dtype=np.int64)
        for row in self.rows:
            total += of_type[row]
        return total

    @cached_property
    def keys(self) -> Ints:
        """The composition, as a key."""
        return self.setting.compositions.keys(self.rows)

    @cached_property
    def counts(self) -> Ints:
        """``n_g``: a row for each size from 0 to G."""
        return self.setting.compositions.counts(self.keys)

    @cached_property
    def total(self) -> Ints:
        """``T``."""
        return self.number(self.facts.load)

    @cached_property
    def anchor_width(self) -> Ints:
        """``A``."""
        return self.number(self.facts.anchor_width)

    @cached_property
    def slack(self) -> Ints:
        """``n_1 - V``."""
        coefficients = np.array(self.geometry.wcc_coefficients)
        slack: Ints = self.counts[1] - coefficients @ self.counts
        return slack

    @property
    def wcc(self) -> Mask:
        """The Workload Composition Condition."""
        return np.asarray(self.slack >= 0)

    @property
    def deficit(self) -> Ints:
        """``delta = max(0, V - n_1)``."""
        return np.maximum(0, -self.slack)

    @cached_property
    def partial(self) -> Ints:
        """``nu``."""
        return self.number(self._type_partial)

    @cached_property
    def _type_partial(self) -> Mask:
        return (self.facts.load > 0) & (self.facts.load < self.capacity)

    @cached_property
    def phi(self) -> Ints:
        """``Phi*`` on at most N nodes."""
        return self.setting.phi(self.keys).astype(np.int64)

    @cached_property
    def avoidable(self) -> Ints:
        """``nu - Phi*``; SIF times N."""
        return self.partial - self.phi

    @cached_property
    def vacancy(self) -> Ints:
        """Vacancy of all slots."""
        return self.number(self.facts.vacancy)

    @cached_property
    def loose(self) -> Ints:
        """1-GPU instances in no slot."""
        return self.number(self.facts.loose)

    @cached_property
    def strays(self) -> Ints:
        """Nodes with both a slot and a 1-GPU instance in no slot."""
        return self.number(self.facts.slotted & (self.facts.loose > 0))

    @cached_property
    def _type_open(self) -> Mask:
        width = self.facts.anchor_width + self.facts.loose
        return (width > 0) & (width < self.capacity)

    @cached_property
    def open(self) -> Ints:
        """Open nodes: neither empty nor covered by slots and loose instances."""
        return self.number(self._type_open)

    @cached_property
    def open_slotted(self) -> Ints:
        """Open nodes with a slot."""
        return self.number(self._type_open & self.facts.slotted)

    @cached_property
    def open_pool(self) -> Ints:
        """Open nodes without a slot."""
        return self.number(self._type_open & ~self.facts.slotted)

    @cached_property
    def partial_slotted(self) -> Ints:
        """Slotted nodes that are not full."""
        return self.number(self._type_partial & self.facts.slotted)


Predicate = Callable[[States], Mask]


def _implies(premise: Mask, conclusion: Mask) -> Mask:
    return np.asarray(~premise | conclusion)


def _capacity(s: States) -> Mask:
    load, width = s.facts.load, np.maximum(s.facts.anchor_width, s.facts.load)
    return np.asarray(s.number((load > s.capacity) | (width > s.capacity)) == 0)


def _exclusion(s: States) -> Mask:
    return np.asarray((s.vacancy == 0) | (s.loose == 0))


def _closure(s: States) -> Mask:
    """What runs is admitted, and what is left after any departure is too."""
    good = _admits(s, s.keys)
    for gpus in s.setting.sizes:
        some = np.flatnonzero(s.counts[gpus])
        good[some] &= _admits(s, s.keys[some] - s.setting.compositions.unit[gpus])
    return good


def _admits(s: States, keys: Ints) -> Mask:
    if s.setting.admits is None:
        raise ValueError("admission is no function of the composition here")
    return np.asarray(s.setting.admits(keys) > 0)


def _no_waiting(s: States) -> Mask:
    """Every arrival with ``max(A, T) <= G N`` afterwards is admitted."""
    good = np.ones(s.rows.shape[1], dtype=bool)
    for gpus in s.setting.sizes:
        width = s.anchor_width + (s.geometry.slot_width(gpus) if gpus > 1 else 0)
        fits = np.maximum(width, s.total + gpus) <= s.capacity * s.nodes
        good &= _implies(fits, _admits(s, s.keys + s.setting.compositions.unit[gpus]))
    return good


def _sigma_admission(s: States) -> Mask:
    """An arrival is admitted iff Sigma holds what runs then, and what is left after any departures."""
    good = np.ones(s.rows.shape[1], dtype=bool)
    remembered: dict[tuple[int, ...], bool] = {}
    for gpus in s.setting.sizes:
        keys, inverse = np.unique(s.keys + s.setting.compositions.unit[gpus], return_inverse=True)
        counts = s.setting.compositions.counts(keys).T.tolist()
        closed = np.array([_sigma_holds(s.geometry, s.nodes, tuple(c), remembered) for c in counts])
        good &= (closed == _admits(s, keys))[inverse]
    return good


def _sigma_holds(geometry: Geometry, nodes: int, counts: tuple[int, ...], seen: dict[tuple[int, ...], bool]) -> bool:
    """``ceil(A/G) + ceil(P/G) <= N`` for the counts and everything below them."""
    if counts in seen:
        return seen[counts]
    capacity = geometry.capacity
    width = sum(geometry.slot_width(g) * n for g, n in enumerate(counts) if g > 1)
    vacancy = sum(geometry.vacancy(g) * n for g, n in enumerate(counts) if g > 1)
    pool = max(0, counts[1] - vacancy)
    holds = -(-width // capacity) - (-pool // capacity) <= nodes and all(
        _sigma_holds(geometry, nodes, (*counts[:g], n - 1, *counts[g + 1 :]), seen) for g, n in enumerate(counts) if n
    )
    seen[counts] = holds
    return holds


COMMON: dict[str, Predicate] = {
    "capacity": _capacity,
    "closed-form": lambda s: _implies(s.wcc, s.phi == (s.total % s.capacity != 0)),
}
"""Claims about every variant."""

SETTLED: dict[str, Predicate] = {
    **COMMON,
    "exclusion": _exclusion,
    "saturation": lambda s: _implies(s.wcc, s.vacancy == 0),
    "closure": _closure,
}

REPAIRED: dict[str, Predicate] = {
    **SETTLED,
    "space": lambda s: s.strays == 0,
    "open-nodes": lambda s: (s.open_slotted <= 1) & (s.open_pool <= 1),
    "sif-bound": lambda s: _implies(s.wcc, s.avoidable <= 2),
    "partial-bound": lambda s: s.partial <= 1 + np.maximum(1, s.deficit),
    "admission": _sigma_admission,
}

UNIFIED: dict[str, Predicate] = {
    **SETTLED,
    "open-nodes": lambda s: s.open <= s.open_nodes,
    "sif-bound": lambda s: _implies(s.wcc, s.avoidable <= s.open_nodes),
    "partial-bound": lambda s: s.partial <= s.open_nodes + s.deficit,
    "no-waiting": _no_waiting,
}

UNIFIED_ONE: dict[str, Predicate] = {
    **UNIFIED,
    "no-avoidable": lambda s: _implies(s.wcc, s.partial == (s.total % s.capacity != 0)),
}
"""``unified`` with m = 1."""

PRINTED: dict[str, Predicate] = {
    **COMMON,
    "saturation": lambda s: _implies(s.wcc, s.vacancy == 0),
    "pool-pass": lambda s: s.open_pool <= 1,
    "slotted-pass": lambda s: _implies(s.vacancy == 0, s.partial_slotted <= 1),
    "theorem-1": lambda s: _implies(s.wcc, (s.partial_slotted <= 1) & (s.open_pool <= 1)),
    "sif-bound": lambda s: _implies(s.wcc, s.avoidable <= 2),
    "exclusion": _exclusion,
}

CLAIMS: dict[str, dict[str, Predicate]] = {"printed": PRINTED, "repaired": REPAIRED, "unified": UNIFIED}
"""The claims of each variant."""
