"""Figures over time with matplotlib (``pip install 'compass-abs[plot]'``); pictures of nodes are in ``picture``.

matplotlib is loaded when the first figure is drawn. Lines differ by colour and by dash, so that a print in grey tells
them apart. As SVG text a figure follows the reader's light or dark scheme, and the same input gives the same bytes
under one version of matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from compass.errors import InputError
from compass.timeline import Timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PAPER, GRID, SHADE = "#1f2328", "#ffffff", "#d0d7de", "#f3d3e6"
"""Colours of text and axes, background, grid, and of the time during which WCC fails; in the light scheme."""
LINES = (("#2f5d9b", "-"), ("#c2571a", "--"), ("#2b7a4b", "-."), ("#8a4fae", ":"), ("#6b7280", (0, (6, 1, 1, 1, 1, 1))))
"""Colour and dash of the lines in turn."""
DARK = {
    INK: "#e6e8eb",
    PAPER: "#131416",
    GRID: "#3a4149",
    SHADE: "#57304a",
    "#2f5d9b": "#8ab4f8",
    "#c2571a": "#f0a36b",
    "#2b7a4b": "#7fd1a3",
    "#8a4fae": "#cda7e8",
    "#6b7280": "#a6adb6",
}
"""What each colour becomes in the dark scheme."""

SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "compass",  # element names from the content, not from chance
    "svg.fonttype": "none",  # text stays text
    "font.size": 10,
    "text.color": INK,
    "axes.titlesize": "medium",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "legend.facecolor": PAPER,
    "legend.edgecolor": GRID,
    "grid.color": GRID,
}


def sif_over_time(runs: Mapping[str, Timeline], *, hours: bool = True, width: float = 5.2) -> Figure:
    """SIF over time, one panel a run on common axes; the time during which WCC fails is shaded.

    Args:
        runs: timelines by the name of their scheduler, in the order of the panels.
        hours: label time in hours, else in seconds.
        width: of the figure in inches.

    Raises:
        InputError: there is no run.
        ImportError: matplotlib is not installed.
    """
    figure, panels = _panels(runs, width)
    unit = 3600 if hours else 1
    for panel, (name, run), (colour, dash) in zip(panels, runs.items(), _cycled(len(runs)), strict=True):
        times = [moment.time / unit for moment in run.moments]
        sif = [moment.avoidable / run.nodes for moment in run.moments]
        for begin, end in run.without_wcc():
            panel.axvspan(begin / unit, end / unit, color=SHADE, linewidth=0)
        panel.step(times, sif, where="post", color=colour, linestyle=dash, linewidth=1.4)
        found = f"mean {float(run.mean_sif):.4f}, at most {run.worst} of {run.nodes} nodes"
        panel.set_title(f"{_plain(name)}: {found}", loc="left")
        panel.set_ylabel("SIF")
        panel.grid(True, linewidth=0.6)
    panels[-1].set_xlabel(f"time ({'hours' if hours else 'seconds'}); shaded: WCC fails")
    return figure


def compare(runs: Mapping[str, Timeline], *, width: float = 5.2) -> Figure:
    """Several schedulers on one trace: mean SIF, most avoidable partial nodes and moved instances, a bar a scheduler.

    Raises:
        InputError: there is no run.
        ImportError: matplotlib is not installed.
    """
    measures: dict[str, list[float]] = {
        "mean SIF": [float(run.mean_sif) for run in runs.values()],
        "most avoidable partial nodes": [run.worst for run in runs.values()],
        "moved instances": [run.moves for run in runs.values()],
    }
    figure, panels = _panels(measures if runs else {}, width, height=0.5 + 0.3 * len(runs), common=False)
    for panel, (measure, values) in zip(panels, measures.items(), strict=True):
        bars = panel.barh([_plain(name) for name in runs], values, color=[colour for colour, _ in _cycled(len(runs))])
        shown = [f"{value:.4f}" if isinstance(value, float) else str(value) for value in values]
        panel.bar_label(bars, shown, color=INK, padding=3)
        panel.set_title(measure, loc="left")
        panel.margins(x=0.15)
        panel.invert_yaxis()
        panel.xaxis.set_visible(False)
        panel.spines[["top", "right", "bottom"]].set_visible(False)
    return figure


def svg_text(figure: Figure, title: str) -> str:
    """A figure as the text of an SVG file, in the reader's light or dark scheme, named for those who cannot see it."""
    import matplotlib as mpl  # noqa: PLC0415 - slow to load, and an extra

    stream = io.StringIO()
    with mpl.rc_context(SETTINGS):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Title": title})
    head, opening, rest = stream.getvalue().partition("<svg ")
    tag, close, body = rest.partition(">")
    return f'{head}{opening}role="img" {tag}{close}\n <style>{_dark_style()}</style>{body}'


def _dark_style() -> str:
    """Rules by attribute, as matplotlib writes its colours into every element."""
    rules = [
        f'[style*="{what}: {light}"]{{{what}:{dark} !important}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    ]
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"


def _plain(name: str) -> str:
    """Keep matplotlib from reading a dollar sign in a name as the begin of a formula."""
    return name.replace("$", r"\$")


def _cycled(number: int) -> list[tuple[str, Any]]:
    return [LINES[k % len(LINES)] for k in range(number)]


def _panels(
    names: Mapping[str, object], width: float, *, height: float = 1.6, common: bool = True
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each name, one below the other."""
    if not names:
        raise InputError("there is no run to draw")
    try:
        import matplotlib as mpl  # noqa: PLC0415 - slow to load, and an extra
        from matplotlib.figure import Figure  # noqa: PLC0415 - as above
    except ImportError as error:
        raise ImportError("compass.plotting needs matplotlib: pip install 'compass-abs[plot]'") from error
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, 0.4 + height * len(names)), layout="constrained")
        panels = figure.subplots(len(names), 1, sharex=common, sharey=common, squeeze=False)
    return figure, [row[0] for row in panels]
