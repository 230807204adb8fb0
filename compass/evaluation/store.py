"""Results kept on disk, so that an interrupted evaluation goes on where it stopped.

One line a run, JSON with a checksum, appended when the run is done. A line that was cut off when the evaluation was
stopped has no line end and is dropped. Any other line that is not as it was written is an error that names it: nothing
damaged is used. Each line says which version of the package wrote it, and a digest of its sources. Those of another
version are passed over. Those of other sources, as in a checkout that has been changed since, are used and can be told
apart: not every change changes a result, and only who made it knows.

One evaluation at a time holds the file, by a lock that ends with its process.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from compass.errors import InputError
from compass.evaluation.runs import Outcome
from compass.text_input import input_error

_BEGIN = re.compile(rb'\["[0-9a-f]{16}", "')
_ANY = b'["0123456789abcdef", "'


@cache
def package_version() -> str:
    """The version of this package."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to load, seldom needed

    try:
        return version("compass-abs")
    except PackageNotFoundError:
        return "not installed"


@cache
def sources() -> str:
    """A digest of the source files of this package."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:8]


class Store:
    """The results of runs by their key; a context manager that holds the file open.

    ``foreign`` has the keys of those that other sources of this package have made.

    Args:
        path: the file, made where there is none.

    Raises:
        InputError: the file cannot be read or written, is in use, or a line of it is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results: dict[str, Outcome] = {}
        self.foreign: set[str] = set()
        try:
            # Not buffered: what the disk does not take is told when it is written, and not once more on closing.
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115 - closed by close
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from error
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, key: str, outcome: Outcome) -> None:
        """Keep the result of a run; it is handed to the system when this returns.

        Raises:
            InputError: the file cannot be written.
        """
        self.results[key] = outcome
        self.foreign.discard(key)
        body = [key, outcome.measures, outcome.seconds, package_version(), sources()]
        line = f"{json.dumps([_check(body), *body])}\n".encode()
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from error

    def _lock(self) -> None:
        try:
            import fcntl  # noqa: PLC0415 - not on every system; where it is not, nothing is locked
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{self.path}: in use by another evaluation") from None

    def _read(self) -> None:
        whole, _, cut = self.path.read_bytes().rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        for number, line in enumerate(lines, 1):
            try:
                check, *body = json.loads(line)
                key, measures, seconds, *made_by = body
                found = Outcome({**measures}, float(seconds))
            except (ValueError, TypeError, RecursionError):
                check, body = None, []
            if not body or check != _check(body):
                raise self._damaged(number)
            if made_by[:1] in ([], [package_version()]):  # lines of 0.1.0 from before they had a version
                self.results[key] = found
                (self.foreign.discard if made_by[1:] == [sources()] else self.foreign.add)(key)
        if cut:
            if not _BEGIN.match(cut + _ANY[len(cut) :]):
                raise self._damaged(len(lines) + 1)
            self._file.truncate(os.fstat(self._file.fileno()).st_size - len(cut))

    def _damaged(self, number: int) -> InputError:
        what = "damaged: this is no result as it was written (delete the line, or the file)"
        return input_error(str(self.path), number, what)


def _check(body: list[Any]) -> str:
    return hashlib.sha256(json.dumps(body).encode()).hexdigest()[:16]
