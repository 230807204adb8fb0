"""Which query of the ledger catches a seeded fault: what `compass check` itself says of it.

The queries of :mod:`verification.fault_queries` are smaller than those of the ledger, so that all faults can be put to
them in minutes. Here the ledger's own are asked, of the claims that the kind of a noticed thing belongs to first, then
of all others, in the default tier and then in the full one, until one does not show what it should. Solvers are not
asked: the files they are given do not depend on the code; that the files are what the code generates is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from verification.evidence import Options, Query, queries
from verification.fault_kinds import Fault
from verification.ledger import Claim, read_ledger
from verification.packings import STATEMENTS

FULL = ", full tier"
"""Ends what names a query that the default tier does not ask."""

KIND_OF = {
    "agree": "agrees",
    "counts": "reachable",
    "numbers": "reachable",
    "moves": "reachable",
    "operators": "operators",
    "run": "decisions",
    "replay": "decisions",
    "load": "decisions",
    "encoding": "encoding",
    "translation": "encoding",
    "tables": "conservation",
    "files": "pool-pass",
}
"""The claim of a variant that asks in full what a query with this first word asks in small."""

FIGURES = ("compositions", "sif", "phi", "follower")


def caught_in_check(fault: Fault, claims: list[Claim] | None = None) -> str:
    """The claim (and tier), of these or of the whole ledger, whose evidence does not come out with the fault, or "".

    Cost: seconds where the claim is the one expected, else up to that of the full tier.
    """
    claims = read_ledger() if claims is None else claims
    with fault.seeded():
        for full in (False, True):
            for claim in sorted(claims, key=lambda claim: claim.name not in expected(fault.caught_by, claims)):
                if any(not _shows(query) for query in _asked(claim, full=full)):
                    return claim.name + FULL * full
    return ""


def expected(noticed: str, claims: list[Claim]) -> set[str]:
    """The claims that something noticed belongs to.

    >>> sorted(expected("agree printed {2,4}", [])), sorted(expected("smt unified-limits/g4-anchor", []))
    (['printed-agrees'], ['unified-limits'])
    """
    kind, _, about = noticed.partition(":")[0].partition(" ")
    if kind in FIGURES:
        return {"figures"} if kind != "follower" else {"figures", "printed-decisions"}
    if kind in ("smt", "trace", "smallest"):
        return {about.partition("/")[0]}
    if kind == "packings":
        assert about in STATEMENTS
        return {c.name for c in claims if any(item.get("statement") == about for item in c.evidence)}
    if kind in KIND_OF:
        return {f"{about.split()[0]}-{KIND_OF[kind]}"}
    return {{"wcc": "wcc-form"}.get(kind, kind)}


def _asked(claim: Claim, *, full: bool) -> Iterator[Query]:
    """The queries of one tier alone."""
    default = {query.name for query in queries(claim, Options(solvers=()))} if full else set()
    for query in queries(claim, Options(full=full, solvers=())):
        if query.name not in default:
            yield query


def _shows(query: Query) -> bool:
    try:
        return query.run()[0].shown
    except Exception:  # a faulty project may fail in any way; `compass check` then ends with that error
        return False
