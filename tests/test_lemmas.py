"""The two lemmas of docs/theory, step by step as their proofs go, for every pair of nodes of small chains of widths.

A node is a list of block widths; a free 1-GPU instance is a block of width 1. Nothing of the package is used.
"""

from __future__ import annotations

from itertools import accumulate

import pytest

CHAINS = [(2, 1), (4, 2, 1), (8, 4, 2, 1), (8, 2, 1), (8, 4, 1), (16, 4, 1)]


def nodes(chain, least=1, most=None):
    """Every multiset of widths of the chain with a sum in this range (default: the open nodes)."""
    capacity = chain[0]
    found = [[]]
    for width in chain:
        found = [node + [width] * k for node in found for k in range((capacity - sum(node)) // width + 1)]
    return [node for node in found if least <= sum(node) <= (capacity - 1 if most is None else most)]


def suffix(blocks, total):
    """The end of the blocks, in decreasing order, after a prefix with just this sum; the fact about prefixes."""
    ordered = sorted(blocks, reverse=True)
    sums = [0, *accumulate(ordered)]
    assert total in sums
    return ordered[sums.index(total) :]


def merge(p, q, capacity):
    """The proof of the merge lemma; every block moves into room that is there."""
    p, q = list(p), list(q)

    def move(block, source, target):
        source.remove(block)
        target.append(block)
        assert sum(target) <= capacity

    while fitting := [block for block in p if block <= capacity - sum(q)]:
        move(fitting[0], p, q)
    if not p or sum(q) == capacity:
        return p, q
    room, beta = capacity - sum(q), min(p)
    assert 0 < room < beta <= capacity - sum(p)  # step 1
    narrower = [block for block in q if block < beta]
    k, rest = divmod(sum(narrower) + room, beta)
    assert rest == 0
    assert k >= 1
    chosen = suffix(narrower, (k - 1) * beta)  # step 2
    assert sum(chosen) == beta - room
    for block in chosen:  # step 3
        move(block, q, p)
    move(beta, p, q)
    assert sum(q) == capacity
    return p, q


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_merge_lemma(chain):
    capacity = chain[0]
    for p in nodes(chain):
        for q in nodes(chain):
            after = merge(p, q, capacity)
            assert sorted(after[0] + after[1]) == sorted(p + q)
            assert {0, capacity} & {sum(node) for node in after}


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_exchange_lemma(chain):
    capacity = chain[0]
    covered = [node for node in nodes(chain, capacity, capacity) if 1 in node]
    for gpus in range(2, capacity + 1):
        width = min(w for w in chain if w >= gpus)
        for node in nodes(chain):
            room, slots = capacity - sum(node), [block for block in node if block > 1]
            if room < gpus or sum(slots) + width <= capacity:
                continue
            narrow = {slot for slot in slots if slot < width}
            assert narrow  # step 2
            for v in narrow:
                for donor in covered:
                    narrower = [block for block in donor if block < v]
                    assert sum(narrower) % v == 0  # step 3
                    part = suffix(narrower, sum(narrower) - v)
                    assert sum(part) == v
                    assert 1 in part
                    assert room >= v  # step 4: first the part moves, then the slot
