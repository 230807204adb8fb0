"""Replay a trace with the printed algorithm under every reading, and record how often it exceeds theorem-1's bound.

    python tests/benchmarks/measure_readings.py [--trace FILE] [--nodes N] [--out FILE] [--check]

One row a reading (readings that behave alike are run once): events after which WCC holds and more than 2 partial nodes
are avoidable, the most avoidable partial nodes, moves, and where the replay had to stop. About ten minutes a hundred
readings on one core; not part of the tests. Not resumable, but the rows are written as they come. The record of the
Venus trace is kept in tests/benchmarks/results; with --check the exit status is 1 where a row is not as there.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict
from pathlib import Path

import command_line

from compass.printed import Printed
from compass.readings import all_readings
from compass.replay import replay
from compass.trace import TraceJob

RECORD = command_line.RESULTS / "printed_readings_venus.csv"
FIGURES = (
    "events",
    "wcc_events",
    "over_bound_events",
    "max_avoidable",
    "max_avoidable_under_wcc",
    "mean_avoidable",
    "moves",
    "moves_per_instance_event",
    "violation",
)


def measure(trace: list[TraceJob], nodes: int, out: Path) -> None:
    """Run every reading once and write its row."""
    readings = list(dict.fromkeys(reading.canonical() for reading in all_readings()))
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*asdict(readings[0]), *FIGURES])
        for reading in readings:
            figures = replay(trace, Printed(nodes, readings=reading)).to_json()
            writer.writerow([*asdict(reading).values(), *(figures[name] for name in FIGURES)])
            file.flush()


def main() -> int:
    """Read the command line and measure."""
    parser = command_line.parser(__doc__)
    parser.add_argument("--nodes", type=command_line.positive, default=170, metavar="N", help="nodes (default: 170)")
    out = command_line.BUILD / "printed-readings.csv"
    parser.add_argument("--out", type=Path, default=out, metavar="FILE", help="(default: build/printed-readings.csv)")
    options = parser.parse_args()
    path = command_line.trace_file(options.trace)
    _, trace = command_line.load(path)
    measure(trace, options.nodes, options.out)
    if options.check and path is None:
        print("nothing is compared: the record is of the Venus trace")
    return int(options.check and path is not None and not command_line.same_lines(options.out, RECORD))


if __name__ == "__main__":
    sys.exit(main())
