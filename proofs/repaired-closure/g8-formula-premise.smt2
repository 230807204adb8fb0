; repaired, G = 8, claim closure, obligation formula-premise
; Not vacuous: the premises of formula can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: N nodes, slots of total width A, demand T; of any composition.
(declare-const N Int)
(declare-const A Int)
(declare-const T Int)
(assert (and (>= N 1) (>= A 0) (>= T 0)))
(declare-const slotted_needed Int)
; slotted_needed = ceil(. / G)
(assert (and (<= A (* 8 slotted_needed)) (< (* 8 slotted_needed) (+ A 8))))
(declare-const pool_needed Int)
; pool_needed = ceil(. / G)
(assert (and
         (<= (ite (>= (- T A) 0) (- T A) 0) (* 8 pool_needed))
         (< (* 8 pool_needed) (+ (ite (>= (- T A) 0) (- T A) 0) 8))))
(check-sat)
