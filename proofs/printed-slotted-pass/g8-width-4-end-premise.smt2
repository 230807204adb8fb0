; printed, G = 8, claim slotted-pass, obligation width-4-end-premise
; Not vacuous: the premises of width-4-end can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; in_r: nodes in the list N, apart from the source, with room for r more items; each has an item.
; items, room: of the source, which is in N. outside: nodes not in N with an item and room for another one.
(declare-const in_0 Int)
(declare-const in_1 Int)
(declare-const items Int)
(declare-const room Int)
(declare-const outside Int)
(assert (and (>= in_0 0) (>= in_1 0)))
(assert (and (>= items 0) (>= room 0) (>= outside 0)))
; items and room together fit on one node
(assert (<= (+ items room) 2))
; invariant: outside of N no node has an item and room for another one
(assert (= outside 0))
; fewer than 2 in N, or nothing moved
(assert (or (= (+ in_0 in_1) 0) (and (>= items 1) (= in_1 0))))
(check-sat)
