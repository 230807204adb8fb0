"""Figures over time have the numbers of their runs; matplotlib is loaded when one is drawn."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from compass import InputError
from compass.timeline import Moment, Timeline

pytest.importorskip("matplotlib", reason="figures need the extra compass-abs[plot]")
from compass import plotting

RUNS = {
    "one": Timeline(4, tuple(Moment(t, n, n, s, 8, 2 * t) for t, n, s in ((0, 1, 0), (3600, 3, -2), (7200, 0, 1)))),
    "two": Timeline(8, tuple(Moment(t, n, n, 0, 8, t) for t, n in ((0, 0), (7200, 2)))),
}


def test_sif_over_time_draws_what_was_measured():
    figure = plotting.sif_over_time(RUNS)
    first, second = figure.axes
    (line,) = first.lines
    assert list(line.get_xdata()) == [0, 1, 2]
    assert list(line.get_ydata()) == [0.25, 0.75, 0]
    assert line.get_drawstyle() == "steps-post"
    assert [(patch.get_x(), patch.get_width()) for patch in first.patches] == [(1, 1)]
    assert not second.patches
    assert list(second.lines[0].get_ydata()) == [0, 0.25]
    assert line.get_linestyle() != second.lines[0].get_linestyle()
    assert first.get_title("left") == "one: mean 0.5000, at most 3 of 4 nodes"
    assert list(plotting.sif_over_time(RUNS, hours=False).axes[0].lines[0].get_xdata()) == [0, 3600, 7200]


def test_compare_draws_a_bar_a_scheduler():
    sif, most, moves = plotting.compare(RUNS).axes
    assert [bar.get_width() for bar in sif.patches] == [0.5, 0]
    assert [bar.get_width() for bar in most.patches] == [3, 2]
    assert [bar.get_width() for bar in moves.patches] == [14400, 7200]
    assert [label.get_text() for label in sif.get_yticklabels()] == ["one", "two"]
    assert [text.get_text() for text in sif.texts] == ["0.5000", "0.0000"]


def test_svg_is_deterministic_and_follows_the_scheme():
    picture = plotting.svg_text(plotting.sif_over_time(RUNS), "SIF & time")
    assert picture == plotting.svg_text(plotting.sif_over_time(RUNS), "SIF & time")
    root = ET.fromstring(picture.encode())
    assert root.get("role") == "img"
    assert next(element.text for element in root.iter() if element.tag.endswith("}title")) == "SIF & time"
    # Every colour that stands in the picture has its rule for the dark scheme.
    drawn = re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", picture)
    assert set(drawn) <= plotting.DARK.keys()
    assert all(f'{light}"]{{fill:{dark} !important}}' in picture for light, dark in plotting.DARK.items())


@pytest.mark.parametrize("draw", [plotting.sif_over_time, plotting.compare])
def test_no_run_is_no_figure(draw):
    with pytest.raises(InputError, match="no run"):
        draw({})


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'compass-abs\[plot\]'"):
        plotting.sif_over_time(RUNS)


def test_importing_it_loads_no_matplotlib():
    code = "import sys, compass.plotting; print('matplotlib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("draw", [plotting.sif_over_time, plotting.compare])
def test_a_name_is_no_formula(draw):
    text = plotting.svg_text(draw({"$x_$": RUNS["one"]}), "a & b <c>")
    assert "$x_$" in "".join(ET.fromstring(text.encode()).itertext())
