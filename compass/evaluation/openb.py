"""The openb lists of nodes and pods, and the experiment of FGD's authors on them.

Weng et al., ATC '23; Alibaba cluster-trace-gpu-v2023 and hkust-adsl/kubernetes-scheduler-simulator. Pods arrive one by
one in a given order, none leaves, and one that fits nowhere is dropped. What is looked at is the share of the cluster's
GPU capacity that is in use, against the share that has arrived.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from compass.errors import InputError
from compass.evaluation.general_fgd import WHOLE, Cluster, Demand, Free, check_demand
from compass.text_input import (
    Line,
    Source,
    about,
    check_name,
    csv_record,
    input_error,
    parse_integer,
    quoted,
    read_header,
    read_text,
    split_lines,
)

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec")
_LARGEST, _MOST_GPUS = 10**12, 1024

T = TypeVar("T")


def read_nodes(source: Source) -> list[Free]:
    """The nodes of a list with the columns ``NODE_COLUMNS``, all of them empty, in order of their names.

    Raises:
        InputError: the list cannot be read or is malformed; the message names file and line.
    """

    def node(row: dict[str, str]) -> Free:
        cpu, memory, gpus = _integers(row, NODE_COLUMNS[1:4], _MOST_GPUS)
        return Free(cpu, memory, (WHOLE,) * gpus, row["model"])

    return _read(source, NODE_COLUMNS, node)


def read_pods(source: Source) -> list[Demand]:
    """What the pods of a list with the columns ``POD_COLUMNS`` (and others) ask for, in order of their names.

    ``gpu_spec`` lists GPU models with ``|`` between them; nothing means any.

    Raises:
        InputError: the list cannot be read or is malformed; the message names file and line.
    """

    def pod(row: dict[str, str]) -> Demand:
        cpu, memory, gpus, milli = _integers(row, POD_COLUMNS[1:5], WHOLE)
        models = tuple(model for model in row["gpu_spec"].split("|") if model)
        return check_demand(Demand(cpu, memory, gpus, milli, models))

    return _read(source, POD_COLUMNS, pod)


def _integers(row: dict[str, str], columns: Iterable[str], most: int) -> list[int]:
    numbers = []
    for column in columns:
        with about(column):
            numbers.append(parse_integer(row[column], 0, most if "gpu" in column else _LARGEST))
    return numbers


def _read(source: Source, columns: tuple[str, ...], value: Callable[[dict[str, str]], T]) -> list[T]:
    file, text = read_text(source)
    lines = split_lines(text)
    header = read_header(file, Line(1, lines[0]), columns)
    found: dict[str, T] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        try:
            row = csv_record(line, header)
            name, parsed = check_name(row[columns[0]]), value(row)
        except InputError as error:
            raise input_error(file, number, str(error)) from error
        if name in found:
            raise input_error(file, number, f"{quoted(name)} stands twice")
        found[name] = parsed
    return [found[name] for name in sorted(found)]


def read_order(source: Source, below: int) -> list[int]:
    """The indices of a file with one a line, each in ``0 .. below - 1``.

    Raises:
        InputError: the file cannot be read, or a line is no such index; the message names file and line.
    """
    file, text = read_text(source)
    order = []
    for number, line in enumerate(split_lines(text), 1):
        if line:
            try:
                order.append(parse_integer(line, 0, below - 1))
            except InputError as error:
                raise input_error(file, number, str(error)) from error
    return order


class Moment(NamedTuple):
    """After an arrival: GPU capacity, in thousandths, that has arrived so far and that is in use."""

    arrived: int
    used: int


def arrive(cluster: Cluster, demands: Iterable[Demand]) -> Iterator[Moment]:
    """Let demands arrive one after another; one that fits nowhere is dropped.

    >>> from compass.evaluation.general_fgd import GeneralBestFit
    >>> cluster = Cluster([Free(8000, 0, (1000,))], GeneralBestFit())
    >>> list(arrive(cluster, [Demand(gpus=1, milli=600), Demand(gpus=1, milli=500), Demand(gpus=1, milli=400)]))
    [Moment(arrived=600, used=600), Moment(arrived=1100, used=600), Moment(arrived=1500, used=1000)]
    """
    arrived = used = 0
    for demand in demands:
        asked = demand.gpus * demand.milli
        arrived += asked
        if cluster.place(demand):
            used += asked
        yield Moment(arrived, used)


def allocation(moments: Iterable[Moment], capacity: int) -> dict[int, float]:
    """Mean share in use by share arrived, both in % of ``capacity``, as the authors publish it.

    The share arrived is rounded to a whole number, the share in use to two decimals before and after the mean. A share
    at which there was no moment is left out.

    >>> allocation([Moment(600, 600), Moment(1100, 600), Moment(1101, 700)], 1000)
    {60: 60.0, 110: 65.0}
    """
    columns: defaultdict[int, list[float]] = defaultdict(list)
    for arrived, used in moments:
        columns[round(100 * arrived / capacity)].append(round(100 * used / capacity, 2))
    return {column: round(sum(shares) / len(shares), 2) for column, shares in sorted(columns.items())}
