; repaired, G = 4, claim limits, obligation merge-possible-premise
; Not vacuous: the premises of merge-possible can hold.
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
; exclusion: refills are done
(assert (or (= vacancy 0) (= free 0)))
(define-fun stray () Int (+ n_21 n_211))
; at most one node is stray
(assert (<= stray 1))
; ceil(A/G) = slotted - slotted_less or less, ceil(P/G) = pool - pool_less or less
(declare-const slotted_less Int)
(declare-const pool_less Int)
(define-fun slotted_spare () Int (+ (* 2 n_2) (* 2 n_21) (* 2 n_211)))
(define-fun pool_spare () Int (+ (* 3 n_1) n_3 (* 2 n_11) (* (- 1) n_21) n_111 (* (- 2) n_211)))
(define-fun slotted () Int (+ n_2 n_3 n_4 n_21 n_31 n_22 n_211))
(define-fun pool () Int (+ n_1 n_11 n_111 n_1111))
(define-fun empty () Int n_0)
; the composition has a place in Sigma: ceil(A/G) + ceil(P/G) <= N
(assert (and
         (<= (+ (* 4 slotted_less) 0) slotted_spare) (<= (+ (* 4 pool_less) 0) pool_spare)
         (and (<= slotted_less slotted) (<= pool_less pool)) (>= (+ (+ slotted_less pool_less) empty) 0)))
(define-fun open () Int n_2)
(define-fun open_pool () Int (+ n_1 n_11 n_111))
; some kind is over its limit
(assert (not (and (<= open 1) (<= open_pool 1) (<= stray 0))))
(check-sat)
