"""Decisions as text, lines, settings."""

import json
import re

import pytest

from compass.conformance.decision_text import parse_decision
from compass.conformance.lines import EventLine
from compass.conformance.settings import PortCommand, Settings
from compass.errors import InputError
from compass.event_io import format_decision
from compass.events import Arrive, Decision, Move, Placement
from compass.geometry import Geometry
from compass.json_input import Checker
from compass.readings import Readings

PLACE, MOVE = Placement("a/0", 1), Move("b/0", 1, 0)


@pytest.mark.parametrize("steps", [(), (PLACE,), (MOVE, PLACE), (PLACE, MOVE), (MOVE, PLACE, Move("a/0", 1, 0))])
def test_a_decision_is_read_as_it_was_written(steps):
    decision = Decision("arrive", "a", True, steps)
    assert parse_decision(format_decision(decision)) == decision


def test_a_departure_and_a_refusal_are_read():
    assert parse_decision('{"moves":[],"job":"a","event":"depart"}') == Decision("depart", "a", True)
    refused = Decision("arrive", "a", False)
    assert parse_decision(format_decision(refused)) == refused


def test_an_order_that_says_nothing_new_is_read():
    text = '{"event":"arrive","job":"a","admitted":true,"moves":[],"placements":[],"order":[]}'
    assert parse_decision(text) == Decision("arrive", "a", True)


ARRIVE = '{"event":"arrive","job":"a","admitted":true,"moves":[{"instance":"b/0","from":1,"to":0}],"placements":[%s]%s}'
PLACED = '{"instance":"a/0","node":1}'


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("hello", "not JSON"),
        ("[]", "must be an object"),
        ("{}", "has no 'event'"),
        ('{"event":"stay","job":"a"}', "must be 'arrive' or 'depart'"),
        ('{"event":1,"job":"a"}', "must be 'arrive' or 'depart'"),
        ('{"event":"depart","job":"a"}', "has no 'moves'"),
        ('{"event":"depart","job":"a","moves":[],"placements":[]}', "unknown key 'placements'"),
        ('{"event":"depart","job":1,"moves":[]}', "job is the number 1"),
        ('{"event":"depart","job":"a","moves":{}}', "must be a list"),
        ('{"event":"depart","job":"a","moves":[{"instance":"b/0","from":1.0,"to":0}]}', "must be an integer"),
        ('{"event":"depart","job":"a","moves":[{"instance":"b/0","from":-1,"to":0}]}', "too small"),
        ('{"event":"depart","job":"a","moves":[{"instance":"b/0","from":1}]}', "has no 'to'"),
        ('{"event":"arrive","job":"a","admitted":1,"moves":[],"placements":[]}', "must be true or false"),
        (ARRIVE.replace("true", "false") % (PLACED, ""), "refused"),
        (ARRIVE % (PLACED, ',"order":[["move",0]]'), "1 of 2 steps"),
        (ARRIVE % (PLACED, ',"order":[["move",0],["move",1]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":[["placement",1],["move",0]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":[["install",0],["move",0]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":[[],["move",0]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":[["placement",false],["move",0]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":[["placement",0.0],["move",0]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":[[[],0],["move",0]]'), "not the next"),
        (ARRIVE % (PLACED, ',"order":["move","placement"]'), "not the next"),
    ],
)
def test_what_is_no_decision_is_refused(text, what):
    with pytest.raises(InputError, match=what):
        parse_decision(text)


def test_lines_are_stored_as_objects_only_where_that_gives_the_same_text():
    for text in ('{"event":"depart","job":"a"}', '{"event": "depart","job":"a"}', "[1]", "no", '{"a":2.50}'):
        line = EventLine.of(text, 8)
        assert EventLine.from_json(line.to_json(), 8) == line
    assert EventLine.of('{"event":"depart","job":"a"}', 8).to_json() == {"event": "depart", "job": "a"}
    assert EventLine.of('{"event":"arrive","job":"a","gpus":9}', 8).event is None
    assert EventLine.of('{"event":"arrive","job":"a","gpus":9}', 16).event == Arrive("a", 9)


def told(settings):
    return Settings.from_json(settings.to_json(), Checker("vectors", json.dumps(settings.to_json())))


def test_settings_are_told_in_every_way():
    settings = Settings("printed", 4, Geometry(8, (2, 8)), readings=Readings(refill="pseudocode"))
    assert told(settings) == settings
    line = """port '{widths} x' {options} {nodes}{capacity} {readings}{open_nodes} '{}{1}{"y":1}'"""
    words = PortCommand(line).words(settings)
    assert words[:2] == ["port", "2,8 x"]
    assert words[-3] == "48"
    assert words[-2].startswith("refill=pseudocode,rehome=after,")
    assert words[-1] == '{}{1}{"y":1}'
    assert words[2:8] == ["--variant", "printed", "--nodes", "4", "--capacity", "8"]
    assert words.count("--reading") == 10
    assert told(Settings("unified", 2)) == Settings("unified", 2, open_nodes=1)


def test_a_command_plays_what_it_is_told():
    given = Settings("unified", 3)
    other = Settings("unified", 4, open_nodes=2)
    assert PortCommand("port").can_play(given, given)
    assert not PortCommand("port {nodes}").can_play(other, given)
    assert PortCommand("port {nodes} --m={open_nodes}").can_play(other, given)
    assert PortCommand("port {options}").can_play(other, given)
    assert not PortCommand("port {options}").can_play(Settings("repaired", 3), given)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("'a", "split"),
        ("port {node}", "'{node}' is no placeholder, did you mean '{nodes}'? (placeholders: {variant} {nodes} "),
        ("port {nodes} --m={open-nodes}", "'{open-nodes}' is no placeholder, did you mean '{open_nodes}'?"),
        ("port {qqq}", "'{qqq}' is no placeholder (placeholders: {variant} "),
        ("port --all={options}", "{options} must be a word of its own, not a part of '--all={options}'"),
    ],
)
def test_a_command_has_words_and_placeholders_that_are_some(line, what):
    with pytest.raises(InputError, match=re.escape(what)):
        PortCommand(line)


@pytest.mark.parametrize(("variant", "extra"), [("x", {}), ("repaired", {"open_nodes": 1})])
def test_settings_are_those_of_a_scheduler(variant, extra):
    with pytest.raises(InputError):
        Settings(variant, 1, **extra)


def test_what_ever_fits():
    assert Settings("unified", 2).ever_fits(5, 2)
    assert not Settings("unified", 2).ever_fits(5, 3)
    assert Settings("printed", 2).ever_fits(3, 4)
    assert not Settings("printed", 2).ever_fits(3, 5)
