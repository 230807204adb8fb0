"""Bad input of every kind: status 2, one line that names file and line on standard error, nothing else."""

from __future__ import annotations

import io
import os
import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compass.cli import main

TRACE = "job_id,submit_time,duration,instances,gpus_per_instance\nok,0,5,1,1\n"
ROWS = "node,job,gpus\nok,a,1\n"
JSON = '{"nodes":[{"name":"ok","instances":[]},\n'
ARRIVE = '{"event":"arrive","job":"ok","gpus":4}\n'
CLUSTER = ["--nodes", "3", "--variant", "unified"]

TRACES = {
    "empty": "",
    "only blank lines": "\n\n",
    "only a header": TRACE.splitlines()[0],
    "no header": "ok,0,5,1,1\n",
    "missing column": "job_id,submit_time,duration,instances\nok,0,5,1\n",
    "missing field": TRACE + "a,0,5,1\n",
    "extra field": TRACE + "a,0,5,1,1,1\n",
    "text for a time": TRACE + "a,x,5,1,1\n",
    "decimal": TRACE + "a,0,5.5,1,1\n",
    "negative time": TRACE + "a,-1,5,1,1\n",
    "negative duration": TRACE + "a,0,-5,1,1\n",
    "huge time": TRACE + f"a,{10**16},5,1,1\n",
    "number of many digits": TRACE + f"a,0,{'9' * 5000},1,1\n",
    "zero GPUs": TRACE + "a,0,5,1,0\n",
    "negative GPUs": TRACE + "a,0,5,1,-1\n",
    "oversized GPUs": TRACE + "a,0,5,1,9\n",
    "zero instances": TRACE + "a,0,5,0,1\n",
    "too many instances": TRACE + "a,0,5,1000001,1\n",
    "duplicate job": TRACE + "ok,0,5,1,1\n",
    "empty name": TRACE + ",0,5,1,1\n",
    "slash in a name": TRACE + "a/1,0,5,1,1\n",
    "control characters": TRACE + "a\x1b[2J\x07,0,5,1,1\n",
    "line separator in a name": TRACE + "a\u2028b,0,5,1,1\n",
    "not UTF-8": TRACE.encode() + b"a\xff,0,5,1,1\n",
    "UTF-16": TRACE.encode("utf-16"),
    "UTF-16 without BOM": TRACE.encode("utf-16-le"),
    "CR alone": TRACE.replace("\n", "\r"),
    "NUL": TRACE + "\x00,0,5,1,1\n",
    "open quotation mark": TRACE + '"a,0,5,1,1\n',
    "binary": bytes(range(256)),
}

SNAPSHOTS = {
    "empty": "",
    "missing column": "node,job\nok,a\n",
    "unknown column": "node,job,gpus,size\nok,a,1,1\n",
    "only a header": "node,job,gpus\n",
    "over-full node": ROWS + "ok,b,8\n",
    "zero GPUs": ROWS + "n,b,0\n",
    "text for GPUs": ROWS + "n,b,four\n",
    "oversized GPUs": ROWS + "n,b,9\n",
    "instance without GPUs": ROWS + "n,b,\n",
    "instance without job": ROWS + "n,,4\n",
    "control characters": ROWS + "n\x1b]0;x\x07,b,4\n",
    "not UTF-8": ROWS.encode() + b"n,\xc0\x80,4\n",
    "two capacities": "node,job,gpus,capacity\nok,a,1,4\nok,b,1,8\n",
    "strange capacity": "node,job,gpus,capacity\nok,a,1,7\n",
    "JSON cut short": JSON,
    "JSON list": "[]",
    "JSON without nodes": "{}",
    "JSON no node": '{"nodes":[]}',
    "JSON unknown key": JSON + '{"name":"n","instance":[]}]}',
    "JSON duplicate key": JSON + '{"name":"n","name":"m","instances":[]}]}',
    "JSON duplicate node": JSON + '{"name":"ok","instances":[]}]}',
    "JSON over-full node": JSON + '{"name":"n","instances":[{"job":"a","gpus":5},{"job":"b","gpus":4}]}]}',
    "JSON boolean for GPUs": JSON + '{"name":"n","instances":[{"job":"a","gpus":true}]}]}',
    "JSON NaN": JSON + '{"name":"n","instances":[{"job":"a","gpus":NaN}]}]}',
    "JSON huge number": JSON + '{"name":"n","instances":[{"job":"a","gpus":' + "9" * 9999 + "}]}]}",
    "JSON too deep": '{"nodes":' + "[" * 100_000,
    "JSON surrogate": JSON + '{"name":"\\ud800","instances":[]}]}',
    "JSON newline in a name": JSON + '{"name":"a\\nb","instances":[]}]}',
}

