"""Running the ledger: every query of the chosen claims, then a verdict for each claim.

A claim's verdict is what its evidence bears out: *refuted* when a piece of evidence meant to support it finds a
violation; *proved*, *checked*, *measured* or, where some of it is meant to refute, *refuted* when all evidence shows
what it should; else *open*. It is then compared with the verdict the ledger expects.
"""

from __future__ import annotations

import contextlib
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from os import cpu_count
from typing import Any

from compass.evaluation.executors import end_with_parent
from verification.evidence import Answer, Options, Query, queries
from verification.ledger import Claim


@dataclass
class Result:
    """What came out for a claim: each query with its answer and seconds; a needed claim that did not come out.

    ``skipped`` names the queries that were not asked: of the full tier, or about more nodes than wanted.
    """

    claim: Claim
    answers: list[tuple[Query, Answer, float]] = field(default_factory=list)
    unmet: str | None = None
    skipped: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict that the answers bear out; a claim expected to be refuted is so only where all evidence holds."""
        if self.claim.verdict != "refuted" and any(answer.refutes for _, answer, _ in self.answers):
            return "refuted"
        if self.unmet or not self.answers or not all(answer.shown for _, answer, _ in self.answers):
            return "open"
        supported = {query.supports for query, _, _ in self.answers}
        return next(verdict for verdict in ("refuted", "proved", "checked", "measured") if verdict in supported)

    @property
    def as_expected(self) -> bool:
        """The verdict is the expected one; an expected "open" needs no evidence to bear it out."""
        return self.verdict == self.claim.verdict

    @property
    def ran(self) -> str:
        """What was run of it, where that can be less than its scope and method: what bounds it, and what was left out.

        N is that of the explorations with the node geometry of the scope, G = 8.
        """
        if self.claim.verdict == "refuted":
            return ""
        asked = [query for query, answer, _ in self.answers if not answer.missing]
        items = [query.item for query in asked]
        nodes = [item["nodes"] for item in items if item.get("kind") == "counts" and item.get("capacity", 8) == 8]
        largest = [item["largest"] for item in items if item.get("kind") == "packings"]
        solvers = sorted({query.solver for query in asked} - {""})
        parts = [f"N <= {max(nodes)}"] if nodes else []
        parts += [f"up to {max(largest)} instances"] if largest else []
        parts += [" and ".join(solvers)] if solvers else []
        parts += [f"{len(asked)} of {len(self.answers) + len(self.skipped)} queries"] if self.skipped else []
        return ", ".join(parts)

    @property
    def missing(self) -> list[str]:
        """The solvers that could not be asked, as they are not installed."""
        return sorted({answer.missing for _, answer, _ in self.answers} - {""})

    @property
    def seconds(self) -> float:
        """Time of all queries together."""
        return sum(seconds for _, _, seconds in self.answers)

    def to_json(self) -> dict[str, Any]:
        """The record of ``compass check --json``."""
        return {
            "claim": self.claim.id,
            "variant": self.claim.variant,
            "reading": self.claim.reading,
            "verdict": self.verdict,
            "expected": self.claim.verdict,
            "scope": self.claim.scope,
            "method": self.claim.method,
            "ran": self.ran,
            "skipped": list(self.skipped),
            "not_installed": self.missing,
            "seconds": round(self.seconds, 3),
            "artifact": f"proofs/{self.claim.name}",
        }


def run(
    claims: Sequence[Claim],
    options: Options,
    on_answer: Callable[[Query, Answer, float], None] = lambda query, answer, seconds: None,
    workers: int | None = None,
) -> list[Result]:
    """Run every query of the claims on ``workers`` processes (default: one a core) and gather the results.

    ``on_answer`` is called as answers come in, so in no fixed order; verdicts do not depend on it.
    """
    results = {claim.name: Result(claim) for claim in claims}
    if not all(need in results for claim in claims for need in claim.needs):
        raise ValueError("a claim is run together with those it needs; see with_needs")
    groups: dict[object, list[Query]] = {}
    for claim in claims:
        asked = list(queries(claim, options))
        for query in asked:
            groups.setdefault(query.group or object(), []).append(query)
        every = Counter(query.name for query in queries(claim, Options(full=True, solvers=options.solvers, long=True)))
        results[claim.name].skipped = tuple((every - Counter(query.name for query in asked)).elements())
    tasks = list(groups.values())
    with contextlib.closing(_run_all(tasks, workers or cpu_count() or 1)) as answered:
        for task, answers in answered:
            for query, (answer, seconds) in zip(tasks[task], answers, strict=True):
                results[query.claim.name].answers.append((query, answer, seconds))
                on_answer(query, answer, seconds)
    for _ in results:  # a chain of needs is at most as long as the list
        for result in results.values():
            for need in result.claim.needs:
                if not results[need].as_expected:
                    result.unmet = need
    return list(results.values())


def with_needs(claims: Sequence[Claim], ledger: Sequence[Claim]) -> list[Claim]:
    """The claims and, before them, those of the ledger that they need, directly or not."""
    by_name = {claim.name: claim for claim in ledger}
    found: dict[str, Claim] = {}

    def take(claim: Claim) -> None:
        for need in claim.needs:
            if need not in found:
                take(by_name[need])
        found[claim.name] = claim

    for claim in claims:
        take(claim)
    return list(found.values())


def _run_all(tasks: list[list[Query]], workers: int) -> Generator[tuple[int, list[tuple[Answer, float]]], None, None]:
    """The number of each task and its answers, as they come in; where this is left early, the processes are ended."""
    if workers == 1:
        yield from enumerate(map(_run_task, tasks))
        return
    # spawn: the solvers' native libraries do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin_worker) as pool:
        try:
            numbers = {pool.submit(_run_task, task): number for number, task in enumerate(tasks)}
            for future in as_completed(numbers):
                yield numbers[future], future.result()
        except BaseException:
            for process in active_children():  # nobody takes what they still compute
                process.kill()
            raise


def _begin_worker() -> None:
    """An interrupt from the terminal is the parent's to answer, and a worker ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _run_task(task: list[Query]) -> list[tuple[Answer, float]]:
    return [query.run() for query in task]


def summary(results: Iterable[Result], solvers: Sequence[str] = ("z3", "cvc5")) -> str:
    """The closing line; it says where one solver alone was asked for proofs that the ledger has from both."""
    results = list(results)
    met = sum(result.as_expected for result in results)
    alone = len(solvers) == 1 and any(query.solver for result in results for query, _, _ in result.answers)
    note = f"; proofs by {solvers[0]} alone, those of the ledger are by z3 and cvc5" if alone else ""
    return f"{met} of {len(results)} verdicts as expected{note}"
