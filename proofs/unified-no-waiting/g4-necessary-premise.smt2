; unified, G = 4, claim no-waiting, obligation necessary-premise
; Not vacuous: the premises of necessary can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
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
(define-fun slots () Int (+ (* 2 n_2) (* 4 n_3) (* 4 n_4) (* 2 n_21) (* 4 n_31) (* 4 n_22) (* 2 n_211)))
(define-fun demand () Int
  (+
   n_1 (* 2 n_2) (* 3 n_3) (* 4 n_4) (* 2 n_11) (* 3 n_21) (* 4 n_31) (* 4 n_22) (* 3 n_111) (* 4 n_211)
   (* 4 n_1111)))
(define-fun nodes () Int (+ n_0 n_1 n_2 n_3 n_4 n_11 n_21 n_31 n_22 n_111 n_211 n_1111))
(check-sat)
