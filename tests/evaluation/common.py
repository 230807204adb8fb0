"""What several tests of the evaluation share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import strategies as st

from compass.trace import TraceJob, read_trace

TRACES = Path(os.environ.get("COMPASS_TRACES", Path(__file__).parents[3] / "shared" / "traces"))
needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason=f"the public traces are not in {TRACES.name} (set COMPASS_TRACES)"
)


def venus():
    return read_trace(TRACES / "venus.csv")


def trace_of(*rows):
    """Jobs a, b, c, ... from rows (submit, duration, instances, gpus)."""
    return [TraceJob(chr(97 + k), *row) for k, row in enumerate(rows)]


SIZES = st.integers(1, 8)


def traces(sizes=SIZES, most=10):
    rows = st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(1, 2), sizes)
    return st.lists(rows, min_size=1, max_size=most).map(lambda rows: trace_of(*sorted(rows, key=lambda row: row[0])))
