; unified, G = 4, claim moves, obligation arrival-open-premise
; Not vacuous: the premises of arrival-open can hold.
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
(declare-const refills Int)
(define-fun open () Int (+ n_1 n_2 n_11 n_21 n_111))
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
(define-fun open_free () Int (+ n_1 (* 2 n_11) n_21 (* 3 n_111)))
; after so many refills; open <= m at 0
(assert (<= (* 2 (- open m)) (+ refills (ite (>= open_free 1) 1 0))))
; The step: nodes of one of these shapes (or pairs of shapes) are taken, and each sum X changes by d_X.
(declare-const d_open Int)
(declare-const d_open_free Int)
(assert (or
         (and (= d_open (- 1)) (= d_open_free (- 1)) (and (> n_1 0) (> n_3 0)))
         (and (= d_open 0) (= d_open_free (- 1)) (and (or (> n_11 0) (> n_21 0) (> n_111 0)) (> n_3 0)))
         (and (= d_open 1) (= d_open_free 1) (= (+ n_1 n_11 n_21 n_111) 0) (and (> n_211 0) (> n_3 0)))
         (and (= d_open 1) (= d_open_free 3) (= (+ n_1 n_11 n_21 n_111) 0) (and (> n_1111 0) (> n_3 0)))))
(define-fun open_after () Int (+ open d_open))
(define-fun open_free_after () Int (+ open_free d_open_free))
(check-sat)
