"""What every command shares: exit statuses, one-line errors, and output that is whole or not there."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from compass.errors import CompassError, InvariantViolated, NoLegalDestination
from compass.text_input import nearest, printable, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DONE, FAILED, BAD_INPUT = 0, 1, 2
"""Exit statuses: done; a checked property failed; bad input or use."""
INTERRUPTED, PIPE_CLOSED = 130, 141
"""Exit statuses that shells give for SIGINT and SIGPIPE."""
_ENDING = [number for number in signal.Signals if number.name in ("SIGHUP", "SIGTERM")]
"""Signals that ask a process to end, as far as the system has them."""


class StopError(Exception):
    """The command was ended from outside; ``args[0]`` is the exit status."""


@contextlib.contextmanager
def _stopping() -> Iterator[None]:
    """Turn what comes from outside into what click lets pass.

    It would end an interrupt with an empty line and a closed pipe with status 1, which here means a failed check.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StopError(INTERRUPTED) from None
    except BrokenPipeError:
        raise StopError(PIPE_CLOSED) from None


@contextlib.contextmanager
def tidied_up() -> Iterator[None]:
    """Let a signal that asks the process to end raise an exception inside, so that nothing half done is left."""

    def stop(number: int, _: object) -> None:
        raise StopError(128 + number)

    caught: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        caught = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


class Commands(click.Group):
    """A group of commands that names the nearest one for an unknown one, and takes in those of other packages.

    Another package adds a command as an entry point of the group ``compass.commands``; it is loaded when it is asked
    for, so that the core depends on no such package.
    """

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - as in the base class
        """As in the base class; here help and version are printed."""
        with _stopping():
            return super().make_context(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, sorted."""
        return sorted({*super().list_commands(ctx), *_added_commands()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """As in the base class, or the command of another package."""
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in _added_commands():
            try:
                command = _added_commands()[cmd_name].load()
            except ModuleNotFoundError as error:
                command = _unavailable(cmd_name, str(error.name))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in the base class, with the nearest name in the message."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            names = self.list_commands(ctx)
            hint = nearest(args[0], names)
            raise click.UsageError(f"no such command {quoted(args[0])}{hint} (commands: {', '.join(names)})", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as in the base class
        """As in the base class."""
        with _stopping():
            return super().invoke(ctx)


Note = tuple[str, Sequence[tuple[str, str]]]
"""A title, and below it names with what they mean."""


class Command(click.Command):
    """A command whose help ends with notes, such as the form of the files it reads."""

    def __init__(self, *args: Any, notes: Sequence[Note] = (), **attributes: Any) -> None:  # noqa: ANN401 - as there
        super().__init__(*args, **attributes)
        self.notes = notes

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The notes after what the base class writes."""
        super().format_epilog(ctx, formatter)
        for title, rows in self.notes:
            with formatter.section(title):
                formatter.write_dl(rows)


def _added_commands() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to load, seldom needed

    return {entry.name: entry for entry in entry_points(group="compass.commands")}


def _unavailable(name: str, missing: str) -> click.Command:
    """Stands in the help for a command whose dependencies are not installed, and says so when it is run."""

    def complain_of_it(**_: object) -> None:
        raise click.UsageError(f"{name} needs the module {missing}: pip install 'compass-abs[verify]'")

    return click.Command(
        name,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        callback=complain_of_it,
        help=f"This command needs the module {missing}: pip install 'compass-abs[verify]'",
        short_help="Needs compass-abs[verify].",
    )


def run_commands(commands: click.Group, arguments: Sequence[str] | None) -> int:
    """Run the command line and return its exit status; whatever goes wrong is one line on standard error."""
    status = DONE
    with _whole_output() as output:
        try:
            status = _run(commands, arguments)
            output.flush()
        except StopError as stop:
            _drop(output)
            return int(stop.args[0])
        except (KeyboardInterrupt, click.Abort):
            _drop(output)
            return INTERRUPTED
        except BrokenPipeError:
            _drop(output)
            return status or PIPE_CLOSED
        except OSError as error:
            _drop(output)
            return status or complain(f"<stdout>: {error.strerror or type(error).__name__}", BAD_INPUT)
    return status


def _run(commands: click.Group, arguments: Sequence[str] | None) -> int:
    try:
        return int(commands.main(arguments, prog_name="compass", standalone_mode=False) or DONE)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)  # of the command that was asked for
        place = context.command_path if context else "compass"
        return complain(f"{error.format_message()} (see {place} --help)", BAD_INPUT)
    except (InvariantViolated, NoLegalDestination) as error:
        return complain(str(error), FAILED)
    except CompassError as error:
        return complain(str(error), BAD_INPUT)


def complain(message: str, status: int) -> int:
    """Say on one line of standard error what is wrong, where there is one, and return the exit status."""
    if sys.stderr is not None:
        try:
            print(f"compass: {printable(' '.join(message.split()), 4000)}", file=sys.stderr, flush=True)
        except OSError:
            _drop(sys.stderr)
    return status


def _drop(stream: TextIO) -> None:
    """Let the interpreter's last flush go nowhere: it would fail once more, with a traceback or another status."""
    with contextlib.suppress(OSError):
        descriptor = stream.fileno()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, descriptor)
        os.close(null)


@contextlib.contextmanager
def _whole_output() -> Iterator[TextIO]:
    """Standard output that writes all or raises, also under PYTHONUNBUFFERED, and whatever characters names hold.

    Python's unbuffered text stream silently drops the rest of a write that the system carried out in part, as it does
    when the disk is full or the reader of a pipe goes; and where standard output is closed, it drops everything.
    """
    raw = getattr(sys.stdout, "buffer", None)
    encoding = getattr(sys.stdout, "encoding", "utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name that the terminal's encoding lacks is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    with contextlib.ExitStack() as stack:
        if sys.stdout is None:  # in its place a file that cannot be written to
            raw = stack.enter_context(io.FileIO(os.open(os.devnull, os.O_RDONLY), "w"))
        if not isinstance(raw, io.RawIOBase):
            yield sys.stdout
            return
        stream = io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace")
        stack.callback(lambda: stream.detach().detach())
        stack.enter_context(contextlib.redirect_stdout(stream))
        yield stream


@contextlib.contextmanager
def located(where: str) -> Iterator[None]:
    """Put ``where`` before the message of whatever exception of this package is raised inside; its kind stays."""
    try:
        yield
    except CompassError as error:
        raise type(error)(f"{where}: {error}") from error


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record as JSON; nothing is printed unless all of it can be."""
    print(json.dumps(record, indent=2, allow_nan=False))


def print_table(rows: Iterable[tuple[str, object]]) -> None:
    """Print names and values in two columns."""
    lines = list(rows)
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        print(f"{name:<{width}}  {value}")


@contextlib.contextmanager
def progress_bar(total: int, what: str = "events") -> Iterator[Callable[[int], None] | None]:
    """A progress bar on standard error, to be told of every advance; None without a terminal or anything to do."""
    from rich.console import Console  # noqa: PLC0415 - slow to load
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - slow to load

    console = Console(stderr=True)
    if not (console.is_terminal and total):
        yield None
        return
    columns = (TextColumn(f"{{task.completed:,}} of {{task.total:,}} {what}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("replay", total=total)
        yield lambda advance: bar.advance(task, advance)
