; unified, G = 2, claim node-bound, obligation single-premise
; Not vacuous: the premises of single can hold.
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
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun open () Int n_1)
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
; no kind of node is over its limit
(assert (<= open m))
(define-fun ones () Int (+ n_1 (* 2 n_11)))
(define-fun wanted () Int 0)
; WCC now: n_1 >= V
(assert (>= ones wanted))
; m = 1
(assert (= m 1))
(define-fun partial () Int n_1)
(define-fun gap () Int n_1)
(declare-const q Int)
(declare-const r Int)
; r = gap mod G, 0 just where G divides T
(assert (and (= gap (+ (* 2 q) r)) (>= r 0) (< r 2)))
(check-sat)
