"""``{dependencies}``: what the package builds on and why, from the comments in ``pyproject.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
_GROUP = re.compile(r"(\w+) = \[")
_ENTRY = re.compile(r'  "([\w-]+)[^"]*", *# (.*)')


def dependencies(text: str) -> Iterator[tuple[str, str, str]]:
    r"""Group, package and reason of every dependency.

    >>> list(dependencies('plot = [\n  "matplotlib>=3.8",  # figures\n]'))
    [('plot', 'matplotlib', 'figures')]
    """
    group = ""
    for line in text.partition("\n[tool.")[0].splitlines():
        if found := _GROUP.match(line):
            group = found[1]
        elif entry := _ENTRY.match(line):
            yield group, entry[1], entry[2]


class Dependencies(SphinxDirective):
    """A list by group."""

    def run(self) -> list[nodes.Node]:
        """The core's own first, then those of the extras and of development."""
        self.env.note_dependency(str(PROJECT))
        found = list(dependencies(PROJECT.read_text(encoding="utf-8")))
        outer = nodes.definition_list()
        for group in dict.fromkeys(group for group, _, _ in found):
            title = "command line" if group == "dependencies" else group
            inner = nodes.bullet_list()
            for _, name, why in (item for item in found if item[0] == group):
                inner += nodes.list_item("", nodes.paragraph("", "", nodes.literal("", name), nodes.Text(f": {why}")))
            outer += nodes.definition_list_item("", nodes.term("", title), nodes.definition("", inner))
        return [outer]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("dependencies", Dependencies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
