import pytest

from compass.errors import CompassError, InputError
from compass.geometry import CAPACITIES, Geometry, SizeClass, geometry_of


def test_slot_widths_of_the_paper():
    # eq. 3: w*(2) = 2, w*(3) = w*(4) = 4, w*(5..8) = 8
    assert [Geometry().slot_width(g) for g in range(1, 9)] == [1, 2, 4, 4, 8, 8, 8, 8]


def test_wcc_coefficients_of_the_paper():
    # eq. 9: p1 >= p3 + 3 p5 + 2 p6 + p7
    assert Geometry().wcc_coefficients == (0, 0, 0, 1, 0, 3, 2, 1, 0)


def test_size_classes_of_the_paper():
    classes = {g: Geometry().size_class(g) for g in range(1, 9)}
    assert [g for g, c in classes.items() if c is SizeClass.FILLER] == [1]
    assert [g for g, c in classes.items() if c is SizeClass.FRIENDLY] == [2, 4, 8]
    assert [g for g, c in classes.items() if c is SizeClass.UNFRIENDLY] == [3, 5, 6, 7]


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_slot_width_is_the_least_width_that_holds_the_demand(capacity):
    geometry = Geometry(capacity)
    for g in geometry.sizes:
        candidates = [w for w in (1, *geometry.widths) if w >= g]
        assert geometry.slot_width(g) == min(candidates)
        assert geometry.vacancy(g) == min(candidates) - g


def test_a_chain_may_leave_widths_out():
    geometry = Geometry(16, (4, 16))
    assert [geometry.slot_width(g) for g in (1, 2, 4, 5, 16)] == [1, 4, 4, 16, 16]
    assert geometry.size_class(2) is SizeClass.UNFRIENDLY


@pytest.mark.parametrize(
    ("capacity", "widths", "message"),
    [
        (6, (), "capacity 6"),
        (0, (), "capacity 0"),
        (True, (), "capacity True"),
        ("8", (), "capacity '8'"),
        (8, (1, 8), "the least slot width is 2"),
        (8, (2, 3, 8), "2 does not divide 3"),
        (8, (4, 2, 8), "4 is not less than 2"),
        (8, (2, 2, 8), "2 is not less than 2"),
        (8, (2, 4), "the last one must be the capacity 8"),
        (8, (2, 16), "the last one must be the capacity 8"),
        (8, (2, "4", 8), "every width must be an integer"),
        (8, (True, 8), "every width must be an integer"),
    ],
)
def test_an_ill_formed_chain_is_refused(capacity, widths, message):
    with pytest.raises(InputError, match=message):
        Geometry(capacity, widths)


@pytest.mark.parametrize("gpus", [0, -1, 9, 1.0, True, "3"])
def test_a_demand_no_node_can_serve_is_refused(gpus):
    for method in (Geometry().slot_width, Geometry().vacancy, Geometry().size_class):
        with pytest.raises(InputError, match="GPUs an instance"):
            method(gpus)


def test_input_errors_are_value_errors_of_this_package():
    assert issubclass(InputError, CompassError)
    assert issubclass(InputError, ValueError)


def test_geometries_are_values():
    assert Geometry(8) == Geometry(8, (2, 4, 8)) == geometry_of(8)
    assert hash(Geometry(8)) == hash(Geometry(8, (2, 4, 8)))
    assert Geometry(8) != Geometry(8, (4, 8))
    assert geometry_of(4) is geometry_of(4)
