"""Independent baselines for tests: nodes are lists of (instance, size), rules are written out node by node."""

import math
from fractions import Fraction

CAPACITY = 8


def free(node):
    return CAPACITY - sum(g for _, g in node)


def best_fit(nodes, gpus, allowed=None):
    fits = [k for k, node in enumerate(nodes) if free(node) >= gpus and (allowed is None or k in allowed)]
    return min(fits, key=lambda k: (free(nodes[k]), k), default=None)


def first_fit(nodes, gpus):
    return next((k for k, node in enumerate(nodes) if free(node) >= gpus), None)


def worst_fit(nodes, gpus):
    fits = [k for k, node in enumerate(nodes) if free(node) >= gpus]
    return min(fits, key=lambda k: (-free(nodes[k]), k), default=None)


def fgd(shares, trunc=False, load=0):
    """The rule for shares {size: p}, p summing to 1 or all 0."""

    def expected(r):
        return sum(p * r for g, p in shares.items() if g > r)

    def rule(nodes, gpus):
        def key(k):
            r = free(nodes[k])
            added = expected(r - gpus) - expected(r)
            if trunc:
                added = -math.floor(100 / (1 + math.exp(added)))
            return added + load * Fraction(CAPACITY - r, CAPACITY), r, k

        return min((k for k, node in enumerate(nodes) if free(node) >= gpus), key=key, default=None)

    return rule


def normed(weights):
    total = sum(weights.values())
    return {g: Fraction(n) / total for g, n in weights.items()} if total else {}


def added_per_gpu(shares, nodes, gpus, instances, rule):
    """Total dF per GPU of a gang placed by the rule."""

    def everything():
        return sum(p * free(node) for node in trial for g, p in shares.items() if g > free(node))

    trial = [list(node) for node in nodes]
    before = everything()
    for _ in range(instances):
        k = rule(trial, gpus)
        if k is None:
            return None
        trial[k].append(("new", gpus))
    return (everything() - before) / (gpus * instances)


def buddy_cells(taken):
    """Maximal free aligned cells (width, first GPU) of one node, from its taken GPUs."""
    cells, at = [], 0
    while at < CAPACITY:
        width = CAPACITY
        while width and (at % width or any(gpu in taken for gpu in range(at, at + width))):
            width //= 2
        if width:
            cells.append((width, at))
        at += width or 1
    return cells


class NaiveCluster:
    """Gang placement with undo, and the names of the instances in order."""

    def __init__(self, size):
        self.nodes = [[] for _ in range(size)]
        self.jobs = {}

    def arrive(self, job, gpus, instances, rule):
        """The nodes chosen, or None; nothing is changed then."""
        trial = [list(node) for node in self.nodes]
        chosen = []
        for index in range(instances):
            k = rule(trial, gpus)
            if k is None:
                return None
            trial[k].append((f"{job}/{index}", gpus))
            chosen.append(k)
        self.nodes = trial
        self.jobs[job] = (gpus, instances)
        return chosen

    def depart(self, job):
        _, instances = self.jobs.pop(job)
        names = {f"{job}/{k}" for k in range(instances)}
        self.nodes = [[entry for entry in node if entry[0] not in names] for node in self.nodes]

    def move(self, name, target):
        (entry,) = [entry for node in self.nodes for entry in node if entry[0] == name]
        for node in self.nodes:
            if entry in node:
                node.remove(entry)
        self.nodes[target].append(entry)

    def used(self):
        return {k for k, node in enumerate(self.nodes) if node}

    def emptiest(self):
        partial = [k for k in self.used() if free(self.nodes[k])]
        return min(partial, key=lambda k: (-free(self.nodes[k]), k), default=None)

    def drain_one(self, whole):
        """Empty the emptiest partial node into the others in use; the moves (instance, source, target)."""
        source = self.emptiest()
        if source is None:
            return []
        before = [list(node) for node in self.nodes]
        allowed = self.used() - {source}
        moves = []
        for name, gpus in sorted(self.nodes[source], key=lambda entry: -entry[1]):
            target = best_fit(self.nodes, gpus, allowed)
            if target is not None:
                self.move(name, target)
                moves.append((name, source, target))
        if whole and len(moves) < len(before[source]):
            self.nodes = before
            return []
        return moves

    def drain(self):
        moves = []
        while more := self.drain_one(whole=True):
            moves += more
        return moves

    def sizes(self):
        return [sorted(g for _, g in node) for node in self.nodes]
