"""Settings: a scheduler with everything that distinguishes one run of it from another.

Only the settings that a scheduler has can be given for it; those not given take its defaults. So every row of a result
states all that it depends on, and equal rows mean equal runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

from compass.errors import InputError
from compass.evaluation.clock import COST_RULES
from compass.evaluation.hooks import RoundPhase
from compass.evaluation.queues import EasyBackfill, Fifo, GfsQueue, McgQueue, QueueRule, Skip
from compass.evaluation.registry import BY_DAY, NEVER, SCHEDULERS, UNLIMITED
from compass.readings import Readings
from compass.text_input import nearest, quoted

QUEUES = ("fifo", "easy", "skip", "gfs-queue", "mcg-skip", "mcg-block")
"""Queue rules by name."""
HOLD = 60
"""Seconds that CAFGD's reading W1 holds the head back for at most."""

CHOICES: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "queue": QUEUES,
        "cost_rule": COST_RULES,
        "shares": ("day", "trace", "causal"),
        "variant": ("exact", "trunc"),
        "wait": ("W0", "W1"),
        "drain": ("rest-stays", "all-or-none"),
    }
)
"""Settings with few values; the first is the default where a scheduler says nothing else."""

OWN_SETTINGS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {name: entry.own for name, entry in SCHEDULERS.items()}
)
"""Every scheduler by name, with the settings it has and their defaults; ``queue`` and the cost are settings of all."""


@dataclass(frozen=True)
class Settings:
    """One scheduler and the rules around it; use :meth:`of`, which checks and fills in.

    Attributes:
        scheduler: its name.
        open_nodes: `unified`: the dial m, or ``"unlimited"``.
        readings: `printed`: readings of its open points.
        shares: fgd: size distribution p, of the ``day`` (the jobs simulated), the ``trace``, or ``causal``.
        variant: fgd, cafgd, mcg: ``exact`` difference or ``trunc``, the truncated score of FGD's simulator.
        round_length: fft, drr: R in seconds, or ``"never"``.
        round_phase: fft, drr: seconds from the first submission to a round, or ``"day"``: one is when its day begins.
        drain: drr: what its round does with instances that find no place.
        alpha: cafgd: weight of the long term.
        window: cafgd: length of the short term in seconds.
        wait: cafgd: reading of "wait for the peak".
        load: mcg: the load term b.
        seed: random.
        patience: on-demand: seconds after which moves are made for a waiting job.
        queue: the queue rule.
        cost: migration cost c in seconds.
        cost_rule: what it is for.
    """

    scheduler: str
    open_nodes: int | Literal["unlimited"] | None = None
    readings: Readings | None = None
    shares: str | None = None
    variant: str | None = None
    round_length: int | Literal["never"] | None = None
    round_phase: RoundPhase | None = None
    drain: str | None = None
    alpha: float | None = None
    window: int | None = None
    wait: str | None = None
    load: float | None = None
    seed: int | None = None
    patience: int | None = None
    queue: str = "fifo"
    cost: int = 0
    cost_rule: str = "job"

    @classmethod
    def of(cls, scheduler: str, *, called: Callable[[str], str] = str, **given: object) -> Settings:
        """Settings of a scheduler; what is None or not given takes its default.

        ``called`` gives what a message calls a setting, by its name.

        Raises:
            InputError: the scheduler or a setting is unknown, the scheduler has no such setting, or its value is wrong.

        Examples:
            >>> Settings.of("drr", round_length=300).label
            'drr R=300'
            >>> Settings.of("best-fti")  # doctest: +ELLIPSIS
            Traceback (most recent call last):
                ...
            compass.errors.InputError: scheduler 'best-fti': there is none, did you mean 'best-fit'? (known: ...)
        """
        if scheduler not in OWN_SETTINGS:
            hint = nearest(scheduler, OWN_SETTINGS)
            known = ", ".join(OWN_SETTINGS)
            raise InputError(f"{called('scheduler')} {quoted(scheduler)}: there is none{hint} (known: {known})")
        own = OWN_SETTINGS[scheduler]
        wanted = {name: value for name, value in given.items() if value is not None}
        for name, value in wanted.items():
            if name not in NAMES:
                raise InputError(f"setting {quoted(name)}: there is none{nearest(name, NAMES)}")
            if name not in own and name not in _COMMON:
                has = ", ".join(map(called, dict.fromkeys((*own, *_COMMON))))
                raise InputError(f"{called(name)}: {scheduler!r} has no such setting (it has {has})")
            _check(called(name), name, value)
        values: dict[str, Any] = {**own, **wanted}
        if values.get("wait") == "W1" and values.get("queue", "fifo") != "fifo":
            raise InputError(f"{called('wait')} W1: only with {called('queue')} fifo, not {values['queue']}")
        if str(values.get("queue")).startswith("mcg") and not SCHEDULERS[scheduler].scores:
            scored = ", ".join(name for name, entry in SCHEDULERS.items() if entry.scores)
            raise InputError(f"{called('queue')} {values['queue']}: needs a scheduler that scores jobs ({scored})")
        return cls(scheduler, **values)

    @property
    def reconstruction(self) -> bool:
        """Whether the scheduler is a reconstruction."""
        return SCHEDULERS[self.scheduler].reconstruction

    @property
    def label(self) -> str:
        """Its name and the settings that are not the defaults, ``m`` and ``R`` always, ``c`` where moves cost."""
        parts = [self.scheduler]
        if self.open_nodes is not None:
            parts.append(f"m={self.open_nodes}")
        if self.round_length is not None:
            parts.append(f"R={self.round_length}")
        usual = Settings(self.scheduler, **{"queue": "fifo", **OWN_SETTINGS[self.scheduler]})  # type: ignore[arg-type]
        for name in NAMES[3:]:
            value = getattr(self, name)
            if value != getattr(usual, name) and name not in ("round_length", "cost"):
                parts.append(f"{name}={value}")
        if self.cost:
            parts.append(f"c={self.cost}")
        return " ".join(parts)

    def row(self) -> dict[str, str | int]:
        """Every setting as a column of the table; ``shares`` says where p is from also where that is no setting."""
        given = self.given()
        return {**given, "shares": SCHEDULERS[self.scheduler].p or given["shares"]}

    def given(self) -> dict[str, str | int]:
        """Every setting by name: text, ``-`` where there is no such setting; the cost a number."""
        values = {name: getattr(self, name) for name in NAMES}
        row: dict[str, str | int] = {
            name: "-" if value is None else (value if name == "cost" else str(value)) for name, value in values.items()
        }
        return {"label": self.label, **row, "reconstruction": "yes" if self.reconstruction else "no"}

    def recognised(self) -> dict[str, str | int]:
        """What a stored result is recognised by: :meth:`given` without settings of ``LATER`` that are as before."""
        return {name: value for name, value in self.given().items() if value not in LATER.get(name, ())}

    def but(self, **changed: object) -> Settings:
        """The same with some settings changed; checked anew."""
        return Settings.of(self.scheduler, **{**_given(self), **changed})

    def make_queue(self) -> QueueRule:
        """An empty queue of this rule."""
        if self.queue == "fifo":
            return Fifo(HOLD if self.wait == "W1" else 0)
        if self.queue in ("mcg-skip", "mcg-block"):
            return McgQueue(block=self.queue == "mcg-block")
        return _RULES[self.queue]()

    @property
    def bound(self) -> int | None:
        """Avoidable partial nodes that the scheduler is not to exceed while WCC holds.

        ``repaired``: 2; ``unified``: 0 for m = 1, else m, none without a limit; ``ideal``: 0. For the others
        the paper's bound 2, claimed for ``printed`` and a yardstick beside the baselines.
        """
        if self.scheduler == "ideal" or self.open_nodes == 1:
            return 0
        if self.open_nodes == UNLIMITED:
            return None
        return 2 if self.open_nodes is None else int(self.open_nodes)


