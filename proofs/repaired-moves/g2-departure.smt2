; repaired, G = 2, claim moves, obligation departure
; Refills and the budget of the merges: a departure moves at most 1 instances in all.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(declare-const refills Int)
(assert (>= refills 0))
(define-fun stray () Int 0)
(define-fun open_pool () Int n_1)
(define-fun open () Int 0)
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
(define-fun donors () Int (+ n_1 n_11))
; after a departure and all its refills
(assert (and
         (or
          (and
           (<= donors 1) (<= (+ refills free) 0) (<= (+ stray open_pool) donors) (<= (+ (+ stray open_pool) open) 2))
          (and
           (and
            (<= (+ refills vacancy) 1)
            (<= (+ (+ stray (ite (>= (- open_pool 1) 0) (- open_pool 1) 0)) (ite (>= (- open 1) 0) (- open 1) 0)) 1)
            (<= open_pool 2))
           (or
            (= (+ refills vacancy) 0)
            (= (+ (+ stray (ite (>= (- open_pool 1) 0) (- open_pool 1) 0)) (ite (>= (- open 1) 0) (- open 1) 0)) 0))))
         (or (= vacancy 0) (= free 0))))
; The goal, negated: unsat means that it always holds.
(assert (not
         (<=
          (+
           refills
           (+
            (+ (* 0 stray) (ite (>= (- (+ open_pool stray) 1) 0) (- (+ open_pool stray) 1) 0))
            (* 0 (ite (>= (- open 1) 0) (- open 1) 0))))
          1)))
(check-sat)
