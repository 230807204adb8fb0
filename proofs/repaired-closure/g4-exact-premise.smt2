; repaired, G = 4, claim closure, obligation exact-premise
; Not vacuous: the premises of exact can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: N nodes; h_g instances of g GPUs run, of which any k_g depart.
(declare-const N Int)
(declare-const h_1 Int)
(declare-const h_2 Int)
(declare-const h_3 Int)
(declare-const h_4 Int)
(declare-const k_1 Int)
(declare-const k_2 Int)
(declare-const k_3 Int)
(declare-const k_4 Int)
(assert (>= N 1))
(assert (and (>= k_1 0) (<= k_1 h_1)))
(assert (and (>= k_2 0) (<= k_2 h_2)))
(assert (and (>= k_3 0) (<= k_3 h_3)))
(assert (and (>= k_4 0) (<= k_4 h_4)))
(define-fun T () Int (+ h_1 (* 2 h_2) (* 3 h_3) (* 4 h_4)))
(define-fun A () Int (+ (* 2 h_2) (* 4 h_3) (* 4 h_4)))
(declare-const slotted_0 Int)
; slotted_0 = ceil(. / G)
(assert (and (<= (- A 0) (* 4 slotted_0)) (< (* 4 slotted_0) (+ (- A 0) 4))))
; looked at: nothing departs
(assert (=>
         true
         (and
          (<= (- A 0) (* 4 N)) (>= (- (* 4 N) (- T 0)) 0)
          (not (and (> (- T 0) (- A 0)) (> (- (* 4 slotted_0) (- A 0)) (- (* 4 N) (- T 0))))))))
(define-fun T_left () Int (- T (+ k_1 (* 2 k_2) (* 3 k_3) (* 4 k_4))))
(define-fun A_left () Int (- A (+ (* 2 k_2) (* 4 k_3) (* 4 k_4))))
(declare-const slotted_left Int)
; slotted_left = ceil(. / G)
(assert (and (<= A_left (* 4 slotted_left)) (< (* 4 slotted_left) (+ A_left 4))))
(check-sat)
