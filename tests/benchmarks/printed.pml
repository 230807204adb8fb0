/* The printed algorithm (Place, Remove, Compact) under its default reading, with instances of 1, 2 and 4 GPUs only, on
 * N nodes of eight GPUs. Such instances fill their slots, so there is no vacancy, there are no fillers, and WCC always
 * holds. It shares nothing with verification/count_printed.py, with which bench_spin.py compares it.
 *
 *   spin -a -DN=3 [-DSORTED] [-DCLAIM=THEOREM_1 | -o2 -DPAIRS] printed.pml
 *   gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c
 *   ./pan -c0
 *
 *   N        number of nodes, at most 12
 *   SORTED   the nodes are sorted after every step, so that states count up to the order of the nodes
 *   CLAIM    one of the claims below: an assertion in every settled state. A state is expanded once, so that with -c0
 *            "errors" is the number of states that break it. Without a claim nothing is asserted.
 *   PAIRS    what Compact does, remembered: "errors" is the number of pairs (nodes before Compact, nodes after it)
 *            (-o2: otherwise SPIN leaves variables that are never read out of the state)
 *
 * SPIN stores the states between events only: what happens within atomic or d_step is one step. So "states, stored" is
 * the number of pairs (nodes, phase). Which of several equal nodes is taken is open, and every choice is followed.
 */

#ifndef N
#define N 3
#endif
#define G 8

byte fours[N];      /* slots of width 4 on each node, ... */
byte twos[N];       /* ... slots of width 2, ... */
byte ones[N];       /* ... and 1-GPU instances; a node with slots has none */
byte phase;         /* what is under way: nothing, or Places or Removes of one size, with Compact still to come */
byte at, to, best;  /* chosen nodes and what they must have; 0 between events */

#define SETTLED     0
#define PLACING(g)  (g)
#define REMOVING(g) (G + g)
#define COMPACTED   (2 * G + 1)  /* with PAIRS only */
#define BUSY        (phase != SETTLED && phase != COMPACTED)
#define MAY(p)      (phase == SETTLED || phase == p)

#define SLOTTED(k)  (fours[k] + twos[k] > 0)
#define FREE(k)     (G - 4 * fours[k] - 2 * twos[k] - ones[k])  /* D(n) of a slotted node */
#define PARTIAL(k)  (FREE(k) > 0 && FREE(k) < G)
#define POOL(k)     (ones[k] > 0 && ones[k] < G)

hidden byte i, j, keep;  /* in use within one d_step only */

#define FOR_EACH_NODE(body) i = 0; do :: i < N -> body; i++ :: else -> break od; i = 0
#define MINIMUM(value) best = (value < best -> value : best)
#define MAXIMUM(value) best = (value > best -> value : best)

/* -- choice of a node -------------------------------------------------------------------------------------------- */

/* Follow every node k with GOOD(k, items, w); where there is none, go on without. */
#define CHOOSE(node, GOOD, items, w) if \
    :: GOOD(0, items, w) -> node = 0 \
    IF1(:: GOOD(1, items, w) -> node = 1) \
    IF2(:: GOOD(2, items, w) -> node = 2) \
    IF3(:: GOOD(3, items, w) -> node = 3) \
    IF4(:: GOOD(4, items, w) -> node = 4) \
    IF5(:: GOOD(5, items, w) -> node = 5) \
    IF6(:: GOOD(6, items, w) -> node = 6) \
    IF7(:: GOOD(7, items, w) -> node = 7) \
    IF8(:: GOOD(8, items, w) -> node = 8) \
    IF9(:: GOOD(9, items, w) -> node = 9) \
    IF10(:: GOOD(10, items, w) -> node = 10) \
    IF11(:: GOOD(11, items, w) -> node = 11) \
    :: else -> node = N \
    fi

#if N > 1
#define IF1(x) x
#else
#define IF1(x)
#endif
#if N > 2
#define IF2(x) x
#else
#define IF2(x)
#endif
#if N > 3
#define IF3(x) x
#else
#define IF3(x)
#endif
#if N > 4
#define IF4(x) x
#else
#define IF4(x)
#endif
#if N > 5
#define IF5(x) x
#else
#define IF5(x)
#endif
#if N > 6
#define IF6(x) x
#else
#define IF6(x)
#endif
#if N > 7
#define IF7(x) x
#else
#define IF7(x)
#endif
#if N > 8
#define IF8(x) x
#else
#define IF8(x)
#endif
#if N > 9
#define IF9(x) x
#else
#define IF9(x)
#endif
#if N > 10
#define IF10(x) x
#else
#define IF10(x)
#endif
#if N > 11
#define IF11(x) x
#else
#define IF11(x)
#endif
#if N > 12
#error "at most 12 nodes"
#endif

/* -- symmetry ---------------------------------------------------------------------------------------------------- */

#ifdef SORTED

#define NUMBER(k) ((G + 1) * (3 * twos[k] + fours[k]) + ones[k])  /* of its type: distinct types, distinct numbers */

/* Of equal nodes, which stand side by side, the first stands for all. */
#define FIRST(k)  (k == 0 || NUMBER(k) != NUMBER((k + N - 1) % N))

#define EXCHANGE(items) keep = items[j]; items[j] = items[j - 1]; items[j - 1] = keep

inline canonical() {  /* insertion sort */
    FOR_EACH_NODE(
        j = i;
        do
        :: j > 0 ->
            if
            :: NUMBER(j) < NUMBER(j - 1) -> EXCHANGE(fours); EXCHANGE(twos); EXCHANGE(ones); j--
            :: else -> break
            fi
        :: else -> break
        od
    );
    j = 0;
    keep = 0
}

#else

#define FIRST(k) true
inline canonical() { skip }

#endif

