"""Job traces: CSV with the columns ``job_id,submit_time,duration,instances,gpus_per_instance``.

Times are whole seconds. Columns may stand in any order and further ones are ignored: all five are required, so a
misspelt one cannot go unnoticed.
"""

from __future__ import annotations

import csv
import io
import itertools
import operator
import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from compass.errors import InputError
from compass.geometry import CAPACITIES
from compass.text_input import (
    MAX_INSTANCES,
    MAX_TIME,
    Line,
    Source,
    about,
    check_name,
    check_range,
    csv_record,
    input_error,
    parse_integer,
    quoted,
    read_header,
    read_text,
    split_lines,
    write_text,
)


class TraceJob(NamedTuple):
    """One job of a trace: when it is submitted, how long it runs, and its identical instances."""

    job_id: str
    submit_time: int
    duration: int
    instances: int
    gpus_per_instance: int


COLUMNS = TraceJob._fields
"""The columns of a trace file, in the order in which they are written."""


_PLAIN_ROW = re.compile(r"([A-Za-z0-9_.-]{1,64}),([0-9]{1,15}),([0-9]{1,15}),([1-9][0-9]{0,5}),([1-9][0-9]?)")
"""A row that needs no further check but the capacity; rows that do not match are parsed field by field."""


def read_trace(source: Source, capacity: int = 8) -> list[TraceJob]:
    r"""Read a trace, in order of submission (jobs submitted at one time in the order of the file).

    A duration may be 0. Blank lines are skipped.

    Args:
        source: a path, ``"-"`` for standard input or a binary stream.
        capacity: GPUs of a node; an instance needs one node, so it has at most that many.

    Raises:
        InputError: the trace cannot be read or is malformed (missing column, wrong number of fields, a value that
            is no integer or out of range, a job id that is no name or stands twice, no job at all); the message
            names file and line.

    Examples:
        >>> read_trace(io.BytesIO(b"job_id,submit_time,duration,instances,gpus_per_instance\na,0,60,2,4\n"))
        [TraceJob(job_id='a', submit_time=0, duration=60, instances=2, gpus_per_instance=4)]

    Cost: linear in the size of the file, one or two microseconds a row.
    """
    name, text = read_text(source)
    lines = split_lines(text)
    header = next(index for index, line in enumerate(lines) if line.strip())
    columns = read_header(name, Line(header + 1, lines[header]), COLUMNS)
    plain = _PLAIN_ROW.fullmatch if columns == list(COLUMNS) else None
    jobs: list[TraceJob] = []
    seen: set[str] = set()
    for number, line in enumerate(itertools.islice(lines, header + 1, None), header + 2):
        row = plain(line) if plain else None
        if row and (gpus := int(row[5])) <= capacity:
            job = TraceJob(row[1], int(row[2]), int(row[3]), int(row[4]), gpus)
        elif not line or line.isspace():
            continue
        else:
            try:
                job = _parse_row(line, columns, capacity)
            except InputError as error:
                raise input_error(name, number, str(error)) from error
        if job.job_id in seen:
            raise input_error(name, number, f"job {quoted(job.job_id)} stands twice")
        seen.add(job.job_id)
        jobs.append(job)
    if not jobs:
        raise input_error(name, None, "no job below the header")
    jobs.sort(key=operator.attrgetter("submit_time"))
    return jobs


def _parse_row(line: str, columns: list[str], capacity: int) -> TraceJob:
    row = csv_record(line, columns)
    with about("job_id"):
        check_name(row["job_id"], slash=False)
    values: list[int] = []
    for column, limits in _limits(capacity).items():
        with about(column):
            values.append(parse_integer(row[column], *limits))
    return TraceJob(row["job_id"], *values)


def _limits(capacity: int) -> dict[str, tuple[int, int]]:
    return {
        "submit_time": (0, MAX_TIME),
        "duration": (0, MAX_TIME),
        "instances": (1, MAX_INSTANCES),
        "gpus_per_instance": (1, capacity),
    }


def format_trace(jobs: Iterable[TraceJob]) -> str:
    """The CSV text of a trace, with LF line ends; ``read_trace`` gives the jobs back, in order of submission.

    Raises:
        InputError: a job is one that ``read_trace`` would refuse in a cluster of 16-GPU nodes; the message names it.

    Examples:
        >>> print(format_trace([TraceJob("a", 0, 60, 2, 4)]), end="")
        job_id,submit_time,duration,instances,gpus_per_instance
        a,0,60,2,4
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    seen: set[str] = set()
    limits = _limits(max(CAPACITIES))
    for job in jobs:
        with about(f"job {quoted(job.job_id)}:"):
            check_name(job.job_id, slash=False)
            for column, (least, most) in limits.items():
                with about(column):
                    check_range(getattr(job, column), least, most)
        if job.job_id in seen:
            raise InputError(f"job {quoted(job.job_id)} stands twice")
        seen.add(job.job_id)
        writer.writerow(job)
    if not seen:
        raise InputError("a trace has at least one job")
    return text.getvalue()


def write_trace(jobs: Iterable[TraceJob], target: str | os.PathLike[str]) -> None:
    """Write a trace to a file, all of it or nothing: a file that was there is replaced only when all is written.

    Raises:
        InputError: a job is malformed, or the file cannot be written.
    """
    write_text(target, format_trace(jobs))