EVENTS = {
    "empty": "",
    "no JSON": ARRIVE + "arrive ok\n",
    "no object": ARRIVE + "[]\n",
    "unknown event": ARRIVE + '{"event":"resize","job":"ok"}\n',
    "unknown key": ARRIVE + '{"event":"arrive","job":"a","gpu":4}\n',
    "missing key": ARRIVE + '{"event":"arrive","job":"a"}\n',
    "duplicate key": ARRIVE + '{"event":"depart","job":"a","job":"ok"}\n',
    "duplicate job": ARRIVE + ARRIVE,
    "departure of an absent job": ARRIVE + '{"event":"depart","job":"gone"}\n',
    "second departure": ARRIVE + '{"event":"depart","job":"ok"}\n' * 2,
    "zero GPUs": ARRIVE + '{"event":"arrive","job":"a","gpus":0}\n',
    "oversized GPUs": ARRIVE + '{"event":"arrive","job":"a","gpus":9}\n',
    "text for GPUs": ARRIVE + '{"event":"arrive","job":"a","gpus":"4"}\n',
    "zero instances": ARRIVE + '{"event":"arrive","job":"a","gpus":4,"instances":0}\n',
    "huge number": ARRIVE + '{"event":"arrive","job":"a","gpus":4,"instances":' + "9" * 9999 + "}\n",
    "a job that never fits": ARRIVE + '{"event":"arrive","job":"a","gpus":8,"instances":4}\n',
    "control characters": ARRIVE + '{"event":"depart","job":"\\u001b[2J"}\n',
    "not UTF-8": ARRIVE.encode() + b"\xff\n",
    "too deep": ARRIVE + "[" * 100_000 + "\n",
}

CASES = [
    *((["wcc"], [], name, data) for name, data in TRACES.items()),
    *((["replay"], CLUSTER, name, data) for name, data in TRACES.items()),
    *((["sif"], [], name, data) for name, data in SNAPSHOTS.items()),
    *((["show"], [], name, data) for name, data in SNAPSHOTS.items()),
    *((["run"], CLUSTER, name, data) for name, data in EVENTS.items()),
]

WHOLE_FILE = {"empty", "only blank lines", "only a header"}


def complaint(capsys, *arguments):
    """The one line of a command that must fail, without its beginning."""
    status = main(list(arguments))
    captured = capsys.readouterr()
    assert status == 2
    if arguments[:1] != ("run",):
        assert captured.out == ""
    assert captured.err.startswith("compass: ")
    line = captured.err.removesuffix("\n").removeprefix("compass: ")
    assert line.isprintable()
    assert len(line) < 600
    return line


@pytest.mark.parametrize(
    ("command", "options", "name", "data"), CASES, ids=lambda value: value if isinstance(value, str) else None
)
def test_bad_files(capsys, tmp_path, command, options, name, data):
    path = tmp_path / "input"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    line = complaint(capsys, *command, str(path), *options)
    assert line.startswith(f"{path}: " if name in WHOLE_FILE else f"{path}:")
    if name not in WHOLE_FILE:
        number = int(re.match(r":(\d+): \S", line.removeprefix(str(path)))[1])
        rows = path.read_bytes().count(b"\n") + 1
        assert 1 <= number <= rows
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_same_files_without_their_fault_are_read(capsys, tmp_path, bom, end):
    path = tmp_path / "input"
    good_json = JSON + '{"name":"n","instances":[]}]}'
    for command, options, text in (
        ("wcc", [], TRACE),
        ("replay", CLUSTER, TRACE),
        ("sif", [], ROWS),
        ("show", [], good_json),
        ("run", CLUSTER, ARRIVE),
    ):
        path.write_bytes((bom + text.replace("\n", end)).encode())
        assert main([command, str(path), *options]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        assert captured.out


def test_the_line_is_that_of_the_fault(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((TRACE + "\n\na,0,5,1,0\n").encode())))
    line = complaint(capsys, "wcc", "-")
    assert line == "<stdin>:5: gpus_per_instance 0 is too small, must be from 1 to 8"


