"""The experiments: what each runs, which tables come of it, and which figures are drawn from those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from compass.errors import InputError
from compass.evaluation import figures, plans, ranking, series
from compass.evaluation.baselines.fgd import instance_counts
from compass.evaluation.days import nodes_for
from compass.evaluation.least_moves import beside_least
from compass.evaluation.places import Ideals
from compass.evaluation.plans import Scope
from compass.evaluation.runs import Row, Run, Workload
from compass.evaluation.summary import ALL_DAYS, QUEUE_DAYS, means
from compass.evaluation.table import Table
from compass.text_input import nearest, quoted
from compass.trace import TraceJob
from compass.wcc_time import wcc_over_time

Plan = Callable[[Workload, Scope], list[Run]]
Tables = dict[str, Table]
"""Tables by name; the empty name is the experiment's own."""


class Experiment(NamedTuple):
    """An experiment.

    ``plan`` gives its runs; ``tables`` what is computed from their rows (of all traces) and, where it needs more than
    runs, from the traces; ``draw`` the figures as SVG text, from those tables alone. ``then`` gives further runs that
    depend on the rows of the first ones, as many whatever these are.
    """

    about: str
    plan: Plan
    tables: Callable[[Sequence[Workload], Scope, list[Row]], Tables]
    draw: Callable[[Tables], Mapping[str, str]]
    then: Callable[[Workload, Scope, Sequence[Row]], list[Run]] = plans.nothing_more


MEASURES = {"over_ideal": "AJCT over ideal's - 1", "agu": "AGU", "afr": "AFR", "moves_per_job": "moves per job"}
CUT = {"over_ideal": 0.08, "afr": 0.12}
"""Where bars are cut, so that schedulers that are far off leave the others room."""
PAPER_MIX = {"1": 0.3768, "2, 4": 0.0944, "3, 5, 6, 7": 0.0044, "8": 0.5244}
"""The row "Venus" of the paper's table 1."""
CLASSES: Mapping[str, tuple[int, ...]] = {"1": (1,), "2, 4": (2, 4), "3, 5, 6, 7": (3, 5, 6, 7), "8": (8,)}


def find_experiment(name: str) -> Experiment:
    """The experiment of that name.

    Raises:
        InputError: there is none; the message has the nearest name.
    """
    if name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise InputError(f"experiment {quoted(name)}: there is none{nearest(name, EXPERIMENTS)} (known: {known})")
    return EXPERIMENTS[name]


# -- tables ---------------------------------------------------------------------------------------------------------


def _means(_: Sequence[Workload], __: Scope, rows: list[Row]) -> Tables:
    return {"": means(rows)}


def _beside_ideal(workloads: Sequence[Workload], _: Scope, rows: list[Row]) -> Tables:
    friendly = {
        (workload.name, str(day))
        for workload in workloads
        for day, jobs in workload.days.items()
        if all(job.gpus_per_instance in (1, 2, 4, 8) for job in jobs)
    }
    return {"": means(rows), "ideal": ranking.beside_ideal(rows, friendly)}


def _wcc(workloads: Sequence[Workload], scope: Scope, rows: list[Row]) -> Tables:
    more = {"coverage": ranking.coverage(rows), "top": ranking.first_places(rows)}
    return {**_beside_ideal(workloads, scope, rows), **more}


def _frontier(workloads: Sequence[Workload], scope: Scope, rows: list[Row]) -> Tables:
    return {**_beside_ideal(workloads, scope, rows), "least": beside_least(workloads, rows)}


def _composition(workloads: Sequence[Workload], _: Scope, rows: list[Row]) -> Tables:
    sizes: dict[tuple[str, str], Row] = {(str(row["trace"]), str(row["day"])): row for row in rows}
    days = []
    for workload in workloads:
        for (trace, day), row in sizes.items():
            if trace == workload.name:
                jobs = workload.served(int(day))
                sizes_of_paper = {f"N({eta})": nodes_for(jobs, Fraction(eta)) for eta in plans.INTENSITIES}
                days.append({"trace": trace, "day": day, "nodes": row["nodes"], **sizes_of_paper, **_shares(jobs)})
    return {"": _by_day(rows), "days": days}


