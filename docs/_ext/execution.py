"""What stands on a page is run: commands with their output, and Python up to a picture. No Sphinx here."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import runpy
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from compass.cli import main

ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A new folder to run in, with the checkout's `examples` and `proofs`; what is written there is forgotten."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in ("examples", "proofs"):
            os.symlink(ROOT / name, name)
        yield Path(folder)


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console session, each after ``$``, and the output that is shown below it."""
    command, output = "", ""
    for line in text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, output
            command, output = line[2:], ""
        elif command.endswith("\\"):
            command = command[:-1] + line.strip()
        else:
            output += line + "\n"
    if command:
        yield command, output


def output_of(command: str) -> str:
    """What `compass ...`, `python FILE ...` or `cat FILE` prints on both streams; `> FILE` at its end is heeded."""
    words = shlex.split(command)
    target = words[-1] if len(words) > 2 and words[-2] == ">" else None
    program, *arguments = words[:-2] if target else words
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        if program == "compass":
            main(arguments)
        elif program == "python":
            argv, sys.argv = sys.argv, arguments
            try:
                runpy.run_path(arguments[0], run_name="__main__")
            finally:
                sys.argv = argv
        elif program == "cat":
            print(Path(arguments[0]).read_text(encoding="utf-8"), end="")
        else:
            raise ValueError(f"no such program on these pages: {program}")
    written = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
    if target is None:
        return str(written)
    Path(target).write_text(written, encoding="utf-8")
    return ""


def differences(text: str) -> Iterator[str]:
    """A sentence for each command of a session that prints something else; `...` stands for anything."""
    checker = doctest.OutputChecker()
    for command, shown in sessions(text):
        printed = output_of(command)
        if not checker.check_output(shown, printed, doctest.ELLIPSIS):
            yield f"{command}: the page shows\n{shown}and it prints\n{printed}"


def run_examples(text: str, names: dict[str, Any]) -> None:
    """Run the examples of a doctest block; what they print is compared elsewhere, exceptions they show may come."""
    for example in doctest.DocTestParser().get_examples(text):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(example.source, "<page>", "single"), names)
        except Exception:
            if example.exc_msg is None:
                raise


def svg_texts(code: str, names: dict[str, Any]) -> list[str]:
    """The pictures that the last expression of ``code`` stands for: one SVG text, or several."""
    *statements, last = ast.parse(code).body
    assert isinstance(last, ast.Expr), "a picture ends with an expression"
    exec(compile(ast.Module(statements, []), "<picture>", "exec"), names)
    value: str | Iterable[str] = eval(compile(ast.Expression(last.value), "<picture>", "eval"), names)
    return [value] if isinstance(value, str) else list(value)
