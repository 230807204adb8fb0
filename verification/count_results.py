"""What an exploration at count level found, as values."""

from __future__ import annotations

from dataclasses import dataclass, field

from verification.count_model import CountState


@dataclass(frozen=True)
class Witness:
    """A state, what it was found for, and a shortest path of events to it from the empty cluster."""

    value: int
    state: CountState
    text: str
    path: tuple[str, ...]


@dataclass(frozen=True)
class ClaimCount:
    """How many settled states break a claim, and one of them that is reached first."""

    claim: str
    states: int
    violations: int
    witness: Witness | None

    @property
    def holds(self) -> bool:
        """No state breaks it."""
        return self.violations == 0


@dataclass(frozen=True)
class Exploration:
    """What one exploration found; numbers are of settled states unless said otherwise.

    Attributes:
        variant: ``printed``, ``repaired`` or ``unified``.
        readings: those of ``printed``, else "".
        capacity, widths: the geometry.
        nodes: N.
        open_nodes: the dial m of ``unified``, else 0.
        sizes: demands that may arrive.
        states: distinct settled states.
        all_states: with those between the operator calls of one event (``printed``), by phase.
        transitions: distinct (state, event, successor); a Compact counts once for a node multiset.
        depth: largest distance of a settled state from the empty cluster, in steps.
        stuck: states from which some step has no legal destination or no plan.
        max_partial, max_avoidable: largest ``nu`` and ``nu - Phi*``.
        max_partial_wcc, max_avoidable_wcc: the same over states under WCC.
        moves: for each kind of step, how many transitions move 0, 1, 2, ... instances.
        witnesses: states in which the maxima are attained, the most moves are made, or a step is stuck.
        claims: each claim with the number of its violations. Two are about steps: ``progress`` (every step has a legal
            destination or plan) and ``conservation`` (no step loses, adds or changes an instance); their states
            are those that such a step starts from.
        seconds: wall time; no part of comparisons.
    """

    variant: str
    readings: str
    capacity: int
    widths: tuple[int, ...]
    nodes: int
    open_nodes: int
    sizes: tuple[int, ...]
    states: int
    all_states: int
    transitions: int
    depth: int
    stuck: int
    max_partial: int
    max_avoidable: int
    max_partial_wcc: int
    max_avoidable_wcc: int
    moves: dict[str, tuple[int, ...]]
    witnesses: dict[str, Witness]
    claims: dict[str, ClaimCount]
    seconds: float = field(compare=False)

    @property
    def max_moves(self) -> dict[str, int]:
        """Most moved instances of one step, by kind."""
        return {kind: len(histogram) - 1 for kind, histogram in self.moves.items()}

    @property
    def violated(self) -> list[str]:
        """The claims that some state breaks."""
        return [name for name, count in self.claims.items() if not count.holds]
