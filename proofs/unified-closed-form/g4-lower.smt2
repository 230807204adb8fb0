; unified, G = 4, claim closed-form, obligation lower
; Every packing has at least [T mod G != 0] partial nodes.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; x_l: nodes of load l in any packing at all
(declare-const x_1 Int)
(declare-const x_2 Int)
(declare-const x_3 Int)
(declare-const x_4 Int)
(assert (and (>= x_1 0) (>= x_2 0) (>= x_3 0) (>= x_4 0)))
(declare-const q Int)
(declare-const r Int)
; r = gap mod G, 0 just where G divides T
(assert (and (= (+ (* 3 x_1) (* 2 x_2) x_3) (+ (* 4 q) r)) (>= r 0) (< r 4)))
; The goal, negated: unsat means that it always holds.
(assert (not (>= (+ x_1 x_2 x_3) (ite (= r 0) 0 1))))
(check-sat)
