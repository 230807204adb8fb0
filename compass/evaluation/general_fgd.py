"""FGD in its general form, on nodes with CPU, memory and GPUs that can be shared: the oracle for FGD on whole GPUs.

Weng et al., "Beware of Fragmentation", ATC '23, sections 3 and 4: a node's fragmentation for one demand is the free
GPU capacity which that demand cannot use there, F(node) its mean over the demands of the workload, and a demand goes
where F grows least. All arithmetic is in whole numbers: capacities in thousandths, weights as counts.

Nodes of equal free resources are one group, and what a policy thinks of a group is computed once for each demand.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from compass.errors import DoesNotFitNow, InputError

WHOLE = 1000
"""Thousandths of a GPU, and of a CPU core."""
LARGEST_CPU, LARGEST_GPUS = 128_000, 8 * WHOLE
"""What ``BestFitScore`` divides free CPU and free GPU capacity by: the largest node of its authors' cluster."""


class Demand(NamedTuple):
    """What one instance asks of one node.

    Attributes:
        cpu: thousandths of a core.
        memory: MiB.
        gpus: GPUs; with 0 it asks for CPU and memory only.
        milli: thousandths of each of them: 1000, and less only of a single one; 0 without GPUs.
        models: the GPU models it may run on; empty for any.
    """

    cpu: int = 0
    memory: int = 0
    gpus: int = 0
    milli: int = 0
    models: tuple[str, ...] = ()


class Free(NamedTuple):
    """What a node has free: CPU in thousandths of a core, memory in MiB, thousandths of each GPU in their order."""

    cpu: int
    memory: int
    gpus: tuple[int, ...]
    model: str = ""

    def fits(self, demand: Demand) -> bool:
        """Whether the demand can be placed here.

        >>> Free(8000, 4096, (300, 1000)).fits(Demand(cpu=8000, gpus=1, milli=460))
        True
        >>> Free(8000, 4096, (300, 1000)).fits(Demand(cpu=8000, gpus=2, milli=1000))
        False
        """
        return (
            self.cpu >= demand.cpu
            and self.memory >= demand.memory
            and (not demand.models or self.model in demand.models)
            and sum(free >= demand.milli for free in self.gpus) >= demand.gpus
        )

    def changed(self, demand: Demand, gpus: Iterable[int], sign: int) -> Free:
        """The node with the demand placed on those GPUs (``sign`` -1), or taken from them (``sign`` 1)."""
        left = list(self.gpus)
        for gpu in gpus:
            left[gpu] += sign * demand.milli
        return Free(self.cpu + sign * demand.cpu, self.memory + sign * demand.memory, tuple(left), self.model)


def check_demand(demand: Demand) -> Demand:
    """Return a demand of the form that ``Demand`` describes.

    Raises:
        InputError: it is of another form.
    """
    cpu, memory, gpus, milli, _ = demand
    if min(cpu, memory, gpus, milli) < 0:
        raise InputError(f"{demand}: negative")
    if (milli == 0) != (gpus == 0) or milli > WHOLE or (gpus > 1 and milli != WHOLE):
        raise InputError(f"{demand}: GPUs are asked for as whole ones, or 1 to {WHOLE} thousandths of a single one")
    return demand


def typical(demands: Iterable[Demand], percent: int = 95) -> Counter[Demand]:
    """The most frequent demands, without their memory, that together are at least ``percent`` of all, with counts.

    Of equally frequent ones those with more CPU, then a larger part of a GPU, then more GPUs come first.
    FGD's authors weigh fragmentation by these, with 95 %.

    >>> workload = [Demand(cpu=1)] * 3 + [Demand(cpu=2)] * 2 + [Demand(cpu=3)]
    >>> [(demand.cpu, count) for demand, count in typical(workload, percent=80).items()]
    [(1, 3), (2, 2)]
    """
    counts = Counter(demand._replace(memory=0) for demand in demands)
    order = sorted(counts, key=lambda d: (counts[d], d.cpu, d.milli, d.gpus, d.models), reverse=True)
    found: Counter[Demand] = Counter()
    for demand in order:
        if found.total() * 100 >= percent * counts.total():
            break
        found[demand] = counts[demand]
    return found


