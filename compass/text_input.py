"""Strict reading of text: where every reader of a file or of standard input begins.

A reader turns bytes into values or raises ``InputError`` with one line ``FILE:LINE: what is wrong``; nothing else
escapes. A UTF-8 byte-order mark and CRLF line ends are accepted, anything that is not UTF-8 is not. The message
never holds a line break or a control character, whatever the input holds.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import io
import os
import selectors
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple, cast

from compass.errors import InputError

Source = str | os.PathLike[str] | BinaryIO
"""A path, ``"-"`` for standard input, or an open binary stream."""

MAX_BYTES = 2**30
"""Largest file that is read as a whole."""
MAX_LINE = 2**20
"""Longest line of a file that is read line by line, in bytes."""
MAX_NAME = 256
"""Longest name of a job, node or pool, in characters."""
MAX_TIME = 10**15
"""Latest time and longest duration, in seconds: sums of two stay exact even in a double."""
MAX_INSTANCES = 1_000_000
"""Most instances of one job, and of one size in a list of counts."""
MAX_NODES = 10_000_000
"""Largest cluster."""

_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line of text without its line end, and its number from 1."""

    number: int
    text: str


def printable(text: str, limit: int = 80) -> str:
    r"""``text`` as it may stand in a message: everything unprintable escaped, shortened to ``limit`` characters.

    >>> print(printable("a\nb\x1b[31m"))
    a\nb\x1b[31m
    """
    if len(text) > limit:
        text = text[: limit - 3] + "..."
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(text: str) -> str:
    """``printable(text)`` in quotation marks."""
    return f"'{printable(text, 60)}'"


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the known word most like it, or nothing.

    >>> nearest("gpu", ["node", "gpus"])
    ", did you mean 'gpus'?"
    """
    near = difflib.get_close_matches(word, list(known), 1, 0.5)  # one of four letters may be wrong
    return f", did you mean '{near[0]}'?" if near else ""


def input_error(name: str, line: int | None, what: str) -> InputError:
    """The error for line ``line`` of file ``name``, or for the whole file where no line is to blame.

    >>> str(input_error("jobs.csv", 3, "no job"))
    'jobs.csv:3: no job'
    """
    where = printable(name, 1000) if line is None else f"{printable(name, 1000)}:{line}"
    return InputError(f"{where}: {printable(what, 1000)}")


@contextlib.contextmanager
def about(what: str) -> Iterator[None]:
    """Put ``what`` before the message of an ``InputError`` raised inside."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{what} {error}") from error


@contextlib.contextmanager
def open_source(source: Source) -> Iterator[tuple[str, BinaryIO]]:
    """Open a source and yield its name in messages and its bytes; a stream that was passed in is left open.

    Raises:
        InputError: it cannot be opened or read (also when reading fails inside the ``with`` block).
    """
    name = source_name(source)
    with contextlib.ExitStack() as stack:
        try:
            stream = source
            if isinstance(stream, str) and stream == "-":
                if sys.stdin is None:
                    raise input_error(name, None, "standard input is closed")
                stream = sys.stdin.buffer
            if isinstance(stream, (str, os.PathLike)):
                stream = stack.enter_context(open(stream, "rb"))
            yield name, io.BufferedReader(_Patient(stream)) if _may_fall_short(stream) else stream
        except BrokenPipeError:
            raise  # whoever reads our output has gone: no fault of this source
        except OSError as error:
            raise input_error(name, None, _reason(error)) from error
        except ValueError as error:
            if isinstance(error, InputError) or "\0" not in name:
                raise
            raise input_error(name, None, "a path cannot hold a NUL character") from error


