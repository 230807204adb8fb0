; repaired, G = 2, claim termination, obligation merge-premise
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
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
; exclusion: min(vacancy, free) = 0, and stays 0 (claim exclusion)
(assert (or (= vacancy 0) (= free 0)))
(define-fun stray () Int 0)
(define-fun open_pool () Int n_1)
(define-fun open () Int 0)
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_stray Int)
(declare-const d_open_pool Int)
(declare-const d_open Int)
(assert (and (= d_stray 0) (= d_open_pool (- 2)) (= d_open 0) (>= n_1 2)))
(define-fun stray_after () Int (+ stray d_stray))
(define-fun open_pool_after () Int (+ open_pool d_open_pool))
(define-fun open_after () Int (+ open d_open))
(check-sat)