def _by_day(rows: list[Row]) -> list[dict[str, Any]]:
    ideals = Ideals(rows)
    return [{**row, "over_ideal": ideals.over(row), "name": f"day {row['day']}"} for row in rows]


def _phases(_: Sequence[Workload], __: Scope, rows: list[Row]) -> Tables:
    """The runs; ``shift`` is the phase as a share of the round length, None where it is not in seconds."""

    def shift(row: Row) -> float | None:
        phase = str(row["round_phase"])
        return int(phase) / int(str(row["round_length"])) if phase.isdigit() else None

    return {"": [{**row, "shift": shift(row)} for row in _by_day(rows)]}


def _mix(workloads: Sequence[Workload], _: Scope, __: list[Row]) -> Tables:
    rows: list[dict[str, Any]] = []
    for workload in workloads:
        found = wcc_over_time(workload.jobs)
        rows.append({"label": workload.name, **_shares(workload.jobs), "wcc_time_share": float(found.time_share)})
    empty = dict.fromkeys(rows[0])
    rows.append({**empty, "label": "Venus, table 1 of the paper", **PAPER_MIX})
    return {"": rows}


def _shares(jobs: Sequence[TraceJob]) -> dict[str, Any]:
    """Jobs, instances and the share of instances in each class and of each size."""
    counts = instance_counts(jobs)
    total = sum(counts)
    classes = {name: sum(counts[g] for g in some) / total for name, some in CLASSES.items()}
    return {"jobs": len(jobs), "instances": total, **classes, **{f"g={g}": counts[g] / total for g in range(1, 9)}}


def _dynamics(workloads: Sequence[Workload], _: Scope, rows: list[Row]) -> Tables:
    of_trace = [[row for row in rows if row["trace"] == workload.name] for workload in workloads]
    return {"": [row for some in of_trace for row in series.series(some)]}


# -- figures --------------------------------------------------------------------------------------------------------


def _first(table: Table, mean_over: str) -> list[Mapping[str, Any]]:
    """The rows of the first trace and the given days; all days where none of those has a queue."""
    chosen = [row for row in table if row["trace"] == table[0]["trace"] and row["mean_over"] == mean_over]
    return chosen or _first(table, ALL_DAYS)


def _draw_means(tables: Tables) -> dict[str, str]:
    return {"": figures.bars(_first(tables[""], QUEUE_DAYS), MEASURES, "Means over days", most=CUT)}


def _draw_overall(tables: Tables) -> dict[str, str]:
    """The main and the extra schedulers, and apart from them the variants and those with a cost."""
    rows = _first(tables[""], QUEUE_DAYS)
    main = {chosen.label for chosen in (*plans.MAIN, *plans.EXTRA)}
    named = [row for row in rows if row["label"] in main]
    others = [row for row in rows if row["label"] not in main]
    return {
        "": figures.bars(named, MEASURES, "Means over days", most=CUT),
        "variants": figures.bars(others, MEASURES, "Means over days of variants and with a cost", most=CUT),
    }


def _draw_blocking(tables: Tables) -> dict[str, str]:
    columns = {"blocked_by_fragmentation_share": "waiting time in which enough GPUs are free", "afr": "AFR"}
    return {"": figures.bars(_first(tables[""], QUEUE_DAYS), columns, "Blocked by fragmentation")}


def _draw_intensity(tables: Tables) -> dict[str, str]:
    columns = {key: MEASURES[key] for key in ("over_ideal", "agu", "afr")}
    return {"": figures.lines(_first(tables[""], QUEUE_DAYS), "eta", columns, "Means over days by eta", xlabel="eta")}


def _draw_wcc(tables: Tables) -> dict[str, str]:
    coverage = [
        {"label": f"{row['variant']}, {row['over']}, {row['least_coverage']:.0%} or more", **row}
        for row in tables["coverage"]
    ]
    top = [
        {"label": f"{row['variant']}, {row['measure'].upper()}, R={row['round_length']}", **row}
        for row in tables["top"]
        if row["queue_of_mcg"] == "fifo"
    ]
    return {
        "coverage": figures.bars(coverage, {"runs": "runs", "paper": "runs of the paper"}, "Coverage of WCC"),
        "top": figures.bars(
            top, {"first_share": "share of runs first", "paper_share": "the paper"}, "First places, all under FIFO"
        ),
    }


