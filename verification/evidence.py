"""From evidence to queries: what each kind of evidence in the ledger has to show, as functions that can be run.

A query answers whether its piece of evidence shows what the claim says it shows. An engine that cannot tell (a solver's
"unknown", a timeout, a missing solver) makes the query fail: it never passes by silence.
"""

from __future__ import annotations

import importlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from compass.errors import CompassError, InputError
from compass.event_io import read_events
from compass.geometry import Geometry
from compass.readings import Readings, all_readings
from compass.scheduler import Scheduler
from compass.variants import make_scheduler
from verification.appendix_b import APPENDIX_B, BestFitCompacted
from verification.count_claims import CLAIMS
from verification.count_evidence import explored
from verification.job_claims import PREDICATES as JOB_CLAIMS
from verification.jobs import Violation, number_of_gpus, number_of_instances, replayed, smallest_violation
from verification.ledger import Claim
from verification.obligations import CAPACITIES, obligations
from verification.packings import STATEMENTS, smallest_counterexample
from verification.smt_claim import Obligation
from verification.solvers import NoVerdict, SolverMissing, ask

PREDICATES = JOB_CLAIMS | APPENDIX_B
"""What a history can break, by the name that the ledger uses."""


class Answer(NamedTuple):
    """``shown``: the evidence shows what it should. ``refutes``: it shows the opposite. Neither: it cannot tell.

    ``missing`` names the solver that could not be asked.
    """

    shown: bool
    refutes: bool
    detail: str
    missing: str = ""


TIERS = ("default", "full", "long")
"""Each with those before it: under a minute, under ten minutes, longer."""


class Options(NamedTuple):
    """What to run: the tier, the largest cluster that evidence names (None: any) and the solvers."""

    full: bool = False
    max_nodes: int | None = None
    solvers: tuple[str, ...] = ("z3", "cvc5")
    long: bool = False

    @property
    def tiers(self) -> tuple[str, ...]:
        """The tiers whose evidence is run."""
        return TIERS if self.long else TIERS[:2] if self.full else TIERS[:1]


@dataclass(frozen=True)
class Query:
    """One thing to run: a name for its line, the verdict it bears out, and a picklable call.

    Queries of one ``group`` share work that is kept in the process, so they are run one after another in one.
    """

    claim: Claim
    name: str
    supports: str
    call: Callable[..., Answer]
    arguments: tuple[Any, ...] = field(default=(), repr=False)
    group: str = ""
    item: Mapping[str, Any] = field(default_factory=dict, repr=False)
    solver: str = ""

    def run(self) -> tuple[Answer, float]:
        """The answer and the seconds it took; a finding of an engine is an answer, a bug propagates."""
        start = time.perf_counter()
        try:
            answer = self.call(*self.arguments)
        except NoVerdict as error:
            answer = Answer(False, False, str(error))
        except SolverMissing as error:
            answer = Answer(False, False, str(error), error.solver)
        return answer, time.perf_counter() - start


def queries(claim: Claim, options: Options) -> Iterator[Query]:
    """The queries of a claim, in the order of its evidence; those of a longer tier are left out unless asked for."""
    for item in claim.evidence:
        if item.get("tier", TIERS[0]) in options.tiers:
            yield from _KINDS[item["kind"]](claim, item, options)


def _trace(claim: Claim, item: Mapping[str, Any], options: Options) -> Iterator[Query]:
    readings = chosen_readings(claim, item)
    if item["predicate"] not in PREDICATES:
        raise InputError(f"{claim.name}: there is no predicate {item['predicate']!r}")
    under = "" if readings == [None] else f" under {len(readings)} readings"
    name = f"{item['file']} breaks {item['predicate']}{under}"
    yield Query(claim, name, "refuted", trace_breaks, (claim, item, readings))
    if options.full and "smallest_sizes" in item:
        asked = _searched_under(item)
        under = " ".join(asked) if Readings.parse(asked) != Readings() else "the default reading"
        name = f"no smaller history than {item['file']} under {under}"
        yield Query(claim, name, "refuted", trace_is_smallest, (claim, item))


def chosen_readings(claim: Claim, item: Mapping[str, Any]) -> list[Readings | None]:
    """The readings an item is about: the one it gives, or, with ``every``, all that have the given values.

    Variants without readings have None once. Readings that behave alike are looked at once.

    Raises:
        InputError: there is no such reading.
    """
    if claim.variant != "printed":
        return [None]
    given = Readings.parse(item.get("readings", []))  # refuses names and values that there are not
    if not item.get("every", False):
        return [given]
    names = [setting.partition("=")[0] for setting in item.get("readings", [])]
    alike = dict.fromkeys(reading.canonical() for reading in all_readings())
    found = [reading for reading in alike if all(getattr(reading, name) == getattr(given, name) for name in names)]
    if not found:
        raise InputError(f"{claim.name}: no reading has {', '.join(item['readings'])}")
    return [*found]


