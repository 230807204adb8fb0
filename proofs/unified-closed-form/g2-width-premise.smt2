; unified, G = 2, claim closed-form, obligation width-premise
; Not vacuous: the premises of width can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; n_g: running instances of g GPUs, of any composition
(declare-const n_1 Int)
(declare-const n_2 Int)
(assert (and (>= n_1 0) (>= n_2 0)))
(define-fun T () Int (+ n_1 (* 2 n_2)))
(define-fun A () Int (* 2 n_2))
(define-fun V () Int 0)
; WCC: n_1 >= V
(assert (>= n_1 V))
(check-sat)