class Fragmentation:
    """F of nodes under a workload, given as demands with their weights.

    Attributes:
        total: sum of the weights.
    """

    def __init__(self, weights: Mapping[Demand, int]) -> None:
        self.total = sum(weights.values())
        if self.total <= 0:
            raise InputError("fragmentation is a mean over a workload: it has at least one demand")
        by_gpus: defaultdict[tuple[int, int, tuple[str, ...]], list[tuple[int, int]]] = defaultdict(list)
        for demand, weight in weights.items():
            check_demand(demand)
            if demand.gpus:  # for a demand without GPUs, all free GPU capacity is fragmented
                by_gpus[demand.gpus, demand.milli, demand.models].append((demand.cpu, weight))
        self._classes: list[tuple[Demand, list[int], list[int]]] = []
        for (gpus, milli, models), costs in by_gpus.items():
            costs.sort()
            sums = list(itertools.accumulate((weight for _, weight in costs), initial=0))
            self._classes.append((Demand(0, 0, gpus, milli, models), [cpu for cpu, _ in costs], sums))
        self._known: dict[tuple[int, tuple[int, ...], str], int] = {}

    def amount(self, free: Free) -> int:
        """``total`` times F of a node, in thousandths of a GPU.

        F = sum over demands of their share times: all that is free, where the node cannot take the demand for lack of
        GPUs, of CPU or of a model; else what is free on GPUs with less free than one part. Memory does not count.

        >>> half = Fragmentation({Demand(gpus=1, milli=400): 1, Demand(gpus=2, milli=1000): 1})
        >>> half.amount(Free(0, 0, (300, 1000)))  # 300 for the first, 1300 for the second
        1600
        """
        key = (free.cpu, free.gpus, free.model)
        if key not in self._known:
            self._known[key] = self._amount(free)
        return self._known[key]

    def _amount(self, free: Free) -> int:
        everything = sum(free.gpus)
        amount = everything * self.total
        for demand, cpus, sums in self._classes:
            if free.fits(demand):
                usable = sum(part for part in free.gpus if part >= demand.milli)
                amount -= usable * sums[bisect_right(cpus, free.cpu)]
        return amount


class Score(NamedTuple):
    """What a policy thinks of a node for a demand: the higher the value the better; and the GPUs it would take."""

    value: int
    gpus: tuple[int, ...]


class Policy(Protocol):
    """Where demands go."""

    def score(self, free: Free, demand: Demand) -> Score:
        """The score of a node that the demand fits on."""


def whole_gpus(free: Free, demand: Demand) -> tuple[int, ...]:
    """The first free GPUs, as many as a demand for whole ones asks for."""
    return tuple(gpu for gpu, part in enumerate(free.gpus) if part >= demand.milli)[: demand.gpus]


class GeneralFgd:
    """Least growth of F; of the GPUs that can be shared, the first with the best score.

    Args:
        fragmentation: F.
        truncated: False: compare the growth exactly. True: as the authors' simulator, which compares the integer part
            of 100 sigmoid(-growth), the growth in GPUs, and so takes many nodes for equal.
    """

    def __init__(self, fragmentation: Fragmentation, *, truncated: bool = False) -> None:
        self._fragmentation = fragmentation
        self._truncated = truncated

    def score(self, free: Free, demand: Demand) -> Score:
        """See the class; the value is minus the growth (times ``fragmentation.total``), or its truncated score."""
        if 0 < demand.milli < WHOLE:
            choices: list[tuple[int, ...]] = [(gpu,) for gpu, part in enumerate(free.gpus) if part >= demand.milli]
        else:
            choices = [whole_gpus(free, demand)]
        before = self._fragmentation.amount(free)
        scores = [
            Score(self._value(self._fragmentation.amount(free.changed(demand, gpus, -1)) - before), gpus)
            for gpus in choices
        ]
        return max(scores, key=lambda score: score.value)  # the first of equal ones

    def _value(self, growth: int) -> int:
        if not self._truncated:
            return -growth
        return int(100 / (1 + math.exp(growth / (self._fragmentation.total * WHOLE))))


class GeneralBestFit:
    """Least free capacity after placing, CPU and GPU weighted alike; a shared GPU is the one with least free.

    The value is the integer part of 100 (1 - (CPU left / largest CPU + GPU left / largest GPU) / 2), as in the
    simulator of FGD's authors.
    """

    def score(self, free: Free, demand: Demand) -> Score:
        """See the class."""
        cpu = free.cpu - demand.cpu
        gpu = sum(free.gpus) - demand.gpus * demand.milli
        scale = 2 * LARGEST_CPU * LARGEST_GPUS
        value = 100 * (scale - cpu * LARGEST_GPUS - gpu * LARGEST_CPU) // scale
        if 0 < demand.milli < WHOLE:
            fitting = [gpu for gpu, part in enumerate(free.gpus) if part >= demand.milli]
            return Score(value, (min(fitting, key=lambda gpu: free.gpus[gpu]),))
        return Score(value, whole_gpus(free, demand))