class _Patient(io.RawIOBase):
    """Reads from a stream, and waits where a stream in non-blocking mode has no data yet."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as in the base class
        # The type of the stream says otherwise, but None is what there is while nothing can be read.
        while (data := cast(bytes | None, self._stream.read(len(buffer)))) is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._stream, selectors.EVENT_READ)
                selector.select()
        buffer[: len(data)] = data
        return len(data)


def _may_fall_short(stream: BinaryIO) -> bool:
    """Whether a read may give less than there is to come: a part would be taken for the whole."""
    try:
        return isinstance(stream, io.RawIOBase) or not os.get_blocking(stream.fileno())
    except (AttributeError, OSError, ValueError):  # not a file of the system
        return False


def source_name(source: Source) -> str:
    """What messages call a source: its path, ``<stdin>``, or the name of the stream."""
    if isinstance(source, (str, os.PathLike)):
        return "<stdin>" if source == "-" else os.fspath(source)
    return str(getattr(source, "name", "<stream>"))


def read_text(source: Source) -> tuple[str, str]:
    """The whole text of a source, as ``(name in messages, text)``; line ends are kept.

    Raises:
        InputError: it cannot be read, is empty, larger than ``MAX_BYTES`` or not UTF-8.
    """
    with open_source(source) as (name, stream):
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise input_error(name, None, f"larger than {MAX_BYTES} bytes")
    text = decode(name, data.removeprefix(_BOM), 1)
    if not text.strip():
        raise input_error(name, None, "the file is empty")
    return name, text


def write_text(target: str | os.PathLike[str], text: str) -> None:
    """Write a file, all of it or nothing: into a new file beside it, which then takes its name.

    A target that is no regular file (a pipe, ``/dev/stdout``) cannot be replaced and is written to directly.

    Raises:
        InputError: it cannot be written.
    """
    name = os.fspath(target)
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            with open(name, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            return
        if not name or "\0" in name or name.endswith(("/", os.sep)):
            raise input_error(quoted(name), None, "cannot be written: not the name of a file")
        _replace(os.path.realpath(name), text)  # a symbolic link stays one
    except BrokenPipeError:
        raise
    except OSError as error:
        raise input_error(os.fspath(target), None, f"cannot be written: {_reason(error)}") from error


def _replace(name: str, text: str) -> None:
    old = os.stat(name).st_mode & 0o777 if os.path.exists(name) else None

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags, 0o666 if old is None else 0o600)

    # The name is known before the file is there, so it is removed whenever an exception or a signal comes.
    temporary = os.path.join(os.path.dirname(name), f".compass-{os.urandom(8).hex()}")
    try:
        with open(temporary, "x", encoding="utf-8", newline="", opener=opener) as stream:
            stream.write(text)
        if old is not None:
            os.chmod(temporary, old)
        os.replace(temporary, name)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def decode(name: str, data: bytes, first_line: int) -> str:
    """Strict UTF-8 without NUL; ``first_line`` is the number of the line that ``data`` begins with.

    Raises:
        InputError: it is not UTF-8; the message names line and byte.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x} at position {{}} is not UTF-8"
        raise _byte_error(name, data, first_line, error.start, what) from error
    if "\0" in text:
        what = "NUL byte at position {}: the text must be UTF-8, and not UTF-16"
        raise _byte_error(name, data, first_line, data.index(0), what)
    return text


