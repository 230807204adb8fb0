"""The command compass conform, with real ports."""

import json
import re
import shlex
import sys

import pytest

from compass.cli import main
from compass.cli_support import StopError
from compass.conformance import cli, vectors
from compass.conformance.judge import ExactJudge
from compass.conformance.lines import EventLine
from compass.conformance.settings import Settings
from compass.conformance.vectors import Vector, digest, format_vectors, read_vectors, record
from compass.errors import InputError
from compass.events import Arrive, Depart
from compass.readings import VALUES

OURS = shlex.join([sys.executable, "-m", "compass", "run", "-"]) + " {options}"
# A port that puts each instance on the lowest node with room, in few lines: wrong in many ways.
FIRST_FIT = """
import sys, json
loads, jobs = [0] * int(sys.argv[1]), {}
for line in sys.stdin:
    event = json.loads(line)
    job, moves, placements = event["job"], [], []
    if event["event"] == "depart":
        for gpus, node in jobs.pop(job):
            loads[node] -= gpus
        answer = {"event": "depart", "job": job, "moves": []}
    else:
        gpus, placed = event["gpus"], []
        for k in range(event.get("instances", 1)):
            node = next((n for n, load in enumerate(loads) if load + gpus <= 8), None)
            if node is None:
                break
            loads[node] += gpus
            placed.append((gpus, node))
        admitted = len(placed) == event.get("instances", 1)
        if admitted:
            jobs[job] = placed
        else:
            for gpus, node in placed:
                loads[node] -= gpus
            placed = []
        placements = [{"instance": f"{job}/{k}", "node": node} for k, (_, node) in enumerate(placed)]
        answer = {"event": "arrive", "job": job, "admitted": admitted, "moves": [], "placements": placements}
    print(json.dumps(answer), flush=True)
"""

POPPED = "for gpus, node in jobs.pop(job):"
# It ends in place of the third answer, and on fewer lines goes on after a bad event.
TWO_FAULTS = FIRST_FIT.replace(POPPED, "if len(jobs) == 2: sys.exit(3)\n        for gpus, node in jobs.pop(job, ()):")


@pytest.fixture
def few(tmp_path):
    """A folder with three vectors of unified."""
    settings = Settings("unified", 2)
    told = [EventLine.to(Arrive("a", 4)), EventLine.to(Arrive("b", 1, 5)), EventLine.to(Depart("a"))]
    made = [
        record("one", "plain", settings, told),
        record("bad", "ends", settings, [*told, EventLine.of("{}", 8)]),
        record("wide", "three nodes", Settings("unified", 3), told),
    ]
    return write(tmp_path, made)


def write(folder, made):
    text = format_vectors(made)
    (folder / "unified.jsonl").write_text(text, "utf-8")
    manifest = {"version": 7, "files": {"unified.jsonl": {"sha256": digest(text)}}}
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return folder


def conform(*arguments, command=OURS):
    return main(["conform", "--command", command, "--nodes", "2", "--variant", "unified", *map(str, arguments)])


@pytest.fixture
def first_fit(tmp_path):
    path = tmp_path / "first_fit.py"
    path.write_text(FIRST_FIT, "utf-8")
    return shlex.join([sys.executable, "-S", "-E", str(path), "{nodes}"]).replace("'{nodes}'", "{nodes}")


@pytest.mark.parametrize("mode", ["exact", "property"])
def test_our_own_run_is_a_port_that_conforms(mode, few, capsys):
    assert conform("--vectors", few, "--events", 300, "--mode", mode) == 0
    shown = capsys.readouterr().out.split()
    assert shown[: shown.index("moves")] == (
        f"variant unified mode {mode} conforms True vectors 3 vectors left out 0 events 300".split()
    )


def test_vectors_of_other_settings_are_left_out(few, capsys):
    fixed = OURS.replace("{options}", "--variant unified --nodes 2")
    assert conform("--vectors", few, "--events", 0, "--json", command=fixed) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["vectors"], report["vectors_left_out"], report["events"]) == (2, 1, 0)


def test_a_wrong_port_fails_with_a_small_list_that_run_replays(first_fit, tmp_path, capsys):
    assert conform("--vectors", "none", "--events", 200, "--mode", "property", command=first_fit) == 1
    captured = capsys.readouterr()
    found = [json.loads(line) for line in captured.out.splitlines()]
    assert 1 <= len(found) <= 3
    assert captured.err.startswith("compass: seed 0, line ")
    assert captured.err.count("\n") == 1
    assert "with --variant unified --nodes 2 --capacity 8 --widths 2,4,8 --open-nodes 1: " in captured.err
    path = tmp_path / "events.jsonl"
    path.write_text(captured.out, "utf-8")
    assert main(["run", str(path), "--nodes", "2", "--variant", "unified"]) == 0


