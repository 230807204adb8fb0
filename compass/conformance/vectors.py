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
from compass.json_input import parse_json
from compass.metric import sif
from compass.phi import min_partial_nodes
from compass.snapshot_io import format_snapshot
from compass.text_input import about, read_text
from compass.variants import VARIANTS


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
    manifest = _object(folder / "manifest.json")
    vectors: list[Vector] = []
    for variant in variants:
        path = folder / f"{variant}.jsonl"
        name, text = read_text(path)
        try:
            if manifest["files"][path.name]["sha256"] != digest(text):
                raise InputError(f"{name}: it is not the file that the manifest of version {manifest['version']} names")
            found = [_vector(f"{name}:{k}:", parse_json(name, line, k)) for k, line in enumerate(text.splitlines(), 1)]
            for vector in found:
                if record(vector.name, vector.record["about"], vector.settings, vector.lines) != vector:
                    version = f"vectors of version {manifest['version']}"
                    raise InputError(f"{name}: vector {vector.name} is not what this version decides ({version})")
            vectors += found
        except (KeyError, TypeError) as error:
            raise InputError(f"{name}: no vectors of the form described: {error!r}") from error
    return vectors


def digest(text: str) -> str:
    """The SHA-256 of a text, as the manifest has it."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def format_vectors(vectors: Iterable[Vector]) -> str:
    """The text of a file of vectors."""
    return "".join(compact(vector.record) + "\n" for vector in vectors)


def _object(path: Path) -> dict[str, Any]:
    name, text = read_text(path)
    value = parse_json(name, text)
    if not isinstance(value, dict):
        raise InputError(f"{name}: is no JSON object")
    return value


def _vector(where: str, value: Any) -> Vector:  # noqa: ANN401 - whatever stands in the file
    with about(where):
        settings = Settings.from_json(value)
        lines = tuple(EventLine.from_json(entry, settings.geometry.capacity) for entry in value["events"])
    return Vector(value, settings, lines)
