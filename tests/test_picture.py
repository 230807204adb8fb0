"""The SVG picture shows exactly the instances of every node, and slots as the Anchor-Based Space has them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from compass.geometry import Geometry
from compass.picture import CELL, GAP, Mark, draw_svg
from compass.snapshot import Node, PlacedInstance, Snapshot

SVG = "{http://www.w3.org/2000/svg}"
ONE_GPU = ("filler", "single")

loads = st.lists(st.integers(1, 8), max_size=8).map(
    lambda sizes: [size for k, size in enumerate(sizes) if sum(sizes[: k + 1]) <= 8]
)
clusters = st.lists(loads, min_size=1, max_size=5)


def cells(row, kind):
    """First cell and number of cells of every element of a kind in a row, from its coordinates alone."""
    left = min(
        float(rect.get("x")) for rect in row.findall(f"{SVG}rect") if rect.get("class") not in ("slot", "mark", "halo")
    )
    frame = 4 if kind == "slot" else 0
    found = []
    for element in row:
        if element.get("class") == kind:
            if kind in ONE_GPU:
                found.append((round((float(element.get("cx")) - left - CELL / 2) / CELL), 1))
            else:
                width = (float(element.get("width")) - frame + GAP) / CELL
                found.append((round((float(element.get("x")) + frame / 2 - left) / CELL), round(width)))
    return found


def rows(picture):
    return ET.fromstring(picture).findall(f"{SVG}g[@class='node']")


def texts(parent, kind):
    return [element.text for element in parent.iter(f"{SVG}text") if element.get("class") == kind]


@given(clusters, st.booleans())
def test_every_gpu_is_one_cell(all_sizes, slotted):
    snapshot = Snapshot.of(all_sizes)
    drawn = rows(draw_svg(snapshot, geometry=Geometry() if slotted else None))
    for row, sizes, node in zip(drawn, all_sizes, snapshot.nodes, strict=True):
        anchors, free = cells(row, "anchor"), cells(row, "free") + cells(row, "vacancy")
        ones = cells(row, "filler") + cells(row, "single")
        assert sorted(gpus for _, gpus in anchors) == sorted(size for size in sizes if size > 1)
        assert len(ones) == sizes.count(1)
        assert len(free) == 8 - sum(sizes)
        taken = [cell for start, gpus in anchors + ones + free for cell in range(start, start + gpus)]
        assert sorted(taken) == list(range(8))
        assert texts(row, "note")[0].startswith(f"{node.load}/8")
        assert ("partial" in texts(row, "note")[0]) == node.partial


@given(clusters)
def test_slots_are_those_of_the_space(all_sizes):
    for row, sizes in zip(rows(draw_svg(Snapshot.of(all_sizes), geometry=Geometry())), all_sizes, strict=True):
        wanted = sorted(min(width for width in (2, 4, 8) if width >= size) for size in sizes if size > 1)
        slots = cells(row, "slot")
        fits = max(sum(wanted), sum(sizes)) <= 8
        assert sorted(width for _, width in slots) == (wanted if fits else [])
        inside = {cell for start, width in slots for cell in range(start, start + width)}
        assert all(start % width == 0 for start, width in slots)
        assert len(inside) == sum(width for _, width in slots)
        assert all(cell in inside for kind in ("filler", "vacancy") for cell, _ in cells(row, kind))
        assert not any(cell in inside for kind in ("single", "free") for cell, _ in cells(row, kind))
        assert not (cells(row, "vacancy") and cells(row, "single"))  # vacancies are filled first
        for start, gpus in cells(row, "anchor"):
            assert not fits or all(cell in inside for cell in range(start, start + gpus))


@given(st.lists(loads, min_size=1, max_size=12))
def test_groups_hold_every_node_once(all_sizes):
    drawn = rows(draw_svg(Snapshot.of(all_sizes), group=True))
    assert len(drawn) == len({tuple(sorted(sizes)) for sizes in all_sizes})
    assert sum(int(texts(row, "label")[0].partition(" × ")[2] or 1) for row in drawn) == len(all_sizes)


def test_pools_and_capacities_stay_apart():
    busy = (PlacedInstance("a", 2),)
    snapshot = Snapshot((Node("x", busy, 4), Node("y", busy, 4, "p"), Node("z", busy, 4), Node("w", busy, 2)))
    drawn = rows(draw_svg(snapshot, group=True, geometry=Geometry(4)))
    assert [texts(row, "label") for row in drawn] == [["x × 2"], ["y"], ["w"]]
    assert texts(drawn[1], "note") == ["2/4 partial pool p"]
    assert [cells(row, "slot") for row in drawn] == [[(0, 2)], [(0, 2)], []]  # w has another capacity


def test_anchors_have_their_size_or_their_job():
    snapshot = Snapshot(
        (Node("x", (PlacedInstance("short", 4), PlacedInstance("a-long-name", 2))), Node("y"), Node("z"))
    )
    assert texts(rows(draw_svg(snapshot))[0], "inside") == ["4", "2"]
    assert texts(rows(draw_svg(snapshot, jobs=True, group=True))[0], "inside") == ["short", "a-lon…"]
    assert texts(rows(draw_svg(Snapshot.of([[4], [4]]), jobs=True, group=True))[0], "inside") == ["4"]
    said = [title.text for title in rows(draw_svg(snapshot))[0].iter(f"{SVG}title")]
    assert said == ["short: 4 GPUs", "a-long-name: 2 GPUs"]


def test_the_legend_explains_what_occurs():
    root = ET.fromstring(draw_svg(Snapshot.of([[3, 2, 1, 1]]), geometry=Geometry(), legend=True))
    words = ["multi-GPU instance", "1-GPU instance in a slot", "1-GPU instance", "free GPU"]
    assert texts(root, "note") == ["7/8 partial", *words]
    assert "vacancy of a slot" in draw_svg(Snapshot.of([[3]]), geometry=Geometry(), legend=True)


def test_it_is_said_in_words():
    root = ET.fromstring(draw_svg(Snapshot.of([[3, 1, 2], [], [3]]), geometry=Geometry(), caption="now"))
    assert (root.get("role"), root.get("aria-label")) == ("img", "now: 3 nodes, 2 partial")
    assert root.find(f"{SVG}title").text == "now: 3 nodes, 2 partial"
    assert root.find(f"{SVG}desc").text.splitlines() == [
        "n0: 6/8 partial: anchors of 3, 2 GPUs; 1 × 1-GPU instance in a slot; 2 × free GPU",
        "n1: 0/8 empty: 8 × free GPU",
        "n2: 3/8 partial: anchors of 3 GPUs; 1 × vacancy of a slot; 4 × free GPU",
    ]


def test_marks_point_at_one_instance():
    snapshot = Snapshot.of([[4, 2], [1]])
    marked = draw_svg(snapshot, mark=Mark("j1", 0, 1))
    first, second = rows(marked)
    assert [rect.get("width") for rect in first if rect.get("class") == "mark"] == [str(2 * CELL - GAP + 2)]
    assert not [rect for rect in second if rect.get("class") == "mark"]
    assert len(ET.fromstring(marked).findall(f"{SVG}path[@class='arrow']")) == 1
    assert 'class="arrow"' not in draw_svg(snapshot, mark=Mark("j1", 0))
    assert 'class="mark"' not in draw_svg(snapshot, mark=Mark("j1", 0, 1), group=True)


def test_any_name_gives_well_formed_xml_and_the_same_bytes():
    snapshot = Snapshot((Node("<&\x1b\ud800", (PlacedInstance('"\x00', 3), PlacedInstance("]]>", 1)), 4, "p\t"),))
    picture = draw_svg(snapshot, jobs=True, legend=True, geometry=Geometry(4))
    ET.fromstring(picture.encode())
    assert picture == draw_svg(snapshot, jobs=True, legend=True, geometry=Geometry(4))


def test_no_nodes():
    assert rows(draw_svg(Snapshot(()), legend=True)) == []


def test_every_class_that_is_drawn_has_a_style():
    from compass.picture import STYLE

    snapshot = Snapshot.of([[3, 2], [1], [3, 1]])
    root = ET.fromstring(draw_svg(snapshot, geometry=Geometry(), legend=True, caption="c", mark=Mark("j0", 0, 1)))
    light, _, dark = STYLE.partition("@media (prefers-color-scheme:dark)")
    drawn = {element.get("class") for element in root.iter() if element.tag != f"{SVG}svg"}
    for kind in drawn - {None, "node", "legend", "label"}:
        assert f".nodes .{kind}" in light
        assert f".nodes .{kind}" in dark


def test_east_asian_names_have_room():
    """They are twice as wide: the cells begin behind them, and a job's name is cut to its block."""
    picture = draw_svg(
        Snapshot((Node("節点零", (PlacedInstance("日本語の仕事", 2), PlacedInstance("日本語", 4))),)), jobs=True
    )
    (row,) = rows(picture)
    assert texts(row, "inside") == ["日本語", "日本…"]  # 2 GPUs: 49 pixels, 12 to 15 a character
    assert min(float(rect.get("x")) for rect in row.iter(f"{SVG}rect")) >= 8 + 3 * 12  # 12 pixels a character
