from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from compass.composition import Composition
from compass.discipline import OPEN, OPEN_POOL, SETTLED, STRAY, repaired_discipline, unified_discipline
from compass.geometry import Geometry, geometry_of
from compass.plans import Plan, PlanTable
from compass.repaired import Repaired
from compass.shapes import Shape, ShapeTable
from compass.unified import Unified
from verification import export
from verification.claims_admission import departures_looked_at
from verification.claims_moves import REPAIRED, UNIFIED
from verification.obligations import CAPACITIES, CLAIMS, model_of, obligations, settled_obligations
from verification.smt_claim import Claim, Obligation
from verification.smt_model import Model, State
from verification.smt_terms import Script, negation
from verification.solvers import SOLVERS, ask, missing
from verification.table_check import table_faults

solver = pytest.mark.parametrize(
    "solver",
    [
        pytest.param(name, marks=pytest.mark.skipif(name in missing(), reason=f"{name} is not installed"))
        for name in SOLVERS
    ],
)
needs_z3 = pytest.mark.skipif("z3" in missing(), reason="z3 is not installed")
G8 = geometry_of(8)


def differing(found: list[Obligation] | tuple[Obligation, ...], solver: str) -> list[str]:
    return [o.path for o in found if ask(solver, o.text, seconds=20).status != o.expected]


# -- the obligations hold ------------------------------------------------------------------------------------------


@solver
@pytest.mark.parametrize("capacity", CAPACITIES)
def test_every_obligation_has_its_expected_answer(solver: str, capacity: int) -> None:
    assert differing(obligations(capacity), solver) == []


def test_files_are_what_the_code_generates() -> None:
    assert export.differences() == []


def test_files_are_small() -> None:
    sizes = [len(text) for text in export.exported().values()]
    assert max(sizes) < 70_000
    assert sum(sizes) < 2_000_000


def test_every_file_says_what_it_is() -> None:
    for path, text in export.exported().items():
        folder, name = path.split("/")
        lines = text.splitlines()
        variant, claim = folder.split("-", 1)
        capacity, obligation = name.removesuffix(".smt2").split("-", 1)
        assert lines[0] == f"; {variant}, G = {capacity[1:]}, claim {claim}, obligation {obligation}"
        assert lines[1].startswith("; ")
        assert len([line for line in lines if line.startswith("(set-logic QF_LIA)")]) == 1
        assert lines[-1] == "(check-sat)"


def test_every_proof_has_a_premise_that_can_hold() -> None:
    for capacity in CAPACITIES:
        found = obligations(capacity)
        assert len({o.path for o in found}) == len(found)
        for folder in {o.folder for o in found}:
            statuses = [o.expected for o in found if o.folder == folder]
            assert "sat" in statuses
            assert "unsat" in statuses


@pytest.mark.parametrize("variant", ["repaired", "unified"])
@pytest.mark.parametrize("capacity", CAPACITIES)
def test_tables_are_legal(variant: str, capacity: int) -> None:
    assert table_faults(model_of(variant, geometry_of(capacity))) == []


def test_export_writes_only_what_differs(tmp_path) -> None:
    (tmp_path / "unified-limits").mkdir()
    (tmp_path / "unified-limits" / "stale.smt2").write_text("(check-sat)")
    (tmp_path / "unified-limits" / "claim.toml").write_text("kept")
    assert export.export(tmp_path) == len(export.exported()) + 1
    assert export.export(tmp_path) == 0
    assert (tmp_path / "unified-limits" / "claim.toml").read_text() == "kept"
    one = tmp_path / next(iter(export.exported()))
    one.write_bytes(one.read_bytes() + b"\n")
    assert export.differences(tmp_path) == [one.relative_to(tmp_path).as_posix()]


