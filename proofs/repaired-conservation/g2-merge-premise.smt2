; repaired, G = 2, claim conservation, obligation merge-premise
; Not vacuous: the premises of merge can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun nodes () Int (+ n_0 n_1 n_2 n_11))
(define-fun demand () Int (+ n_1 (* 2 n_2) (* 2 n_11)))
(define-fun slots () Int (* 2 n_2))
(define-fun ones () Int (+ n_1 (* 2 n_11)))
(define-fun wanted () Int 0)
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_nodes Int)
(declare-const d_demand Int)
(declare-const d_slots Int)
(declare-const d_ones Int)
(declare-const d_wanted Int)
(assert (and (= d_nodes 0) (= d_demand 0) (= d_slots 0) (= d_ones 0) (= d_wanted 0) (>= n_1 2)))
(define-fun nodes_after () Int (+ nodes d_nodes))
(define-fun demand_after () Int (+ demand d_demand))
(define-fun slots_after () Int (+ slots d_slots))
(define-fun ones_after () Int (+ ones d_ones))
(define-fun wanted_after () Int (+ wanted d_wanted))
(check-sat)
