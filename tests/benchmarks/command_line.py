"""The one command line of all scripts here, and where they find the real traces."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from compass.errors import InputError
from compass.synthetic import generate
from compass.trace import TraceJob, read_trace

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
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