/* -- Place and Remove -------------------------------------------------------------------------------------------- */

/* A slot of width w goes to a slotted node with the least D(n) >= w, else to an empty node, which has G free. */
#define LEAST_SUFFICIENT(w) \
    best = G; \
    FOR_EACH_NODE(if :: SLOTTED(i) && FREE(i) >= w -> MINIMUM(FREE(i)) :: else fi)
#define HOST(k, _, w) (FIRST(k) && FREE(k) == best && (SLOTTED(k) || best == G))

/* A 1-GPU instance goes to the fullest pool node with room, else to an empty node. */
#define FULLEST_POOL \
    best = 0; \
    FOR_EACH_NODE(if :: POOL(i) -> MAXIMUM(ones[i]) :: else fi)
#define HOME(k, _, _w) (FIRST(k) && !SLOTTED(k) && ones[k] == best)

#define HAS(k, items, _) (FIRST(k) && items[k] > 0)

/* An instance without a destination is refused: nothing happens. */
#define CHANGE(items, sign, new_phase) \
    d_step { \
        if \
        :: at < N -> items[at] = items[at] sign 1; phase = new_phase; canonical() \
        :: else \
        fi; \
        at = 0; best = 0 \
    }

#define PLACE(g, items, WANTED, GOOD) \
    atomic { d_step { MAY(PLACING(g)) -> WANTED }; CHOOSE(at, GOOD, items, g); CHANGE(items, +, PLACING(g)) }
#define REMOVE(g, items) \
    atomic { MAY(REMOVING(g)) -> CHOOSE(at, HAS, items, g); CHANGE(items, -, REMOVING(g)) }

/* -- Compact ----------------------------------------------------------------------------------------------------- */

/* A BestFitDrain pass over items of width w. A node is in N if it has an item and room for another one. The source is
 * a node of most room, the host another one of least room. A source that has given something has more room than all
 * others and so stays at the head of N; a host that has taken something has less room than all others that have any and
 * so takes the next item too. Nodes that are empty or full take no more part. So N needs no list.
 */
#define ROOM(k, w)            (FREE(k) / w)
#define IN(k, items, w)       (items[k] > 0 && ROOM(k, w) >= 1)

/* 0 where |N| < 2 */
#define MOST_ROOM(items, w) \
    best = 0; keep = 0; \
    FOR_EACH_NODE(if :: IN(i, items, w) -> keep++; MAXIMUM(ROOM(i, w)) :: else fi); \
    best = (keep < 2 -> 0 : best)
#define SOURCE(k, items, w)   (FIRST(k) && IN(k, items, w) && ROOM(k, w) == best)

#define LEAST_ROOM(items, w) \
    best = G; \
    FOR_EACH_NODE(if :: i != at && IN(i, items, w) -> MINIMUM(ROOM(i, w)) :: else fi)
#define TARGET(k, items, w)   (k != at && (FIRST(k) || k == at + 1) && IN(k, items, w) && ROOM(k, w) == best)

#define MOVE(items, w) \
    do \
    :: items[at] > 0 && ROOM(to, w) >= 1 -> items[at]--; items[to]++ \
    :: else -> break \
    od; \
    at = 0; to = 0; best = 0; \
    canonical()

#define PASS(items, w) \
    do \
    :: d_step { MOST_ROOM(items, w) }; \
        if \
        :: best == 0 -> break \
        :: else -> \
            CHOOSE(at, SOURCE, items, w); \
            d_step { LEAST_ROOM(items, w) }; \
            CHOOSE(to, TARGET, items, w); \
            d_step { MOVE(items, w) } \
        fi \
    od

#define COMPACT PASS(ones, 1); PASS(fours, 4); PASS(twos, 2)

#ifdef PAIRS
byte fours_before[N], twos_before[N], ones_before[N];
#define REMEMBER \
    FOR_EACH_NODE(fours_before[i] = fours[i]; twos_before[i] = twos[i]; ones_before[i] = ones[i])
#endif

/* -- claims ------------------------------------------------------------------------------------------------------ */

#define COUNT(CONDITION) FOR_EACH_NODE(if :: CONDITION -> keep++ :: else fi)

#define NONE         keep = 1                                             /* broken everywhere, to count the states */
#define CAPACITY     COUNT(FREE(i) < 0 || (SLOTTED(i) && ones[i] > 0))
#define POOL_PASS    COUNT(POOL(i)); keep = (keep > 1)
#define SLOTTED_PASS COUNT(SLOTTED(i) && FREE(i) > 0); keep = (keep > 1)
#define THEOREM_1    COUNT(POOL(i)); j = keep; keep = 0; COUNT(SLOTTED(i) && FREE(i) > 0); keep = (keep > 1 || j > 1)
#define SIF_BOUND    FOR_EACH_NODE(j = j + FREE(i)); COUNT(PARTIAL(i)); keep = (keep > 2 + (j % G != 0))

active proctype cluster() {
    do
    :: PLACE(1, ones, FULLEST_POOL, HOME)
    :: PLACE(2, twos, LEAST_SUFFICIENT(2), HOST)
    :: PLACE(4, fours, LEAST_SUFFICIENT(4), HOST)
    :: REMOVE(1, ones)
    :: REMOVE(2, twos)
    :: REMOVE(4, fours)
    :: atomic { BUSY -> COMPACT; phase = SETTLED }
#ifdef PAIRS
    :: atomic { d_step { BUSY -> REMEMBER }; COMPACT; phase = COMPACTED }
    :: d_step { phase == COMPACTED -> assert(false) }
#endif
#ifdef CLAIM
    :: d_step { phase == SETTLED -> keep = 0; j = 0; CLAIM; assert(keep == 0); keep = 0; j = 0 }
#endif
    od
}
