"""Claims on the pages: statement, verdict, scope and evidence as the ledger under ``proofs/`` has them.

* ``{ledger}`` is the table of all claims, ``{claim} FOLDER`` one of them with its counterexample played again;
* ``{proof}`FOLDER/NAME``` links to the query ``proofs/FOLDER/g8-NAME.smt2``, or to any file of ``proofs/`` by its path.

The folder ``proofs/`` is copied beside the pages, so that a reader has every file.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxDirective, SphinxRole

from compass.draw import draw
from compass.errors import CompassError
from compass.event_io import read_events
from compass.events import Arrive, Event
from compass.scheduler import apply_event
from verification.evidence import chosen_readings, scheduler_of
from verification.ledger import PROOFS, Claim, read_ledger, table

_SIGNS = {
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    r"\bPhi\*": "Φ*",
    r"\bnu\b": "ν",
    r"\bdelta\b": "δ",
    r"\bn1\b": "n₁",
    r"\bSigma\b": "Σ",
}


def typeset(text: str) -> str:
    """A text of the ledger with the signs that formulas have.

    >>> typeset("nu <= 1 + max(1, delta), Phi* = 0")
    'ν ≤ 1 + max(1, δ), Φ* = 0'
    """
    for plain, sign in _SIGNS.items():
        text = re.sub(plain, sign, text)
    return " ".join(text.split())


@cache
def claims() -> dict[str, Claim]:
    """The ledger by folder."""
    return {claim.name: claim for claim in read_ledger()}


def proof_file(target: str) -> Path:
    """The file that a ``{proof}`` role names.

    Raises:
        SphinxError: there is none.
    """
    folder, _, name = target.partition("/")
    for path in (PROOFS / folder / f"g8-{name}.smt2", PROOFS / target):
        if path.exists() and name:
            return path
    raise SphinxError(f"proofs/ has no {target}")


def _uri(document: str, path: Path) -> str:
    return "../" * document.count("/") + "proofs/" + path.relative_to(PROOFS).as_posix()


class Proof(SphinxRole):
    """A link to a file of evidence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The link; its text is the target without the folder's suffixes."""
        path = proof_file(self.text)
        name = nodes.literal("", self.text, classes=["proof"])
        return [nodes.reference("", "", name, refuri=_uri(self.env.docname, path))], []


class Ledger(SphinxDirective):
    """The table of the ledger, each claim linked to where these pages treat it."""

    def run(self) -> list[nodes.Node]:
        """The same table as in the README, with other links."""
        text = table([*claims().values()]).replace("](proofs/", "](#claim-")
        holder = nodes.container(classes=["ledger"])
        self.state.nested_parse(StringList(typeset_lines(text), "ledger"), 0, holder)
        return [holder]


def typeset_lines(text: str) -> list[str]:
    """:func:`typeset` line by line."""
    return [typeset(line) for line in text.splitlines()]


