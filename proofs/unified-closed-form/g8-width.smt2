; unified, G = 8, claim closed-form, obligation width
; Under WCC, max(A, T) = T: ceil(T / G) nodes are enough for admission.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; n_g: running instances of g GPUs, of any composition
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_3 Int)
(declare-const n_4 Int)
(declare-const n_5 Int)
(declare-const n_6 Int)
(declare-const n_7 Int)
(declare-const n_8 Int)
(assert (and (>= n_1 0) (>= n_2 0) (>= n_3 0) (>= n_4 0) (>= n_5 0) (>= n_6 0) (>= n_7 0) (>= n_8 0)))
(define-fun T () Int (+ n_1 (* 2 n_2) (* 3 n_3) (* 4 n_4) (* 5 n_5) (* 6 n_6) (* 7 n_7) (* 8 n_8)))
(define-fun A () Int (+ (* 2 n_2) (* 4 n_3) (* 4 n_4) (* 8 n_5) (* 8 n_6) (* 8 n_7) (* 8 n_8)))
(define-fun V () Int (+ n_3 (* 3 n_5) (* 2 n_6) n_7))
; WCC: n_1 >= V
(assert (>= n_1 V))
; The goal, negated: unsat means that it always holds.
(assert (not (= (ite (>= A T) A T) T)))
(check-sat)
