"""Snapshots as JSON and CSV: strict in, exact out."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import InputError
from compass.geometry import CAPACITIES
from compass.json_input import locate
from compass.snapshot import Node, PlacedInstance, Snapshot
from compass.snapshot_io import format_snapshot, read_snapshot, write_snapshot


def read(text, file_format=None):
    return read_snapshot(io.BytesIO(text.encode() if isinstance(text, str) else text), file_format)


def check_line(text, lines=None):
    assert text.isprintable()
    assert lines is None or 1 <= int(text.split(":")[1]) <= lines


def message(text, file_format=None):
    with pytest.raises(InputError) as caught:
        read(text, file_format)
    shown = str(caught.value)
    assert shown.isprintable()
    return shown.removeprefix("<stream>:")


names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)


@st.composite
def nodes(draw, name):
    capacity = draw(st.sampled_from(CAPACITIES))
    placed = []
    while (free := capacity - sum(i.gpus for i in placed)) and draw(st.booleans()):
        placed.append(PlacedInstance(draw(names), draw(st.integers(1, free))))
    return Node(name, tuple(placed), capacity, draw(st.just("") | names))


snapshots = (
    st.lists(names, min_size=1, max_size=5, unique=True)
    .flatmap(lambda given_names: st.tuples(*map(nodes, given_names)))
    .map(Snapshot)
)


@given(snapshots, st.sampled_from(["json", "csv"]))
def test_round_trip(snapshot, file_format):
    text = format_snapshot(snapshot, file_format)
    assert read(text, file_format) == snapshot
    assert read(text) == snapshot  # the format is recognised
    assert read("\ufeff" + text.replace("\n", "\r\n")) == snapshot


@pytest.mark.parametrize("name", ["s.json", "s.csv", "s.txt", "S.CSV"])
def test_files(tmp_path, name):
    snapshot = Snapshot.of([[4, 2], [], [1]])
    write_snapshot(snapshot, tmp_path / name)
    text = (tmp_path / name).read_text()
    assert (text[0] == "{") == (not name.lower().endswith("csv"))
    assert read_snapshot(tmp_path / name) == snapshot
    write_snapshot(snapshot, tmp_path / name, "csv")
    assert (tmp_path / name).read_text().startswith("node,job,gpus\n")
    assert read_snapshot(tmp_path / name, "csv") == snapshot


def test_the_extension_decides_before_the_content(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text('{"nodes":[]}')
    with pytest.raises(InputError, match=r"s.csv:1: missing columns node, job, gpus"):
        read_snapshot(path)


def test_the_interchange_example():
    text = '{"capacity":8,"nodes":[{"name":"n0","instances":[{"job":"a","gpus":4}]},{"name":"n1","instances":[]}]}'
    assert read(text) == Snapshot((Node("n0", (PlacedInstance("a", 4),)), Node("n1")))


def test_capacities_and_pools():
    text = '{"capacity":4,"nodes":[{"name":"a","instances":[]},{"name":"b","instances":[],"capacity":16,"pool":"x"}]}'
    assert read(text) == Snapshot((Node("a", capacity=4), Node("b", capacity=16, pool="x")))
    rows = "pool,node,gpus,job,capacity\nx,a,3,j,4\n,b,,,\nx,a,1,k,4\n"
    assert read(rows) == Snapshot((Node("a", (PlacedInstance("j", 3), PlacedInstance("k", 1)), 4, "x"), Node("b")))
    assert '"pool":""' not in format_snapshot(read(rows))
    assert read('{"nodes":[{"name":"a","instances":[],"pool":""}]}') == Snapshot((Node("a"),))


@given(st.binary(max_size=80))
def test_random_bytes_give_a_snapshot_or_an_input_error(data):
    for file_format in (None, "json", "csv"):
        try:
            snapshot = read(data, file_format)
        except InputError as error:
            check_line(str(error))
        else:
            assert snapshot.nodes


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["nodes", "name", "instances", "job", "gpus", "capacity", "pool", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(json_values, st.sampled_from([None, 1]))
def test_random_json_gives_a_snapshot_or_an_input_error(value, indent):
    for document in (value, {"nodes": value}, {"nodes": [{"name": "n", "instances": value}]}, {"nodes": [value]}):
        text = json.dumps(document, indent=indent)
        try:
            snapshot = read(text, "json")
        except InputError as error:
            check_line(str(error), text.count("\n") + 1)
        else:
            assert read(format_snapshot(snapshot)) == snapshot


@given(json_values, st.sampled_from([None, 0, 3]))
def test_every_value_of_a_document_is_located(value, indent):
    text = json.dumps(value, indent=indent, allow_nan=True)

    def check(inner, path):
        line = text.split("\n")[locate(text, path)]
        if not isinstance(inner, (dict, list)):
            assert json.dumps(inner) in line
            return
        assert ("{" if isinstance(inner, dict) else "[") in line
        for key, member in inner.items() if isinstance(inner, dict) else enumerate(inner):
            check(member, (*path, key))

    check(value, ())


def node(**keys):
    return json.dumps({"nodes": [{"name": "ok", "instances": []}, {"name": "n", "instances": []} | keys]}, indent=0)


def instance(**keys):
    return node(instances=[{"job": "j", "gpus": 1} | keys])


def too_deep(brackets):
    return '{"nodes":\n[1,\n' + "[" * brackets + "\n" + "[" * 100_000


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", " the file is empty"),
        ("{", "1: not JSON: Expecting property name enclosed in double quotes at column 2"),
        ('{"nodes":\n[}', "2: not JSON: Expecting value at column 2"),
        ('{"nodes":[]} x', "1: not JSON: Extra data at column 14"),
        ('{"nodes":[{"name":"a\tb"}]}', "1: not JSON: Invalid control character at at column 21"),
        (too_deep(98), "4: JSON nested too deeply"),
        (too_deep(99), "3: JSON nested too deeply"),
        ("[1]", "1: the snapshot is a list, must be an object"),
        ("{}", "1: the snapshot has no 'nodes'"),
        ('{"nodes":[]}', "1: the snapshot has no node"),
        ('\n{"nodes":\n3}', "3: nodes is the number 3, must be a list"),
        ('{"nodes":\n[4.5]}', "2: the node is the number 4.5, must be an object"),
        ('{"Nodes":[]}', "1: the snapshot has the unknown key 'Nodes', did you mean 'nodes'?"),
        ('{"nodes":[],\n"x\\u001b":1}', r"2: the snapshot has the unknown key 'x\x1b'"),
        ('{"nodes":[],"nodes":[]}', "1: the snapshot cannot be read (key 'nodes' stands twice), must be an object"),
        (
            '{"nodes":[\n{"x":1,"name":"a","name":"b"}]}',
            "2: the node cannot be read (key 'name' stands twice), must be an object",
        ),
        ('{"nodes":[],"capacity":true}', "1: capacity is true or false, must be an integer"),
        ('{"nodes":[],\n"capacity":6}', "2: capacity 6: must be one of 2, 4, 8, 16"),
        ('{"nodes":[],"capacity":32}', "1: capacity 32 is too large, must be from 2 to 16"),
        ('{"nodes":[],"capacity":8.0}', "1: capacity is the number 8.0, must be an integer"),
        (
            '{"nodes":[],"capacity":NaN}',
            "1: capacity cannot be read (NaN is no number of JSON), must be an integer",
        ),
        (
            '{"nodes":[],"capacity":' + "9" * 10_000 + "}",
            "1: capacity cannot be read (a number of 10000 digits is too large), must be an integer",
        ),
        (
            '{"nodes":[],"capacity":' + "9" * 25 + "}",
            "1: capacity cannot be read (a number of 25 digits is too large), must be an integer",
        ),
        ('{"nodes":[],"capacity":' + "9" * 24 + "}", f"1: capacity {'9' * 24} is too large, must be from 2 to 16"),
        ('{"nodes":[{"name":"a"}]}', "1: the node has no 'instances'"),
        ('{"nodes":[{"instances":[]}]}', "1: the node has no 'name'"),
        (node(name=3), "8: name is the number 3, must be a string"),
        (node(name=float("inf")), "8: name cannot be read (Infinity is no number of JSON), must be a string"),
        (node(name=""), "8: name is empty"),
        (node(name="a\n"), r"8: name 'a\n': a name cannot hold an unprintable character"),
        (node(name="ok"), "7: node 'ok' stands twice"),
        (node(pool=None), "10: pool is null, must be a string"),
        (node(capacity="8"), "10: capacity is a string, must be an integer"),
        (node(instances={}), "9: instances is an object, must be a list"),
        (node(size=1), "10: the node has the unknown key 'size'"),
        (node(capacity=2, instances=[{"job": "j", "gpus": 3}]), "12: gpus 3 is too large, must be from 1 to 2"),
        (node(instances=[{"job": "j", "gpus": 5}] * 2), "7: node 'n': 10 GPUs busy, more than its 8"),
        (node(instances=[7]), "10: the instance is the number 7, must be an object"),
        (instance(gpus=0), "12: gpus 0 is too small, must be from 1 to 8"),
        (instance(gpus=-1), "12: gpus -1 is too small, must be from 1 to 8"),
        (instance(gpus=9), "12: gpus 9 is too large, must be from 1 to 8"),
        (instance(gpus=True), "12: gpus is true or false, must be an integer"),
        (instance(job=None), "11: job is null, must be a string"),
        (instance(job="\x1b[2J"), r"11: job '\x1b[2J': a name cannot hold an unprintable character"),
        (instance(gpu=1), "13: the instance has the unknown key 'gpu', did you mean 'gpus'?"),
    ],
)
def test_malformed_json(text, what):
    assert message(text, "json" if text else None) == what


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("node,job\na,b\n", "1: missing column gpus"),
        ("node,job,gpus,pol\na,b,1,x\n", "1: unknown column 'pol', did you mean 'pool'?"),
        ("node,job,gpus,job\n", "1: column 'job' stands twice"),
        ("node,job,gpus\n", " no node below the header"),
        ("node,job,gpus\nn,a\n", "2: 2 fields where the header has 3"),
        ("node,job,gpus\n\nn,a,x\n", "3: gpus 'x' is not an integer"),
        ("node,job,gpus\nn,a,0\n", "2: gpus 0 is too small, must be from 1 to 8"),
        ("node,job,gpus\nn,a,-1\n", "2: gpus -1 is negative, must be from 1 to 8"),
        ("node,job,gpus\nn,a,9\n", "2: gpus 9 is too large, must be from 1 to 8"),
        ("node,job,gpus\nn,a,\n", "2: gpus is empty, must be an integer"),
        ("node,job,gpus\nn,,1\n", "2: job is empty"),
        ("node,job,gpus\n,a,1\n", "2: node is empty"),
        ("node,job,gpus\nn,a\x07,1\n", r"2: job 'a\x07': a name cannot hold an unprintable character"),
        ("node,job,gpus\nn,a\x00,1\n", "2: NUL byte at position 4: the text must be UTF-8, and not UTF-16"),
        ("node,job,gpus\rn,a,1\r", "1: the lines end with CR alone, must end with LF or CRLF"),
        ("node,job,gpus\nn,a,4\nm,b,8\nn,c,5\n", "4: node 'n': 9 GPUs busy, more than its 8"),
        ("node,job,gpus,capacity\nn,a,4,6\n", "2: capacity 6: must be one of 2, 4, 8, 16"),
        ("node,job,gpus,capacity\nn,a,4,x\n", "2: capacity 'x' is not an integer"),
        ("node,job,gpus,capacity\nn,a,3,2\n", "2: gpus 3 is too large, must be from 1 to 2"),
        ("node,job,gpus,capacity\nn,a,1,4\nn,b,1,8\n", "3: node 'n' has capacity 8 here and 4 above"),
        ("node,job,gpus,pool\nn,a,1,x\nn,b,1,\n", "3: node 'n' is in pool '' here and in 'x' above"),
        ("node,job,gpus,pool\nn,a,1,x \n", "2: pool 'x ': a name cannot begin or end with a blank"),
        ('node,job,gpus\nn,"a,1\n', "2: malformed CSV: unexpected end of data"),
        (b"node,job,gpus\nn,a\xe9,1\n", "2: byte 0xe9 at position 4 is not UTF-8"),
    ],
)
def test_malformed_csv(rows, what):
    assert message(rows) == what


@pytest.mark.parametrize(
    "snapshot",
    [
        Snapshot(()),
        Snapshot((Node("a\nb"),)),
        Snapshot((Node(""),)),
        Snapshot((Node("a", pool=" x"),)),
        Snapshot((Node("a", (PlacedInstance("", 1),)),)),
    ],
)
def test_what_could_not_be_read_back_is_not_written(snapshot, tmp_path):
    with pytest.raises(InputError):
        write_snapshot(snapshot, tmp_path / "s.json")
    assert not list(tmp_path.iterdir())
