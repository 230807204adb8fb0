; repaired, G = 2, claim limits, obligation load
; From any placement in node shapes (load), settling can get stuck only where no node is empty.
; Expected: unsat. The number of nodes is not bounded.
(set-logic QF_LIA)
(set-info :status unsat)
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
(define-fun empty () Int n_0)
; some node is empty, and any number of them may be stray
(assert (>= empty 1))
(define-fun open () Int 0)
(define-fun open_pool () Int n_1)
(define-fun stray () Int 0)
; some kind is over its limit
(assert (not (and (<= open 1) (<= open_pool 1) (<= stray 0))))
; The goal, negated: unsat means that it always holds.
(assert (not (>= n_1 2)))
(check-sat)
