"""The command ``compass show``: the nodes of a snapshot as text or as an SVG picture."""

from __future__ import annotations

import os
import sys

import click

from compass.cli_options import SNAPSHOT_NOTE
from compass.cli_support import Command, tidied_up
from compass.draw import lines
from compass.errors import InputError
from compass.geometry import geometry_of
from compass.snapshot import Snapshot
from compass.snapshot_io import read_snapshot
from compass.text_input import printable, write_text


@click.command("show", cls=Command, notes=[SNAPSHOT_NOTE])
@click.argument("snapshot")
@click.option(
    "--group/--no-group", default=None, help="One line for all nodes that look alike.  [default: from 100 nodes on]"
)
@click.option(
    "--jobs",
    is_flag=True,
    help="Add which job each letter stands for; without --group, up to 26 jobs keep their letter on every node. "
    "SVG: name the job in place of the size.",
)
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@click.option(
    "--svg", "target", metavar="FILE", help="Write an SVG picture to a file, all of it or nothing; - prints it."
)
@click.option("--slots", is_flag=True, help="SVG: outline slots of the default widths on nodes that they fit.")
def show_command(
    snapshot: str, *, group: bool | None, jobs: bool, ascii_only: bool, target: str | None, slots: bool
) -> None:
    """Draw the nodes of a snapshot.

    As text, an anchor is a letter for each of its GPUs, a 1-GPU instance a dot, a free GPU a blank. Letters begin
    with A on every node, so nodes with the same load look the same. An SVG picture has a legend.
    """
    if target is not None and ascii_only:
        raise InputError("--ascii: not with --svg")
    if slots and target is None:
        raise InputError("--slots: only with --svg")
    placement = read_snapshot(snapshot)
    if (
        target is not None
        and os.path.isfile(target)
        and os.path.exists(snapshot)
        and os.path.samefile(snapshot, target)
    ):
        raise InputError(f"--svg: {printable(target)} is the snapshot itself")
    if group is None:
        group = len(placement.nodes) >= 100
    if target is None:
        _print_lines(placement, group=group, jobs=jobs, ascii_only=ascii_only)
        return
    from compass.picture import draw_svg  # noqa: PLC0415 - its XML is slow to load

    # The capacity of most nodes: slots of one geometry fit no node of another.
    capacities = [node.capacity for node in placement.nodes]
    geometry = geometry_of(max(capacities, key=capacities.count)) if slots else None
    picture = draw_svg(placement, geometry=geometry, group=group, jobs=jobs, legend=True)
    if target == "-":
        print(picture, end="")
    else:
        with tidied_up():
            write_text(target, picture)


def _print_lines(placement: Snapshot, *, group: bool, jobs: bool, ascii_only: bool) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to load
    from rich.text import Text  # noqa: PLC0415 - slow to load

    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    console = Console(soft_wrap=True, highlight=False)
    for row, text in lines(placement, group=group, jobs=jobs, ascii_only=ascii_only or not unicode):
        if console.is_terminal:
            console.print(Text(text, style="yellow" if row.partial else "" if row.load else "dim"))
        else:
            print(text)