NAMES: tuple[str, ...] = tuple(field.name for field in fields(Settings))
"""The names of all settings, the scheduler's own name first."""
LATER: Mapping[str, tuple[str, ...]] = MappingProxyType({"round_phase": ("-", "0")})
"""Settings that came when results were stored already, with the values that mean what was done until then."""
_RULES: Mapping[str, Callable[[], QueueRule]] = {"easy": EasyBackfill, "skip": Skip, "gfs-queue": GfsQueue}
_COMMON = ("queue", "cost", "cost_rule")


def _given(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in NAMES[1:]}


def _check(called: str, name: str, value: object) -> None:
    what = f"{called} {value!r}"
    if name in CHOICES and value not in CHOICES[name]:
        known = [str(choice) for choice in CHOICES[name]]
        raise InputError(f"{what}: must be one of {', '.join(known)}{nearest(str(value), known)}")
    if name in ("open_nodes", "round_length", "window") and not (type(value) is int and value > 0):
        word = {"open_nodes": UNLIMITED, "round_length": NEVER}.get(name)
        if word is None or value != word:
            raise InputError(f"{what}: must be a positive integer{f' or {word}' if word else ''}")
    if name in ("cost", "seed", "patience", "round_phase") and not (type(value) is int and value >= 0):
        word = {"round_phase": BY_DAY}.get(name)
        if word is None or value != word:
            raise InputError(f"{what}: must be an integer, 0 or more{f', or {word}' if word else ''}")
    if name in ("alpha", "load") and not (isinstance(value, int | float) and 0 <= value <= 1):
        raise InputError(f"{what}: must be a number from 0 to 1")
    if name == "readings" and not isinstance(value, Readings):
        raise InputError(f"{what}: must be Readings")
