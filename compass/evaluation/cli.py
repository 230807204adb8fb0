"""The commands ``compass simulate`` and ``compass evaluate``."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, TypeVar

import click

from compass.cli_options import READING_NOTE, TRACE_NOTE, integer, json_option, number, seed_option
from compass.cli_support import Command, located, print_json, print_table, progress_bar, tidied_up
from compass.errors import InputError
from compass.evaluation.baselines.fgd import instance_counts
from compass.evaluation.days import from_first, jobs_of_day, nodes_for
from compass.evaluation.evaluate import evaluate
from compass.evaluation.executors import executor_of
from compass.evaluation.experiments import EXPERIMENTS, find_experiment
from compass.evaluation.plans import Scope
from compass.evaluation.registry import BY_DAY, NEVER, UNLIMITED
from compass.evaluation.report import joined, left_out, publish, write_report
from compass.evaluation.runs import WHOLE, Run, Workload
from compass.evaluation.schedulers import check_solver, make
from compass.evaluation.settings import CHOICES, OWN_SETTINGS, Settings
from compass.evaluation.simulate import simulate
from compass.evaluation.store import Store
from compass.evaluation.table import format_csv
from compass.readings import Readings
from compass.synthetic import generate
from compass.text_input import MAX_NODES, MAX_TIME, quoted, source_name, write_text
from compass.trace import read_trace

F = TypeVar("F", bound=Callable[..., Any])

SHARE = re.compile(r"0?\.[0-9]{1,9}|1(\.0{1,9})?")
ZERO = re.compile(r"0+(\.0*)?|\.0+")


def _option(setting: str) -> str:
    """The option that gives a setting."""
    return "--" + {"readings": "reading", "round_length": "round"}.get(setting, setting.replace("_", "-"))


def _with_default(setting: str, default: object) -> str:
    return _option(setting) if setting == "readings" else f"{_option(setting)} [{default}]"


SETTINGS_NOTE = (
    "Schedulers, with the options that only they have",
    [(name, ", ".join(_with_default(*item) for item in own.items()) or "-") for name, own in OWN_SETTINGS.items()],
)


def share(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | None:
    """A parameter that is a share above 0 and at most 1, in decimals; exact."""
    if value is None:
        return None
    if not SHARE.fullmatch(value) or not Fraction(value):
        raise click.BadParameter(f"{quoted(value)} must be a decimal number above 0 and at most 1", ctx, param)
    return Fraction(value)


def decimal(value: Fraction) -> str:
    """A share in decimals, at least two of them.

    >>> decimal(Fraction("0.9")), decimal(Fraction("0.975"))
    ('0.90', '0.975')
    """
    whole, _, digits = f"{float(value):.9f}".partition(".")
    return f"{whole}.{digits.rstrip('0').ljust(2, '0')}"


def _integer_or(word: str, least: int, most: int) -> Callable[..., int | str | None]:
    """A parameter that is an integer or a word."""
    convert = integer(least, most, word)

    def parse(ctx: click.Context, param: click.Parameter, value: str | None) -> int | str | None:
        return word if value == word else convert(ctx, param, value)

    return parse


def _zero_to_one(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    return None if value is None else 0.0 if ZERO.fullmatch(value) else number(1)(ctx, param, value)


def size_options(command: F) -> F:
    """Add ``--nodes`` and ``--eta``."""
    nodes = click.option("--nodes", callback=integer(1, MAX_NODES), metavar="N", help="Size of the cluster.")
    eta = click.option(
        "--eta", callback=share, metavar="SHARE", help="Size for the demand of this share of the time, as in 0.90."
    )
    return nodes(eta(command))


def settings_options(command: F) -> F:
    """Add an option for every setting of a scheduler."""
    options = [
        click.option("--scheduler", required=True, metavar="NAME", help="Which scheduler decides, listed below."),
        click.option(
            "--open-nodes", callback=_integer_or(UNLIMITED, 1, MAX_NODES), metavar=f"M|{UNLIMITED}", help="The dial m."
        ),
        click.option(
            "--round", "round_length", callback=_integer_or(NEVER, 1, MAX_TIME), metavar=f"R|{NEVER}",
            help="Length of a round in seconds.",
        ),
        click.option(
            "--round-phase", callback=_integer_or(BY_DAY, 0, MAX_TIME), metavar=f"S|{BY_DAY}",
            help="A round is so many seconds after the first submission, or at the beginning of the day.",
        ),
        click.option("--cost", callback=integer(0, MAX_TIME), metavar="C", help="Migration cost in seconds.  [0]"),
        *(
            click.option(_option(name), metavar="|".join(map(str, values)), help=_MEANING[name])
            for name, values in CHOICES.items()
        ),
        click.option("--alpha", callback=_zero_to_one, metavar="A", help="cafgd: weight of the long term."),
        click.option("--window", callback=integer(1, MAX_TIME), metavar="S", help="cafgd: short term in seconds."),
        click.option("--load", callback=_zero_to_one, metavar="B", help="mcg: the load term b."),
        seed_option("random: seed of all chance.", default=None),
        click.option("--patience", callback=integer(0, MAX_TIME), metavar="S", help="on-demand: wait before moving."),
        click.option("--reading", "readings", multiple=True, metavar="NAME=VALUE", help="printed: a reading, below."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


_MEANING = {
    "queue": "Queue rule.  [fifo, for mcg mcg-skip]",
    "cost_rule": "What the cost is for: a job at an instant, or each moved instance.",
    "shares": "fgd: where the size distribution is taken from.",
    "variant": "fgd, cafgd, mcg: exact difference or truncated score.",
    "wait": "cafgd: reading of 'wait for the peak'.",
    "drain": "drr: what a round does with instances that find no place.",
}


def chosen_settings(scheduler: str, readings: tuple[str, ...], **given: object) -> Settings:
    """The settings that the options describe.

    Raises:
        InputError: the scheduler is unknown or has no such setting.
    """
    return Settings.of(scheduler, called=_option, readings=Readings.parse(readings) if readings else None, **given)


def _days(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...]:
    convert = integer(0, MAX_TIME)
    days = () if value is None else tuple(int(convert(ctx, param, day)) for day in value.split(","))
    for day in days:
        if days.count(day) > 1:
            raise click.BadParameter(f"day {day} stands twice", ctx, param)
    return days


EXPERIMENTS_NOTE = ("Experiments", [(name, experiment.about) for name, experiment in EXPERIMENTS.items()])


@click.command("simulate", cls=Command, notes=[TRACE_NOTE, SETTINGS_NOTE, READING_NOTE])
@click.argument("trace")
@settings_options
@click.option("--day", callback=integer(0, MAX_TIME), metavar="D", help="Only the jobs of this day, counted from 0.")
@size_options
@json_option
def simulate_command(
    *,
    trace: str,
    scheduler: str,
    readings: tuple[str, ...],
    day: int | None,
    nodes: int | None,
    eta: Fraction | None,
    as_json: bool,
    **given: object,
) -> None:
    """Run a trace, or a day of it, under one scheduler.

    Jobs queue until all their instances find room. AFR and AGU are means of SIF and of busy GPUs over the time during
    which a job waits, AJCT is the mean time from submission to completion in seconds. A job that does not fit the empty
    cluster is counted and left out.
    """
    settings = chosen_settings(scheduler, readings, **given)
    check_solver([settings])
    if (nodes is None) == (eta is None):
        raise InputError("give either --nodes or --eta")
    jobs = from_first(read_trace(trace))
    with located(source_name(trace)):
        served = jobs if day is None else jobs_of_day(jobs, day)
        size = nodes_for(served, eta) if eta is not None else int(nodes or 0)
        with progress_bar(len(served), "jobs") as progress:
            found = simulate(
                served,
                make(settings, size, served, instance_counts(jobs)),
                queue=settings.make_queue(),
                cost=settings.cost,
                cost_rule=settings.cost_rule,
                round_phase=settings.round_phase or 0,
                bound=settings.bound,
                progress=progress,
            )
    run = Run(_name_of(trace), WHOLE if day is None else day, "-" if eta is None else decimal(eta), size, settings)
    record = {**run.row(), **found.to_json(), "seconds": round(found.seconds, 3)}
    if as_json:
        print_json(record)
    else:
        print_table([(key.replace("_", " "), _shown(value)) for key, value in record.items() if value != "-"])


def _name_of(trace: str) -> str:
    """What tables call a trace."""
    return PurePath(source_name(trace)).stem


def _shown(value: object) -> object:
    if value is None:
        return "- (undefined)"
    return f"{value:.6g}" if isinstance(value, float) else value


@click.command("evaluate", cls=Command, notes=[TRACE_NOTE, EXPERIMENTS_NOTE])
@click.argument("experiment")
@click.option(
    "--trace",
    "traces",
    multiple=True,
    metavar="TRACE",
    help="A trace; may be repeated.  [default: a synthetic one, 4000 jobs of the mix venus]",
)
@click.option("--out", required=True, metavar="DIR", help="Folder for results, tables and figures.")
@click.option("--jobs", default="1", show_default=True, callback=integer(1, 1024), metavar="J", help="Processes.")
@click.option("--cluster", metavar="ADDRESS", help="Run on the dask.distributed cluster with this scheduler.")
@size_options
@click.option("--days", callback=_days, metavar="D,...", help="Only these days, counted from 0.")
@click.option("--publish", "published", metavar="DIR", help="Also write the means in a short form, and the figures.")
def evaluate_command(
    *,
    experiment: str,
    traces: tuple[str, ...],
    out: str,
    jobs: int,
    cluster: str | None,
    nodes: int | None,
    eta: Fraction | None,
    days: tuple[int, ...],
    published: str | None,
) -> None:
    """Run an experiment of the paper, or one of ours.

    Days are independent runs from an empty cluster. Every finished run is kept in DIR/runs.jsonl and not run again, so
    an interrupted evaluation goes on where it stopped, and experiments share runs; where the sources of this package
    have changed in between, it says how many runs are from before. The results table has every run with every setting
    (EXPERIMENT-runs.csv, .parquet), a second one the means over days (EXPERIMENT.csv, .parquet), and figures are drawn
    from that. How long runs took is in EXPERIMENT-seconds.csv. Parquet, figures, fft and on-demand need
    compass-abs[evaluate].
    """
    chosen = find_experiment(experiment)
    if nodes is not None and eta is not None:
        raise InputError("give at most one of --nodes and --eta")
    scope = Scope((decimal(eta),) if eta else (), nodes, days)
    workloads = _workloads(traces)
    for workload in workloads:
        scope.days_of(workload)
    plans = [chosen.plan(workload, scope) for workload in workloads]
    later = [chosen.then(workload, scope, []) for workload in workloads]
    if published is not None and Path(published).resolve() == Path(out).resolve():
        raise InputError("--publish and --out are the same folder: files of one would replace those of the other")
    if not (Path(out) / "runs.jsonl").exists():  # where runs are stored, evaluate checks those that are not
        check_solver(run.settings for runs in (*plans, *later) for run in runs)
    with (
        tidied_up(),
        executor_of(jobs, cluster) as (executor, workers),
        Store((directory := _folder(out)) / "runs.jsonl") as store,
        progress_bar(sum(map(len, (*plans, *later))), "runs") as progress,
    ):
        short = None if published is None else _folder(published)
        found = []
        for workload, runs in zip(workloads, plans, strict=True):
            found.append(evaluate(workload, runs, store, executor, workers=workers, progress=progress))
            more = chosen.then(workload, scope, found[-1].rows)
            found.append(evaluate(workload, more, store, executor, workers=workers, progress=progress))
    rows = [row for results in found for row in results.rows]
    report = write_report(directory, experiment, workloads, scope, rows)
    if short is not None:
        publish(short, experiment, report)
    seconds = [row for results in found for row in results.seconds]
    if seconds:
        write_text(directory / f"{experiment}-seconds.csv", format_csv(seconds))
    written = ((joined(experiment, part), f"{len(table)} rows") for part, table in report.tables.items())
    print_table([("runs", len(rows)), *written])
    foreign = sum(results.foreign for results in found)
    if foreign:
        print(
            f"{foreign} of the runs were stored by other sources of compass; without {store.path} they are made again"
        )
    absent = left_out()
    print(f"{'tables' if 'figures' in absent else 'tables and figures'}: {directory / experiment}*")
    if absent:
        print(f"left out: {' and '.join(absent)}; pip install 'compass-abs[evaluate]' for them")


def _folder(name: str) -> Path:
    if not name:
        raise InputError("the name of a folder is empty")
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from error
    return Path(name)


def _workloads(traces: tuple[str, ...]) -> list[Workload]:
    if not traces:
        return [Workload("synthetic", generate("venus", 4000, seed=1, mean_gap=60, mean_duration=9000))]
    names = [_name_of(trace) for trace in traces]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two traces are called {quoted(name)}: the table could not tell them apart")
    return [Workload(name, read_trace(trace)) for name, trace in zip(names, traces, strict=True)]