@pytest.mark.parametrize("command", [["wcc"], ["replay", *CLUSTER], ["sif"], ["show"], ["run", *CLUSTER]])
def test_files_that_cannot_be_read(capsys, tmp_path, command):
    missing = tmp_path / "no\nsuch\x1b[2J.csv"
    shown = str(missing).replace("\n", r"\n").replace("\x1b", r"\x1b")
    assert complaint(capsys, *command, str(missing)) == f"{shown}: No such file or directory"
    assert complaint(capsys, *command, str(tmp_path)) == f"{tmp_path}: Is a directory"
    if os.geteuid():  # root reads everything
        locked = tmp_path / "locked"
        locked.write_text(TRACE)
        locked.chmod(0)
        assert complaint(capsys, *command, str(locked)) == f"{locked}: Permission denied"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "Missing command. (see compass --help)"),
        (["sfi"], "no such command 'sfi', did you mean 'sif'?"),
        (["a\x1b[2J"], r"no such command 'a\x1b[2J' (commands: "),
        (["--jsn"], "No such option"),
        (["sif"], "Missing argument 'SNAPSHOT'. (see compass sif --help)"),
        (["sif", "a", "b"], "unexpected extra argument"),
        (["sif", "--jso", "a"], "No such option"),
        (["phi"], "Missing option '--counts'"),
        (["phi", "--counts", ""], "'' is not size:number"),
        (["phi", "--counts", "3"], "'3' is not size:number, as in 3:2,1:4 (see compass phi --help)"),
        (["phi", "--counts", "3:1, ,"], "'' is not size:number"),
        (["phi", "--counts", "3 :1"], "'3 :1': '3 ' is not an integer"),
        (["phi", "--counts", "3:x"], "'3:x': 'x' is not an integer"),
        (["phi", "--counts", "3:-1"], "'3:-1': -1 is negative"),
        (["phi", "--counts", "3:1,3:2"], "size 3 stands twice"),
        (["phi", "--counts", "0:1"], "'0:1': 0 is too small"),
        (["phi", "--counts", "9:1"], "--counts: 9 GPUs an instance: must be an integer from 1 to 8"),
        (["phi", "--counts", "17:1"], "'17:1': 17 is too large"),
        (["phi", "--counts", f"3:{'9' * 5000}"], "a number of 5000 digits is too large"),
        (["phi", "--counts", "8:2", "--nodes", "1"], "--counts: the instances need 2 nodes of capacity 8, not 1"),
        (["phi", "--counts", "8:1", "--nodes", "0"], "--counts: the instances need 1 node of capacity 8, not 0"),
        (["phi", "--counts", "8:2", "--nodes", "-1"], "-1 is negative"),
        (["phi", "--counts", "8:2", "--capacity", "6"], "capacity 6: must be one of 2, 4, 8, 16"),
        (["phi", "--counts", "8:2", "--capacity", "x"], "'x' is not an integer"),
        (["phi", "--counts", "8:2", "--widths", "2,x"], "--widths: 'x' is not an integer"),
        (["phi", "--counts", "8:2", "--widths", "3,8"], "--widths: widths (3, 8): 3 does not divide 8"),
        (["run", "x", "--variant", "unified"], "Missing option '--nodes'"),
        (["run", "x", "--nodes", "3"], "Missing option '--variant'"),
        (["run", "x", "--nodes", "0", "--variant", "unified"], "0 is too small, must be from 1 to 10000000"),
        (["run", "x", "--nodes", "unlimited", "--variant", "unified"], "'unlimited' is not an integer"),
        (["run", "x", "--nodes", "1e3", "--variant", "unified"], "'1e3' is not an integer"),
        (["run", "x", "--nodes", "9" * 99, "--variant", "unified"], "a number of 99 digits is too large"),
        (
            ["run", "x", "--nodes", "3", "--variant", "unifid"],
            "'unifid' is not one of printed, repaired, unified, did you mean 'unified'?",
        ),
        (["run", "x", "--nodes", "3", "--variant", "unified", "--open-nodes", "0"], "0 is too small"),
        (["run", "x", "--nodes", "3", "--variant", "repaired", "--open-nodes", "1"], "open nodes: only for"),
        (["run", "x", "--nodes", "3", "--variant", "unified", "--reading", "refill=text"], "readings: only for"),
        (
            ["run", "x", "--nodes", "3", "--variant", "printed", "--reading", "refil=text"],
            "mean 'refill'? (refill, rehome,",
        ),
        (
            ["run", "x", "--nodes", "3", "--variant", "printed", "--reading", "x=\x1b"],
            r"'x=\x1b': no reading is named 'x' (",
        ),
        (
            ["run", "x", "--nodes", "3", "--variant", "printed", "--reading", "ties=x"],
            "ties has no 'x'; nearest: lowest",
        ),
        (["run", "x", "--nodes", "3", "--variant", "printed", "--reading", "\x1b[2J"], r"'\x1b[2J'"),
        (["replay", "x", "--nodes", "many", "--variant", "unified"], "'many' is not an integer (or unlimited)"),
        (["generate", "--mix", "venu"], "mix 'venu': there is none, did you mean 'venus'?"),
        (["generate", "--jobs", "0"], "0 is too small"),
        (["generate", "--jobs", "9999999"], "9999999 is too large"),
        (["generate", "--seed", "-1"], "-1 is negative"),
        (["generate", "--mean-gap", "x"], "'x' is not a number"),
        (["generate", "--mean-gap", "0"], "'0' must be positive and at most 1e+06"),
        (["generate", "--mean-gap", "1e7"], "'1e7' must be positive and at most 1e+06"),
        (["generate", "--mean-gap", "-.5"], "'-.5' must be positive and at most 1e+06"),
        (["generate", "--mean-gap", "９"], "'９' is not a number"),
        (["generate", "--mean-gap", "1_0"], "'1_0' is not a number"),
        (["generate", "--mean-gap", " 5"], "' 5' is not a number"),
        (["generate", "--mean-gap", "5\n"], r"'5\n' is not a number"),
        (["generate", "--mean-gap", "."], "'.' is not a number"),
        (["generate", "--mean-duration", "nan"], "'nan' is not a number"),
        (["generate", "--mean-duration", "1e999"], "'1e999' must be positive and at most "),
        (["generate", "--out", ""], "'': cannot be written: not the name of a file"),
        (["generate", "--out", "absent/"], "'absent/': cannot be written: not the name of a file"),
        (
            ["generate", "--out", "/nonexistent/t.csv"],
            "/nonexistent/t.csv: cannot be written: No such file or directory",
        ),
        (["generate", "--out", "/"], "/: cannot be written: Is a directory"),
    ],
)
def test_bad_use(capsys, arguments, what):
    assert what in complaint(capsys, *arguments)


