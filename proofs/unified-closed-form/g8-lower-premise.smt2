; unified, G = 8, claim closed-form, obligation lower-premise
; Not vacuous: the premises of lower can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; x_l: nodes of load l in any packing at all
(declare-const x_1 Int)
(declare-const x_2 Int)
(declare-const x_3 Int)
(declare-const x_4 Int)
(declare-const x_5 Int)
(declare-const x_6 Int)
(declare-const x_7 Int)
(declare-const x_8 Int)
(assert (and (>= x_1 0) (>= x_2 0) (>= x_3 0) (>= x_4 0) (>= x_5 0) (>= x_6 0) (>= x_7 0) (>= x_8 0)))
(declare-const q Int)
(declare-const r Int)
; r = gap mod G, 0 just where G divides T
(assert (and (= (+ (* 7 x_1) (* 6 x_2) (* 5 x_3) (* 4 x_4) (* 3 x_5) (* 2 x_6) x_7) (+ (* 8 q) r)) (>= r 0) (< r 8)))
(check-sat)
