"""The metric: scheduler-induced fragmentation of any scheduler's placement (eq. 1-2), exactly.

With ``nu`` partial nodes among ``N`` and ``Phi*`` the fewest that any packing of the same instances on these nodes has:

* fragmentation ``F = nu / N``, inherent fragmentation ``F* = Phi* / N`` (eq. 1);
* ``SIF = F - F* >= 0`` (eq. 2), the avoidable partial nodes as a share of all nodes.

Instances never count as movable between pools: ``Phi*`` is taken for each pool alone, and the SIF of the cluster is
the sum of the pools' avoidable partial nodes over the number of all nodes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from compass.composition import Composition
from compass.errors import InputError
from compass.geometry import geometry_of
from compass.phi import min_nodes, min_partial_nodes, min_partial_nodes_mixed
from compass.snapshot import Node, Snapshot

Json = dict[str, object]
"""A record with keys and values as JSON has them."""


@dataclass(frozen=True, slots=True)
class _Figures:
    """What the report of a pool and that of the cluster have in common.

    Args:
        nodes: number of nodes, empty ones included.
        capacity: their capacity, None where it differs.
        partial_nodes: ``nu``.
        inherent_partial_nodes: ``Phi*``.
        min_nodes: the fewest nodes the instances could be packed on, None where capacities differ within a pool.
        wcc_slack: ``n_1 - V``; for the cluster the least of its pools.
    """

    nodes: int
    capacity: int | None
    partial_nodes: int
    inherent_partial_nodes: int
    min_nodes: int | None
    wcc_slack: int

    @property
    def avoidable_partial_nodes(self) -> int:
        """``nu - Phi*``."""
        return self.partial_nodes - self.inherent_partial_nodes

    @property
    def fragmentation(self) -> Fraction:
        """``F = nu / N``."""
        return Fraction(self.partial_nodes, self.nodes)

    @property
    def inherent_fragmentation(self) -> Fraction:
        """``F* = Phi* / N``."""
        return Fraction(self.inherent_partial_nodes, self.nodes)

    @property
    def sif(self) -> Fraction:
        """``SIF = F - F*``."""
        return Fraction(self.avoidable_partial_nodes, self.nodes)

    @property
    def wcc(self) -> bool:
        """Whether the Workload Composition Condition holds (in every pool)."""
        return self.wcc_slack >= 0

    def to_json(self) -> Json:
        """The figures under their names; ``sif`` as an exact fraction in a string, ``sif_float`` rounded."""
        return {
            "nodes": self.nodes,
            "capacity": self.capacity,
            "partial_nodes": self.partial_nodes,
            "inherent_partial_nodes": self.inherent_partial_nodes,
            "avoidable_partial_nodes": self.avoidable_partial_nodes,
            "sif": str(self.sif),
            "sif_float": float(self.sif),
            "wcc": self.wcc,
            "wcc_slack": self.wcc_slack,
            "min_nodes": self.min_nodes,
        }


@dataclass(frozen=True, slots=True)
class PoolReport(_Figures):
    """The figures of one pool.

    ``wcc_slack`` is that of the default geometry of the pool's largest capacity; where capacities differ it tells
    about the workload, not about these nodes.

    Examples:
        >>> from compass.snapshot import Node, PlacedInstance
        >>> busy = (PlacedInstance("a", 4),)
        >>> report = sif(Snapshot((Node("x", busy, pool="old"), Node("y", busy, pool="old"), Node("z", busy))))
        >>> [(pool.name, pool.avoidable_partial_nodes) for pool in report.pools]
        [('old', 2), ('', 0)]
    """

    name: str

    def to_json(self) -> Json:
        """The figures and the pool's name under ``pool``."""
        # By name: super() does not work in a dataclass with slots, which is made anew.
        return {"pool": self.name, **_Figures.to_json(self)}


