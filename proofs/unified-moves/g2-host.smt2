; unified, G = 2, claim moves, obligation host
; Installing an anchor and the refills that follow move at most 1 instances; there are at most 0 refills.
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
(define-fun open () Int n_1)
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
; no kind of node is over its limit
(assert (<= open m))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_vacancy Int)
(declare-const d_free Int)
(declare-const d_moves Int)
(assert (or
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (> n_0 0))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (<= (+ open 0) m) (and (> n_1 0) (> n_0 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 1) (>= n_1 2))))
(define-fun vacancy_after () Int (+ vacancy d_vacancy))
(define-fun free_after () Int (+ free d_free))
(define-fun refills () Int (ite (<= vacancy_after free_after) vacancy_after free_after))
; The goal, negated: unsat means that it always holds.
(assert (not (and (<= (+ d_moves refills) 1) (<= refills 0))))
(check-sat)
