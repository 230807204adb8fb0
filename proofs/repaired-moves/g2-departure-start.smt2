; repaired, G = 2, claim moves, obligation departure-start
; After a departure all free instances are on one node, or at most one vacancy is to be filled.
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
(define-fun donors () Int (+ n_1 n_11))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_stray Int)
(declare-const d_open_pool Int)
(declare-const d_open Int)
(declare-const d_vacancy Int)
(declare-const d_free Int)
(declare-const d_donors Int)
(assert (or
         (and
          (= d_stray 0) (= d_open_pool (- 1)) (= d_open 0) (= d_vacancy 0) (= d_free (- 1)) (= d_donors (- 1))
          (> n_1 0))
         (and (= d_stray 0) (= d_open_pool 0) (= d_open 0) (= d_vacancy 0) (= d_free 0) (= d_donors 0) (> n_2 0))
         (and
          (= d_stray 0) (= d_open_pool 1) (= d_open 0) (= d_vacancy 0) (= d_free (- 1)) (= d_donors 0) (> n_11 0))))
(define-fun stray_after () Int (+ stray d_stray))
(define-fun open_pool_after () Int (+ open_pool d_open_pool))
(define-fun open_after () Int (+ open d_open))
(define-fun vacancy_after () Int (+ vacancy d_vacancy))
(define-fun free_after () Int (+ free d_free))
(define-fun donors_after () Int (+ donors d_donors))
; The goal, negated: unsat means that it always holds.
(assert (not
         (or
          (and
           (<= donors_after 1) (<= (+ 0 free_after) 0) (<= (+ stray_after open_pool_after) donors_after)
           (<= (+ (+ stray_after open_pool_after) open_after) 2))
          (and
           (and
            (<= (+ 0 vacancy_after) 1)
            (<=
             (+
              (+ stray_after (ite (>= (- open_pool_after 1) 0) (- open_pool_after 1) 0))
              (ite (>= (- open_after 1) 0) (- open_after 1) 0))
             1)
            (<= open_pool_after 2))
           (or
            (= (+ 0 vacancy_after) 0)
            (=
             (+
              (+ stray_after (ite (>= (- open_pool_after 1) 0) (- open_pool_after 1) 0))
              (ite (>= (- open_after 1) 0) (- open_after 1) 0))
             0))))))
(check-sat)
