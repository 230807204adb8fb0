"""The readings of the pseudocode: defaults, parsing, enumeration."""

import pytest

from compass.errors import InputError
from compass.readings import VALUES, Readings, all_readings


def test_the_default_is_kindest_to_the_paper():
    assert str(Readings()) == (
        "refill=text rehome=after migrations=sequential room=floor cap=fits ties=lowest fill=tightest pool=fullest "
        "draw=emptiest hosts=last"
    )
    assert {name: allowed[0] for name, allowed in VALUES.items()} == vars(Readings())


def test_parse():
    assert Readings.parse([]) == Readings()
    assert Readings.parse(["room=cap", "cap=nodes"]) == Readings(room="cap", cap="nodes")
    for readings in all_readings():
        assert Readings.parse(str(readings).split()) == readings


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["refill"], "reading 'refill': must be name=value; names: refill, rehome, migrations, "),
        (["rehom=after"], "reading 'rehom=after': no reading is named 'rehom'; nearest: rehome"),
        (
            ["zz=after"],
            "reading 'zz=after': no reading is named 'zz'; nearest: refill, rehome, migrations, room, cap, ",
        ),
        (["ties=lowst"], "reading 'ties=lowst': ties has no 'lowst'; nearest: lowest"),
        (["ties="], "reading 'ties=': ties has no ''; nearest: lowest, highest"),
        (["ties=lowest", "ties=highest"], "reading 'ties=highest': ties is given twice"),
    ],
)
def test_parse_names_what_is_wrong_and_what_is_near(texts, message):
    with pytest.raises(InputError) as caught:
        Readings.parse(texts)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", VALUES)
def test_no_field_takes_another_value(name):
    with pytest.raises(InputError, match=f"reading {name}=other: must be {' or '.join(VALUES[name])}"):
        Readings(**{name: "other"})


def test_all_readings_are_all_combinations():
    readings = list(all_readings())
    assert readings[0] == Readings()
    assert len(readings) == len(set(readings)) == 2 ** len(VALUES)


def test_canonical_readings():
    assert Readings(cap="nodes").canonical() == Readings()
    assert Readings(rehome="before").canonical() == Readings(rehome="before")
    assert Readings(cap="nodes", room="cap").canonical() == Readings(cap="nodes", room="cap")
    simultaneous = Readings(migrations="simultaneous")
    assert Readings(migrations="simultaneous", rehome="before").canonical() == simultaneous
    for reading in all_readings():
        assert reading.canonical().canonical() == reading.canonical()