def scheduler_of(claim: Claim, item: Mapping[str, Any], reading: Readings | None) -> Scheduler:
    """A new scheduler as an item of evidence names it."""
    geometry = Geometry(item.get("capacity", 8))
    algorithm = item.get("algorithm", claim.variant)
    if algorithm == "appendix-b":
        return BestFitCompacted(item["nodes"], geometry, reading or Readings())
    return make_scheduler(algorithm, item["nodes"], geometry, item.get("open_nodes"), reading)


def trace_breaks(claim: Claim, item: Mapping[str, Any], readings: list[Readings | None]) -> Answer:
    """Replay a recorded history under each reading and ask the predicate; the first reading's reason is recorded."""
    if not readings:
        return Answer(False, False, "no reading to replay it under")
    events = [event for _, event in read_events(str(claim.folder / item["file"]), item.get("capacity", 8))]
    size = [len(events), number_of_instances(events), number_of_gpus(events)]
    if size != [item[name] for name in ("events", "instances", "gpus")]:
        return Answer(False, False, f"the history has {size} events, instances and GPUs, not what is recorded")
    for number, reading in enumerate(readings):
        try:
            scheduler, outcome = replayed(partial(scheduler_of, claim, item, reading), events)
        except CompassError as error:
            return Answer(False, False, f"the history cannot be replayed under {reading}: {error}")
        reason = PREDICATES[item["predicate"]](scheduler, outcome)
        if reason is None:
            return Answer(False, False, f"the history does not break the claim under {reading}")
        if number == 0 and reason != item["reason"]:
            return Answer(False, False, f"another reason than recorded: {reason}")
    return Answer(True, False, item["reason"])


def trace_is_smallest(claim: Claim, item: Mapping[str, Any]) -> Answer:
    """Search all histories again, from one node on, under one reading, and compare size with the recorded one."""
    reading = chosen_readings(claim, {**item, "readings": _searched_under(item)})[0]
    expected = tuple(item[name] for name in ("nodes", "events", "instances", "gpus"))
    for nodes in range(1, item["nodes"] + 1):
        wanted = {**item, "nodes": nodes}
        found = smallest_violation(
            partial(scheduler_of, claim, wanted, reading),
            PREDICATES[item["predicate"]],
            item["smallest_sizes"],
            item["events"],
        )
        if isinstance(found, Violation):
            size = (nodes, len(found.events), found.instances, found.gpus)
            return Answer(size == expected, False, f"nodes, events, instances, GPUs: found {size}, recorded {expected}")
    return Answer(False, False, "no history found")


def _searched_under(item: Mapping[str, Any]) -> list[str]:
    return [*item.get("smallest_under", item.get("readings", []))]


def _smt(claim: Claim, item: Mapping[str, Any], options: Options) -> Iterator[Query]:
    files = sorted(claim.folder.glob("*.smt2"))
    yield Query(claim, "the files are what the code generates", "proved", files_are_current, (claim, item["files"]))
    for path in files:
        for solver in options.solvers:
            yield Query(claim, f"{path.stem} [{solver}]", "proved", smt_answer, (str(path), solver), solver=solver)


def files_are_current(claim: Claim, number: int) -> Answer:
    """Every obligation that the tables and the claim give is there as a file, to the letter, and no other is."""
    expected = {o.path.partition("/")[2]: o.text for o in all_obligations() if o.folder == claim.name}
    found = {path.name: path.read_text(encoding="utf-8") for path in claim.folder.glob("*.smt2")}
    differs = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if differs or len(found) != number or not found:
        first = f", the first {differs[0]}" if differs else ""
        return Answer(False, False, f"{len(found)} files, {number} recorded; {len(differs)} differ{first}")
    return Answer(True, False, f"{len(found)} files")


@cache
def all_obligations() -> tuple[Obligation, ...]:
    """The obligations of every geometry that is proved; built once."""
    return tuple(obligation for capacity in CAPACITIES for obligation in obligations(capacity))


def smt_answer(path: str, solver: str) -> Answer:
    """Ask a solver a file's question and compare with the status that the file states."""
    text = Path(path).read_text(encoding="utf-8")
    stated = re.search(r"\(set-info :status (sat|unsat)\)", text)
    if stated is None:
        return Answer(False, False, "the file states no expected status")
    found = ask(solver, text).status
    return Answer(found == stated[1], False, f"{found}, expected {stated[1]}")


