; repaired, G = 2, claim closure, obligation sufficient
; T <= G (N - 1) and A <= G N are enough for a place in Sigma, and no departure raises T or A.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: N nodes, slots of total width A, demand T; of any composition.
(declare-const N Int)
(declare-const A Int)
(declare-const T Int)
(assert (and (>= N 1) (>= A 0) (>= T 0)))
; T <= G (N - 1) and A <= G N
(assert (and (<= T (* 2 (- N 1))) (<= A (* 2 N))))
(declare-const slotted_needed Int)
; slotted_needed = ceil(. / G)
(assert (and (<= A (* 2 slotted_needed)) (< (* 2 slotted_needed) (+ A 2))))
(declare-const pool_needed Int)
; pool_needed = ceil(. / G)
(assert (and
         (<= (ite (>= (- T A) 0) (- T A) 0) (* 2 pool_needed))
         (< (* 2 pool_needed) (+ (ite (>= (- T A) 0) (- T A) 0) 2))))
; The goal, negated: unsat means that it always holds.
(assert (not (<= (+ slotted_needed pool_needed) N)))
(check-sat)
