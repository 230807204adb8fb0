"""The one command line of all scripts here, and where they find the real traces."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from compass.errors import InputError
from compass.synthetic import generate
from compass.trace import TraceJob, read_trace

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
RESULTS = Path(__file__).with_name("results")
TRACES = Path(os.environ.get("COMPASS_TRACES", ROOT.parent / "shared" / "traces"))


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that every script has, whether it needs them or not: one line of arguments serves them all."""
    result = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    result.add_argument(
        "--trace",
        type=_file,
        metavar="FILE",
        help="trace to use (default: venus.csv in $COMPASS_TRACES or in ../shared/traces; where it is absent, a "
        "synthetic one)",
    )
    result.add_argument(
        "--samples",
        type=positive,
        default=500,
        metavar="K",
        help="solves of each family, bench_phi only (default: 500)",
    )
    result.add_argument(
        "--plot",
        type=Path,
        default=BUILD / "moves-against-sif.svg",
        metavar="FILE",
        help="where the plot goes, bench_replay only (default: build/moves-against-sif.svg)",
    )
    for name, default, what in (
        ("--max-nodes N", 6, "largest N, 12 at most"),
        ("--plain-nodes N", 5, "largest N of the plain model"),
        ("--time-limit S", 120, "seconds a search"),
        ("--memory MB", 6000, "of SPIN"),
    ):
        option, metavar = name.split()
        text = f"{what}, bench_spin only (default: {default})"
        result.add_argument(option, type=positive, default=default, metavar=metavar, help=text)
    result.add_argument(
        "--check",
        action="store_true",
        help="exit status 1 where what does not depend on the machine is not as recorded, by all but bench_phi",
    )
    result.add_argument("--full", action="store_true", help="the full tier too, bench_check only")
    return result


def _file(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"{text}: no such file")
    return path


def positive(text: str) -> int:
    """The value of an option that is a positive integer."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r}: must be a positive integer")
    return int(text)


def trace_file(chosen: Path | None) -> Path | None:
    """The chosen trace, else the Venus trace where it is there."""
    venus = TRACES / "venus.csv"
    return chosen or (venus if venus.is_file() else None)


def load(path: Path | None) -> tuple[str, list[TraceJob]]:
    """The name of the trace and its jobs, of a synthetic one of the Venus mix where there is no file."""
    if path is None:
        print("no real trace is at hand (set COMPASS_TRACES to its folder or give --trace): a synthetic one is used")
        return "synthetic Venus mix", generate("venus", 100_000, 1, mean_gap=80, mean_duration=9000)
    try:
        return path.stem, read_trace(str(path))
    except InputError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


def as_recorded(rows: Iterable[Sequence[str]], record: Path, columns: int) -> bool:
    """Whether the first columns of every row stand in a table of a Markdown page; prints the rows that do not.

    A cell that is "-" or in parentheses was not measured and is not compared.
    """
    lines = [line for line in record.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    known = [[cell.strip() for cell in line.strip("|").split("|")][:columns] for line in lines]

    def stands(row: Sequence[str]) -> bool:
        measured = [k for k, cell in enumerate(row[:columns]) if cell != "-" and not cell.startswith("(")]
        return any(len(there) == columns and all(there[k] == row[k] for k in measured) for there in known)

    return _told([" | ".join(row) for row in rows if not stands(row)], record)


def same_lines(made: Path, record: Path) -> bool:
    """Whether two files have the same lines; prints those of the first that the second does not have there."""
    ours, theirs = (path.read_text(encoding="utf-8").splitlines() for path in (made, record))
    differing = [f"line {k + 1}: {line}" for k, line in enumerate(ours) if [line] != theirs[k : k + 1]]
    if len(ours) < len(theirs):
        differing.append(f"{len(theirs) - len(ours)} lines are missing")
    return _told(differing, record)


def _told(differing: list[str], record: Path) -> bool:
    name = record.relative_to(ROOT) if record.is_relative_to(ROOT) else record
    print("".join(f"not as in {name}: {row}\n" for row in differing) or f"as in {name}\n", end="", flush=True)
    return not differing