def _counts(claim: Claim, item: Mapping[str, Any], options: Options) -> Iterator[Query]:
    if options.max_nodes is not None and item["nodes"] > options.max_nodes:
        return
    unknown = set(item.get("predicates", [])) - CLAIMS[claim.variant].keys() - {"no-avoidable"}
    if unknown:
        raise InputError(f"{claim.name}: there is no predicate {sorted(unknown)[0]!r}")
    readings = _readings_of_counts(claim, item)
    name = f"all states of {item['nodes']} nodes"
    name += f", G = {item['capacity']}" if "capacity" in item else ""
    name += f", m = {item['open_nodes']}" if "open_nodes" in item else ""
    name += f" under {len(readings)} readings" if len(readings) > 1 else ""
    setting = [claim.variant, *(item.get(k) for k in ("readings", "nodes", "open_nodes", "capacity", "sizes"))]
    yield Query(claim, name, "checked", counts_hold, (claim, item, readings), str(setting), item)


def _readings_of_counts(claim: Claim, item: Mapping[str, Any]) -> list[Readings | None]:
    """The readings of an item without those that differ in ties alone: where names are forgotten, there is no index."""
    readings = chosen_readings(claim, item)
    return [*dict.fromkeys(None if reading is None else replace(reading, ties="lowest") for reading in readings)]


def counts_hold(claim: Claim, item: Mapping[str, Any], readings: list[Readings | None]) -> Answer:
    """Explore all count states: the predicates hold and the recorded numbers, added up over the readings, come out."""
    found: Counter[str] = Counter()
    for reading in readings:
        broken, numbers = explored(claim.variant, item, reading)
        if broken is not None:
            return Answer(False, True, f"{broken} under {reading}" if len(readings) > 1 else broken)
        found.update(numbers)
    differs = {k: (found[k], v) for k, v in item["numbers"].items() if found[k] != v}
    shown = ", ".join(f"{k} {found[k]}" for k in item["numbers"])
    return Answer(bool(readings) and not differs, False, f"found, recorded: {differs}" if differs else shown)


def _packings(claim: Claim, item: Mapping[str, Any], options: Options) -> Iterator[Query]:
    broken = "sizes" in item
    what = f"smallest packing that breaks {item['statement']}" if broken else f"every packing keeps {item['statement']}"
    name = f"{what}, up to {item['largest']} instances"
    yield Query(claim, name, "refuted" if broken else "checked", packings_answer, (item,), item=item)


def packings_answer(item: Mapping[str, Any]) -> Answer:
    """List the packings and compare the smallest counterexample with the recorded one, or with there being none."""
    assert item["statement"] in STATEMENTS
    found = smallest_counterexample(item["statement"], item["largest"], Geometry(item.get("capacity", 8)))
    if found is None:
        return Answer("sizes" not in item, False, f"none among at most {item['largest']} instances")
    if list(found.sizes) != item.get("sizes"):
        return Answer(False, "sizes" not in item, f"{found.sizes}: {found.reason}")
    return Answer(True, False, f"{found.sizes}: {found.reason}")


def _function(claim: Claim, item: Mapping[str, Any], options: Options) -> Iterator[Query]:
    if options.max_nodes is not None and item.get("arguments", {}).get("nodes", 0) > options.max_nodes:
        return
    settings = [f"{name} = {value}" for name, value in item.get("arguments", {}).items() if name != "variant"]
    name = ", ".join([item["call"].rpartition(":")[2].replace("_", " "), *settings, *filter(None, [item.get("file")])])
    yield Query(claim, name, item["supports"], function_answer, (claim, item))


def function_answer(claim: Claim, item: Mapping[str, Any]) -> Answer:
    """Call a function of this package: it returns (holds, detail, numbers); recorded numbers must come out again.

    A file of the claim's folder is given to it as ``path``.
    """
    module, _, function = item["call"].partition(":")
    arguments = dict(item.get("arguments", {}))
    if "file" in item:
        arguments["path"] = str(claim.folder / item["file"])
    holds, detail, numbers = getattr(importlib.import_module(module), function)(**arguments)
    differs = {k: (numbers.get(k), v) for k, v in item.get("numbers", {}).items() if numbers.get(k) != v}
    if differs:
        return Answer(False, False, f"found, recorded: {differs}")
    return Answer(holds, not holds, detail)


_KINDS: dict[str, Callable[[Claim, Mapping[str, Any], Options], Iterator[Query]]] = {
    "trace": _trace,
    "smt": _smt,
    "counts": _counts,
    "packings": _packings,
    "function": _function,
}
