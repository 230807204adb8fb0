; printed, G = 2, claim pool-pass, obligation pool-end
; When the pass ends, at most one pool node is not full.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
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
; The goal, negated: unsat means that it always holds.
(assert (not (<= (+ (+ outside (ite (and (>= items 1) (>= room 1)) 1 0)) in_1) 1)))
(check-sat)
