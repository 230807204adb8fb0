"""Tables on a phone: each cell knows the title of its column, so that a row can be shown as a list (compass.css)."""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

WIDE = 4
"""Tables of fewer columns fit as they are."""


def labelled(body: str) -> str:
    """The HTML of a page with a ``data-label`` in every cell of its wide tables.

    >>> labelled("<table><tr><th>N</th></tr></table>")
    '<table><tr><th>N</th></tr></table>'
    """
    page = BeautifulSoup(body, "html.parser")
    for table in page.find_all("table"):
        titles = [cell.get_text(" ", strip=True) for cell in table.select("thead tr:last-child th")]
        if len(titles) >= WIDE:
            table["class"] = [*table.get_attribute_list("class"), "wide"]
            for row in table.select("tbody tr"):
                for title, cell in zip(titles, row.find_all(["td", "th"], recursive=False), strict=False):
                    cell["data-label"] = title
    return str(page)


def _page(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Tag | None) -> None:
    if "<table" in context.get("body", ""):
        context["body"] = labelled(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Change pages before they are written."""
    app.connect("html-page-context", _page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
