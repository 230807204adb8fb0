"""Where rows of the results table were run, and `ideal` on the same place: what a row is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from compass.evaluation.settings import Settings
from compass.evaluation.table import Table

Row = Mapping[str, Any]
"""A row of the results table."""

IDEAL = Settings.of("ideal")
"""The bound: `ideal` under FIFO without migration cost."""


class Place(NamedTuple):
    """A day of a trace and a cluster: rows of one place serve the same jobs."""

    trace: str
    day: str
    eta: str
    nodes: int


def place_of(row: Row) -> Place:
    """The place of a row."""
    return Place(row["trace"], row["day"], row["eta"], row["nodes"])


def is_done(row: Row) -> bool:
    """Whether the run came to its end; the measures of one that failed mean nothing."""
    return bool(row["status"] == "done")


class Ideals:
    """The AJCT of `ideal` for the rows of a table.

    Examples:
        >>> usual = {"trace": "t", "day": "0", "eta": "-", "nodes": 2, "status": "done", "jobs": 3}
        >>> ideals = Ideals([{**usual, "label": "ideal", "ajct": 8.0}])
        >>> ideals.over({**usual, "label": "best-fit", "ajct": 10.0})
        0.25
        >>> ideals.over({**usual, "label": "best-fit", "ajct": 10.0, "jobs": 2}) is None
        True
    """

    def __init__(self, rows: Table) -> None:
        self._rows = {place_of(row): row for row in rows if row["label"] == IDEAL.label and is_done(row)}

    def of(self, row: Row) -> float | None:
        """The AJCT of `ideal` beside a row's, None where one of them has none or they completed different jobs."""
        ideal = self._rows.get(place_of(row))
        if ideal is None or not ideal["ajct"] or row["ajct"] is None or ideal["jobs"] != row["jobs"]:
            return None
        return float(ideal["ajct"])

    def over(self, row: Row) -> float | None:
        """The AJCT of a row over that of `ideal`, minus 1, where both are comparable."""
        best = self.of(row)
        return None if best is None else float(row["ajct"]) / best - 1
