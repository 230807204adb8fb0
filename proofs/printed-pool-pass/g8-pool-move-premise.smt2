; printed, G = 8, claim pool-pass, obligation pool-move-premise
; Not vacuous: the premises of pool-move can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
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
; invariant: outside of N no node has an item and room for another one
(assert (= outside 0))
; an item moves from the source to a host with room r
(assert (and (>= items 1) (>= (+ in_1 in_2 in_3 in_4 in_5 in_6 in_7) 1)))
(declare-const after_0 Int)
(declare-const after_1 Int)
(declare-const after_2 Int)
(declare-const after_3 Int)
(declare-const after_4 Int)
(declare-const after_5 Int)
(declare-const after_6 Int)
(declare-const after_7 Int)
(assert (or
         (and
          (>= in_1 1) (= after_0 (+ in_0 1)) (= after_1 (+ in_1 (- 1))) (= after_2 (+ in_2 0))
          (= after_3 (+ in_3 0)) (= after_4 (+ in_4 0)) (= after_5 (+ in_5 0)) (= after_6 (+ in_6 0))
          (= after_7 (+ in_7 0)))
         (and
          (>= in_2 1) (= after_0 (+ in_0 0)) (= after_1 (+ in_1 1)) (= after_2 (+ in_2 (- 1)))
          (= after_3 (+ in_3 0)) (= after_4 (+ in_4 0)) (= after_5 (+ in_5 0)) (= after_6 (+ in_6 0))
          (= after_7 (+ in_7 0)))
         (and
          (>= in_3 1) (= after_0 (+ in_0 0)) (= after_1 (+ in_1 0)) (= after_2 (+ in_2 1))
          (= after_3 (+ in_3 (- 1))) (= after_4 (+ in_4 0)) (= after_5 (+ in_5 0)) (= after_6 (+ in_6 0))
          (= after_7 (+ in_7 0)))
         (and
          (>= in_4 1) (= after_0 (+ in_0 0)) (= after_1 (+ in_1 0)) (= after_2 (+ in_2 0)) (= after_3 (+ in_3 1))
          (= after_4 (+ in_4 (- 1))) (= after_5 (+ in_5 0)) (= after_6 (+ in_6 0)) (= after_7 (+ in_7 0)))
         (and
          (>= in_5 1) (= after_0 (+ in_0 0)) (= after_1 (+ in_1 0)) (= after_2 (+ in_2 0)) (= after_3 (+ in_3 0))
          (= after_4 (+ in_4 1)) (= after_5 (+ in_5 (- 1))) (= after_6 (+ in_6 0)) (= after_7 (+ in_7 0)))
         (and
          (>= in_6 1) (= after_0 (+ in_0 0)) (= after_1 (+ in_1 0)) (= after_2 (+ in_2 0)) (= after_3 (+ in_3 0))
          (= after_4 (+ in_4 0)) (= after_5 (+ in_5 1)) (= after_6 (+ in_6 (- 1))) (= after_7 (+ in_7 0)))
         (and
          (>= in_7 1) (= after_0 (+ in_0 0)) (= after_1 (+ in_1 0)) (= after_2 (+ in_2 0)) (= after_3 (+ in_3 0))
          (= after_4 (+ in_4 0)) (= after_5 (+ in_5 0)) (= after_6 (+ in_6 1)) (= after_7 (+ in_7 (- 1))))))
(check-sat)