def _draw_migration(tables: Tables) -> dict[str, str]:
    columns = {"over_ideal": MEASURES["over_ideal"], "agu": "AGU"}
    rows = [{**row, "name": str(row["label"]).partition(" c=")[0]} for row in _first(tables[""], QUEUE_DAYS)]
    title = "Means over days by migration cost"
    return {"": figures.lines(rows, "cost", columns, title, xlabel="cost of a migration in seconds", by="name")}


def _draw_composition(tables: Tables) -> dict[str, str]:
    columns = {key: MEASURES[key] for key in ("over_ideal", "agu", "afr")}
    table = [{**row, "name": f"{row['name']}: {row['label']}"} for row in tables[""]]
    return {"": figures.bars(table, columns, "Days of different composition", by="name")}


def _draw_phases(tables: Tables) -> dict[str, str]:
    """The first day."""
    columns = {"over_ideal": MEASURES["over_ideal"], "afr": "AFR"}
    rows = [
        {**row, "name": f"{row['scheduler']} R={row['round_length']}"}
        for row in tables[""]
        if row["shift"] is not None and (row["trace"], row["day"]) == (tables[""][0]["trace"], tables[""][0]["day"])
    ]
    xlabel = "first round after the first submission, in round lengths"
    return {"": figures.lines(rows, "shift", columns, "Phase of the rounds", xlabel=xlabel, by="name")}


def _draw_mix(tables: Tables) -> dict[str, str]:
    columns = {name: f"{name} GPU{'s' if name != '1' else ''}" for name in CLASSES}
    return {"": figures.stacks(tables[""], columns, "Instances by size", "share of instances")}


def _draw_dynamics(tables: Tables) -> dict[str, str]:
    columns = {
        "avoidable_nodes": "N SIF",
        "utilisation": "busy GPUs",
        "empty_nodes": "empty nodes",
        "waiting_jobs": "waiting jobs",
    }
    return {"": figures.lines(tables[""], "hour", columns, "State of the cluster over a day", xlabel="hour of the day")}


def _draw_frontier(tables: Tables) -> dict[str, str]:
    columns = {
        "over_ideal": "AJCT over ideal's - 1",
        "mean_sif": "mean SIF",
        "worst_sif": "worst SIF",
    }
    rows = _first(tables[""], QUEUE_DAYS)
    return {"": figures.points(rows, "moves_per_job", columns, "Moves against fragmentation", xlabel="moves per job")}


EXPERIMENTS: Mapping[str, Experiment] = {
    "overall": Experiment("figure 1: all schedulers, eta 0.90", plans.overall, _means, _draw_overall),
    "intensity": Experiment("figure 2: eta 0.85, 0.90, 0.95", plans.intensity, _means, _draw_intensity),
    "composition": Experiment(
        "figure 3, table 2: days of different composition", plans.composition, _composition, _draw_composition
    ),
    "phases": Experiment(
        "ours: FFT and DRR with rounds at other times, days of figure 3", plans.phases, _phases, _draw_phases
    ),
    "wcc": Experiment("table 3: coverage of WCC, and how often each variant is first", plans.wcc, _wcc, _draw_wcc),
    "migration": Experiment("figure 4: migration cost 1 to 10 s", plans.migration, _means, _draw_migration),
    "dynamics": Experiment(
        "figures 5 to 7: the day most blocked by large jobs, over time",
        plans.dynamics,
        _dynamics,
        _draw_dynamics,
        plans.on_blocked_day,
    ),
    "mix": Experiment("table 1: instances by size", plans.nothing, _mix, _draw_mix),
    "frontier": Experiment(
        "ours: moves per job against AJCT and SIF, every dial and round length",
        plans.frontier,
        _frontier,
        _draw_frontier,
    ),
    "blocking": Experiment("ours: waiting time in which enough GPUs were free", plans.blocking, _means, _draw_blocking),
    "demo": Experiment("five schedulers on a synthetic trace", plans.demo, _means, _draw_means),
}
"""The experiments by name, in the order of the paper's figures and tables."""
