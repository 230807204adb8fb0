"""The reachable graph agrees with the exploration, can be exported, and answers what one asks of it."""

import networkx as nx
import pytest

from compass.geometry import Geometry
from compass.readings import Readings
from verification.count_explorer import explore
from verification.count_model import SettledModel, repaired_model, unified_model
from verification.count_printed import PrintedModel
from verification.graph import (
    compaction_graph,
    cycles_without_progress,
    reachable_graph,
    settling_graph,
    shortest_path,
    worst_states,
    write_graphml,
)


@pytest.mark.parametrize(
    "model",
    [repaired_model(2), unified_model(1, 2), unified_model(4, 1, Geometry(4)), repaired_model(2, sizes={1, 5})],
    ids=["repaired", "unified-2", "unified-4", "sizes"],
)
def test_graph_and_exploration_agree(model):
    graph, found = reachable_graph(model), explore(model)
    assert graph.number_of_nodes() == found.states
    assert max(nx.get_node_attributes(graph, "depth").values()) == found.depth
    assert max(nx.get_node_attributes(graph, "avoidable").values()) == found.max_avoidable
    assert max(nx.get_edge_attributes(graph, "moves").values()) == max(found.max_moves.values())


def test_graph_of_printed_has_the_states_between():
    model = PrintedModel(2, sizes={1, 2, 3})
    graph, found = reachable_graph(model), explore(model)
    assert graph.number_of_nodes() == found.all_states
    settled = [state for state in graph if state.phase == 0]
    assert len(settled) == found.states
    stuck = [state for state, text in graph.nodes(data="stuck") if "compact" not in text and text]
    assert len(stuck) == found.stuck
    assert graph.nodes[stuck[0]]["stuck"].startswith("remove 3 from")


def test_path_into_the_worst_state_of_printed():
    graph = reachable_graph(PrintedModel(3, sizes={1, 2, 4}))
    worst = worst_states(graph, "avoidable", under_wcc=True)
    assert graph.nodes[worst[0]]["avoidable"] == 3
    assert {"{1,1,1,1,1,1} {2,4} {4}"} <= {graph.nodes[state]["label"] for state in worst}
    path = shortest_path(graph, worst[0])
    assert len(path) == graph.nodes[worst[0]]["depth"]
    assert path[-1] == ("compact", graph.nodes[worst[0]]["label"])


def test_graphml_is_read_back(tmp_path):
    graph = reachable_graph(unified_model(2, sizes={1, 2, 4}))
    write_graphml(graph, tmp_path / "graph.graphml")
    read = nx.read_graphml(tmp_path / "graph.graphml")
    assert (read.number_of_nodes(), read.number_of_edges()) == (graph.number_of_nodes(), graph.number_of_edges())
    assert read.nodes["s1"]["label"] == "{1}"
    assert read.nodes["s1"]["wcc"] is True
    assert {data["event"] for _, _, data in read.edges(data=True) if data["kind"] == "arrive"} == {
        f"arrive {g}" for g in (1, 2, 4)
    }


def test_every_state_can_reach_the_empty_cluster():
    for model in (repaired_model(2), PrintedModel(2, sizes={1, 2, 4})):
        assert nx.is_strongly_connected(reachable_graph(model))


@pytest.mark.parametrize(
    "readings",
    [Readings(), Readings(hosts="first"), Readings(room="cap", hosts="first"), Readings(room="cap", cap="nodes")],
    ids=str,
)
def test_compaction_of_printed_makes_progress(readings):
    assert cycles_without_progress(compaction_graph(PrintedModel(3, readings, sizes={1, 2, 4}))) == []


@pytest.mark.parametrize("model", [repaired_model(2), unified_model(2), unified_model(2, 2)])
def test_settling_makes_progress(model):
    graph = settling_graph(model)
    assert graph.number_of_edges() > 100
    assert nx.is_directed_acyclic_graph(graph)


def test_a_cycle_is_found():
    class Swaps(SettledModel):
        def merge(self, nodes):
            one, two = self.of([[2]]), self.of([[2, 1]])
            swapped = {one: two, two: one}.get(nodes, nodes)
            return super().merge(nodes)._replace(nodes=swapped)

    model = Swaps(unified_model(1, sizes={1, 2}).scheduler, {1, 2})
    assert cycles_without_progress(settling_graph(model)) == [sorted([model.of([[2]]), model.of([[2, 1]])])]


def test_a_large_graph_is_refused():
    with pytest.raises(ValueError, match="more than 10 states"):
        reachable_graph(repaired_model(1), most=10)
