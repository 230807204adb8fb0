"""The invariant of the settled schedulers, for every N and every m: exclusion, limits, progress, termination.

Both variants run one loop (:mod:`compass.settled`): after each instance that comes or goes, refill, then merge. The
invariant *settled* is: exclusion (no vacancy beside a free instance), and no kind of node over its limit (`unified`: at
most m open nodes; `repaired`: one open slotted, one open pool, no stray node). Proved here, step by step:

* the idle cluster is settled, and every way to place a 1-GPU instance keeps the invariant;
* refill and merge are possible whenever the loop asks for them, and strictly lower the measure
  ``(min(vacancy, free), stray, open_pool, open)``, lexicographically; so the loop ends, and it ends settled.

That an arrival finds a host, and what departures leave has a place, is proved in :mod:`verification.claims_admission`.
The refill may take any donor and any vacancy, the merge any plan that lowers the measure, the arrival any host within
the limits, a departure any instance: more than the scheduler's preferences allow, hence sound for all of them.
"""

from __future__ import annotations

from itertools import chain

from verification.smt_claim import Claim
from verification.smt_model import Entry, Model, State, exclusion
from verification.smt_terms import Bool, Int, conj, disj, minimum, negation, same, total

KEPT = ("nodes", "demand", "slots", "ones", "wanted")
"""What a move between nodes never changes."""


def arriving(model: Model) -> range:
    """The sizes of anchors."""
    return range(2, model.geometry.capacity + 1)


def all_departures(model: Model) -> list[Entry]:
    """Any instance departs."""
    return list(chain.from_iterable(model.departures(g) for g in model.geometry.sizes))


def all_hosts(model: Model) -> list[Entry]:
    """Any anchor arrives, on any host."""
    return list(chain.from_iterable([*model.single_hosts(g), *model.paired_hosts(g)] for g in arriving(model)))


def require_settled(s: State) -> None:
    """The invariant before an event."""
    s.script.require(s.exclusion(), "exclusion: no vacancy beside a free instance")
    s.script.require(s.limits(), "no kind of node is over its limit")


def place(s: State, slotted_less: Int, pool_less: Int, slots: int = 0, surplus: int = 0) -> Bool:
    """The composition, changed by this slot width and surplus of 1-GPU instances, has a place in Sigma.

    ``ceil(A / G) + ceil(P / G) <= N`` with ``P = max(0, n_1 - V)``, in numbers of nodes relative to the state's own:
    its slots could do with ``slotted - slotted_less`` nodes, its surplus with ``pool - pool_less``, and the empty
    nodes make up for what is then missing. Solvers decide this form at once (the other one: obligation place-form).
    """
    capacity = s.model.geometry.capacity
    enough_slotted = capacity * slotted_less + slots <= s["slotted_spare"]
    enough_pool = capacity * pool_less + surplus <= s["pool_spare"]
    present = conj(slotted_less <= s["slotted"], pool_less <= s["pool"])
    return conj(enough_slotted, enough_pool, present, slotted_less + pool_less + s["empty"] >= 0)


def place_in_words(s: State, slotted_needed: Int, pool_needed: Int) -> Bool:
    """The same for the state's own composition, as the definition has it."""
    capacity = s.model.geometry.capacity
    enough_slotted = s["slots"] <= capacity * slotted_needed
    enough_pool = s["ones"] - s["wanted"] <= capacity * pool_needed
    present = conj(slotted_needed >= 0, pool_needed >= 0)
    return conj(enough_slotted, enough_pool, present, slotted_needed + pool_needed <= s["nodes"])


def require_place(s: State, slots: int = 0, surplus: int = 0) -> None:
    """Assert :func:`place`."""
    s.script.note("ceil(A/G) = slotted - slotted_less or less, ceil(P/G) = pool - pool_less or less")
    less = s.script.declare("slotted_less"), s.script.declare("pool_less")
    condition = place(s, *less, slots, surplus)
    s.script.require(condition, "the composition has a place in Sigma: ceil(A/G) + ceil(P/G) <= N")


