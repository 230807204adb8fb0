"""The files under examples/ do what they are there to show."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import runpy
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from compass import Arrive, InputError, NeverFits, Scheduler, make_scheduler, sif
from compass.cli import main
from compass.event_io import read_events
from compass.replay import replay
from compass.scheduler import apply_event
from compass.snapshot_io import read_snapshot
from compass.synthetic import generate
from compass.trace import read_trace

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def first_fit():
    spec = importlib.util.spec_from_file_location("first_fit", EXAMPLES / "first_fit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_three_partial_nodes():
    assert str(sif(read_snapshot(EXAMPLES / "three-partial-nodes.json")).sif) == "1"
    events = [event for _, event in read_events(EXAMPLES / "three-partial-nodes.jsonl")]
    assert all(isinstance(event, Arrive) for event in events)
    for variant, partial in (("printed", 3), ("repaired", 2), ("unified", 0)):
        scheduler = make_scheduler(variant, 3)
        for event in events:
            apply_event(scheduler, event)
        assert scheduler.partial_nodes == partial


def test_mixed_has_two_capacities_and_two_pools():
    report = sif(read_snapshot(EXAMPLES / "mixed.csv"))
    assert {node.capacity for node in read_snapshot(EXAMPLES / "mixed.csv").nodes} == {4, 8}
    assert {pool.name: pool.sif for pool in report.pools} == {"train": Fraction(1, 2), "serve": 1}


def test_the_tiny_trace_replays_under_every_variant(capsys):
    trace = str(EXAMPLES / "tiny-trace.csv")
    for variant in ("printed", "repaired", "unified"):
        assert main(["replay", trace, "--nodes", "3", "--variant", variant, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["events"] == 2 * len(read_trace(trace))


def test_first_fit_as_a_program():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(EXAMPLES / "first_fit.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert result.stdout.splitlines() == [
        "FirstFit  worst avoidable 2, mean SIF 0.229, 0 moves, no violation",
        "Unified   worst avoidable 0, mean SIF 0.000, 4 moves, no violation",
    ]


@pytest.mark.parametrize("mix", ["venus", "uniform"])
def test_first_fit_is_a_scheduler(first_fit, mix):
    scheduler = first_fit.FirstFit(40)
    assert isinstance(scheduler, Scheduler)
    report = replay(generate(mix, 800, 1), scheduler)
    assert report.ok
    assert report.events + 2 * report.never_fit == 1600
    assert scheduler.partial_nodes == scheduler.snapshot().partial_nodes == 0


def test_first_fit_refuses_as_the_interface_says(first_fit):
    scheduler = first_fit.FirstFit(2)
    assert [step.node for step in scheduler.arrive("a", 3, 3).steps] == [0, 0, 1]
    assert not scheduler.arrive("b", 4, 2).admitted
    assert scheduler.snapshot().partial_nodes == scheduler.partial_nodes == 2
    with pytest.raises(NeverFits):
        scheduler.arrive("b", 4, 5)
    for call in (lambda: scheduler.arrive("a", 1), lambda: scheduler.arrive("b", 9), lambda: scheduler.depart("b")):
        with pytest.raises(InputError):
            call()
    scheduler.check()
    scheduler.check_changes()


def test_a_slurm_cluster_as_a_snapshot(capsys):
    slurm = runpy.run_path(str(EXAMPLES / "slurm_snapshot.py"))
    assert list(slurm["hosts"]("gpu[01-02,09-11],login,a-b[7]")) == [
        *("gpu01", "gpu02", "gpu09", "gpu10", "gpu11", "login", "a-b7"),
    ]
    allocations = {"gpu:4(IDX:0-3)": 4, "gpu(IDX:5)": 1, "gpu:a:2(IDX:0,6),gpu:b:3(IDX:1-3)": 5, "gpu:0(IDX:N/A)": 0}
    assert {text: slurm["gpus"](text) for text in allocations} == allocations
    slurm["main"](EXAMPLES / "slurm-jobs.txt", EXAMPLES / "slurm-nodes.txt")
    snapshot = read_snapshot(io.BytesIO(capsys.readouterr().out.encode()))
    assert {node.name: sorted(node.instances) for node in snapshot.nodes} == {
        "gpu01": [("101", 8)],
        "gpu02": [("101", 8)],
        "gpu03": [("102", 4), ("103", 1)],
        "gpu04": [("103", 4)],
        "gpu05": [("104", 1)],
        "gpu06": [],
    }
    assert {(node.capacity, node.pool) for node in snapshot.nodes} == {(8, "a100")}


def test_a_kubernetes_cluster_as_a_snapshot(capsys):
    kubernetes = runpy.run_path(str(EXAMPLES / "kubernetes_snapshot.py"))
    kubernetes["main"](EXAMPLES / "kubernetes-pods.json", EXAMPLES / "kubernetes-nodes.json", "gpu")
    snapshot = read_snapshot(io.BytesIO(capsys.readouterr().out.encode()))
    assert [sorted(node.instances) for node in snapshot.nodes] == [
        [("ml/llm", 8)],
        [("ml/llm", 8)],
        [("ml/tune", 4)],
        [("ml/eval", 3)],
        [("web/bert-7c", 1), ("web/bert-7c", 1)],
        [],
    ]
    assert {node.pool for node in snapshot.nodes} == {"h100"}
    limits = [{"resources": {"limits": {kubernetes["GPU"]: number}}} for number in ("2", "1", "4")]
    pod = {"spec": {"containers": limits[:2], "initContainers": limits[2:]}}
    assert kubernetes["gpus"](pod) == 4  # what runs before the others needs more than they do together


def test_an_own_scheduler_in_the_evaluation(capsys):
    """The rule of the example on the simulator; ideal is the best under FIFO, and AFR is 0 for it alone."""
    spec = importlib.util.spec_from_file_location("own", EXAMPLES / "own_scheduler_evaluation.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["HalfAndHalf", "BestFit", "Ideal"]
    assert [float(row[-1]) > 0 for row in rows] == [True, True, False]
    assert min(float(row[2]) for row in rows) == float(rows[2][2])
    scheduler = module.HalfAndHalf(3)
    arrivals = (("a", 1), ("b", 4), ("c", 1), ("d", 4))
    assert [scheduler.arrive(job, gpus).placements[0].node for job, gpus in arrivals] == [2, 2, 2, 0]
