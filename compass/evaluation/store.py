"""Results kept on disk, so that an interrupted evaluation goes on where it stopped.

One line a run, JSON with a checksum, appended when the run is done. A line that was cut off when the evaluation was
stopped has no line end and is dropped. Any other line that is not as it was written is an error that names it: nothing
damaged is used.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from compass.errors import InputError
from compass.evaluation.runs import Outcome
from compass.text_input import input_error


class Store:
    """The results of runs by their key; a context manager that holds the file open.

    Args:
        path: the file, made where there is none.

    Raises:
        InputError: the file cannot be read or written, or a line of it is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results: dict[str, Outcome] = {}
        try:
            if self.path.exists():
                self._read()
            self._file: TextIO = open(self.path, "a", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by close
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from error

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
        body = [key, outcome.measures, outcome.seconds]
        try:
            self._file.write(f"{json.dumps([_check(body), *body])}\n")
            self._file.flush()
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from error

    def _read(self) -> None:
        data = self.path.read_bytes()
        whole, _, cut = data.rpartition(b"\n")
        for number, line in enumerate(whole.split(b"\n") if whole else [], 1):
            try:
                check, *body = json.loads(line)
                key, measures, seconds = body
            except (ValueError, TypeError):
                check, body = None, []
            if not body or check != _check(body):
                what = "damaged: this is no result as it was written (delete the line, or the file)"
                raise input_error(str(self.path), number, what)
            self.results[key] = Outcome(measures, seconds)
        if cut:
            os.truncate(self.path, len(data) - len(cut))


def _check(body: list[Any]) -> str:
    return hashlib.sha256(json.dumps(body).encode()).hexdigest()[:16]
