"""Decisions as a port writes them: read strictly."""

from __future__ import annotations

from typing import Any

from compass.errors import InputError
from compass.events import Decision, Move, Placement, Step
from compass.json_input import Checker
from compass.text_input import MAX_NODES

_KEYS = {
    "arrive": (("event", "job", "admitted", "moves", "placements"), ("order",)),
    "depart": (("event", "job", "moves"), ()),
}


def parse_decision(text: str) -> Decision:
    """The decision that one line of JSON stands for.

    Raises:
        InputError: it is none.

    Examples:
        >>> parse_decision('{"event":"depart","job":"a","moves":[{"instance":"b/0","from":1,"to":0}]}').moves
        (Move(instance='b/0', source=1, target=0),)
    """
    check = Checker("answer", text)
    value = check.parse()
    if not isinstance(value, dict) or "event" not in value:
        value = check.record(value, (), "the decision", ("event",), _KEYS["arrive"][0] + _KEYS["arrive"][1])
    kind = check.word(value["event"], ("event",), "event", "'arrive' or 'depart'")
    if kind not in _KEYS:
        raise check.error(("event",), "event must be 'arrive' or 'depart'")
    record = check.record(value, (), "the decision", *_KEYS[kind])
    job = check.word(record["job"], ("job",), "job")
    moves = [
        Move(_name(check, entry, path), _node(check, entry, path, "from"), _node(check, entry, path, "to"))
        for entry, path in _entries(check, record, "moves", ("instance", "from", "to"))
    ]
    if kind == "depart":
        return Decision("depart", job, True, tuple(moves))
    admitted = record["admitted"]
    if not isinstance(admitted, bool):
        raise check.error(("admitted",), "admitted must be true or false")
    placements = [
        Placement(_name(check, entry, path), _node(check, entry, path, "node"))
        for entry, path in _entries(check, record, "placements", ("instance", "node"))
    ]
    steps = _in_order(check, record, moves, placements)
    if steps and not admitted:
        raise check.error((), "a job is refused and there are steps")
    return Decision("arrive", job, admitted, steps)


def _entries(
    check: Checker, record: dict[str, Any], key: str, keys: tuple[str, ...]
) -> list[tuple[dict[str, Any], tuple[str | int, ...]]]:
    items = check.items(record[key], (key,), key)
    return [(check.record(item, (key, k), f"an entry of {key}", keys, ()), (key, k)) for k, item in enumerate(items)]


def _name(check: Checker, entry: dict[str, Any], path: tuple[str | int, ...]) -> str:
    return check.word(entry["instance"], (*path, "instance"), "instance")


def _node(check: Checker, entry: dict[str, Any], path: tuple[str | int, ...], key: str) -> int:
    return check.integer(entry[key], (*path, key), key, 0, MAX_NODES)


def _in_order(
    check: Checker, record: dict[str, Any], moves: list[Move], placements: list[Placement]
) -> tuple[Step, ...]:
    """The steps as ``order`` has them; every step once, those of a kind in the order of their list."""
    if "order" not in record:
        return (*moves, *placements)
    steps: list[Step] = []
    lists: dict[str, list[Any]] = {"move": moves, "placement": placements}
    used = {"move": 0, "placement": 0}
    for k, entry in enumerate(check.items(record["order"], ("order",), "order")):
        kind = entry[0] if isinstance(entry, list) and entry else None
        if (
            kind not in ("move", "placement")
            or entry != [kind, used[kind]]
            or type(entry[1]) is not int  # false and 0.0 equal 0
            or used[kind] == len(lists[kind])
        ):
            raise check.error(("order", k), 'an entry of order is not the next ["move",k] or ["placement",k]')
        steps.append(lists[kind][used[kind]])
        used[kind] += 1
    if len(steps) != len(moves) + len(placements):
        raise InputError(f"order has {len(steps)} of {len(moves) + len(placements)} steps")
    return tuple(steps)
