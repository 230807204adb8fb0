; unified, G = 2, claim exclusion, obligation idle-premise
; Not vacuous: the premises of idle can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
; every node is empty
(assert (= (+ n_1 n_2 n_11) 0))
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
(define-fun open () Int n_1)
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
(check-sat)
