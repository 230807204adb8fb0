"""The state of a cluster over time (figures 5 to 7 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compass.evaluation.days import DAY
from compass.evaluation.plans import DYNAMICS, blocked_day
from compass.evaluation.runs import Row
from compass.evaluation.settings import NAMES
from compass.evaluation.watch import STEP

RUN = ("trace", "day", "eta", "nodes", "label", *NAMES, "reconstruction")
"""The columns that say what was run."""


def series(rows: Sequence[Row], step: int = STEP) -> list[dict[str, Any]]:
    """Means over steps of time for each scheduler on :func:`blocked_day`, until under none of them a job waits.

    ``avoidable_nodes`` is ``N SIF``, ``utilisation`` busy GPUs over ``8 N``; ``empty_nodes`` is None for
    `ideal`. A run that failed has no row.

    Args:
        rows: those of the watched runs on one trace.
        step: length of their steps in seconds.
    """
    day = blocked_day(rows)
    of_day = {row["label"]: row for row in rows if row["day"] == str(day)}
    watched = [of_day[chosen.label] for chosen in DYNAMICS]
    last = -(-(max(row["last_waiting"] for row in watched) - day * DAY) // step)
    return [
        {
            **{name: row[name] for name in RUN},
            "hour": index * step / 3600,
            "avoidable_nodes": sums["avoidable"] / step,
            "utilisation": sums["busy"] / step / (8 * row["nodes"]),
            "empty_nodes": None if row["scheduler"] == "ideal" else sums["empty"] / step,
            "waiting_jobs": sums["waiting"] / step,
        }
        for row in watched
        for index, sums in enumerate(row["steps"][:last])
    ]
