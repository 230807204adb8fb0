import pytest

from compass.errors import InputError
from compass.snapshot import Node, PlacedInstance, Snapshot


def test_partial_is_neither_idle_nor_full():
    sizes = [[], [1], [7], [8], [4, 4], [4, 2, 1]]
    assert [node.partial for node in Snapshot.of(sizes).nodes] == [False, True, True, False, False, True]
    assert Snapshot.of(sizes).partial_nodes == 3


def test_every_instance_of_a_quick_snapshot_is_a_job_of_its_own():
    jobs = [instance.job for node in Snapshot.of([[4, 2], [], [1]]).nodes for instance in node.instances]
    assert jobs == ["j0", "j1", "j2"]


def test_capacity_is_that_of_all_nodes_or_none():
    assert Snapshot.of([[1], [2]], 4).capacity == 4
    assert Snapshot((Node("a", capacity=4), Node("b", capacity=8))).capacity is None
    assert Snapshot(()).capacity is None


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"capacity": 6}, "node 'x': capacity 6: must be one of 2, 4, 8, 16"),
        ({"capacity": True}, "node 'x': capacity True"),
        ({"instances": (PlacedInstance("j", 9),)}, "node 'x': job 'j': 9 GPUs: must be an integer from 1 to 8"),
        ({"instances": (PlacedInstance("j", 0),)}, "job 'j': 0 GPUs"),
        ({"instances": (PlacedInstance("j", True),)}, "job 'j': True GPUs"),
        ({"instances": (PlacedInstance("j", 5), PlacedInstance("k", 4))}, "node 'x': 9 GPUs busy, more than its 8"),
    ],
)
def test_impossible_nodes(node, message):
    with pytest.raises(InputError, match=message):
        Node("x", **node)


def test_names_are_unique():
    with pytest.raises(InputError, match="node 'x': the name is used twice"):
        Snapshot((Node("x"), Node("x")))
