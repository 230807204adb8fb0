; unified, G = 2, claim moves, obligation departure-merges
; So at most m + 1 nodes are open: one merge is enough.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
; Unknowns: n_X is the number of nodes with just the instances X, a digit (or _number) a size.
(declare-const n_0 Int)
(declare-const n_1 Int)
(declare-const n_2 Int)
(declare-const n_11 Int)
(assert (and (>= n_0 0) (>= n_1 0) (>= n_2 0) (>= n_11 0)))
(define-fun open () Int n_1)
(define-fun open_donors () Int n_1)
(define-fun donors () Int (+ n_1 n_11))
(define-fun vacancy () Int 0)
(define-fun free () Int (+ n_1 (* 2 n_11)))
(declare-const m Int)
; m: the most open nodes that the variant allows, any number from 1
(assert (>= m 1))
; as after a departure and refills
(assert (or
         (and (<= donors 1) (<= (- open open_donors) m)) (and (<= vacancy 1) (<= open m))
         (and (or (= free 0) (= vacancy 0)) (<= open (+ m 1)))))
; The goal, negated: unsat means that it always holds.
(assert (not (<= open (+ m 1))))
(check-sat)
