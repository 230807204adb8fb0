"""Events and decisions as JSON Lines."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import InputError
from compass.event_io import format_decision, format_event, read_events
from compass.events import Arrive, Decision, Depart, Move, Placement


def read(text, capacity=8):
    return list(read_events(io.BytesIO(text.encode() if isinstance(text, str) else text), capacity))


def check_line(text):
    assert text.startswith("<stream>:")
    assert text.isprintable()


def message(text, capacity=8):
    with pytest.raises(InputError) as caught:
        read(text, capacity)
    shown = str(caught.value)
    assert shown.isprintable()
    return shown.removeprefix("<stream>:")


names = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="/"), min_size=1, max_size=12)
events = st.builds(Arrive, names, st.integers(1, 8), st.integers(1, 10**6)) | st.builds(Depart, names)


@given(st.lists(events, min_size=1), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_round_trip(given_events, end, bom):
    text = "\ufeff" * bom + "".join(format_event(event) + end for event in given_events)
    numbers, got = zip(*read(text), strict=True)
    assert list(got) == given_events
    assert numbers == tuple(range(1, len(end.replace("\r", "")) * len(got) + 1, len(end.replace("\r", ""))))


def test_the_interchange_examples():
    assert read('{"event":"arrive","job":"a","gpus":4,"instances":2}') == [(1, Arrive("a", 4, 2))]
    assert read('{"event":"arrive","job":"a","gpus":4}') == [(1, Arrive("a", 4, 1))]
    assert read('{"event":"depart","job":"a"}') == [(1, Depart("a"))]


def test_events_come_as_soon_as_their_line_is_there():
    class Waiting(io.BytesIO):
        lines = 0

        def readline(self, size=-1):
            self.lines += 1
            return super().readline(size)

    stream = Waiting(b'{"event":"depart","job":"a"}\n{"event":"depart","job":"b"}\nx')
    reader = read_events(stream)
    assert next(reader) == (1, Depart("a"))
    assert stream.lines == 1
    assert next(reader) == (2, Depart("b"))
    with pytest.raises(InputError, match=r"^<stream>:3: not JSON"):
        next(reader)


@given(st.binary(max_size=60))
def test_random_bytes_give_events_or_an_input_error(data):
    for text in (data, b'{"event":"arrive","job":' + data + b"}"):
        try:
            assert read(text)
        except InputError as error:
            check_line(str(error))


@given(
    st.dictionaries(
        st.sampled_from(["event", "job", "gpus", "instances", "x"]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.sampled_from(["arrive", "depart"])
        | st.text()
        | st.lists(st.none()),
    )
)
def test_random_objects_give_events_or_an_input_error(record):
    try:
        ((_, event),) = read(json.dumps(record))
    except InputError as error:
        check_line(str(error))
    else:
        default = {"instances": 1} if isinstance(event, Arrive) else {}
        assert json.loads(format_event(event)) == default | record


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[" * 100_000, "JSON nested too deeply"),
        ("3", "the event is the number 3, must be an object"),
        ("null", "the event is null, must be an object"),
        ('{"job":"a"}', "the event has no 'event'"),
        ('{"evnt":"arrive"}', "the event has the unknown key 'evnt', did you mean 'event'?"),
        ('{"event":null}', "event is null, must be 'arrive' or 'depart'"),
        ('{"event":NaN}', "event cannot be read (NaN is no number of JSON), must be 'arrive' or 'depart'"),
        ('{"event":"leave","job":"a"}', "event 'leave': must be 'arrive' or 'depart'"),
        ('{"event":["arrive"],"job":"a"}', "event is a list, must be 'arrive' or 'depart'"),
        ('{"event":"arrive","job":"a"}', "the arrive event has no 'gpus'"),
        ('{"event":"arrive","gpus":1}', "the arrive event has no 'job'"),
        ('{"event":"depart","job":"a","gpus":1}', "the depart event has the unknown key 'gpus'"),
        (
            '{"event":"depart","job":"a","job":"b"}',
            "the event cannot be read (key 'job' stands twice), must be an object",
        ),
        ('{"event":"depart","job":3}', "job is the number 3, must be a string"),
        ('{"event":"depart","job":""}', "job is empty"),
        ('{"event":"depart","job":"a/0"}', "job 'a/0': a job's name cannot hold '/', which numbers its instances"),
        ('{"event":"depart","job":"a\\n"}', r"job 'a\n': a name cannot hold an unprintable character"),
        ('{"event":"arrive","job":"a","gpus":0}', "gpus 0 is too small, must be from 1 to 8"),
        ('{"event":"arrive","job":"a","gpus":-4}', "gpus -4 is too small, must be from 1 to 8"),
        ('{"event":"arrive","job":"a","gpus":9}', "gpus 9 is too large, must be from 1 to 8"),
        ('{"event":"arrive","job":"a","gpus":"4"}', "gpus is a string, must be an integer"),
        ('{"event":"arrive","job":"a","gpus":4.0}', "gpus is the number 4.0, must be an integer"),
        ('{"event":"arrive","job":"a","gpus":1e999}', "gpus is the number inf, must be an integer"),
        (
            '{"event":"arrive","job":"a","gpus":NaN}',
            "gpus cannot be read (NaN is no number of JSON), must be an integer",
        ),
        ('{"event":"arrive","job":"a","gpus":1,"instances":0}', "instances 0 is too small, must be from 1 to 1000000"),
        (
            '{"event":"arrive","job":"a","gpus":1,"instances":1000001}',
            "instances 1000001 is too large, must be from 1 to 1000000",
        ),
    ],
)
def test_malformed_events(line, what):
    assert message('{"event":"depart","job":"ok"}\n\n' + line) == f"3: {what}"


def test_empty_and_unreadable_files(tmp_path):
    assert message("") == " the file is empty"
    assert message("\n \n") == " the file is empty"
    assert message(b"\n\xff") == "2: byte 0xff at position 1 is not UTF-8"
    with pytest.raises(InputError, match="Is a directory"):
        list(read_events(tmp_path))


def test_the_capacity_limits_the_demand():
    assert read('{"event":"arrive","job":"a","gpus":16}', 16)
    assert message('{"event":"arrive","job":"a","gpus":5}', 4) == "1: gpus 5 is too large, must be from 1 to 4"


def test_decisions():
    decision = Decision("arrive", "é", True, (Placement("é/0", 0), Move("b/0", 1, 0)))
    assert json.loads(format_decision(decision)) == decision.to_json()
    assert format_decision(decision).isascii()
    assert "\n" not in format_decision(decision)
