; repaired, G = 8, claim no-waiting, obligation arrive-1-premise
; Not vacuous: the premises of arrive-1 can hold.
; Expected: sat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status sat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_3 Int)
(declare-const n_4 Int)
(declare-const n_5 Int)
(declare-const n_6 Int)
(declare-const n_7 Int)
(declare-const n_8 Int)
(declare-const n_11 Int)
(declare-const n_21 Int)
(declare-const n_31 Int)
(declare-const n_41 Int)
(declare-const n_51 Int)
(declare-const n_61 Int)
(declare-const n_71 Int)
(declare-const n_22 Int)
(declare-const n_32 Int)
(declare-const n_42 Int)
(declare-const n_33 Int)
(declare-const n_43 Int)
(declare-const n_44 Int)
(declare-const n_111 Int)
(declare-const n_211 Int)
(declare-const n_311 Int)
(declare-const n_411 Int)
(declare-const n_511 Int)
(declare-const n_611 Int)
(declare-const n_221 Int)
(declare-const n_321 Int)
(declare-const n_421 Int)
(declare-const n_331 Int)
(declare-const n_431 Int)
(declare-const n_222 Int)
(declare-const n_322 Int)
(declare-const n_422 Int)
(declare-const n_1111 Int)
(declare-const n_2111 Int)
(declare-const n_3111 Int)
(declare-const n_4111 Int)
(declare-const n_5111 Int)
(declare-const n_2211 Int)
(declare-const n_3211 Int)
(declare-const n_4211 Int)
(declare-const n_3311 Int)
(declare-const n_2221 Int)
(declare-const n_3221 Int)
(declare-const n_2222 Int)
(declare-const n_11111 Int)
(declare-const n_21111 Int)
(declare-const n_31111 Int)
(declare-const n_41111 Int)
(declare-const n_22111 Int)
(declare-const n_32111 Int)
(declare-const n_22211 Int)
(declare-const n_111111 Int)
(declare-const n_211111 Int)
(declare-const n_311111 Int)
(declare-const n_221111 Int)
(declare-const n_1111111 Int)
(declare-const n_2111111 Int)
(declare-const n_11111111 Int)
(assert (and
         (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_3 0) (>= n_4 0) (>= n_5 0) (>= n_6 0) (>= n_7 0) (>= n_8 0)
         (>= n_11 0) (>= n_21 0) (>= n_31 0) (>= n_41 0) (>= n_51 0) (>= n_61 0) (>= n_71 0) (>= n_22 0) (>= n_32 0)
         (>= n_42 0) (>= n_33 0) (>= n_43 0) (>= n_44 0) (>= n_111 0) (>= n_211 0) (>= n_311 0) (>= n_411 0)
         (>= n_511 0) (>= n_611 0) (>= n_221 0) (>= n_321 0) (>= n_421 0) (>= n_331 0) (>= n_431 0) (>= n_222 0)
         (>= n_322 0) (>= n_422 0) (>= n_1111 0) (>= n_2111 0) (>= n_3111 0) (>= n_4111 0) (>= n_5111 0)
         (>= n_2211 0) (>= n_3211 0) (>= n_4211 0) (>= n_3311 0) (>= n_2221 0) (>= n_3221 0) (>= n_2222 0)
         (>= n_11111 0) (>= n_21111 0) (>= n_31111 0) (>= n_41111 0) (>= n_22111 0) (>= n_32111 0) (>= n_22211 0)
         (>= n_111111 0) (>= n_211111 0) (>= n_311111 0) (>= n_221111 0) (>= n_1111111 0) (>= n_2111111 0)
         (>= n_11111111 0)))
