; unified, G = 4, claim node-bound, obligation tight
; m nodes with G/2 GPUs and delta anchors of G - 1 GPUs are settled and reach the bound, for every N >= their
; number.
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
(declare-const delta Int)
(declare-const idle Int)
; any deficit, any number of empty nodes
(assert (and (>= delta 0) (>= idle 0)))
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
(define-fun empty () Int n_0)
; the state: no other nodes than these
(assert (and
         (= n_1 0) (= n_2 m) (= n_3 delta) (= n_4 0) (= n_11 0) (= n_21 0) (= n_31 0) (= n_22 0) (= n_111 0)
         (= n_211 0) (= n_1111 0) (= empty idle)))
(define-fun vacancy () Int n_3)
(define-fun free () Int (+ n_1 (* 2 n_11) n_21 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
(define-fun open () Int (+ n_1 n_2 n_11 n_21 n_111))
(define-fun wanted () Int (+ n_3 n_31))
(define-fun ones () Int (+ n_1 (* 2 n_11) n_21 n_31 (* 3 n_111) (* 2 n_211) (* 4 n_1111)))
(define-fun partial () Int (+ n_1 n_2 n_3 n_11 n_21 n_111))
; The goal, negated: unsat means that it always holds.
(assert (not
         (and
          (and (or (= vacancy 0) (= free 0)) (<= open m)) (= (ite (>= (- wanted ones) 0) (- wanted ones) 0) delta)
          (= partial (+ m (ite (>= (- wanted ones) 0) (- wanted ones) 0))))))
(check-sat)
