"""The command ``compass check``: run the ledger, or check one given history."""

from __future__ import annotations

import json

import click

from compass.cli_options import READING_NOTE, choice_option, chosen_scheduler, integer
from compass.cli_support import DONE, FAILED, Command, progress_bar, tidied_up
from compass.draw import draw
from compass.errors import InputError, InvariantViolated, NeverFits, NoLegalDestination
from compass.event_io import read_events
from compass.scheduler import Scheduler, apply_event
from compass.text_input import MAX_NODES, nearest, quoted, source_name
from compass.variants import VARIANTS
from verification.check import run, summary, with_needs
from verification.evidence import Answer, Options, Query, queries
from verification.job_claims import PREDICATES, Outcome
from verification.ledger import Claim, read_ledger


@click.command("check", cls=Command, notes=[READING_NOTE])
@click.argument("claims", nargs=-1)
@choice_option("--variant", VARIANTS, "Only claims about this variant.")
@click.option("--list", "listed", is_flag=True, help="Only print the claims and the verdicts expected of them.")
@click.option("--max-nodes", callback=integer(1, 16), metavar="N", help="Leave out evidence that names a larger N.")
@click.option("--full", is_flag=True, help="The full tier: larger clusters, and every smallest history searched again.")
@click.option("--long", is_flag=True, help="The full tier, and what would make it longer than ten minutes.")
@choice_option("--solver", ("z3", "cvc5", "both"), "SMT solvers to ask: both, unless one is named.")
@click.option("--trace", metavar="EVENTS", help="Check one history instead; needs --nodes and --variant.")
@click.option("--nodes", callback=integer(1, MAX_NODES), metavar="N", help="Size of the cluster of --trace.")
@click.option("--open-nodes", callback=integer(1, MAX_NODES), metavar="M", help="The dial of unified, for --trace.")
@click.option("--reading", "readings", multiple=True, metavar="NAME=VALUE", help="A reading of printed, for --trace.")
@click.option("--json", "as_json", is_flag=True, help="Print a list with an object a claim; for --trace one object.")
def check_command(
    claims: tuple[str, ...],
    *,
    variant: str | None,
    listed: bool,
    max_nodes: int | None,
    full: bool,
    long: bool,
    solver: str | None,
    trace: str | None,
    nodes: int | None,
    open_nodes: int | None,
    readings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Check the claims of the ledger, or one history.

    Every query is run and its line printed with its time; then the table of verdicts. Claims that the named ones need
    are run with them. Status 0 when every verdict is the expected one, 1 when any differs.
    """
    if trace is not None:
        if variant is None or nodes is None or claims or listed:
            raise click.UsageError("--trace needs --nodes and --variant, and takes no claim and no --list")
        if full or long or max_nodes is not None or solver is not None:
            raise click.UsageError("--full, --long, --max-nodes and --solver do not go with --trace")
        scheduler = chosen_scheduler(variant, nodes, open_nodes=open_nodes, readings=readings, capacity=8, widths=None)
        return _check_history(trace, scheduler, variant, as_json)
    if nodes is not None or open_nodes is not None or readings:
        raise click.UsageError("--nodes, --open-nodes and --reading go with --trace")
    if listed and as_json:
        raise click.UsageError("--list prints no JSON; the claims are files, proofs/*/claim.toml")
    chosen = _chosen(claims, variant)
    if listed:
        for claim in chosen:
            print(f"{claim.name:<32} {claim.verdict:<9} {claim.scope}")
        return DONE
    solvers = (solver,) if solver in ("z3", "cvc5") else ("z3", "cvc5")
    options = Options(full or long, max_nodes, solvers, long)
    return _check_ledger(chosen, with_needs(chosen, read_ledger()), options, as_json)


def _chosen(names: tuple[str, ...], variant: str | None) -> list[Claim]:
    """Claims by id or by folder name; all of the variant where none is named."""
    ledger = read_ledger()
    known = sorted({claim.id for claim in ledger} | {claim.name for claim in ledger})
    for name in names:
        if name not in known:
            raise click.UsageError(f"no claim {quoted(name)}{nearest(name, known)} (all: compass check --list)")
    of_variant = [claim for claim in ledger if variant in (None, claim.variant)]
    for name in names:
        if not any(name in (claim.id, claim.name) for claim in of_variant):
            raise click.UsageError(f"{name} is no claim of {variant}")
    return [claim for claim in of_variant if not names or claim.id in names or claim.name in names]


def _check_ledger(asked: list[Claim], claims: list[Claim], options: Options, as_json: bool) -> int:
    def line(query: Query, answer: Answer, seconds: float) -> None:
        mark = "ok  " if answer.shown else "FAIL" if answer.refutes else "??  "
        print(f"{mark} {seconds:7.2f}s  {query.claim.name}: {query.name}: {answer.detail}", flush=True)

    total = sum(len(list(queries(claim, options))) for claim in claims)
    with progress_bar(total, "queries") as progress, tidied_up():

        def tell(query: Query, answer: Answer, seconds: float) -> None:
            if progress is not None:
                progress(1)
            if not as_json:
                line(query, answer, seconds)

        results = run(claims, options, tell)
    if as_json:
        print(json.dumps([{**result.to_json(), "asked": result.claim in asked} for result in results], indent=2))
    else:
        print()
        for result in results:
            note = "" if result.as_expected else f"   EXPECTED {result.claim.verdict}"
            note += f"   NEEDS {result.unmet}" if result.unmet else ""
            note += f"   NOT INSTALLED {' and '.join(result.missing)}" if result.missing else ""
            ran = f" (ran: {result.ran})" if result.ran else ""
            print(f"{result.claim.name:<32} {result.verdict:<9} {result.claim.scope}{ran}{note}")
        print(summary(results, options.solvers))
    for name in sorted({name for result in results for name in result.missing}):
        share = "half of the proofs is" if len(options.solvers) == 2 else "the proofs are"
        click.echo(f"{name} is not installed: {share} missing", err=True)
    return DONE if all(result.as_expected for result in results) else FAILED


def _check_history(events: str, scheduler: Scheduler, variant: str, as_json: bool) -> int:
    """Play a history; print the first claim that breaks, and the state."""
    name = source_name(events)
    for line, event in read_events(events, scheduler.geometry.capacity):
        try:
            outcome = Outcome(event, apply_event(scheduler, event).admitted)
        except NoLegalDestination as finding:
            outcome = Outcome(event, False, str(finding))
        except NeverFits as error:
            raise InputError(f"{name}:{line}: {error}") from error
        except InputError as error:
            raise InputError(f"{name}:{line}: {error}") from error
        broken = _broken(scheduler, outcome, variant)
        if broken is not None:
            _print_broken(f"{name}:{line}", broken, scheduler, as_json=as_json)
            return FAILED
    if as_json:
        print(json.dumps({"claim": None, "variant": variant}))
    else:
        print(f"{name}: no claim is broken ({', '.join(PREDICATES_OF[variant])})")
    return DONE


SETTLED = ("theorem-1", "saturation", "exclusion", "open-nodes", "node-bound")
PREDICATES_OF = {
    "printed": tuple(name for name in PREDICATES if name not in ("open-nodes", "node-bound", "admission")),
    "repaired": (*SETTLED, "admission", "theorem-1-structure", "pool-pass", "slotted-pass", "prop-1"),
    "unified": (*SETTLED, "no-waiting", "prop-1"),
}
"""The claims that are checked on a history of each variant, in this order."""


def _broken(scheduler: Scheduler, outcome: Outcome, variant: str) -> tuple[str, str] | None:
    for claim in PREDICATES_OF[variant]:
        reason = PREDICATES[claim](scheduler, outcome)
        if reason is not None:
            return claim, reason
    return None


def _print_broken(where: str, broken: tuple[str, str], scheduler: Scheduler, *, as_json: bool) -> None:
    claim, reason = broken
    try:
        drawing = draw(scheduler.snapshot())
    except InvariantViolated as error:
        drawing = [str(error)]
    if as_json:
        print(json.dumps({"claim": claim, "where": where, "reason": reason, "state": drawing}, ensure_ascii=False))
        return
    print(f"{where}: {claim} is broken: {reason}")
    print("\n".join(drawing))
