"""What an experiment leaves in its folder: tables as CSV and Parquet, and figures drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from compass.evaluation.experiments import find_experiment
from compass.evaluation.plans import Scope
from compass.evaluation.runs import Row, Workload
from compass.evaluation.table import write_tables
from compass.text_input import write_text


def write_report(directory: Path, name: str, workloads: Sequence[Workload], scope: Scope, rows: list[Row]) -> list[str]:
    """Write the table of an experiment's runs, its tables and its figures; the names of the files.

    Figures need matplotlib and are left out without it. The same rows give the same bytes.

    Raises:
        InputError: a file cannot be written, or there is no such experiment.
    """
    experiment = find_experiment(name)
    written = write_tables(directory, f"{name}-runs", rows) if rows else []
    tables = experiment.tables(workloads, scope, rows)
    for part, table in tables.items():
        written += write_tables(directory, _joined(name, part), table)
    if find_spec("matplotlib") is not None:
        for part, text in experiment.draw(tables).items():
            write_text(directory / f"{_joined(name, part)}.svg", text)
            written.append(f"{_joined(name, part)}.svg")
    return written


def _joined(name: str, part: str) -> str:
    return f"{name}-{part}" if part else name
