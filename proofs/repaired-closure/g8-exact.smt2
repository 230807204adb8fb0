; repaired, G = 8, claim closure, obligation exact
; Looking at few small departures is exact: if those leave a place in Sigma, any departures do.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: N nodes; h_g instances of g GPUs run, of which any k_g depart.
(declare-const N Int)
(declare-const h_1 Int)
(declare-const h_2 Int)
(declare-const h_3 Int)
(declare-const h_4 Int)
(declare-const h_5 Int)
(declare-const h_6 Int)
(declare-const h_7 Int)
(declare-const h_8 Int)
(declare-const k_1 Int)
(declare-const k_2 Int)
(declare-const k_3 Int)
(declare-const k_4 Int)
(declare-const k_5 Int)
(declare-const k_6 Int)
(declare-const k_7 Int)
(declare-const k_8 Int)
(assert (>= N 1))
(assert (and (>= k_1 0) (<= k_1 h_1)))
(assert (and (>= k_2 0) (<= k_2 h_2)))
(assert (and (>= k_3 0) (<= k_3 h_3)))
(assert (and (>= k_4 0) (<= k_4 h_4)))
(assert (and (>= k_5 0) (<= k_5 h_5)))
(assert (and (>= k_6 0) (<= k_6 h_6)))
(assert (and (>= k_7 0) (<= k_7 h_7)))
(assert (and (>= k_8 0) (<= k_8 h_8)))
(define-fun T () Int (+ h_1 (* 2 h_2) (* 3 h_3) (* 4 h_4) (* 5 h_5) (* 6 h_6) (* 7 h_7) (* 8 h_8)))
(define-fun A () Int (+ (* 2 h_2) (* 4 h_3) (* 4 h_4) (* 8 h_5) (* 8 h_6) (* 8 h_7) (* 8 h_8)))
(declare-const slotted_0 Int)
; slotted_0 = ceil(. / G)
(assert (and (<= (- A 0) (* 8 slotted_0)) (< (* 8 slotted_0) (+ (- A 0) 8))))
; looked at: nothing departs
(assert (=>
         true
         (and
          (<= (- A 0) (* 8 N)) (>= (- (* 8 N) (- T 0)) 0)
          (not (and (> (- T 0) (- A 0)) (> (- (* 8 slotted_0) (- A 0)) (- (* 8 N) (- T 0))))))))
(declare-const slotted_1 Int)
; slotted_1 = ceil(. / G)
(assert (and (<= (- A 2) (* 8 slotted_1)) (< (* 8 slotted_1) (+ (- A 2) 8))))
; looked at: 1 of 2 GPUs departs
(assert (=>
         (>= h_2 1)
         (and
          (<= (- A 2) (* 8 N)) (>= (- (* 8 N) (- T 2)) 0)
          (not (and (> (- T 2) (- A 2)) (> (- (* 8 slotted_1) (- A 2)) (- (* 8 N) (- T 2))))))))
(declare-const slotted_2 Int)
; slotted_2 = ceil(. / G)
(assert (and (<= (- A 4) (* 8 slotted_2)) (< (* 8 slotted_2) (+ (- A 4) 8))))
; looked at: 2 of 2 GPUs departs
(assert (=>
         (>= h_2 2)
         (and
          (<= (- A 4) (* 8 N)) (>= (- (* 8 N) (- T 4)) 0)
          (not (and (> (- T 4) (- A 4)) (> (- (* 8 slotted_2) (- A 4)) (- (* 8 N) (- T 4))))))))
(declare-const slotted_3 Int)
; slotted_3 = ceil(. / G)
(assert (and (<= (- A 4) (* 8 slotted_3)) (< (* 8 slotted_3) (+ (- A 4) 8))))
; looked at: 1 of 3 GPUs departs
(assert (=>
         (>= h_3 1)
         (and
          (<= (- A 4) (* 8 N)) (>= (- (* 8 N) (- T 3)) 0)
          (not (and (> (- T 3) (- A 4)) (> (- (* 8 slotted_3) (- A 4)) (- (* 8 N) (- T 3))))))))
(declare-const slotted_4 Int)
; slotted_4 = ceil(. / G)
(assert (and (<= (- A 6) (* 8 slotted_4)) (< (* 8 slotted_4) (+ (- A 6) 8))))
; looked at: 1 of 2 GPUs and 1 of 3 GPUs departs
(assert (=>
         (and (>= h_2 1) (>= h_3 1))
         (and
          (<= (- A 6) (* 8 N)) (>= (- (* 8 N) (- T 5)) 0)
          (not (and (> (- T 5) (- A 6)) (> (- (* 8 slotted_4) (- A 6)) (- (* 8 N) (- T 5))))))))
(declare-const slotted_5 Int)
; slotted_5 = ceil(. / G)
(assert (and (<= (- A 4) (* 8 slotted_5)) (< (* 8 slotted_5) (+ (- A 4) 8))))
; looked at: 1 of 4 GPUs departs
(assert (=>
         (>= h_4 1)
         (and
          (<= (- A 4) (* 8 N)) (>= (- (* 8 N) (- T 4)) 0)
          (not (and (> (- T 4) (- A 4)) (> (- (* 8 slotted_5) (- A 4)) (- (* 8 N) (- T 4))))))))
(declare-const slotted_6 Int)
; slotted_6 = ceil(. / G)
(assert (and (<= (- A 8) (* 8 slotted_6)) (< (* 8 slotted_6) (+ (- A 8) 8))))
; looked at: 1 of 5 GPUs departs
(assert (=>
         (>= h_5 1)
         (and
          (<= (- A 8) (* 8 N)) (>= (- (* 8 N) (- T 5)) 0)
          (not (and (> (- T 5) (- A 8)) (> (- (* 8 slotted_6) (- A 8)) (- (* 8 N) (- T 5))))))))
(define-fun T_left () Int (- T (+ k_1 (* 2 k_2) (* 3 k_3) (* 4 k_4) (* 5 k_5) (* 6 k_6) (* 7 k_7) (* 8 k_8))))
(define-fun A_left () Int (- A (+ (* 2 k_2) (* 4 k_3) (* 4 k_4) (* 8 k_5) (* 8 k_6) (* 8 k_7) (* 8 k_8))))
(declare-const slotted_left Int)
; slotted_left = ceil(. / G)
(assert (and (<= A_left (* 8 slotted_left)) (< (* 8 slotted_left) (+ A_left 8))))
; The goal, negated: unsat means that it always holds.
(assert (not
         (and
          (<= A_left (* 8 N)) (>= (- (* 8 N) T_left) 0)
          (not (and (> T_left A_left) (> (- (* 8 slotted_left) A_left) (- (* 8 N) T_left)))))))
(check-sat)
