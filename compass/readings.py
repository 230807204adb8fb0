"""The open points of the printed pseudocode, each a named and selectable reading.

The paper's text and its pseudocode leave some choices open, and in places disagree (sections 4.2-4.3). Every statement
about "the paper's algorithm" is a statement about one of these readings, or about all of them. The defaults
settle each point in the way kindest to the paper's claims where it decides one: refill, dissolve before re-homing, one
migration after another, room that respects the node. Where no claim depends on it, the first choice is taken.

With ``room=cap`` Compact can choose a node that cannot hold what it moves; then the event raises
``NoLegalDestination``.

What the pseudocode settles, and is therefore no reading: the order of the operators and of the three Compact passes;
that Compact's candidate list ``N`` is sorted once and never again
(nodes of equal room in it by ``ties``); that Compact's moves are decided one after another
(its loop tests what its own moves change); that instances are placed and removed in turn, instance 0 first. A slot
that is being dissolved never takes back its own fillers: that would strand them.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_type_hints

from compass.errors import InputError


@dataclass(frozen=True)
class Readings:
    """One choice for every open point; the first value named for a field is its default.

    Raises:
        InputError: a value is not one of those its field allows.

    Examples:
        >>> Readings(refill="pseudocode").refill
        'pseudocode'
        >>> len(list(all_readings())), len({r.canonical() for r in all_readings()})
        (1024, 576)
    """

    refill: Literal["text", "pseudocode"] = "text"
    """When a filler departs: ``text`` draws another 1-GPU instance from the pool into the slot, ``pseudocode`` leaves
    the vacancy."""

    rehome: Literal["after", "before"] = "after"
    """When an anchor departs, its fillers are re-homed ``after`` the slot is dissolved, so that its node counts as
    empty if that was its last slot, or ``before``, the order in which the pseudocode lists the two."""

    migrations: Literal["sequential", "simultaneous"] = "sequential"
    """The migrations of one Place or Remove are decided one after another, or all against the state before the
    call; then several may choose one destination that has room for fewer."""

    room: Literal["floor", "cap"] = "floor"
    """Room of a node in Compact's width-``c`` pass: ``floor`` is ``floor(D/c)``, ``cap`` is ``G/c - count``, which can
    exceed the node."""

    cap: Literal["fits", "nodes"] = "fits"
    """``cap_C(n)`` in the membership test ``0 < count < cap`` of the width-``c`` pass: ``fits`` is ``count +
    floor(D/c)``, what this node can hold; ``nodes`` is ``G/c``, what any node can hold."""

    ties: Literal["lowest", "highest"] = "lowest"
    """Of equal nodes the one with the ``lowest`` or ``highest`` index, of equal slots and instances on a node the
    first or last that came there. (A cluster without bound has no highest empty node: there it is the lowest.)"""

    fill: Literal["tightest", "loosest"] = "tightest"
    """Which unsaturated slot takes a 1-GPU instance: the one with the least or the most vacancy."""

    pool: Literal["fullest", "emptiest"] = "fullest"
    """Which pool node with room takes a 1-GPU instance. From the idle cluster there is never more than one whenever it
    is asked, so that this point never matters then (claim pool-reading of the verification)."""

    draw: Literal["emptiest", "fullest"] = "emptiest"
    """From which pool node a filler is drawn."""

    hosts: Literal["last", "first"] = "last"
    """Which of Compact's equally roomy hosts takes the item: the ``last`` or ``first`` of them in ``N``. With ``last``,
    ``N`` stays sorted by room, and sorting it again would change nothing; with ``first``, a host that has just been
    filled can come to the head of ``N`` and be drained in turn."""

    def __post_init__(self) -> None:
        for name, allowed in VALUES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"reading {name}={value}: must be {' or '.join(allowed)}")

    @classmethod
    def parse(cls, assignments: Iterable[str]) -> Readings:
        """Readings from ``name=value`` texts, as a command line gives them; what is not named keeps its default.

        Raises:
            InputError: a text is no such assignment or a name occurs twice; the message has the nearest valid names.

        Examples:
            >>> Readings.parse(["refill=pseudocode", "ties=highest"]).ties
            'highest'
            >>> Readings.parse(["refil=text"])
            Traceback (most recent call last):
                ...
            compass.errors.InputError: reading 'refil=text': no reading is named 'refil'; nearest: refill, fill
        """
        chosen: dict[str, Any] = {}
        for text in assignments:
            name, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"reading {text!r}: must be name=value; names: {', '.join(VALUES)}")
            if name not in VALUES:
                raise InputError(f"reading {text!r}: no reading is named {name!r}; nearest: {_nearest(name, VALUES)}")
            if value not in VALUES[name]:
                raise InputError(f"reading {text!r}: {name} has no {value!r}; nearest: {_nearest(value, VALUES[name])}")
            if name in chosen:
                raise InputError(f"reading {text!r}: {name} is given twice")
            chosen[name] = value
        return cls(**chosen)

    def canonical(self) -> Readings:
        """The representative of all readings with the same behaviour.

        Two points lose their meaning by the choice of another. With ``room=floor``, ``cap`` does not matter: a node
        that only ``cap=nodes`` lets into N has room 0 and comes last, so it is never a host, and never a source
        with a host. With ``migrations=simultaneous``, ``rehome`` does not matter: both decide before the dissolving.

        Alike means alike from every state of Sigma. From the idle cluster ``pool`` does not matter either, so at most
        half of the 576 representatives differ in a history of jobs.
        """
        cap = "fits" if self.room == "floor" else self.cap
        rehome = "after" if self.migrations == "simultaneous" else self.rehome
        return replace(self, cap=cap, rehome=rehome)

    def __str__(self) -> str:
        return " ".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))


VALUES: dict[str, tuple[str, ...]] = {name: get_args(hint) for name, hint in get_type_hints(Readings).items()}
"""The allowed values of every reading, the default first."""


def all_readings() -> Iterator[Readings]:
    """Every combination of values, the default one first; ``Readings.canonical`` tells which of them coincide."""
    for values in itertools.product(*VALUES.values()):
        chosen: dict[str, Any] = dict(zip(VALUES, values, strict=True))
        yield Readings(**chosen)


def _nearest(word: str, words: Iterable[str]) -> str:
    words = list(words)
    return ", ".join(difflib.get_close_matches(word, words, n=3, cutoff=0.5) or words)
