from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from verification import solvers
from verification.ledger import PROOFS
from verification.solvers import Answer, NoVerdict, SolverMissing, ask

SAT = "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (> x 0))\n(check-sat)\n"
UNSAT = SAT.replace("(check-sat)", "(assert (< x 1))\n(check-sat)")


def _market_split(unknowns: int, rows: int) -> str:
    """Equations in 0/1 unknowns that no solver decides quickly."""
    rng = random.Random(1)
    lines = [f"(declare-const x{k} Int)\n(assert (and (>= x{k} 0) (<= x{k} 1)))" for k in range(unknowns)]
    for _ in range(rows):
        weights = [rng.randrange(1, 100) for _ in range(unknowns)]
        parts = " ".join(f"(* {weight} x{k})" for k, weight in enumerate(weights))
        lines.append(f"(assert (= (+ {parts}) {sum(weights) // 2}))")
    return "\n".join(["(set-logic QF_LIA)", *lines, "(check-sat)"])


HARD = _market_split(40, 5)

each_solver = pytest.mark.parametrize(
    "solver",
    [
        pytest.param(name, marks=pytest.mark.skipif(name in solvers.missing(), reason=f"{name} is not installed"))
        for name in solvers.SOLVERS
    ],
)


@each_solver
def test_sat_and_unsat(solver: str) -> None:
    assert ask(solver, SAT).status == "sat"
    answer = ask(solver, UNSAT)
    assert (answer.solver, answer.status) == (solver, "unsat")
    assert answer.seconds >= 0


@each_solver
def test_the_stated_status_does_not_change_the_answer(solver: str) -> None:
    assert ask(solver, SAT.replace("(declare", "(set-info :status unsat)\n(declare", 1)).status == "sat"


@each_solver
def test_out_of_time_is_no_verdict(solver: str) -> None:
    with pytest.raises(NoVerdict, match=solver):
        ask(solver, HARD, seconds=0.05)


@each_solver
def test_an_error_in_the_text_is_no_verdict(solver: str) -> None:
    with pytest.raises(NoVerdict, match="y"):
        ask(solver, SAT.replace("(> x 0)", "(> y 0)"))


@each_solver
@pytest.mark.parametrize("text", [SAT.replace("(check-sat)", ""), SAT + "(check-sat)\n"])
def test_one_question_a_text(solver: str, text: str) -> None:
    with pytest.raises(ValueError, match="must be one"):
        ask(solver, text)


def test_an_unknown_solver() -> None:
    with pytest.raises(ValueError, match="z3 or cvc5"):
        ask("yices", SAT)


@pytest.mark.parametrize("solver", solvers.SOLVERS)
def test_a_missing_solver_is_an_error_of_its_own(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, solver, None)  # what an import of an absent package meets
    with pytest.raises(SolverMissing, match=solver):
        ask(solver, SAT)


def test_missing_and_installed_are_all_of_them() -> None:
    assert sorted((*solvers.installed(), *solvers.missing())) == sorted(solvers.SOLVERS)


@each_solver
def test_version(solver: str) -> None:
    assert solvers.version(solver)[0].isdigit()


@pytest.mark.skipif(solvers.missing() != (), reason="both solvers are asked")
def test_obligations_are_measured(monkeypatch, capsys):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "benchmarks")
    import measure_obligations

    measure_obligations.main(["printed-pool-pass"])
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith(("| z3", "| cvc5"))]
    files = len(list((PROOFS / "printed-pool-pass").glob("*.smt2")))
    assert [row[1] for row in rows] == [str(files)] * 2
    with pytest.raises(SystemExit, match="no obligation of these claims"):
        measure_obligations.main(["no-such-claim"])
    monkeypatch.setattr(measure_obligations, "ask", lambda solver, text: Answer(solver, "unknown", 0.0))
    with pytest.raises(SystemExit, match="z3 says unknown"):
        measure_obligations.main(["printed-pool-pass"])
