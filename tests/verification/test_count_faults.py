"""The explorer can fail: seeded faults in the models, in the claims and in what they compare with."""

from dataclasses import replace

import pytest

from compass.composition import Composition
from compass.geometry import Geometry
from compass.plans import Plan, PlanTable
from compass.readings import Readings
from compass.repaired import Repaired
from compass.unified import Unified
from verification.count_claims import CLAIMS, PRINTED, REPAIRED, UNIFIED_ONE, States
from verification.count_explorer import Search, explore
from verification.count_model import Outcome, SettledModel, repaired_model, unified_model
from verification.count_printed import PrintedModel


def _with_limit_two():
    scheduler = Unified(2)
    scheduler.discipline = replace(scheduler.discipline, limits=(None, 2))
    return SettledModel(scheduler)


def _with_sigma_limits(nodes, **kinds):
    scheduler = Repaired(nodes)
    limits = [None, 1, 1, 0]
    for kind, limit in kinds.items():
        limits[int(kind[1:])] = limit
    scheduler.discipline = replace(scheduler.discipline, limits=tuple(limits))
    return SettledModel(scheduler, sizes={1, 2, 3, 4})


class _NoRefill(SettledModel):
    def refill(self, nodes, most=None):
        return Outcome(nodes, 0)


class _DamagedPlans(PlanTable):
    """The plan for {4,2} beside {4} loses an instance."""

    def plan(self, first, second, arriving=0):
        plan = super().plan(first, second, arriving)
        if {first.sizes, second.sizes} == {(4, 2), (4,)} and not arriving and plan is not None:
            of = self.discipline.table.of
            return Plan(plan.steps, (of([4, 4]), of([])), plan.moves)
        return plan


class _AdmitsAll(Unified):
    def admits(self, running: Composition) -> bool:
        return running.total <= 16


class _AdmitsLess(Unified):
    def admits(self, running: Composition) -> bool:
        return running.width <= 14


class _AdmitsOnlyNow(Repaired):
    """Forgets what is left after departures."""

    def _overflows(self, running, least, spare, width, slack):
        return slack > 0 and -width % 8 > spare


class _NoPoolPass(PrintedModel):
    passes = (4, 2)


class _NoDraw(PrintedModel):
    def _draw(self, board, wanted):
        return 0


class _LosesFillers(PrintedModel):
    def _rehome(self, board, position, fillers):
        return super()._rehome(board, position, 0)


@pytest.mark.parametrize(
    ("make", "broken"),
    [
        (_with_limit_two, {"open-nodes", "sif-bound", "no-avoidable"}),
        (lambda: _with_sigma_limits(3, k1=2), {"open-nodes", "sif-bound"}),
        (lambda: _with_sigma_limits(2, k2=2), {"open-nodes"}),
        (lambda: _with_sigma_limits(2, k3=None), {"space"}),
        (lambda: _NoRefill(Unified(2), {1, 3, 4}), {"exclusion", "saturation", "no-avoidable"}),
        (lambda: _NoRefill(Repaired(2), {1, 3, 4}), {"exclusion", "saturation"}),
        (lambda: _damaged(Unified(2)), {"conservation"}),
        (lambda: SettledModel(_AdmitsAll(2)), {"progress"}),
        (lambda: SettledModel(_AdmitsLess(2)), {"no-waiting"}),
        (lambda: SettledModel(_AdmitsOnlyNow(2)), {"closure", "admission", "progress"}),
        (lambda: _NoPoolPass(2, sizes={1, 2}), {"pool-pass"}),
        (lambda: _NoDraw(2, sizes={1, 3}), {"saturation", "exclusion"}),
        (lambda: PrintedModel(2, Readings(refill="pseudocode")), {"exclusion"}),
        (lambda: _LosesFillers(2, sizes={1, 7}), {"conservation"}),
    ],
    ids=lambda value: "+".join(sorted(value)) if isinstance(value, set) else "fault",
)
def test_a_seeded_fault_is_caught(make, broken):
    assert broken <= set(explore(make()).violated)


def _damaged(scheduler):
    return SettledModel(scheduler, {1, 2, 4}, _DamagedPlans(scheduler.discipline))


def _violated(model, **changes):
    search = Search(model)
    search.run()
    setting = replace(search.setting, **changes)
    claims = {"printed": PRINTED, "repaired": REPAIRED, "unified": UNIFIED_ONE}[model.variant]
    states = States(search.ranking.rows(search.settled()), setting)
    return {name for name, claim in claims.items() if not claim(states).all()}


def test_a_fault_in_the_wcc_coefficients_is_caught():
    geometry = Geometry()
    object.__setattr__(geometry, "wcc_coefficients", (0, 0, 0, 0, 0, 3, 2, 0, 0))  # 3 and 7 forgotten
    assert {"saturation", "closed-form", "no-avoidable"} <= _violated(unified_model(2), geometry=geometry)
    assert "partial-bound" in _violated(repaired_model(3, sizes={1, 7}), geometry=geometry)


def test_a_fault_in_the_metric_is_caught():
    search = Search(unified_model(2))
    facts = search.setting.facts
    assert "capacity" in _violated(unified_model(2), facts=replace(facts, load=facts.load + 1))
    assert "no-avoidable" in _violated(unified_model(2), facts=replace(facts, load=facts.load - (facts.load == 8)))


def test_a_fault_in_phi_is_caught():
    def one_more(keys):
        return search.setting.phi(keys) + 1

    search = Search(unified_model(2))
    assert "closed-form" in _violated(unified_model(2), phi=one_more)


def test_every_claim_has_been_seen_to_fail():
    """The union of what the tests above break."""
    seen = {
        *("open-nodes", "sif-bound", "no-avoidable", "space", "exclusion", "saturation", "no-waiting", "closure"),
        *("admission", "pool-pass", "closed-form", "capacity", "partial-bound", "theorem-1", "slotted-pass"),
    }
    assert {name for claims in (*CLAIMS.values(), UNIFIED_ONE) for name in claims} == seen
