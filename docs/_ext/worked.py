"""Worked examples: `{console}` sessions that are compared, and `{picture}`s of what a page has computed so far.

A picture is an expression in the names of the page's `{doctest}` blocks above it, so it shows the very values that the
page prints; the blocks are run once more for it. Its value is one SVG text or a list of them.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from docutils import nodes
from execution import ROOT, differences, run_examples, scratch, svg_texts
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

_LOG = logging.getLogger(__name__)
GENERATED = ROOT / "docs" / "_generated"
SVG = "{http://www.w3.org/2000/svg}"


class Console(SphinxDirective):
    """Commands after ``$`` with their output."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A literal block."""
        text = "\n".join(self.content)
        node = nodes.literal_block(text, text, language="console", session=True)
        self.set_source_info(node)
        return [node]


class Picture(SphinxDirective):
    """Python lines, the last of them an expression."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A place for the pictures."""
        node = nodes.container(classes=["pictures"], drawn="\n".join(self.content))
        self.set_source_info(node)
        return [node]


def execute(app: Sphinx, doctree: nodes.document) -> None:
    """Run the page from top to bottom: compare its sessions, draw its pictures."""
    parts = [node for node in doctree.findall(nodes.Element) if _runs(node)]
    if not any("session" in node or "drawn" in node for node in parts):
        return
    for path in (ROOT / "compass").rglob("*.py"):
        app.env.note_dependency(path)  # so that nothing on the page goes stale
    GENERATED.mkdir(exist_ok=True)
    stem = app.env.docname.replace("/", "-")
    names: dict[str, Any] = {}
    with scratch():
        for number, node in enumerate(parts):
            try:
                _run(node, names, f"{stem}-{number}")
            except Exception as error:  # whatever it is, it is the page's fault, and Sphinx can say where
                _LOG.warning("%s: %s", type(error).__name__, error, location=node)


def _run(node: nodes.Element, names: dict[str, Any], stem: str) -> None:
    if "session" in node:
        for difference in differences(node.astext()):
            _LOG.warning("%s", difference, location=node)
    elif "drawn" in node:
        for number, text in enumerate(svg_texts(node["drawn"], names)):
            file = f"{stem}-{number}.svg"
            (GENERATED / file).write_text(text, encoding="utf-8")
            node += nodes.image(uri=f"/_generated/{file}", alt=_alternative(text))
    else:
        run_examples(node.get("test") or node.astext(), names)


def _runs(node: nodes.Element) -> bool:
    return "session" in node or "drawn" in node or node.get("testnodetype") == "doctest"


def _alternative(text: str) -> str:
    root = ET.fromstring(text.encode())
    return str(root.findtext(f"{SVG}desc") or root.findtext(f"{SVG}title"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives; pages are run before Sphinx collects their images."""
    app.add_directive("console", Console)
    app.add_directive("picture", Picture)
    app.connect("doctree-read", execute, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
