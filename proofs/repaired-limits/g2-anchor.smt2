; repaired, G = 2, claim limits, obligation anchor
; An anchor on any host that passes the scheduler's test keeps the limits.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun open () Int 0)
(define-fun open_pool () Int n_1)
(define-fun stray () Int 0)
; no kind of node is over its limit
(assert (and (<= open 1) (<= open_pool 1) (<= stray 0)))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_open Int)
(declare-const d_open_pool Int)
(declare-const d_stray Int)
(assert (or
         (and (= d_open 0) (= d_open_pool (- 2)) (= d_stray 0) (>= n_1 2))
         (and (= d_open 0) (= d_open_pool 0) (= d_stray 0) (> n_0 0))
         (and (= d_open 0) (= d_open_pool 0) (= d_stray 0) (<= (+ open_pool 0) 1) (and (> n_1 0) (> n_0 0)))))
(define-fun open_after () Int (+ open d_open))
(define-fun open_pool_after () Int (+ open_pool d_open_pool))
(define-fun stray_after () Int (+ stray d_stray))
; The goal, negated: unsat means that it always holds.
(assert (not (and (<= open_after 1) (<= open_pool_after 1) (<= stray_after 0))))
(check-sat)
