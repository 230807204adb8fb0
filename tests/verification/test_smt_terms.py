from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verification.smt_terms import (
    FALSE,
    LINE,
    TRUE,
    Bool,
    Int,
    Script,
    conj,
    disj,
    evaluate,
    iff,
    implies,
    layout,
    maximum,
    minimum,
    negation,
    number,
    same,
    text,
    total,
)
from verification.solvers import ask, missing

x, y = Int("x"), Int("y")

ints = st.recursive(
    st.one_of(st.integers(-9, 9).map(number), st.sampled_from([x, y])),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda k, a: k * a, st.integers(-3, 3), inner),
        st.builds(maximum, inner, inner),
        st.builds(minimum, inner, inner),
    ),
    max_leaves=8,
)
bools = st.recursive(
    st.one_of(
        st.sampled_from([TRUE, FALSE]),
        st.builds(lambda a, b: a <= b, ints, ints),
        st.builds(lambda a, b: a < b, ints, ints),
        st.builds(lambda a, b: a >= b, ints, ints),
        st.builds(lambda a, b: a > b, ints, ints),
        st.builds(same, ints, ints),
    ),
    lambda inner: st.one_of(
        st.builds(negation, inner),
        st.builds(implies, inner, inner),
        st.builds(iff, inner, inner),
        st.builds(conj, inner, inner, inner),
        st.builds(disj, inner, inner),
    ),
    max_leaves=6,
)


def test_text() -> None:
    term = implies(conj(x + 1 <= 2 * y, negation(same(x, -3))), disj(x < y, y > 0))
    assert text(term) == "(=> (and (<= (+ x 1) (* 2 y)) (not (= x (- 3)))) (or (< x y) (> y 0)))"


def test_what_needs_no_operator_has_none() -> None:
    assert conj() == TRUE
    assert disj() == FALSE
    assert conj(TRUE, x <= y) == (x <= y)
    assert total([]) == number(0)
    assert total([(0, x), (1, y)]) == y
    assert text(total([(2, x), (1, y)])) == "(+ (* 2 x) y)"


def test_a_symbol_without_value() -> None:
    with pytest.raises(KeyError, match="y"):
        evaluate(x + y, {"x": 1})


@given(bools)
def test_layout_only_adds_white_space(term: Bool) -> None:
    laid_out = layout(conj(*[term] * 5), 8)
    assert " ".join(laid_out.replace("(", " ( ").replace(")", " ) ").split()) == " ".join(
        text(conj(*[term] * 5)).replace("(", " ( ").replace(")", " ) ").split()
    )
    assert max(map(len, laid_out.splitlines())) <= LINE + 20  # closing brackets may hang over


@pytest.mark.parametrize(
    "solver",
    [
        pytest.param(name, marks=pytest.mark.skipif(name in missing(), reason=f"{name} is not installed"))
        for name in ("z3", "cvc5")
    ],
)
def test_solvers_read_terms_as_evaluate_does(solver: str) -> None:
    @settings(max_examples=40)
    @given(bools, st.integers(-9, 9), st.integers(-9, 9))
    def agrees(term: Bool, a: int, b: int) -> None:
        script = Script()
        script.declare("x"), script.declare("y")
        script.require(conj(same(x, a), same(y, b)))
        script.require(term)
        answer = ask(solver, script.text("sat", ["a test"]))
        assert (answer.status == "sat") == evaluate(term, {"x": a, "y": b}) == script.holds({"x": a, "y": b})

    agrees()


def test_a_script_is_written_in_the_order_it_was_made() -> None:
    script = Script()
    script.note("numbers")
    a = script.declare("a")
    twice = script.define("twice", 2 * a)
    script.require(twice >= 3, "enough")
    assert script.text("sat", ["title", ""]) == (
        "; title\n;\n(set-logic QF_LIA)\n(set-info :status sat)\n; numbers\n(declare-const a Int)\n"
        "(define-fun twice () Int (* 2 a))\n; enough\n(assert (>= twice 3))\n(check-sat)\n"
    )
    assert script.holds({"a": 2})
    assert not script.holds({"a": 1})


def test_a_long_definition_takes_lines_of_its_own() -> None:
    script = Script()
    names = [script.declare(f"unknown_{k}") for k in range(30)]
    script.define("all", total((k + 1, name) for k, name in enumerate(names)))
    written = script.text("sat", [])
    assert max(map(len, written.splitlines())) <= LINE + 4
    assert "(define-fun all () Int\n  (+\n   unknown_0 (* 2 unknown_1)" in written
