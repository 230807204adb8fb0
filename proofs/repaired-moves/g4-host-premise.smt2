; repaired, G = 4, claim moves, obligation host-premise
; Not vacuous: the premises of host can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
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
(define-fun vacancy () Int n_3)
(define-fun free () Int (+ n_1 (* 2 n_11) n_21 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun open () Int n_2)
(define-fun open_pool () Int (+ n_1 n_11 n_111))
(define-fun stray () Int (+ n_21 n_211))
; no kind of node is over its limit
(assert (and (<= open 1) (<= open_pool 1) (<= stray 0)))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_vacancy Int)
(declare-const d_free Int)
(declare-const d_moves Int)
(assert (or
         (and (= d_vacancy 0) (= d_free (- 1)) (= d_moves 0) (> n_1 0))
         (and
          (= d_vacancy 0) (= d_free (- 1)) (= d_moves 0) (<= (+ open_pool (- 1)) 1)
          (or (>= n_1 2) (and (> n_1 0) (or (> n_11 0) (> n_111 0)))))
         (and (= d_vacancy 0) (= d_free (- 1)) (= d_moves 0) (<= (+ open 0) 1) (and (> n_1 0) (> n_2 0)))
         (and
          (= d_vacancy 0) (= d_free (- 1)) (= d_moves 1)
          (or (and (> n_2 0) (> n_21 0)) (and (> n_11 0) (> n_111 0))))
         (and (= d_vacancy 0) (= d_free (- 1)) (= d_moves 1) (<= (+ open_pool (- 1)) 1) (>= n_11 2))
         (and
          (= d_vacancy 0) (= d_free (- 1)) (= d_moves 1) (<= (+ open_pool 0) 1)
          (and (or (> n_11 0) (> n_111 0)) (> n_0 0)))
         (and (= d_vacancy 0) (= d_free (- 1)) (= d_moves 1) (<= (+ open 1) 1) (and (> n_21 0) (> n_0 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (<= (+ stray 1) 0) (or (> n_1 0) (> n_11 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (or (> n_2 0) (> n_0 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (<= (+ open 1) 1) (> n_0 0))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 0) (<= (+ open_pool 0) 1)
          (or
           (and (> n_1 0) (or (> n_2 0) (> n_0 0))) (and (> n_2 0) (or (> n_11 0) (> n_111 0)))
           (and (or (> n_11 0) (> n_111 0)) (> n_0 0))))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 0) (and (<= (+ open 1) 1) (<= (+ open_pool 0) 1))
          (and (or (> n_1 0) (> n_11 0) (> n_111 0)) (> n_0 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (<= (+ open (- 1)) 1) (>= n_2 2))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 0) (<= (+ open 0) 1) (and (> n_2 0) (> n_0 0)))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 1) (and (<= (+ open 1) 1) (<= (+ open_pool (- 1)) 1))
          (or (>= n_1 2) (and (> n_1 0) (> n_11 0))))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 1) (<= (+ open_pool 0) 1)
          (and (or (> n_1 0) (> n_11 0)) (> n_21 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 1) (<= (+ open 1) 1) (and (> n_1 0) (> n_111 0)))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 1) (or (>= n_2 2) (and (or (> n_21 0) (> n_1 0)) (> n_111 0))))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 1) (<= (+ open_pool 1) 1)
          (and (or (> n_21 0) (> n_211 0)) (> n_0 0)))
         (and
          (= d_vacancy 0) (= d_free 0) (= d_moves 1) (<= (+ open_pool (- 1)) 1)
          (or (>= n_1 2) (and (> n_1 0) (> n_11 0))))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 2) (<= (+ open_pool 0) 1) (and (> n_1 0) (> n_211 0)))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 2) (<= (+ open 1) 1) (>= n_11 2))
         (and (= d_vacancy 0) (= d_free 0) (= d_moves 2) (or (>= n_11 2) (and (> n_11 0) (> n_211 0))))
         (and (= d_vacancy 1) (= d_free 0) (= d_moves 0) (> n_0 0))
         (and (= d_vacancy 1) (= d_free 0) (= d_moves 0) (<= (+ open 0) 1) (and (> n_2 0) (> n_0 0)))
         (and (= d_vacancy 1) (= d_free 0) (= d_moves 1) (>= n_2 2))))
(define-fun vacancy_after () Int (+ vacancy d_vacancy))
(define-fun free_after () Int (+ free d_free))
(define-fun refills () Int (ite (<= vacancy_after free_after) vacancy_after free_after))
(check-sat)
