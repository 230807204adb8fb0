import itertools

import pytest

from compass.geometry import Geometry
from compass.shapes import Shape, shape_table

GEOMETRIES = [Geometry(2), Geometry(4), Geometry(8), Geometry(8, (4, 8)), Geometry(8, (8,))]


def all_shapes(geometry):
    """By the definition: multisets of sizes whose slots, and whose load, fit the node."""
    found = set()
    for length in range(geometry.capacity + 1):
        for sizes in itertools.combinations_with_replacement(geometry.sizes, length):
            slots = sum(geometry.slot_width(g) for g in sizes if g > 1)
            if max(slots, sum(sizes)) <= geometry.capacity:
                found.add(tuple(sorted(sizes, reverse=True)))
    return found


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_the_table_holds_every_shape_once(geometry):
    table = shape_table(geometry)
    assert sorted(shape.sizes for shape in table) == sorted(all_shapes(geometry))
    assert [shape.index for shape in table] == list(range(len(table)))
    assert table.empty.sizes == ()


def test_the_paper_s_space_has_29_slotted_and_8_pool_types():
    sigma = [shape for shape in shape_table(Geometry()) if not (shape.slotted and shape.free)]
    assert sum(shape.slotted for shape in sigma) == 29
    assert sum(not shape.slotted and shape.load > 0 for shape in sigma) == 8


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_figures_of_a_shape(geometry):
    for shape in shape_table(geometry):
        ones = shape.sizes.count(1)
        slots = sum(geometry.slot_width(g) for g in shape.sizes if g > 1)
        wanted = sum(geometry.slot_width(g) - g for g in shape.sizes if g > 1)
        assert shape.load == sum(shape.sizes)
        assert shape.vacancy == max(0, wanted - ones)
        assert shape.free == max(0, ones - wanted)
        assert shape.width == slots + shape.free
        assert shape.room == geometry.capacity - shape.width
        assert shape.open == (shape.sizes != () and shape.room > 0)
        assert shape.partial == (0 < sum(shape.sizes) < geometry.capacity)
        assert shape.slotted == any(g > 1 for g in shape.sizes)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_transitions(geometry):
    table = shape_table(geometry)
    for shape in table:
        for g in geometry.sizes:
            assert shape.plus[g] is table.of([*shape.sizes, g])
            if g in shape.sizes:
                fewer = list(shape.sizes)
                fewer.remove(g)
                assert shape.minus[g] is table.of(fewer)
            else:
                assert shape.minus[g] is None


def test_tables_are_made_once_and_shapes_print():
    assert shape_table(Geometry(8)) is shape_table(Geometry(8, (2, 4, 8)))
    assert repr(shape_table(Geometry()).of([1, 3])) == "Shape(3, 1)"
    assert isinstance(shape_table(Geometry())[5], Shape)