class Placed(NamedTuple):
    """A demand on a node, with the GPUs it has."""

    node: int
    demand: Demand
    gpus: tuple[int, ...]


class _Group:
    """Nodes of equal free resources, by their ranks in order; once it has none it never gets one again."""

    def __init__(self, free: Free) -> None:
        self.free = free
        self.ranks: list[int] = []


class _View:
    """What the policy thinks of the groups for one demand: those with room by score, as far as they were looked at."""

    def __init__(self) -> None:
        self.looked_at = 0
        self.groups: defaultdict[int, list[_Group]] = defaultdict(list)


class Cluster:
    """Nodes that a policy places demands on, one at a time.

    Args:
        nodes: what each has free at first.
        policy: where demands go.
        ranks: a permutation of 0 .. nodes - 1; of nodes with equal scores the one of lowest rank is taken. Default:
            the order of the nodes.

    Cost of a placement: a score for each group of equal nodes that the demand has not met, and a look at those with the
    best score.
    """

    def __init__(self, nodes: Sequence[Free], policy: Policy, ranks: Sequence[int] | None = None) -> None:
        self.nodes = list(nodes)
        self._ranks = list(range(len(nodes)) if ranks is None else ranks)
        if sorted(self._ranks) != list(range(len(nodes))):
            raise InputError(f"ranks of {len(nodes)} nodes: must be a permutation of 0 .. {len(nodes) - 1}")
        self._by_rank = sorted(range(len(nodes)), key=self._ranks.__getitem__)
        self._policy = policy
        self._groups: dict[Free, _Group] = {}
        self._born: list[_Group] = []
        self._views: defaultdict[Demand, _View] = defaultdict(_View)
        for node in range(len(nodes)):
            self._join(node)

    def best(self, demand: Demand) -> list[int]:
        """The nodes with the best score, lowest rank first; none where the demand fits on no node."""
        ranks = sorted(itertools.chain.from_iterable(group.ranks for group in self._best_groups(demand)))
        return [self._by_rank[rank] for rank in ranks]

    def _best_groups(self, demand: Demand) -> list[_Group]:
        view = self._views[check_demand(demand)]
        for group in self._born[view.looked_at :]:
            if group.ranks and group.free.fits(demand):
                view.groups[self._policy.score(group.free, demand).value].append(group)
        view.looked_at = len(self._born)
        while view.groups:
            value = max(view.groups)
            view.groups[value] = best = [group for group in view.groups[value] if group.ranks]
            if best:
                return best
            del view.groups[value]
        return []

    def place(self, demand: Demand) -> Placed | None:
        """Place a demand where the policy wants it; None, and nothing changes, where it fits on no node."""
        groups = self._best_groups(demand)
        return self.put(demand, self._by_rank[min(group.ranks[0] for group in groups)]) if groups else None

    def put(self, demand: Demand, node: int) -> Placed:
        """Place a demand on a given node, on the GPUs that the policy takes there.

        Raises:
            DoesNotFitNow: it does not fit there; nothing changes.
        """
        free = self.nodes[node]
        if not free.fits(check_demand(demand)):
            raise DoesNotFitNow(f"node {node} has {free}, which {demand} does not fit in")
        placed = Placed(node, demand, self._policy.score(free, demand).gpus)
        self._change(placed, -1)
        return placed

    def remove(self, placed: Placed) -> None:
        """Take away what ``place`` or ``put`` has placed."""
        self._change(placed, 1)

    def _change(self, placed: Placed, sign: int) -> None:
        node = placed.node
        group = self._groups[self.nodes[node]]
        group.ranks.remove(self._ranks[node])
        if not group.ranks:
            del self._groups[group.free]
        self.nodes[node] = group.free.changed(placed.demand, placed.gpus, sign)
        self._join(node)

    def _join(self, node: int) -> None:
        free = self.nodes[node]
        if free not in self._groups:
            self._groups[free] = _Group(free)
            self._born.append(self._groups[free])
        insort(self._groups[free].ranks, self._ranks[node])