@dataclass(frozen=True, slots=True)
class SifReport(_Figures):
    """The figures of a cluster and of each of its pools, in the order in which the pools first appear.

    Examples:
        >>> report = sif(Snapshot.of([[4, 2], [4], []]))
        >>> report.partial_nodes, report.inherent_partial_nodes, report.fragmentation, report.sif
        (2, 1, Fraction(2, 3), Fraction(1, 3))
    """

    pools: tuple[PoolReport, ...]

    def to_json(self) -> Json:
        """The figures, and under ``pools`` those of each pool where there is more than one."""
        pools: Json = {"pools": [pool.to_json() for pool in self.pools]} if len(self.pools) > 1 else {}
        return {**_Figures.to_json(self), **pools}


def sif(snapshot: Snapshot) -> SifReport:
    """Scheduler-induced fragmentation of a placement: ``SIF = (nu - Phi*) / N``, exact for every snapshot.

    ``Phi*`` is the minimum within each pool on at most the pool's nodes. It never exceeds ``nu``, since the placement
    is itself a packing on these nodes.

    Cost: linear in the instances (to count them), then independent of the number of nodes.

    Raises:
        InputError: the snapshot has no nodes.

    Source: eq. 1 and 2.

    Examples:
        >>> report = sif(Snapshot.of([[4, 2], [4], [1, 1, 1, 1, 1, 1]]))
        >>> report.partial_nodes, report.inherent_partial_nodes, report.sif
        (3, 0, Fraction(1, 1))
    """
    if not snapshot.nodes:
        raise InputError("snapshot: it has no nodes, so no share of them is fragmented")
    members: dict[str, list[Node]] = {}
    for node in snapshot.nodes:
        members.setdefault(node.pool, []).append(node)
    pools = tuple(_pool_report(name, nodes) for name, nodes in members.items())
    fewest = [pool.min_nodes for pool in pools if pool.min_nodes is not None]
    return SifReport(
        nodes=len(snapshot.nodes),
        capacity=snapshot.capacity,
        partial_nodes=sum(pool.partial_nodes for pool in pools),
        inherent_partial_nodes=sum(pool.inherent_partial_nodes for pool in pools),
        min_nodes=sum(fewest) if len(fewest) == len(pools) else None,
        wcc_slack=min(pool.wcc_slack for pool in pools),
        pools=pools,
    )


def avoidable_partial_nodes(partial_nodes: int, composition: Composition, nodes: int | None = None) -> int:
    """``nu - Phi*`` of a running cluster with ``partial_nodes`` partial nodes among at most ``nodes`` nodes.

    For schedulers and simulators that count both as they go; O(1) under WCC.

    Raises:
        DoesNotFitNow: no packing on ``nodes`` nodes exists.
        InputError: fewer partial nodes than any packing of these instances has.

    Examples:
        >>> from compass.geometry import Geometry
        >>> avoidable_partial_nodes(3, Composition(Geometry(), {4: 2, 2: 1, 1: 6}))
        3
    """
    inherent = min_partial_nodes(composition, nodes=nodes)
    if partial_nodes < inherent:
        raise InputError(
            f"{partial_nodes} partial nodes: every packing of {composition.as_dict()} has {inherent} or more"
        )
    return partial_nodes - inherent


def _pool_report(name: str, nodes: list[Node]) -> PoolReport:
    capacities = Counter(node.capacity for node in nodes)
    geometry = geometry_of(max(capacities))
    counts = Counter(instance.gpus for node in nodes for instance in node.instances)
    composition = Composition(geometry, counts)
    uniform = len(capacities) == 1
    return PoolReport(
        name=name,
        nodes=len(nodes),
        capacity=geometry.capacity if uniform else None,
        partial_nodes=sum(node.partial for node in nodes),
        inherent_partial_nodes=(
            min_partial_nodes(composition, nodes=len(nodes)) if uniform else min_partial_nodes_mixed(counts, capacities)
        ),
        min_nodes=min_nodes(composition) if uniform else None,
        wcc_slack=composition.slack,
    )
