"""Run every experiment of the evaluation on the real traces, and compare the tables with those of the documentation.

    python tests/benchmarks/measure_evaluation.py [--out DIR] [--jobs J] [EXPERIMENT ...]

Finished runs are kept in DIR, so that it goes on where it was stopped. Where no DIR is given it is one of the present
sources of the package alone: nothing is compared that others have computed. About half an hour; not part of the tests.
The traces are looked for where the benchmarks look for them. Exit status 1 if a table differs, 2 if one is not there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import command_line

from compass.cli import main as compass
from compass.evaluation.store import sources

DOCUMENTED = command_line.ROOT / "docs" / "evaluation"
VENUS = ("venus",)
ALL = ("venus", "itp_c03", "openb")
EXPERIMENTS: dict[str, tuple[str, ...]] = {
    "overall": ALL,
    "wcc": VENUS,
    "blocking": VENUS,
    "intensity": VENUS,
    "composition": VENUS,
    "phases": VENUS,
    "mix": ALL,
    "dynamics": VENUS,
    "frontier": ALL,
    "migration": VENUS,
}
"""The experiments and the traces that each is shown for."""


def run(experiment: str, out: Path, jobs: int) -> int:
    """One experiment; returns the exit status of `compass evaluate`."""
    paths = [command_line.TRACES / f"{name}.csv" for name in EXPERIMENTS[experiment]]
    for path in paths:
        if not path.is_file():
            print(f"{path}: not there (COMPASS_TRACES names the folder of the traces)", file=sys.stderr)
            return 2
    traces = [word for path in paths for word in ("--trace", str(path))]
    folders = ["--out", str(out), "--publish", str(out / "published"), "--jobs", str(jobs)]
    return compass(["evaluate", experiment, *traces, *folders])


def differing(documented: Path, published: Path) -> list[str]:
    """The tables that are not what the documentation has, by name."""
    tables = sorted(path.name for path in published.glob("*.csv"))
    return [name for name in tables if _content(documented / name) != _content(published / name)]


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for, all of it where nothing is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"of {', '.join(EXPERIMENTS)}")
    parser.add_argument("--out", type=Path, default=command_line.BUILD / f"evaluation-{sources()}", metavar="DIR")
    parser.add_argument("--jobs", type=command_line.positive, default=2, metavar="J")
    options = parser.parse_args(arguments)
    unknown = set(options.experiments) - EXPERIMENTS.keys()
    if unknown:
        parser.error(f"no experiment {sorted(unknown)[0]!r}")
    for experiment in options.experiments or EXPERIMENTS:
        status = run(experiment, options.out, options.jobs)
        if status:
            return status
    differs = differing(DOCUMENTED, options.out / "published")
    print("\n".join(f"{name}: not as documented" for name in differs) or "every table is as documented")
    return int(bool(differs))


if __name__ == "__main__":
    sys.exit(main())
