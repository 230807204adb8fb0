"""What an experiment leaves in its folder: tables as CSV and Parquet, and figures drawn from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from compass.evaluation.experiments import Tables, find_experiment
from compass.evaluation.plans import Scope
from compass.evaluation.runs import Row, Workload
from compass.evaluation.table import format_csv, shortened, write_tables
from compass.evaluation.watch import STEPS
from compass.text_input import write_text


class Report(NamedTuple):
    """An experiment's tables, not that of its runs, and the figures drawn from them (SVG), by part."""

    tables: Tables
    figures: Mapping[str, str]


def write_report(directory: Path, name: str, workloads: Sequence[Workload], scope: Scope, rows: list[Row]) -> Report:
    """Write the table of an experiment's runs, its tables and its figures.

    Figures need matplotlib and are left out without it. The same rows give the same bytes.

    Raises:
        InputError: a file cannot be written, or there is no such experiment.
    """
    tables = find_experiment(name).tables(workloads, scope, rows)
    report = Report(tables, _drawn(name, tables))
    if rows:
        write_tables(directory, f"{name}-runs", [{key: row[key] for key in row if key != STEPS} for row in rows])
    for part, table in report.tables.items():
        write_tables(directory, joined(name, part), table)
    _write_figures(directory, name, report.figures)
    return report


def publish(directory: Path, name: str, report: Report) -> None:
    """Write the tables of an experiment in a short form (CSV, five digits, no column without a value), and its figures.

    They hold means, counts and shares: no row of them is one of the trace.

    Raises:
        InputError: a file cannot be written.
    """
    for part, table in report.tables.items():
        write_text(directory / f"{joined(name, part)}.csv", format_csv(shortened(table)))
    _write_figures(directory, name, report.figures)


def _drawn(name: str, tables: Tables) -> Mapping[str, str]:
    """An experiment's figures by part, drawn from its tables; none where matplotlib is not installed."""
    return {} if find_spec("matplotlib") is None else find_experiment(name).draw(tables)


def left_out() -> list[str]:
    """What is not written for want of the package that writes it."""
    writers = {"figures": "matplotlib", "Parquet": "pyarrow"}
    return [what for what, package in writers.items() if find_spec(package) is None]


def _write_figures(directory: Path, name: str, figures: Mapping[str, str]) -> None:
    for part, text in figures.items():
        write_text(directory / f"{joined(name, part)}.svg", text)


def joined(name: str, part: str) -> str:
    """The name of a part's files, without their ending."""
    return f"{name}-{part}" if part else name
