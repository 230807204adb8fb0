"""``{messages}``: the error messages of the package, read from its source, so that the list cannot be out of date."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from api import modules
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import verification

KINDS = {
    "InputError": "InputError",
    "input_error": "InputError",
    "error": "InputError",
    "BadParameter": "InputError",
    "UsageError": "InputError",
    "NeverFits": "NeverFits",
    "DoesNotFitNow": "DoesNotFitNow",
    "NoLegalDestination": "NoLegalDestination",
    "InvariantViolated": "InvariantViolated",
    "CompassError": "CompassError",
}
"""What is raised, and the exception it is (or the command line's equivalent of it)."""


class Message(NamedTuple):
    """One message: the module, the exception and the text with its variable parts in angle brackets."""

    module: str
    kind: str
    text: str


@cache
def messages() -> tuple[Message, ...]:
    """All of them, by module."""
    return tuple(_found())


def _found() -> Iterator[Message]:
    for name in (
        *modules(),
        *(f"verification.{module.name}" for module in pkgutil.iter_modules(verification.__path__)),
    ):
        for node in ast.walk(ast.parse(inspect.getsource(importlib.import_module(name)))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                called = ast.unparse(node.exc.func).rpartition(".")[2]
                texts = [text for text in map(template, node.exc.args) if text]
                if called in KINDS and texts:
                    yield Message(name, KINDS[called], texts[-1])


def template(node: ast.expr) -> str | None:
    """The text of a string, with what is filled in as ``<name>``; None where it is no string.

    >>> template(ast.parse("f'{gpus!r} GPUs: ' 'too many'", mode="eval").body)
    '<gpus> GPUs: too many'
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            f"<{_short(part.value)}>" if isinstance(part, ast.FormattedValue) else template(part) or ""
            for part in node.values
        )
    return None


def _short(value: ast.expr) -> str:
    """The last name of an expression: ``self.capacity`` is *capacity*, ``quoted(key)`` is *key*."""
    names = [n for n in ast.walk(value) if isinstance(n, ast.Name | ast.Attribute)]
    if isinstance(value, ast.Call) and value.args:
        return _short(value.args[0])
    if not names:
        return "..."
    return names[0].attr if isinstance(names[0], ast.Attribute) else names[0].id


class Messages(SphinxDirective):
    """A list for each module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The messages of one kind."""
        found = [message for message in messages() if message.kind == self.arguments[0]]
        shown: list[nodes.Node] = []
        for module in dict.fromkeys(message.module for message in found):
            items = nodes.bullet_list(classes=["messages"])
            for text in dict.fromkeys(message.text for message in found if message.module == module):
                items += nodes.list_item("", nodes.paragraph("", "", nodes.literal(text, text)))
            title = nodes.paragraph("", "")
            title += nodes.strong("", module)
            shown += [title, items]
        return shown


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("messages", Messages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
