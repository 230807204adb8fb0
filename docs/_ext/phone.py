"""Tables and pseudocode on a narrow screen (compass.css).

Each cell of a wide table with prose in it knows the title of its column, so that a row can be shown as a list; other
wide tables are there to compare rows, and are scrolled sideways beside their first column. Each line of code of the
porting guide knows its indentation, so that it goes on below itself instead of out of the page.
"""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

WIDE = 4
"""Tables of fewer columns fit as they are."""
FEW = 8
"""Tables of more rows are never shown as lists."""
PROSE = 60
"""A cell with more characters is prose."""


def labelled(body: str) -> str:
    """The HTML of a page with its wide tables marked: ``wide`` and a ``data-label`` in every cell, or ``scrolled``.

    >>> labelled("<table><tr><th>N</th></tr></table>")
    '<table><tr><th>N</th></tr></table>'
    """
    page = BeautifulSoup(body, "html.parser")
    for table in page.find_all("table"):
        titles = [cell.get_text(" ", strip=True) for cell in table.select("thead tr:last-child th")]
        if len(titles) >= WIDE:
            rows = table.select("tbody tr")
            prose = any(len(cell.get_text()) > PROSE for cell in table.select("tbody td"))
            lists = prose and len(rows) <= FEW
            table["class"] = [*table.get_attribute_list("class"), "wide" if lists else "scrolled"]
            for row in rows if lists else []:
                for title, cell in zip(titles, row.find_all(["td", "th"], recursive=False), strict=False):
                    cell["data-label"] = title
    return str(page)


def indented(body: str) -> str:
    """The HTML of a page with an element around every line of its code, which has the line's indentation."""
    page = BeautifulSoup(body, "html.parser")
    for code in page.select("div.highlight pre"):
        lines = code.decode_contents().removesuffix("\n").split("\n")  # Pygments closes its elements in their line
        code.clear()
        for line in lines:
            element = BeautifulSoup(f'<span class="line">{line}\n</span>', "html.parser").span
            assert element, "it was just made"
            text = element.get_text()
            if indent := len(text) - len(text.lstrip(" ")):
                element["style"] = f"--in: {indent}ch"
            code.append(element)
    return str(page)


def _page(_app: Sphinx, name: str, _template: str, context: dict[str, Any], _doctree: Tag | None) -> None:
    if "<table" in context.get("body", ""):
        context["body"] = labelled(context["body"])
    if name.startswith("porting/"):
        context["body"] = indented(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Change pages before they are written."""
    app.connect("html-page-context", _page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
