; repaired, G = 2, claim exclusion, obligation whole-node
; An anchor of G GPUs on an empty node keeps exclusion at once.
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
(declare-const d_vacancy Int)
(declare-const d_free Int)
(assert (and (= d_vacancy 0) (= d_free 0) (> n_0 0)))
(define-fun vacancy_after () Int (+ vacancy d_vacancy))
(define-fun free_after () Int (+ free d_free))
; The goal, negated: unsat means that it always holds.
(assert (not (or (= vacancy_after 0) (= free_after 0))))
(check-sat)
