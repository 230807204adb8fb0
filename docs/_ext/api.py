"""The reference of the Python names: complete, and linked by the short names that docstrings use."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import pkgutil
from collections.abc import Iterable, Iterator

import click
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext import autosummary
from sphinx.util import logging

import compass
from compass.cli import cli

_LOG = logging.getLogger(__name__)
autosummary.WELL_KNOWN_ABBREVIATIONS = (*autosummary.WELL_KNOWN_ABBREVIATIONS, "eq.")  # "(eq. 3)" ends no sentence


def modules() -> Iterator[str]:
    """Every module of `compass`, and of the packages in it."""
    yield "compass"
    for module in pkgutil.walk_packages(compass.__path__, "compass."):
        if not module.name.endswith("__main__"):
            yield module.name


def public_names() -> Iterator[str]:
    """The inventory: documented constants, classes, functions, methods and properties, where they are defined."""
    for name in modules():
        yield name
        module = importlib.import_module(name)
        yield from (f"{name}.{constant}" for constant in _constants(inspect.getsource(module)))
        for key, value in vars(module).items():
            if key.startswith("_") or getattr(value, "__module__", None) != name:
                continue
            if inspect.isclass(value) or inspect.isroutine(value):
                yield f"{name}.{key}"
            if inspect.isclass(value):
                yield from (f"{name}.{key}.{member}" for member in _members(value))


def _constants(source: str) -> Iterator[str]:
    """Names that a module assigns and documents."""
    for node, following in itertools.pairwise(ast.parse(source).body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(following, ast.Expr):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name) and name.id[0] != "_")


def _members(owner: type) -> Iterator[str]:
    for key, value in vars(owner).items():
        callable_ = inspect.isroutine(value) or isinstance(value, property | classmethod | staticmethod)
        if not key.startswith("_") and callable_ and getattr(value, "__doc__", None):
            yield key


def missing(documented: Iterable[str]) -> list[str]:
    """The public names that have no entry."""
    return sorted(set(public_names()) - set(documented))


def _check(_: Sphinx, env: BuildEnvironment) -> None:
    for name in missing(env.get_domain("py").objects):
        _LOG.warning("public, but not in the reference: %s", name)


class PublicNames(autosummary.Autosummary):
    """The names that ``import compass`` gives, each linked to where it is defined."""

    def run(self) -> list[nodes.Node]:
        """As in the base class, with the names from ``compass.__all__``."""
        values = [getattr(compass, name) for name in compass.__all__]
        self.content.data = [f"~{value.__module__}.{value.__qualname__}" for value in values]
        self.content.items = [(__file__, 0)] * len(values)
        return super().run()


def _short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Element | None:
    """Resolve ``Composition`` or ``compass.Composition`` to the name of the reference that ends so, if there is one."""
    if node["refdomain"] != "py":
        return None
    target = node["reftarget"].rpartition(".")[2]
    domain = env.get_domain("py")
    found = [name for name in domain.objects if name.endswith(f".{target}")]
    if len(found) != 1:
        return None
    node["reftarget"], node["refspecific"], node["reftype"] = found[0], False, "obj"
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, content)


def _whole_sentences(_app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Keep napoleon from reading "Room: free GPUs" of an attribute as "of the type Room"."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # a comment without text


def _notes(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Add the notes that a command prints below its options, as a list."""
    for title, rows in getattr(context.command, "notes", ()):
        lines += ["", f"*{title}*", ""]
        lines += [f"- ``{name}``: {text}" for name, text in rows]


def _dashes(_app: Sphinx, doctree: nodes.document) -> None:
    """Between a parameter and what it is Sphinx writes two hyphens, which it makes a dash where options lose theirs."""
    for text in list(doctree.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" \N{EN DASH} "))


def _all_commands(_: Sphinx) -> None:
    """Make the commands that entry points add, such as `check`, ordinary ones: sphinx-click only knows those."""
    context = click.Context(cli)
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    cli.commands = {name: command for name, command in found.items() if command is not None}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the hooks."""
    app.add_directive("public-names", PublicNames)
    app.connect("autodoc-process-docstring", _whole_sentences, priority=400)
    app.connect("builder-inited", _all_commands)
    app.connect("doctree-read", _dashes)
    app.connect("sphinx-click-process-epilog", _notes)
    app.connect("missing-reference", _short_name)
    app.connect("env-check-consistency", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
