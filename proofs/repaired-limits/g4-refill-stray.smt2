; repaired, G = 4, claim limits, obligation refill-stray
; A refill leaves at most one node stray.
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
(define-fun stray () Int (+ n_21 n_211))
; at most one node is stray
(assert (<= stray 1))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_stray Int)
(assert (or
         (and (= d_stray (- 1)) (and (> n_21 0) (> n_3 0)))
         (and (= d_stray 0) (and (or (> n_1 0) (> n_11 0) (> n_111 0) (> n_211 0) (> n_1111 0)) (> n_3 0)))))
(define-fun stray_after () Int (+ stray d_stray))
; The goal, negated: unsat means that it always holds.
(assert (not (<= stray_after 1)))
(check-sat)