class ShownClaim(SphinxDirective):
    """One claim."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """A box with everything the ledger says about it."""
        name = self.arguments[0]
        if name not in claims():
            raise SphinxError(f"the ledger has no {name}")
        claim = claims()[name]
        self.env.note_dependency(str(claim.folder / "claim.toml"))
        box = nodes.container(classes=["claim", f"verdict-{claim.verdict}"], names=[f"claim-{name}"])
        self.state.document.note_explicit_target(box)
        head = nodes.paragraph(classes=["claim-head"])
        head += nodes.strong("", claim.id)
        head += nodes.Text("" if claim.variant == "any" else f" \N{MIDDLE DOT} {claim.variant}")
        head += nodes.inline("", claim.verdict, classes=["verdict"])
        statement = nodes.paragraph("", typeset(claim.statement), classes=["claim-statement"])
        box += [head, statement, nodes.paragraph("", typeset(claim.idea))]
        for item in claim.evidence:
            box += [*self._evidence(claim, item)]
        box += _fields({"scope": claim.scope, "method": claim.method, "place": claim.place})
        if claim.reading != "-":
            box += _fields({"reading": claim.reading})
        box += nodes.raw("", "<details><summary>trusted, not covered, files</summary>", format="html")
        box += _fields({"trusted": "; ".join(claim.trusted), "not covered": "; ".join(claim.gaps)})
        box += [self._files(claim), nodes.raw("", "</details>", format="html")]
        return [box]

    def _files(self, claim: Claim) -> nodes.Node:
        files = nodes.paragraph()
        for path in sorted(claim.folder.iterdir()):
            if path.suffix != ".smt2":
                name = nodes.literal("", f"{claim.name}/{path.name}")
                files += [nodes.reference("", "", name, refuri=_uri(self.env.docname, path)), nodes.Text(" ")]
        number = len(list(claim.folder.glob("*.smt2")))
        if number:
            files += nodes.Text(f"and {number} queries beside it")
        return nodes.field_list("", _field("files", files))

    def _evidence(self, claim: Claim, item: Mapping[str, Any]) -> Iterator[nodes.Node]:
        if item["kind"] == "packings" and "sizes" in item:
            sizes = ", ".join(map(str, item["sizes"]))
            yield nodes.paragraph("", f"Instances of {sizes} GPUs: {typeset(item['reason'])}.")
        if item["kind"] == "trace" and item is next(i for i in claim.evidence if i["kind"] == "trace"):
            text = "\n".join(replay(claim, item))
            where = f"{item['nodes']} node{'s' if item['nodes'] > 1 else ''}"
            where += f", readings with {', '.join(item['readings'])}" if item.get("readings") else ""
            reason = typeset(item["reason"]).partition(" under refill=")[0]
            yield nodes.paragraph("", f"Counterexample on {where}: {reason}.")
            yield nodes.literal_block(text, text, language="none", classes=["drawing"])


def _fields(rows: Mapping[str, str]) -> nodes.field_list:
    shown = (_field(label, nodes.paragraph("", typeset(text))) for label, text in rows.items() if text)
    return nodes.field_list("", *shown)


def _field(label: str, body: nodes.Node) -> nodes.field:
    return nodes.field("", nodes.field_name("", label), nodes.field_body("", body))


def replay(claim: Claim, item: Mapping[str, Any], most_states: int = 4) -> Iterator[str]:
    """A recorded history under its first reading: the events, and the nodes after each of the last ones."""
    events = [event for _, event in read_events(str(claim.folder / item["file"]))]
    scheduler = scheduler_of(claim, item, chosen_readings(claim, item)[0])
    for number, event in enumerate(events):
        yield f"{number + 1}. {in_words(event)}"
        try:
            admitted = apply_event(scheduler, event).admitted
        except CompassError:
            yield "   cannot be carried out"
            return
        if not admitted:
            yield "   waits"
        elif number >= len(events) - most_states:
            yield from (f"   {line}" for line in draw(scheduler.snapshot()))


def in_words(event: Event) -> str:
    """An event as a line."""
    if isinstance(event, Arrive):
        several = f"{event.instances} instances of " if event.instances > 1 else ""
        return f"job {event.job} arrives: {several}{event.gpus} GPU{'s' if event.gpus > 1 else ''}"
    return f"job {event.job} departs"


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        shutil.copytree(PROOFS, Path(app.outdir) / "proofs", dirs_exist_ok=True)


def _rest(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Claims that no page treats are shown below the table, so that none is missing."""
    if docname == "theory/claims":
        pages = "".join(path.read_text(encoding="utf-8") for path in (PROOFS.parent / "docs").rglob("*.md"))
        rest = [name for name in claims() if f"{{claim}} {name}\n" not in pages]
        source[0] += "".join(f"\n```{{claim}} {name}\n```\n" for name in rest)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register directives and role."""
    app.add_directive("ledger", Ledger)
    app.add_directive("claim", ShownClaim)
    app.add_role("proof", Proof())
    app.connect("build-finished", _copy)
    app.connect("source-read", _rest)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
