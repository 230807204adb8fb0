"""The reading ``pool`` never matters from the idle cluster; and the check notices where it would."""

from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import Readings
from compass.space import AbsState
from verification.pool_reading import never_several_pool_nodes, pool_readings_agree


def test_it_never_matters():
    assert never_several_pool_nodes(2, 4, 3) == (True, "2532 histories of at most 3 events", {"histories": 2532})
    assert pool_readings_agree(3, 15)[2] == {"cases": 288}


def test_from_any_state_of_sigma_it_matters():
    pools = AbsState.of(Geometry(), [([], ["a/0"]), ([], ["b/0", "c/0"])])
    hosts = set()
    for pool in ("fullest", "emptiest"):
        decision = Printed.from_state(pools, Readings(pool=pool)).arrive("d", 1)
        hosts.add(decision.placements[0].node)
    assert hosts == {0, 1}


def test_without_compact_it_would_matter(monkeypatch):
    monkeypatch.setattr(Printed, "_compact", lambda self: None)
    holds, detail, _ = never_several_pool_nodes(2, 4, 4)
    assert not holds
    assert "several pool nodes have room in Arrive" in detail
    assert not pool_readings_agree(3, 40)[0]
