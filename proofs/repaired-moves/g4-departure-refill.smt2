; repaired, G = 4, claim moves, obligation departure-refill
; Refills from the preferred donor keep this.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_3 Int)
(declare-const n_4 Int)
(declare-const n_11 Int)
(declare-const n_21 Int)
(declare-const n_31 Int)
(declare-const n_22 Int)
(declare-const n_111 Int)
(declare-const n_211 Int)
(declare-const n_1111 Int)
(assert (and
         (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_3 0) (>= n_4 0) (>= n_11 0) (>= n_21 0) (>= n_31 0) (>= n_22 0)
         (>= n_111 0) (>= n_211 0) (>= n_1111 0)))
(declare-const refills Int)
(assert (>= refills 0))
(define-fun stray () Int (+ n_21 n_211))
(define-fun open_pool () Int (+ n_1 n_11 n_111))
(define-fun open () Int n_2)
(define-fun vacancy () Int n_3)
(define-fun free () Int (+ n_1 (* 2 n_11) n_21 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
(define-fun donors () Int (+ n_1 n_11 n_21 n_111 n_211 n_1111))
; after so many refills
(assert (or
         (and
          (<= donors 1) (<= (+ refills free) 1) (<= (+ stray open_pool) donors) (<= (+ (+ stray open_pool) open) 2))
         (and
          (and
           (<= (+ refills vacancy) 1)
           (<= (+ (+ stray (ite (>= (- open_pool 1) 0) (- open_pool 1) 0)) (ite (>= (- open 1) 0) (- open 1) 0)) 1)
           (<= open_pool 2))
          (or
           (= (+ refills vacancy) 0)
           (= (+ (+ stray (ite (>= (- open_pool 1) 0) (- open_pool 1) 0)) (ite (>= (- open 1) 0) (- open 1) 0)) 0)))))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_stray Int)
(declare-const d_open_pool Int)
(declare-const d_open Int)
(declare-const d_vacancy Int)
(declare-const d_free Int)
(declare-const d_donors Int)
(assert (or
         (and
          (= d_stray (- 1)) (= d_open_pool 0) (= d_open 1) (= d_vacancy (- 1)) (= d_free (- 1)) (= d_donors (- 1))
          (and (> n_21 0) (> n_3 0)))
         (and
          (= d_stray 0) (= d_open_pool (- 1)) (= d_open 0) (= d_vacancy (- 1)) (= d_free (- 1)) (= d_donors (- 1))
          (= (+ n_21 n_211) 0) (and (> n_1 0) (> n_3 0)))
         (and
          (= d_stray 0) (= d_open_pool 0) (= d_open 0) (= d_vacancy (- 1)) (= d_free (- 1)) (= d_donors 0)
          (= (+ n_21 n_211) 0) (and (or (> n_11 0) (> n_111 0)) (> n_3 0)))
         (and
          (= d_stray 0) (= d_open_pool 0) (= d_open 0) (= d_vacancy (- 1)) (= d_free (- 1)) (= d_donors 0)
          (and (> n_211 0) (> n_3 0)))
         (and
          (= d_stray 0) (= d_open_pool 1) (= d_open 0) (= d_vacancy (- 1)) (= d_free (- 1)) (= d_donors 0)
          (= (+ n_1 n_11 n_21 n_111 n_211) 0) (and (> n_1111 0) (> n_3 0)))))
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
           (<= donors_after 1) (<= (+ (+ refills 1) free_after) 1) (<= (+ stray_after open_pool_after) donors_after)
           (<= (+ (+ stray_after open_pool_after) open_after) 2))
          (and
           (and
            (<= (+ (+ refills 1) vacancy_after) 1)
            (<=
             (+
              (+ stray_after (ite (>= (- open_pool_after 1) 0) (- open_pool_after 1) 0))
              (ite (>= (- open_after 1) 0) (- open_after 1) 0))
             1)
            (<= open_pool_after 2))
           (or
            (= (+ (+ refills 1) vacancy_after) 0)
            (=
             (+
              (+ stray_after (ite (>= (- open_pool_after 1) 0) (- open_pool_after 1) 0))
              (ite (>= (- open_after 1) 0) (- open_after 1) 0))
             0))))))
(check-sat)
