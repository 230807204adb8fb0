; repaired, G = 2, claim saturation, obligation balance
; n_1 - V of the composition is free - vacancy of the state, in every state.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun ones () Int (+ n_1 (* 2 n_11)))
(define-fun wanted () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
(define-fun vacancy () Int 0)
; The goal, negated: unsat means that it always holds.
(assert (not (= (- ones wanted) (- free vacancy))))
(check-sat)
