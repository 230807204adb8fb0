"""The openb lists, and FGD on them against the results that its authors have published."""

import csv
import io
import os
from pathlib import Path

import pytest

from compass.errors import InputError
from compass.evaluation.general_fgd import Cluster, Demand, Fragmentation, Free, GeneralBestFit, GeneralFgd, typical
from compass.evaluation.openb import Moment, allocation, arrive, read_nodes, read_order, read_pods

NODES = """sn,cpu_milli,memory_mib,gpu,model
b,64000,262144,2,P100

a,96000,393216,0,
"""
PODS = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos
y,6000,12288,1,460,V100M16|V100M32,LS
x,12000,16384,2,1000,,BE
"""


def stream(text):
    return io.BytesIO(text.encode())


def test_lists_are_read_in_order_of_names():
    assert read_nodes(stream(NODES)) == [Free(96000, 393216, ()), Free(64000, 262144, (1000, 1000), "P100")]
    assert read_pods(stream(PODS)) == [
        Demand(12000, 16384, 2, 1000),
        Demand(6000, 12288, 1, 460, ("V100M16", "V100M32")),
    ]
    assert read_order(stream("2\n0\n2\n"), 3) == [2, 0, 2]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_nodes, NODES.replace("gpu,", ""), "<stream>:1: missing column gpu"),
        (read_nodes, NODES.replace("262144,2,", "262144,-2,"), "<stream>:2: gpu -2 is negative"),
        (read_nodes, NODES.replace("a,", "b,"), "<stream>:4: 'b' stands twice"),
        (read_pods, PODS.replace("6000,", "6000,,"), "<stream>:2: 8 fields where the header has 7"),
        (read_pods, PODS.replace("460", "1460"), "<stream>:2: gpu_milli 1460 is too large"),
        (read_pods, PODS.replace("2,1000", "2,500"), "<stream>:3: Demand.*GPUs are asked for as whole ones"),
        (read_pods, PODS.replace("x,", ","), "<stream>:3: is empty"),
        (lambda source: read_order(source, 3), "2\n3\n", "<stream>:2: 3 is too large, must be from 0 to 2"),
    ],
)
def test_malformed_lists_are_refused_with_the_line(read, text, message):
    with pytest.raises(InputError, match=message):
        read(stream(text))


def test_allocation_by_hand():
    """A node of two GPUs: one comes, two more that do not fit, half a one that does, half a one for which none is left.

    Shares in % of what has arrived and is in use: 50/50, 150/50, 175/75, 250/75 with 3 and 0.5 twice of 2 GPUs.
    """
    demands = [Demand(gpus=1, milli=1000), Demand(gpus=2, milli=1000), Demand(gpus=1, milli=500)]
    cluster = Cluster([Free(0, 0, (1000, 1000))], GeneralBestFit())
    moments = list(arrive(cluster, demands))
    assert moments == [Moment(1000, 1000), Moment(3000, 1000), Moment(3500, 1500)]
    assert allocation(moments, 2000) == {50: 50.0, 150: 50.0, 175: 75.0}
    assert allocation([Moment(1000, 333), Moment(1001, 334)], 100_000) == {1: 0.33}
    assert allocation([], 1000) == {}


OPENB = Path(os.environ.get("COMPASS_FGD", Path(__file__).parents[3] / "shared" / "fgd"))


@pytest.mark.skipif(not OPENB.is_dir(), reason=f"the public FGD results are not in {OPENB.name} (set COMPASS_FGD)")
@pytest.mark.parametrize("policy", ["05-BestFit", "06-FGD"])
def test_it_agrees_with_the_published_allocation(policy):
    """One seed until pods begin to be dropped, and a little on; all seeds: tests/benchmarks/check_general_fgd.py."""
    pods = read_pods(OPENB / "openb_pod_list_default.csv")
    nodes = read_nodes(OPENB / "openb_node_list_gpu_node.csv")
    arrivals = read_order(OPENB / "orders" / "arrivals_42.txt", len(pods))
    ranks = read_order(OPENB / "orders" / "nodes_42.txt", len(nodes))
    with open(OPENB / "expected_allocation.csv", encoding="utf-8") as file:
        (expected,) = [row for row in csv.DictReader(file) if (row["sc_policy"], row["seed"]) == (policy, "42")]
    policies = {"05-BestFit": GeneralBestFit(), "06-FGD": GeneralFgd(Fragmentation(typical(pods)), truncated=True)}
    capacity = sum(sum(node.gpus) for node in nodes)
    assert capacity == 1000 * int(expected["total_gpus"])
    moments = arrive(Cluster(nodes, policies[policy], ranks), [pods[pod] for pod in arrivals[:8200]])
    found = allocation(moments, capacity)
    assert max(found) > 97
    for column, share in found.items():
        assert share == pytest.approx(float(expected[str(column)]), abs=0.01 if column <= 88 else 0.4), column
