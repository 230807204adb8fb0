"""The lower bound on moves: by hand, and against the fewest moves found by trying every placement at every instant."""

from __future__ import annotations

import math
import sys
from itertools import product
from random import Random

import pytest

from compass import InputError
from compass.evaluation.evaluate import evaluate
from compass.evaluation.executors import InProcess
from compass.evaluation.ideal import Ideal
from compass.evaluation.least_moves import beside_least, least_moves
from compass.evaluation.plans import Scope, over_days
from compass.evaluation.runs import Workload
from compass.evaluation.settings import Settings
from compass.evaluation.simulate import simulate
from compass.evaluation.store import Store
from compass.trace import TraceJob
from tests.evaluation.common import trace_of

TWICE = trace_of(
    *((0, 50, 1, 4), (0, 20, 1, 4), (0, 10, 1, 8)),  # a and b share a node
    *((10, 30, 1, 4), (20, 10, 1, 8)),  # at 20 a and the first of these do
    *((30, 20, 1, 4), (40, 10, 1, 8)),  # and at 40 a and the first of these
)


def fewest(jobs, nodes):
    """The fewest moves of any placement of `ideal`'s schedule, by dynamic programming over all placements."""
    ends = {}
    simulate(jobs, Ideal(nodes), observe=lambda r: r.kind == "depart" and ends.update({r.job: r.time}))
    spans = {job: (end - job.duration, end) for job, end in ends.items()}
    best = {(): 0}
    for now in sorted({time for span in spans.values() for time in span}):
        running = [job for job, (start, end) in spans.items() if start <= now < end]
        instances = [(job, k) for job in running for k in range(job.instances)]
        found = {}
        for places in product(range(nodes), repeat=len(instances)):
            used = [0] * nodes
            for (job, _), node in zip(instances, places, strict=True):
                used[node] += job.gpus_per_instance
            if max(used) <= 8:
                placement = tuple(zip(instances, places, strict=True))
                found[placement] = min(
                    (moves + sum(dict(before).get(one, node) != node for one, node in placement))
                    for before, moves in best.items()
                )
        best = found
        if not best:
            return math.inf
    return min(best.values())


def test_by_hand():
    assert least_moves(TWICE, 2) == fewest(TWICE, 2) == 2
    assert least_moves(TWICE[:5], 2) == fewest(TWICE[:5], 2) == 1
    assert least_moves(TWICE[:4], 2) == 0
    assert least_moves(TWICE, 3) == 0
    assert least_moves([], 2) == 0
    gone_at_once, never_fits = TraceJob("z", 0, 0, 1, 4), TraceJob("n", 99, 5, 3, 8)
    assert least_moves([gone_at_once, *TWICE, never_fits], 2) == 2
    assert least_moves([gone_at_once, TWICE[0], *TWICE[2:5]], 2) == 0  # it does not run when the next one comes


@pytest.mark.parametrize(
    ("nodes", "sizes", "jobs", "times"),
    [(2, (4, 4, 8), 9, 80), (2, (2, 3, 5, 6, 8), 9, 80), (3, (4, 4, 8), 16, 20)],
)
def test_never_more_than_the_fewest(nodes, sizes, jobs, times):
    """Nor is it always 0: where it is not, it is met here in some case."""
    random = Random(nodes)
    bounds = []
    for _ in range(times):
        submits = sorted(random.randrange(18) for _ in range(jobs))
        some = trace_of(*((at, random.randrange(1, 12), 1, random.choice(sizes)) for at in submits))
        bounds.append((least_moves(some, nodes), fewest(some, nodes)))
    assert all(bound <= least for bound, least in bounds)
    assert any(bound == least > 0 for bound, least in bounds)


def test_schedulers_beside_it(tmp_path):
    workload = Workload("twice", TWICE)
    chosen = [Settings.of(name) for name in ("ideal", "on-demand", "unified", "best-fit")]
    runs = over_days(workload, Scope(nodes=2), [*chosen, Settings.of("unified", queue="skip")], ())
    with Store(tmp_path / "runs.jsonl") as store:
        rows = evaluate(workload, runs, store, InProcess()).rows
    found = {row["label"]: row for row in beside_least([workload], rows)}
    assert list(found) == ["on-demand", "unified m=1"]  # under best-fit y waits
    assert found["on-demand"] == {
        **{"trace": "twice", "eta": "-", "label": "on-demand", "reconstruction": "no"},
        **{"days": 1, "jobs": 7, "moves": 2, "least_moves": 2, "days_at_least": 1},
    }
    assert found["unified m=1"]["moves"] >= 2


def test_without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(InputError, match="needs numpy"):
        least_moves(TWICE, 2)
