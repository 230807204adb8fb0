"""The ledger is well-formed, covers the paper's claims, and is what the README shows."""

import shutil
from pathlib import Path

import pytest

from compass.errors import InputError
from verification.ledger import PROOFS, read_claim, read_ledger, table

ROOT = Path(__file__).resolve().parents[2]
PAPER = {
    "equivalence", "prop-1", "wcc-form", "saturation", "pool-pass", "slotted-pass", "theorem-1", "prop-2", "free-value",
    "free-six", "two-partial", "prop-3", "closed-form", "algorithm-2", "theorem-2",
}  # fmt: skip


def test_every_claim_of_the_paper_is_in_the_ledger():
    assert {claim.id for claim in read_ledger()} >= PAPER


def test_the_readme_shows_the_ledger():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert table(read_ledger()) in readme


def test_every_file_of_a_folder_is_evidence_and_every_evidence_has_its_file():
    for claim in read_ledger():
        named = {item["file"] for item in claim.evidence if "file" in item}
        found = {path.name for path in claim.folder.iterdir() if path.suffix == ".jsonl"}
        assert found == named, claim.name
        obligations = sum(item["files"] for item in claim.evidence if item["kind"] == "smt")
        assert len(list(claim.folder.glob("*.smt2"))) == obligations, claim.name
        assert {path.suffix for path in claim.folder.iterdir()} <= {".toml", ".jsonl", ".smt2"}


def test_verdicts_are_supported_by_the_right_kind_of_evidence():
    kinds = {
        "proved": {"smt", "function"},
        "checked": {"counts", "packings", "function"},
        "refuted": {"trace", "packings"},
        "measured": {"function"},
    }
    for claim in read_ledger():
        assert {item["kind"] for item in claim.evidence} & kinds[claim.verdict], claim.name


@pytest.fixture
def copy(tmp_path):
    """A ledger of one claim, to be damaged."""
    shutil.copy(PROOFS / "schema.json", tmp_path)
    shutil.copytree(PROOFS / "printed-theorem-1", tmp_path / "printed-theorem-1")
    (tmp_path / "claims.txt").write_text("printed-theorem-1\n", encoding="utf-8")
    return tmp_path / "printed-theorem-1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('verdict = "refuted"', 'verdict = "true"', r"\$\.verdict: 'true' is not one of"),
        ('id = "theorem-1"', 'ident = "theorem-1"', "'ident' was unexpected|'id' is a required property"),
        ("nodes = 3", 'nodes = "3"', "is not"),
        ('id = "theorem-1"', "id = ", "claim.toml: Invalid value"),
        ('verdict = "refuted"', 'verdict = "proved"', "proved without evidence of the kind function or smt"),
        ('method = "', 'method = "QF_LIA, ', "the method is QF_LIA, and there is no evidence of the kind smt"),
    ],
)
def test_a_malformed_claim_is_named(copy, old, new, message):
    path = copy / "claim.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_claim(copy)
    assert "printed-theorem-1/claim.toml" in str(error.value)


def test_a_claim_cannot_get_lost(copy):
    assert [claim.name for claim in read_ledger(copy.parent)] == ["printed-theorem-1"]
    (copy.parent / "claims.txt").write_text("printed-theorem-1 another\n", encoding="utf-8")
    with pytest.raises(InputError, match="another: listed, but there is no such folder"):
        read_ledger(copy.parent)
    (copy.parent / "claims.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="printed-theorem-1: not listed"):
        read_ledger(copy.parent)


def test_a_needed_claim_has_to_be_there(copy):
    path = copy / "claim.toml"
    path.write_text('needs = ["absent"]\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match="needs absent, which there is not"):
        read_ledger(copy.parent)


def test_no_ledger_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no claims"):
        read_ledger(tmp_path)
