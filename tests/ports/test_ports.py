"""The port in JavaScript, written from the porting guide alone, conforms; with a fault in it, it does not."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from subprocess import PIPE

import pytest

from compass.cli import main
from compass.conformance.vectors import digest, shipped

JAVASCRIPT = Path(__file__).parent / "javascript"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


def conform(port, *options):
    command = f"node {shlex.quote(str(port / 'unified.mjs'))} {{options}}"
    return main(["conform", "--command", command, "--variant", "unified", "--nodes", "7", *options])


def choose(folder, wanted):
    """A folder of those vectors of ``unified`` whose names are ``wanted``; each start of Node.js takes a while."""
    lines = (shipped() / "unified.jsonl").read_text().splitlines(keepends=True)
    chosen = "".join(line for line in lines if wanted(json.loads(line)["id"]))
    assert chosen
    (folder / "unified.jsonl").write_text(chosen)
    manifest = {"version": 0, "files": {"unified.jsonl": {"sha256": digest(chosen)}}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)


def test_exact(tmp_path):
    walks = choose(tmp_path, lambda name: not name.startswith(("unified-bad-", "unified-proof-")))
    assert conform(JAVASCRIPT, "--vectors", walks, "--open-nodes", "2", "--events", "1000") == 0


def test_property(tmp_path):
    bad = choose(tmp_path, lambda name: name.startswith(("unified-bad-gpus-", "unified-bad-no-", "unified-bad-re")))
    assert conform(JAVASCRIPT, "--mode", "property", "--vectors", bad, "--events", "500") == 0


def test_it_ends_quietly_when_its_reader_has_gone():
    command = ["node", str(JAVASCRIPT / "unified.mjs"), "--nodes", "2"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as port:
        port.stdout.close()
        _, told = port.communicate('{"event":"arrive","job":"a","gpus":1}\n', timeout=60)
    assert (port.returncode, told) == (141, "")


@pytest.mark.parametrize(
    ("mode", "text", "fault", "told"),
    [
        ("exact", "this.list[source].find(", "this.list[source].findLast(", ": expected {"),
        ("property", "open > this.openNodes)", "open > this.openNodes + 1)", "nodes are open, at most 1 may be"),
    ],
)
def test_a_fault_is_found(tmp_path, capsys, mode, text, fault, told):
    shutil.copytree(JAVASCRIPT, tmp_path, dirs_exist_ok=True)
    scheduler = (tmp_path / "scheduler.mjs").read_text()
    assert scheduler.count(text) == 1
    (tmp_path / "scheduler.mjs").write_text(scheduler.replace(text, fault))
    options = ("--mode", mode, "--vectors", "none", "--events", "1000", "--minimise", "0")
    assert conform(tmp_path, *options) == 1
    assert told in capsys.readouterr().err
