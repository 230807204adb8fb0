; unified, G = 4, claim no-waiting, obligation arrive-4
; With at most one open node left, an admitted anchor of 4 GPUs finds a host, for every m.
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
(define-fun vacancy () Int n_3)
(define-fun free () Int (+ n_1 (* 2 n_11) n_21 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
; exclusion: no vacancy beside a free instance
(assert (or (= vacancy 0) (= free 0)))
(define-fun open () Int (+ n_1 n_2 n_11 n_21 n_111))
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
; no kind of node is over its limit
(assert (<= open m))
(define-fun nodes () Int (+ n_0 n_1 n_2 n_3 n_4 n_11 n_21 n_31 n_22 n_111 n_211 n_1111))
(define-fun slots () Int (+ (* 2 n_2) (* 4 n_3) (* 4 n_4) (* 2 n_21) (* 4 n_31) (* 4 n_22) (* 2 n_211)))
(define-fun demand () Int
  (+
   n_1 (* 2 n_2) (* 3 n_3) (* 4 n_4) (* 2 n_11) (* 3 n_21) (* 4 n_31) (* 4 n_22) (* 3 n_111) (* 4 n_211)
   (* 4 n_1111)))
; max(A, T) <= G N afterwards
(assert (and (<= (+ slots 4) (* 4 nodes)) (<= (+ demand 4) (* 4 nodes))))
; all merges are done
(assert (<= open 1))
; The goal, negated: unsat means that it always holds.
(assert (not
         (or
          (or
           (>= n_2 2) (>= n_11 2) (> n_0 0) (and (> n_1 0) (or (> n_21 0) (> n_111 0))) (and (> n_2 0) (> n_11 0)))
          (and (<= (+ open (- 1)) m) (or (>= n_1 2) (and (> n_1 0) (or (> n_2 0) (> n_11 0)))))
          (and (<= (+ open 0) m) (and (or (> n_1 0) (> n_2 0) (> n_11 0) (> n_21 0) (> n_111 0)) (> n_0 0))))))
(check-sat)
