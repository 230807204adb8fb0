"""What `repaired` and `unified` have to admit, by definition; where a scheduler has its instances."""

import itertools
from math import ceil


def sigma_need(geometry, counts):
    """Nodes that the paper's Sigma needs: slots packed by width, pool instances packed by eight."""
    width = sum(geometry.slot_width(g) * n for g, n in counts.items() if g > 1)
    vacancy = sum(geometry.vacancy(g) * n for g, n in counts.items() if g > 1)
    pool = max(0, counts.get(1, 0) - vacancy)
    return ceil(width / geometry.capacity) + ceil(pool / geometry.capacity)


def repaired_can_run(geometry, nodes, counts):
    """By the definition: every sub-multiset has a place in Sigma."""
    sizes = list(counts)
    for left in itertools.product(*(range(counts[g] + 1) for g in sizes)):
        if sigma_need(geometry, dict(zip(sizes, left, strict=True))) > nodes:
            return False
    return True


def unified_can_run(geometry, nodes, counts):
    """By the definition: max(W, T) <= G N, W the width of all slots and of the 1-GPU instances outside of them."""
    total = sum(g * n for g, n in counts.items())
    slots = sum(geometry.slot_width(g) * n for g, n in counts.items() if g > 1)
    return max(slots, total) <= geometry.capacity * nodes


def placement(scheduler):
    return {i.name: node for node, content in enumerate(scheduler.board.contents) for i in content}
