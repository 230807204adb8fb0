"""The lemmas of docs/theory, step by step as their proofs go, for all nodes or pairs of nodes of small chains.

A node is a list of block widths; a free 1-GPU instance is a block of width 1. Nothing of the package is used.
"""

from __future__ import annotations

from itertools import accumulate

import pytest

CHAINS = [(2, 1), (4, 2, 1), (8, 4, 2, 1), (8, 2, 1), (8, 4, 1), (16, 4, 1)]


def nodes(chain, least=1, most=None):
    """Every multiset of widths of the chain with a sum in this range (default: the open nodes)."""
    most = chain[0] - 1 if most is None else most
    found = [[]]
    for width in chain:
        found = [node + [width] * k for node in found for k in range((most - sum(node)) // width + 1)]
    return [node for node in found if least <= sum(node)]


def suffix(blocks, total):
    """The end of the blocks, in decreasing order, after a prefix with just this sum; the fact about prefixes."""
    ordered = sorted(blocks, reverse=True)
    sums = [0, *accumulate(ordered)]
    assert total in sums
    return ordered[sums.index(total) :]


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_facts_about_chains(chain):
    capacity = chain[0]
    for blocks in nodes(chain, most=3 * capacity):
        for beta in (width for width in chain if width >= blocks[0]):
            for total in range(0, sum(blocks) + 1, beta):
                suffix(blocks, total)
        loads = []
        for block in sorted(blocks, reverse=True):
            host = next((k for k, load in enumerate(loads) if load + block <= capacity), None)
            if host is None:
                loads.append(block)
            else:
                loads[host] += block
        assert set(loads[:-1]) <= {capacity}


def test_a_chain_is_needed():
    with pytest.raises(AssertionError):
        test_facts_about_chains((8, 3, 1))


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
    covered = nodes(chain, capacity, capacity)
    for gpus in range(2, capacity + 1):
        width = min(w for w in chain if w >= gpus)
        for node in nodes(chain):
            room, slots = capacity - sum(node), [block for block in node if block > 1]
            if room < gpus or sum(slots) + width <= capacity:
                continue
            for donor in covered:
                if sum(slots) + sum(block for block in donor if block > 1) + width <= 2 * capacity:
                    assert 1 in donor  # step 1; any further node covered by slots adds G on both sides
            narrow = {slot for slot in slots if slot < width}
            assert narrow  # step 2
            for v in narrow:
                for donor in (node for node in covered if 1 in node):
                    narrower = [block for block in donor if block < v]
                    assert sum(narrower) % v == 0  # step 3
                    part = suffix(narrower, sum(narrower) - v)
                    assert sum(part) == v
                    assert 1 in part
                    assert room >= v  # step 4: first the part moves, then the slot, each with the load v
                    assert sum(block for block in part if block > 1) < v  # what the slots on the open node lose and get
