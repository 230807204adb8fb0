; printed, G = 8, claim pool-pass, obligation pool-goes-on
; While the pass has not ended it can drop its source or move an item.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; in_r: nodes in the list N, apart from the source, with room for r more items; each has an item.
; items, room: of the source, which is in N. outside: nodes not in N with an item and room for another one.
(declare-const in_0 Int)
(declare-const in_1 Int)
(declare-const in_2 Int)
(declare-const in_3 Int)
(declare-const in_4 Int)
(declare-const in_5 Int)
(declare-const in_6 Int)
(declare-const in_7 Int)
(declare-const items Int)
(declare-const room Int)
(declare-const outside Int)
(assert (and (>= in_0 0) (>= in_1 0) (>= in_2 0) (>= in_3 0) (>= in_4 0) (>= in_5 0) (>= in_6 0) (>= in_7 0)))
(assert (and (>= items 0) (>= room 0) (>= outside 0)))
; items and room together fit on one node
(assert (<= (+ items room) 8))
; the pass has not ended
(assert (not
         (or
          (= (+ in_0 in_1 in_2 in_3 in_4 in_5 in_6 in_7) 0)
          (and (>= items 1) (= (+ in_1 in_2 in_3 in_4 in_5 in_6 in_7) 0)))))
; The goal, negated: unsat means that it always holds.
(assert (not (or (= items 0) (and (>= items 1) (>= (+ in_1 in_2 in_3 in_4 in_5 in_6 in_7) 1)))))
(check-sat)
