"""The parameters of the commands: strict values, and the options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from compass.cli_support import Note, located
from compass.errors import InputError
from compass.geometry import CAPACITIES, Geometry
from compass.readings import VALUES, Readings
from compass.scheduler import Scheduler
from compass.text_input import MAX_INSTANCES, MAX_NODES, nearest, parse_integer, quoted
from compass.variants import VARIANTS, make_scheduler

F = TypeVar("F", bound=Callable[..., Any])
Callback = Callable[[click.Context, click.Parameter, Any], Any]
"""Turns the text of a parameter into its value; click's own parameter types are not strict."""

_DECIMAL = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

SNAPSHOT_NOTE: Note = (
    "Snapshot",
    [
        (
            "CSV",
            "Columns node,job,gpus[,capacity][,pool], one row an instance. A row without job and gpus is an empty "
            "node. Without a column capacity it is 8.",
        ),
        (
            "JSON",
            '{"capacity": 8, "nodes": [{"name": "n0", "instances": [{"job": "a", "gpus": 4}]}]}; a node may have its '
            'own "capacity" and a "pool".',
        ),
    ],
)
TRACE_NOTE: Note = (
    "Trace",
    [
        (
            "CSV",
            "Columns job_id,submit_time,duration,instances,gpus_per_instance in any order, one row a job, times in "
            "whole seconds. Further columns are ignored.",
        )
    ],
)
EVENT_NOTES: list[Note] = [
    (
        "Events, one a line",
        [
            ("arrive", '{"event":"arrive","job":"a","gpus":4,"instances":2}; instances is 1 where it is not given.'),
            ("depart", '{"event":"depart","job":"a"}'),
        ],
    ),
    (
        "Decisions, one a line",
        [
            (
                "arrive",
                '{"event":"arrive", "job":"a", "admitted":true, "moves":[{"instance":"b/0","from":1,"to":0}], '
                '"placements":[{"instance":"a/0","node":1}]}',
            ),
            ("depart", '{"event":"depart","job":"a","moves":[]}; all instances of the job leave first.'),
            (
                "order",
                "Moves first, then placements, each in the order of its list, unless order says otherwise, as in "
                '"order":[["placement",0],["move",0]], the steps by their place in their list. Every step is legal '
                "after those before it.",
            ),
            ("refused", '"admitted":false: the job does not fit now and is forgotten. Send its arrival again later.'),
        ],
    ),
]
READING_NOTE: Note = (
    "Readings of printed (compass.readings explains them)",
    [(name, ", ".join([f"{values[0]} [default]", *values[1:]])) for name, values in VALUES.items()],
)


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to load, seldom needed

    if value:
        try:
            shown = version("compass-abs")
        except PackageNotFoundError:
            shown = "of a source tree that is not installed"
        click.echo(f"compass, version {shown}")
        ctx.exit()


