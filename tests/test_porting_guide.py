"""The porting guide: its examples are what the code does."""

import json
import re
from itertools import pairwise
from pathlib import Path

from compass.conformance.judge import ExactJudge
from compass.conformance.lines import EventLine
from compass.conformance.settings import PLACEHOLDERS, Settings
from compass.discipline import unified_discipline
from compass.geometry import Geometry
from compass.plans import PlanTable
from compass.readings import VALUES
from compass.shapes import shape_table

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "porting"


def text_of(page):
    return (GUIDE / page).read_text(encoding="utf-8")


def test_the_first_session_is_what_unified_decides():
    (block,) = re.findall(r"\{code-block\} json\n:class: session\n(.*?)```", text_of("index.md"), re.DOTALL)
    lines = block.splitlines()
    judge = ExactJudge(Settings("unified", 3))
    assert len(lines) == 14
    for event, decision in zip(lines[::2], lines[1::2], strict=True):
        line = EventLine.of(event, 8)
        assert judge.ending(line) is None
        judge.check(line, decision)


def test_shapes_are_numbered_as_the_guide_says():
    for geometry, number in ((Geometry(2), 4), (Geometry(4), 12), (Geometry(8), 62), (Geometry(16), 713)):
        ascending = [sorted(shape.sizes) for shape in shape_table(geometry)]
        assert len(ascending) == number
        assert all((len(one), one) < (len(two), two) for one, two in pairwise(ascending))
    shown = re.findall(r"\{([1,2-8]+)\}", re.search(r"9\.\. are (.*?) \.\.\.", text_of("algorithm-model.md"), re.S)[1])
    listed = [sorted(shape.sizes) for shape in shape_table(Geometry())][9 : 9 + len(shown)]
    assert [[int(g) for g in sizes.split(",")] for sizes in shown] == listed


def test_the_plans_shown():
    plans = PlanTable(unified_discipline(Geometry()))
    of = plans.discipline.table.of
    rows = re.findall(
        r"^\| \{([\d,]*)\} \| \{([\d,]*)\} \| (\S+) \| (.*) \| (\d) \| (.*) \|$", text_of("algorithm-plans.md"), re.M
    )
    assert len(rows) >= 2
    for first, second, arriving, steps, moves, result in rows:
        shapes = [of([int(g) for g in sizes.split(",") if g]) for sizes in (first, second)]
        plan = plans.plan(*shapes, 0 if arriving == "-" else int(arriving))
        words = [f"install on {s.source}" if s.install else f"move {s.gpus} from {s.source}" for s in plan.steps]
        assert (", ".join(words), str(plan.moves)) == (steps, moves)
        assert " ".join("{" + ",".join(map(str, shape.sizes)) + "}" for shape in plan.result) == result


def test_every_reading_and_placeholder_is_named():
    page = text_of("algorithm-printed.md")
    for name, values in VALUES.items():
        (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", page, re.MULTILINE)
        assert [cell.split("`")[1] for cell in row.split(" | ")] == list(values)
    for name in PLACEHOLDERS:
        assert f"`{{{name}}}`" in text_of("index.md")


def test_json_shown_is_json():
    pages = [text_of(page.name) for page in sorted(GUIDE.glob("*.md"))]
    blocks = [block for page in pages for block in re.findall(r"^```json\n(.*?)^```", page, re.DOTALL | re.MULTILINE)]
    assert blocks
    for line in "".join(blocks).splitlines():
        assert json.loads(line)
