; unified, G = 2, claim moves, obligation departure-start
; After a departure all donors but one are spent, or one vacancy is left, or no refill is possible.
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
(define-fun open_donors () Int n_1)
(define-fun donors () Int (+ n_1 n_11))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_open Int)
(declare-const d_open_donors Int)
(declare-const d_donors Int)
(declare-const d_vacancy Int)
(declare-const d_free Int)
(assert (or
         (and
          (= d_open (- 1)) (= d_open_donors (- 1)) (= d_donors (- 1)) (= d_vacancy 0) (= d_free (- 1)) (> n_1 0))
         (and (= d_open 0) (= d_open_donors 0) (= d_donors 0) (= d_vacancy 0) (= d_free 0) (> n_2 0))
         (and (= d_open 1) (= d_open_donors 1) (= d_donors 0) (= d_vacancy 0) (= d_free (- 1)) (> n_11 0))))
(define-fun open_after () Int (+ open d_open))
(define-fun open_donors_after () Int (+ open_donors d_open_donors))
(define-fun donors_after () Int (+ donors d_donors))
(define-fun vacancy_after () Int (+ vacancy d_vacancy))
(define-fun free_after () Int (+ free d_free))
; The goal, negated: unsat means that it always holds.
(assert (not
         (or
          (and (<= donors_after 1) (<= (- open_after open_donors_after) m))
          (and (<= vacancy_after 1) (<= open_after m))
          (and (or (= free_after 0) (= vacancy_after 0)) (<= open_after (+ m 1))))))
(check-sat)