def test_a_job_that_never_fits_is_told_from_one_that_does_not_fit_now(capsys, tmp_path):
    path = tmp_path / "events"
    path.write_text(
        '{"event":"arrive","job":"a","gpus":8,"instances":3}\n{"event":"arrive","job":"b","gpus":1}\n'
        '{"event":"arrive","job":"c","gpus":8,"instances":4}\n'
    )
    assert main(["run", str(path), *CLUSTER]) == 2
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 2
    assert '"job":"b","admitted":false' in captured.out
    assert captured.err.startswith(f"compass: {path}:3: ")
    assert "'c'" in captured.err


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=80), beginning=st.sampled_from(["", TRACE, ROWS, JSON, ARRIVE]))
def test_random_bytes_never_end_in_a_traceback(capsys, monkeypatch, data, beginning):
    for arguments in (["wcc", "-"], ["sif", "-"], ["show", "-"], ["run", "-", *CLUSTER], ["replay", "-", *CLUSTER]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(beginning.encode() + data)))
        status = main(arguments)
        captured = capsys.readouterr()
        assert status in (0, 2)
        assert (status == 2) == (captured.err != "")
        if status:
            assert captured.err.count("\n") == 1
            assert captured.err[:-1].isprintable()
            assert captured.out == "" or arguments[0] == "run"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=8), max_size=4))
def test_random_arguments_never_end_in_a_traceback(capsys, words):
    for arguments in (words, ["phi", "--counts", *words], ["run", "/dev/null", "--nodes", *words]):
        status = main(arguments)
        captured = capsys.readouterr()
        assert status in (0, 2)
        if status:
            assert captured.err.count("\n") == 1
            assert captured.err[:-1].isprintable()
            assert captured.out == ""
