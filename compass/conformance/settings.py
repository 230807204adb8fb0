"""What a port is started with: variant, cluster and choices; and how it is told them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from compass.composition import Composition
from compass.errors import InputError
from compass.geometry import CAPACITIES, Geometry
from compass.json_input import Checker
from compass.readings import VALUES, Readings
from compass.scheduler import Scheduler
from compass.settled import SettledScheduler
from compass.text_input import MAX_NODES, about, nearest, quoted
from compass.variants import make_scheduler

PLACEHOLDERS = ("variant", "nodes", "open_nodes", "capacity", "widths", "readings")
"""The settings that a command can ask for, each as ``{name}``; ``{options}`` as a word stands for all of them."""

_PLACEHOLDER = re.compile(r"\{[A-Za-z][\w-]*\}")
"""What is meant as a placeholder; other braces, as in JSON, are text."""


@dataclass(frozen=True)
class Settings:
    """The settings of one run.

    Args:
        variant: a name of :data:`compass.variants.VARIANTS`.
        nodes: cluster size N.
        geometry: the node geometry.
        open_nodes: the dial m of `unified`, None for the others.
        readings: the readings of `printed`, None for the others.

    Raises:
        InputError: they are not those of a scheduler.

    Examples:
        >>> print(*Settings("unified", 3, open_nodes=2).options())
        --variant unified --nodes 3 --capacity 8 --widths 2,4,8 --open-nodes 2
    """

    variant: str
    nodes: int
    geometry: Geometry = field(default_factory=Geometry)
    open_nodes: int | None = None
    readings: Readings | None = None

    def __post_init__(self) -> None:
        make_scheduler(self.variant, 1, self.geometry, self.open_nodes, self.readings)
        if self.variant == "unified" and self.open_nodes is None:
            object.__setattr__(self, "open_nodes", 1)
        if self.variant == "printed" and self.readings is None:
            object.__setattr__(self, "readings", Readings())

    def scheduler(self) -> Scheduler:
        """The reference implementation on an empty cluster."""
        return make_scheduler(self.variant, self.nodes, self.geometry, self.open_nodes, self.readings)

    def ever_fits(self, gpus: int, instances: int) -> bool:
        """Whether a job could run on the empty cluster; O(1)."""
        if self.variant != "printed":
            return rules_of(self).admits(Composition(self.geometry, {gpus: instances}))
        return instances <= self.nodes * (self.geometry.capacity // self.geometry.slot_width(gpus))

    def texts(self) -> dict[str, str]:
        """The value of every placeholder; empty where the variant has no such setting."""
        readings = asdict(self.readings) if self.readings else {}
        return {
            "variant": self.variant,
            "nodes": str(self.nodes),
            "open_nodes": "" if self.open_nodes is None else str(self.open_nodes),
            "capacity": str(self.geometry.capacity),
            "widths": ",".join(map(str, self.geometry.widths)),
            "readings": ",".join(f"{name}={value}" for name, value in readings.items()),
        }

    def options(self) -> list[str]:
        """The options of ``compass run`` that ask for these settings."""
        texts = self.texts()
        words = ["--variant", texts["variant"], "--nodes", texts["nodes"]]
        words += ["--capacity", texts["capacity"], "--widths", texts["widths"]]
        if texts["open_nodes"]:
            words += ["--open-nodes", texts["open_nodes"]]
        for reading in filter(None, texts["readings"].split(",")):
            words += ["--reading", reading]
        return words

    def to_json(self) -> dict[str, Any]:
        """The settings as a vector has them."""
        return {
            "variant": self.variant,
            "nodes": self.nodes,
            "capacity": self.geometry.capacity,
            "widths": list(self.geometry.widths),
            "open_nodes": self.open_nodes,
            "readings": asdict(self.readings) if self.readings else None,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any], check: Checker) -> Settings:
        """The settings of a vector, which has every key; ``check`` is for its text.

        Raises:
            InputError: they are not those of a scheduler; the message names file, line and key.
        """
        variant = check.word(record["variant"], ("variant",), "variant")
        nodes = check.integer(record["nodes"], ("nodes",), "nodes", 1, MAX_NODES)
        capacity = check.integer(record["capacity"], ("capacity",), "capacity", 1, max(CAPACITIES))
        widths = [
            check.integer(width, ("widths", k), f"width {k}", 1, max(CAPACITIES))
            for k, width in enumerate(check.items(record["widths"], ("widths",), "widths"))
        ]
        open_nodes, readings = record["open_nodes"], record["readings"]
        if open_nodes is not None:
            check.integer(open_nodes, ("open_nodes",), "open_nodes", 1, MAX_NODES)
        if readings is not None:
            check.record(readings, ("readings",), "readings", VALUES, ())
            for name, value in readings.items():
                check.word(value, ("readings", name), f"reading {name}")
        with about(f"{check.name}:{check.first_line}:"):
            chosen = None if readings is None else Readings(**readings)
            return cls(variant, nodes, Geometry(capacity, tuple(widths)), open_nodes, chosen)


@lru_cache
def rules_of(settings: Settings) -> SettledScheduler:
    """A scheduler of `repaired` or `unified` that is asked about admission only, made once."""
    rules = settings.scheduler()
    assert isinstance(rules, SettledScheduler), settings.variant
    return rules


@dataclass(frozen=True)
class PortCommand:
    """How a port is started: the words of a command line with placeholders in it.

    Raises:
        InputError: it has no word, its quotation marks do not match, or a placeholder in it is none.

    Examples:
        >>> PortCommand("node port.js {nodes}").words(Settings("unified", 3))
        ['node', 'port.js', '3']
    """

    line: str

    def __post_init__(self) -> None:
        words = self._split()
        if not words:
            raise InputError("the command is empty")
        known = [f"{{{name}}}" for name in (*PLACEHOLDERS, "options")]
        for found in (found for word in words for found in _PLACEHOLDER.findall(word)):
            if found not in known:
                hint = nearest(found, known)
                raise InputError(f"{quoted(found)} is no placeholder{hint} (placeholders: {' '.join(known)})")
        for word in words:
            if "{options}" in word and word != "{options}":
                raise InputError(f"{{options}} must be a word of its own, not a part of {quoted(word)}")

    def _split(self) -> list[str]:
        try:
            return shlex.split(self.line)
        except ValueError as error:
            raise InputError(f"the command cannot be split into words: {error}") from error

    @property
    def told(self) -> Collection[str]:
        """The settings that a port started by this command is told."""
        words = self._split()
        if "{options}" in words:
            return PLACEHOLDERS
        return [name for name in PLACEHOLDERS if any(f"{{{name}}}" in word for word in words)]

    def words(self, settings: Settings) -> list[str]:
        """The words to start the port with."""
        words: list[str] = []
        for word in self._split():
            if word == "{options}":
                words += settings.options()
                continue
            for name, text in settings.texts().items():
                word = word.replace(f"{{{name}}}", text)  # noqa: PLW2901 - one after another
            words.append(word)
        return words

    def can_play(self, wanted: Settings, given: Settings) -> bool:
        """Whether the port can be run with ``wanted`` where it is made for ``given``."""
        told = self.told
        ours, theirs = wanted.texts(), given.texts()
        return wanted.variant == given.variant and all(name in told or ours[name] == theirs[name] for name in ours)
