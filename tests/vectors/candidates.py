"""What vectors can be: seeded random walks by settings, and lists written by hand. The same number, the same vector."""

import json
import random
from dataclasses import replace
from pathlib import Path

from compass.conformance.judge import ExactJudge
from compass.conformance.lines import EventLine, compact
from compass.conformance.session import RandomEvents
from compass.conformance.settings import Settings
from compass.conformance.vectors import record
from compass.events import Arrive, Depart
from compass.geometry import Geometry
from compass.readings import VALUES, Readings

ROOT = Path(__file__).resolve().parents[2]
G8 = Geometry(8)
OTHERS = (
    Geometry(4), Geometry(16), Geometry(8, (2, 8)), Geometry(8, (4, 8)), Geometry(8, (8,)), Geometry(16, (4, 16)),
)  # fmt: skip


def settings_of_walks():
    """Settings by name, with the number of walks that are tried."""
    found = {}
    for nodes, dials in ((1, (1,)), (2, (1, 2)), (3, (1, 2)), (4, (1, 3)), (6, (1, 2))):
        for m in dials:
            found[f"g8-n{nodes}-m{m}"] = Settings("unified", nodes, G8, m), 100
        found[f"repaired-g8-n{nodes}"] = Settings("repaired", nodes, G8), 150
    for geometry in OTHERS:
        default = geometry == Geometry(geometry.capacity)
        name = f"g{geometry.capacity}" + "".join(f"w{w}" for w in geometry.widths if not default)
        for nodes, m in ((2, 1), (3, 1), (4, 2)):
            found[f"{name}-n{nodes}-m{m}"] = Settings("unified", nodes, geometry, m), 60
            found[f"repaired-{name}-n{nodes}"] = Settings("repaired", nodes, geometry), 60
            found[f"printed-{name}-n{nodes}"] = Settings("printed", nodes, geometry), 60
    for nodes in (1, 2, 3, 4, 6):
        found[f"printed-g8-n{nodes}"] = Settings("printed", nodes, G8), 100
    for reading, (_, other) in VALUES.items():
        readings = replace(Readings(), **{reading: other})
        if reading == "cap":
            readings = replace(readings, room="cap")
        for nodes in (3, 5):
            found[f"printed-{reading}-{other}-n{nodes}"] = Settings("printed", nodes, G8, readings=readings), 100
    for k in range(16):  # several readings at once
        chance = random.Random(k)
        readings = Readings(**{name: chance.choice(values) for name, values in VALUES.items()})
        found[f"printed-mixed{k}-n4"] = Settings("printed", 4, G8, readings=readings), 60
    return {name if name.startswith(s.variant) else f"{s.variant}-{name}": (s, k) for name, (s, k) in found.items()}


def walk(settings, seed):
    """A random walk of 3 to 30 lines; `printed` ends where it is stuck, or goes round it."""
    chance = random.Random(seed)
    events = RandomEvents(settings, seed, phase=12)
    judge = ExactJudge(settings)
    wanted = chance.randint(3, 30)
    lines = []
    while len(lines) < wanted:
        line = EventLine.to(events.next(judge.jobs))
        ending = judge.ending(line)
        if ending and chance.random() < 0.7:
            continue
        lines.append(line)
        if ending:
            break
        judge.jobs.note(line.event, judge.decision.admitted)
    return lines


def of_name(name):
    """The vector with this id, made anew."""
    if name in BY_HAND:
        about, settings, lines = BY_HAND[name]
        return record(name, about, settings, lines)
    where, _, seed = name.rpartition("-")
    settings, _ = WALKS[where]
    return record(name, "a random walk", settings, walk(settings, int(seed)))


def all_names():
    """Every candidate."""
    return [
        *BY_HAND,
        *FURTHER,
        *(f"{name}-{seed}" for name, (_, number) in WALKS.items() for seed in range(number)),
    ]


FURTHER = ("repaired-g8-n3-516", "unified-g8-n6-m1-195")
"""Walks found by a longer search for slips that few walks tell."""


# -- by hand ----------------------------------------------------------------------------------------------------------

BAD_LINES = {
    "no-json": "arrive a 4",
    "no-object": '["arrive","a",4]',
    "cut": '{"event":"arrive","job":"c","gpus":',
    "no-event": '{"job":"c","gpus":4}',
    "unknown-event": '{"event":"resize","job":"c","gpus":4}',
    "event-number": '{"event":1,"job":"c","gpus":4}',
    "no-job": '{"event":"arrive","gpus":4}',
    "no-gpus": '{"event":"arrive","job":"c"}',
    "depart-no-job": '{"event":"depart"}',
    "unknown-key": '{"event":"arrive","job":"c","gpus":4,"node":0}',
    "depart-gpus": '{"event":"depart","job":"a","gpus":4}',
    "job-number": '{"event":"arrive","job":7,"gpus":4}',
    "job-empty": '{"event":"arrive","job":"","gpus":4}',
    "job-slash": '{"event":"arrive","job":"c/0","gpus":4}',
    "gpus-zero": '{"event":"arrive","job":"c","gpus":0}',
    "gpus-negative": '{"event":"arrive","job":"c","gpus":-1}',
    "gpus-over": '{"event":"arrive","job":"c","gpus":9}',
    "gpus-text": '{"event":"arrive","job":"c","gpus":"4"}',
    "gpus-half": '{"event":"arrive","job":"c","gpus":2.5}',
    "gpus-true": '{"event":"arrive","job":"c","gpus":true}',
    "gpus-null": '{"event":"arrive","job":"c","gpus":null}',
    "instances-zero": '{"event":"arrive","job":"c","gpus":4,"instances":0}',
    "instances-text": '{"event":"arrive","job":"c","gpus":4,"instances":"1"}',
    "instances-over": '{"event":"arrive","job":"c","gpus":4,"instances":1000001}',
    "running": '{"event":"arrive","job":"a","gpus":1}',
    "unknown": '{"event":"depart","job":"c"}',
    "left": '{"event":"depart","job":"b"}',
    "refused": '{"event":"depart","job":"r"}',
    "never-fits": '{"event":"arrive","job":"c","gpus":8,"instances":3}',
    "never-fits-slots": '{"event":"arrive","job":"c","gpus":5,"instances":3}',
}


