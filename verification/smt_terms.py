"""Formulas of quantifier-free linear integer arithmetic, and their text in SMT-LIB 2.

The text of a proof obligation is made here and not by a solver's printer, so a file means the same whichever solver
reads it and does not change when a solver does. Terms are values of two types, ``Int`` and ``Bool``; products are
with constants only, so every term is linear by construction. A term can be evaluated under an assignment, which
replays a solver's model, or a witness, without a solver.

Source: Barrett, Fontaine, Tinelli, "The SMT-LIB Standard: Version 2.6", logic QF_LIA.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

LINE = 116
Env = Mapping[str, int | bool]


@dataclass(frozen=True, slots=True)
class Term:
    """An operator applied to terms; a symbol where it has no arguments."""

    op: str
    args: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Int(Term):
    """A term of sort Int.

    Examples:
        >>> x = Int("x")
        >>> text(conj(2 * x + 1 <= 7, negation(same(x, -3))))
        '(and (<= (+ (* 2 x) 1) 7) (not (= x (- 3))))'
    """

    def __add__(self, other: Int | int) -> Int:
        return Int("+", (self, number(other)))

    def __sub__(self, other: Int | int) -> Int:
        return Int("-", (self, number(other)))

    def __rmul__(self, factor: int) -> Int:
        return self if factor == 1 else Int("*", (number(factor), self))

    def __le__(self, other: Int | int) -> Bool:
        return Bool("<=", (self, number(other)))

    def __lt__(self, other: Int | int) -> Bool:
        return Bool("<", (self, number(other)))

    def __ge__(self, other: Int | int) -> Bool:
        return Bool(">=", (self, number(other)))

    def __gt__(self, other: Int | int) -> Bool:
        return Bool(">", (self, number(other)))


@dataclass(frozen=True, slots=True)
class Bool(Term):
    """A term of sort Bool."""


TRUE = Bool("true")
FALSE = Bool("false")


def number(value: Int | int) -> Int:
    """An integer constant as a term (a term is returned as it is)."""
    if isinstance(value, Int):
        return value
    return Int("-", (Int(str(-value)),)) if value < 0 else Int(str(value))


def total(parts: Iterable[tuple[int, Int]]) -> Int:
    """``sum of factor * term``; 0 where there is none."""
    terms = tuple(factor * term for factor, term in parts if factor)
    return terms[0] if len(terms) == 1 else Int("+", terms) if terms else number(0)


def maximum(one: Int, two: Int) -> Int:
    """``max(one, two)``."""
    return Int("ite", (one >= two, one, two))


def minimum(one: Int, two: Int) -> Int:
    """``min(one, two)``."""
    return Int("ite", (one <= two, one, two))


def same(one: Int, two: Int | int) -> Bool:
    """``one = two``."""
    return Bool("=", (one, number(two)))


def conj(*parts: Bool) -> Bool:
    """All of them; true where there is none."""
    kept = tuple(part for part in parts if part != TRUE)
    return kept[0] if len(kept) == 1 else Bool("and", kept) if kept else TRUE


def disj(*parts: Bool) -> Bool:
    """At least one of them; false where there is none."""
    kept = tuple(part for part in parts if part != FALSE)
    return kept[0] if len(kept) == 1 else Bool("or", kept) if kept else FALSE


def negation(part: Bool) -> Bool:
    """Not ``part``."""
    return Bool("not", (part,))


def implies(premise: Bool, conclusion: Bool) -> Bool:
    """``premise => conclusion``."""
    return Bool("=>", (premise, conclusion))


def iff(one: Bool, two: Bool) -> Bool:
    """Both or none."""
    return Bool("=", (one, two))


def evaluate(term: Term, env: Env) -> int | bool:
    """The value of a term under an assignment of its symbols.

    Raises:
        KeyError: a symbol has no value.

    Examples:
        >>> evaluate(maximum(Int("x"), Int("y")) <= 3, {"x": 2, "y": 4})
        False
    """
    if not term.args:
        return {"true": True, "false": False}[term.op] if term in (TRUE, FALSE) else _symbol(term.op, env)
    values = [evaluate(part, env) for part in term.args]
    match term.op:
        case "+":
            return sum(values)
        case "-":
            return values[0] - sum(values[1:]) if len(values) > 1 else -values[0]
        case "*":
            return values[0] * values[1]
        case "ite":
            return values[1] if values[0] else values[2]
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "not":
            return not values[0]
        case "=>":
            return not values[0] or bool(values[1])
    one, two = values
    return {"=": one == two, "<=": one <= two, "<": one < two, ">=": one >= two, ">": one > two}[term.op]


def _symbol(name: str, env: Env) -> int | bool:
    return int(name) if name.isdigit() else env[name]


def text(term: Term) -> str:
    """A term on one line."""
    if not term.args:
        return term.op
    return f"({term.op} {' '.join(text(part) for part in term.args)})"


def layout(term: Term, indent: int) -> str:
    """A term over as many lines as it takes, short arguments side by side."""
    flat = text(term)
    if indent + len(flat) <= LINE or not term.args:
        return flat
    lines = [f"({term.op}"]
    fresh = False  # whether the last line still takes short arguments
    for part in term.args:
        short = text(part)
        if fresh and len(lines[-1]) + 1 + len(short) <= LINE:
            lines[-1] += " " + short
        else:
            shown = layout(part, indent + 1)
            lines.append(" " * (indent + 1) + shown)
            fresh = "\n" not in shown
    return "\n".join(lines) + ")"


@dataclass
class Script:
    """One satisfiability question: declarations, definitions and assertions in the order they were made."""

    _lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    definitions: dict[str, Term] = field(default_factory=dict)
    assertions: list[Bool] = field(default_factory=list)

    def note(self, comment: str) -> None:
        """A comment line."""
        self._lines.append(f"; {comment}")

    def declare(self, name: str) -> Int:
        """A new integer unknown."""
        self.names.append(name)
        self._lines.append(f"(declare-const {name} Int)")
        return Int(name)

    def define(self, name: str, meaning: Int) -> Int:
        """A name for an integer term."""
        self.definitions[name] = meaning
        start = f"(define-fun {name} () Int"
        flat = text(meaning)
        short = len(start) + len(flat) < LINE
        self._lines.append(f"{start} {flat})" if short else f"{start}\n  {layout(meaning, 2)})")
        return Int(name)

    def require(self, condition: Bool, why: str = "") -> None:
        """Assert a condition; ``why`` says it in words."""
        if why:
            self.note(why)
        self.assertions.append(condition)
        self._lines.append(f"(assert {layout(condition, 8)})")

    def text(self, status: str, header: Iterable[str]) -> str:
        """The file: header, logic, expected status, body, question."""
        comments = [f"; {line}".rstrip() for line in header]
        body = ["(set-logic QF_LIA)", f"(set-info :status {status})", *self._lines, "(check-sat)"]
        return "\n".join([*comments, *body]) + "\n"

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether an assignment of the unknowns satisfies every assertion, found without a solver."""
        env: dict[str, int | bool] = dict(values)
        for name, meaning in self.definitions.items():
            env[name] = evaluate(meaning, env)
        return all(evaluate(condition, env) for condition in self.assertions)