def exclusion_claim(model: Model, claim: Claim) -> None:
    """No vacancy beside a free 1-GPU instance, after every instance that comes or goes."""

    def initially(s: State) -> Bool:
        busy = [(1, n) for shape, n in s.counts.items() if shape.load]
        s.script.require(same(total(busy), 0), "every node is empty")
        return s.settled()

    claim.about(model, "idle", "The idle cluster is settled.", initially)

    def into_vacancy(s: State) -> Bool:
        require_settled(s)
        after = s.step(model.filler_vacant(), ["vacancy", "free"])
        return exclusion(after["vacancy"], after["free"])

    if model.has_vacancies:  # for G = 2 no slot ever has vacancy
        claim.about(model, "filler-vacant", "A 1-GPU instance that goes into a vacancy keeps exclusion.", into_vacancy)

    def beside(s: State) -> Bool:
        require_settled(s)
        s.script.require(same(s["vacancy"], 0), "a vacancy would have been taken first")
        after = s.step([*model.filler_open(), *model.filler_empty()], ["vacancy", "free"])
        return exclusion(after["vacancy"], after["free"])

    claim.about(model, "filler-free", "A 1-GPU instance on an open or empty node keeps exclusion.", beside)

    def whole_node(s: State) -> Bool:
        require_settled(s)
        largest = model.geometry.capacity
        hosts = [e for e in model.single_hosts(largest) if not e.before[0].load]
        after = s.step(hosts, ["vacancy", "free"])
        return exclusion(after["vacancy"], after["free"])

    claim.about(model, "whole-node", "An anchor of G GPUs on an empty node keeps exclusion at once.", whole_node)

    def can_refill(s: State) -> Bool:
        s.script.require(negation(s.exclusion()), "exclusion is broken")
        return s.enabled(model.refills)

    if model.has_vacancies:
        claim.about(model, "refill-possible", "While exclusion is broken some refill is possible.", can_refill)

    def merged(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: no vacancy beside a free instance")
        after = s.step(model.merges, ["vacancy", "free"])
        return exclusion(after["vacancy"], after["free"])

    claim.about(model, "merge", "Every merge keeps exclusion, in any state that has it.", merged)


def limits_of(s: State, after: dict[str, Int]) -> Bool:
    """No kind is over its limit after a step."""
    return conj(*(after[name] <= s.limit(kind) for kind, name in s.model.kind_sums))


def limits_claim(model: Model, claim: Claim) -> None:
    """At most m open nodes (`unified`); one open slotted, one open pool and no stray node (`repaired`)."""
    kinds = [name for _, name in model.kind_sums]

    def into_vacancy(s: State) -> Bool:
        require_settled(s)
        return limits_of(s, s.step(model.filler_vacant(), kinds))

    if model.has_vacancies:
        claim.about(model, "filler-vacant", "A 1-GPU instance that goes into a vacancy keeps the limits.", into_vacancy)

    def on_open(s: State) -> Bool:
        require_settled(s)
        s.script.require(same(s["vacancy"], 0), "a vacancy would have been taken first")
        return limits_of(s, s.step(model.filler_open(), kinds))

    claim.about(model, "filler-open", "A 1-GPU instance on an open node keeps the limits.", on_open)

    def on_empty(s: State) -> Bool:
        require_settled(s)
        s.script.require(same(s["vacancy"], 0), "a vacancy would have been taken first")
        s.script.require(negation(s.enabled(model.filler_open())), "so would an open node that takes it")
        return limits_of(s, s.step(model.filler_empty(), kinds))

    claim.about(model, "filler-empty", "A 1-GPU instance on an empty node keeps the limits.", on_empty)

    def hosted(s: State) -> Bool:
        require_settled(s)
        return limits_of(s, s.step(all_hosts(model), kinds, within_limits=True))

    claim.about(model, "anchor", "An anchor on any host that passes the scheduler's test keeps the limits.", hosted)

    def can_merge(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: refills are done")
        if not model.dial:
            s.script.require(s["stray"] <= 1, "at most one node is stray")
            require_place(s)
        s.script.require(negation(s.limits()), "some kind is over its limit")
        return s.enabled(model.merges)

    claim.about(model, "merge-possible", "While a kind is over its limit some merge is possible.", can_merge)
    if model.dial:
        return

    def with_an_empty_node(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: refills are done")
        s.script.require(s["empty"] >= 1, "some node is empty, and any number of them may be stray")
        s.script.require(negation(s.limits()), "some kind is over its limit")
        return s.enabled(model.merges)

    meaning = "From any placement in node shapes (load), settling can get stuck only where no node is empty."
    claim.about(model, "load", meaning, with_an_empty_node)

    def strays(s: State, entries: list[Entry]) -> Bool:
        return s.step(entries, ["stray"])["stray"] <= 1

    def departed(s: State) -> Bool:
        require_settled(s)
        return strays(s, all_departures(model))

    def moved(s: State, entries: list[Entry]) -> Bool:
        s.script.require(s["stray"] <= 1, "at most one node is stray")
        return strays(s, entries)

    claim.about(model, "departure-stray", "A departure from a settled state makes at most one node stray.", departed)
    if model.has_vacancies:
        claim.about(model, "refill-stray", "A refill leaves at most one node stray.", lambda s: moved(s, model.refills))
    claim.about(model, "merge-stray", "A merge leaves at most one node stray.", lambda s: moved(s, model.merges))


def termination_claim(model: Model, claim: Claim) -> None:
    """Every refill and every merge lowers ``(min(vacancy, free), stray, open_pool, open)`` lexicographically."""

    def refilled(s: State) -> Bool:
        after = s.step(model.refills, ["vacancy", "free"])
        return same(minimum(after["vacancy"], after["free"]) + 1, minimum(s["vacancy"], s["free"]))

    if model.has_vacancies:
        claim.about(model, "refill", "A refill lowers min(vacancy, free) by exactly 1.", refilled)
    kinds = [name for _, name in reversed(model.kind_sums)]

    def merged(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: min(vacancy, free) = 0, and stays 0 (claim exclusion)")
        after = s.step(model.merges, kinds)
        lower = [after[name] < s[name] for name in kinds]
        equal = [same(after[name], s[name]) for name in kinds]
        return disj(*(conj(*equal[:k], lower[k]) for k in range(len(kinds))))

    claim.about(model, "merge", f"A merge lowers ({', '.join(kinds)}) lexicographically.", merged)


def conservation_claim(model: Model, claim: Claim) -> None:
    """Refills and merges change neither the composition nor the number of nodes."""
    for name, entries in (("refill", model.refills), ("merge", model.merges)):
        if name == "refill" and not model.has_vacancies:
            continue

        def conserved(s: State, entries: list[Entry] = entries) -> Bool:
            after = s.step(entries, KEPT)
            return conj(*(same(after[name], s[name]) for name in KEPT))

        claim.about(model, name, f"A {name} keeps N, T, A, n_1 and V of the composition.", conserved)
