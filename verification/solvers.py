"""Ask z3 and cvc5, through their Python packages, whether an SMT-LIB text is satisfiable.

Only "sat" and "unsat" are answers. "unknown", a timeout, an error and a missing solver are exceptions, never a pass.
The solvers share no code with each other; an obligation counts as proved when both give the expected answer.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import time
from typing import Any, NamedTuple

SOLVERS = ("z3", "cvc5")


class SolverMissing(Exception):
    """The Python package of a solver is not installed.

    Attributes:
        solver: its name.
    """

    def __init__(self, solver: str, why: str = "") -> None:
        super().__init__(f"{solver} is not installed{why and f': {why}'}")
        self.solver = solver


class NoVerdict(Exception):
    """A solver was asked and gave neither "sat" nor "unsat": unknown, out of time, or an error in the text."""


class Answer(NamedTuple):
    """What a solver said, and the wall-clock seconds it took."""

    solver: str
    status: str
    seconds: float


def installed() -> tuple[str, ...]:
    """The solvers that can be asked here."""
    return tuple(name for name in SOLVERS if importlib.util.find_spec(name) is not None)


def missing() -> tuple[str, ...]:
    """The solvers that cannot be asked here."""
    return tuple(name for name in SOLVERS if name not in installed())


def version(solver: str) -> str:
    """The version of an installed solver.

    Raises:
        SolverMissing: it is not installed.
    """
    module = _module(solver)
    return str(module.get_version_string() if solver == "z3" else module.__version__)


def ask(solver: str, text: str, seconds: float = 60.0) -> Answer:
    """Whether the text of one SMT-LIB 2 question is satisfiable: ``"sat"`` or ``"unsat"``.

    Args:
        solver: ``"z3"`` or ``"cvc5"``.
        text: an SMT-LIB 2 script with one ``check-sat``.
        seconds: time limit.

    Raises:
        SolverMissing: the solver is not installed.
        NoVerdict: it did not answer within the time, or answered neither.
        ValueError: there is no such solver, or the text does not ask exactly one question.
    """
    module = _module(solver)
    if text.count("(check-sat)") != 1:
        raise ValueError(f"{text.count('(check-sat)')} check-sat commands in the text: must be one")
    failures = (module.Z3Exception,) if solver == "z3" else (RuntimeError,)
    start = time.perf_counter()
    try:
        status = _ask_z3(module, text, seconds) if solver == "z3" else _ask_cvc5(module, text, seconds)
    except failures as error:
        raise NoVerdict(f"{solver}: {error}") from error
    elapsed = time.perf_counter() - start
    if status not in ("sat", "unsat"):
        raise NoVerdict(f"{solver}: {status} after {elapsed:.1f} s")
    return Answer(solver, status, elapsed)


def _module(solver: str) -> Any:  # noqa: ANN401  # neither package ships types for what is used here
    if solver not in SOLVERS:
        raise ValueError(f"solver {solver!r}: must be {' or '.join(SOLVERS)}")
    try:
        return importlib.import_module(solver)
    except ImportError as error:
        raise SolverMissing(solver, str(error)) from error


def _ask_z3(z3: Any, text: str, seconds: float) -> str:  # noqa: ANN401
    solver = z3.SimpleSolver(ctx=z3.Context())  # a context of its own: no question sees another
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.from_string(text)
    verdict = str(solver.check())
    return verdict if verdict != "unknown" else f"unknown ({solver.reason_unknown()})"


def _ask_cvc5(cvc5: Any, text: str, seconds: float) -> str:  # noqa: ANN401
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser = cvc5.InputParser(solver)
    # With the expected status in sight cvc5 reports another answer as an error; the answer is what is wanted.
    text = re.sub(r"\(set-info :status \w+\)", "", text)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    symbols = parser.getSymbolManager()
    status = "no check-sat in the text"
    while not (command := parser.nextCommand()).isNull():
        output = command.invoke(solver, symbols).strip()
        if command.getCommandName() == "check-sat":
            status = output
        elif output:
            raise RuntimeError(output)
    return status
