"""The drawing shows exactly the load of every node."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from compass.draw import draw, rows
from compass.snapshot import Node, PlacedInstance, Snapshot

loads = st.lists(st.integers(1, 16), max_size=16).map(
    lambda sizes: [size for k, size in enumerate(sizes) if sum(sizes[: k + 1]) <= 16]
)


@given(st.lists(loads, max_size=6))
def test_every_cell_is_a_gpu(all_sizes):
    snapshot = Snapshot.of(all_sizes, 16)
    drawn = rows(snapshot)
    assert len(drawn) == len(draw(snapshot)) == len(all_sizes)
    for row, sizes, node in zip(drawn, all_sizes, snapshot.nodes, strict=True):
        assert len(row.cells) == 16
        assert row.cells.count("·") == sizes.count(1)
        assert row.cells.count(" ") == 16 - sum(sizes)
        runs = sorted(row.cells.count(letter) for letter in set(row.cells) - set(" ·"))
        assert runs == sorted(size for size in sizes if size > 1)
        assert row.partial == node.partial
        assert ("partial" in row.note) == node.partial
        assert row.load == node.load


@given(st.lists(loads, max_size=12))
def test_groups_hold_every_node_once(all_sizes):
    grouped = rows(Snapshot.of(all_sizes, 16), group=True)
    assert sum(row.nodes for row in grouped) == len(all_sizes)
    assert len({row.cells for row in grouped}) == len(grouped)
    assert len(grouped) == len({tuple(sorted(sizes)) for sizes in all_sizes})


def test_the_lines():
    snapshot = Snapshot.of([[2, 4], [1, 1], [], [8]])
    assert draw(snapshot) == [
        "n0 │AAAABB  │ 6/8 partial",
        "n1 │··      │ 2/8 partial",
        "n2 │        │ 0/8 empty",
        "n3 │AAAAAAAA│ 8/8",
    ]
    assert draw(snapshot, jobs=True, ascii_only=True) == [
        "n0 |AAAABB  | 6/8 partial  A=j1 B=j0",
        "n1 |..      | 2/8 partial  .=j2,j3",
        "n2 |        | 0/8 empty",
        "n3 |CCCCCCCC| 8/8  C=j4",
    ]


def test_with_jobs_a_job_has_one_letter_on_all_nodes():
    a, b, one = PlacedInstance("a", 4), PlacedInstance("b", 2), PlacedInstance("a", 1)
    snapshot = Snapshot((Node("x", (b, one)), Node("y", (a, a)), Node("z", (a, b, b))))
    assert draw(snapshot, jobs=True) == [
        "x │AA·     │ 3/8 partial  A=b ·=a",
        "y │BBBBbbbb│ 8/8  B=a",
        "z │BBBBAAaa│ 8/8  B=a A=b",
    ]
    assert draw(snapshot)[1:] == ["y │AAAABBBB│ 8/8", "z │AAAABBCC│ 8/8"]
    assert draw(snapshot, jobs=True, group=True)[1:] == ["y │AAAABBBB│ 8/8  A=a B=a", "z │AAAABBCC│ 8/8  A=a B=b C=b"]


def test_the_alphabet_is_that_of_a_node_for_more_jobs_than_letters():
    assert draw(Snapshot.of([[8]] * 26), jobs=True)[-1] == "n25 │ZZZZZZZZ│ 8/8  Z=j25"
    assert draw(Snapshot.of([[8]] * 27), jobs=True)[-1] == "n26 │AAAAAAAA│ 8/8  A=j26"
    assert draw(Snapshot.of([[2, 1]] * 26), jobs=True)[-1] == "n25 │ZZ·     │ 3/8 partial  Z=j50 ·=j51"


@given(st.lists(loads, max_size=9), st.booleans())
def test_letters_of_jobs_change_no_load(all_sizes, group):
    snapshot = Snapshot.of(all_sizes, 16)
    plain, named = rows(snapshot, group=group), rows(snapshot, group=group, jobs=True)
    assert [(row.label, row.nodes, row.load, row.note) for row in plain] == [
        (row.label, row.nodes, row.load, row.note) for row in named
    ]
    for one, other in zip(plain, named, strict=True):
        assert [sum(1 for _ in run) for _, run in itertools.groupby(one.cells)] == [
            sum(1 for _ in run) for _, run in itertools.groupby(other.cells)
        ]


def test_groups_stay_apart_by_pool_and_capacity():
    a = (PlacedInstance("a", 2),)
    snapshot = Snapshot((Node("x", a, 2), Node("yy", a, 4), Node("z", a, 4, "p"), Node("w", a, 4), Node("v", a, 4)))
    assert draw(snapshot, group=True) == [
        "x  × 1 │AA│ 2/2",
        "yy × 3 │AA  │ 2/4 partial",
        "z  × 1 │AA  │ 2/4 partial pool p",
    ]
    assert draw(snapshot, group=True, jobs=True)[0].endswith("A=a")
    assert "A=a" not in draw(snapshot, group=True, jobs=True)[1]


def test_many_nodes_are_few_lines():
    assert draw(Snapshot.of([[8]] * 9_999 + [[]]), group=True, ascii_only=True) == [
        "n0    x 9999 |AAAAAAAA| 8/8",
        "n9999 x 1    |        | 0/8 empty",
    ]


def test_nothing_unprintable_is_drawn():
    snapshot = Snapshot((Node("a\x1b[2J", (PlacedInstance("j\n", 2), PlacedInstance("k\r", 1)), 4, "p\t"),))
    (line,) = draw(snapshot, jobs=True)
    assert line.isprintable()
    assert line == r"a\x1b[2J │AA· │ 3/4 partial pool p\t  A=j\n ·=k\r"


def test_no_nodes():
    assert draw(Snapshot(())) == []
