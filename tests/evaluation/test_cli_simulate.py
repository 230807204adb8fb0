"""The command ``compass simulate``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from compass.cli import main
from compass.evaluation.days import DAY
from compass.evaluation.registry import SCHEDULERS
from compass.trace import write_trace
from tests.evaluation.common import trace_of

ROOT = Path(__file__).resolve().parents[2]
KEYS = "nodes jobs ajct agu afr max_sif moves_per_job wcc_share blocked_by_fragmentation_share seconds"


@pytest.fixture
def trace(tmp_path):
    """Day 0: a and b take five GPUs each of two nodes, so c waits for a whole one. Day 2: one job."""
    file = tmp_path / "trace.csv"
    rows = ((0, 100, 1, 5), (0, 60, 1, 5), (10, 30, 1, 6), (2 * DAY, 5, 1, 1))
    write_trace(trace_of(*rows), file)
    return str(file)


def simulate(capsys, trace, options):
    status = main(["simulate", trace, *options.split()])
    out, err = capsys.readouterr()
    return status, out, err


def test_json_has_every_key(capsys, trace):
    status, out, _ = simulate(
        capsys,
        trace,
        "--scheduler best-fit --nodes 2 --day 0 --cost 3 --queue easy --json",
    )
    record = json.loads(out)
    assert status == 0
    assert set(KEYS.split()) <= record.keys()
    expected = {
        "trace": "trace",
        "day": "0",
        "eta": "-",
        "nodes": 2,
        "jobs": 3,
        "ajct": (100 + 60 + 80) / 3,
        "agu": 10 / 16,
        "afr": 0.0,
        "cost": 3,
        "queue": "easy",
    }
    assert {key: record[key] for key in expected} == expected
    assert record["blocked_by_fragmentation_share"] == 1  # six GPUs are free
    assert record["wcc_share"] == 0  # a 5 leaves three that no 1 fills


def test_a_table_without_what_does_not_apply(capsys, trace):
    status, out, _ = simulate(capsys, trace, "--scheduler unified --open-nodes unlimited --eta 1 --day 2")
    rows = dict(line.split("  ", 1) for line in out.splitlines())
    rows = {key: value.strip() for key, value in rows.items()}
    assert status == 0
    assert rows["open nodes"] == "unlimited"
    assert (rows["trace"], rows["day"], rows["eta"], rows["nodes"]) == ("trace", "2", "1.00", "1")
    assert rows["afr"] == "- (undefined)"
    assert "seed" not in rows


def test_the_whole_trace_and_settings_of_all_kinds(capsys, trace):
    for options in (
        "--scheduler drr --round 300 --eta 0.90",
        "--scheduler fft --round never --eta .5",
        "--scheduler fft --round-phase 0 --nodes 2",
        "--scheduler drr --round-phase day --nodes 2",
        "--scheduler cafgd --alpha 0.00 --window 60 --wait W1 --nodes 2",
        "--scheduler mcg --load 0.1 --queue mcg-block --nodes 2",
        "--scheduler printed --reading ties=highest --nodes 2 --cost-rule instance",
    ):
        status, out, err = simulate(capsys, trace, f"{options} --json")
        assert (status, err) == (0, "")
        assert (json.loads(out)["jobs"], json.loads(out)["day"]) == (4, "all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--scheduler bestfit --nodes 2", "--scheduler 'bestfit': there is none, did you mean 'best-fit'?"),
        ("--scheduler best-fit --open-nodes 2 --nodes 2", "--open-nodes: 'best-fit' has no such setting (it has"),
        (
            "--scheduler fft --patience 5 --nodes 2",
            "--patience: 'fft' has no such setting (it has --round, --round-phase, --queue, --cost, --cost-rule)",
        ),
        ("--scheduler fft --reading ties=lowest --nodes 2", "--reading: 'fft' has no such setting"),
        ("--scheduler cafgd --wait W1 --queue skip --nodes 2", "--wait W1: only with --queue fifo, not skip"),
        ("--scheduler fft --queue mcg-skip --nodes 2", "--queue mcg-skip: needs a scheduler that scores jobs"),
        ("--scheduler best-fit --queue fifi --nodes 2", "--queue 'fifi': must be one of fifo, easy"),
        ("--scheduler best-fit --queue fofo --nodes 2", "did you mean 'fifo'?"),
        (
            "--scheduler unified --open-nodes unlimitd --nodes 2",
            "is not an integer (or unlimited), did you mean 'unlimi",
        ),
        ("--scheduler drr --round nevr --nodes 2", "'nevr' is not an integer (or never), did you mean 'never'?"),
        ("--scheduler best-fit", "give either --nodes or --eta"),
        ("--scheduler best-fit --nodes 2 --eta .5", "give either --nodes or --eta"),
        ("--scheduler best-fit --eta 0.0", "'0.0' must be a decimal number above 0 and at most 1"),
        ("--scheduler best-fit --eta 1.5", "'1.5' must be a decimal number above 0 and at most 1"),
        ("--scheduler best-fit --nodes 2 --day 1", "day 1: no job was submitted on it"),
        ("--scheduler drr --round 0 --nodes 2", "0"),
        ("--scheduler drr --round-phase noon --nodes 2", "noon"),
        ("--scheduler cafgd --alpha 2 --nodes 2", "'2' must be positive and at most 1"),
        ("--scheduler printed --reading tie=low --nodes 2", "no reading is named 'tie'"),
    ],
)
def test_bad_input_is_one_line(capsys, trace, options, message):
    status, out, err = simulate(capsys, trace, options)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_help_names_the_options_of_every_scheduler_as_they_are_given(capsys):
    rounds = "--round [3600], --round-phase [0]"
    with_options = {"printed": "--reading", "unified": "--open-nodes [1]", "fft": rounds, "ideal": "-"}
    assert main(["simulate", "--help"]) == 0
    out = capsys.readouterr().out
    rows = dict(line.split(maxsplit=1) for line in out.partition("Schedulers, ")[2].splitlines() if line[:2] == "  ")
    assert {name: rows[name] for name in with_options} == with_options
    known = set(re.findall(r"^  (--[a-z-]+)", out, re.MULTILINE))
    assert {option for name in SCHEDULERS for option in re.findall(r"--[a-z-]+", rows[name])} <= known


def test_the_size_is_asked_for_before_the_trace_is_read(capsys):
    _, _, err = simulate(capsys, "none.csv", "--scheduler best-fit")
    assert err == "compass: give either --nodes or --eta\n"


def test_a_job_larger_than_the_cluster_is_counted(capsys, trace):
    _, out, _ = simulate(capsys, trace, "--scheduler buddy --nodes 1 --json")
    record = json.loads(out)
    assert (record["jobs"], record["never_fit"]) == (4, 0)
    write_trace(trace_of((0, 9, 1, 1), (0, 9, 3, 8)), trace)
    _, out, _ = simulate(capsys, trace, "--scheduler buddy --nodes 2 --json")
    record = json.loads(out)
    assert (record["jobs"], record["never_fit"], record["ajct"]) == (1, 1, 9)


def test_the_core_does_not_load_the_evaluation():
    code = "import sys, compass, compass.cli; print(sorted(name for name in sys.modules if 'evaluation' in name))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout == "[]\n"
    code = "import sys, compass.evaluation.schedulers; print({*sys.modules} & {'scipy', 'numpy', 'pyarrow'})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout == "set()\n"
