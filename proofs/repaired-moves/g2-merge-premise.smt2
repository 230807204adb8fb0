; repaired, G = 2, claim moves, obligation merge-premise
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
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun stray () Int 0)
; at most one node is stray
(assert (<= stray 1))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_moves Int)
(assert (and (= d_moves 1) (>= n_1 2)))
(check-sat)
