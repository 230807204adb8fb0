"""What the invariant gives, for every N and every m: saturation, node counts, SIF, the value of Phi*, moves.

``nu`` is the number of partial nodes, ``delta = max(0, V - n_1)`` the deficit of 1-GPU instances. WCC now is
``n_1 >= V``; nothing is assumed about the past except that the state is settled.
"""

from __future__ import annotations

from collections.abc import Callable

from compass.shapes import Shape
from verification.claims_settled import require_settled
from verification.smt_claim import Claim
from verification.smt_model import Model, State
from verification.smt_terms import Bool, Int, Script, conj, maximum, same, total


def _require_wcc(s: State) -> None:
    s.script.require(s["ones"] >= s["wanted"], "WCC now: n_1 >= V")


def saturation_claim(model: Model, claim: Claim) -> None:
    """Under WCC no slot has a vacancy (Lemma A.2)."""

    def saturated(s: State) -> Bool:
        require_settled(s)
        _require_wcc(s)
        return same(s["vacancy"], 0)

    claim.about(model, "saturated", "In a settled state in which WCC holds no slot has vacancy.", saturated)

    def balance(s: State) -> Bool:
        return same(s["ones"] - s["wanted"], s["free"] - s["vacancy"])

    claim.about(model, "balance", "n_1 - V of the composition is free - vacancy of the state, in every state.", balance)

    def deficit(s: State) -> Bool:
        require_settled(s)
        return same(s["vacancy"], s.deficit())

    claim.about(model, "deficit", "In a settled state the vacancy left is just delta.", deficit)

    def unsaturated(s: State) -> Bool:
        require_settled(s)
        return conj(s["wanted"] > s["ones"], s["vacancy"] > 0)

    if model.has_vacancies:
        claim.example(model, "wcc-needed", "Without WCC a settled state can have vacancy.", unsaturated)


def node_bound_claim(model: Model, claim: Claim) -> None:
    """``nu <= m`` (`unified`) and ``nu <= 2`` (`repaired`) under WCC; with delta more in general."""
    bound: Callable[[State], Int] = (lambda s: s.m) if model.dial else (lambda s: Int("2"))
    shown = "m" if model.dial else "2"

    def under_wcc(s: State) -> Bool:
        require_settled(s)
        _require_wcc(s)
        return s["partial"] <= bound(s)

    claim.about(model, "wcc", f"Under WCC at most {shown} nodes are partial.", under_wcc)

    def limit(s: State) -> Int:
        return s.m + s.deficit() if model.dial else maximum(s.deficit(), Int("1")) + 1

    def in_general(s: State) -> Bool:
        require_settled(s)
        return s["partial"] <= limit(s)

    general = "m + delta" if model.dial else "1 + max(1, delta)"
    claim.about(model, "general", f"Always at most {general} nodes are partial.", in_general)
    if model.dial:

        def single(s: State) -> Bool:
            require_settled(s)
            _require_wcc(s)
            s.script.require(same(s.m, 1), "m = 1")
            return same(s["partial"], _remainder(s.script, s["gap"], claim.capacity))

        claim.about(model, "single", "For m = 1 under WCC, nu = [T mod G != 0].", single)
        meaning = "gap + T = G busy, so G divides T just where it divides gap, the idle GPUs on busy nodes."
        gap = lambda s: same(s["gap"] + s["demand"], claim.capacity * s["busy"])  # noqa: E731
        claim.about(model, "gap", meaning, gap)
    _tight(model, claim, limit)


def _remainder(s: Script, gap: Int, capacity: int) -> Int:
    """``[T mod G != 0]``, which is ``[gap mod G != 0]`` as ``T + gap`` is a multiple of G."""
    q, r = s.declare("q"), s.declare("r")
    s.require(conj(same(gap, capacity * q + r), r >= 0, r < capacity), "r = gap mod G, 0 just where G divides T")
    return Int("ite", (same(r, 0), Int("0"), Int("1")))


def _require_just(s: State, chosen: dict[Shape, Int], idle: Int) -> None:
    fixed = [same(n, chosen.get(shape, Int("0"))) for shape, n in s.counts.items() if shape.load]
    s.script.require(conj(*fixed, same(s["empty"], idle)), "the state: no other nodes than these")


