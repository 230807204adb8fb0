"""A scheduler as it is at one moment, to be had again and again: every event of a state starts from a copy.

The tables that events read are shared by all copies. Entries of a plan table are searched when they are first asked
for and are then the same for ever, so what one copy has asked another need not search.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, Generic, TypeVar

from compass.discipline import Discipline
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.settled import SettledScheduler
from compass.shapes import Shape, ShapeTable

S = TypeVar("S", bound=SettledScheduler)

_TABLES = (Shape, ShapeTable, Discipline, PlanTable, Geometry)


class Saved(Generic[S]):
    """A saved scheduler.

    Examples:
        >>> from compass.unified import Unified
        >>> scheduler = Unified(2)
        >>> saved = Saved(scheduler)
        >>> _ = scheduler.arrive("a", 4)
        >>> again = saved.again()
        >>> again.partial_nodes, again.discipline is scheduler.discipline
        (0, True)
    """

    def __init__(self, scheduler: S) -> None:
        self._tables: dict[int, Any] = {id(part): part for part in vars(scheduler.discipline).values()}
        stream = io.BytesIO()
        _Writer(stream, self._tables).dump(scheduler)
        self._bytes = stream.getvalue()

    def again(self) -> S:
        """A scheduler as the saved one was; O(N)."""
        scheduler: S = _Reader(io.BytesIO(self._bytes), self._tables).load()
        return scheduler


class _Writer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, tables: dict[int, Any]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._tables = tables

    def persistent_id(self, obj: Any) -> int | None:  # noqa: ANN401
        if isinstance(obj, _TABLES):
            self._tables[id(obj)] = obj
        return id(obj) if id(obj) in self._tables else None


class _Reader(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, tables: dict[int, Any]) -> None:
        super().__init__(stream)
        self._tables = tables

    def persistent_load(self, pid: int) -> Any:  # noqa: ANN401
        return self._tables[pid]
