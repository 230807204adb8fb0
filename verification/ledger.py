"""The ledger: one folder under ``proofs/`` for each claim, described by its ``claim.toml``.

A claim states its expected verdict and lists the evidence that has to bear it out; ``proofs/schema.json`` says what a
``claim.toml`` may hold. Reading the ledger checks nothing but its form.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from compass.errors import InputError

_HERE = Path(__file__).resolve().parent
PROOFS = next(path for path in (_HERE / "proofs", _HERE.parent / "proofs") if path.is_dir() or path.parent != _HERE)
"""Where the ledger is: beside this package in a checkout, inside of it where it is installed."""

VERDICTS = ("proved", "checked", "refuted", "measured", "open")
"""Proved for all N in scope, checked by exhaustion up to a bound, refuted by a history or packing, measured, open."""


_EVIDENCE = {
    "proved": {"smt", "function"},
    "checked": {"counts", "packings", "function"},
    "refuted": {"trace", "packings"},
    "measured": {"function"},
    "open": {"trace", "smt", "counts", "packings", "function"},
}
"""The kinds of evidence, one of which a verdict must have."""


@dataclass(frozen=True)
class Claim:
    """A claim with its expected verdict; fields as in ``proofs/schema.json``, ``folder`` is where it stands."""

    folder: Path
    id: str
    variant: str
    place: str
    statement: str
    reading: str
    scope: str
    verdict: str
    method: str
    idea: str
    trusted: tuple[str, ...]
    gaps: tuple[str, ...]
    versions: Mapping[str, str]
    evidence: tuple[Mapping[str, Any], ...]
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The folder's name, unique within the ledger."""
        return self.folder.name


@cache
def _schema(proofs: Path) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((proofs / "schema.json").read_text(encoding="utf-8"))
    return schema


def read_claim(folder: Path) -> Claim:
    """The claim of a folder.

    Raises:
        InputError: there is no ``claim.toml``, or it is not of the schema's form; the message names file and field.
    """
    path = folder / "claim.toml"
    try:
        record = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    validator = jsonschema.Draft202012Validator(_schema(folder.parent))
    fault = jsonschema.exceptions.best_match(validator.iter_errors(record))
    if fault is not None:
        raise InputError(f"{path}: {fault.json_path}: {fault.message}")
    for name in ("trusted", "gaps", "evidence", "needs"):
        record[name] = tuple(record.get(name, ()))
    verdict = record["verdict"]
    wanted = _EVIDENCE[verdict]
    fitting = [item for item in record["evidence"] if item["kind"] in wanted]
    if verdict != "open":
        fitting = [item for item in fitting if item.get("supports", verdict) == verdict]
    if not fitting:
        raise InputError(f"{path}: {verdict} without evidence of the kind {' or '.join(sorted(wanted))}")
    if "QF_LIA" in record["method"] and not any(item["kind"] == "smt" for item in record["evidence"]):
        raise InputError(f"{path}: the method is QF_LIA, and there is no evidence of the kind smt")
    fields: dict[str, Any] = {name: v.strip() if isinstance(v, str) else v for name, v in record.items()}
    return Claim(folder=folder, **fields)


def read_ledger(proofs: Path = PROOFS) -> list[Claim]:
    """Every claim, by folder name; ``claims.txt`` lists them, so that none can get lost.

    Raises:
        InputError: a claim is malformed, missing or not listed, or there is no ledger.
    """
    index = proofs / "claims.txt"
    if not index.is_file():
        raise InputError(f"{proofs}: no claims; the ledger comes with a checkout of the project")
    expected = index.read_text(encoding="utf-8").split()
    found = sorted(path.name for path in proofs.iterdir() if path.is_dir())
    for name in sorted(set(expected) ^ set(found)):
        raise InputError(
            f"{index}: {name}: {'listed, but there is no such folder' if name in expected else 'not listed'}"
        )
    claims = [read_claim(proofs / name) for name in found]
    for claim in claims:
        missing = set(claim.needs) - set(found)
        if missing:
            raise InputError(f"{claim.folder}: needs {sorted(missing)[0]}, which there is not")
    return claims


def table(claims: list[Claim]) -> str:
    """The claims as a table in Markdown: what README and the documentation show."""
    order = {verdict: index for index, verdict in enumerate(VERDICTS)}
    rows = ["| claim | variant | verdict | scope | method |", "|---|---|---|---|---|"]
    for claim in sorted(claims, key=lambda c: (c.variant, order[c.verdict], c.id, c.name)):
        link = f"[{claim.id}](proofs/{claim.name})"
        rows.append(f"| {link} | {claim.variant} | {claim.verdict} | {claim.scope} | {claim.method} |")
    return "\n".join(rows) + "\n"


def rewrite(readme: Path) -> bool:
    """Put the table between the marks of a Markdown file; returns whether that changed it."""
    before = readme.read_text(encoding="utf-8")
    start, end = "<!-- ledger: python -m verification.ledger -->\n", "<!-- end of ledger -->"
    head, _, rest = before.partition(start)
    after = head + start + table(read_ledger()) + end + rest.partition(end)[2]
    readme.write_text(after, encoding="utf-8")
    return after != before


if __name__ == "__main__":
    print("README.md rewritten" if rewrite(PROOFS.parent / "README.md") else "README.md is current")
