"""Conformance vectors: settings, events, and everything that has to come of them.

``tests/vectors`` holds a file a variant, one vector a line, and ``manifest.json``; ``docs/porting/vectors.md`` tells
the keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compass.conformance.judge import ExactJudge
from compass.conformance.lines import EventLine, compact
from compass.conformance.settings import Settings
from compass.errors import InputError
from compass.json_input import Checker
from compass.metric import sif
from compass.phi import min_partial_nodes
from compass.snapshot_io import format_snapshot
from compass.text_input import MAX_TIME, about, read_text
from compass.variants import VARIANTS

KEYS = (
    "id", "about", "variant", "nodes", "capacity", "widths", "open_nodes", "readings",  # what is played
    "events", "decisions", "status", "final", "partial_nodes", "min_partial_nodes", "sif", "wcc_slack",
)  # fmt: skip
"""The keys of a vector."""


@dataclass(frozen=True)
class Vector:
    """One vector; ``record`` is the JSON object it is stored as.

    Examples:
        >>> lines = [EventLine.of('{"event":"arrive","job":"a","gpus":5}', 8), EventLine.of("{}", 8)]
        >>> vector = record("x", "a bad event", Settings("unified", 2), lines)
        >>> vector.record["status"], vector.record["sif"], vector.record["wcc_slack"]
        (2, '0', -3)
    """

    record: dict[str, Any]
    settings: Settings
    lines: tuple[EventLine, ...]

    @property
    def name(self) -> str:
        """Its ``id``."""
        return str(self.record["id"])


def record(name: str, about: str, settings: Settings, lines: Sequence[EventLine]) -> Vector:
    """The vector that the reference implementation makes of some lines; what follows an end of the run is cut off."""
    judge = ExactJudge(settings)
    decisions: list[dict[str, Any]] = []
    status = 0
    used: list[EventLine] = []
    for line in lines:
        used.append(line)
        ending = judge.ending(line)
        if ending:
            status = ending.status
            break
        decisions.append(judge.decision.to_json())
    snapshot = judge.scheduler.snapshot()
    running = judge.scheduler.running
    fewest = min_partial_nodes(running, nodes=settings.nodes)
    value = {
        "id": name,
        "about": about,
        **settings.to_json(),
        "events": [line.to_json() for line in used],
        "decisions": decisions,
        "status": status,
        "final": json.loads(format_snapshot(snapshot)),
        "partial_nodes": snapshot.partial_nodes,
        "min_partial_nodes": fewest,
        "sif": str(sif(snapshot).sif),
        "wcc_slack": running.slack,
    }
    return Vector(value, settings, tuple(used))


def shipped() -> Path:
    """The folder of the vectors that belong to this version: in a checkout, or inside the installed package."""
    checkout = Path(__file__).resolve().parents[2] / "tests" / "vectors"
    return checkout if (checkout / "manifest.json").exists() else Path(__file__).with_name("shipped")


def read_vectors(folder: Path, variants: Iterable[str] = VARIANTS) -> list[Vector]:
    """The vectors of a folder, checked against its manifest and against this version's decisions.

    Raises:
        InputError: a file is missing, malformed or not the one of the manifest, or a vector is of another version.
    """
    manifest = _Manifest(folder / "manifest.json")
    vectors: list[Vector] = []
    for variant in variants:
        path = folder / f"{variant}.jsonl"
        name, text = read_text(path)
        if manifest.digest_of(path.name) != digest(text):
            raise InputError(f"{name}: it is not the file that the manifest of version {manifest.version} names")
        for k, line in enumerate(text.splitlines(), 1):
            vector = _vector(Checker(name, line, k))
            if record(vector.name, vector.record["about"], vector.settings, vector.lines) != vector:
                version = f"vectors of version {manifest.version}"
                raise InputError(f"{name}: vector {vector.name} is not what this version decides ({version})")
            vectors.append(vector)
    return vectors


def digest(text: str) -> str:
    """The SHA-256 of a text, as the manifest has it."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def format_vectors(vectors: Iterable[Vector]) -> str:
    """The text of a file of vectors."""
    return "".join(compact(vector.record) + "\n" for vector in vectors)


class _Manifest:
    """``manifest.json``: the version of the vectors and the digest of each file."""

    def __init__(self, path: Path) -> None:
        self._check = Checker(*read_text(path))
        required, optional = ("version", "files"), ("history",)
        record = self._check.record(self._check.parse(), (), "the manifest", required, optional)
        self.version = self._check.integer(record["version"], ("version",), "version", 0, MAX_TIME)
        self._files = record["files"]

    def digest_of(self, file: str) -> str:
        others = self._files if isinstance(self._files, dict) else ()
        files = self._check.record(self._files, ("files",), "files", (file,), others)
        place = ("files", file)
        entry = self._check.record(files[file], place, f"the entry of {file}", ("sha256",), ("vectors",))
        return self._check.word(entry["sha256"], (*place, "sha256"), "sha256")


def _vector(check: Checker) -> Vector:
    """The vector on one line; what has to come of it is not looked at."""
    value = check.record(check.parse(), (), "the vector", KEYS, ())
    for key in ("id", "about"):
        check.word(value[key], (key,), key)
    settings = Settings.from_json(value, check)
    events = check.items(value["events"], ("events",), "events")
    for k, entry in enumerate(events):
        if not isinstance(entry, dict):
            check.word(entry, ("events", k), f"event {k}", "an object or a string")
    with about(f"{check.name}:{check.first_line}:"):
        lines = tuple(EventLine.from_json(entry, settings.geometry.capacity) for entry in events)
    return Vector(value, settings, lines)
