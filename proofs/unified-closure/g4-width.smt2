; unified, G = 4, claim closure, obligation width
; W = max(A, T) never grows on a departure.
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
(define-fun slots () Int (+ (* 2 n_2) (* 4 n_3) (* 4 n_4) (* 2 n_21) (* 4 n_31) (* 4 n_22) (* 2 n_211)))
(define-fun demand () Int
  (+
   n_1 (* 2 n_2) (* 3 n_3) (* 4 n_4) (* 2 n_11) (* 3 n_21) (* 4 n_31) (* 4 n_22) (* 3 n_111) (* 4 n_211)
   (* 4 n_1111)))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_slots Int)
(declare-const d_demand Int)
(assert (or
         (and (= d_slots (- 4)) (= d_demand (- 4)) (> n_4 0))
         (and (= d_slots (- 4)) (= d_demand (- 3)) (or (> n_3 0) (> n_31 0)))
         (and (= d_slots (- 2)) (= d_demand (- 2)) (or (> n_2 0) (> n_21 0) (> n_22 0) (> n_211 0)))
         (and
          (= d_slots 0) (= d_demand (- 1))
          (or (> n_1 0) (> n_11 0) (> n_21 0) (> n_31 0) (> n_111 0) (> n_211 0) (> n_1111 0)))))
(define-fun slots_after () Int (+ slots d_slots))
(define-fun demand_after () Int (+ demand d_demand))
; The goal, negated: unsat means that it always holds.
(assert (not (<= (ite (>= slots_after demand_after) slots_after demand_after) (ite (>= slots demand) slots demand))))
(check-sat)
