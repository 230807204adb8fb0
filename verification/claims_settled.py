"""The invariant of the settled schedulers, for every N and every m: exclusion, limits, progress, termination, closure.

Both variants run one loop (:mod:`compass.settled`): after each instance that comes or goes, refill, then merge. The
invariant *settled* is: exclusion (no vacancy beside a free instance), and no kind of node over its limit (`unified`: at
most m open nodes; `repaired`: one open slotted, one open pool, no stray node). Proved here, step by step:

* the idle cluster is settled, and every way to place a 1-GPU instance keeps the invariant;
* refill and merge are possible whenever the loop asks for them, and strictly lower the measure
  ``(min(vacancy, free), stray, open_pool, open)``, lexicographically; so the loop ends, and it ends settled;
* an arrival finds a host whenever :meth:`admits` says yes;
* `unified` stays in its space whatever departs; `repaired` does exactly under its admission condition.

The refill may take any donor and any vacancy, the merge any plan that lowers the measure, the arrival any host within
the limits, a departure any instance: more than the scheduler's preferences allow, hence sound for all of them.
"""

from __future__ import annotations

from itertools import chain

from compass.geometry import Geometry
from verification.obligations import Claim
from verification.smt_model import Entry, Model, State, exclusion
from verification.smt_terms import Bool, Int, Script, conj, disj, iff, implies, maximum, minimum, negation, same, total

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

    if model.refills:  # for G = 2 no slot ever has vacancy
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

    if model.refills:
        claim.about(model, "refill-possible", "While exclusion is broken some refill is possible.", can_refill)

    def merged(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: no vacancy beside a free instance")
        after = s.step(model.merges, ["vacancy", "free"])
        return exclusion(after["vacancy"], after["free"])

    claim.about(model, "merge", "Every merge keeps exclusion, in any state that has it.", merged)


def _limits(s: State, after: dict[str, Int]) -> Bool:
    return conj(*(after[name] <= s.limit(kind) for kind, name in s.model.kind_sums))


def limits_claim(model: Model, claim: Claim) -> None:
    """At most m open nodes (`unified`); one open slotted, one open pool and no stray node (`repaired`)."""
    kinds = [name for _, name in model.kind_sums]

    def into_vacancy(s: State) -> Bool:
        require_settled(s)
        return _limits(s, s.step(model.filler_vacant(), kinds))

    if model.refills:
        claim.about(model, "filler-vacant", "A 1-GPU instance that goes into a vacancy keeps the limits.", into_vacancy)

    def on_open(s: State) -> Bool:
        require_settled(s)
        s.script.require(same(s["vacancy"], 0), "a vacancy would have been taken first")
        return _limits(s, s.step(model.filler_open(), kinds))

    claim.about(model, "filler-open", "A 1-GPU instance on an open node keeps the limits.", on_open)

    def on_empty(s: State) -> Bool:
        require_settled(s)
        s.script.require(same(s["vacancy"], 0), "a vacancy would have been taken first")
        s.script.require(negation(s.enabled(model.filler_open())), "so would an open node that takes it")
        return _limits(s, s.step(model.filler_empty(), kinds))

    claim.about(model, "filler-empty", "A 1-GPU instance on an empty node keeps the limits.", on_empty)

    def hosted(s: State) -> Bool:
        require_settled(s)
        return _limits(s, s.step(all_hosts(model), kinds, within_limits=True))

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

    def strays(s: State, entries: list[Entry]) -> Bool:
        return s.step(entries, ["stray"])["stray"] <= 1

    def departed(s: State) -> Bool:
        require_settled(s)
        return strays(s, all_departures(model))

    def moved(s: State, entries: list[Entry]) -> Bool:
        s.script.require(s["stray"] <= 1, "at most one node is stray")
        return strays(s, entries)

    claim.about(model, "departure-stray", "A departure from a settled state makes at most one node stray.", departed)
    if model.refills:
        claim.about(model, "refill-stray", "A refill leaves at most one node stray.", lambda s: moved(s, model.refills))
    claim.about(model, "merge-stray", "A merge leaves at most one node stray.", lambda s: moved(s, model.merges))


def termination_claim(model: Model, claim: Claim) -> None:
    """Every refill and every merge lowers ``(min(vacancy, free), stray, open_pool, open)`` lexicographically."""

    def refilled(s: State) -> Bool:
        after = s.step(model.refills, ["vacancy", "free"])
        return same(minimum(after["vacancy"], after["free"]) + 1, minimum(s["vacancy"], s["free"]))

    if model.refills:
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
        if not entries:
            continue

        def conserved(s: State, entries: list[Entry] = entries) -> Bool:
            after = s.step(entries, KEPT)
            return conj(*(same(after[name], s[name]) for name in KEPT))

        claim.about(model, name, f"A {name} keeps N, T, A, n_1 and V of the composition.", conserved)


def no_waiting_claim(model: Model, claim: Claim) -> None:
    """An arrival that is admitted finds a host, so no job waits because of fragmentation."""
    (_unified_arrivals if model.dial else _repaired_arrivals)(model, claim)


def _filler_host(s: State) -> Bool:
    return s.enabled([*s.model.filler_vacant(), *s.model.filler_open(), *s.model.filler_empty()])


def _unified_arrivals(model: Model, claim: Claim) -> None:
    capacity = model.geometry.capacity

    def admitted(s: State, gpus: int) -> None:
        require_settled(s)
        width = model.geometry.slot_width(gpus) if gpus > 1 else 0
        room = capacity * s["nodes"]
        s.script.require(conj(s["slots"] + width <= room, s["demand"] + gpus <= room), "max(A, T) <= G N afterwards")

    def filler(s: State) -> Bool:
        admitted(s, 1)
        return _filler_host(s)

    claim.about(model, "arrive-1", "An admitted 1-GPU instance finds a vacancy, an open or an empty node.", filler)
    for gpus in arriving(model):

        def anchor(s: State, gpus: int = gpus) -> Bool:
            admitted(s, gpus)
            s.script.require(s["open"] <= 1, "all merges are done")
            return s.enabled([*model.single_hosts(gpus), *model.paired_hosts(gpus)], within_limits=True)

        meaning = f"With at most one open node left, an admitted anchor of {gpus} GPUs finds a host, for every m."
        claim.about(model, f"arrive-{gpus}", meaning, anchor)

    def can_merge(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: no vacancy beside a free instance")
        s.script.require(s["open"] >= 2, "more than one open node")
        return s.enabled(model.merges)

    claim.about(
        model, "merge-possible", "With two or more open nodes some merge is possible, so waiting ends.", can_merge
    )

    def necessary(s: State) -> Bool:
        return maximum(s["slots"], s["demand"]) <= capacity * s["nodes"]

    claim.about(model, "necessary", "Every state of the space has max(A, T) <= G N: the condition is exact.", necessary)


def _repaired_arrivals(model: Model, claim: Claim) -> None:
    def filler(s: State) -> Bool:
        require_settled(s)
        require_place(s, surplus=1)
        return _filler_host(s)

    claim.about(
        model, "arrive-1", "A 1-GPU instance with a place in Sigma finds a vacancy, a pool or empty node.", filler
    )
    for gpus in arriving(model):

        def anchor(s: State, gpus: int = gpus) -> Bool:
            require_settled(s)
            geometry = model.geometry
            require_place(s, slots=geometry.slot_width(gpus), surplus=-geometry.vacancy(gpus))
            return s.enabled([*model.single_hosts(gpus), *model.paired_hosts(gpus)], within_limits=True)

        meaning = f"An anchor of {gpus} GPUs with a place in Sigma finds a host at once, without merges before."
        claim.about(model, f"arrive-{gpus}", meaning, anchor)

    def necessary(s: State) -> Bool:
        capacity = model.geometry.capacity
        s.script.require(same(s["stray"], 0), "a state of Sigma")
        surplus = s["ones"] - s["wanted"]
        slotted, pool = s["slotted"], s["pool"]
        nodes_suffice = slotted + pool <= s["nodes"]
        return conj(s["slots"] <= capacity * slotted, surplus <= capacity * pool, nodes_suffice)

    claim.about(model, "necessary", "In every state of Sigma ceil(A/G) + ceil(P/G) <= N.", necessary)

    def same_form(s: State) -> Bool:
        less = s.script.declare("slotted_less"), s.script.declare("pool_less")
        needed = s["slotted"] - less[0], s["pool"] - less[1]
        return iff(place(s, *less), place_in_words(s, *needed))

    claim.about(model, "place-form", "The form of the condition used in the proofs is the defined one.", same_form)


def closure_claim(model: Model, claim: Claim) -> None:
    """Whatever departs, what is left has a place: always (`unified`), or as admission guarantees (`repaired`)."""
    if model.dial:

        def narrower(s: State) -> Bool:
            after = s.step(all_departures(model), ["slots", "demand"])
            return maximum(after["slots"], after["demand"]) <= maximum(s["slots"], s["demand"])

        claim.about(model, "width", "W = max(A, T) never grows on a departure.", narrower)
        return
    _repaired_closure(model, claim)


def _composition(s: Script) -> tuple[Int, Int, Int]:
    """``N, A, T`` of an arbitrary composition."""
    s.note("Unknowns: N nodes, slots of total width A, demand T; of any composition.")
    nodes, slots, demand = (s.declare(name) for name in ("N", "A", "T"))
    s.require(conj(nodes >= 1, slots >= 0, demand >= 0))
    return nodes, slots, demand


def _ceiling(s: Script, name: str, value: Int, capacity: int) -> Int:
    """``ceil(value / G)`` as a new unknown."""
    result = s.declare(name)
    s.require(conj(value <= capacity * result, capacity * result < value + capacity), f"{name} = ceil(. / G)")
    return result


def _fits(nodes: Int, slots: Int, demand: Int, slotted: Int, capacity: int) -> Bool:
    """:meth:`Repaired.admits` without departures: ``A <= G N``, and the room beside the slots within the spare.

    ``-A mod G`` is ``G slotted - A`` with ``slotted = ceil(A / G)``.
    """
    room, spare = capacity * slotted - slots, capacity * nodes - demand
    overflow = conj(demand > slots, room > spare)
    return conj(slots <= capacity * nodes, spare >= 0, negation(overflow))


def _sufficient(claim: Claim) -> None:
    capacity = claim.capacity
    s = Script()
    nodes, slots, demand = _composition(s)
    s.require(conj(demand <= capacity * (nodes - 1), slots <= capacity * nodes), "T <= G (N - 1) and A <= G N")
    slotted = _ceiling(s, "slotted_needed", slots, capacity)
    pool = _ceiling(s, "pool_needed", maximum(demand - slots, Int("0")), capacity)
    meaning = "T <= G (N - 1) and A <= G N are enough for a place in Sigma, and no departure raises T or A."
    claim.prove("sufficient", meaning, s, slotted + pool <= nodes)


def _same_formula(claim: Claim) -> None:
    capacity = claim.capacity
    s = Script()
    nodes, slots, demand = _composition(s)
    slotted = _ceiling(s, "slotted_needed", slots, capacity)
    pool = _ceiling(s, "pool_needed", maximum(demand - slots, Int("0")), capacity)
    goal = iff(_fits(nodes, slots, demand, slotted, capacity), slotted + pool <= nodes)
    claim.prove("formula", "The test that admission makes is ceil(A/G) + ceil(P/G) <= N.", s, goal)


def departures_looked_at(geometry: Geometry) -> list[dict[int, int]]:
    """The departures that :meth:`Repaired.admits` looks at when no GPU is spare: anchors of ``<= G - w_1 - 1`` GPUs.

    >>> len(departures_looked_at(Geometry()))
    7
    """
    found: list[dict[int, int]] = [{}]
    most = geometry.capacity - geometry.widths[0] - 1
    for gpus in range(2, most + 1):
        for chosen in list(found):
            left = most - sum(g * k for g, k in chosen.items())
            found += [chosen | {gpus: k} for k in range(1, left // gpus + 1)]
    return found


def _exact(model: Model, claim: Claim) -> None:
    """If no departure looked at leaves a composition without a place, no departure at all does."""
    geometry, capacity = model.geometry, claim.capacity
    s = Script()
    s.note("Unknowns: N nodes; h_g instances of g GPUs run, of which any k_g depart.")
    nodes = s.declare("N")
    have = {g: s.declare(f"h_{g}") for g in geometry.sizes}
    gone = {g: s.declare(f"k_{g}") for g in geometry.sizes}
    s.require(nodes >= 1)
    for g in geometry.sizes:
        s.require(conj(gone[g] >= 0, gone[g] <= have[g]))
    width = {g: geometry.slot_width(g) if g > 1 else 0 for g in geometry.sizes}
    demand = s.define("T", total((g, n) for g, n in have.items()))
    slots = s.define("A", total((width[g], n) for g, n in have.items()))
    for index, chosen in enumerate(departures_looked_at(geometry)):
        less = sum(width[g] * k for g, k in chosen.items()), sum(g * k for g, k in chosen.items())
        there = conj(*(have[g] >= k for g, k in chosen.items()))
        after = slots - less[0], demand - less[1]
        slotted = _ceiling(s, f"slotted_{index}", after[0], capacity)
        what = " and ".join(f"{k} of {g} GPUs" for g, k in chosen.items()) or "nothing"
        s.require(implies(there, _fits(nodes, *after, slotted, capacity)), f"looked at: {what} departs")
    demand_left = demand - total((g, n) for g, n in gone.items())
    slots_left = slots - total((width[g], n) for g, n in gone.items())
    left = s.define("T_left", demand_left), s.define("A_left", slots_left)
    slotted = _ceiling(s, "slotted_left", left[1], capacity)
    meaning = "Looking at few small departures is exact: if those leave a place in Sigma, any departures do."
    claim.prove("exact", meaning, s, _fits(nodes, left[1], left[0], slotted, capacity))


def _repaired_closure(model: Model, claim: Claim) -> None:
    _same_formula(claim)
    _sufficient(claim)
    _exact(model, claim)
    if claim.capacity < 8:
        return  # a departure never leaves fillers beside an anchor: no slot has both a sibling and vacancy
    s = State(model, Script())
    s.script.require(conj(s.exclusion(), same(s["stray"], 1)), "one stray node, and nothing to refill")
    s.script.require(negation(s.enabled(model.merges)), "no two nodes can be merged")
    undone = [Entry(entry.after, entry.before) for entry in all_departures(model)]
    before = s.step(undone, ["vacancy", "free", *(name for _, name in model.kind_sums)])
    settled = conj(exclusion(before["vacancy"], before["free"]), _limits(s, before))
    s.script.require(settled, "one departure earlier the state was settled")
    claim.reach("needed", "Without a place in Sigma, a departure can leave a stray node that nothing merges.", s.script)
