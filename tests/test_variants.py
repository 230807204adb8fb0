import pytest

from compass.errors import InputError
from compass.geometry import Geometry
from compass.printed import Printed
from compass.readings import Readings
from compass.repaired import Repaired
from compass.unified import Unified
from compass.variants import make_scheduler


def test_each_name_makes_its_class():
    assert type(make_scheduler("printed", 2)) is Printed
    assert type(make_scheduler("repaired", 2)) is Repaired
    assert type(make_scheduler("unified", 2)) is Unified


def test_settings_reach_the_scheduler():
    assert make_scheduler("unified", 2).open_nodes == 1
    assert make_scheduler("unified", 2, open_nodes=3).open_nodes == 3
    assert make_scheduler("printed", 2, readings=Readings(refill="pseudocode")).readings.refill == "pseudocode"
    assert make_scheduler("repaired", None, Geometry(4)).geometry == Geometry(4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variant": "fixed"}, "variant 'fixed': must be one of printed, repaired, unified"),
        ({"variant": "repaired", "open_nodes": 2}, "open nodes: only for the variant 'unified'"),
        ({"variant": "unified", "readings": Readings()}, "readings: only for the variant 'printed'"),
        ({"variant": "unified", "open_nodes": 0}, "open nodes 0"),
    ],
)
def test_settings_that_are_not_the_variant_s(arguments, message):
    with pytest.raises(InputError, match=message):
        make_scheduler(nodes=2, **arguments)