def test_a_failing_list_goes_to_a_file(few, first_fit, tmp_path, capsys):
    out = tmp_path / "found.jsonl"
    assert conform("--vectors", few, "--out", out, "--minimise", 0, command=first_fit) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("compass: vector one, line 3, in 3 lines with --variant unified --nodes 2 ")
    assert '--open-nodes 1: expected {"event":"depart","job":"a","moves":[{"instance":"b/4",' in captured.err
    assert out.read_text("utf-8").splitlines()[-1] == '{"event":"depart","job":"a"}'


def test_a_failure_as_json(first_fit, capsys):
    assert conform("--vectors", "none", "--events", 100, "--json", "--minimise", 0, command=first_fit) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["conforms"] is False
    assert report["where"].startswith("seed 0, line ")
    assert report["reason"].startswith("expected ")
    assert report["failing_events"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), StopError(143)])
def test_an_interrupt_while_the_list_is_made_smaller_does_not_lose_the_failure(stop, first_fit, monkeypatch, capsys):
    def play(*_):
        raise stop

    assert conform("--vectors", "none", "--events", 100, "--minimise", 0, command=first_fit) == 1
    as_found = capsys.readouterr()
    monkeypatch.setattr(cli, "play", play)
    assert conform("--vectors", "none", "--events", 100, command=first_fit) == 1
    assert capsys.readouterr() == as_found
    assert ": expected {" in as_found.err


def test_a_list_made_smaller_shows_the_fault_that_was_found(few, tmp_path, capsys):
    path = tmp_path / "port.py"
    path.write_text(TWO_FAULTS, "utf-8")
    command = shlex.join([sys.executable, "-S", "-E", str(path)]) + " {nodes}"
    assert conform("--vectors", few, command=command) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("compass: vector one, line 3, in 3 lines with ")
    assert "the port ended with exit status 3 without an answer" in captured.err
    assert len(captured.out.splitlines()) == 3


def test_a_failing_list_that_cannot_be_written_is_told_with_the_failure(first_fit, tmp_path, capsys):
    out = tmp_path / "none" / "found.jsonl"
    assert conform("--vectors", "none", "--out", out, "--minimise", 0, "--json", command=first_fit) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("compass: seed 0, line ")
    assert ": expected {" in captured.err
    assert captured.err.endswith(f": {out}: cannot be written: No such file or directory\n")


def test_a_port_that_is_stuck_at_each_first_event_comes_to_an_end(capsys):
    stuck = shlex.join([sys.executable, "-S", "-E", "-c", "import sys; sys.exit(input() and 1)"])
    options = ("--variant", "printed", "--reading", "room=cap", "--mode", "property", "--vectors", "none")
    assert conform(*options, "--events", 5, command=stuck) == 1
    assert "ended with exit status 1 without an answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "command", "what"),
    [
        ([], "port {node}", "--command: '{node}' is no placeholder, did you mean '{nodes}'? (placeholders: {variant} "),
        (["--vectors", "none", "--events", "0"], OURS, "nothing was played"),
        ([], "", "--command: the command is empty"),
        ([], "'", "--command: the command cannot be split"),
        ([], "/no/such/port", "'/no/such/port' cannot be run: No such file"),
        (["--events", "-1"], OURS, "negative"),
        (["--timeout", "0"], OURS, "must be positive"),
        (["--vectors", "/no/such"], OURS, "No such file"),
        (["--reading", "refill=text"], OURS, "readings: only for the variant 'printed'"),
        (["--widths", "3,8"], OURS, "3 does not divide 8"),
        (["--mode", "loose"], OURS, "'loose' is not one of exact, property (see"),
    ],
)
def test_misuse(arguments, command, what, capsys):
    assert conform(*arguments, command=command) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert what in captured.err
    assert captured.err.count("\n") == 1


# -- files of vectors -------------------------------------------------------------------------------------------------


def test_vectors_are_read_as_they_were_written(few):
    made = read_vectors(few, ["unified"])
    assert [vector.name for vector in made] == ["one", "bad", "wide"]
    assert [vector.record["status"] for vector in made] == [0, 2, 0]
    assert made[1].lines[-1] == EventLine("{}", None)
    assert [record(v.name, v.record["about"], v.settings, v.lines) for v in made] == made
    assert made[0].record["final"]["nodes"][0]["instances"] == [{"job": "b", "gpus": 1}] * 5
    assert made[0].record["sif"] == "0"
    assert made[0].record["wcc_slack"] == 5


