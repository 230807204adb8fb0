"""The command line: ``compass``, also ``python -m compass``.

Results go to standard output, one line about whatever is wrong to standard error. Exit status 0: done; 1: a checked
property failed (an invariant of a variant, or a printed plan without a legal destination); 2: bad input or use; 130
and 141: interrupted, or the reader of the output has gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from compass.algorithm_2 import algorithm_2
from compass.cli_options import (
    EVENT_NOTES,
    READING_NOTE,
    SNAPSHOT_NOTE,
    TRACE_NOTE,
    chosen_scheduler,
    counts,
    geometry,
    geometry_options,
    integer,
    json_option,
    number,
    scheduler_options,
    seed_option,
    version_option,
)
from compass.cli_show import show_command
from compass.cli_support import (
    DONE,
    FAILED,
    Command,
    Commands,
    complain,
    located,
    print_json,
    print_table,
    progress_bar,
    run_commands,
    tidied_up,
)
from compass.composition import Composition
from compass.errors import DoesNotFitNow, InputError
from compass.event_io import format_decision, read_events
from compass.events import Arrive, Decision, Depart, Event
from compass.geometry import Geometry
from compass.metric import sif
from compass.phi import Method, best_packing, min_nodes
from compass.replay import replay
from compass.scheduler import Scheduler, apply_event
from compass.snapshot_io import read_snapshot
from compass.synthetic import MAX_DURATION, MAX_GAP, MAX_JOBS, MIXES, generate
from compass.text_input import MAX_NODES, printable, source_name
from compass.trace import format_trace, read_trace, write_trace
from compass.wcc_time import Interval, wcc_over_time

METHODS = {
    Method.CLOSED_FORM: "closed form: under WCC it is 1 if the demand is no multiple of the capacity, else 0",
    Method.SEARCH: "search: WCC fails, so packings are searched, exactly",
}
"""How Phi* was found, in words."""

LABELS = {
    "wcc_events": "events under WCC",
    "max_avoidable_under_wcc": "max avoidable under WCC",
    "over_bound_events": "events over 2 under WCC",
    "max_sif": "max SIF",
    "mean_sif": "mean SIF",
}
"""Names of figures in a table where the key of the JSON does not say it."""


@click.group(
    cls=Commands,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done; 1 a checked property failed; 2 bad input or use; 130 interrupted; 141 the reader of "
    "the output has gone.",
)
@version_option
def cli() -> None:
    """Fragmentation of GPU clusters: measure it, bound it, schedule without it.

    A file may be - for standard input, and for standard output where it is written.
    """


@cli.command("sif", cls=Command, notes=[SNAPSHOT_NOTE])
@click.argument("snapshot")
@json_option
def sif_command(snapshot: str, as_json: bool) -> None:
    """SIF of a placement.

    SIF is the share of nodes that are partly busy and would not be under the best packing.
    """
    name = source_name(snapshot)
    placement = read_snapshot(snapshot)
    with located(name):
        record: dict[str, Any] = sif(placement).to_json()
    if as_json:
        print_json(record)
        return
    print_table(_sif_rows(record))
    for pool in record.get("pools", ()):
        print(f"\npool {printable(pool['pool']) or '(no name)'}")
        print_table(_sif_rows(pool))


def _sif_rows(record: Mapping[str, Any]) -> list[tuple[str, object]]:
    return [
        ("SIF", f"{record['sif']} ({record['sif_float']:.4f})"),
        ("nodes", record["nodes"]),
        ("partial nodes", record["partial_nodes"]),
        ("  inherent", record["inherent_partial_nodes"]),
        ("  avoidable", record["avoidable_partial_nodes"]),
        ("WCC", f"{'holds' if record['wcc'] else 'fails'}, slack {record['wcc_slack']}"),
    ]


@cli.command("phi")
@click.option("--counts", required=True, callback=counts, metavar="SIZE:NUMBER,...", help="Running instances by size.")
@click.option(
    "--nodes", callback=integer(0, MAX_NODES), metavar="N", help="At most N nodes.  [default: as many as needed]"
)
@click.option("--witness", is_flag=True, help="Add a packing with that few partial nodes.")
@geometry_options
@json_option
def phi_command(
    *, counts: dict[int, int], nodes: int | None, witness: bool, capacity: int, widths: str | None, as_json: bool
) -> None:
    """Fewest partial nodes of any packing.

    This is Phi* of the paper, exact for every multiset of instances.
    """
    shape = geometry(capacity, widths)
    with located("--counts"):
        running = Composition(shape, counts)
        fewest = min_nodes(running)
        if nodes is not None and fewest > nodes:
            raise DoesNotFitNow(f"the instances need {_several(fewest, 'node')} of capacity {capacity}, not {nodes}")
        packing = best_packing(running, nodes=nodes)
    record: dict[str, Any] = {
        "total": running.total,
        "min_partial_nodes": packing.partial_nodes,
        "min_nodes": fewest,
        "method": str(packing.method),
        # The paper states it for one geometry only.
        "algorithm_2": algorithm_2(running) if shape == Geometry() else None,
        "wcc": running.wcc,
        "wcc_slack": running.slack,
    }
    if as_json:
        if witness:
            record["witness"] = [{"sizes": list(sizes), "nodes": number} for sizes, number in packing.patterns]
        print_json(record)
        return
    print_table(
        [
            ("total demand", f"{running.total} GPUs"),
            ("fewest partial nodes", packing.partial_nodes),
            ("  found by", METHODS[packing.method]),
            ("fewest nodes in use", fewest),
            ("the paper's algorithm 2", _algorithm_2_shown(record["algorithm_2"])),
            ("WCC", f"{'holds' if running.wcc else 'fails'}, slack {running.slack}"),
        ]
    )
    if witness:
        for sizes, number in packing.patterns:
            print(f"on {_several(number, 'node')}: {' + '.join(map(str, sizes))}")


def _algorithm_2_shown(partial_nodes: int | None) -> str:
    if partial_nodes is None:
        return "- (stated for capacity 8 with widths 2,4,8 only)"
    return _several(partial_nodes, "partial node")


def _several(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@cli.command("wcc", cls=Command, notes=[TRACE_NOTE])
@click.argument("trace")
@geometry_options
@json_option
def wcc_command(trace: str, capacity: int, widths: str | None, as_json: bool) -> None:
    """How often WCC holds over a trace.

    WCC is the Workload Composition Condition. Every job starts at its submission; the share of time is of the time
    during which a job runs.
    """
    shape = geometry(capacity, widths)
    report = wcc_over_time(read_trace(trace, shape.capacity), shape)
    if as_json:
        print_json(report.to_json())
        return
    rows: list[tuple[str, object]] = [
        ("events", report.events),
        ("WCC holds after", f"{report.wcc_events} ({report.wcc_events / report.events:.2%})"),
        ("WCC holds for", f"{float(report.time_share):.2%} of the time"),
        ("worst slack", report.worst_slack),
        ("spans without WCC", report.violations),
    ]
    for what, span in (
        ("first", report.first_violation),
        ("last", report.last_violation),
        ("longest", report.longest_violation),
    ):
        if span:
            rows.append((f"  {what}", _span(span)))
    print_table(rows)


def _span(span: Interval) -> str:
    return f"{span.begin} to {span.end} ({span.end - span.begin} s)"


@cli.command("run", cls=Command, notes=[*EVENT_NOTES, READING_NOTE])
@click.argument("events")
@click.option("--nodes", required=True, callback=integer(1, MAX_NODES), metavar="N", help="Size of the cluster.")
@scheduler_options
def run_command(
    events: str,
    *,
    nodes: int,
    variant: str,
    open_nodes: int | None,
    readings: tuple[str, ...],
    capacity: int,
    widths: str | None,
) -> None:
    """Decide on events, one by one.

    Events are read as JSON Lines, and each decision is printed as one at once. A bad event, and a job that could not
    run even on the empty cluster, ends the run with status 2, after the decisions on the events before it.
    """
    scheduler = chosen_scheduler(
        variant, nodes, open_nodes=open_nodes, readings=readings, capacity=capacity, widths=widths
    )
    name = source_name(events)
    refused: dict[str, int] = {}
    for line, event in read_events(events, capacity):
        with located(f"{name}:{line}"):
            decision = _decide(scheduler, event, refused)
        if not decision.admitted:
            refused[event.job] = line
        print(format_decision(decision), flush=True)


def _decide(scheduler: Scheduler, event: Event, refused: dict[str, int]) -> Decision:
    try:
        decision = apply_event(scheduler, event)
    except InputError as error:
        if isinstance(event, Depart) and event.job in refused:
            raise InputError(f"{error} (its arrival on line {refused[event.job]} was refused)") from error
        raise
    if isinstance(event, Arrive):
        refused.pop(event.job, None)
    return decision


@cli.command("replay", cls=Command, notes=[TRACE_NOTE, READING_NOTE])
@click.argument("trace")
@click.option(
    "--nodes",
    required=True,
    callback=integer(1, MAX_NODES, "unlimited"),
    metavar="N|unlimited",
    help="Size of the cluster; jobs queue first in, first out.",
)
@scheduler_options
@json_option
def replay_command(
    trace: str,
    *,
    nodes: int | None,
    variant: str,
    open_nodes: int | None,
    readings: tuple[str, ...],
    capacity: int,
    widths: str | None,
    as_json: bool,
) -> int:
    """Run a trace and check every event.

    After each one the invariants of the variant are checked and SIF is computed. Status 1 when a property that the
    variant guarantees failed.
    """
    scheduler = chosen_scheduler(
        variant, nodes, open_nodes=open_nodes, readings=readings, capacity=capacity, widths=widths
    )
    jobs = read_trace(trace, capacity)
    with progress_bar(2 * len(jobs)) as progress, located(source_name(trace)):
        report = replay(jobs, scheduler, progress=progress)
    record = report.to_json()
    if as_json:
        print_json(record)
    else:
        print_table([(LABELS.get(key, key.replace("_", " ")), _shown(key, value)) for key, value in record.items()])
    if report.ok:
        return DONE
    return complain(f"{source_name(trace)}: {variant}: {report.violation}", FAILED)


def _shown(key: str, value: object) -> object:
    if value is None:
        return {"nodes": "unlimited", "violation": "none"}.get(key, "- (the number of nodes is unlimited)")
    if isinstance(value, str):  # when a property failed; the whole message goes to standard error
        return printable(value.partition(": ")[0], 200)
    return f"{value:.4g}" if isinstance(value, float) else value


cli.add_command(show_command)


@cli.command("generate", cls=Command, notes=[("Mixes", [(name, mix.about) for name, mix in MIXES.items()])])
@click.option("--mix", default="venus", show_default=True, metavar="NAME", help="Mix of sizes, listed below.")
@click.option(
    "--jobs", default="1000", show_default=True, callback=integer(1, MAX_JOBS), metavar="N", help="Number of jobs."
)
@seed_option("Seed of all chance.")
@click.option(
    "--mean-gap",
    default="60",
    show_default=True,
    callback=number(MAX_GAP),
    metavar="S",
    help="Mean time between submissions in seconds.",
)
@click.option(
    "--mean-duration",
    default="9000",
    show_default=True,
    callback=number(MAX_DURATION),
    metavar="S",
    help="Mean duration in seconds.",
)
@click.option(
    "--out", default="-", metavar="FILE", help="Write to a file, all of it or nothing.  [default: standard output]"
)
def generate_command(*, mix: str, jobs: int, seed: int, mean_gap: float, mean_duration: float, out: str) -> None:
    """Make a synthetic trace.

    The same arguments give the same bytes everywhere.
    """
    trace = generate(mix, jobs, seed, mean_gap=mean_gap, mean_duration=mean_duration)
    if out == "-":
        print(format_trace(trace), end="")
    else:
        with tidied_up():
            write_trace(trace, out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; ``arguments`` default to those of the process."""
    return run_commands(cli, arguments)