# -- code and model agree ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_admission_looks_at_just_these_departures(capacity: int) -> None:
    """`Repaired.admits` against every sub-composition, and against the departures that the proof is about."""
    geometry = geometry_of(capacity)
    rng = random.Random(capacity)

    def fits(counts: dict[int, int], nodes: int) -> bool:
        running = Composition(geometry, counts)
        pool = max(0, running.slack)
        return -(-running.anchor_width // capacity) + -(-pool // capacity) <= nodes

    def less(counts: dict[int, int], gone: dict[int, int]) -> dict[int, int]:
        return {g: n - gone.get(g, 0) for g, n in counts.items()}

    def sub(counts: dict[int, int]) -> list[dict[int, int]]:
        found: list[dict[int, int]] = [{}]
        for g, n in counts.items():
            found = [{**c, g: k} for c in found for k in range(n + 1)]
        return found

    for _ in range(300):
        nodes = rng.randint(1, 3)
        counts = {g: rng.randint(0, max(1, nodes * 4 // (g * g))) for g in geometry.sizes if g > 1}
        total = sum(g * n for g, n in counts.items())
        counts[1] = max(0, capacity * nodes - total - rng.randint(0, 3))
        looked_at = [d for d in departures_looked_at(geometry) if all(counts[g] >= k for g, k in d.items())]
        admitted = Repaired(nodes, geometry).admits(Composition(geometry, counts))
        assert admitted == all(fits(less(counts, d), nodes) for d in looked_at)
        if sum(n > 0 for n in counts.values()) < 5:
            assert admitted == all(fits(c, nodes) for c in sub(counts))


@pytest.mark.parametrize(("variant", "bounds"), [("repaired", REPAIRED[8]), ("unified", UNIFIED[8])])
def test_a_random_run_stays_within_the_proved_bounds(variant: str, bounds) -> None:
    rng = random.Random(5)
    scheduler = Repaired(6) if variant == "repaired" else Unified(6)
    model = model_of(variant, G8)
    state = State(model, Script())
    state.script.require(state.settled())
    running: list[str] = []
    for k in range(1500):
        if running and rng.random() < 0.48:
            decision = scheduler.depart(running.pop(rng.randrange(len(running))))
            bound = bounds.departure
        else:
            decision = scheduler.arrive(f"j{k}", rng.choice([1, 1, 1, 2, 3, 4, 5, 6, 7, 8]))
            bound = bounds.arrival()
            if decision.admitted:
                running.append(f"j{k}")
        assert len(decision.moves) <= bound
        counts: dict[Shape, int] = dict.fromkeys(model.table, 0)
        for node in scheduler.snapshot().nodes:
            shape = model.table.of([instance.gpus for instance in node.instances])
            assert shape is not None
            counts[shape] += 1
        assert state.script.holds({**state.values(counts), "m": 1})


# -- it can fail ---------------------------------------------------------------------------------------------------


def damaged(variant: str, damage: Callable[[Model], Model], claim: str) -> list[Obligation]:
    return settled_obligations(variant, damage(model_of(variant, G8)), [claim])


def with_kinds(model: Model, change: Callable[[Shape, int], int]) -> Model:
    kinds = tuple(change(shape, model.kind(shape)) for shape in model.table)
    return Model(replace(model.discipline, kinds=kinds), model.dial)


class DamagedPlans(PlanTable):
    """A plan table of which some results are replaced."""

    def __init__(self, discipline, change: Callable[[Shape, Shape, int, Plan], Plan | None]) -> None:
        super().__init__(discipline)
        self._change = change

    def plan(self, first: Shape, second: Shape, arriving: int = 0) -> Plan | None:
        found = super().plan(first, second, arriving)
        return self._change(first, second, arriving, found) if found else None


def with_plans(model: Model, change: Callable[[Shape, Shape, int, Plan], Plan | None]) -> Model:
    return Model(model.discipline, model.dial, DamagedPlans(model.discipline, change))


def no_merge_of(sizes: tuple[int, ...]) -> Callable[[Shape, Shape, int, Plan], Plan | None]:
    return lambda one, two, gpus, plan: None if not gpus and sizes in (one.sizes, two.sizes) else plan


def no_host_for(size: int) -> Callable[[Shape, Shape, int, Plan], Plan | None]:
    return lambda one, two, gpus, plan: None if gpus == size else plan


def loses_an_instance(one: Shape, two: Shape, gpus: int, plan: Plan) -> Plan:
    last = plan.result[1]
    return plan._replace(result=(plan.result[0], last.minus[1] or last))


def leaves_both(one: Shape, two: Shape, gpus: int, plan: Plan) -> Plan:
    return plan if gpus or one.sizes != (4,) or two.sizes != (4,) else plan._replace(result=(one, two))


def adds_moves(one: Shape, two: Shape, gpus: int, plan: Plan) -> Plan:
    return plan._replace(moves=plan.moves + 6)


FAULTS: dict[str, tuple[str, Callable[[Model], Model], str]] = {
    "no plan merges {4}": ("unified", lambda m: with_plans(m, no_merge_of((4,))), "limits/g8-merge-possible"),
    "no plan merges {2} (repaired)": (
        "repaired",
        lambda m: with_plans(m, no_merge_of((2,))),
        "limits/g8-merge-possible",
    ),
    "no pair hosts a 5": ("unified", lambda m: with_plans(m, no_host_for(5)), "no-waiting/g8-arrive-5"),
    "no pair hosts a 3 (repaired)": ("repaired", lambda m: with_plans(m, no_host_for(3)), "no-waiting/g8-arrive-3"),
    "plans lose an instance": ("unified", lambda m: with_plans(m, loses_an_instance), "conservation/g8-merge"),
    "plans move 6 more": ("unified", lambda m: with_plans(m, adds_moves), "moves/g8-merge"),
    "{4,2} counts as settled": (
        "unified",
        lambda m: with_kinds(m, lambda s, kind: SETTLED if s.sizes == (4, 2) else kind),
        "node-bound/g8-wcc",
    ),
    "a full node counts as open": (
        "unified",
        lambda m: with_kinds(m, lambda s, kind: OPEN if s.sizes == (4, 4) else kind),
        "limits/g8-merge-possible",
    ),
    "an open pool node counts as slotted": (
        "repaired",
        lambda m: with_kinds(m, lambda s, kind: OPEN if s.sizes == (1,) else kind),
        "no-waiting/g8-arrive-1",
    ),
    "a stray node counts as open": (
        "repaired",
        lambda m: with_kinds(m, lambda s, kind: OPEN if s.sizes == (4, 1) else kind),
        "no-waiting/g8-necessary",
    ),
    "an open slotted node counts as stray": (
        "repaired",
        lambda m: with_kinds(m, lambda s, kind: STRAY if s.sizes == (4,) else kind),
        "limits/g8-merge-possible",
    ),
    "an open slotted node counts as pool": (
        "repaired",
        lambda m: with_kinds(m, lambda s, kind: OPEN_POOL if s.sizes == (2, 2) else kind),
        "limits/g8",
    ),
}


@needs_z3
@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_turns_an_answer(fault: str) -> None:
    variant, damage, where = FAULTS[fault]
    wrong = differing(damaged(variant, damage, where.split("/")[0]), "z3")
    assert any(where in path for path in wrong), wrong


@needs_z3
def test_a_limit_off_by_one_turns_an_answer() -> None:
    discipline = repaired_discipline(G8)
    for limits, where in ((None, 2, 1, 0), "node-bound/g8-wcc"), ((None, 1, 1, 1), "no-waiting/g8-arrive"):
        model = Model(replace(discipline, limits=limits), dial=False)
        found = settled_obligations("repaired", model, [where.split("/")[0]])
        assert any(where in path for path in differing(found, "z3")), limits


@needs_z3
def test_a_wrong_wcc_coefficient_turns_an_answer() -> None:
    geometry = Geometry()
    coefficients = list(geometry.wcc_coefficients)
    coefficients[5] = 2
    object.__setattr__(geometry, "wcc_coefficients", tuple(coefficients))
    table = ShapeTable(geometry)
    kinds = tuple(OPEN if shape.open else SETTLED for shape in table)
    model = Model(replace(unified_discipline(G8), table=table, kinds=kinds), dial=True)
    wrong = differing(settled_obligations("unified", model, ["saturation"]), "z3")
    assert any("saturation/g8-balance" in path for path in wrong)
    assert any("saturation/g8-saturated" in path for path in wrong)


@pytest.mark.parametrize("change", [loses_an_instance, leaves_both, adds_moves])
def test_a_damaged_plan_is_an_illegal_table(change: Callable[[Shape, Shape, int, Plan], Plan]) -> None:
    model = model_of("unified", G8)
    assert table_faults(model, DamagedPlans(model.discipline, change))


@needs_z3
def test_a_vacuous_proof_is_noticed() -> None:
    claim = Claim("any", "unified", 8)

    def vacuous(state: State):
        state.script.require(negation(state["nodes"] >= 0), "never")
        return state["open"] >= 7

    claim.about(model_of("unified", G8), "vacuous", "Nothing.", vacuous)
    assert differing(claim.found, "z3") == ["unified-any/g8-vacuous-premise.smt2"]


def test_claims_are_folders() -> None:
    folders = {o.folder for o in obligations(8)}
    assert {f"unified-{name}" for name in CLAIMS} <= folders
    assert {"printed-pool-pass", "printed-slotted-pass", "repaired-closure"} <= folders
