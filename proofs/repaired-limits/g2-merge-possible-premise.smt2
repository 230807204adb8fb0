; repaired, G = 2, claim limits, obligation merge-possible-premise
; Not vacuous: the premises of merge-possible can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
; exclusion: refills are done
(assert (or (= vacancy 0) (= free 0)))
(define-fun stray () Int 0)
; at most one node is stray
(assert (<= stray 1))
; ceil(A/G) = slotted - slotted_less or less, ceil(P/G) = pool - pool_less or less
(declare-const slotted_less Int)
(declare-const pool_less Int)
(define-fun slotted_spare () Int 0)
(define-fun pool_spare () Int n_1)
(define-fun slotted () Int n_2)
(define-fun pool () Int (+ n_1 n_11))
(define-fun empty () Int n_0)
; the composition has a place in Sigma: ceil(A/G) + ceil(P/G) <= N
(assert (and
         (<= (+ (* 2 slotted_less) 0) slotted_spare) (<= (+ (* 2 pool_less) 0) pool_spare)
         (and (<= slotted_less slotted) (<= pool_less pool)) (>= (+ (+ slotted_less pool_less) empty) 0)))
(define-fun open () Int 0)
(define-fun open_pool () Int n_1)
; some kind is over its limit
(assert (not (and (<= open 1) (<= open_pool 1) (<= stray 0))))
(check-sat)
