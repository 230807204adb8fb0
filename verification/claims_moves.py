"""How many instances an event moves, for every N: a constant for each instance that comes or goes.

For departures, and for `repaired` altogether, the constant does not depend on N or m. An arrival under `unified` may
have to merge open nodes first, at most m - 1 times. ``r = min(vacancy, free)`` refills follow
the arrival or departure (claim termination), then merges. The bounds on merges use that a refill prefers donors by
kind: stray, open pool, open, covered. What they count is an upper bound; :mod:`verification.most_moves` has exact
constants.
"""

from __future__ import annotations

from typing import NamedTuple

from verification.claims_settled import all_departures, all_hosts, limits_of, require_settled
from verification.smt_claim import Claim
from verification.smt_model import Model, State
from verification.smt_terms import Bool, Int, conj, disj, maximum, minimum, same

ZERO, ONE = Int("0"), Int("1")


class MoveBounds(NamedTuple):
    """Proved upper bounds on moved instances, of one geometry and variant.

    Attributes:
        merge: of one merge.
        departure: of a departing instance, with everything that follows.
        host: of an arriving anchor, up to the refills that follow.
        merges_after: merges after an arrival.
    """

    merge: int
    departure: int
    host: int
    merges_after: int

    def arrival(self, open_nodes: int = 1) -> int:
        """Of an arriving instance with everything before and after, where at most this many nodes are open."""
        return self.merge * (open_nodes - 1) + self.host + self.merge * self.merges_after


UNIFIED = {2: MoveBounds(1, 1, 1, 0), 4: MoveBounds(2, 3, 2, 1), 8: MoveBounds(4, 5, 5, 2)}
REPAIRED = {2: MoveBounds(1, 1, 0, 0), 4: MoveBounds(2, 4, 1, 0), 8: MoveBounds(4, 8, 3, 0)}
STRAY_COSTS = {2: (0, 1, 0), 4: (2, 2, 1), 8: (4, 4, 2)}
"""What a stray node, a pool node too many and an open slotted node too many can cost in merges (`repaired`)."""


def moves_claim(model: Model, claim: Claim) -> None:
    """A constant bound on the moved instances, for each instance that comes or goes."""
    bounds = (UNIFIED if model.dial else REPAIRED)[claim.capacity]

    def hosted(s: State) -> Bool:
        require_settled(s)
        after = s.step(all_hosts(model), ["vacancy", "free", "moves"], within_limits=True)
        refills = s.script.define("refills", minimum(after["vacancy"], after["free"]))
        return conj(after["moves"] + refills <= bounds.host, refills <= most_refills)

    most_refills = max(model.geometry.wcc_coefficients)
    meaning = (
        f"Installing an anchor and the refills that follow move at most {bounds.host} instances;"
        f" there are at most {most_refills} refills."
    )
    claim.about(model, "host", meaning, hosted)
    if model.dial:
        _unified_departure(model, claim, bounds)
        _unified_arrival(model, claim, bounds)
    else:
        _repaired_departure(model, claim, bounds)
        if model.has_vacancies:

            def stays(s: State) -> Bool:
                s.script.require(s.limits(), "no kind of node is over its limit")
                return limits_of(s, s.step(model.refills, [name for _, name in model.kind_sums], preferred=True))

            meaning = "A refill from the preferred donor keeps the limits: no merge follows an arrival."
            claim.about(model, "arrival-merges", meaning, stays)


def _merge_cost(model: Model, claim: Claim, most: int) -> None:
    def cost(s: State) -> Bool:
        s.script.require(s.exclusion(), "exclusion: no vacancy beside a free instance")
        if not model.dial:
            s.script.require(s["stray"] <= 1, "at most one node is stray")
        return s.step(model.merges, ["moves"])["moves"] <= most

    claim.about(model, "merge", f"A merge in a state with exclusion moves at most {most} instances.", cost)


def _unified_departure(model: Model, claim: Claim, bounds: MoveBounds) -> None:
    """Departure, r refills, and one merge at most, as at most m + 1 nodes are open then."""
    _merge_cost(model, claim, bounds.merge)
    names = ["open", "open_donors", "donors", "vacancy", "free"]

    def few_open(s: State, v: dict[str, Int]) -> Bool:
        one_donor = conj(v["donors"] <= 1, v["open"] - v["open_donors"] <= s.m)
        one_vacancy = conj(v["vacancy"] <= 1, v["open"] <= s.m)
        no_refill = conj(disj(same(v["free"], 0), same(v["vacancy"], 0)), v["open"] <= s.m + 1)
        return disj(one_donor, one_vacancy, no_refill)

    def departed(s: State) -> Bool:
        require_settled(s)
        return few_open(s, s.step(all_departures(model), names))

    def refilled(s: State) -> Bool:
        s.script.require(few_open(s, {name: s[name] for name in names}), "as after a departure")
        return few_open(s, s.step(model.refills, names))

    def one_merge(s: State) -> Bool:
        s.script.require(few_open(s, {name: s[name] for name in names}), "as after a departure and refills")
        return s["open"] <= s.m + 1

    meaning = "After a departure all donors but one are spent, or one vacancy is left, or no refill is possible."
    claim.about(model, "departure-start", meaning, departed)
    if model.has_vacancies:
        claim.about(model, "departure-refill", "Refills keep this.", refilled)
    claim.about(model, "departure-merges", "So at most m + 1 nodes are open: one merge is enough.", one_merge)

    def in_all(s: State) -> Bool:
        require_settled(s)
        after = s.step(all_departures(model), ["vacancy", "free"])
        refills = s.script.define("refills", minimum(after["vacancy"], after["free"]))
        s.script.note(
            "The merge, if any: its moves, and vacancy and free instances of the two nodes, of those then left."
        )
        moves, vacancy, free = (s.script.declare(f"merge_{name}") for name in ("moves", "vacancy", "free"))
        kinds = {
            (entry.moves, sum(t.vacancy for t in entry.before), sum(t.free for t in entry.before))
            for entry in model.merges
        }
        merge = disj(
            *(conj(same(moves, c), same(vacancy, v), same(free, f)) for c, v, f in sorted({(0, 0, 0)} | kinds))
        )
        left = conj(vacancy <= after["vacancy"] - refills, free <= after["free"] - refills)
        s.script.require(conj(merge, left))
        return refills + moves <= bounds.departure

    claim.about(model, "departure", f"A departure moves at most {bounds.departure} instances in all.", in_all)


