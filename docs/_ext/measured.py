"""Results on the pages, computed from tables ``*.csv`` (:mod:`results`).

* ``{measured}`EXPRESSION | FORMAT``` is a number; ``{measured} TABLE`` a table, with the options ``where`` and ``sort``
  and a line ``TITLE = EXPRESSION | FORMAT`` a column;
* ``{guard}`` shows nothing: each of its lines is an expression that has to hold, a statement of the prose beside it;
* ``{let}`` shows nothing: each of its lines ``NAME = EXPRESSION`` adds a name to the rest of the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import results
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

_LOG = logging.getLogger(__name__)


def names_of(env: BuildEnvironment) -> dict[str, Any]:
    """What the page that is read can speak of; it is read again when one of the tables changes."""
    if "measured" not in env.temp_data:
        page = Path(env.doc2path(env.docname))
        for path in [*page.parent.glob("*.csv"), *results.RECORDS.glob("*.csv")]:
            env.note_dependency(str(path))
        env.temp_data["measured"] = dict(results.tables_for(page))
    names: dict[str, Any] = env.temp_data["measured"]
    return names


class Measured(SphinxRole):
    """A number."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Its text."""
        try:
            text = results.shown(self.text, names_of(self.env))
        except Exception as error:  # whatever it is, it is the page's fault, and Sphinx can say where
            _LOG.warning("%s: %s: %s", self.text, type(error).__name__, error, location=self.get_location())
            text = results.DASH
        return [nodes.Text(text)], []


class MeasuredTable(SphinxDirective):
    """A table."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"where": directives.unchanged, "sort": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """The table, from Markdown."""
        holder = nodes.container(classes=["results"])
        try:
            wanted = results.Wanted.of(self.arguments[0], self.content, **self.options)
            lines = results.markdown(wanted, names_of(self.env))
        except Exception as error:  # as above
            _LOG.warning("%s: %s: %s", self.arguments[0], type(error).__name__, error, location=self.get_location())
            return []
        self.state.nested_parse(StringList(lines, "results"), 0, holder)
        return [holder]


class Guard(SphinxDirective):
    """Statements that have to hold."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Nothing."""
        names = names_of(self.env)
        for line in results.statements(self.content):
            try:
                found = results.value(line, names)
            except Exception as error:  # as above
                found = f"{type(error).__name__}: {error}"
            if found is not True:
                _LOG.warning("does not hold: %s: %s", line, found, location=self.get_location())
        return []


class Let(SphinxDirective):
    """Names for the rest of the page."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Nothing."""
        for line in results.statements(self.content):
            try:
                results.define(line, names_of(self.env))
            except Exception as error:  # as above
                _LOG.warning("%s: %s: %s", line, type(error).__name__, error, location=self.get_location())
        return []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register role and directives."""
    app.add_role("measured", Measured())
    app.add_directive("measured", MeasuredTable)
    app.add_directive("guard", Guard)
    app.add_directive("let", Let)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
