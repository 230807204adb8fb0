"""The conformance vectors: still what the code decides, and still covering everything."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compass.readings import VALUES

FOLDER = Path(__file__).resolve().parent / "vectors"
sys.path.insert(0, str(FOLDER))

import candidates  # noqa: E402
import make  # noqa: E402
import slips  # noqa: E402

STORED = make.stored()
VECTORS = {name: candidates.of_name(name) for name in STORED}

NOT_DECIDING = {
    # what reads, checks or loads a state
    "Board.contents", "Board.recount", "Board.recount_nodes", "Composition.__init__", "wcc_shares",
    "LiveState.check", "LiveState.check_changes", "LiveState.load", "LiveState._check_derived", "Printed.check",
    "Printed.check_changes", "Printed.from_state", "Repaired.partial_bound", "SettledScheduler.check",
    "SettledScheduler.check_changes", "SettledScheduler.load", "SettledScheduler._check_settled",
    "SettledScheduler._jobs_of", "Unified.partial_bound",
    # clusters without bound, and arguments no port is started with
    "LiveState.grow", "unified_discipline",
}  # fmt: skip
"""Functions that no decision on a cluster of N nodes depends on."""

NOT_BY_EVENTS = {
    "if plan is not None: -> for pair in self._pairs():": "any two nodes that are open at once can be merged",
    "if key not in self._exchanges: -> return self._exchanges[key]": "a memory of what was searched, decides nothing",
    "while heap: -> if aside and heap is not None:": "a node is only looked for where there is one",
    "if self.nodes is None: -> return True": "a cluster without bound",
    "if self.nodes is None: -> return state.nodes[state.empty.first] if state.empty else state.grow()": "the same",
}
"""Further branches that no event reaches, with the reason; those that only raise InvariantViolated beside them."""

NEVER_MATTERS = {"pool"}
"""Readings that make no difference to events: when a 1-GPU instance needs a pool node, at most one has room, since
Compact leaves no two such nodes (lemma A.3) and no operator that needs one opens a second one."""


def test_the_vectors_are_what_the_code_decides():
    """A changed decision fails here until make.VERSION is raised and the files are made again."""
    changed = [name for name, vector in VECTORS.items() if vector.record != STORED[name]]
    assert changed == []


def test_the_files_are_what_is_made():
    texts = make.files(STORED)
    assert [name for name, text in texts.items() if (FOLDER / name).read_text("utf-8") != text] == []
    assert sum(map(len, texts.values())) < 2_000_000
    assert sorted(make.HISTORY) == list(range(1, make.VERSION + 1))


def test_changed_decisions_are_seen():
    name, *_ = STORED
    other = {**STORED[name], "decisions": []}
    assert make.changed_decisions(STORED, STORED) == []
    assert make.changed_decisions(STORED, {**STORED, name: other}) == [name]
    assert make.changed_decisions(STORED, {**STORED, name: {**other, "nodes": 99}}) == []
    assert make.changed_decisions(STORED, {}) == []


def test_every_value_of_every_reading_matters_somewhere():
    printed = [vector for vector in VECTORS.values() if vector.settings.readings]
    told = {pair for vector in printed for pair in make.told_readings(vector)}
    assert told == {(name, value) for name in VALUES if name not in NEVER_MATTERS for value in VALUES[name]}


@pytest.mark.parametrize("variant", slips.SLIPS)
def test_every_slip_is_told_by_some_vector(variant):
    mine = [vector for vector in VECTORS.values() if vector.settings.variant == variant]
    untold = [name for name, slip in slips.SLIPS[variant].items() if not any(slips.told_by(slip, v) for v in mine)]
    assert untold == []


def test_every_capacity_every_status_and_every_counterexample_is_there():
    for variant in slips.SLIPS:
        mine = [record for record in STORED.values() if record["variant"] == variant]
        assert {record["capacity"] for record in mine} >= {4, 8, 16}
        assert {record["status"] for record in mine} == ({0, 1, 2} if variant == "printed" else {0, 2})
        assert any(decision.get("admitted") is False for record in mine for decision in record["decisions"])
        assert any(record["wcc_slack"] < 0 for record in mine)
    assert set(candidates.BY_HAND) <= set(STORED)


def test_every_branch_of_every_operator_is_covered(tmp_path):
    """In a process of its own, since coverage cannot measure while it measures."""
    data, report = tmp_path / "data", tmp_path / "report.json"
    modules = ",".join(f"*/compass/{name}.py" for name in make.MODULES)
    code = tmp_path / "replay.py"
    code.write_text(
        f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\nimport make\nmake.files(make.stored())\n", "utf-8"
    )
    settings = [f"--data-file={data}", f"--rcfile={tmp_path / 'none'}"]
    (tmp_path / "none").write_text(f"[run]\nbranch = true\ninclude = {modules}\n", "utf-8")
    run = [sys.executable, "-m", "coverage"]
    subprocess.run([*run, "run", *settings, str(code)], check=True, cwd=candidates.ROOT)
    subprocess.run([*run, "json", *settings, "-q", "-o", str(report)], check=True, cwd=candidates.ROOT)
    found = json.loads(report.read_text("utf-8"))["files"]
    assert sorted(Path(name).stem for name in found) == sorted(make.MODULES)
    missing = set()
    for name, entry in found.items():
        lines = Path(candidates.ROOT / name).read_text("utf-8").splitlines()
        for function, region in entry["functions"].items():
            for begin, end in region["missing_branches"] if function not in NOT_DECIDING else ():
                target = lines[end - 1].strip() if end > 0 else "(leaves)"
                if not target.startswith("raise InvariantViolated"):
                    missing.add(f"{lines[begin - 1].strip()} -> {target}")
    assert missing == set(NOT_BY_EVENTS)
