"""Snapshots as files: the interchange format between schedulers, monitoring and the metric.

JSON: ``{"capacity":8,"nodes":[{"name":"n0","instances":[{"job":"a","gpus":4}]}]}``, where a node may have its own
``capacity`` and a ``pool``. ``capacity`` is 8 where none is given. An unknown key is refused.

CSV: ``node,job,gpus``, one row an instance, in any order of columns and rows, with the optional columns ``capacity``
and ``pool``. A row without job and gpus only says that there is a node, as for an empty one. An unknown column is
refused.
"""

from __future__ import annotations

import csv
import io
import json
import os
from typing import Any, Literal

from compass.errors import InputError
from compass.geometry import CAPACITIES
from compass.json_input import Checker, Path
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.text_input import (
    Line,
    Source,
    about,
    check_name,
    csv_record,
    input_error,
    nearest,
    parse_integer,
    quoted,
    read_header,
    read_text,
    split_lines,
    write_text,
)

Format = Literal["json", "csv"]
"""The two forms of a snapshot."""

DEFAULT_CAPACITY = 8
"""GPUs of a node where the snapshot does not say."""
_REQUIRED = ("node", "job", "gpus")
_OPTIONAL = ("capacity", "pool")
_CAPACITY_RULE = f"must be one of {', '.join(map(str, CAPACITIES))}"


def read_snapshot(source: Source, file_format: Format | None = None) -> Snapshot:
    r"""Read a snapshot; nodes keep the order in which the file first names them.

    Args:
        source: a path, ``"-"`` for standard input or a binary stream.
        file_format: ``"json"`` or ``"csv"``. Default: what the name ends with, else JSON where the text begins with
            ``{`` or ``[`` and CSV otherwise.

    Raises:
        InputError: the file cannot be read or is malformed (a key or column that is missing, unknown or stands
            twice, a value of the wrong type or out of range, a node that is named twice or over-full, no node at
            all); the message names file and line.

    Examples:
        >>> read_snapshot(io.BytesIO(b"node,job,gpus\nn0,a,4\nn1,,\n")).nodes[1]
        Node(name='n1', instances=(), capacity=8, pool='')

    Cost: linear in the size of the file.
    """
    name, text = read_text(source)
    if _format_of(name, file_format, text) == "json":
        return _from_json(name, text)
    return _from_csv(name, text)


def _format_of(name: str, file_format: Format | None, text: str) -> Format:
    if file_format:
        return file_format
    if name.lower().endswith(".json"):
        return "json"
    if name.lower().endswith(".csv"):
        return "csv"
    return "json" if text.lstrip()[0] in "{[" else "csv"


def _from_json(name: str, text: str) -> Snapshot:
    check = Checker(name, text)
    top = check.record(check.parse(), (), "the snapshot", ("nodes",), ("capacity",))
    default = _json_capacity(check, top, (), DEFAULT_CAPACITY)
    nodes: list[Node] = []
    seen: set[str] = set()
    for index, value in enumerate(check.items(top["nodes"], ("nodes",), "nodes")):
        path = ("nodes", index)
        record = check.record(value, path, "the node", ("name", "instances"), ("capacity", "pool"))
        node_name = check.name_of(record["name"], (*path, "name"), "name")
        if node_name in seen:
            raise check.error(path, f"node {quoted(node_name)} stands twice")
        seen.add(node_name)
        capacity = _json_capacity(check, record, path, default)
        pool = record.get("pool", "")
        if pool != "":
            check.name_of(pool, (*path, "pool"), "pool")
        placed: list[PlacedInstance] = []
        for k, item in enumerate(check.items(record["instances"], (*path, "instances"), "instances")):
            where = (*path, "instances", k)
            entry = check.record(item, where, "the instance", ("job", "gpus"), ())
            job = check.name_of(entry["job"], (*where, "job"), "job")
            placed.append(PlacedInstance(job, check.integer(entry["gpus"], (*where, "gpus"), "gpus", 1, capacity)))
        try:
            nodes.append(Node(node_name, tuple(placed), capacity, pool))
        except InputError as error:  # over-full, the only thing not checked above
            raise check.error(path, str(error)) from error
    if not nodes:
        raise check.error(("nodes",), "the snapshot has no node")
    return Snapshot(tuple(nodes))


def _json_capacity(check: Checker, record: dict[str, Any], path: Path, default: int) -> int:
    if "capacity" not in record:
        return default
    where = (*path, "capacity")
    capacity = check.integer(record["capacity"], where, "capacity", min(CAPACITIES), max(CAPACITIES))
    if capacity not in CAPACITIES:
        raise check.error(where, f"capacity {capacity}: {_CAPACITY_RULE}")
    return capacity


class _Rows:
    """The instances of one node while its rows are read."""

    __slots__ = ("capacity", "load", "placed", "pool")

    def __init__(self, capacity: int, pool: str) -> None:
        self.capacity = capacity
        self.pool = pool
        self.load = 0
        self.placed: list[PlacedInstance] = []


