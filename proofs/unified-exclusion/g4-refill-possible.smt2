; unified, G = 4, claim exclusion, obligation refill-possible
; While exclusion is broken some refill is possible.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_3 Int)
(declare-const n_4 Int)
(declare-const n_11 Int)
(declare-const n_21 Int)
(declare-const n_31 Int)
(declare-const n_22 Int)
(declare-const n_111 Int)
(declare-const n_211 Int)
(declare-const n_1111 Int)
(assert (and
         (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_3 0) (>= n_4 0) (>= n_11 0) (>= n_21 0) (>= n_31 0) (>= n_22 0)
         (>= n_111 0) (>= n_211 0) (>= n_1111 0)))
(define-fun vacancy () Int n_3)
(define-fun free () Int (+ n_1 (* 2 n_11) n_21 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
; exclusion is broken
(assert (not (or (= vacancy 0) (= free 0))))
; The goal, negated: unsat means that it always holds.
(assert (not (and (or (> n_1 0) (> n_11 0) (> n_21 0) (> n_111 0) (> n_211 0) (> n_1111 0)) (> n_3 0))))
(check-sat)
