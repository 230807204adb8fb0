"""Model and code agree; and the comparison notices when they do not."""

import pytest

from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from verification.agree import agree
from verification.agree_printed import PrintedCases
from verification.count_model import Outcome, SettledModel, repaired_model, unified_model
from verification.count_printed import PrintedModel

MODELS = {
    "printed": PrintedModel,
    "repaired": repaired_model,
    "unified-1": unified_model,
    "unified-2": lambda nodes: unified_model(nodes, 2),
}


@pytest.mark.parametrize("name", MODELS)
def test_one_node_in_every_state(name):
    found = agree(MODELS[name](1))
    assert found.disagreement is None
    assert found.exhaustive
    assert found.missed == 0
    assert found.runs > 500


@pytest.mark.parametrize("name", MODELS)
def test_two_nodes_in_every_order(name):
    found = agree(MODELS[name](2), most_states=60)
    assert (found.disagreement, found.first_missed, found.states) == (None, None, 60)


@pytest.mark.parametrize("name", MODELS)
def test_three_nodes(name):
    found = agree(MODELS[name](3), most_states=20, most_orders=2, seed=1)
    assert found.disagreement is None
    assert not found.exhaustive


@pytest.mark.parametrize(
    "readings",
    [
        Readings(refill="pseudocode", draw="fullest", pool="emptiest"),
        Readings(rehome="before", fill="loosest", ties="highest"),
        Readings(migrations="simultaneous", hosts="first"),
        Readings(room="cap", ties="highest"),
    ],
    ids=str,
)
def test_other_readings(readings):
    found = agree(PrintedModel(2, readings), most_states=40)
    assert (found.disagreement, found.first_missed) == (None, None)


def test_with_room_by_cap_the_model_allows_more():
    """Place and Compact break ties by the same order of the nodes; the model does not know that it is the same."""
    model = PrintedModel(2, Readings(room="cap", cap="nodes"), sizes={2, 3})
    found = agree(model)
    assert found.disagreement is None
    assert found.missed == 1
    assert found.first_missed == "{2,2} {3+0}, arrive 1 x 3: no legal destination"


def test_further_orders_take_what_the_first_one_misses():
    model = PrintedModel(2, sizes={1, 2, 3})
    assert agree(model, most_orders=1).missed
    found = agree(model, most_orders=1, further=50, instances=1)
    assert (found.disagreement, found.first_missed) == (None, None)
    assert found.steps == agree(model, instances=1).steps


def test_the_node_that_wins_a_tie_wins_it_again():
    """Two fillers come to four slots on two nodes: both go to the node that comes first."""
    model = PrintedModel(3)
    nodes = model.of([[3, 3], [3, 3], [5, 1, 1]])
    cases = PrintedCases(model, 1)
    event = "depart 5 (anchor of SlotType(anchor=5, fillers=2)) from {5+2}"
    of_event = [case for order in cases.orders(nodes) for case in cases.of(nodes, order) if case.event == event]
    after = {(model.of([[3, 3, 1, 1], [3, 3]]), 2)}
    assert {result for case in of_event for result in case.runs()} == after
    assert {case.expected for case in of_event} == {frozenset(after)}


def test_a_wrong_refill_is_noticed():
    class NoRefill(SettledModel):
        def refill(self, nodes, most=None):
            return Outcome(nodes, 0)

    found = agree(NoRefill(unified_model(2).scheduler), most_states=60)
    assert found.disagreement is not None


def test_a_wrong_draw_is_noticed():
    class NoDraw(PrintedModel):
        def _draw(self, board, wanted):
            return 0

    disagreement = agree(NoDraw(2, sizes={1, 3})).disagreement
    assert disagreement == "printed, nodes {} {1}, arrive 1 x 3: code {3+1} (1 moves), model {1} {3+0} (0 moves)"


def test_a_missing_outcome_of_the_code_is_noticed():
    class OneResultMore(PrintedModel):
        def compact(self, nodes):
            return [*super().compact(nodes), Outcome(self.start.nodes, 0)]

    found = agree(OneResultMore(1, sizes={2}))
    assert found.disagreement is None
    assert found.missed
    assert found.first_missed == "{}, arrive 1 x 2: {} (0 moves)"


@pytest.mark.parametrize(("model", "scheduler"), [(PrintedModel(1, sizes={2}), Printed), (repaired_model(1), Repaired)])
def test_a_refusal_that_changes_something_is_noticed(monkeypatch, model, scheduler):
    arrive = scheduler.arrive

    def forgets(self, job, gpus, instances=1):
        decision = arrive(self, job, gpus, instances)
        if not decision.admitted and self.running.total:
            self.depart(next(i.job for node in self.snapshot().nodes for i in node.instances))
        return decision

    monkeypatch.setattr(scheduler, "arrive", forgets)
    assert "code refused, and yet changed, model refused" in agree(model).disagreement


def test_more_moves_of_printed_than_the_model_has_are_noticed():
    class Still(PrintedModel):
        def compact(self, nodes):
            return [Outcome(after, 0) for after, _ in super().compact(nodes)]

    node = "{1,1,1,1,1,1,1,1}"
    disagreement = agree(Still(2, sizes={1, 2})).disagreement
    assert disagreement.endswith(f"depart 1 from {node}: code {node} (1 moves), model {node} (0 moves)")
