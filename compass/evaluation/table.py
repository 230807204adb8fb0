"""Tables of results as CSV and Parquet."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

from compass.errors import InputError
from compass.text_input import write_text

Table = Sequence[Mapping[str, Any]]
"""Rows by column; every row has the same columns in the same order. None is an undefined value. A table without a row
has no columns."""


def format_csv(table: Table) -> str:
    """The text of a CSV file: numbers in the shortest form that gives the same double again, nothing for None.

    Raises:
        InputError: rows differ in their columns.

    Examples:
        >>> print(format_csv([{"day": 1, "afr": 0.1}, {"day": 2, "afr": None}]), end="")
        day,afr
        1,0.1
        2,
    """
    if not table:
        return ""
    columns = _columns(table)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if row[column] is None else row[column] for column in columns] for row in table)
    return text.getvalue()


def shortened(table: Table) -> list[dict[str, Any]]:
    """The table with five digits a number and without the columns that are undefined or ``-`` in every row.

    >>> shortened([{"a": 1 / 3, "b": None, "c": "-"}, {"a": 12, "b": None, "c": "-"}])
    [{'a': '0.33333'}, {'a': 12}]
    """
    kept = [column for column in _columns(table) if any(row[column] not in (None, "-") for row in table)]
    return [
        {column: f"{row[column]:.5g}" if isinstance(row[column], float) else row[column] for column in kept}
        for row in table
    ]


def write_tables(directory: Path, name: str, table: Table) -> None:
    """Write a table as ``name.csv``, and as ``name.parquet`` where pyarrow is installed.

    The same table gives the same bytes (under one version of pyarrow).

    Raises:
        InputError: a file cannot be written.
    """
    write_text(directory / f"{name}.csv", format_csv(table))
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - an extra
    except ImportError:
        return
    columns = {column: [row[column] for row in table] for column in _columns(table)}
    beside = directory / f".{name}.parquet.part"
    try:
        pq.write_table(pa.table(columns), beside)
        os.replace(beside, directory / f"{name}.parquet")
    except OSError as error:
        raise InputError(f"{directory / name}.parquet: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def _columns(table: Table) -> list[str]:
    columns = list(table[0]) if table else []
    if any(list(row) != columns for row in table):
        raise InputError("the rows of a table differ in their columns")
    return columns


def mean(values: Iterable[float | None], weights: Iterable[float] | None = None) -> float | None:
    """The mean of the values that are defined; None where none is.

    >>> mean([1, None, 4]), mean([1, 4], weights=[1, 3]), mean([None])
    (2.5, 3.25, None)
    """
    pairs = [
        (value, weight)
        for value, weight in zip(values, repeat(1) if weights is None else weights, strict=False)
        if value is not None
    ]
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else None
