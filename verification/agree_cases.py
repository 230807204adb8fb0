"""What is compared: the events from a concrete state, each with what the model says of it and what the code does.

The code is started by its public entrances, ``SettledScheduler.load`` and ``Printed.from_state``; nothing is patched.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from compass.errors import NeverFits, NoLegalDestination
from compass.events import Decision
from compass.printed import Printed
from compass.settled import SettledScheduler
from verification.count_model import Nodes

Result = tuple[Nodes | None, int]
"""What an event leads to and the moved instances; None where there is no legal destination."""
REFUSED: Result = ((), 0)
"""The result of an arrival that is refused."""
CHANGED: Result = ((), 1)
"""It is refused, and yet something is changed; no model says so."""

Content = TypeVar("Content")
"""A node as a variant's model has it, with what the code can tell apart on it in some order."""
S = TypeVar("S", SettledScheduler, Printed)


@dataclass(frozen=True)
class Case:
    """An event at count level, what the model says, and how code in a concrete state carries it out."""

    event: str
    expected: frozenset[Result]
    runs: Callable[[], Iterator[Result]]
    exact: bool = True
    """Whether the code must show each expected result in some order."""
    most_moves: bool = False
    """Whether the expected moves are the most of several ways to a state; the code may need fewer."""

    def found(self, result: Result) -> Result | None:
        """The expected result that this is, None if it is none."""
        if not self.most_moves:
            return result if result in self.expected else None
        nodes, moves = result
        return next((one for one in self.expected if one[0] == nodes and moves <= one[1]), None)


class Cases(ABC, Generic[Content]):
    """The cases of a model, from each of its states in any order of the nodes."""

    @abstractmethod
    def orders(self, nodes: Nodes) -> Iterator[tuple[Content, ...]]:
        """Every order of the nodes, and of what is on them."""

    @abstractmethod
    def shuffled(self, nodes: Nodes, chosen: random.Random) -> tuple[Content, ...]:
        """One of these orders."""

    @abstractmethod
    def node(self, content: Content) -> int:
        """The node type of a content."""

    @abstractmethod
    def of(self, nodes: Nodes, order: Sequence[Content]) -> Iterator[Case]:
        """The cases from a state whose nodes stand in this order."""


class Start(Generic[S]):
    """A concrete state, in which any number of events start.

    Args:
        scheduler: one that is in it.
        again: makes another one that is.
        look: what must not change when an arrival is refused.
    """

    def __init__(self, scheduler: S, again: Callable[[], S], look: Callable[[S], object]) -> None:
        self._ready: S | None = scheduler
        self._again: Callable[[], S] = again
        self._look: Callable[[S], object] = look
        self._before = look(scheduler)

    def scheduler(self) -> S:
        """A scheduler in this state."""
        ready, self._ready = self._ready, None
        return self._again() if ready is None else ready

    def arrival(self, gpus: int, instances: int, seen: Callable[[S], Nodes]) -> Iterator[Result]:
        """A job arrives. Where it is refused, the next event starts from the same scheduler."""
        scheduler = self.scheduler()
        try:
            decision = scheduler.arrive("new", gpus, instances)
        except NeverFits:
            decision = Decision("arrive", "new", False)
        except NoLegalDestination:
            yield None, 0
            return
        after = seen(scheduler)
        if decision.admitted:
            yield after, len(decision.moves)
        elif self._look(scheduler) == self._before:
            self._ready = scheduler
            yield REFUSED
        else:
            yield CHANGED