def test_a_vector_whose_decisions_are_not_those_of_this_version_is_refused(few, capsys):
    one, *rest = read_vectors(few, ["unified"])
    write(few, [Vector({**one.record, "decisions": []}, one.settings, one.lines), *rest])
    assert conform("--vectors", few) == 2
    assert "vector one is not what this version decides (vectors of version 7)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda text: text.replace('"plain"', '"plainer"'), "it is not the file that the manifest of version 7 names"),
        (lambda text: text, None),
    ],
)
def test_a_file_is_the_one_of_the_manifest(few, spoil, what):
    path = few / "unified.jsonl"
    path.write_text(spoil(path.read_text("utf-8")), "utf-8")
    if what:
        with pytest.raises(InputError, match=what):
            read_vectors(few, ["unified"])
    else:
        assert len(read_vectors(few, ["unified"])) == 3


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[1]\n", "the vector is a list, must be an object"),
        ("{}\n", "the vector has no 'id'"),
        ("{\n", "not JSON: "),
        ("\n", "the file is empty"),
    ],
)
def test_a_file_that_holds_no_vectors(few, text, what):
    (few / "unified.jsonl").write_text(text, "utf-8")
    entry = {"sha256": digest(text)}
    (few / "manifest.json").write_text(json.dumps({"version": 7, "files": {"unified.jsonl": entry}}), "utf-8")
    with pytest.raises(InputError, match=f"unified.jsonl:(1:)? ?{what}"):
        read_vectors(few, ["unified"])


@pytest.mark.parametrize(
    ("manifest", "what"),
    [
        ([], "the manifest is a list, must be an object"),
        ({}, "the manifest has no 'version'"),
        ({"version": "7", "files": {}}, "version is a string, must be an integer"),
        ({"version": 7, "files": []}, "files is a list, must be an object"),
        ({"version": 7, "files": {}}, "files has no 'unified.jsonl'"),
        ({"version": 7, "files": {"unified.jsonl": {}}}, "the entry of unified.jsonl has no 'sha256'"),
        ({"version": 7, "files": {"unified.jsonl": {"sha256": 5}}}, "sha256 is the number 5, must be a string"),
    ],
)
def test_a_manifest_that_is_none(few, manifest, what):
    (few / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(InputError, match=f"manifest.json:1: {what}$"):
        read_vectors(few, ["unified"])


def test_where_the_vectors_are(monkeypatch, tmp_path):
    assert (vectors.shipped() / "manifest.json").exists()
    monkeypatch.setattr(vectors, "__file__", str(tmp_path / "compass" / "conformance" / "vectors.py"))
    assert vectors.shipped() == tmp_path / "compass" / "conformance" / "shipped"


def test_the_judges_by_mode():
    assert cli.JUDGES["exact"] is ExactJudge


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"events": ["\ud800"]}, "'\\ud800' cannot be written in UTF-8"),
        ({"events": ['{"event":"depart","job":"a"}\n{}']}, "is more than one line"),
        ({"id": 1}, "id is the number 1, must be a string"),
        ({"about": None}, "about is null, must be a string"),
        ({"variant": ["unified"]}, "variant is a list, must be a string"),
        ({"variant": "unifed"}, "variant 'unifed'"),
        ({"nodes": 10**12}, "nodes 1000000000000 is too large, must be from 1 to 10000000"),
        ({"nodes": "3"}, "nodes is a string, must be an integer"),
        ({"capacity": 3}, "capacity 3: must be one of 2, 4, 8, 16"),
        ({"widths": 2}, "widths is the number 2, must be a list"),
        ({"widths": [2, 8.0]}, "width 1 is the number 8.0, must be an integer"),
        ({"widths": [3, 8]}, "3 does not divide 8"),
        ({"open_nodes": 0}, "open_nodes 0 is too small"),
        ({"readings": "refill=text"}, "readings is a string, must be an object"),
        ({"readings": {"refill": "text"}}, "readings has no 'rehome'"),
        ({"readings": dict.fromkeys(VALUES, 1)}, "reading refill is the number 1, must be a string"),
        ({"readings": dict.fromkeys(VALUES, "text")}, "reading rehome=text: must be after or before"),
        ({"events": {}}, "events is an object, must be a list"),
        ({"events": [1]}, "event 0 is the number 1, must be an object or a string"),
        ({"abut": ""}, "the vector has the unknown key 'abut', did you mean 'about'?"),
    ],
)
def test_a_vector_that_cannot_be_played_is_named(few, changed, what):
    one, *_ = read_vectors(few, ["unified"])
    write(few, [Vector({**one.record, **changed}, one.settings, one.lines)])
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        read_vectors(few, ["unified"])
    assert str(caught.value).startswith(f"{few / 'unified.jsonl'}:1: ")
