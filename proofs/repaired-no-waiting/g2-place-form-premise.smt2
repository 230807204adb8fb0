; repaired, G = 2, claim no-waiting, obligation place-form-premise
; Not vacuous: the premises of place-form can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(declare-const slotted_less Int)
(declare-const pool_less Int)
(define-fun slotted () Int n_2)
(define-fun pool () Int (+ n_1 n_11))
(define-fun slotted_spare () Int 0)
(define-fun pool_spare () Int n_1)
(define-fun empty () Int n_0)
(define-fun slots () Int (* 2 n_2))
(define-fun ones () Int (+ n_1 (* 2 n_11)))
(define-fun wanted () Int 0)
(define-fun nodes () Int (+ n_0 n_1 n_2 n_11))
(check-sat)
