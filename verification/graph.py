"""The reachable graph of a small model as a networkx graph, to look at paths and cycles with the usual tools.

States are nodes, steps are edges. :func:`reachable_graph` takes the steps from the model one state at a time, so it
shares nothing with the vectorised exploration but the model itself; it is meant for up to some 10,000 states.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import networkx as nx

from compass.phi import min_partial_nodes
from verification.count_model import CountState, Nodes, SettledModel
from verification.count_printed import PrintedModel

Model = SettledModel | PrintedModel
Quantity = Literal["partial", "avoidable", "vacancy"]


def reachable_graph(model: Model, most: int = 100_000) -> nx.MultiDiGraph:
    """Every reachable state and step of a model.

    Node attributes: ``label`` (contents), ``phase``, ``depth`` (steps from the empty cluster), ``partial`` (nu),
    ``phi`` (Phi* on at most N nodes), ``avoidable``, ``vacancy``, ``wcc``, ``stuck`` (text of the steps that have no
    legal destination). Edge attributes: ``event``, ``kind``, ``gpus``, ``moves``.

    Args:
        model: any count-level model.
        most: largest number of states.

    Raises:
        ValueError: there are more states.

    Examples:
        >>> from verification.count_model import repaired_model
        >>> graph = reachable_graph(repaired_model(1, sizes={1, 2}))
        >>> graph.number_of_nodes(), graph.number_of_edges()
        (13, 24)
    """
    graph = nx.MultiDiGraph(variant=model.variant, readings=model.readings_text, nodes=model.nodes)
    _add(graph, model, model.start, 0)
    todo = [model.start]
    for state in todo:  # the list grows while it is walked
        for event, after, moves in model.successors(state):
            if after is None:
                stuck = graph.nodes[state]["stuck"]
                graph.nodes[state]["stuck"] = f"{stuck}; {event}" if stuck else str(event)
                continue
            if after not in graph:
                if len(todo) == most:
                    raise ValueError(f"more than {most} states are reachable")
                _add(graph, model, after, graph.nodes[state]["depth"] + 1)
                todo.append(after)
            graph.add_edge(state, after, event=str(event), kind=event.kind, gpus=event.gpus, moves=moves)
    return graph


def _add(graph: nx.MultiDiGraph, model: Model, state: CountState, depth: int) -> None:
    running = model.composition(state.nodes)
    loads = [sum(model.type_sizes[node]) for node in state.nodes]
    partial = sum(0 < load < model.geometry.capacity for load in loads)
    phi = min_partial_nodes(running, nodes=model.nodes)
    graph.add_node(
        state,
        label=model.describe(state.nodes),
        phase=state.phase,
        depth=depth,
        partial=partial,
        phi=phi,
        avoidable=partial - phi,
        vacancy=sum(model.type_vacancy[node] for node in state.nodes),
        wcc=running.wcc,
        stuck="",
    )


def write_graphml(graph: nx.MultiDiGraph, path: Path) -> None:
    """Write the graph as GraphML, states named ``s0, s1, ...`` in the order in which they were reached.

    ``networkx.read_graphml`` reads it back with all attributes; so do Gephi, yEd and Cytoscape.
    """
    names = {state: f"s{number}" for number, state in enumerate(graph)}
    nx.write_graphml(nx.relabel_nodes(graph, names), path)


def worst_states(graph: nx.MultiDiGraph, quantity: Quantity = "avoidable", under_wcc: bool = False) -> list[CountState]:
    """The settled states in which a quantity is largest, nearest to the empty cluster first.

    Examples:
        >>> graph = reachable_graph(PrintedModel(2, sizes={1, 2, 4}))
        >>> worst = worst_states(graph, under_wcc=True)
        >>> graph.nodes[worst[0]]["label"], graph.nodes[worst[0]]["avoidable"]
        ('{1,1} {2,2,2}', 2)
    """
    settled = [s for s, data in graph.nodes(data=True) if data["phase"] == 0 and (data["wcc"] or not under_wcc)]
    most = max(graph.nodes[state][quantity] for state in settled)
    worst = [state for state in settled if graph.nodes[state][quantity] == most]
    return sorted(worst, key=lambda state: (graph.nodes[state]["depth"], state))


def shortest_path(graph: nx.MultiDiGraph, state: CountState) -> list[tuple[str, str]]:
    """A shortest path from the empty cluster: each event with the contents it leads to."""
    start = next(iter(graph))
    states = nx.shortest_path(graph, start, state)
    steps = itertools.pairwise(states)
    return [(_first_edge(graph, one, two)["event"], graph.nodes[two]["label"]) for one, two in steps]


def _first_edge(graph: nx.MultiDiGraph, one: CountState, two: CountState) -> dict[str, Any]:
    edge: dict[str, Any] = min(graph.get_edge_data(one, two).values(), key=lambda data: (data["moves"], data["event"]))
    return edge


# -- moves without events ---------------------------------------------------------------------------------------------


def compaction_graph(model: PrintedModel) -> nx.DiGraph:
    """What Compact does to every state in which it may run: edges between node multisets, with their ``moves``.

    An edge leads to each result that differs from the state. A cycle is compaction without progress; a path of two
    edges is a state that one Compact does not finish.

    Examples:
        >>> cycles_without_progress(compaction_graph(PrintedModel(2, sizes={1, 2, 4})))
        []
    """
    graph = nx.DiGraph()
    for state in _reached(model):
        if state.phase:
            graph.add_node(state.nodes)
            for after, moves in model.compact(state.nodes):
                if after is not None and after != state.nodes:
                    graph.add_edge(state.nodes, after, moves=moves)
    return graph


def settling_graph(model: SettledModel) -> nx.DiGraph:
    """What settling does after any departure, one refill or one sequence of merges at a time.

    Examples:
        >>> from verification.count_model import unified_model
        >>> cycles_without_progress(settling_graph(unified_model(2, sizes={1, 2, 4})))
        []
    """
    graph = nx.DiGraph()
    for state in _reached(model):
        for node in set(state.nodes):
            for gpus in set(model.sizes_of(node)):
                _follow(graph, _left(model, state.nodes, node, gpus), _settling(model))
    return graph


def _settling(model: SettledModel) -> Callable[[Nodes], Nodes | None]:
    def step(nodes: Nodes) -> Nodes | None:
        refilled = model.refill(nodes, 1)
        return refilled.nodes if refilled.moves else model.merge(nodes).nodes

    return step


def _left(model: SettledModel, nodes: Nodes, node: int, gpus: int) -> Nodes:
    smaller = model.table[node].minus[gpus]
    assert smaller is not None
    left = list(nodes)
    left[left.index(node)] = smaller.index
    return tuple(sorted(left))


def _follow(graph: nx.DiGraph, nodes: Nodes, step: Callable[[Nodes], Nodes | None]) -> None:
    """Add the steps from a state up to where nothing changes, or to a state that has been left before."""
    while nodes not in graph or not graph.out_degree(nodes):
        graph.add_node(nodes)
        after = step(nodes)
        if after is None or after == nodes:
            return
        graph.add_edge(nodes, after)
        nodes = after


def _reached(model: Model) -> list[CountState]:
    seen = {model.start}
    todo = [model.start]
    for state in todo:  # the list grows while it is walked
        for _, after, _ in model.successors(state):
            if after is not None and after not in seen:
                seen.add(after)
                todo.append(after)
    return todo


def cycles_without_progress(graph: nx.DiGraph) -> list[list[Nodes]]:
    """The cycles of a graph of moves, as its strongly connected parts of more than one state; [] if it terminates."""
    parts = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    return sorted(parts)
