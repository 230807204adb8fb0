"""What a page says of measured results: numbers, tables and statements, computed from tables. No Sphinx here.

An expression is Python in the names of the tables: ``best.csv`` beside the page, or in ``tests/benchmarks/results``,
is ``best``, a list of rows whose columns are attributes. ``NAME = EXPRESSION`` adds a name to the page.
``EXPRESSION | FORMAT`` is what is shown of one, a dash where its value is undefined.
"""

from __future__ import annotations

import csv
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

RECORDS = Path(__file__).resolve().parents[2] / "tests" / "benchmarks" / "results"
DASH, DAGGER = "\N{EN DASH}", "\N{DAGGER}"


class Row(dict[str, Any]):
    """A row; ``row.column`` is ``row["column"]``."""

    def __getattr__(self, column: str) -> Any:  # noqa: ANN401 - a cell is a number, a text or nothing
        try:
            return self[column]
        except KeyError:
            raise AttributeError(f"there is no column {column!r}, only {', '.join(self)}") from None


class Table(list[Row]):
    """Rows, and those of them that have given values."""

    def where(self, **wanted: object) -> Table:
        """The rows with these values in these columns."""
        return Table(row for row in self if all(getattr(row, name) == value for name, value in wanted.items()))

    def one(self, **wanted: object) -> Row:
        """The only row with these values.

        Raises:
            LookupError: there is none, or more than one.
        """
        found = self.where(**wanted)
        if len(found) != 1:
            raise LookupError(f"{len(found)} rows with {wanted}")
        return found[0]


SETTINGS = (
    *(
        "open_nodes",
        "shares",
        "variant",
        "alpha",
        "window",
        "wait",
        "load",
        "round_length",
        "round_phase",
        "drain",
        "seed",
        "patience",
    ),
    *("queue", "cost", "cost_rule"),
)
"""Columns of a result that say how it was run; ``-`` where a scheduler has no such setting."""


def settings(row: Mapping[str, Any]) -> str:
    """All settings of a run.

    >>> settings({"shares": "day", "window": "-", "queue": "fifo", "cost": 0})
    'shares day, queue fifo, cost 0'
    """
    has = [(name.replace("_", " "), row[name]) for name in SETTINGS if row.get(name, "-") != "-"]
    return ", ".join(f"{name} {value}" for name, value in has)


def named(row: Mapping[str, Any]) -> str:
    """The label of a run, marked where its scheduler is a reconstruction.

    >>> named({"label": "fft R=300", "reconstruction": "yes"})
    'fft R=300 †'
    """
    return f"{row['label']} {DAGGER}" if row["reconstruction"] == "yes" else str(row["label"])


_BUILTINS = (abs, all, any, dict, len, list, max, min, range, round, set, sorted, str, sum, zip)
_FUNCTIONS = {f.__name__: f for f in (*_BUILTINS, statistics.mean, Row, Table, named, settings)}


