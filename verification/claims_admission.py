"""Admission is exact, for every N and every m: who is admitted finds a host, and what is left has a place.

`unified` admits while ``W = max(A, T) <= G N``; that never grows on a departure. `repaired` admits while
``ceil(A / G) + ceil(P / G) <= N`` for the running instances and for all that any departures leave of them. An arrival
may take any host within the limits; the scheduler prefers some of them and merges only where it finds none.
"""

from __future__ import annotations

from compass.geometry import Geometry
from verification.claims_settled import (
    all_departures,
    arriving,
    limits_of,
    place,
    place_in_words,
    require_place,
    require_settled,
)
from verification.smt_claim import Claim
from verification.smt_model import Entry, Model, State, exclusion
from verification.smt_terms import Bool, Int, Script, conj, iff, implies, maximum, negation, same, total


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
    settled = conj(exclusion(before["vacancy"], before["free"]), limits_of(s, before))
    s.script.require(settled, "one departure earlier the state was settled")
    claim.reach("needed", "Without a place in Sigma, a departure can leave a stray node that nothing merges.", s.script)
