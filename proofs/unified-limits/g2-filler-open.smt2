; unified, G = 2, claim limits, obligation filler-open
; A 1-GPU instance on an open node keeps the limits.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun open () Int n_1)
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
; no kind of node is over its limit
(assert (<= open m))
; a vacancy would have been taken first
(assert (= vacancy 0))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_open Int)
(assert (and (= d_open (- 1)) (> n_1 0)))
(define-fun open_after () Int (+ open d_open))
; The goal, negated: unsat means that it always holds.
(assert (not (<= open_after m)))
(check-sat)