def _cell(text: str) -> int | float | str | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def load(folder: Path) -> dict[str, Table]:
    """The tables ``*.csv`` of a folder by their names without suffix, ``-`` as ``_``; an empty cell is None."""
    tables = {}
    for path in sorted(folder.glob("*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            tables[path.stem.replace("-", "_")] = Table(
                Row({name: _cell(text) for name, text in row.items()}) for row in rows
            )
    return tables


def tables_for(page: Path) -> dict[str, Table]:
    """The tables that a page can speak of."""
    return {**load(RECORDS), **load(page.parent)}


def value(expression: str, names: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever the page asks for
    """What a Python expression in these names gives."""
    return eval(expression, {"__builtins__": {}, **_FUNCTIONS, **names})


def shown(text: str, names: Mapping[str, Any]) -> str:
    """``EXPRESSION | FORMAT`` as the page shows it.

    >>> shown("3 / 2 | .2f", {}), shown("None | .2f", {}), shown("'a'", {})
    ('1.50', '–', 'a')
    """
    expression, _, form = text.partition(" | ")
    found = value(expression, names)
    return DASH if found is None else format(found, form.strip())


class Wanted(NamedTuple):
    """A table to show: the rows of ``source`` for which ``where`` holds, ordered by ``sort``, some columns of them."""

    source: str
    columns: tuple[tuple[str, str], ...]
    where: str = "True"
    sort: str = "0"

    @classmethod
    def of(cls, source: str, lines: Sequence[str], where: str = "True", sort: str = "0") -> Wanted:
        """From lines ``TITLE = EXPRESSION | FORMAT``, the expressions in the columns of a row."""
        columns = [line.partition(" = ") for line in lines if line.strip()]
        return cls(source, tuple((title.strip(), text.strip()) for title, _, text in columns), where, sort)


def markdown(wanted: Wanted, names: Mapping[str, Any]) -> list[str]:
    r"""A table in Markdown, columns with a format to the right.

    Raises:
        LookupError: it would have no row.

    >>> tables = {"t": Table([Row(name="a", ajct=2.5), Row(name="b", ajct=1.5)])}
    >>> print(*markdown(Wanted.of("t", ["who = name", "s = ajct | .1f"], sort="ajct"), tables), sep="\n")
    | who | s |
    | --- | ---: |
    | b | 1.5 |
    | a | 2.5 |
    """
    scopes = [{**names, **row, "row": row} for row in value(wanted.source, names)]
    rows = [scope for scope in scopes if value(wanted.where, scope)]
    if not rows:
        raise LookupError(f"{wanted.source}: no row where {wanted.where}")
    rows.sort(key=lambda scope: value(wanted.sort, scope))
    lines = [
        [title for title, _ in wanted.columns],
        ["---:" if " | " in text else "---" for _, text in wanted.columns],
        *([shown(text, scope) for _, text in wanted.columns] for scope in rows),
    ]
    return [f"| {' | '.join(cells)} |" for cells in lines]


_ROLE = re.compile(r"\{measured\}`([^`]+)`")
_BLOCK = re.compile(r"^```\{(measured|guard|let)\}[ ]*(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
_OPTION = re.compile(r"^:(\w+): (.*)$")


def statements(lines: Sequence[str]) -> list[str]:
    """The statements in some lines; an indented line continues the one before.

    >>> statements(["a = 1", "", "max(", "  b)"])
    ['a = 1', 'max( b)']
    """
    found: list[str] = []
    for line in filter(str.strip, lines):
        if line.startswith(" ") and found:
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
    return found


def define(statement: str, names: dict[str, Any]) -> None:
    """Add the name that ``NAME = EXPRESSION`` defines.

    >>> names = {"b": 2}
    >>> define("a = b + 1", names)
    >>> names["a"]
    3
    """
    name, _, expression = statement.partition(" = ")
    names[name.strip()] = value(expression, names)


class Parts(NamedTuple):
    """What a page takes from the tables."""

    numbers: list[str]
    tables: list[Wanted]
    guards: list[str]
    names: list[str]


def parts_of(text: str) -> Parts:
    """Everything on a page, in Markdown, that is computed from the tables."""
    parts = Parts(_ROLE.findall(text), [], [], [])
    for kind, source, body in _BLOCK.findall(text):
        lines = body.splitlines()
        if kind != "measured":
            (parts.guards if kind == "guard" else parts.names).extend(statements(lines))
            continue
        options = {match[1]: match[2] for line in lines if (match := _OPTION.match(line))}
        parts.tables.append(Wanted.of(source, [line for line in lines if not _OPTION.match(line)], **options))
    return parts


def problems(text: str, names: Mapping[str, Any]) -> Iterator[str]:
    """What of a page does not follow from the tables: a statement that fails, an expression that cannot be computed."""
    parts = parts_of(text)
    names = dict(names)
    for statement in parts.names:
        try:
            define(statement, names)
        except Exception as error:  # whatever it is, it is the page's fault
            yield f"name {statement}: {type(error).__name__}: {error}"
    for what, items, compute in (
        ("statement", parts.guards, value),
        ("number", parts.numbers, shown),
        ("table", parts.tables, markdown),
    ):
        for item in items:
            try:
                found = compute(item, names)
            except Exception as error:  # as above
                yield f"{what} {item}: {type(error).__name__}: {error}"
            else:
                if what == "statement" and found is not True:
                    yield f"statement {item}: {found}"