def _by_hand():
    found = {}
    small = [Arrive("a", 4), Arrive("b", 1, 2), Depart("b"), Arrive("r", 8, 2)]
    for variant in ("unified", "repaired", "printed"):
        settings = Settings(variant, 2)
        for what, text in BAD_LINES.items():
            lines = [*map(EventLine.to, small), EventLine.of(text, 8)]
            found[f"{variant}-bad-{what}"] = "a line that ends the run", settings, lines
        loose = ['{"gpus":4, "job" : "a", "event":"arrive"}', '{"event":"arrive","job":"\\u00e4 \\"b\\"","gpus":1}']
        lines = [EventLine.of(text, 8) for text in loose]
        found[f"{variant}-loose"] = "keys in another order, blanks, no instances, a name to escape", settings, lines
        again = [Arrive("a", 8, 2), Arrive("b", 1), Depart("a"), Arrive("b", 1), Depart("b"), Arrive("b", 7, 2)]
        found[f"{variant}-again"] = (
            "a full cluster refuses; names are used again",
            settings,
            list(map(EventLine.to, again)),
        )
        sevens = [Arrive("a", 7, 2), Arrive("b", 1, 3), Arrive("c", 1, 2), Arrive("d", 1)]
        found[f"{variant}-gang"] = "all instances of a job or none", settings, list(map(EventLine.to, sevens))
    toggles = [event for k in range(20) for event in (Arrive("a", 4 - k % 2), Depart("a"))]
    again = "one node opened and emptied again and again: indexes with stale entries"
    found["unified-toggle"] = again, Settings("unified", 1), list(map(EventLine.to, toggles))
    for k, (nodes, geometry, sizes) in enumerate(GATHER):
        lines = [EventLine.to(Arrive(f"j{i}", gpus)) for i, gpus in enumerate(sizes)]
        about = "one open node, nothing to merge: room for a wide slot is gathered from several covered nodes"
        found[f"unified-gather{k}"] = about, Settings("unified", nodes, geometry), lines
    found |= _from_proofs()
    about, settings, lines = found["printed-proof-at-most-three-trace"]
    settings = replace(settings, readings=Readings(hosts="first"))
    found["printed-hosts-first"] = f"{about}, where the first host is taken", settings, lines
    return found


GATHER = (
    (4, Geometry(16), [8, 4, 2, 1, 1] * 3 + [4, 2, 9]),
    (4, Geometry(16), [8, 4, 2, 1, 1] * 3 + [4, 2, 10]),
    (3, Geometry(8, (2, 8)), [2, 2, 2, 1, 1] * 2 + [2, 2, 4]),
    (3, Geometry(8, (2, 8)), [2, 2, 2, 1, 1] * 2 + [2, 2, 3]),
)


PROOFS = (
    "appendix-b-free-six/trace", "appendix-b-free-value/trace", "appendix-b-prop-3/trace",
    "appendix-b-two-partial/trace", "printed-at-most-three/trace", "printed-no-waiting/trace", "printed-prop-1/trace",
    "printed-saturation-no-refill/highest", "printed-saturation-no-refill/lowest",
    "printed-slotted-pass-all/every-reading", "printed-slotted-pass-all/trace",
    "printed-theorem-1-structure/every-reading", "printed-theorem-1-structure/trace",
    "printed-theorem-1/every-reading", "printed-theorem-1/trace", "theorem-2/trace",
)  # fmt: skip
"""Smallest counterexamples, histories of jobs under ``proofs/``."""


def _from_proofs():
    """The smallest counterexamples, under the variant they refute and under the others."""
    found = {}
    for name in PROOFS:
        path = ROOT / "proofs" / f"{name}.jsonl"
        nodes, readings = _nodes_and_readings(path)
        events = [EventLine.of(compact(json.loads(text)), 8) for text in path.read_text(encoding="utf-8").splitlines()]
        about = f"smallest counterexample: proofs/{name}.jsonl"
        short = name.removeprefix("printed-").replace("/", "-")
        found[f"printed-proof-{short}"] = about, Settings("printed", nodes, readings=readings), events
        found[f"repaired-proof-{short}"] = about, Settings("repaired", nodes), events
        found[f"unified-proof-{short}"] = about, Settings("unified", nodes), events
    return found


def _nodes_and_readings(path):
    import tomllib

    claim = tomllib.loads((path.parent / "claim.toml").read_text(encoding="utf-8"))
    entry, *_ = [e for e in claim["evidence"] if e.get("file") == path.name]
    return entry["nodes"], Readings.parse(entry["readings"]) if entry.get("readings") else None


BY_HAND = _by_hand()
WALKS = settings_of_walks()
