"""Events and decisions as JSON Lines, one object a line.

*Events*: ``{"event":"arrive","job":"a","gpus":4,"instances":2}`` (``instances`` is 1 where it is not given) and
``{"event":"depart","job":"a"}``. An unknown key is refused. Blank lines are skipped.

*Decisions*, one for each event. On an arrival::

    {"event":"arrive","job":"a","admitted":true,
     "moves":[{"instance":"b/0","from":1,"to":0}],"placements":[{"instance":"a/0","node":1}]}

Nodes are numbered from 0, instance k of job ``a`` is ``a/k``. ``placements`` has every instance of the job once,
``moves`` the instances that migrate, one perhaps more than once. Every single step is legal after those
before it: no node is ever over its capacity. The steps are carried out in the order of the lists, all moves before all
placements; where that is not the order, there is a further key ``order``, a list with an entry for each step, as in
``"order":[["placement",0],["move",0]]``: which list, and the place in it, from 0. So a reader that ignores ``order``
is right only where the key is missing.

``"admitted":false`` says that the job does not fit now. Then both lists are empty, nothing has changed and the job is
forgotten: its arrival has to be sent again, its departure is an error. A job that could not run on the empty cluster
has no decision: ``compass run`` ends there.

On a departure ``{"event":"depart","job":"a","moves":[]}``: all instances of the job leave first, then come the moves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from compass.events import Arrive, Decision, Depart, Event
from compass.json_input import Checker
from compass.text_input import MAX_INSTANCES, Source, input_error, open_source, quoted, stream_lines

_KEYS = {"arrive": (("event", "job", "gpus"), ("instances",)), "depart": (("event", "job"), ())}


def read_events(source: Source, capacity: int = 8) -> Iterator[tuple[int, Event]]:
    r"""The events of a file, each with its line number and as soon as its line is there.

    Only the form is checked here; whether a job is known is for the scheduler to say.

    Args:
        source: a path, ``"-"`` for standard input or a binary stream.
        capacity: GPUs of a node; an instance has at most that many.

    Raises:
        InputError: the file cannot be read, a line is malformed, or there is no event at all; the message names
            file and line. Events before the malformed line have been yielded.

    Examples:
        >>> import io
        >>> list(read_events(io.BytesIO(b'{"event":"arrive","job":"a","gpus":4}\n{"event":"depart","job":"a"}')))
        [(1, Arrive(job='a', gpus=4, instances=1)), (2, Depart(job='a'))]

    Cost: one line is in memory at a time.
    """
    with open_source(source) as (name, stream):
        number = 0
        for number, text in stream_lines(name, stream):
            yield number, _parse_event(Checker(name, text, number), capacity)
        if not number:
            raise input_error(name, None, "the file is empty")


def _parse_event(check: Checker, capacity: int) -> Event:
    value = check.parse()
    if not isinstance(value, dict) or "event" not in value:
        value = check.record(value, (), "the event", ("event",), ("job", "gpus", "instances"))
    kind = check.word(value["event"], ("event",), "event", "'arrive' or 'depart'")
    if kind not in _KEYS:
        raise check.error(("event",), f"event {quoted(kind)}: must be 'arrive' or 'depart'")
    record = check.record(value, (), f"the {kind} event", *_KEYS[kind])
    job = check.name_of(record["job"], ("job",), "job", slash=False)
    if kind == "depart":
        return Depart(job)
    gpus = check.integer(record["gpus"], ("gpus",), "gpus", 1, capacity)
    instances = check.integer(record.get("instances", 1), ("instances",), "instances", 1, MAX_INSTANCES)
    return Arrive(job, gpus, instances)


def format_event(event: Event) -> str:
    """An event as one line of JSON without its line end.

    >>> print(format_event(Arrive("a", 4, 2)))
    {"event":"arrive","job":"a","gpus":4,"instances":2}
    """
    kind = "arrive" if isinstance(event, Arrive) else "depart"
    return json.dumps({"event": kind, **event._asdict()}, separators=(",", ":"))


def format_decision(decision: Decision) -> str:
    """A decision as one line of JSON without its line end.

    >>> print(format_decision(Decision("depart", "a", True)))
    {"event":"depart","job":"a","moves":[]}
    """
    return json.dumps(decision.to_json(), separators=(",", ":"))
