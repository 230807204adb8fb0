"""Figures of the experiments, drawn from their tables with matplotlib (``compass-abs[evaluate]``), as SVG text.

The same table gives the same bytes under one version of matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from compass.evaluation.table import Table
from compass.plotting import GRID, INK, LINES, SETTINGS, svg_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Columns = Mapping[str, str]
"""Columns of a table, one panel each, and what their axis is called."""
MARKERS = "osD^vPX*<>"


def bars(
    table: Table, columns: Columns, title: str, *, by: str = "label", most: Mapping[str, float] | None = None
) -> str:
    """A panel for each column, two side by side, with a bar for each row; no bar where the value is undefined.

    Bars of a column longer than its value in ``most`` are cut there; the number beside a bar is the whole one.
    """
    if not table:
        return _nothing(title)
    names = [str(row[by]) for row in table]
    beside = min(2, len(columns))
    below = -(-len(columns) // beside)
    figure, panels = _panels(below, beside, (2.2 + 2.9 * beside, below * (0.6 + 0.2 * len(table))), "row")
    for unused in panels[len(columns) :]:
        unused.remove()
    for panel, (column, axis) in zip(panels, columns.items(), strict=False):
        values = [row[column] for row in table]
        end = (most or {}).get(column, float("inf"))
        lengths = [min(value or 0, end) for value in values]
        drawn = panel.barh(range(len(names)), lengths, color=LINES[0][0], height=0.7)
        shown = ["undefined" if value is None else f"{value:.3g}" for value in values]
        panel.bar_label(drawn, shown, color=INK, padding=3, fontsize=8)
        panel.set_yticks(range(len(names)), names, fontsize=9)
        panel.set_xlabel(axis)
        panel.margins(x=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_ylim(len(names) - 0.4, -0.6)  # the first row on top
    return svg_text(figure, title)


def lines(table: Table, x: str, columns: Columns, title: str, *, xlabel: str, by: str = "label") -> str:
    """A panel for each column, one below the other, with a line over ``x`` for each value of ``by``."""
    if not table:
        return _nothing(title)
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in table:
        groups.setdefault(str(row[by]), []).append(row)
    marked = max(map(len, groups.values())) <= 20
    figure, panels = _panels(len(columns), 1, (8, 0.8 + 2.4 * len(columns)), "col")
    for panel, (column, axis) in zip(panels, columns.items(), strict=True):
        for k, (name, rows) in enumerate(groups.items()):
            kept = [row for row in rows if row[column] is not None]
            panel.plot(
                [float(row[x]) for row in kept],
                [row[column] for row in kept],
                label=name,
                color=LINES[k % len(LINES)][0],
                linestyle=LINES[(k + k // len(LINES)) % len(LINES)][1],
                marker=MARKERS[k % len(MARKERS)] if marked else "",
                markersize=4,
                linewidth=1.4,
            )
        panel.set_ylabel(axis)
        panel.grid(True, color=GRID, linewidth=0.6)
    panels[-1].set_xlabel(xlabel)
    _legend(figure, panels[0])
    return svg_text(figure, title)


def points(table: Table, x: str, columns: Columns, title: str, *, xlabel: str, by: str = "label") -> str:
    """A panel for each column, one below the other, with a named point over ``x`` for each row.

    The axis of ``x`` is logarithmic from 0.01 on, and linear below.
    """
    figure, panels = _panels(len(columns), 1, (8.5, 0.5 + 4.2 * len(columns)), "col")
    kinds = list(dict.fromkeys(str(row[by]).split()[0] for row in table))
    above = False
    for panel, (column, axis) in zip(panels, columns.items(), strict=True):
        for row in table:
            if row[x] is None or row[column] is None:
                continue
            above = not above
            k = kinds.index(str(row[by]).split()[0])
            colour = LINES[k % len(LINES)][0]
            panel.plot(row[x], row[column], MARKERS[k % len(MARKERS)], color=colour, markersize=5)
            place = (row[x], row[column])
            offset = (4, 3 if above else -9)
            panel.annotate(str(row[by]), place, offset, textcoords="offset points", fontsize=7, color=INK)
        panel.set_ylabel(axis)
        panel.grid(True, color=GRID, linewidth=0.6)
        panel.set_xscale("symlog", linthresh=0.01)
        panel.margins(x=0.15)
    panels[-1].set_xlabel(xlabel)
    return svg_text(figure, title)


def stacks(table: Table, columns: Columns, title: str, xlabel: str, by: str = "label") -> str:
    """One bar a row, made of the columns one after another."""
    names = [str(row[by]) for row in table]
    figure, (panel,) = _panels(1, 1, (8, 1.3 + 0.35 * len(table)), "none")
    left = [0.0] * len(names)
    for k, (column, name) in enumerate(columns.items()):
        values = [float(row[column] or 0) for row in table]
        colour, alpha = LINES[k % len(LINES)][0], 1 - 0.45 * (k // len(LINES))
        panel.barh(range(len(names)), values, left=left, color=colour, alpha=alpha, label=name, height=0.7)
        left = [a + b for a, b in zip(left, values, strict=True)]
    panel.set_yticks(range(len(names)), names, fontsize=9)
    panel.invert_yaxis()
    panel.set_xlabel(xlabel)
    _legend(figure, panel)
    return svg_text(figure, title)


def _nothing(title: str) -> str:
    """A figure of a table without a row."""
    figure, (panel,) = _panels(1, 1, (6, 1), "none")
    panel.set_axis_off()
    panel.text(0.5, 0.5, "nothing to show", ha="center", color=INK)
    return svg_text(figure, title)


def _legend(figure: Figure, panel: Axes) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize=8, frameon=False, labelcolor=INK)


def _panels(rows: int, columns: int, size: tuple[float, float], share: str) -> tuple[Figure, list[Axes]]:
    import matplotlib as mpl  # noqa: PLC0415 - slow to load, and an extra
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharey=share == "row", sharex=share == "col")
    return figure, [panel for row in panels for panel in row]
