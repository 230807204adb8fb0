"""What is true of the printed Compact for every N: each BestFitDrain pass, by itself (Lemmas A.3, A.4).

One pass drains nodes of items of one kind: 1-GPU instances of pool nodes, or slots of width c of slotted nodes. What
matters of a node is whether it is in the list ``N``, how many items it has, and its room in items. Proved, with any
node as the source and any host with room (hence for every tie-break and every order of ``N``):

* after the pool pass at most one pool node is not full (Lemma A.3);
* after the width-c pass at most one slotted node has a slot of width c and room for another one.

The second is what is left of Lemma A.4. "At most one slotted node is not full" does not follow: a width-4 pass never
touches ``{4,2}``, whose room is too small for a slot of 4, and the width-2 pass that follows leaves nodes with a slot
of 4 alone, any number of them. Rooms are those of ``room=floor``; the moves of a pass are decided one after another.
"""

from __future__ import annotations

from verification.smt_claim import Claim
from verification.smt_terms import Bool, Int, Script, conj, disj, negation, same, total


class _Pass:
    """A pass under way: ``items`` left on the source, ``in_r`` other nodes of N with room r, others outside of N."""

    def __init__(self, most_room: int) -> None:
        self.script = s = Script()
        s.note("in_r: nodes in the list N, apart from the source, with room for r more items; each has an item.")
        s.note(
            "items, room: of the source, which is in N. outside: nodes not in N with an item and room for another one."
        )
        self.rooms = {r: s.declare(f"in_{r}") for r in range(most_room + 1)}
        self.items, self.room, self.outside = s.declare("items"), s.declare("room"), s.declare("outside")
        s.require(conj(*(n >= 0 for n in self.rooms.values())))
        s.require(conj(self.items >= 0, self.room >= 0, self.outside >= 0))
        s.require(self.items + self.room <= most_room + 1, "items and room together fit on one node")

    @property
    def hosts(self) -> Int:
        """Other nodes of N with room for an item."""
        return total((1, n) for r, n in self.rooms.items() if r)

    @property
    def others(self) -> Int:
        """Other nodes of N."""
        return total((1, n) for n in self.rooms.values())

    def require_invariant(self) -> None:
        """Outside of N no node has both an item and room for another one."""
        self.script.require(
            same(self.outside, 0), "invariant: outside of N no node has an item and room for another one"
        )

    def left_over(self) -> Int:
        """Nodes with an item and room for another one."""
        source = Int("ite", (conj(self.items >= 1, self.room >= 1), Int("1"), Int("0")))
        return self.outside + source + self.hosts


def drain_claim(claim: Claim, prefix: str, most_room: int, what: str) -> None:
    """One pass ends with at most one node that has an item and room for another one.

    Args:
        claim: where the obligations go.
        prefix: starts their names.
        most_room: room of a node with one item, ``G / c - 1``.
        what: the conclusion in words.
    """
    p = _Pass(most_room)
    p.require_invariant()
    p.script.require(
        disj(same(p.others, 0), conj(p.items >= 1, same(p.hosts, 0))), "fewer than 2 in N, or nothing moved"
    )
    claim.prove(f"{prefix}-end", f"When the pass ends, {what}.", p.script, p.left_over() <= 1)

    p = _Pass(most_room)
    p.require_invariant()
    p.script.require(same(p.items, 0), "the source has no item left and is dropped from N")
    still = Int("ite", (conj(p.items >= 1, p.room >= 1), Int("1"), Int("0")))
    meaning = "Dropping an emptied source keeps the invariant: outside of N no node has an item and room."
    claim.prove(f"{prefix}-drop", meaning, p.script, same(p.outside + still, 0))

    p = _Pass(most_room)
    p.require_invariant()
    p.script.require(conj(p.items >= 1, p.hosts >= 1), "an item moves from the source to a host with room r")
    moved = {r: p.script.declare(f"after_{r}") for r in p.rooms}
    p.script.require(disj(*(_one_less(p, moved, r) for r in p.rooms if r)))
    fewer, roomier = p.items - 1, p.room + 1
    kept = conj(*(n >= 0 for n in moved.values()), same(total((1, n) for n in moved.values()), p.others))
    measure = conj(fewer >= 0, fewer + roomier <= most_room + 1)
    meaning = "A move keeps N and what is outside, and the source has one item less: the pass ends."
    claim.prove(f"{prefix}-move", meaning, p.script, conj(kept, measure))

    p = _Pass(most_room)
    p.script.require(negation(disj(same(p.others, 0), conj(p.items >= 1, same(p.hosts, 0)))), "the pass has not ended")
    meaning = "While the pass has not ended it can drop its source or move an item."
    claim.prove(f"{prefix}-goes-on", meaning, p.script, disj(same(p.items, 0), conj(p.items >= 1, p.hosts >= 1)))


def _one_less(p: _Pass, moved: dict[int, Int], room: int) -> Bool:
    """A host with this room takes an item."""
    change = {room: -1, room - 1: 1}
    return conj(p.rooms[room] >= 1, *(same(moved[r], p.rooms[r] + change.get(r, 0)) for r in moved))


def pool_pass_claim(claim: Claim) -> None:
    """After the pool pass at most one pool node is not full (Lemma A.3)."""
    drain_claim(claim, "pool", claim.capacity - 1, "at most one pool node is not full")


def width_pass_claim(claim: Claim, widths: tuple[int, ...]) -> None:
    """After the width-c pass at most one slotted node has a slot of width c and D >= c: what is left of Lemma A.4."""
    for width in widths[:-1]:
        what = f"at most one slotted node has a slot of width {width} and D >= {width}"
        drain_claim(claim, f"width-{width}", claim.capacity // width - 1, what)
