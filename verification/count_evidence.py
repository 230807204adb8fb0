"""Count-level explorations as evidence: run once for each setting, then asked for claims and recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from compass.geometry import Geometry
from compass.readings import Readings
from verification.count_explorer import Exploration, Model, explore
from verification.count_model import repaired_model, unified_model
from verification.count_printed import PrintedModel

NUMBERS = (
    "states",
    "transitions",
    "depth",
    "stuck",
    "max_partial",
    "max_avoidable",
    "max_partial_wcc",
    "max_avoidable_wcc",
)
"""The figures of an exploration that the ledger records, beside those of moves."""


@cache
def exploration(
    variant: str, nodes: int, *, capacity: int, sizes: tuple[int, ...], open_nodes: int, reading: Readings | None
) -> Exploration:
    """The exploration of a setting, made once: claims share it, and only its figures are kept."""
    geometry = Geometry(capacity)
    model: Model
    if variant == "printed":
        model = PrintedModel(nodes, reading, geometry, sizes)
    elif variant == "repaired":
        model = repaired_model(nodes, geometry, sizes)
    else:
        model = unified_model(nodes, open_nodes, geometry, sizes)
    return explore(model)


def numbers_of(found: Exploration) -> dict[str, int]:
    """The recorded figures; for each kind of step also the moves of all steps together, and the most of one step."""
    numbers: dict[str, int] = {name: getattr(found, name) for name in NUMBERS}
    for kind, histogram in found.moves.items():
        numbers[f"moves_{kind}"] = sum(moves * steps for moves, steps in enumerate(histogram))
        numbers[f"most_{kind}"] = found.max_moves[kind]
    return numbers


def explored(variant: str, item: Mapping[str, Any], reading: Readings | None) -> tuple[str | None, dict[str, int]]:
    """What breaks one of the item's predicates (None: nothing does), and the figures found.

    Raises:
        KeyError: a predicate is none of the variant.
    """
    capacity = item.get("capacity", 8)
    sizes = tuple(item.get("sizes", range(1, capacity + 1)))
    found = exploration(
        variant,
        item["nodes"],
        capacity=capacity,
        sizes=sizes,
        open_nodes=item.get("open_nodes", 1),
        reading=reading,
    )
    for name in item.get("predicates", []):
        claim = found.claims[name]
        if not claim.holds:
            text = claim.witness.text if claim.witness is not None else "no witness"
            return f"{name} is broken in {claim.violations} of {claim.states} states, as in {text}", numbers_of(found)
    return None, numbers_of(found)