def _byte_error(name: str, data: bytes, first_line: int, position: int, what: str) -> InputError:
    """The error about the byte at ``position``; ``what`` has a place for its number in its line."""
    line = first_line + data.count(b"\n", 0, position)
    return input_error(name, line, what.format(position - data.rfind(b"\n", 0, position)))


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends, LF or CRLF; no other character ends a line."""
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return lines


def stream_lines(name: str, stream: BinaryIO) -> Iterator[Line]:
    """The lines of an open source one by one, each as soon as it is there; blank lines are skipped.

    Raises:
        InputError: a line is not UTF-8 or longer than ``MAX_LINE`` bytes.
    """
    number = 0
    while data := stream.readline(MAX_LINE + 1):
        number += 1
        if len(data) > MAX_LINE:
            raise input_error(name, number, f"the line is longer than {MAX_LINE} bytes")
        if number == 1:
            data = data.removeprefix(_BOM)
        text = decode(name, data, number).removesuffix("\n").removesuffix("\r")
        if text and not text.isspace():
            yield Line(number, text)


def parse_integer(text: str, least: int, most: int) -> int:
    """The integer in ``least..most`` (``least >= 0``) written in ``text``: decimal digits and nothing else.

    Raises:
        InputError: it is none; the message says what is wrong with the value, the caller knows where it stands.

    Examples:
        >>> parse_integer("12", 0, 100)
        12
        >>> parse_integer("1_2", 0, 100)
        Traceback (most recent call last):
            ...
        compass.errors.InputError: '1_2' is not an integer
    """
    if text.isdigit() and text.isascii():
        # The length first: int() takes quadratic time, and refuses more than 4,300 digits with its own error.
        if len(text) > 24:
            raise InputError(f"a number of {len(text)} digits is too large, at most {most}")
        return check_range(int(text), least, most)
    if text.isascii() and text[:1] == "-" and text[1:].isdigit():
        raise InputError(f"{printable(text, 24)} is negative, must be from {least} to {most}")
    raise InputError(f"{quoted(text)} is not an integer" if text else "is empty, must be an integer")


def check_range(value: object, least: int, most: int) -> int:
    """Return ``value`` when it is an ``int`` (no ``bool``) in ``least..most``.

    Raises:
        InputError: it is not.
    """
    if type(value) is not int:
        raise InputError(f"{printable(repr(value), 60)} is not an integer")
    if not least <= value <= most:
        raise InputError(f"{value} is too {'small' if value < least else 'large'}, must be from {least} to {most}")
    return value


def check_name(name: str, *, slash: bool = True) -> str:
    """Return a name that can stand for a job, node or pool.

    Printable, without blanks at its ends, not empty, at most ``MAX_NAME`` characters; without a slash unless
    ``slash``: instance k of job x is called "x/k", so the jobs of events and traces have none.

    Raises:
        InputError: it is no such name.
    """
    if not name:
        raise InputError("is empty")
    if len(name) > MAX_NAME:
        raise InputError(f"{quoted(name)}: a name has at most {MAX_NAME} characters, this one {len(name)}")
    if not name.isprintable():
        raise InputError(f"{quoted(name)}: a name cannot hold an unprintable character")
    if name != name.strip():
        raise InputError(f"{quoted(name)}: a name cannot begin or end with a blank")
    if not slash and "/" in name:
        raise InputError(f"{quoted(name)}: a job's name cannot hold '/', which numbers its instances")
    return name


def split_csv(text: str) -> list[str]:
    """The fields of one CSV record (RFC 4180, comma; a record is one line).

    Raises:
        InputError: a quotation mark is out of place.
    """
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise InputError(f"malformed CSV: {error}") from error


def csv_record(text: str, columns: list[str]) -> dict[str, str]:
    """The fields of one CSV record by column.

    Raises:
        InputError: it has more or fewer fields than there are columns.
    """
    fields = split_csv(text)
    if len(fields) != len(columns):
        raise InputError(f"{len(fields)} field{'s' * (len(fields) != 1)} where the header has {len(columns)}")
    return dict(zip(columns, fields, strict=True))


def read_header(name: str, line: Line, required: tuple[str, ...]) -> list[str]:
    """The column names of a CSV header; every required one is there and none is there twice.

    Raises:
        InputError: a column is missing or repeated, or the lines end with CR alone.
    """
    if "\r" in line.text:
        raise input_error(name, line.number, "the lines end with CR alone, must end with LF or CRLF")
    try:
        columns = split_csv(line.text)
    except InputError as error:
        raise input_error(name, line.number, str(error)) from error
    missing = [column for column in required if column not in columns]
    if missing:
        raise input_error(name, line.number, f"missing column{'s' * (len(missing) > 1)} {', '.join(missing)}")
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            raise input_error(name, line.number, f"column {quoted(column)} stands twice")
        seen.add(column)
    return columns
