"""The encoding is tied to the code on long lists and many nodes: runs hold, and each kind of departure shows."""

from collections import Counter

import pytest

pytest.importorskip("numpy", reason="numpy is not installed")
pytest.importorskip("z3", reason="z3 is not installed")
pytest.importorskip("sympy", reason="sympy is not installed")

from compass.printed import Printed
from verification.faults import FAULTS
from verification.passes import passes_encoded
from verification.walks import _Repaired, _Unified, walks_encoded


def seeded(name):
    return next(fault for fault in FAULTS if fault.name == name).seeded()


def test_every_short_list_is_drained_as_encoded():
    # Pool nodes with 1..3 instances and {2}, multisets of up to 3 of them: 3 + 6 + 10 and 1 + 1 + 1; 2 long lists.
    assert passes_encoded(3, 4, long_lists=2, longest=20) == (True, "24 runs of Compact", {"cases": 24})


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("Compact stops in long lists", "it ends with"),
        ("roomiest host", "an item moves from"),
        ("fullest drained", "an item moves from"),
        ("no pool pass", "passes of widths"),
        ("no width passes", "passes of widths"),
    ],
)
def test_a_pass_that_is_not_encoded_is_noticed(fault, said):
    with seeded(fault):
        holds, detail, _ = passes_encoded(5, 4, long_lists=0)
    assert not holds
    assert said in detail


def without_first(self, indices):
    return [self._state.nodes[k] for k in [*indices][1:]]


def dropping_the_first(self, nodes, *rest, drain=Printed._best_fit_drain):
    drain(self, nodes, *rest)
    del nodes[:1]


@pytest.mark.parametrize(
    ("name", "faulty", "said"),
    [("_nodes", without_first, "N is"), ("_best_fit_drain", dropping_the_first, "is dropped with an item")],
)
def test_a_list_that_lacks_a_node_or_loses_one_is_noticed(monkeypatch, name, faulty, said):
    monkeypatch.setattr(Printed, name, faulty)
    holds, detail, _ = passes_encoded(2, 4, long_lists=0)
    assert not holds
    assert said in detail


def test_what_happens_in_a_run_is_counted():
    holds, detail, numbers = walks_encoded("unified", 12, open_nodes=2, events=60, capacity=4)
    assert holds
    assert numbers.keys() == {"place", "refill", "merge"}
    assert f"refill {numbers['refill']}" in detail


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("departures settled once", "is not one instance less"),
        ("four hosts looked at", "moves, another"),
        ("limits of three and more ignored", "exceeds a limit"),
        ("one node in twenty kept back", "admitted is False, not True"),
        ("one refill only", "before all refills are done"),
        ("one merge only", "settling ends before"),
        ("most vacancy first", "refill:"),
        ("donors in the wrong order", "refill:"),
        ("fillers shun vacancy", "a 1-GPU instance goes to"),
    ],
)
def test_an_operator_that_is_not_encoded_is_noticed(fault, said):
    with seeded(fault):
        holds, detail, _ = walks_encoded("unified", open_nodes=3, events=200)
    assert not holds
    assert said in detail


def test_admission_by_definition():
    """Figures by hand, G = 8: `repaired` wants a node for what is left when the 2 beside the 5s departs."""
    unified, repaired = _Unified(2), _Repaired(2)
    for sizes, in_unified, in_repaired in (
        ([8, 8], True, True),
        ([8, 8, 1], False, False),
        ([5, 3, 5, 3], False, False),  # slots of 8 + 4 + 8 + 4
        ([4, 4, 2] + [1] * 6, True, False),  # A = 10, P = 6: two nodes of slots and one of the pool
        ([4, 4, 1], True, True),
    ):
        running = Counter(sizes)
        assert (unified.admissible(running), repaired.admissible(running)) == (in_unified, in_repaired), sizes
