"""Choices on a given board: what is preferred, and what is not possible."""

import pytest

from compass.board import Board, Instance
from compass.choice import Chooser
from compass.discipline import repaired_discipline, unified_discipline
from compass.geometry import Geometry
from compass.plans import PlanTable


def chooser_on(*nodes, discipline=None, size=None):
    discipline = discipline or unified_discipline(Geometry(), 2)
    board = Board(discipline, size or len(nodes))
    for index, sizes in enumerate(nodes):
        for k, gpus in enumerate(sizes):
            board.install(Instance(f"{index}", k, gpus), index)
    return Chooser(board, PlanTable(discipline))


def shapes(choice):
    return [shape.sizes for shape in choice.before], [shape.sizes for shape in choice.plan.result]


def test_a_filler_goes_to_a_vacancy_then_to_the_least_room_then_to_an_empty_node():
    assert chooser_on([5], [3], [4, 2], []).filler_host().sizes == (3,)
    assert chooser_on([2], [4, 2], []).filler_host().sizes == (4, 2)
    assert chooser_on([8], []).filler_host().sizes == ()


def test_ties_go_to_the_lower_shape_whatever_came_first():
    low, high = (2, 2), (1,) * 4
    for nodes in ([low, high], [high, low]):
        assert chooser_on(*nodes).filler_host().sizes == chooser_on(low, high).filler_host().sizes


def test_an_anchor_prefers_a_host_without_moves_and_with_little_room():
    choice = chooser_on([2], [4], []).anchor_host(4)
    assert choice.cost == 0
    assert shapes(choice) == ([(4,)], [(4, 4)])


def test_an_anchor_adopts_instances_that_are_there_before_others_are_drawn():
    choice = chooser_on([1, 1, 1], [1] * 8, []).anchor_host(5)
    assert choice.cost == 0
    assert shapes(choice) == ([(1, 1, 1)], [(5, 1, 1, 1)])


def test_two_nodes_make_room_where_one_has_none():
    choice = chooser_on([4, 2], [4, 2]).anchor_host(4)
    assert choice.cost == 1
    assert sorted(shapes(choice)[1]) == [(4, 2, 2), (4, 4)]


def test_the_last_resort_is_a_covered_node_with_free_instances():
    # The 4 and a 1 go to the open node; the three 1s left are adopted by the 5.
    choice = chooser_on([2, 1], [4, 1, 1, 1, 1]).anchor_host(5)
    assert choice.cost == 2
    assert sorted(shapes(choice)[1]) == [(4, 2, 1, 1), (5, 1, 1, 1)]


def test_no_host_at_all():
    assert chooser_on([4, 4], [4, 2]).anchor_host(4) is None


def test_merging_prefers_few_moves_then_few_open_nodes_then_little_left():
    choice = chooser_on([4], [4], [2]).merge()
    assert choice.cost == 1
    assert sorted(shapes(choice)[1]) == [(), (4, 4)]


def test_pairs_without_a_plan_are_passed_over():
    # A stray {4,2,1} cannot be settled with {4}: that takes three nodes. The empty node is the third.
    chooser = chooser_on([4], [4, 2, 1], [], discipline=repaired_discipline(Geometry()))
    choice = chooser.merge()
    assert shapes(choice) == ([(4, 2, 1), ()], [(4, 2), (1,)])


def test_there_may_be_nothing_to_merge():
    assert chooser_on([8], [4]).merge() is None


@pytest.mark.parametrize("nodes", [([1] * 8, [5]), ([1, 1], [5])])
def test_donors_and_vacancies(nodes):
    chooser = chooser_on(*nodes)
    assert chooser.donor().sizes == tuple(nodes[0])
    assert chooser.least_vacant().sizes == (5,)
