; repaired, G = 2, claim sif-bound, obligation wcc
; Under WCC, nu - Phi* <= 2, so SIF <= 2/N.
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
(define-fun ones () Int (+ n_1 (* 2 n_11)))
(define-fun wanted () Int 0)
; WCC now: n_1 >= V
(assert (>= ones wanted))
; x_l: nodes of load l in any packing of the same instances, Phi* being the best of them;
; more_busy: how many busy nodes that packing has more than the state (full ones included)
(declare-const x_1 Int)
(declare-const more_busy Int)
(define-fun gap () Int n_1)
; same demand: T = G busy - gap of both
(assert (and (>= x_1 0) (= (- x_1 gap) (* 2 more_busy))))
(define-fun partial () Int n_1)
; The goal, negated: unsat means that it always holds.
(assert (not (<= (- partial x_1) 2)))
(check-sat)
