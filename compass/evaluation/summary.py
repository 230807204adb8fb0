"""From the results table to means over days."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from compass.evaluation.places import Ideals, Row, is_done, place_of
from compass.evaluation.plans import ENOUGH_JOBS
from compass.evaluation.settings import NAMES
from compass.evaluation.table import Table, mean

ALL_DAYS, QUEUE_DAYS = "all", f"queue, {ENOUGH_JOBS} jobs"
"""Which days a mean is over: all (AFR and AGU over those that define them), or those with at least 20 jobs on which
under every scheduler of the table some job waits."""

GROUP = ("trace", "eta", "label", *NAMES, "reconstruction")
"""The columns that rows of one mean have in common; the rest of a row is a day and what was measured on it."""
QUANTILES = {
    "median_over_ideal": Fraction(1, 2),
    "over_ideal_75": Fraction(3, 4),
    "over_ideal_90": Fraction(9, 10),
    "most_over_ideal": Fraction(1),
}
"""Columns with a quantile over days of the AJCT over that of `ideal`, minus 1."""
COMPARED = (
    *("ajct", "ajct_by_jobs", "over_ideal", *QUANTILES),
    *("agu", "agu_by_jobs", "afr", "afr_by_jobs", "mean_sif", "mean_max_sif"),
    *("moves_per_job", "needed_moves_per_job", "wcc_share", "wcc_share_of_day", "blocked_by_fragmentation_share"),
    *("over_bound_event_share", "over_bound_time_share"),
)
"""Means and shares: only comparable where they are over the same days."""


def means(rows: Table) -> list[dict[str, Any]]:
    """One row for each scheduler with its settings, trace and cluster size, and for each set of days.

    ``ajct``, ``agu``, ``afr`` and so on are means over days; ``_by_jobs`` weights days by their jobs. ``over_ideal`` is
    the mean AJCT over that of `ideal` under FIFO on the same days, minus 1, and the columns ``QUANTILES`` are quantiles
    of the days' own ratios, minus 1; None where on one of the days both did not complete the same number of jobs.
    ``moves_per_job`` is all moves over all jobs. ``failed`` counts days without a result; where there are any, every
    mean and share is None, as it would be over fewer days than those beside it.
    """
    found = []
    for days, chosen in ((ALL_DAYS, list(rows)), (QUEUE_DAYS, with_queue(rows))):
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in chosen:
            groups.setdefault(tuple(row[column] for column in GROUP), []).append(row)
        ideals = Ideals(chosen)
        found += [
            {
                **dict(zip(GROUP, group, strict=True)),
                "mean_over": days,
                **_means(some, ideals),
            }
            for group, some in groups.items()
        ]
    return found


def with_queue(rows: Table) -> list[Row]:
    """The rows of days with at least 20 jobs on which a job waits under every scheduler of the table.

    A run that failed says nothing of its day.
    """
    done = [row for row in rows if is_done(row)]
    without = {place_of(row) for row in done if row["jobs"] < ENOUGH_JOBS or not row["peak_seconds"]}
    chosen = {place_of(row) for row in done} - without
    return [row for row in rows if place_of(row) in chosen]


def _means(rows: list[Row], ideals: Ideals) -> dict[str, Any]:
    done = [row for row in rows if is_done(row)]
    found = _figures(done, ideals)
    failed = len(rows) - len(done)
    if failed:
        found.update(dict.fromkeys(COMPARED))
    return {
        "days": len(done),
        "days_with_queue": sum(row["afr"] is not None for row in done),
        "failed": failed,
        **found,
    }


def _figures(done: list[Row], ideals: Ideals) -> dict[str, Any]:
    jobs = [row["jobs"] for row in done]

    def over(column: str, weights: Iterable[float] | None = None) -> float | None:
        return mean([row[column] for row in done], weights)

    best = [ideals.of(row) for row in done]
    by_day = [] if None in best else sorted(row["ajct"] / ideal - 1 for row, ideal in zip(done, best, strict=True))
    lasting = [row["max_sif_lasting"] for row in done]  # None in results that were stored before it was measured
    ajct, best_ajct = over("ajct"), None if None in best else mean(best)
    return {
        "jobs": sum(jobs),
        "never_fit": sum(row["never_fit"] for row in done),
        "ajct": ajct,
        "ajct_by_jobs": over("ajct", jobs),
        "over_ideal": ajct / best_ajct - 1 if ajct is not None and best_ajct else None,
        **{name: quantile(by_day, share) for name, share in QUANTILES.items()},
        "agu": over("agu"),
        "agu_by_jobs": over("agu", jobs),
        "afr": over("afr"),
        "afr_by_jobs": over("afr", jobs),
        "mean_sif": over("mean_sif"),
        "mean_max_sif": over("max_sif"),
        "worst_sif": max((row["max_sif"] for row in done), default=None),
        "worst_sif_lasting": None if None in lasting else max(lasting, default=None),
        "moves_per_job": sum(row["moves"] for row in done) / sum(jobs) if sum(jobs) else None,
        "needed_moves_per_job": sum(row["needed_moves"] for row in done) / sum(jobs) if sum(jobs) else None,
        "wcc_share": over("wcc_share"),
        "wcc_share_of_day": over("wcc_share_of_day"),
        "blocked_by_fragmentation_share": over("blocked_by_fragmentation_share"),
        "blocked_wcc_seconds": sum(row["blocked_wcc_seconds"] for row in done),
        "max_avoidable_wcc": max((row["max_avoidable_wcc"] for row in done), default=None),
        "over_bound_events": sum(row["over_bound_events"] for row in done),
        "over_bound_event_share": _share(done, "over_bound_events", "wcc_events"),
        "over_bound_time_share": _share(done, "over_bound_seconds", "wcc_seconds"),
        "days_over_bound": sum(row["over_bound_events"] > 0 for row in done),
        "stuck": sum(row["stuck"] for row in done),
    }


def quantile(ordered: Sequence[float], share: Fraction) -> float | None:
    """The smallest of the ordered values that at least this share of them is no larger than; None where there is none.

    >>> quantile([1, 2, 3, 8], Fraction(1, 2)), quantile([1, 2, 3, 8], Fraction(9, 10)), quantile([], Fraction(1))
    (2, 8, None)
    """
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None


def _share(rows: list[Row], part: str, whole: str) -> float | None:
    total = sum(row[whole] for row in rows)
    return sum(row[part] for row in rows) / total if total else None