version_option = click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def integer(least: int, most: int, word: str = "") -> Callback:
    """A parameter that is an integer in ``least..most``; ``word``, where given, may stand for None."""

    def convert(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        if value is None or (word and value == word):
            return None
        try:
            return parse_integer(value, least, most)
        except InputError as error:
            other = f" (or {word}){nearest(value, [word])}" if word else ""
            raise click.BadParameter(f"{error}{other}", ctx, param) from error

    return convert


def choice_option(
    name: str,
    known: Sequence[str],
    meaning: str,
    **attributes: Any,  # noqa: ANN401 - those of click.option
) -> Callable[[F], F]:
    """An option that is one of some words; for another the nearest of them is named."""

    def chosen(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is not None and value not in known:
            words = ", ".join(known)
            raise click.BadParameter(f"{quoted(value)} is not one of {words}{nearest(value, known)}", ctx, param)
        return value

    return click.option(
        name, callback=chosen, metavar=f"[{'|'.join(known)}]", help=meaning, show_default=True, **attributes
    )


def seed_option(meaning: str, default: str | None = "0") -> Callable[[F], F]:
    """``--seed``, an integer below 2^63; ``meaning`` says of what."""
    return click.option(
        "--seed",
        default=default,
        show_default=default is not None,
        callback=integer(0, 2**63 - 1),
        metavar="N",
        help=meaning,
    )


def number(most: float) -> Callback:
    """A parameter that is a positive number, written with the digits 0 to 9 only."""

    def convert(ctx: click.Context, param: click.Parameter, value: str) -> float:
        if not _DECIMAL.fullmatch(value):
            raise click.BadParameter(f"{quoted(value)} is not a number", ctx, param)
        result = float(value)
        if not 0 < result <= most:
            raise click.BadParameter(f"{quoted(value)} must be positive and at most {most:g}", ctx, param)
        return result

    return convert


def counts(ctx: click.Context, param: click.Parameter, value: str) -> dict[int, int]:
    """The parameter ``--counts``: ``size:number`` pairs with commas (and blanks) between them, each size once."""
    result: dict[int, int] = {}
    for pair in (part.strip(" ") for part in value.split(",")):
        size, colon, count = pair.partition(":")
        try:
            if not colon:
                raise click.BadParameter(f"{quoted(pair)} is not size:number, as in 3:2,1:4", ctx, param)
            gpus = parse_integer(size, 1, max(CAPACITIES))
            if gpus in result:
                raise click.BadParameter(f"size {gpus} stands twice", ctx, param)
            result[gpus] = parse_integer(count, 0, MAX_INSTANCES)
        except InputError as error:
            raise click.BadParameter(f"{quoted(pair)}: {error}", ctx, param) from error
    return result


def geometry(capacity: int, widths: str | None) -> Geometry:
    """The geometry that ``--capacity`` and ``--widths`` describe.

    Raises:
        InputError: there is no such geometry.
    """
    if widths is None:
        return Geometry(capacity)
    with located("--widths"):
        return Geometry(capacity, tuple(parse_integer(width, 1, capacity) for width in widths.split(",")))


def geometry_options(command: F) -> F:
    """Add ``--capacity`` and ``--widths``."""
    capacity = click.option(
        "--capacity",
        default="8",
        show_default=True,
        callback=integer(1, 16),
        metavar="G",
        help="GPUs of a node: 2, 4, 8 or 16.",
    )
    widths = click.option(
        "--widths",
        metavar="W,...",
        help="Slot widths: each divides the next, the least is 2 or more, the last is the capacity. WCC depends on "
        "them.  [default: every power of two from 2]",
    )
    return capacity(widths(command))


def scheduler_options(command: F) -> F:
    """Add ``--variant``, ``--open-nodes``, ``--reading`` and the options of the geometry."""
    variant = choice_option("--variant", VARIANTS, "Which scheduler decides.", required=True)
    dial = click.option(
        "--open-nodes",
        callback=integer(1, MAX_NODES),
        metavar="M",
        help="unified: most open nodes, the dial between fragmentation and moves.  [default: 1]",
    )
    reading = click.option(
        "--reading",
        "readings",
        multiple=True,
        metavar="NAME=VALUE",
        help="printed: one reading of an open point, listed below; may be repeated.",
    )
    return variant(dial(reading(geometry_options(command))))


def chosen_scheduler(
    variant: str,
    nodes: int | None,
    *,
    open_nodes: int | None,
    readings: tuple[str, ...],
    capacity: int,
    widths: str | None,
) -> Scheduler:
    """The scheduler that the options describe.

    Raises:
        InputError: an option is given that the variant does not have, or its value is malformed.
    """
    return make_scheduler(
        variant,
        nodes,
        geometry=geometry(capacity, widths),
        open_nodes=open_nodes,
        readings=_parse_readings(readings) if readings else None,
    )


def _parse_readings(texts: tuple[str, ...]) -> Readings:
    for text in texts:
        name, equals, _ = text.partition("=")
        if equals and name not in VALUES:
            names = ", ".join(VALUES)
            raise InputError(
                f"reading {quoted(text)}: no reading is named {quoted(name)}{nearest(name, VALUES)} ({names})"
            )
    return Readings.parse(texts)
