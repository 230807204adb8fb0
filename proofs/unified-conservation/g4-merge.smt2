; unified, G = 4, claim conservation, obligation merge
; A merge keeps N, T, A, n_1 and V of the composition.
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
(define-fun nodes () Int (+ n_0 n_1 n_2 n_3 n_4 n_11 n_21 n_31 n_22 n_111 n_211 n_1111))
(define-fun demand () Int
  (+
   n_1 (* 2 n_2) (* 3 n_3) (* 4 n_4) (* 2 n_11) (* 3 n_21) (* 4 n_31) (* 4 n_22) (* 3 n_111) (* 4 n_211)
   (* 4 n_1111)))
(define-fun slots () Int (+ (* 2 n_2) (* 4 n_3) (* 4 n_4) (* 2 n_21) (* 4 n_31) (* 4 n_22) (* 2 n_211)))
(define-fun ones () Int (+ n_1 (* 2 n_11) n_21 n_31 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
(define-fun wanted () Int (+ n_3 n_31))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_nodes Int)
(declare-const d_demand Int)
(declare-const d_slots Int)
(declare-const d_ones Int)
(declare-const d_wanted Int)
(assert (and
         (= d_nodes 0) (= d_demand 0) (= d_slots 0) (= d_ones 0) (= d_wanted 0)
         (or
          (>= n_1 2) (>= n_2 2) (>= n_11 2) (>= n_21 2) (>= n_111 2)
          (and (> n_1 0) (or (> n_2 0) (> n_11 0) (> n_21 0) (> n_111 0)))
          (and (> n_2 0) (or (> n_11 0) (> n_21 0) (> n_111 0))) (and (> n_11 0) (or (> n_21 0) (> n_111 0)))
          (and (> n_21 0) (> n_111 0)))))
(define-fun nodes_after () Int (+ nodes d_nodes))
(define-fun demand_after () Int (+ demand d_demand))
(define-fun slots_after () Int (+ slots d_slots))
(define-fun ones_after () Int (+ ones d_ones))
(define-fun wanted_after () Int (+ wanted d_wanted))
; The goal, negated: unsat means that it always holds.
(assert (not
         (and
          (= nodes_after nodes) (= demand_after demand) (= slots_after slots) (= ones_after ones)
          (= wanted_after wanted))))
(check-sat)
