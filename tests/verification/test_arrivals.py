"""Lists of cases of the design, and that they can fail."""

from compass.repaired import Repaired
from compass.unified import Unified
from verification import arrivals
from verification.arrivals import demand_alone_is_not_enough, every_arrival_is_placed, most_merge_moves


def test_every_case_of_two_small_nodes():
    # G = 2: nodes hold "", 1, 11, 2 and nothing has vacancy; 10 pairs. A 1 fits unless both are full (3 pairs: of 11
    # and 2), which leaves 7; a 2 fits where the two have at most 2 GPUs busy: with an idle one 4, and 1 beside 1.
    numbers = {"cases": 12, "most": 1, "needed": 1}
    assert every_arrival_is_placed(2, 2) == (True, "12 cases, at most 1 moves are needed, at most 1 made", numbers)


def test_an_arrival_that_waits_or_has_no_legal_steps_is_shown(monkeypatch):
    arrive = Unified.arrive
    monkeypatch.setattr(Unified, "arrive", lambda self, job, gpus: arrive(self, job, gpus)._replace(admitted=gpus == 1))
    assert "2 GPUs: Decision" in every_arrival_is_placed(2, 2)[1]
    late = lambda self, job, gpus: (d := arrive(self, job, gpus))._replace(steps=d.steps[::-1])  # noqa: E731
    monkeypatch.setattr(Unified, "arrive", late)
    assert not every_arrival_is_placed(2, 2)[0]


def test_merges(monkeypatch):
    assert most_merge_moves([2, 4])[2]["most"] == 2  # the design's figures
    assert most_merge_moves([1, 2, 4])[2]["most"] == 4
    monkeypatch.setattr(arrivals.PlanTable, "plan", lambda self, first, second: None)
    assert most_merge_moves([2]) == (False, "Shape(2,) and Shape(2, 2): None", {})


def test_demand_alone(monkeypatch):
    assert demand_alone_is_not_enough()[0]
    monkeypatch.setattr(Repaired, "admits", lambda self, running: True)
    assert not demand_alone_is_not_enough()[0]
