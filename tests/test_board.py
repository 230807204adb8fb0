import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.board import Board, Instance
from compass.discipline import OPEN, repaired_discipline, unified_discipline
from compass.errors import InvariantViolated
from compass.geometry import Geometry

UNIFIED = unified_discipline(Geometry())


def board_with(*nodes, size=None):
    board = Board(UNIFIED, size or len(nodes))
    for index, sizes in enumerate(nodes):
        for k, gpus in enumerate(sizes):
            board.install(Instance(f"{index}", k, gpus), index)
    return board


def on(board, name):
    """The instance of a name."""
    (found,) = [i for content in board.contents for i in content if i.name == name]
    return found


def test_counts():
    board = board_with([4, 2], [1] * 8, [5, 1], [3, 1, 1])
    board.recount()
    assert (board.partial, board.vacancy, board.free) == (3, 2, 8 + 1)
    assert board.kinds[OPEN] == 2
    assert {shape.sizes for shape in board.active} == {(4, 2), (3, 1, 1)}


def test_nodes_of_a_shape_come_lowest_first():
    board = board_with([2], [2, 2], [2])
    of = board.table.of
    assert board.node_of(of([2])) == 0
    assert board.node_of(of([2]), beside=0) == 2
    assert board.node_of(of([2])) == 0
    board.evict(on(board, "0/0"))
    assert board.node_of(of([2])) == 2
    assert board.node_of(board.empty) == 0
    with pytest.raises(InvariantViolated, match="no node of shape"):
        board.node_of(of([2]), beside=2)


def test_empty_nodes_end_with_the_cluster():
    board = board_with([8], [8])
    assert not board.has_empty
    with pytest.raises(InvariantViolated, match="no node of shape"):
        board.node_of(board.empty)
    board.evict(on(board, "1/0"))
    assert board.has_empty
    assert board.node_of(board.empty) == 1


def test_a_cluster_without_bound_always_has_an_empty_node():
    board = Board(UNIFIED, None)
    for k in range(5):
        assert board.has_empty
        board.install(Instance(f"{k}", 0, 8), board.node_of(board.empty))
    assert [[i.name for i in content] for content in board.contents] == [[f"{k}/0"] for k in range(5)]
    assert board.shape_of(4).sizes == (8,)
    assert board.shape_of(99) is board.empty


def test_skipped_nodes_stay_available():
    board = Board(UNIFIED, 4)
    board.install(Instance("a", 0, 8), 2)
    board.recount()
    assert board.node_of(board.empty) == 0


def test_the_instance_installed_first_is_taken():
    board = board_with([2, 1, 2, 1])
    assert board.instance_on(0, 1).name == "0/1"
    board.evict(on(board, "0/1"))
    assert board.instance_on(0, 1).name == "0/3"
    with pytest.raises(InvariantViolated, match="no instance of 4 GPUs"):
        board.instance_on(0, 4)


def test_what_has_no_shape_is_not_installed():
    board = board_with([5])
    with pytest.raises(InvariantViolated, match="does not go with"):
        board.install(Instance("x", 0, 4), 0)
    board.recount()
    assert [i.name for i in board.contents[0]] == ["0/0"]


@given(st.data())
def test_indexes_agree_with_a_scan(data):
    """Random installs and evictions, enough to make heaps stale: every lookup equals a plain scan."""
    board = Board(repaired_discipline(Geometry(4)), 6)
    installed = []
    for step in range(data.draw(st.integers(1, 120))):
        if installed and data.draw(st.booleans()):
            board.evict(installed.pop(data.draw(st.integers(0, len(installed) - 1))))
        else:
            node = data.draw(st.integers(0, 5))
            gpus = data.draw(st.integers(1, 4))
            if board.shape_of(node).plus[gpus] is not None:
                installed.append(Instance(f"{step}", 0, gpus))
                board.install(installed[-1], node)
    board.recount()
    for shape in board.table:
        nodes = [node for node in range(6) if board.shape_of(node) is shape]
        if nodes and (shape.open or shape.vacancy or shape.free or not shape.load):
            assert board.node_of(shape) == nodes[0]
            if shape.load and nodes[1:]:
                assert board.node_of(shape, beside=nodes[0]) == nodes[1]


def test_heaps_stay_small():
    board = Board(UNIFIED, 2)
    for k in range(1000):
        instance = Instance(f"{k}", 0, 2)
        board.install(instance, 0)
        board.evict(instance)
    assert max(len(heap) for heap in board._heaps if heap is not None) <= 2 * 2 + 17


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: setattr(b.contents[0][0], "gpus", 3),
        lambda b: setattr(b, "partial", 9),
        lambda b: setattr(b, "vacancy", 9),
        lambda b: setattr(b, "free", 9),
        lambda b: b.kinds.__setitem__(OPEN, 9),
        lambda b: b.live.__setitem__(3, 9),
        lambda b: b.active.clear(),
        lambda b: setattr(b.contents[0][0], "node", b.used[1]),
    ],
)
def test_a_recount_finds_damage(damage):
    board = board_with([2], [4])
    board.recount()
    damage(board)
    with pytest.raises(InvariantViolated, match="recorded"):
        board.recount()


def test_a_recount_finds_a_node_that_no_index_knows():
    board = board_with([2], [4])
    board._heaps[board.table.of([2]).index].clear()
    with pytest.raises(InvariantViolated, match="in no index"):
        board.recount()
