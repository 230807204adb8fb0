"""Replay a trace with the printed algorithm under every reading, and record how often it exceeds theorem-1's bound.

    python tests/benchmarks/measure_readings.py TRACE [NODES] [OUT.csv]

One row a reading (readings that behave alike are run once): events after which WCC holds and more than 2 partial nodes
are avoidable, the most avoidable partial nodes, moves, and where the replay had to stop. About ten minutes a hundred
readings on one core; not part of the tests. Not resumable, but the rows are written as they come.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict
from pathlib import Path

from compass.printed import Printed
from compass.readings import all_readings
from compass.replay import replay
from compass.trace import read_trace

RESULTS = Path(__file__).parent / "results" / "printed_readings_venus.csv"
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


def main(trace_file: str, nodes: str = "170", out: str = str(RESULTS)) -> None:
    """Run every reading once and write its row."""
    trace = read_trace(trace_file)
    readings = list(dict.fromkeys(reading.canonical() for reading in all_readings()))
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*asdict(readings[0]), *FIGURES])
        for reading in readings:
            figures = replay(trace, Printed(int(nodes), readings=reading)).to_json()
            writer.writerow([*asdict(reading).values(), *(figures[name] for name in FIGURES)])
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
