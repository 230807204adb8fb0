"""Strict reading of text: bytes in, values or one-line errors out."""

from __future__ import annotations

import io
import os
import stat
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass import text_input
from compass.errors import InputError
from compass.text_input import (
    Line,
    about,
    check_name,
    check_range,
    csv_record,
    input_error,
    nearest,
    open_source,
    parse_integer,
    printable,
    quoted,
    read_header,
    read_text,
    source_name,
    split_csv,
    split_lines,
    stream_lines,
    write_text,
)


def message(call, *args, **kwargs):
    with pytest.raises(InputError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


@given(st.text())
def test_a_message_is_one_printable_line(text):
    shown = printable(text)
    assert shown.isprintable()
    assert str(input_error(text, 3, text)).isprintable()
    assert quoted(text).isprintable()


def test_long_text_is_shortened():
    assert printable("x" * 81) == "x" * 77 + "..."
    assert printable("x" * 80) == "x" * 80


def test_errors_name_file_and_line():
    assert str(input_error("a\nb.csv", 7, "no\tjob")) == r"a\nb.csv:7: no\tjob"
    assert str(input_error("f", None, "gone")) == "f: gone"


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_text_with_and_without_bom(bom):
    assert read_text(io.BytesIO(bom + b"a\r\nb")) == ("<stream>", "a\r\nb")


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\x1c\n", "\u2003".encode()])
def test_empty_text_is_refused(data):
    assert message(read_text, io.BytesIO(data)) == "<stream>: the file is empty"


def test_bytes_that_are_not_utf8_are_named():
    assert message(read_text, io.BytesIO(b"ok\nab\xff")) == "<stream>:2: byte 0xff at position 3 is not UTF-8"
    assert message(read_text, io.BytesIO(b"\xc3(")) == "<stream>:1: byte 0xc3 at position 1 is not UTF-8"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_nul_bytes_are_named(encoding):
    first = 2 if encoding == "utf-16-le" else 1
    what = f"<stream>:1: NUL byte at position {first}: the text must be UTF-8, and not UTF-16"
    assert message(read_text, io.BytesIO("a,b\n".encode(encoding))) == what
    assert message(read_text, io.BytesIO("é\nü\0".encode())).startswith("<stream>:2: NUL byte at position 3: ")
    assert message(list, stream_lines("f", io.BytesIO(b"a\n\0b"))).startswith("f:2: NUL byte at position 1: ")


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(text_input, "MAX_BYTES", 3)
    assert read_text(io.BytesIO(b"abc"))[1] == "abc"
    assert message(read_text, io.BytesIO(b"abcd")) == "<stream>: larger than 3 bytes"


def test_paths_that_cannot_be_read(tmp_path):
    missing = tmp_path / "missing.csv"
    assert message(read_text, missing) == f"{missing}: No such file or directory"
    assert message(read_text, str(tmp_path)) == f"{tmp_path}: Is a directory"
    assert message(read_text, "a\0b") == r"a\x00b: a path cannot hold a NUL character"
    if os.geteuid():  # root reads everything
        locked = tmp_path / "locked.csv"
        locked.write_text("x")
        locked.chmod(0)
        assert message(read_text, locked) == f"{locked}: Permission denied"


def test_a_failing_stream_is_an_input_error():
    class Broken(io.BytesIO):
        name = "broken"

        def read(self, size=-1):
            raise OSError

    assert message(read_text, Broken()) == "broken: OSError"


def test_exceptions_that_are_no_fault_of_the_source_pass():
    def fail(error):
        with open_source(io.BytesIO()):
            raise error

    with pytest.raises(BrokenPipeError):
        fail(BrokenPipeError())
    with pytest.raises(ValueError, match=r"^other$"):
        fail(ValueError("other"))
    with pytest.raises(InputError, match=r"^mine$"):
        fail(InputError("mine"))


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hello")))
    assert read_text("-") == ("<stdin>", "hello")
    assert source_name("-") == "<stdin>"


def test_standard_input_that_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert message(read_text, "-") == "<stdin>: standard input is closed"


@pytest.fixture
def pipe():
    """Both ends of a pipe; its reading end does not block."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    os.close(reading)


def write_slowly(descriptor, *parts):
    def write():
        for part in parts:
            time.sleep(0.05)
            os.write(descriptor, part)
        os.close(descriptor)

    writer = threading.Thread(target=write)
    writer.start()
    return writer


@pytest.mark.parametrize("buffering", [-1, 0])
def test_a_source_that_does_not_block_is_read_to_its_end(pipe, buffering):
    writer = write_slowly(pipe[1], b"on", b"e\ntw", b"o\n")
    with open(pipe[0], "rb", buffering, closefd=False) as stream:
        assert read_text(stream)[1] == "one\ntwo\n"
        assert not stream.closed
    writer.join()


def test_lines_of_a_source_that_does_not_block_are_whole(pipe):
    writer = write_slowly(pipe[1], b"on", b"e\ntw", b"o\n")
    with open(pipe[0], "rb", closefd=False) as stream, open_source(stream) as (name, source):
        assert list(stream_lines(name, source)) == [(1, "one"), (2, "two")]
    writer.join()


def test_an_unbuffered_source_is_read_to_its_end():
    reading, writing = os.pipe()
    writer = write_slowly(writing, b"on", b"e")
    with open(reading, "rb", 0) as stream:
        assert read_text(stream)[1] == "one"
    writer.join()


def test_only_lf_and_crlf_end_a_line():
    assert split_lines("a\r\nb\nc\rd\x0be\u2028f\r") == ["a", "b", "c\rd\x0be\u2028f"]
    assert split_lines("a\nb") == ["a", "b"]


def test_lines_of_a_stream():
    stream = io.BytesIO(b"\xef\xbb\xbfa\r\n\n  \nb\xc3\xa9")
    assert list(stream_lines("f", stream)) == [(1, "a"), (4, "bé")]
    assert message(list, stream_lines("f", io.BytesIO(b"a\n\xfe\n"))) == "f:2: byte 0xfe at position 1 is not UTF-8"


def test_a_line_that_is_too_long(monkeypatch):
    monkeypatch.setattr(text_input, "MAX_LINE", 4)
    assert list(stream_lines("f", io.BytesIO(b"abc\nabcd"))) == [(1, "abc"), (2, "abcd")]
    assert message(list, stream_lines("f", io.BytesIO(b"abc\nabcde"))) == "f:2: the line is longer than 4 bytes"


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("007", 7), ("100", 100)])
def test_integers(text, value):
    assert parse_integer(text, 0, 100) == value


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty, must be an integer"),
        ("-1", "-1 is negative, must be from 0 to 100"),
        ("101", "101 is too large, must be from 0 to 100"),
        ("9" * 24, f"{'9' * 24} is too large, must be from 0 to 100"),
        ("9" * 5000, "a number of 5000 digits is too large, at most 100"),
        *(
            (text, f"'{text}' is not an integer")
            for text in ("1.0", "1e3", "+1", "1_0", " 1", "1 ", "0x1", "²", "١", "-")
        ),
        ("1\x1b[0m", r"'1\x1b[0m' is not an integer"),
    ],
)
def test_what_is_no_integer(text, what):
    assert message(parse_integer, text, 0, 100) == what


@given(st.integers(), st.integers(0, 50))
def test_parse_integer_agrees_with_the_range(value, least):
    if least <= value <= 100:
        assert parse_integer(str(value), least, 100) == value
    else:
        assert message(parse_integer, str(value), least, 100)


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_other_types_are_no_integers(value):
    assert message(check_range, value, 0, 5) == f"{value!r} is not an integer"


def test_the_range_has_two_ends():
    assert check_range(0, 0, 5) == 0
    assert message(check_range, -1, 0, 5) == "-1 is too small, must be from 0 to 5"
    assert message(check_range, 6, 0, 5) == "6 is too large, must be from 0 to 5"


@pytest.mark.parametrize("name", ["a", "train 7", "ns/pod", "é", "x" * 256])
def test_names(name):
    assert check_name(name) == name


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("", "is empty"),
        ("x" * 257, "at most 256 characters, this one 257"),
        ("a\nb", r"'a\nb': a name cannot hold an unprintable character"),
        ("a\x1b[31m", r"'a\x1b[31m': a name cannot hold an unprintable"),
        ("\ufeffa", r"'\ufeffa': a name cannot hold an unprintable"),
        ("\ud800", r"'\ud800': a name cannot hold an unprintable"),
        (" a", "' a': a name cannot begin or end with a blank"),
        ("a ", "'a ': a name cannot begin or end with a blank"),
    ],
)
def test_what_is_no_name(name, what):
    assert what in message(check_name, name)


def test_a_job_name_has_no_slash():
    assert message(check_name, "a/0", slash=False) == "'a/0': a job's name cannot hold '/', which numbers its instances"
    assert check_name("a", slash=False) == "a"


def test_csv_fields():
    assert split_csv("a,,b") == ["a", "", "b"]
    assert split_csv('"a,b","c""d"') == ["a,b", 'c"d']
    assert csv_record("1,2", ["a", "b"]) == {"a": "1", "b": "2"}


@pytest.mark.parametrize("text", ['"open', '"a"b,c'])
def test_quotation_marks_out_of_place(text):
    assert message(split_csv, text).startswith("malformed CSV: ")


def test_wrong_number_of_fields():
    assert message(csv_record, "1", ["a", "b"]) == "1 field where the header has 2"
    assert message(csv_record, "1,2,3", ["a", "b"]) == "3 fields where the header has 2"


def test_headers():
    assert read_header("f", Line(1, "b,a,x"), ("a", "b")) == ["b", "a", "x"]
    assert message(read_header, "f", Line(2, "b,x"), ("a", "b")) == "f:2: missing column a"
    assert message(read_header, "f", Line(2, "x"), ("a", "b")) == "f:2: missing columns a, b"
    assert message(read_header, "f", Line(1, "a,b,a"), ("a", "b")) == "f:1: column 'a' stands twice"
    assert message(read_header, "f", Line(1, '"a'), ("a",)).startswith("f:1: malformed CSV: ")
    cr = "f:1: the lines end with CR alone, must end with LF or CRLF"
    assert message(read_header, "f", Line(1, "a,b\r1,2\r"), ("a",)) == cr


def test_a_header_is_looked_through_once():
    class Column(str):
        __slots__ = ()
        compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Column.compared += 1
            return str.__eq__(self, other)

    class Text(str):
        __slots__ = ()

        def split(self, *_):
            return [Column(name) for name in str.split(self, ",")]

    number = 1000
    assert len(read_header("f", Line(1, Text(",".join(map(str, range(number))))), ("0",))) == number
    assert Column.compared < 2 * number


def test_nearest_and_about():
    assert nearest("xyz", ["node"]) == ""
    assert nearest("nod", ["node", "gpus"]) == ", did you mean 'node'?"
    with pytest.raises(InputError, match=r"^gpus are bad$"), about("gpus"):
        raise InputError("are bad")


def test_a_file_is_written_as_a_whole(tmp_path):
    target = tmp_path / "out.csv"
    write_text(target, "one\n")
    assert target.read_bytes() == b"one\n"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask
    target.chmod(0o640)
    write_text(target, "two\n")
    assert target.read_bytes() == b"two\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_what_is_no_file_is_written_to_directly():
    write_text("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "new \ud800")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert message(write_text, tmp_path, "x") == f"{tmp_path}: cannot be written: Is a directory"
    missing = tmp_path / "no" / "out.csv"
    assert message(write_text, missing, "x") == f"{missing}: cannot be written: No such file or directory"

    def gone(temporary, final):
        assert os.path.dirname(temporary) == os.path.dirname(final)  # only then is replacing one step
        raise BrokenPipeError

    monkeypatch.setattr(os, "replace", gone)
    with pytest.raises(BrokenPipeError):
        write_text(target, "new")
    assert target.read_text() == "old"


@pytest.mark.parametrize("name", ["", "new/", "old/", "a\0b"])
def test_targets_that_name_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").write_text("old")
    assert message(write_text, name, "new") == f"{quoted(name)}: cannot be written: not the name of a file"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "old"


@pytest.mark.parametrize("step", ["open", "replace"])
def test_an_interrupt_at_any_moment_leaves_no_other_file(tmp_path, monkeypatch, step):
    """It may come when the new file has just been made, or has just been given its name."""
    work = getattr(os, step)

    def interrupted(*args, **kwargs):
        work(*args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "out.csv", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"] * (step == "replace")
