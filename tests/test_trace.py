"""Job traces: strict in, exact out, and the real ones where they are at hand."""

from __future__ import annotations

import io
import os
import pathlib
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.errors import InputError
from compass.trace import COLUMNS, TraceJob, format_trace, read_trace, write_trace

HEADER = "job_id,submit_time,duration,instances,gpus_per_instance\n"
REAL = pathlib.Path(os.environ.get("COMPASS_TRACES", pathlib.Path(__file__).parents[2] / "shared" / "traces"))


def read(text, capacity=8):
    return read_trace(io.BytesIO(text.encode() if isinstance(text, str) else text), capacity)


def check_line(text):
    assert text.isprintable()


def message(text, capacity=8):
    with pytest.raises(InputError) as caught:
        read(text, capacity)
    return str(caught.value).removeprefix("<stream>:")


names = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="/"), min_size=1, max_size=20)
jobs = st.builds(
    TraceJob, names, st.integers(0, 10**15), st.integers(0, 10**15), st.integers(1, 10**6), st.integers(1, 16)
)
traces = st.lists(jobs, min_size=1, unique_by=lambda job: job.job_id)


@given(traces)
def test_round_trip(trace):
    assert read(format_trace(trace), 16) == sorted(trace, key=lambda job: job.submit_time)


@given(traces, st.permutations(range(7)))
def test_columns_in_any_order_and_further_ones(trace, order):
    def shuffled(line):
        fields = [*line.split(","), "x1", "x2"]
        return ",".join(fields[k] for k in order)

    plain = [job._replace(job_id=f"j{k}") for k, job in enumerate(trace)]
    lines = [",".join(COLUMNS), *(",".join(map(str, job)) for job in plain)]
    assert read("\n".join(map(shuffled, lines)), 16) == sorted(plain, key=lambda job: job.submit_time)


@given(st.binary(max_size=60), st.booleans())
def test_random_bytes_give_a_trace_or_an_input_error(data, with_header):
    try:
        trace = read(HEADER.encode() * with_header + data)
    except InputError as error:
        check_line(str(error))
    else:
        assert trace


@given(st.text('0123456789,ab"/-. \n\r', max_size=40))
def test_random_rows_give_a_trace_or_an_input_error(text):
    try:
        trace = read(HEADER + text)
    except InputError as error:
        check_line(str(error))
    else:
        assert read(format_trace(trace)) == trace


def test_bom_crlf_blank_lines_and_quotes():
    text = "\ufeff\r\n" + HEADER + "\r\n" + '"a, b",5,0,1,1\r\n  \nc,0,60,2,8'
    assert read(text) == [TraceJob("c", 0, 60, 2, 8), TraceJob("a, b", 5, 0, 1, 1)]


def test_jobs_of_one_time_keep_their_order():
    assert [job.job_id for job in read(HEADER + "b,1,1,1,1\na,1,1,1,1\nc,0,1,1,1\n")] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("a,0,1,1", "4 fields where the header has 5"),
        ("a,0,1,1,1,1", "6 fields where the header has 5"),
        ("a", "1 field where the header has 5"),
        (",0,1,1,1", "job_id is empty"),
        ("a/0,0,1,1,1", "job_id 'a/0': a job's name cannot hold '/', which numbers its instances"),
        ("a\x07,0,1,1,1", r"job_id 'a\x07': a name cannot hold an unprintable character"),
        ("a,-1,1,1,1", "submit_time -1 is negative, must be from 0 to 1000000000000000"),
        ("a,1.5,1,1,1", "submit_time '1.5' is not an integer"),
        ("a,1000000000000001,1,1,1", "submit_time 1000000000000001 is too large, must be from 0 to 1000000000000000"),
        ("a,0,x,1,1", "duration 'x' is not an integer"),
        ("a,0,,1,1", "duration is empty, must be an integer"),
        ("a,0,1,0,1", "instances 0 is too small, must be from 1 to 1000000"),
        ("a,0,1,1000001,1", "instances 1000001 is too large, must be from 1 to 1000000"),
        ("a,0,1,1,0", "gpus_per_instance 0 is too small, must be from 1 to 8"),
        ("a,0,1,1,-2", "gpus_per_instance -2 is negative, must be from 1 to 8"),
        ("a,0,1,1,9", "gpus_per_instance 9 is too large, must be from 1 to 8"),
        ("a,0,1,1,1_0", "gpus_per_instance '1_0' is not an integer"),
        (f"a,0,1,1,{'9' * 9999}", "gpus_per_instance a number of 9999 digits is too large, at most 8"),
        ("ok,0,1,1,1", "job 'ok' stands twice"),
        ('"a,0,1,1,1', "malformed CSV: unexpected end of data"),
    ],
)
def test_malformed_rows_are_named(row, what):
    assert message(f"{HEADER}ok,0,1,1,1\n\n{row}\nb,0,1,1,1\n") == f"4: {what}"


def test_the_capacity_limits_the_demand():
    assert read(HEADER + "a,0,1,1,16\n", 16)[0].gpus_per_instance == 16
    assert message(HEADER + "a,0,1,1,5\n", 4) == "2: gpus_per_instance 5 is too large, must be from 1 to 4"


def test_headers_and_empty_traces():
    assert message("") == " the file is empty"
    assert message(HEADER) == " no job below the header"
    assert message("\njob_id,duration,instances,gpus\n") == "2: missing columns submit_time, gpus_per_instance"
    assert message("job_id," + HEADER) == "1: column 'job_id' stands twice"
    assert message(b"a\xff") == "1: byte 0xff at position 2 is not UTF-8"


@pytest.mark.parametrize(
    ("job", "what"),
    [
        (TraceJob("a\n", 0, 1, 1, 1), r"job 'a\n': 'a\n': a name cannot hold an unprintable character"),
        (TraceJob("a", -1, 1, 1, 1), "job 'a': submit_time -1 is too small, must be from 0 to 1000000000000000"),
        (TraceJob("a", 0, 1.5, 1, 1), "job 'a': duration 1.5 is not an integer"),
        (TraceJob("a", 0, 1, 1, 17), "job 'a': gpus_per_instance 17 is too large, must be from 1 to 16"),
        (TraceJob("ok", 0, 1, 1, 1), "job 'ok' stands twice"),
    ],
)
def test_malformed_jobs_are_not_written(job, what, tmp_path):
    target = tmp_path / "t.csv"
    with pytest.raises(InputError) as caught:
        write_trace([TraceJob("ok", 0, 1, 1, 1), job], target)
    assert str(caught.value) == what
    assert not list(tmp_path.iterdir())


def test_an_empty_trace_is_not_written():
    with pytest.raises(InputError, match=r"^a trace has at least one job$"):
        format_trace([])


def test_written_file_is_read_back():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.csv"
        write_trace([TraceJob("a", 0, 1, 1, 1)], path)
        assert read_trace(path) == [TraceJob("a", 0, 1, 1, 1)]
        assert path.read_bytes() == HEADER.encode() + b"a,0,1,1,1\n"


@pytest.mark.parametrize(
    ("name", "number", "demand"), [("venus", 125293, 843849), ("openb", 3630, 3998), ("itp_c03", 3011, 18760)]
)
def test_real_traces(name, number, demand):
    path = REAL / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"the real trace {name}.csv is not at hand (set COMPASS_TRACES to its folder)")
    trace = read_trace(path)
    assert len(trace) == number
    assert sum(job.instances * job.gpus_per_instance for job in trace) == demand
    assert format_trace(trace).encode() == path.read_bytes()