def _unified_arrival(model: Model, claim: Claim, bounds: MoveBounds) -> None:
    """Refills use covered donors one after another, so after r of them at most (r + 1) / 2 more nodes are open."""
    if not model.has_vacancies:
        return
    most = max(model.geometry.wcc_coefficients)

    def bounded(over: Int, refills: Int, left: Int) -> Bool:
        return 2 * over <= refills + Int("ite", (left >= 1, ONE, ZERO))

    def refilled(s: State) -> Bool:
        refills = s.script.declare("refills")
        s.script.require(bounded(s["open"] - s.m, refills, s["open_free"]), "after so many refills; open <= m at 0")
        after = s.step(model.refills, ["open", "open_free"], preferred=True)
        return bounded(after["open"] - s.m, refills + 1, after["open_free"])

    meaning = (
        "Twice the open nodes beyond m are at most the refills so far, and one if an open node has free instances."
    )
    claim.about(model, "arrival-open", meaning, refilled)

    def merges(s: State) -> Bool:
        refills = s.script.declare("refills")
        s.script.require(conj(refills >= 0, refills <= most), "all refills are done")
        s.script.require(bounded(s["open"] - s.m, refills, s["open_free"]), "as proved for refills")
        return s["open"] - s.m <= bounds.merges_after

    claim.about(model, "arrival-merges", f"So at most {bounds.merges_after} merges follow an arrival.", merges)


def _repaired_departure(model: Model, claim: Claim, bounds: MoveBounds) -> None:
    """Departure, u refills, then merges that a budget pays for."""
    _merge_cost(model, claim, bounds.merge)
    names = ["stray", "open_pool", "open", "vacancy", "free", "donors"]
    costs = STRAY_COSTS[claim.capacity]

    def excess(value: Int) -> Int:
        return maximum(value - 1, ZERO)

    def budget(v: dict[str, Int]) -> Int:
        return costs[0] * v["stray"] + costs[1] * excess(v["open_pool"] + v["stray"]) + costs[2] * excess(v["open"])

    def paid(s: State) -> Bool:
        s.script.require(conj(s.exclusion(), s["stray"] <= 1), "refills are done, at most one node is stray")
        before = {name: s[name] for name in names}
        after = s.step(model.merges, [*names[:3], "moves"])
        return after["moves"] <= budget(before) - budget(after)

    meaning = (
        f"A merge costs what it takes off the budget {costs[0]} stray + {costs[1]} max(0, open_pool + stray - 1)"
        f" + {costs[2]} max(0, open - 1)."
    )
    claim.about(model, "merge-budget", meaning, paid)

    def underway(v: dict[str, Int], refills: Int) -> Bool:
        most = max(model.geometry.wcc_coefficients)
        beside = v["stray"] + v["open_pool"]
        from_one = conj(v["donors"] <= 1, refills + v["free"] <= most, beside <= v["donors"], beside + v["open"] <= 2)
        over = v["stray"] + excess(v["open_pool"]) + excess(v["open"])
        into_one = conj(refills + v["vacancy"] <= 1, over <= 1, v["open_pool"] <= 2)
        quiet = disj(same(refills + v["vacancy"], 0), same(over, 0))
        return disj(from_one, conj(into_one, quiet))

    def departed(s: State) -> Bool:
        require_settled(s)
        return underway(s.step(all_departures(model), names), ZERO)

    def refilled(s: State) -> Bool:
        refills = s.script.declare("refills")
        s.script.require(refills >= 0)
        s.script.require(underway({name: s[name] for name in names}, refills), "after so many refills")
        return underway(s.step(model.refills, names, preferred=True), refills + 1)

    def in_all(s: State) -> Bool:
        refills = s.script.declare("refills")
        s.script.require(refills >= 0)
        now = {name: s[name] for name in names}
        s.script.require(conj(underway(now, refills), s.exclusion()), "after a departure and all its refills")
        return refills + budget(now) <= bounds.departure

    meaning = "After a departure all free instances are on one node, or at most one vacancy is to be filled."
    claim.about(model, "departure-start", meaning, departed)
    if model.has_vacancies:
        claim.about(model, "departure-refill", "Refills from the preferred donor keep this.", refilled)
    meaning = f"Refills and the budget of the merges: a departure moves at most {bounds.departure} instances in all."
    claim.about(model, "departure", meaning, in_all)
