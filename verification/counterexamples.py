"""Counterexamples of the ledger, played step by step: what the documentation shows of each refuted claim.

The history or multiset is read from the claim's folder, and the reason is what the predicate says of the state that the
history leads to, not what is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compass.errors import InputError, NoLegalDestination
from compass.event_io import read_events
from compass.events import Arrive, Event
from compass.geometry import geometry_of
from compass.snapshot import Snapshot
from compass.story import Frame, watch
from verification.evidence import PREDICATES, chosen_readings, scheduler_of
from verification.job_claims import Outcome
from verification.ledger import PROOFS, Claim, read_claim
from verification.packings import STATEMENTS


@dataclass(frozen=True)
class Played:
    """A history that breaks a claim.

    Attributes:
        claim: the claim.
        events: the history.
        frames: the story of every event, under the first reading that the claim is about.
        reason: why the state after the last event breaks the claim.
        readings: values that a reading must have for this history to break the claim, as in ``cap=fits``.
    """

    claim: Claim
    events: tuple[Event, ...]
    frames: tuple[list[Frame], ...]
    reason: str
    readings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The history in words, an event a line, and the reason."""
        return "\n".join([*map(in_words, self.events), self.reason])


def in_words(event: Event) -> str:
    """An event as a sentence.

    >>> in_words(Arrive("a", 4, 2))
    'a arrives: 2 x 4 GPUs'
    """
    if isinstance(event, Arrive):
        return f"{event.job} arrives: {event.instances} x {event.gpus} GPU{'s' * (event.gpus > 1)}"
    return f"{event.job} departs"


def counterexample(name: str, file: str = "trace.jsonl") -> Played:
    """Play the history ``file`` of the claim in folder ``proofs/name``.

    Raises:
        InputError: there is no such claim or it records no such history, or the history does not break the claim.

    Examples:
        >>> played = counterexample("printed-theorem-1")
        >>> print(played)
        a arrives: 6 x 1 GPU
        b arrives: 1 x 2 GPUs
        c arrives: 2 x 4 GPUs
        WCC holds (slack 6), 3 nodes are partial and Phi* = 0: N SIF = 3 > 2
        >>> [node.load for node in played.frames[-1][-1].snapshot.nodes]
        [6, 6, 4]
    """
    claim = read_claim(PROOFS / name)
    item = _evidence(claim, "trace", file)
    events = tuple(event for _, event in read_events(str(claim.folder / file), item.get("capacity", 8)))
    scheduler = scheduler_of(claim, item, chosen_readings(claim, item)[0])
    frames: list[list[Frame]] = []
    outcome = Outcome(events[0], False)
    for event in events:
        known = scheduler.snapshot()
        try:
            frames.append(watch(scheduler, event))
            placed = any(frame.mark for frame in frames[-1])
            outcome = Outcome(event, placed or not isinstance(event, Arrive))
        except NoLegalDestination as finding:
            frames.append([Frame("before", known)])
            outcome = Outcome(event, False, str(finding))
    reason = PREDICATES[item["predicate"]](scheduler, outcome)
    if reason is None:
        raise InputError(f"{claim.name}: {file} does not break the claim")
    return Played(claim, events, tuple(frames), reason, tuple(item.get("readings", ())))


def multiset(name: str, statement: str = "") -> tuple[tuple[int, ...], str]:
    """The instance sizes that refute a claim about packings, and why.

    Args:
        name: folder of the claim.
        statement: which of its statements, where it has several; by default the first.

    Raises:
        InputError: there is no such claim or statement, or the sizes do not break it.

    Examples:
        >>> multiset("algorithm-2")
        ((3, 3, 2, 1), 'algorithm-2 answers 2, Phi* = 1')
    """
    claim = read_claim(PROOFS / name)
    item = _evidence(claim, "packings", statement)
    sizes = tuple(item["sizes"])
    reason = STATEMENTS[item["statement"]](sizes, geometry_of(8))
    if reason is None:
        raise InputError(f"{claim.name}: {sizes} do not break {item['statement']}")
    return sizes, reason


def packings(sizes: tuple[int, ...], capacity: int = 8) -> Iterator[Snapshot]:
    """Every packing of a few instances, up to the order of the nodes; exponentially many.

    >>> [[node.load for node in packing.nodes] for packing in packings((4, 4, 1))]
    [[8, 1], [5, 4], [4, 5], [4, 4, 1]]
    """

    def extend(nodes: list[list[int]], left: tuple[int, ...]) -> Iterator[Snapshot]:
        if not left:
            yield Snapshot.of(nodes, capacity)
            return
        for index, node in enumerate(nodes):
            if sum(node) + left[0] <= capacity:
                yield from extend([*nodes[:index], [*node, left[0]], *nodes[index + 1 :]], left[1:])
        yield from extend([*nodes, [left[0]]], left[1:])

    return extend([], sizes)


def _evidence(claim: Claim, kind: str, wanted: str) -> Mapping[str, Any]:
    """The first piece of evidence of a kind with that file or statement."""
    for item in claim.evidence:
        if item["kind"] == kind and wanted in ("", item.get("file"), item.get("statement")):
            return item
    raise InputError(f"{claim.name}: no evidence {wanted or kind!r}")
