"""Can it fail? Faults on purpose, each put to the queries of the check: ``python -m verification.faults``.

A fault changes the running project in memory: an operator, a guard, a table, the metric, a coefficient of WCC, or the
verification itself. Then the queries of :mod:`verification.fault_queries` that look at that part are run. A fault that
none of them notices would be a claim that is missing, so each names the query that has to notice it. A few changes are
no faults, as no claim depends on them; they are listed with the reason, and nothing may notice them.

The command runs all of them, prints the table and writes it to ``proofs/faults.md``; its exit status is 1 where a
fault survives.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import NamedTuple

from compass.evaluation.executors import end_with_parent
from verification.fault_checks import CHECK_FAULTS, COEFFICIENT_FAULTS
from verification.fault_equivalent import EQUIVALENT
from verification.fault_guards import GUARD_FAULTS
from verification.fault_kinds import Fault
from verification.fault_ledger import caught_in_check
from verification.fault_metric import METRIC_FAULTS
from verification.fault_operators import OPERATOR_FAULTS
from verification.fault_printed import PRINTED_FAULTS
from verification.fault_queries import QUERIES, NoEnd, Noticed, Query
from verification.fault_tables import TABLE_FAULTS
from verification.ledger import PROOFS

FAULTS: tuple[Fault, ...] = (
    *OPERATOR_FAULTS,
    *PRINTED_FAULTS,
    *GUARD_FAULTS,
    *TABLE_FAULTS,
    *METRIC_FAULTS,
    *COEFFICIENT_FAULTS,
    *CHECK_FAULTS,
)
"""Every fault, by part."""

ENDLESS = "does not end"
"""What is said of the check where a loop of the scheduler has no end."""

PAGE = PROOFS / "faults.md"
"""The table that the command writes."""


KINDS = {
    "agree": "steps of the executable scheduler are steps of the count-level model, and the other way round",
    "compositions": "slot widths, sums and both forms of WCC against their definitions",
    "counts": "every claim on every reachable count state",
    "encoding": "every operator takes an entry of the table that the solvers see",
    "files": "the obligations in the ledger are those that the code makes",
    "follower": "the books of a replay turn down what cannot be",
    "load": "foreign placements are settled in legal moves",
    "moves": "how many transitions move how many instances, as recorded",
    "numbers": "states, transitions and maxima as the ledger records them",
    "operators": "Place, Remove and Compact of `printed` one by one against the model",
    "packings": "statements about all packings of small multisets",
    "passes": "every pass of Compact is the loop that the solvers see, also on long lists",
    "phi": "Phi* on a limited number of nodes",
    "predicates": "how many node multisets, reachable or not, break each predicate",
    "replay": "the report of a replay against figures taken by hand",
    "run": "a run of random jobs followed on books of one's own",
    "sif": "every figure of every small placement against its definition",
    "smallest": "recorded histories are found again, and no smaller ones",
    "smt": "an obligation, built anew and asked of z3",
    "tables": "every entry of the tables is legal",
    "trace": "recorded histories break what they are said to break",
    "translation": "guards and effects in the formulas are those of the entries",
    "walk": "long runs on 60 nodes: every operator takes an entry of the table, and a best one",
    "wcc": "both forms of WCC symbolically",
}
"""What the first word of a query's name says."""


class Result(NamedTuple):
    """A fault, what noticed it, and the claim of the ledger whose evidence does not come out."""

    fault: Fault
    noticed: Noticed
    in_check: str = ""

    @property
    def caught(self) -> bool:
        """The query that has to notice it did."""
        return self.fault.caught_by in self.noticed


def queries_for(fault: Fault) -> list[Query]:
    """The queries that look at the part where the fault is, and the one that has to notice it."""
    return [q for q in QUERIES.values() if fault.about in q.about or q.name == asked_by(fault.caught_by)]


def asked_by(noticed: str) -> str:
    """The query that may notice something of this name, "" for none.

    >>> asked_by("smt unified-limits/g4-anchor"), asked_by("numbers unified G=8"), asked_by("counts printed: progress")
    ('smt unified', 'counts unified G=8', 'counts printed')
    """
    name = noticed.partition(":")[0]
    for part in ("numbers ", "moves "):
        name = f"counts {name.removeprefix(part)}" if name.startswith(part) else name
    if "/g8-" in name:
        name = name.split("-")[0] + " G=8"
    return max((query for query in QUERIES if name.startswith(query)), key=len, default="")


