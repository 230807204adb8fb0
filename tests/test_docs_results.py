"""What the pages say of measured results follows from the tables beside them, and where it does not it is found."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "{measured}" in page.read_text(encoding="utf-8")]

spec = importlib.util.spec_from_file_location("results", ROOT / "docs" / "_ext" / "results.py")
results = importlib.util.module_from_spec(spec)
spec.loader.exec_module(results)

TABLE = "scheduler,eta,ajct,note\nbest-fit,0.90,15148,\nideal,0.90,12012,bound\n"
PAGE = """\
```{let}
sizes = t.where(
  eta=0.9)
```

The ideal is {measured}`t.one(scheduler="best-fit").ajct / t.one(scheduler="ideal").ajct - 1 | .1%` below best-fit.

```{guard}
t.one(scheduler="ideal").ajct == min(row.ajct for row in t)

len(sizes) == 2
```

```{measured} t
:where: eta == 0.9
:sort: ajct
scheduler = scheduler
AJCT (s) = ajct | ,.0f
note = note
```
"""


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    return results.load(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_number_and_statement_of_a_page_follows_from_its_tables(page):
    assert list(results.problems(page.read_text(encoding="utf-8"), results.tables_for(page))) == []


def test_a_page_by_hand(tables):
    parts = results.parts_of(PAGE)
    assert (len(parts.numbers), len(parts.guards), len(parts.tables)) == (1, 2, 1)
    assert results.shown(parts.numbers[0], tables) == "26.1%"  # 15,148 / 12,012 = 1.2611
    assert results.markdown(parts.tables[0], tables)[2:] == ["| ideal | 12,012 | bound |", "| best-fit | 15,148 | – |"]
    assert list(results.problems(PAGE, tables)) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("12012", "15149", "statement t.one.*: False"),
        ("best-fit,", "worst-fit,", "number .*LookupError: 0 rows"),
        ("eta", "share", "name sizes = .*AttributeError: there is no column 'eta'"),
        ("ajct", "time", "table .*NameError: name 'ajct'"),
        ("0.90", "0.95", "table .*LookupError: t: no row where eta == 0.9"),
    ],
)
def test_a_changed_table_is_noticed(tmp_path, before, after, message):
    (tmp_path / "t.csv").write_text(TABLE.replace(before, after), encoding="utf-8")
    found = list(results.problems(PAGE, results.load(tmp_path)))
    assert any(re.match(message, problem) for problem in found), found


def test_examples_in_its_docstrings():
    assert doctest.testmod(results).failed == 0
