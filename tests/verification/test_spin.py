"""The count-level explorer agrees with the model checker SPIN on tests/benchmarks/printed.pml."""

from pathlib import Path

import pytest

from verification.count_explorer import explore
from verification.count_printed import PrintedModel

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import bench_spin

    if why := bench_spin.missing():
        pytest.skip(f"SPIN is not compared: {why}")
    return bench_spin


def run(bench, nodes, ordered, claim=None, **options):
    found = bench.spin(nodes, ordered=ordered, claim=claim, states=10**5, optimise="-O0", **options)
    assert not found.reason
    return found


@pytest.mark.parametrize("nodes", [2, 3])
def test_states(bench, nodes):
    ours = explore(PrintedModel(nodes, sizes=bench.SIZES))
    assert run(bench, nodes, True).states == ours.all_states
    assert run(bench, nodes, True, pairs=True).errors == sum(ours.moves["compact"])
    assert run(bench, nodes, False).states == bench.placements(nodes)


VERDICTS = [(2, "theorem-1", False), (2, "sif-bound", True), (3, "theorem-1", False), (3, "sif-bound", False)]


@pytest.mark.parametrize(("nodes", "claim", "holds"), VERDICTS)
def test_verdicts(bench, nodes, claim, holds):
    ours = explore(PrintedModel(nodes, sizes=bench.SIZES)).claims[claim]
    assert run(bench, nodes, True, bench.CLAIMS[claim]).errors == ours.violations
    assert ours.holds == holds


def test_settled_states(bench):
    assert run(bench, 3, True, "NONE").errors == explore(PrintedModel(3, sizes=bench.SIZES)).states


FAULTS = {
    "Place takes any slotted node": ("FREE(k) == best && (SLOTTED(k) || best == G)", "FREE(k) >= best && FREE(k) >= w"),
    "a 1-GPU instance goes to the emptiest node": ("MAXIMUM(ones[i])", "best = 0"),
    "width 2 before width 4": ("PASS(fours, 4); PASS(twos, 2)", "PASS(twos, 2); PASS(fours, 4)"),
    "no pass of width 4": ("PASS(fours, 4); ", ""),
    "the roomiest host": ("MINIMUM(ROOM(i, w))", "best = (best == G -> ROOM(i, w) : best); MAXIMUM(ROOM(i, w))"),
    "Compact may wait": ("MAY(p)      (phase == SETTLED || phase == p)", "MAY(p)      (phase != COMPACTED)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_model_is_noticed(bench, fault, tmp_path, monkeypatch):
    right, wrong = FAULTS[fault]
    text = bench.MODEL.read_text()
    assert text.count(right) == 1
    changed = tmp_path / "printed.pml"
    changed.write_text(text.replace(right, wrong))
    monkeypatch.setattr(bench, "MODEL", changed)
    ours = explore(PrintedModel(3, sizes=bench.SIZES))
    found = run(bench, 3, True, pairs=True)
    assert (found.states - found.errors, found.errors) != (ours.all_states, sum(ours.moves["compact"]))


def test_where_spin_is_absent_the_benchmark_says_so(bench, monkeypatch, capsys):
    monkeypatch.setattr(bench.shutil, "which", lambda _: None)
    monkeypatch.setattr("sys.argv", ["bench_spin.py"])
    assert bench.main() == 0
    assert capsys.readouterr().out.startswith("SPIN is not compared: not installed: spin and gcc")
