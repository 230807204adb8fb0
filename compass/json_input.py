"""Strict JSON with line numbers: what the standard decoder lets through is refused, and a value can be located.

The standard decoder does the parsing. What it would accept silently (a key that stands twice, ``NaN``, an integer of
a million digits) becomes a ``Refused`` value in the tree, so that the reader, which knows the path to every value it
looks at, can report it with its line; the line is searched for only once something is wrong.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Collection
from typing import Any

from compass.errors import InputError
from compass.text_input import check_name, check_range, input_error, nearest, printable, quoted

Path = tuple[str | int, ...]
"""Keys and indices that lead from the whole document to a value."""

MAX_DIGITS = 24
"""Longest integer that is converted at all; every limit in this package is shorter."""
# Possessive throughout: the matcher would keep a way back for every character of a long string.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(rf'{_STRING}|[\[\]{{}},:]|[^\s\[\]{{}},:"]++')
_BRACKET = re.compile(rf'[^"\[\]{{}}]*+(?:{_STRING}[^"\[\]{{}}]*+)*+[\[\]{{}}]')
_DEPTH = {"[": 1, "{": 1, "]": -1, "}": -1}
_KINDS = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}


class Refused(str):
    """A value that is valid for the standard decoder and not for us; its text says what is wrong."""

    __slots__ = ()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Refused:
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
    return Refused(f"key {quoted(key)} stands twice")


def _integer(digits: str) -> int | Refused:
    if len(digits) > MAX_DIGITS:
        return Refused(f"a number of {len(digits)} digits is too large")
    return int(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_constant=lambda word: Refused(f"{word} is no number of JSON"),
)


class Checker:
    """Parses a document, reads its values and reports what is wrong with its line.

    Args:
        name: the file, for messages.
        text: the document.
        first_line: number of the line it begins with.
    """

    def __init__(self, name: str, text: str, first_line: int = 1) -> None:
        self.name = name
        self.text = text
        self.first_line = first_line

    def parse(self) -> object:
        """The value of the document.

        Raises:
            InputError: it is not JSON, or nested too deeply.
        """
        try:
            return _DECODER.decode(self.text)
        except json.JSONDecodeError as error:
            line = self.first_line + error.lineno - 1
            raise input_error(self.name, line, f"not JSON: {error.msg} at column {error.colno}") from error
        except RecursionError as error:
            line = self.first_line + _deep_line(self.text)
            raise input_error(self.name, line, "JSON nested too deeply") from error

    def error(self, path: Path, what: str) -> InputError:
        """The error about the value at ``path``."""
        return input_error(self.name, self.first_line + locate(self.text, path), what)

    def record(
        self, value: object, path: Path, what: str, required: Collection[str], optional: Collection[str]
    ) -> dict[str, Any]:
        """The value when it is an object with all required keys and no unknown one.

        Unknown keys are refused: a misspelt optional one would silently change the answer.
        """
        if not isinstance(value, dict):
            raise self.error(path, f"{what} {_found(value)}, must be an object")
        for key in value:
            if key not in required and key not in optional:
                hint = nearest(key, (*required, *optional))
                raise self.error((*path, key), f"{what} has the unknown key {quoted(key)}{hint}")
        for key in required:
            if key not in value:
                raise self.error(path, f"{what} has no '{key}'")
        return value

    def items(self, value: object, path: Path, what: str) -> list[object]:
        """The value when it is a list."""
        if not isinstance(value, list):
            raise self.error(path, f"{what} {_found(value)}, must be a list")
        return value

    def integer(self, value: object, path: Path, what: str, least: int, most: int) -> int:
        """The value when it is an integer in ``least..most``; ``4.0`` and ``true`` are none."""
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(path, f"{what} {_found(value)}, must be an integer")
        try:
            return check_range(value, least, most)
        except InputError as error:
            raise self.error(path, f"{what} {error}") from error

    def word(self, value: object, path: Path, what: str, must_be: str = "a string") -> str:
        """The value when it is a string."""
        if not isinstance(value, str) or isinstance(value, Refused):
            raise self.error(path, f"{what} {_found(value)}, must be {must_be}")
        return value

    def name_of(self, value: object, path: Path, what: str, *, slash: bool = True) -> str:
        """The value when it is a string that can stand as a name."""
        name = self.word(value, path, what)
        try:
            return check_name(name, slash=slash)
        except InputError as error:
            raise self.error(path, f"{what} {error}") from error


def _found(value: object) -> str:
    if isinstance(value, Refused):
        return f"cannot be read ({value})"
    if type(value) in (int, float):
        return f"is the number {printable(repr(value), 30)}"
    return f"is {_KINDS[type(value)]}"


def locate(text: str, path: Path) -> int:
    r"""The number, from 0, of the line on which the value at ``path`` of a valid JSON text begins.

    >>> locate('{"nodes": [\n  {"name": "a"},\n  {"name": 3}\n]}', ("nodes", 1, "name"))
    2
    """
    position = _token(text, 0).start()
    for step in path:
        position = _member(text, position, step)
    return text.count("\n", 0, position)


def _member(text: str, position: int, step: str | int) -> int:
    """The position of one member, which is there, of the object or list at ``position``."""
    is_object = text[position] == "{"
    index = 0
    while True:
        token = _token(text, position + 1)  # past the bracket, and after that past the comma
        key: str | int = index
        if is_object:
            key = json.loads(token[0])
            token = _token(text, _token(text, token.end()).end())  # past the colon
        if key == step:
            return token.start()
        position = _token(text, _end(text, token)).start()
        index += 1


def _end(text: str, token: re.Match[str]) -> int:
    """The position after the value that begins with ``token``."""
    end = token.end()
    depth = _DEPTH.get(token[0], 0)
    while depth:
        end = _matched(_BRACKET.match(text, end)).end()
        depth += _DEPTH[text[end - 1]]
    return end


def _token(text: str, position: int) -> re.Match[str]:
    return _matched(_TOKEN.search(text, position))


def _matched(match: re.Match[str] | None) -> re.Match[str]:
    assert match, "the text was parsed: a value is closed before it ends"
    return match


def _deep_line(text: str) -> int:
    """The number, from 0, of the first line on which values are nested more than 100 deep; 0 where none is."""
    depths = itertools.accumulate(_DEPTH.get(token[0], 0) for token in _TOKEN.finditer(text))
    starts = (token.start() for token in _TOKEN.finditer(text))
    position = next((start for start, depth in zip(starts, depths, strict=True) if depth > 100), 0)
    return text.count("\n", 0, position)
