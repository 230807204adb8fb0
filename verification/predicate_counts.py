"""Predicates that can fail: how many node multisets, reachable or not, break each claim about count states.

An exploration shows that a predicate holds on what is reachable; one that says yes to everything would look the same.
Here each is asked about every multiset of node types, once as they are and once with admission turned round, Phi* one
too large and twice the load, and the numbers of those that break it must be the recorded ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from compass.geometry import Geometry
from verification.count_claims import NodeFacts, Setting, States
from verification.count_explorer import Model, Search, default_claims
from verification.count_model import repaired_model, unified_model
from verification.count_printed import PrintedModel
from verification.figures import Found

AS_THEY_ARE = {
    "printed": "saturation 33, pool-pass 52, slotted-pass 9, theorem-1 68, sif-bound 7, exclusion 34",
    "repaired": "exclusion 57, saturation 55, closure 30, space 144, open-nodes 98, sif-bound 13, partial-bound 54",
    "unified": "exclusion 57, saturation 55, open-nodes 140, sif-bound 87, partial-bound 172, no-avoidable 169",
}
"""Numbers of breaking multisets for N = 3 and G = 4; predicates not named are broken by none."""

DAMAGED = {
    "printed": "capacity 200, closed-form 198, saturation 33, pool-pass 52, theorem-1 52, exclusion 34",
    "repaired": "capacity 344, closed-form 341, exclusion 57, saturation 55, closure 364, space 144, open-nodes 98, "
    "partial-bound 1, admission 364",
    "unified": "capacity 344, closed-form 341, exclusion 57, saturation 55, closure 364, open-nodes 140, "
    "partial-bound 12, no-waiting 41, no-avoidable 137",
}
"""The same for the damaged setting."""


def predicates_bite(variant: str) -> Found:
    """Each predicate of a variant is broken by as many multisets as recorded, and each by some of one kind or other."""
    geometry = Geometry(4)
    model: Model = unified_model(3, 1, geometry)
    if variant != "unified":
        model = repaired_model(3, geometry) if variant == "repaired" else PrintedModel(3, None, geometry)
    search = Search(model)
    rows = search.ranking.rows(np.arange(search.ranking.size))
    found = []
    for setting in (search.setting, _damaged(search.setting)):
        states = States(rows, setting)
        broken = {name: int((~predicate(states)).sum()) for name, predicate in default_claims(model).items()}
        found.append(", ".join(f"{name} {number}" for name, number in broken.items() if number))
    holds = found == [AS_THEY_ARE[variant], DAMAGED[variant]]
    return holds, f"of {search.ranking.size} multisets, broken by: {'; damaged: '.join(found)}", {}


def _damaged(setting: Setting) -> Setting:
    admits, phi, facts = setting.admits, setting.phi, setting.facts
    return replace(
        setting,
        admits=None if admits is None else lambda keys: 1 - admits(keys),
        phi=lambda keys: phi(keys) + 1,  # type: ignore[arg-type]  # a table of Phi* is only called here
        facts=NodeFacts(2 * facts.load, facts.slotted, facts.anchor_width, facts.vacancy, facts.loose),
    )
