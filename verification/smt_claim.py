"""Proof obligations: small questions for a solver, which together give the claims about every number of nodes.

An obligation is one SMT-LIB text with its expected answer. To prove "premises imply goal" the text asks for premises
without the goal and expects *unsat*. The premises alone are asked as well and must be *sat*, so that no proof is
vacuous; equal premises of a claim are asked once. A few obligations expect *sat* because they show that a bound is
reached or a condition is needed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from verification.smt_model import Model, State
from verification.smt_terms import LINE, Bool, Script, negation

Status = Literal["sat", "unsat"]


@dataclass(frozen=True)
class Obligation:
    """One question and its expected answer.

    Attributes:
        claim: the claim it belongs to.
        variant: the variant of the algorithm the claim is about.
        capacity: G of the geometry.
        name: what it is about, unique within claim, variant and capacity.
        expected: the answer that supports the claim.
        meaning: what that answer says, one sentence.
        text: the SMT-LIB 2 text.
    """

    claim: str
    variant: str
    capacity: int
    name: str
    expected: Status
    meaning: str
    text: str

    @property
    def folder(self) -> str:
        """Where it is exported: a folder for each variant and claim."""
        return f"{self.variant}-{self.claim}"

    @property
    def path(self) -> str:
        """Its file below ``proofs/``."""
        return f"{self.folder}/g{self.capacity}-{self.name}.smt2"


@dataclass
class Claim:
    """Collects the obligations of one claim about one variant and geometry."""

    name: str
    variant: str
    capacity: int
    found: list[Obligation] = field(default_factory=list)
    _premises: set[tuple[Bool, ...]] = field(default_factory=set)

    def prove(self, name: str, meaning: str, script: Script, goal: Bool, sample: Script | None = None) -> None:
        """The assertions of the script imply the goal; and they, or a stronger ``sample`` of them, can be satisfied."""
        premises = sample or script
        key = tuple(premises.assertions)
        if key not in self._premises:
            self._premises.add(key)
            self._add(f"{name}-premise", "sat", f"Not vacuous: the premises of {name} can hold.", premises)
        script.require(negation(goal), "The goal, negated: unsat means that it always holds.")
        self._add(name, "unsat", meaning, script)

    def reach(self, name: str, meaning: str, script: Script) -> None:
        """The assertions of the script can be satisfied."""
        self._add(name, "sat", meaning, script)

    def about(self, model: Model, name: str, meaning: str, build: Callable[[State], Bool]) -> None:
        """Prove the goal that ``build`` returns from what it requires of a symbolic state."""
        state, sample = State(model, Script()), State(model, Script(), sample=True)
        build(sample)
        self.prove(name, meaning, state.script, build(state), sample.script)

    def example(self, model: Model, name: str, meaning: str, build: Callable[[State], Bool]) -> None:
        """Some state satisfies the condition that ``build`` returns."""
        state = State(model, Script())
        state.script.require(build(state), "Wanted.")
        self.reach(name, meaning, state.script)

    def _add(self, name: str, expected: Status, meaning: str, script: Script) -> None:
        header = [
            f"{self.variant}, G = {self.capacity}, claim {self.name}, obligation {name}",
            *textwrap.wrap(meaning, LINE - 2),
            f"Expected: {expected}. The number of nodes is not bounded.",
        ]
        text = script.text(expected, header)
        self.found.append(Obligation(self.name, self.variant, self.capacity, name, expected, meaning, text))