def _from_csv(name: str, text: str) -> Snapshot:
    lines = [Line(number, line) for number, line in enumerate(split_lines(text), 1) if line.strip()]
    columns = read_header(name, lines[0], _REQUIRED)
    for column in columns:
        if column not in _REQUIRED and column not in _OPTIONAL:
            hint = nearest(column, (*_REQUIRED, *_OPTIONAL))
            raise input_error(name, lines[0].number, f"unknown column {quoted(column)}{hint}")
    nodes: dict[str, _Rows] = {}
    for number, line in lines[1:]:
        try:
            _add_row(nodes, csv_record(line, columns))
        except InputError as error:
            raise input_error(name, number, str(error)) from error
    if not nodes:
        raise input_error(name, None, "no node below the header")
    return Snapshot(tuple(Node(node, tuple(rows.placed), rows.capacity, rows.pool) for node, rows in nodes.items()))


def _add_row(nodes: dict[str, _Rows], row: dict[str, str]) -> None:
    node = _field(row, "node")
    capacity = DEFAULT_CAPACITY
    if row.get("capacity"):
        capacity = _integer(row, "capacity", max(CAPACITIES))
        if capacity not in CAPACITIES:
            raise InputError(f"capacity {capacity}: {_CAPACITY_RULE}")
    pool = _field(row, "pool") if row.get("pool") else ""
    rows = nodes.setdefault(node, _Rows(capacity, pool))
    if rows.capacity != capacity:
        raise InputError(f"node {quoted(node)} has capacity {capacity} here and {rows.capacity} above")
    if rows.pool != pool:
        raise InputError(f"node {quoted(node)} is in pool {quoted(pool)} here and in {quoted(rows.pool)} above")
    if not row["job"] and not row["gpus"]:
        return
    job = _field(row, "job")
    gpus = _integer(row, "gpus", capacity)
    rows.load += gpus
    if rows.load > capacity:
        raise InputError(f"node {quoted(node)}: {rows.load} GPUs busy, more than its {capacity}")
    rows.placed.append(PlacedInstance(job, gpus))


def _field(row: dict[str, str], column: str) -> str:
    with about(column):
        return check_name(row[column])


def _integer(row: dict[str, str], column: str, most: int) -> int:
    with about(column):
        return parse_integer(row[column], 1, most)


def format_snapshot(snapshot: Snapshot, file_format: Format = "json") -> str:
    """The text of a snapshot; ``read_snapshot`` gives the same snapshot back.

    Raises:
        InputError: there is no node, or a name is one that ``read_snapshot`` would refuse.

    Examples:
        >>> print(format_snapshot(Snapshot.of([[4, 2], []])), end="")
        {"capacity":8,"nodes":[
        {"name":"n0","instances":[{"job":"j0","gpus":4},{"job":"j1","gpus":2}]},
        {"name":"n1","instances":[]}
        ]}
        >>> print(format_snapshot(Snapshot.of([[4, 2], []]), "csv"), end="")
        node,job,gpus
        n0,j0,4
        n0,j1,2
        n1,,
    """
    if not snapshot.nodes:
        raise InputError("a snapshot file has at least one node")
    for node in snapshot.nodes:
        for what in (node.name, *([node.pool] if node.pool else []), *(job for job, _ in node.instances)):
            check_name(what)
    return _to_json(snapshot) if file_format == "json" else _to_csv(snapshot)


def write_snapshot(snapshot: Snapshot, target: str | os.PathLike[str], file_format: Format | None = None) -> None:
    """Write a snapshot to a file, all of it or nothing; the default format is what the name ends with, else JSON.

    Raises:
        InputError: as ``format_snapshot``, or the file cannot be written.
    """
    write_text(target, format_snapshot(snapshot, _format_of(os.fspath(target), file_format, "{")))


def _to_json(snapshot: Snapshot) -> str:
    common = snapshot.capacity or DEFAULT_CAPACITY
    lines: list[str] = []
    for node in snapshot.nodes:
        record: dict[str, Any] = {"name": node.name}
        if node.capacity != common:
            record["capacity"] = node.capacity
        if node.pool:
            record["pool"] = node.pool
        record["instances"] = [instance._asdict() for instance in node.instances]
        lines.append(json.dumps(record, separators=(",", ":")))
    return f'{{"capacity":{common},"nodes":[\n' + ",\n".join(lines) + "\n]}\n"


def _to_csv(snapshot: Snapshot) -> str:
    optional: list[str] = []
    if any(node.capacity != DEFAULT_CAPACITY for node in snapshot.nodes):
        optional.append("capacity")
    if any(node.pool for node in snapshot.nodes):
        optional.append("pool")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_REQUIRED, *optional])
    for node in snapshot.nodes:
        values = [getattr(node, column) for column in optional]
        for job, gpus in node.instances or [("", "")]:
            writer.writerow([node.name, job, gpus, *values])
    return text.getvalue()
