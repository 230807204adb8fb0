"""The command line: what it prints, and with which status it ends."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
import threading

import pytest
import rich.console

import compass.cli
from compass.errors import InvariantViolated, NoLegalDestination
from compass.geometry import Geometry
from compass.picture import draw_svg
from compass.replay import ReplayReport
from compass.snapshot import Snapshot
from compass.snapshot_io import format_snapshot, read_snapshot
from compass.synthetic import generate
from compass.trace import format_trace, read_trace

SNAPSHOT = (
    '{"capacity":8,"nodes":[{"name":"n0","instances":[{"job":"a","gpus":4}]},'
    '{"name":"n1","instances":[{"job":"b","gpus":4}]},{"name":"n2","instances":[]}]}'
)
EVENTS = (
    '{"event":"arrive","job":"a","gpus":4,"instances":2}\n'
    '{"event":"arrive","job":"b","gpus":8,"instances":2}\n'
    '{"event":"depart","job":"a"}\n'
)


def process(*arguments, stdin=b"", **environment):
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "compass", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )


def test_sif(run, run_json, tmp_path):
    record = run_json("sif", "-", stdin=SNAPSHOT)
    expected = {
        "nodes": 3,
        "capacity": 8,
        "partial_nodes": 2,
        "inherent_partial_nodes": 0,
        "avoidable_partial_nodes": 2,
        "sif": "2/3",
        "wcc": True,
        "wcc_slack": 0,
    }
    assert expected.items() <= record.items()
    assert record["sif_float"] == pytest.approx(2 / 3)
    path = tmp_path / "s.csv"
    path.write_text("node,job,gpus\nn0,a,4\nn1,b,4\nn2,,\n")
    assert run_json("sif", str(path)) == record
    status, out, err = run("sif", str(path))
    assert (status, err) == (0, "")
    assert "2/3 (0.6667)" in out
    assert "holds, slack 0" in out
    pools = "node,job,gpus,pool\nn,a,4,x\nm,b,4,\n"
    assert run_json("sif", "-", stdin=pools)["avoidable_partial_nodes"] == 0
    blocks = run("sif", "-", stdin=pools)[1].split("\n\n")
    assert [block.splitlines()[0] for block in blocks[1:]] == ["pool x", "pool (no name)"]
    assert all("partial nodes  1\n" in block for block in blocks[1:])
    assert "fails, slack -1" in run("sif", "-", stdin="node,job,gpus\nn,a,7\n")[1]


def test_phi(run, run_json):
    record = run_json("phi", "--counts", "3:2,2:1,4:1")
    assert set(record) >= {"total", "min_partial_nodes", "min_nodes", "method", "algorithm_2"}
    assert (record["total"], record["min_partial_nodes"], record["min_nodes"]) == (12, 1, 2)
    assert record["method"] == "search"
    assert "witness" not in record
    assert run_json("phi", "--counts", "8:3,1:0")["method"] == "closed form"
    with_witness = run_json("phi", "--counts", "3:2,2:1,4:1", "--witness", "--nodes", "2")
    sizes = sorted(size for node in with_witness["witness"] for size in node["sizes"] * node["nodes"])
    assert sizes == [2, 3, 3, 4]
    status, out, _ = run("phi", "--counts", "3:2,2:1,4:1", "--witness")
    assert status == 0
    assert "fewest partial nodes     1\n  found by               search: WCC fails" in out
    assert "algorithm 2  2 partial nodes\n" in out
    assert out.endswith("on 1 node: 3 + 3 + 2\non 1 node: 4\n")
    out = run("phi", "--counts", "8:3,1:1", "--witness")[1]
    assert "found by               closed form: under WCC " in out
    assert "algorithm 2  1 partial node\n" in out
    assert "\non 3 nodes: 8\n" in out
    assert "\non " not in run("phi", "--counts", "3:2,2:1,4:1")[1]
    assert run_json("phi", "--counts", " 3:2, 2:1 ,4:1") == run_json("phi", "--counts", "3:2,2:1,4:1")
    assert run_json("phi", "--counts", "9:1,7:1", "--capacity", "16")["min_partial_nodes"] == 0
    assert run_json("phi", "--counts", "9:1", "--capacity", "16")["algorithm_2"] is None
    assert (
        "algorithm 2  - (stated for capacity 8 with widths 2,4,8 only)\n"
        in run("phi", "--counts", "9:1", "--capacity", "16")[1]
    )
    assert run_json("phi", "--counts", "6:1,4:1,2:1")["algorithm_2"] == 1


def test_the_geometry_of_phi(run_json):
    assert run_json("phi", "--counts", "2:1")["wcc"] is True
    assert run_json("phi", "--counts", "2:1", "--widths", "4,8")["wcc"] is False


def test_wcc(run, run_json):
    trace = "job_id,submit_time,duration,instances,gpus_per_instance\na,0,10,1,7\nb,4,6,1,1\n"
    record = run_json("wcc", "-", stdin=trace)
    expected = {"events": 4, "wcc_events": 3, "worst_slack": -1, "time_share": 0.6, "longest_violation": [0, 4]}
    assert expected.items() <= record.items()
    status, out, err = run("wcc", "-", stdin=trace)
    assert (status, err) == (0, "")
    assert "3 (75.00%)" in out
    assert "60.00% of the time" in out
    assert "  longest          0 to 4 (4 s)\n" in out
    assert "longest" not in run("wcc", "-", stdin=trace.replace("7", "8"))[1]


@pytest.mark.parametrize("variant", ["printed", "repaired", "unified"])
def test_run(run, variant):
    status, out, err = run("run", "-", "--nodes", "2", "--variant", variant, stdin=EVENTS)
    assert (status, err) == (0, "")
    first, second, third = map(json.loads, out.splitlines())
    assert {placement["instance"] for placement in first["placements"]} == {"a/0", "a/1"}
    assert first["admitted"] is True
    assert second == {"event": "arrive", "job": "b", "admitted": False, "moves": [], "placements": []}
    assert (third["event"], third["job"]) == ("depart", "a")


def test_run_stops_at_a_bad_event_after_the_decisions_before_it(run):
    status, out, err = run("run", "-", "--nodes", "2", "--variant", "unified", stdin=EVENTS + "x\n" + EVENTS)
    assert status == 2
    assert out.count("\n") == 3
    assert err == "compass: <stdin>:4: not JSON: Expecting value at column 1\n"


def test_run_tells_what_happened_to_a_refused_job(run):
    depart = '{"event":"depart","job":"b"}\n'
    status, out, err = run("run", "-", "--nodes", "2", "--variant", "unified", stdin=EVENTS + depart)
    assert (status, out.count("\n")) == (2, 3)
    assert err.startswith("compass: <stdin>:4: ")
    assert err.endswith("(its arrival on line 2 was refused)\n")
    again = '{"event":"arrive","job":"b","gpus":8}\n' + depart
    status, _, err = run("run", "-", "--nodes", "2", "--variant", "unified", stdin=EVENTS + again + depart)
    assert status == 2
    assert err.startswith("compass: <stdin>:6: ")
    assert "refused" not in err


def test_run_decides_while_events_are_still_to_come():
    arguments = [sys.executable, "-m", "compass", "run", "-", "--nodes", "2", "--variant", "unified"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as child:
        watchdog = threading.Timer(20, child.kill)  # without decisions the read below would wait for ever
        watchdog.start()
        for line in EVENTS.encode().splitlines(keepends=True):
            child.stdin.write(line)
            child.stdin.flush()
            assert child.stdout.readline().startswith(b'{"event":')
        child.stdin.close()
        watchdog.cancel()
    assert child.returncode == 0


@pytest.mark.parametrize("nodes", ["3", "unlimited"])
@pytest.mark.parametrize(
    "options", [["printed", "--reading", "refill=pseudocode"], ["repaired"], ["unified", "--open-nodes", "2"]]
)
def test_replay(run, run_json, nodes, options):
    trace = format_trace(generate("openb", 40, 1, mean_gap=600))
    record = run_json("replay", "-", "--nodes", nodes, "--variant", *options, stdin=trace)
    keys = {
        "events",
        "instance_events",
        "wcc_events",
        "max_avoidable",
        "max_avoidable_under_wcc",
        "over_bound_events",
        "moves",
        "moves_per_instance_event",
        "seconds",
    }
    assert set(record) >= keys
    assert record["events"] == 80
    status, out, err = run("replay", "-", "--nodes", nodes, "--variant", *options, stdin=trace)
    assert (status, err) == (0, "")
    shown = dict(re.split("  +", line) for line in out.splitlines())
    assert (shown["nodes"], shown["events"], shown["violation"]) == (nodes, "80", "none")
    assert shown["events over 2 under WCC"] == str(record["over_bound_events"])
    assert ("unlimited" in shown["max SIF"]) == ("unlimited" in shown["mean SIF"]) == (nodes == "unlimited")


def test_a_failed_property_is_status_1(run, monkeypatch):
    monkeypatch.setattr(
        compass.cli, "replay", lambda *_, **__: ReplayReport(3, events=1, violation="after 1 events: node n\n0: x")
    )
    trace = format_trace(generate("openb", 2, 1))
    status, out, err = run("replay", "-", "--nodes", "3", "--variant", "unified", stdin=trace)
    assert status == 1
    assert err == "compass: <stdin>: unified: after 1 events: node n 0: x\n"
    assert re.search(r"^violation +after 1 events$", out, re.MULTILINE)  # the rest is said once
    record = json.loads(run("replay", "-", "--nodes", "3", "--variant", "unified", "--json", stdin=trace)[1])
    assert (record["events"], record["violation"]) == (1, "after 1 events: node n\n0: x")


@pytest.mark.parametrize("error", [InvariantViolated, NoLegalDestination])
def test_a_property_that_fails_in_run_is_status_1(run, monkeypatch, error):
    def fail(*_):
        raise error("node n0: over-full")

    monkeypatch.setattr(compass.cli, "apply_event", fail)
    status, out, err = run("run", "-", "--nodes", "2", "--variant", "unified", stdin=EVENTS)
    assert (status, out, err) == (1, "", "compass: <stdin>:1: node n0: over-full\n")


def test_show(run, monkeypatch):
    status, out, err = run("show", "-", stdin=SNAPSHOT)
    assert (status, err) == (0, "")
    assert out.splitlines() == ["n0 │AAAA    │ 4/8 partial", "n1 │AAAA    │ 4/8 partial", "n2 │        │ 0/8 empty"]
    assert run("show", "-", "--group", "--ascii", stdin=SNAPSHOT)[1].splitlines() == [
        "n0 x 2 |AAAA    | 4/8 partial",
        "n2 x 1 |        | 0/8 empty",
    ]
    assert run("show", "-", "--jobs", stdin=SNAPSHOT)[1].splitlines()[1] == "n1 │BBBB    │ 4/8 partial  B=b"
    many = format_snapshot(Snapshot.of([[8]] * 100))
    assert len(run("show", "-", stdin=many)[1].splitlines()) == 1
    assert len(run("show", "-", "--no-group", stdin=many)[1].splitlines()) == 100


def test_show_svg(run, tmp_path, monkeypatch):
    snapshot = read_snapshot(io.BytesIO(SNAPSHOT.encode()))
    status, out, err = run("show", "-", "--svg", "-", "--jobs", stdin=SNAPSHOT)
    assert (status, out, err) == (0, draw_svg(snapshot, jobs=True, legend=True), "")
    path = tmp_path / "nodes.svg"
    assert run("show", "-", "--svg", str(path), "--slots", stdin=SNAPSHOT) == (0, "", "")
    assert path.read_text(encoding="utf-8") == draw_svg(snapshot, geometry=Geometry(), legend=True)
    many = Snapshot.of([[3], *[[8]] * 100], 16)
    status, out, err = run("show", "-", "--svg", "-", "--slots", stdin=format_snapshot(many))
    assert (status, out) == (0, draw_svg(many, geometry=Geometry(16), group=True, legend=True))
    for options, message in (
        (["--svg", "-", "--ascii"], "--ascii: not with"),
        (["--slots"], "--slots: only with --svg"),
    ):
        status, out, err = run("show", "-", *options, stdin=SNAPSHOT)
        assert (status, out) == (2, "")
        assert message in err
    assert run("show", "-", "--svg", str(tmp_path / "no" / "x"), stdin=SNAPSHOT)[0] == 2
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.csv").write_text("node,job,gpus\nn0,a,4\n", encoding="utf-8")
    status, out, err = run("show", "n.csv", "--svg", "./n.csv")
    assert (status, out, err) == (2, "", "compass: --svg: ./n.csv is the snapshot itself\n")
    assert run("show", "n.csv", "--svg", str(path))[0] == 0  # another file is replaced
    (tmp_path / "n.csv").unlink()
    assert run("show", "--svg", "x.json")[0] == 2  # the option takes the name: there is no snapshot, nothing is written
    assert os.listdir() == ["nodes.svg"]


def test_show_on_a_terminal_that_has_ascii_only():
    result = process("show", "-", stdin=SNAPSHOT.replace("n0", "é").encode(), PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == rb"\xe9  |AAAA    | 4/8 partial"


def in_terminal(*arguments, stdin):
    """Run with standard output and standard error on a terminal; what it showed."""
    leader, follower = pty.openpty()
    shown = []

    def read():
        try:
            while data := os.read(leader, 4096):
                shown.append(data)
        except OSError:  # the terminal was closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    result = subprocess.run(
        [sys.executable, "-m", "compass", *arguments],
        input=stdin.encode(),
        stdout=follower,
        stderr=follower,
        env=environment,
        check=False,
    )
    os.close(follower)
    reader.join()
    os.close(leader)
    return result.returncode, b"".join(shown).decode()


def test_colour_and_progress_on_a_terminal_only():
    status, shown = in_terminal("show", "-", stdin=SNAPSHOT)
    assert status == 0
    assert "\x1b[33mn0 │AAAA    │ 4/8 partial\x1b[0m" in shown
    trace = format_trace(generate("openb", 40, 1, mean_gap=600))
    status, shown = in_terminal("replay", "-", "--nodes", "9", "--variant", "unified", stdin=trace)
    assert status == 0
    assert "80 of 80 events" in shown
    result = process("replay", "-", "--nodes", "9", "--variant", "unified", stdin=trace.encode())
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"80 of 80" not in result.stdout


def test_drawing_and_progress_in_colour_in_this_process(run, monkeypatch):
    class Terminal(rich.console.Console):
        is_terminal = True

    monkeypatch.setattr(rich.console, "Console", Terminal)
    assert "n0 │AAAA    │ 4/8 partial" in run("show", "-", stdin=SNAPSHOT)[1]
    trace = format_trace(generate("openb", 40, 1, mean_gap=600))
    status, out, err = run("replay", "-", "--nodes", "9", "--variant", "unified", "--json", stdin=trace)
    assert (status, json.loads(out)["events"]) == (0, 80)
    assert "80 of 80 events" in err


def test_generate(run, tmp_path, monkeypatch):
    status, out, err = run("generate", "--jobs", "20", "--seed", "3", "--mix", "openb")
    assert (status, err) == (0, "")
    assert out == format_trace(generate("openb", 20, 3))
    path = tmp_path / "t.csv"
    arguments = ["--jobs", "5", "--mean-gap", "1.5", "--mean-duration", "30"]
    assert run("generate", *arguments, "--out", str(path)) == (0, "", "")
    assert read_trace(path) == generate("venus", 5, 0, mean_gap=1.5, mean_duration=30)
    monkeypatch.chdir(tmp_path)
    assert run("generate", "--jobs", "20", "--seed", "3", "--mix", "openb", "--out", "-") == (0, out, "")
    assert os.listdir() == ["t.csv"]


def test_as_a_module():
    result = process("phi", "--counts", "8:1", "--json")
    assert (result.returncode, result.stderr) == (0, b"")
    assert json.loads(result.stdout)["total"] == 8
    result = process("phi", "--counts", "x")
    assert (result.returncode, result.stdout) == (2, b"")


def test_the_module_in_this_process(monkeypatch):
    import runpy

    monkeypatch.setattr(sys, "argv", ["compass", "phi"])
    path = os.path.join(os.path.dirname(compass.cli.__file__), "__main__.py")
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(path, run_name="__main__")
    assert ended.value.code == 2
    runpy.run_path(path, run_name="other")
