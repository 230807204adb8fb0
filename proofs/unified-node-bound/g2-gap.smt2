; unified, G = 2, claim node-bound, obligation gap
; gap + T = G busy, so G divides T just where it divides gap, the idle GPUs on busy nodes.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun gap () Int n_1)
(define-fun demand () Int (+ n_1 (* 2 n_2) (* 2 n_11)))
(define-fun busy () Int (+ n_1 n_2 n_11))
; The goal, negated: unsat means that it always holds.
(assert (not (= (+ gap demand) (* 2 busy))))
(check-sat)
