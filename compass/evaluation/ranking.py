"""Coverage of WCC and first places over days (table 3 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Container
from itertools import product
from typing import Any

from compass.evaluation.places import Ideals, Place, Row, place_of
from compass.evaluation.plans import BASELINES, COMPASS, ROUNDS_OF_RIVALS
from compass.evaluation.settings import Settings
from compass.evaluation.table import Table

PAPER_COVERAGE = (487, 26, 25, 11, 10, 5)
"""Runs of the paper in its six buckets of coverage, of 564; the first is "WCC holds all day"."""
EDGES = (1.0, 0.99, 0.95, 0.9, 0.8, 0.0)
"""Least coverage of each of our buckets. The paper's inner edges are not known to us; these are ours."""
PAPER_TOP = {"afr": 0.941, "ajct": 0.803, "agu": 0.819}
"""The paper's share of runs in which COMPASS is first."""
BETTER = {"afr": min, "ajct": min, "agu": max}
"""Measures, and which value is the best."""


def coverage(rows: Table) -> list[dict[str, Any]]:
    """For each variant of COMPASS, runs by the share of the time during which WCC holds in them, beside the paper's.

    ``over`` says which time that is: of the whole ``run``, until its last job has ended, or of the ``day``, up to its
    end; always with a running job. ``edge_for_paper`` is the coverage of the last of our runs if they are sorted by
    coverage and cut at the paper's numbers: where a bucket of the paper would end if the runs were the same.
    """
    found = []
    for column, over in (("wcc_share", "run"), ("wcc_share_of_day", "day")):
        groups: dict[tuple[str, str], list[float]] = {}
        for row in rows:
            if row["label"] in _LABELS and row[column] is not None:
                groups.setdefault((row["trace"], row["label"]), []).append(row[column])
        for (trace, variant), shares in groups.items():
            shares.sort(reverse=True)
            taken = 0
            for edge, above, paper in zip(EDGES, (math.inf, *EDGES), PAPER_COVERAGE, strict=False):
                taken += paper
                found.append({
                    "trace": trace,
                    "variant": variant,
                    "over": over,
                    "least_coverage": edge,
                    "runs": sum(edge <= share < above for share in shares),
                    "paper": paper,
                    "edge_for_paper": shares[taken - 1] if len(shares) == sum(PAPER_COVERAGE) else None,
                })  # fmt: skip
    return found


def first_places(rows: Table) -> list[dict[str, Any]]:
    """How often each variant of COMPASS is first among itself and the six baselines.

    A shared first place counts; ``strictly_first`` are the runs in which it is first alone, ``behind_mcg`` those in
    which MCG-Sched is ahead of it. MCG-Sched competes with the queue rule of the others or with its own, which lets
    jobs pass one another, and FFT and DRR with each of two round lengths, so all are counted. Days on which the measure
    is undefined for one of them, or on which they did not complete the same jobs, are left out and counted.
    """
    days: dict[Place, dict[str, Row]] = {}
    for row in rows:
        days.setdefault(place_of(row), {})[row["label"]] = row
    found = []
    traces = list(dict.fromkeys(place.trace for place in days))
    for queue, length in product(("fifo", "mcg-skip"), ROUNDS_OF_RIVALS):
        chosen = [one for one in BASELINES if _competes(one, queue, length)]
        rivals = [one.label for one in chosen]
        mcg = 1 + [one.scheduler for one in chosen].index("mcg")
        for trace, variant, (measure, best) in product(traces, _LABELS, BETTER.items()):
            runs = [day for place, day in days.items() if place.trace == trace]
            counted = first = alone = behind = 0
            for day in runs:
                some = [day[label] for label in (variant, *rivals) if label in day]
                values = [row[measure] for row in some]
                if len(some) <= len(rivals) or None in values or len({row["jobs"] for row in some}) > 1:
                    continue
                counted += 1
                first += values[0] == best(values)
                behind += best(values[0], values[mcg]) != values[0]
                alone += values[0] == best(values) and values.count(values[0]) == 1
            found.append({
                "trace": trace,
                "variant": variant,
                "queue_of_mcg": queue,
                "round_length": length,
                "measure": measure,
                "runs": counted,
                "left_out": len(runs) - counted,
                "first": first,
                "strictly_first": alone,
                "behind_mcg": behind,
                "first_share": first / counted if counted else None,
                "paper_share": PAPER_TOP[measure],
            })  # fmt: skip
    return found


def _competes(baseline: Settings, queue: str, length: int) -> bool:
    if baseline.scheduler == "mcg":
        return baseline.queue == queue
    return baseline.round_length in (None, length)


_LABELS = [chosen.label for chosen in COMPASS]
_OURS = {chosen.scheduler for chosen in COMPASS}


def beside_ideal(rows: Table, friendly_days: Container[tuple[str, str]]) -> list[dict[str, Any]]:
    """How each variant of COMPASS compares with `ideal` day by day, apart for days whose sizes are powers of two.

    ``as_ideal`` counts the days with the same AJCT; ``worst_over_ideal`` is the largest AJCT over ideal's, minus 1.
    Days on which one of them has no result, or both did not complete the same number of jobs, are left out.

    Args:
        rows: the results table, with ideal's rows.
        friendly_days: trace and day of the days on which every size is a power of two.
    """
    ideals = Ideals(rows)
    groups: dict[tuple[Any, ...], list[tuple[Row, float]]] = {}
    for row in rows:
        best = ideals.of(row)
        if row["scheduler"] in _OURS and best is not None:
            friendly = (row["trace"], row["day"]) in friendly_days
            groups.setdefault((row["trace"], row["eta"], row["label"], friendly), []).append((row, best))
    return [
        {
            "trace": trace,
            "eta": eta,
            "variant": label,
            "sizes": "powers of two" if friendly else "others too",
            "days": len(some),
            "as_ideal": sum(row["ajct"] == best for row, best in some),
            "over_ideal": sum(row["ajct"] for row, _ in some) / sum(best for _, best in some) - 1,
            "worst_over_ideal": max(row["ajct"] / best - 1 for row, best in some),
            "blocked_wcc_seconds": sum(row["blocked_wcc_seconds"] for row, _ in some),
            "days_over_bound": sum(row["over_bound_events"] > 0 for row, _ in some),
            "worst_avoidable_wcc": max(row["max_avoidable_wcc"] for row, _ in some),
        }
        for (trace, eta, label, friendly), some in groups.items()
    ]
