"""What a seeded fault is: named changes of attributes, made and taken back, with every cache emptied around them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from typing import Any, Literal

Part = Literal["operator", "guard", "table", "metric", "coefficient", "check"]
"""Where a fault is: what a scheduler does, what it allows, its tables, the metric, WCC, or the verification itself."""

Make = Callable[[Any], Any]
"""From an attribute to the faulty one."""


class Change:
    """One attribute (or item of a dictionary) replaced by what ``make`` makes of it."""

    def __init__(self, owner: Any, name: str, make: Make) -> None:  # noqa: ANN401
        self._owner = owner
        self._name = name
        self._make = make

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The change for a while; the very object that was there comes back."""
        owner, name = self._owner, self._name
        if isinstance(owner, dict):
            before = owner[name]
            owner[name] = self._make(before)
        else:
            before = vars(owner)[name]  # not getattr: a property or static method is put back as it was
            setattr(owner, name, self._make(before))
        try:
            yield
        finally:
            if isinstance(owner, dict):
                owner[name] = before
            else:
                setattr(owner, name, before)


class Everywhere:
    """A function of a module replaced in every module of the project that has imported it by name."""

    def __init__(self, function: Callable[..., Any], make: Make) -> None:
        self._function = function
        self._make = make

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The change for a while."""
        faulty = self._make(self._function)
        with ExitStack() as stack:
            for module in _modules():
                for name, value in list(vars(module).items()):
                    if value is self._function:
                        stack.enter_context(Change(module, name, lambda _: faulty).applied())
            yield


def around(faulty: Callable[..., Any]) -> Make:
    """A function that calls ``faulty`` with the original function first, then its own arguments."""

    def make(original: Any) -> Any:  # noqa: ANN401
        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            return faulty(original, *arguments, **named)

        return call

    return make


def instead(faulty: Any) -> Make:  # noqa: ANN401
    """Something else, whatever was there."""
    return lambda _: faulty


@dataclass(frozen=True)
class Fault:
    """A fault on purpose.

    Attributes:
        name: unique.
        part: where it is.
        what: one sentence.
        about: the queries it is put to, by what they look at.
        caught_by: a query that notices it.
        changes: what is replaced.
    """

    name: str
    part: Part
    what: str
    about: str
    caught_by: str
    changes: tuple[Change | Everywhere, ...]

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """The project with the fault; caches are empty at the start, and again at the end."""
        clear_caches()
        try:
            with ExitStack() as stack:
                for change in self.changes:
                    stack.enter_context(change.applied())
                yield
        finally:
            clear_caches()


KEPT = ("verification.fault_queries", "verification.ledger")
"""Modules whose caches hold texts and answers to texts, which no fault changes."""


def clear_caches() -> None:
    """Empty every ``lru_cache`` at the top level of a module of the project."""
    for module in _modules():
        if module.__name__ not in KEPT:
            for value in vars(module).values():
                if isinstance(value, _lru_cache_wrapper) and value.__module__ not in KEPT:
                    value.cache_clear()


def _modules() -> list[Any]:
    return [m for name, m in sorted(sys.modules.items()) if name.partition(".")[0] in ("compass", "verification")]
