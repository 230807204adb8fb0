"""Counterexamples are played from the ledger, each breaks its claim, and the documentation shows every one."""

from __future__ import annotations

import shutil

import pytest

from compass import InputError
from verification import counterexamples
from verification.counterexamples import counterexample, multiset, packings
from verification.ledger import PROOFS, read_ledger
from verification.packings import outcomes

REFUTED = [(claim, item) for claim in read_ledger() if claim.verdict == "refuted" for item in claim.evidence]
HISTORIES = [(claim, item) for claim, item in REFUTED if item["kind"] == "trace"]
MULTISETS = [(claim, item) for claim, item in REFUTED if item["kind"] == "packings"]


@pytest.mark.parametrize(("claim", "item"), HISTORIES, ids=lambda value: getattr(value, "name", ""))
def test_every_history_is_told_to_its_end(claim, item):
    played = counterexample(claim.name, item["file"])
    assert played.reason == item["reason"]
    assert len(played.frames) == len(played.events) == item["events"]
    assert str(played).splitlines()[-1] == item["reason"]
    for frames, following in zip(played.frames, played.frames[1:], strict=False):
        assert [node.load for node in frames[-1].snapshot.nodes] == [node.load for node in following[0].snapshot.nodes]
    if "partial" in item["predicate"]:
        assert f"{played.frames[-1][-1].snapshot.partial_nodes} partial nodes" in played.reason


@pytest.mark.parametrize(("claim", "item"), MULTISETS, ids=lambda value: getattr(value, "name", ""))
def test_every_multiset_breaks_its_statement(claim, item):
    assert multiset(claim.name, item["statement"]) == (tuple(item["sizes"]), item["reason"])


@pytest.mark.parametrize("sizes", [(), (8,), (4, 4, 1), (5, 3, 2, 2, 1), (6, 2, 2, 1, 1)])
def test_packings_are_all(sizes):
    found = {(len(packing.nodes), packing.partial_nodes) for packing in packings(sizes)}
    assert found == outcomes(sizes, 8)


def test_what_breaks_nothing_is_refused(tmp_path, monkeypatch):
    shutil.copytree(PROOFS, tmp_path / "proofs", ignore=shutil.ignore_patterns("*.smt2"))
    monkeypatch.setattr(counterexamples, "PROOFS", tmp_path / "proofs")
    folder = tmp_path / "proofs" / "printed-theorem-1"
    (folder / "trace.jsonl").write_text('{"event": "arrive", "job": "a", "gpus": 1}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"printed-theorem-1: trace\.jsonl does not break the claim"):
        counterexample("printed-theorem-1")
    claim = tmp_path / "proofs" / "equivalence" / "claim.toml"
    claim.write_text(claim.read_text(encoding="utf-8").replace("[4, 4, 1]", "[4, 4]"), encoding="utf-8")
    with pytest.raises(InputError, match=r"equivalence: \(4, 4\) do not break equivalence"):
        multiset("equivalence")
    with pytest.raises(InputError, match=r"no evidence 'other\.jsonl'"):
        counterexample("printed-theorem-1", "other.jsonl")


def test_the_documentation_shows_every_refuted_claim():
    page = (PROOFS.parent / "docs" / "examples" / "counterexamples.md").read_text(encoding="utf-8")
    for claim in {claim.name for claim, _ in REFUTED}:
        assert f'("{claim}"' in page, claim


def test_frames_move_what_the_scheduler_moves():
    last = counterexample("printed-at-most-three").frames[-1]
    assert [frame.mark is not None for frame in last] == [False, False, True]
