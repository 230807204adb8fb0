"""``{bibtex}``: the entries of ``CITATION.cff`` as BibTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CITATION = Path(__file__).resolve().parents[2] / "CITATION.cff"
KINDS = {"software": "software", "generic": "misc", "conference-paper": "inproceedings"}
FIELDS = {
    "version": "version",
    "date-released": "date",
    "year": "year",
    "collection-title": "booktitle",
    "doi": "doi",
    "url": "url",
}
"""Keys of the Citation File Format and fields of BibTeX."""


def entry(record: dict[str, Any]) -> str:
    """One entry; its key is the first author's family name, or the software's name, with the year or version.

    >>> person = {"family-names": "Zhou", "given-names": "Y."}
    >>> print(entry({"type": "generic", "title": "T", "authors": [person], "year": 2026}))
    @misc{zhou2026,
      author = {Zhou, Y.},
      title = {{T}},
      year = {2026}
    }
    """
    first = record["authors"][0].get("family-names") or record["title"].partition(":")[0]
    key = f"{first}{record.get('year', '')}".lower()
    fields = {"author": " and ".join(map(_name, record["authors"])), "title": f"{{{record['title']}}}"}
    fields |= {field: str(record[key]) for key, field in FIELDS.items() if key in record}
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{KINDS[record['type']]}{{{key},\n{body}\n}}"


def _name(person: dict[str, str]) -> str:
    return f"{{{person['name']}}}" if "name" in person else f"{person['family-names']}, {person['given-names']}"


def entries() -> list[str]:
    """The software, the paper, and what else is referred to."""
    record = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    return [entry(item) for item in (record, record["preferred-citation"], *record.get("references", ()))]


class Bibtex(SphinxDirective):
    """All entries in one block, to be copied."""

    def run(self) -> list[nodes.Node]:
        """A literal block."""
        self.env.note_dependency(str(CITATION))
        text = "\n\n".join(entries())
        return [nodes.literal_block(text, text, language="bibtex")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("bibtex", Bibtex)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
