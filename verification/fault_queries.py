"""The queries that a seeded fault is put to: those of the check, on clusters small enough to run in a second.

Each query names what it noticed, with a reason; where nothing is wrong it notices nothing. Obligations are built anew
from the code as it is at that moment and asked of z3; histories, packings and recorded numbers are those of the ledger.
A query that raises, or makes more steps than any true one needs, has noticed something too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from compass.board import Board
from compass.geometry import Geometry
from verification import encoding, figures, passes, runs, translation, walks
from verification.agree import agree
from verification.count_evidence import exploration, numbers_of
from verification.count_explorer import Model
from verification.count_model import CountBoard, repaired_model, unified_model
from verification.count_printed import PrintedModel
from verification.count_space import LocalStep
from verification.evidence import (
    PREDICATES,
    chosen_readings,
    packings_answer,
    scheduler_of,
    trace_breaks,
    trace_is_smallest,
)
from verification.fault_kinds import Change, Make, around
from verification.functions import wcc_forms_agree
from verification.jobs import Violation, smallest_violation
from verification.ledger import PROOFS, Claim, read_ledger
from verification.obligations import CLAIMS, model_of, printed_obligations, settled_obligations
from verification.operators import operators_agree
from verification.predicate_counts import predicates_bite
from verification.smt_claim import Obligation
from verification.solvers import ask
from verification.table_check import table_faults

Noticed = dict[str, str]
"""What noticed something, and why."""

MOST_STEPS = 30_000
"""Changes of a board that no query comes near to; a loop that does not end is stopped here."""

PRINTED_BREAKS = {"slotted-pass": 10, "theorem-1": 10, "progress": 76}
"""Settled count states of `printed` on two nodes that break a claim; those not named are broken by none."""


class NoEnd(Exception):
    """A loop of the scheduler or of the model does not end."""


@dataclass(frozen=True)
class Query:
    """A query, or several of one kind that share their work.

    Attributes:
        name: what it is about; what it notices starts with it.
        about: the parts of the project it looks at.
        run: puts the question.
    """

    name: str
    about: frozenset[str]
    run: Callable[[], Noticed]

    def notices(self) -> Noticed:
        """What it notices now."""
        try:
            with _bounded():
                return self.run()
        except Exception as error:  # a faulty project may fail in any way; that is what is wanted
            return {self.name: f"{type(error).__name__}: {error}"}


@contextmanager
def _bounded() -> Iterator[None]:
    """Count what every loop of an operator does, and stop one that does not end."""
    with ExitStack() as stack:
        steps = 0

        def counted(weight: int) -> Make:
            def call(method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
                nonlocal steps
                steps += weight
                if steps > MOST_STEPS:
                    raise NoEnd(f"{method.__qualname__}: more than {MOST_STEPS} steps")
                return method(*arguments, **named)

            return around(call)

        for owner, name, weight in (
            (Board, "install", 1),
            (Board, "node_of", 1),
            (CountBoard, "replace", 1),
            (LocalStep, "apply", 10),
        ):
            stack.enter_context(Change(owner, name, counted(weight)).applied())
        yield


# -- count states -------------------------------------------------------------------------------------------------


def _model(variant: str, nodes: int, capacity: int, open_nodes: int = 1) -> Model:
    geometry = Geometry(capacity)
    if variant == "printed":
        return PrintedModel(nodes, None, geometry)
    return repaired_model(nodes, geometry) if variant == "repaired" else unified_model(nodes, open_nodes, geometry)


MOVES = {
    "repaired": {"arrive": "254 18", "depart": "254 75"},
    "unified": {"arrive": "338 41 1 1", "depart": "338 174 19 1"},
    "unified N=4": {"arrive": "927 141 6 5", "depart": "927 607 69 5"},
    "unified m=2": {"arrive": "560 123 12", "depart": "687 131 1"},
    "unified G=8": {"arrive": "25230 2206 1014 615 207 43 6", "depart": "26790 18473 6163 1282 81 6"},
    "repaired G=8": {"arrive": "1111 59 9 3", "depart": "1176 308 49 8"},
    "printed": {"compact": "590 42 13 5 1", "place": "1832 57 8 6", "remove": "2323 336 24 11"},
}
"""How many transitions move 0, 1, 2, ... instances: what no claim speaks of, and preferences decide."""


def _agree(label: str, model: Model, most_states: int | None = None, most_orders: int | None = None) -> Noticed:
    found = agree(model, most_states, most_orders)
    reason = found.disagreement or (found.first_missed if most_orders is None else None)
    return {f"agree {label}": reason} if reason else {}


def _agree_small(variant: str) -> Noticed:
    return _agree(variant, _model(variant, 2, 4))


def _counts(label: str, variant: str, nodes: int, capacity: int, open_nodes: int = 1) -> Noticed:
    """Every claim on every reachable count state, and the numbers that the ledger records of them."""
    sizes = tuple(range(1, capacity + 1))
    found = exploration(variant, nodes, capacity=capacity, sizes=sizes, open_nodes=open_nodes, reading=None)
    expected = PRINTED_BREAKS if variant == "printed" else {}
    noticed = {
        f"counts {label}: {name}": f"broken in {count.violations} states, expected {expected.get(name, 0)}"
        for name, count in found.claims.items()
        if count.violations != expected.get(name, 0)
    }
    recorded = recorded_numbers(variant, nodes, capacity, open_nodes)
    differs = {k: (numbers_of(found)[k], v) for k, v in recorded.items() if numbers_of(found)[k] != v}
    noticed |= {f"numbers {label}": f"found, recorded: {differs}"} if differs else {}
    moves = {kind: " ".join(map(str, histogram)) for kind, histogram in found.moves.items()}
    return noticed | ({f"moves {label}": f"transitions by moves: {moves}"} if moves != MOVES[label] else {})


def recorded_numbers(variant: str, nodes: int, capacity: int, open_nodes: int) -> dict[str, int]:
    """The numbers of an exploration in the ledger; {} where it records none."""
    wanted = {"kind": "counts", "nodes": nodes, "capacity": capacity, "open_nodes": open_nodes}
    for item in _claim(f"{variant}-reachable").evidence:
        if {**{"capacity": 8, "open_nodes": 1}, **item}.items() >= wanted.items():
            return dict(item["numbers"])
    return {}


# -- tables and obligations ---------------------------------------------------------------------------------------


def _tables(variant: str, capacity: int) -> Noticed:
    faults = table_faults(model_of(variant, Geometry(capacity)))
    return {f"tables {variant}": faults[0]} if faults else {}


@cache  # a solver's answer depends on the text alone
def _answer(text: str) -> str:
    return ask("z3", text).status


def _smt(variant: str, capacity: int, claims: Iterable[str] = tuple(CLAIMS)) -> Noticed:
    """Every obligation of a variant, built from the tables as they are now."""
    noticed: Noticed = {}
    model = model_of(variant, Geometry(capacity))
    for name in claims:
        try:
            noticed |= _wrong(settled_obligations(variant, model, [name]))
        except Exception as error:  # as in Query.notices, but only this claim has noticed
            noticed[f"smt {variant}-{name}"] = f"{type(error).__name__}: {error}"
    return noticed


def _files(variant: str) -> Noticed:
    """The obligations are those that stand in the ledger."""
    geometry = Geometry(4)
    model = None if variant == "printed" else model_of(variant, geometry)
    found = printed_obligations(geometry) if model is None else settled_obligations(variant, model)
    differ = [o.path for o in found if (PROOFS / o.path).read_text(encoding="utf-8") != o.text]
    return {f"files {variant}": f"{len(differ)} differ, the first {differ[0]}"} if differ else {}


def _wrong(obligations: list[Obligation]) -> Noticed:
    return {
        f"smt {o.path.removesuffix('.smt2')}": f"{_answer(o.text)}, expected {o.expected}"
        for o in obligations
        if _answer(o.text) != o.expected
    }


# -- histories, packings, functions -------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _ledger() -> dict[str, Claim]:
    return {claim.name: claim for claim in read_ledger()}


def _claim(name: str) -> Claim:
    return _ledger()[name]


def _traces() -> Noticed:
    """Every recorded history, under the first and the last reading that it is about."""
    noticed: Noticed = {}
    for name, claim in _ledger().items():
        for item in claim.evidence:
            if item["kind"] == "trace":
                readings = chosen_readings(claim, item)
                answer = trace_breaks(claim, item, list(dict.fromkeys([readings[0], readings[-1]])))
                if not answer.shown:
                    noticed[f"trace {name}"] = answer.detail
    return noticed


NO_SMALLER = (("printed-theorem-1", (3, 5), 2), ("printed-saturation-no-refill", (1, 3), 2))
"""Claims with sizes and a number of events that break them in no history."""


def _smallest() -> Noticed:
    """Two of the recorded histories are found again by search, and nothing smaller than two others."""
    noticed: Noticed = {}
    for name, sizes, events in NO_SMALLER:
        claim, item = _claim(name), _claim(name).evidence[0]
        make = partial(scheduler_of, claim, item, chosen_readings(claim, item)[0])
        found = smallest_violation(make, PREDICATES[item["predicate"]], sizes, events)
        if isinstance(found, Violation):
            noticed[f"smallest {name}"] = f"{found.events} breaks it too: {found.reason}"
    for name in ("printed-prop-1", "printed-no-waiting"):
        answer = trace_is_smallest(_claim(name), _claim(name).evidence[0])
        if not answer.shown:
            noticed[f"smallest {name}"] = answer.detail
    return noticed


def _packings() -> Noticed:
    """The statements about packings, with at most 5 instances (G = 8) or 8 (G = 4), and as recorded."""
    noticed: Noticed = {}
    for name in ("equivalence", "equivalence-jointly", "algorithm-2", "exact-phi", "unified-closed-form"):
        for item in _claim(name).evidence:
            if item["kind"] == "packings" and item.get("tier") != "full":
                most = 8 if item.get("capacity") == 4 else 5
                answer = packings_answer({**item, "largest": min(item["largest"], most)})
                if not answer.shown:
                    noticed[f"packings {item['statement']}"] = answer.detail
    return noticed


def _function(name: str, about: frozenset[str], call: Callable[[], tuple[bool, str, dict[str, int]]]) -> Query:
    def run() -> Noticed:
        holds, detail, _ = call()
        return {} if holds else {name: detail}

    return Query(name, about, run)


def _all_queries() -> Iterator[Query]:
    settled, printed = frozenset({"settled"}), frozenset({"printed"})
    metric, geometry, check = frozenset({"metric"}), frozenset({"geometry"}), frozenset({"check"})
    for variant in ("repaired", "unified"):
        yield Query(f"agree {variant}", settled, partial(_agree_small, variant))
        yield Query(f"counts {variant}", settled, partial(_counts, variant, variant, 3, 4))
        yield Query(f"tables {variant}", settled, partial(_tables, variant, 4))
        yield Query(f"smt {variant}", settled | geometry | check, partial(_smt, variant, 4))
        yield _function(f"encoding {variant}", settled | check, partial(encoding.encoding_covers, variant, 2))
        yield _function(f"load {variant}", settled, partial(runs.load_settles, variant))
        yield _function(f"translation {variant}", check, partial(translation.translation_holds, variant))
    yield Query("agree printed", printed, partial(_agree_small, "printed"))
    yield _function("operators printed", printed, partial(operators_agree, 3, 4, 80))
    yield Query("counts printed", printed, partial(_counts, "printed", "printed", 2, 8))
    yield Query("smt printed", check, lambda: _wrong(printed_obligations(Geometry(4))))
    yield Query("trace", printed, _traces)
    yield Query("smallest", printed, _smallest)
    yield Query("packings", metric | geometry | check, _packings)
    for variant in ("printed", "repaired", "unified"):
        yield Query(f"files {variant}", check, partial(_files, variant))
        yield _function(f"predicates {variant}", check | geometry, partial(predicates_bite, variant))
        own = printed if variant == "printed" else settled
        yield _function(f"run {variant}", own | geometry, partial(runs.decisions_add_up, variant))
        yield _function(f"replay {variant}", own | metric, partial(runs.replay_by_hand, variant))
    yield _function("compositions", metric | geometry, figures.compositions_by_definition)
    yield _function("sif", metric | geometry, figures.sif_by_definition)
    yield _function("phi within nodes", metric, figures.phi_within_nodes)
    yield _function("follower", metric, runs.follower_refuses)
    yield _function("wcc forms", geometry, wcc_forms_agree)
    yield from _longer_queries()


def _longer_queries() -> Iterator[Query]:
    """Those that are put to the faults that name them only."""
    nobody: frozenset[str] = frozenset()
    yield Query("agree printed {2,4}", nobody, lambda: _agree("printed {2,4}", PrintedModel(4, sizes={2, 4}), 60, 2))
    for variant, nodes, capacity, open_nodes, label in (
        ("repaired", 2, 8, 1, "repaired G=8"),
        ("unified", 4, 4, 1, "unified N=4"),
        ("unified", 3, 8, 1, "unified G=8"),
        ("unified", 3, 4, 2, "unified m=2"),
    ):
        yield Query(f"counts {label}", nobody, partial(_counts, label, variant, nodes, capacity, open_nodes))
    yield _function("encoding unified N=3", nobody, partial(encoding.encoding_covers, "unified"))
    yield Query("smt unified G=8", nobody, partial(_smt, "unified", 8, ["no-waiting"]))
    yield _function("operators printed G=8", nobody, partial(operators_agree, 2, 8))
    yield _function("operators printed rehome=before", nobody, partial(operators_agree, 2, 8, 60, ["rehome=before"]))
    yield _function("passes printed", nobody, partial(passes.passes_encoded, 4, long_lists=20))
    yield _function("walk repaired", nobody, partial(walks.walks_encoded, "repaired"))
    yield _function("walk unified", nobody, partial(walks.walks_encoded, "unified", open_nodes=3))
    yield _function("run printed G=8", nobody, partial(runs.decisions_add_up, "printed", 6, 400, 8))


QUERIES = {query.name: query for query in _all_queries()}
"""By name. What a query notices is its name, or the name of one of its parts."""