def put(fault: Fault) -> Result:
    """Seed a fault, ask the queries, take it back."""
    with fault.seeded():
        noticed: Noticed = {}
        for query in queries_for(fault):
            noticed |= query.notices()
    return Result(fault, noticed)


def unharmed() -> Noticed:
    """What the queries notice of the project as it is: nothing."""
    noticed: Noticed = {}
    for query in QUERIES.values():
        noticed |= query.notices()
    return noticed


def put_to_check(fault: Fault) -> Result:
    """The same, and then ask the ledger."""
    noticed = put(fault).noticed
    if fault not in FAULTS:
        return Result(fault, noticed)
    endless = any(reason.startswith(NoEnd.__name__) for reason in noticed.values())
    return Result(fault, noticed, ENDLESS if endless else caught_in_check(fault))


def _by_name(name: str) -> tuple[Noticed, str]:
    _, noticed, in_check = put_to_check(next(fault for fault in (*FAULTS, *EQUIVALENT) if fault.name == name))
    return noticed, in_check


def run_faults(faults: Iterable[Fault] = FAULTS, workers: int | None = None) -> list[Result]:
    """Put each fault to its queries and to the ledger, on ``workers`` processes (default: one a core)."""
    faults = list(faults)
    workers = workers or cpu_count() or 1
    if workers == 1:
        return [put_to_check(fault) for fault in faults]
    # spawn: the solvers' native libraries do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        found = pool.map(_by_name, [fault.name for fault in faults])
        return [Result(fault, *answers) for fault, answers in zip(faults, found, strict=True)]


def row(result: Result) -> str:
    """A fault's line of the table."""
    fault, noticed, in_check = result
    by = f"`{fault.caught_by}`" if result.caught else f"**survives** `{fault.caught_by}`"
    kinds = sorted({name.split()[0].rstrip(":") for name in noticed if name != fault.caught_by})
    return f"| {fault.part} | {fault.name} | {fault.what} | {by} | {', '.join(kinds)} | {in_check or '**not**'} |"


def page(results: list[Result]) -> str:
    """The table in Markdown; it holds nothing that differs between two runs."""
    caught = sum(result.caught for result in results)
    lines = [
        "# Can it fail?",
        "",
        "Faults seeded on purpose, one at a time, each put to the queries that look at the part where it is, on small",
        "clusters. Made by `python -m verification.faults`; a test compares. *Caught by* is the query that has to",
        "notice it; *also* are the kinds of the others that did; *in the check* is the first claim found of which",
        "`compass check` says that the evidence does not come out, with its tier where it is not the default one:",
        "",
        *(f"- `{kind}`: {what}" for kind, what in KINDS.items()),
        "",
        f"{caught} of {len(results)} faults are caught by the query that has to catch them.",
        "",
        "| part | fault | what is wrong | caught by | also | in the check |",
        "|---|---|---|---|---|---|",
        *map(row, results),
        "",
        "## Changes that are no faults",
        "",
        "No claim depends on these. Nothing may notice them, and nothing does.",
        "",
        "| part | change | why |",
        "|---|---|---|",
        *(f"| {change.part} | {change.name} | {change.what} |" for change in EQUIVALENT),
    ]
    return "\n".join(lines) + "\n"


def main(target: Path = PAGE) -> int:
    """Run every fault, write the page, print it."""
    results = run_faults((*FAULTS, *EQUIVALENT))
    seeded, equivalent = results[: len(FAULTS)], results[len(FAULTS) :]
    text = page(seeded)
    target.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    wrong = [
        f"{r.fault.name}: survives {r.fault.caught_by}; noticed by {sorted(r.noticed)}" for r in seeded if not r.caught
    ]
    wrong += [f"{r.fault.name}: no query of the ledger shows it" for r in seeded if not r.in_check]
    wrong += [f"{r.fault.name}: no fault, and yet noticed by {sorted(r.noticed)}" for r in equivalent if r.noticed]
    for line in wrong:
        sys.stderr.write(f"{line}\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
