"""All proof obligations: every claim, variant and geometry that is proved for every number of nodes.

With m the dial of `unified` an unknown integer from 1 on (no limit is m = N). Each claim is a folder of ``proofs/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from compass.discipline import repaired_discipline, unified_discipline
from compass.geometry import Geometry, geometry_of
from verification.claims_admission import closure_claim, no_waiting_claim
from verification.claims_bounds import closed_form_claim, node_bound_claim, saturation_claim, sif_bound_claim
from verification.claims_moves import moves_claim
from verification.claims_printed import pool_pass_claim, width_pass_claim
from verification.claims_settled import conservation_claim, exclusion_claim, limits_claim, termination_claim
from verification.smt_claim import Claim, Obligation
from verification.smt_model import Model

CAPACITIES = (2, 4, 8)
"""The geometries proved by default; 16 has 713 shapes, see :func:`obligations`."""

CLAIMS: dict[str, Callable[[Model, Claim], None]] = {
    "exclusion": exclusion_claim,
    "limits": limits_claim,
    "termination": termination_claim,
    "conservation": conservation_claim,
    "no-waiting": no_waiting_claim,
    "closure": closure_claim,
    "saturation": saturation_claim,
    "node-bound": node_bound_claim,
    "sif-bound": sif_bound_claim,
    "closed-form": closed_form_claim,
    "moves": moves_claim,
}
"""Claims about `repaired` and `unified`, by the name of their folders."""


def model_of(variant: str, geometry: Geometry) -> Model:
    """The model of a variant: `repaired`, or `unified` with its dial unknown.

    Raises:
        KeyError: there is no such variant.
    """
    discipline = {"repaired": repaired_discipline, "unified": unified_discipline}[variant](geometry)
    return Model(discipline, dial=variant == "unified")


def settled_obligations(variant: str, model: Model, claims: Iterable[str] = tuple(CLAIMS)) -> list[Obligation]:
    """Every obligation of these claims about a model of `repaired` or `unified`; some of a damaged model fail."""
    found: list[Obligation] = []
    for name in claims:
        build = CLAIMS[name]
        if name == "closed-form" and variant != "unified":
            continue  # about packings, not about a variant: it is asked once
        claim = Claim(name, variant, model.geometry.capacity)
        build(model, claim)
        found += claim.found
    return found


def printed_obligations(geometry: Geometry) -> list[Obligation]:
    """Every obligation about the printed algorithm."""
    pool, width = (Claim(name, "printed", geometry.capacity) for name in ("pool-pass", "slotted-pass"))
    pool_pass_claim(pool)
    width_pass_claim(width, geometry.widths)
    return [*pool.found, *width.found]


@lru_cache
def obligations(capacity: int) -> tuple[Obligation, ...]:
    """All obligations for a capacity, in a fixed order."""
    geometry = geometry_of(capacity)
    found = printed_obligations(geometry)
    for variant in ("repaired", "unified"):
        found += settled_obligations(variant, model_of(variant, geometry))
    return tuple(found)
