"""The command ``compass conform``: run a port against the reference."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from compass.cli_options import (
    READING_NOTE,
    choice_option,
    geometry,
    integer,
    json_option,
    number,
    scheduler_options,
    seed_option,
)
from compass.cli_support import (
    DONE,
    FAILED,
    Command,
    StopError,
    complain,
    located,
    print_json,
    print_table,
    progress_bar,
    tidied_up,
)
from compass.conformance.judge import ExactJudge
from compass.conformance.lines import EventLine
from compass.conformance.minimise import Minimiser
from compass.conformance.property_judge import PropertyJudge
from compass.conformance.session import Played, play, random_session
from compass.conformance.settings import PLACEHOLDERS, PortCommand, Settings
from compass.conformance.vectors import read_vectors, shipped
from compass.errors import InputError
from compass.readings import Readings
from compass.text_input import MAX_NODES, write_text

JUDGES: dict[str, type[ExactJudge] | type[PropertyJudge]] = {"exact": ExactJudge, "property": PropertyJudge}
MAX_SECONDS = 86_400
MAX_EVENTS = 10_000_000

COMMAND_NOTE = (
    "Command of a port",
    [
        (
            "settings",
            f"{' '.join(f'{{{name}}}' for name in PLACEHOLDERS)} stand for their values and {{options}}, a word of "
            "its own, for all of them as compass run has them. Vectors of other settings are played as far as the "
            "command is told them.",
        ),
        ("protocol", "Events on standard input, a decision a line on standard output, as compass run; see its help."),
    ],
)


@click.command("conform", cls=Command, notes=[COMMAND_NOTE, READING_NOTE])
@click.option("--command", required=True, metavar="WORDS", help="How the port is started; no shell sees it.")
@click.option("--nodes", required=True, callback=integer(1, MAX_NODES), metavar="N", help="Size of the cluster.")
@scheduler_options
@choice_option(
    "--mode",
    tuple(JUDGES),
    "exact: the same decisions; property: own choices, everything the variant promises.",
    default="exact",
)
@click.option(
    "--events",
    default="10000",
    show_default=True,
    callback=integer(0, MAX_EVENTS),
    metavar="K",
    help="Length of the random session after the vectors.",
)
@seed_option("Seed of the session.")
@click.option("--vectors", metavar="DIR", help="Folder of vectors, or none.  [default: those of this version]")
@click.option(
    "--timeout",
    default="10",
    show_default=True,
    callback=number(MAX_SECONDS),
    metavar="S",
    help="Seconds that one answer may take.",
)
@click.option(
    "--minimise",
    default="60",
    show_default=True,
    callback=integer(0, MAX_SECONDS),
    metavar="S",
    help="Seconds to spend on making a failing list of events smaller.",
)
@click.option("--out", metavar="FILE", help="Write a failing list of events there.  [default: standard output]")
@json_option
def conform_command(
    *,
    command: str,
    nodes: int,
    variant: str,
    open_nodes: int | None,
    readings: tuple[str, ...],
    capacity: int,
    widths: str | None,
    mode: str,
    events: int,
    seed: int,
    vectors: str | None,
    timeout: float,
    minimise: int,
    out: str | None,
    as_json: bool,
) -> int:
    """Test a port of a variant.

    The vectors are played, then a random session. Where the port fails, the list of events is made smaller and
    printed, so that compass run replays it; an interrupt ends this search only. Status 1 when it does not conform.
    """
    chosen = Readings.parse(readings) if readings else None
    settings = Settings(variant, nodes, geometry(capacity, widths), open_nodes, chosen)
    with located("--command"):
        port = PortCommand(command)
    trial = Trial(port, settings, mode, timeout, minimise)
    with progress_bar(events) as progress, tidied_up():
        trial.play_vectors(vectors)
        if trial.failed is None and events:
            trial.play_session(events, seed, progress)
    record = trial.to_json()
    if not record["vectors"] and not record["events"] and trial.failed is None:
        raise InputError("nothing was played: no vector has settings that the port can be given, and --events is 0")
    if trial.failed is None:
        if as_json:
            print_json(record)
        else:
            print_table([(key.replace("_", " "), value) for key, value in record.items()])
        return DONE
    text = "".join(line.text + "\n" for line in trial.failed.sent)
    finding = f"{trial.where}: {trial.failed.reason}"
    if out:
        with located(finding):  # hours may have gone into it
            write_text(out, text)
    if as_json:
        print_json({**record, "failing_events": [line.text for line in trial.failed.sent]})
    elif not out:
        print(text, end="")
    return complain(finding, FAILED)


class Trial:
    """What is done with one port, and what came of it so far.

    Attributes:
        failed: what was played when it failed, made smaller.
        where: the vector, or the session, and the settings to replay it with.
    """

    def __init__(self, port: PortCommand, settings: Settings, mode: str, timeout: float, seconds: float) -> None:
        self.failed: Played | None = None
        self.where = ""
        self._port = port
        self._settings = settings
        self._mode = mode
        self._timeout = timeout
        self._seconds = seconds
        self._played = self._left_out = self._events = self._moves = self._stuck = 0

    def play_vectors(self, folder: str | None) -> None:
        """Play every vector that the port can be given, until one fails."""
        if folder == "none":
            return
        given = self._settings
        for vector in read_vectors(shipped() if folder is None else Path(folder), (given.variant,)):
            if not self._port.can_play(vector.settings, given):
                self._left_out += 1
                continue
            run = self._run(vector.settings)
            played = run(vector.lines)
            self._played += 1
            self._take(played, f"vector {vector.name}", vector.settings, run)
            if self.failed:
                return

    def play_session(self, events: int, seed: int, progress: Callable[[int], None] | None) -> None:
        """Play a random session."""
        settings = self._settings
        played = random_session(
            self._port.words(settings),
            settings,
            partial(JUDGES[self._mode], settings),
            events=events,
            seed=seed,
            timeout=self._timeout,
            told=progress or (lambda _: None),
        )
        self._events = played.events
        self._take(played, f"seed {seed}", settings, self._run(settings))

    def _run(self, settings: Settings) -> Callable[[Sequence[EventLine]], Played]:
        words = self._port.words(settings)
        return lambda lines: play(words, JUDGES[self._mode](settings), lines, self._timeout)

    def _take(
        self, played: Played, what: str, settings: Settings, run: Callable[[Sequence[EventLine]], Played]
    ) -> None:
        self._moves += played.moves
        self._stuck += played.stuck
        if played.reason is None:
            return
        at = len(played.sent)
        minimiser = Minimiser(played, run, self._seconds)
        with contextlib.suppress(KeyboardInterrupt, StopError):  # the failure must not be lost
            minimiser.minimise()
        self.failed = minimiser.best
        self.where = f"{what}, line {at}, in {len(self.failed.sent)} lines with {' '.join(settings.options())}"

    def to_json(self) -> dict[str, Any]:
        """The figures of the trial."""
        return {
            "variant": self._settings.variant,
            "mode": self._mode,
            "conforms": self.failed is None,
            "vectors": self._played,
            "vectors_left_out": self._left_out,
            "events": self._events,
            "moves": self._moves,
            "stuck": self._stuck,
            **({} if self.failed is None else {"where": self.where, "reason": self.failed.reason}),
        }