def _tight(model: Model, claim: Claim, limit: Callable[[State], Int]) -> None:
    """For every N, m, delta that leave room for it there is a settled state that reaches the bound."""
    largest, halves = model.table.of([claim.capacity - 1]), model.table.of([claim.capacity // 2])
    if largest is None or halves is None:
        return

    def general(s: State) -> Bool:
        delta, idle = s.script.declare("delta"), s.script.declare("idle")
        s.script.require(conj(delta >= (0 if model.dial else 1), idle >= 0), "any deficit, any number of empty nodes")
        _require_just(s, {halves: s.m if model.dial else Int("1"), largest: delta}, idle)
        return conj(s.settled(), same(s.deficit(), delta), same(s["partial"], limit(s)))

    if largest.vacancy:
        whom = "m nodes with G/2 GPUs" if model.dial else "one node with G/2 GPUs"
        meaning = (
            f"{whom} and delta anchors of G - 1 GPUs are settled and reach the bound, for every N >= their number."
        )
        claim.about(model, "tight", meaning, general)

    def under_wcc(s: State) -> Bool:
        idle = s.script.declare("idle")
        s.script.require(idle >= 0, "any number of empty nodes")
        pool = model.table.of([1] * (claim.capacity // 2))
        chosen = {halves: s.m} if model.dial else {halves: Int("1"), pool: Int("1")} if pool else {}
        _require_just(s, chosen, idle)
        reached = same(s["partial"], s.m if model.dial else 2)
        return conj(s.settled(), s["ones"] >= s["wanted"], reached)

    if halves.slotted:
        meaning = "Anchors of G/2, one a node" if model.dial else "An anchor of G/2 and G/2 pool instances"
        claim.about(
            model, "tight-wcc", f"{meaning}, are settled and reach the bound under WCC, for every N.", under_wcc
        )


def sif_bound_claim(model: Model, claim: Claim) -> None:
    """Avoidable partial nodes under WCC, against any packing of the same demand: SIF is this over N.

    With closed-form, lower, also ``nu - Phi* <= m - [T mod G != 0]``.
    """
    capacity = claim.capacity

    def against_any(s: State) -> Int:
        """The partial nodes of an arbitrary packing of the same demand, of which x_l nodes have load l < G."""
        s.script.note("x_l: nodes of load l in any packing of the same instances, Phi* being the best of them;")
        s.script.note("more_busy: how many busy nodes that packing has more than the state (full ones included)")
        loads = [(load, s.script.declare(f"x_{load}")) for load in range(1, capacity)]
        more = s.script.declare("more_busy")
        gap = total((capacity - load, x) for load, x in loads)
        same_demand = same(gap - s["gap"], capacity * more)
        s.script.require(conj(*(x >= 0 for _, x in loads), same_demand), "same demand: T = G busy - gap of both")
        return total((1, x) for _, x in loads)

    def bounded(s: State) -> Bool:
        require_settled(s)
        _require_wcc(s)
        best = against_any(s)
        return s["partial"] - best <= (s.m if model.dial else 2)

    shown = "m" if model.dial else "2"
    claim.about(model, "wcc", f"Under WCC, nu - Phi* <= {shown}, so SIF <= {shown}/N.", bounded)
    if not model.dial:
        return

    def none(s: State) -> Bool:
        require_settled(s)
        _require_wcc(s)
        s.script.require(same(s.m, 1), "m = 1")
        return s["partial"] <= against_any(s)

    claim.about(model, "single", "For m = 1 under WCC no packing has fewer partial nodes: SIF = 0.", none)

    halves, quarter = (model.table.of([max(1, capacity // parts)]) for parts in (2, 4))
    if halves is None or quarter is None or capacity < 4:
        return

    def reached(s: State) -> Bool:
        k, odd, idle = (s.script.declare(name) for name in ("k", "odd", "idle"))
        s.script.require(conj(k >= 1, odd >= 0, odd <= 1, idle >= 0, same(s.m, 2 * k + odd)), "any m >= 2: 2 k + odd")
        chosen = {halves: s.m - 2 * odd, quarter: 2 * odd}
        _require_just(s, chosen, idle)
        multiple = same(s["gap"], capacity * (k + odd))
        return conj(s.settled(), s["ones"] >= s["wanted"], same(s["partial"], s.m), multiple)

    meaning = "m loads of G/2 (for odd m two of them of G/4) reach nu = m where G divides T and Phi* = 0, for m >= 2."
    claim.about(model, "tight", meaning, reached)


def closed_form_claim(model: Model, claim: Claim) -> None:
    """Under WCC, Phi* = [T mod G != 0] (appendix C.2).

    No packing is better (lower). One that good exists: `unified` with m = 1 takes the instances of any composition with
    max(A, T) <= G N in turn (claim no-waiting), when WCC holds on any N >= ceil(T / G) nodes (width); it ends settled
    (exclusion, limits, termination), and then nu = [T mod G != 0] (node-bound, single).
    """
    capacity = claim.capacity
    s = Script()
    s.note("x_l: nodes of load l in any packing at all")
    loads = [(load, s.declare(f"x_{load}")) for load in range(1, capacity + 1)]
    s.require(conj(*(x >= 0 for _, x in loads)))
    least = _remainder(s, total((capacity - load, x) for load, x in loads), capacity)
    partial = total((1, x) for load, x in loads if load < capacity)
    claim.prove("lower", "Every packing has at least [T mod G != 0] partial nodes.", s, partial >= least)

    s = Script()
    s.note("n_g: running instances of g GPUs, of any composition")
    geometry = model.geometry
    counts = [(g, s.declare(f"n_{g}")) for g in geometry.sizes]
    s.require(conj(*(n >= 0 for _, n in counts)))
    demand = s.define("T", total(counts))
    slots = s.define("A", total((geometry.slot_width(g), n) for g, n in counts if g > 1))
    wanted = s.define("V", total((geometry.vacancy(g), n) for g, n in counts if g > 1))
    s.require(counts[0][1] >= wanted, "WCC: n_1 >= V")
    claim.prove(
        "width",
        "Under WCC, max(A, T) = T: ceil(T / G) nodes are enough for admission.",
        s,
        same(maximum(slots, demand), demand),
    )
