"""Pages of the documentation are run, and what they show wrongly is found."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from compass import Snapshot, sif
from compass.picture import draw_svg

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def execution():
    spec = importlib.util.spec_from_file_location("execution", ROOT / "docs" / "_ext" / "execution.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PHI = """\
$ compass phi \\
      --counts 4:2,2:1
total demand             10 GPUs
fewest partial nodes     1
...
"""


PAGE = """\
>>> from compass import Snapshot
>>> nodes = Snapshot.of([[4], [4]])
>>> 1 / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero
"""


def test_a_session_that_shows_what_is_printed(execution):
    assert list(execution.sessions(PHI)) == [("compass phi --counts 4:2,2:1", PHI.partition(",2:1\n")[2])]
    assert list(execution.differences(PHI)) == []
    assert list(execution.sessions("no command")) == []


@pytest.mark.parametrize(("before", "after"), [("10 GPUs", "11 GPUs"), ("...\n", ""), ("4:2", "4:x")])
def test_a_session_that_shows_something_else(execution, before, after):
    (difference,) = execution.differences(PHI.replace(before, after))
    assert "and it prints" in difference


def test_programs_files_and_streams(execution):
    here = Path.cwd()
    with execution.scratch() as folder:
        assert execution.output_of("compass generate --jobs 3 > day.csv") == ""
        assert execution.output_of("cat day.csv") == (folder / "day.csv").read_text(encoding="utf-8")
        assert execution.output_of("python examples/first_fit.py examples/tiny-trace.csv 3").startswith("FirstFit")
        assert execution.output_of("compass sif missing").startswith("compass: missing: No such file")
        with pytest.raises(ValueError, match="no such program"):
            execution.output_of("rm day.csv")
    assert Path.cwd() == here
    assert not os.path.exists(folder)


def test_pictures_show_what_the_page_has_computed(execution):
    names = {}
    execution.run_examples(PAGE, names)
    assert sif(names["nodes"]).sif == 1
    assert execution.svg_texts("from compass.picture import draw_svg\ndraw_svg(\n    nodes)", names) == [
        draw_svg(Snapshot.of([[4], [4]]))
    ]
    assert execution.svg_texts("['a', 'b']", names) == ["a", "b"]
    with pytest.raises(ZeroDivisionError):
        execution.run_examples(">>> 1 / 0\n", names)
