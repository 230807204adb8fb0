; unified, G = 2, claim closure, obligation width
; W = max(A, T) never grows on a departure.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun slots () Int (* 2 n_2))
(define-fun demand () Int (+ n_1 (* 2 n_2) (* 2 n_11)))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_slots Int)
(declare-const d_demand Int)
(assert (or
         (and (= d_slots (- 2)) (= d_demand (- 2)) (> n_2 0))
         (and (= d_slots 0) (= d_demand (- 1)) (or (> n_1 0) (> n_11 0)))))
(define-fun slots_after () Int (+ slots d_slots))
(define-fun demand_after () Int (+ demand d_demand))
; The goal, negated: unsat means that it always holds.
(assert (not (<= (ite (>= slots_after demand_after) slots_after demand_after) (ite (>= slots demand) slots demand))))
(check-sat)
