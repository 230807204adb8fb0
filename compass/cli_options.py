"""The parameters of the commands: strict values, and the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from compass.cli_support import located
from compass.errors import InputError
from compass.geometry import CAPACITIES, Geometry
from compass.readings import Readings
from compass.scheduler import Scheduler
from compass.text_input import MAX_INSTANCES, MAX_NODES, parse_integer, quoted
from compass.variants import VARIANTS, make_scheduler

F = TypeVar("F", bound=Callable[..., Any])
Callback = Callable[[click.Context, click.Parameter, Any], Any]
"""Turns the text of a parameter into its value; click's own parameter types are not strict."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def integer(least: int, most: int, word: str = "") -> Callback:
    """A parameter that is an integer in ``least..most``; ``word``, where given, may stand for None."""

    def convert(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        if value is None or (word and value == word):
            return None
        try:
            return parse_integer(value, least, most)
        except InputError as error:
            raise click.BadParameter(f"{error}{f' (or {word})' if word else ''}", ctx, param) from error

    return convert


def number(most: float) -> Callback:
    """A parameter that is a positive number."""

    def convert(ctx: click.Context, param: click.Parameter, value: str) -> float:
        try:
            result = float(value)
        except ValueError as error:
            raise click.BadParameter(f"{quoted(value)} is not a number", ctx, param) from error
        if not 0 < result <= most:
            raise click.BadParameter(f"{quoted(value)} must be positive and at most {most:g}", ctx, param)
        return result

    return convert


def counts(ctx: click.Context, param: click.Parameter, value: str) -> dict[int, int]:
    """The parameter ``--counts``: ``size:number`` pairs with commas between them, each size once."""
    result: dict[int, int] = {}
    for pair in value.split(","):
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
        "--capacity", default="8", callback=integer(1, 16), metavar="G", help="GPUs of a node: 2, 4, 8 or 16 (8)."
    )
    widths = click.option("--widths", metavar="W,...", help="Slot widths, a chain ending in G (powers of two).")
    return capacity(widths(command))


def scheduler_options(command: F) -> F:
    """Add ``--variant``, ``--open-nodes``, ``--reading`` and the options of the geometry."""
    variant = click.option(
        "--variant",
        required=True,
        type=click.Choice(VARIANTS),
        help="Which scheduler decides.",
    )
    dial = click.option(
        "--open-nodes",
        callback=integer(1, MAX_NODES),
        metavar="M",
        help="unified: most open nodes, the dial between fragmentation and moves (1).",
    )
    reading = click.option(
        "--reading",
        "readings",
        multiple=True,
        metavar="NAME=VALUE",
        help="printed: one reading of an open point; may be repeated.",
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
        readings=Readings.parse(readings) if readings else None,
    )