(define-fun vacancy () Int (+ n_3 (* 3 n_5) (* 2 n_6) n_7 (* 2 n_51) n_61 n_32 (* 2 n_33) n_43 n_511 n_331 n_322))
(define-fun free () Int
  (+
   n_1 (* 2 n_11) n_21 n_41 (* 3 n_111) (* 2 n_211) n_311 (* 2 n_411) n_221 n_421 (* 4 n_1111) (* 3 n_2111)
   (* 2 n_3111) (* 3 n_4111) (* 2 n_2211) n_3211 (* 2 n_4211) n_2221 (* 5 n_11111) (* 4 n_21111) (* 3 n_31111)
   (* 4 n_41111) (* 3 n_22111) (* 2 n_32111) (* 2 n_22211) (* 6 n_111111) (* 5 n_211111) (* 4 n_311111)
   (* 4 n_221111) (* 7 n_1111111) (* 6 n_2111111) (* 8 n_11111111)))
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun open () Int (+ n_2 n_3 n_4 n_31 n_22 n_32 n_42 n_321 n_222))
(define-fun open_pool () Int (+ n_1 n_11 n_111 n_1111 n_11111 n_111111 n_1111111))
(define-fun stray () Int
  (+
   n_21 n_41 n_211 n_311 n_411 n_221 n_421 n_2111 n_3111 n_4111 n_2211 n_3211 n_4211 n_2221 n_21111 n_31111 n_41111
   n_22111 n_32111 n_22211 n_211111 n_311111 n_221111 n_2111111))
; no kind of node is over its limit
(assert (and (<= open 1) (<= open_pool 1) (<= stray 0)))
; ceil(A/G) = slotted - slotted_less or less, ceil(P/G) = pool - pool_less or less
(declare-const slotted_less Int)
(declare-const pool_less Int)
(define-fun slotted_spare () Int
  (+
   (* 6 n_2) (* 4 n_3) (* 4 n_4) (* 6 n_21) (* 4 n_31) (* 4 n_41) (* 4 n_22) (* 2 n_32) (* 2 n_42) (* 6 n_211)
   (* 4 n_311) (* 4 n_411) (* 4 n_221) (* 2 n_321) (* 2 n_421) (* 2 n_222) (* 6 n_2111) (* 4 n_3111) (* 4 n_4111)
   (* 4 n_2211) (* 2 n_3211) (* 2 n_4211) (* 2 n_2221) (* 6 n_21111) (* 4 n_31111) (* 4 n_41111) (* 4 n_22111)
   (* 2 n_32111) (* 2 n_22211) (* 6 n_211111) (* 4 n_311111) (* 4 n_221111) (* 6 n_2111111)))
(define-fun pool_spare () Int
  (+
   (* 7 n_1) n_3 (* 3 n_5) (* 2 n_6) n_7 (* 6 n_11) (* (- 1) n_21) (* (- 1) n_41) (* 2 n_51) n_61 n_32 (* 2 n_33)
   n_43 (* 5 n_111) (* (- 2) n_211) (* (- 1) n_311) (* (- 2) n_411) n_511 (* (- 1) n_221) (* (- 1) n_421) n_331
   n_322 (* 4 n_1111) (* (- 3) n_2111) (* (- 2) n_3111) (* (- 3) n_4111) (* (- 2) n_2211) (* (- 1) n_3211)
   (* (- 2) n_4211) (* (- 1) n_2221) (* 3 n_11111) (* (- 4) n_21111) (* (- 3) n_31111) (* (- 4) n_41111)
   (* (- 3) n_22111) (* (- 2) n_32111) (* (- 2) n_22211) (* 2 n_111111) (* (- 5) n_211111) (* (- 4) n_311111)
   (* (- 4) n_221111) n_1111111 (* (- 6) n_2111111)))
(define-fun slotted () Int
  (+
   n_2 n_3 n_4 n_5 n_6 n_7 n_8 n_21 n_31 n_41 n_51 n_61 n_71 n_22 n_32 n_42 n_33 n_43 n_44 n_211 n_311 n_411 n_511
   n_611 n_221 n_321 n_421 n_331 n_431 n_222 n_322 n_422 n_2111 n_3111 n_4111 n_5111 n_2211 n_3211 n_4211 n_3311
   n_2221 n_3221 n_2222 n_21111 n_31111 n_41111 n_22111 n_32111 n_22211 n_211111 n_311111 n_221111 n_2111111))
(define-fun pool () Int (+ n_1 n_11 n_111 n_1111 n_11111 n_111111 n_1111111 n_11111111))
(define-fun empty () Int n_0)
; the composition has a place in Sigma: ceil(A/G) + ceil(P/G) <= N
(assert (and
         (<= (+ (* 8 slotted_less) 0) slotted_spare) (<= (+ (* 8 pool_less) 1) pool_spare)
         (and (<= slotted_less slotted) (<= pool_less pool)) (>= (+ (+ slotted_less pool_less) empty) 0)))
(check-sat)
