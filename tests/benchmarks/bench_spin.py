"""The count-level explorer beside the model checker SPIN: `printed` with instances of 1, 2 and 4 GPUs on N nodes.

    python tests/benchmarks/bench_spin.py [--max-nodes N] [--plain-nodes N] [--time-limit S] [--memory MB]

SPIN explores printed.pml, once with the nodes sorted after every step, so that it counts states up to symmetry as the
explorer does, and once as it is. Compared are: the states up to symmetry; the states of the plain model with what the
explorer's states stand for (N! / (equal nodes)! each); the distinct steps of Compact; and for every claim the number of
settled states that break it.
Exit status 1 if anything differs; with --check also where a count is not the one of results/spin.md.

Times are wall times with CPU times in parentheses. The explorer's contain the start of Python, the exact Phi* of every
state and all claims; SPIN's contain the count of states only, and building the verifier is a column of its own.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import command_line
import numpy as np

from verification.count_explorer import Search
from verification.count_printed import PrintedModel

MODEL = Path(__file__).with_name("printed.pml")
RECORD = command_line.RESULTS / "spin.md"
SIZES = (1, 2, 4)
CLAIMS = {
    "capacity": "CAPACITY",
    "pool-pass": "POOL_PASS",
    "slotted-pass": "SLOTTED_PASS",
    "theorem-1": "THEOREM_1",
    "sif-bound": "SIF_BOUND",
}
"""The explorer's claims by the names that they have in printed.pml."""

EXPLORE = """
import json, sys
from verification.count_explorer import explore
from verification.count_printed import PrintedModel
found = explore(PrintedModel(int(sys.argv[1]), sizes=(1, 2, 4)))
broken = {name: claim.violations for name, claim in found.claims.items()}
numbers = {"states": found.all_states, "settled": found.states, "compacts": sum(found.moves["compact"])}
print(json.dumps({**numbers, "broken": broken}))
"""


@dataclass(frozen=True)
class Run:
    """A process that has ended; ``output`` is None where it was stopped at the time limit."""

    wall: float
    cpu: float
    output: str | None

    def __str__(self) -> str:
        return f"{self.wall:.2f} ({self.cpu:.2f})" if self.output is not None else f"> {self.wall:.0f}"


@dataclass(frozen=True)
class Explored:
    """What the explorer found."""

    run: Run
    states: int
    settled: int
    compacts: int
    broken: dict[str, int]


@dataclass(frozen=True)
class Spin:
    """What SPIN found: stored states and violated assertions, None where it did not finish for the reason given."""

    build: Run
    search: Run
    states: int | None
    errors: int | None
    reason: str = ""


def missing() -> str:
    """What keeps SPIN from running, "" if nothing does."""
    absent = [name for name in ("spin", "gcc") if shutil.which(name) is None]
    return f"not installed: {' and '.join(absent)} (Debian packages of these names)" if absent else ""


def timed(command: Sequence[str], limit: float, folder: str | None = None) -> Run:
    """Run a command; its own failure is an error here."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(command_line.ROOT), *filter(None, sys.path)])}
    before, start = _children_cpu(), time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return Run(time.perf_counter() - start, _children_cpu() - before, None)
    return Run(time.perf_counter() - start, _children_cpu() - before, done.stdout)


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def explored(nodes: int, limit: float) -> Explored | None:
    """The explorer on N nodes in a process of its own; None where it was stopped at the time limit."""
    run = timed([sys.executable, "-c", EXPLORE, str(nodes)], limit)
    if run.output is None:
        return None
    found = json.loads(run.output)
    broken = {name: found["broken"][name] for name in CLAIMS}
    return Explored(run, found["states"], found["settled"], found["compacts"], broken)


def placements(nodes: int) -> int:
    """How many states with distinguished nodes the explorer's states stand for."""
    search = Search(PrintedModel(nodes, sizes=SIZES))
    search.run()
    rows = np.sort(search.ranking.rows(search.reached() % search.ranking.size), axis=0)
    number = np.full(rows.shape[1], math.factorial(nodes))
    equal = np.ones_like(number)
    for row, following in itertools.pairwise(rows):
        equal = np.where(row == following, equal + 1, 1)
        number //= equal
    return int(number.sum())


def spin(
    nodes: int,
    *,
    ordered: bool,
    claim: str | None = None,
    pairs: bool = False,
    states: int = 10**6,
    limit: float = 120,
    memory: int = 6000,
    optimise: str = "-O2",
) -> Spin:
    """Generate, compile and run a verifier that goes on after an error, so that errors are broken states.

    Args:
        nodes: N.
        ordered: whether the nodes are sorted after every step.
        claim: what is asserted, by its name in the model.
        pairs: count what Compact leads from and to, as errors.
        states: about how many there will be: room for a search as deep is set aside.
        limit: seconds for the search.
        memory: most MB.
        optimise: how the verifier is compiled.
    """
    options = [f"-DN={nodes}"]
    options += (["-DSORTED"] if ordered else []) + ([f"-DCLAIM={claim}"] if claim else [])
    options += ["-o2", "-DPAIRS"] if pairs else []
    compiler = ["gcc", optimise, "-w", "-DSAFETY", "-DNOREDUCE", f"-DMEMLIM={memory}", "-o", "pan", "pan.c"]
    with tempfile.TemporaryDirectory() as folder:
        generated = timed(["spin", "-a", *options, str(MODEL)], 600, folder)
        compiled = timed(compiler, 600, folder)
        if generated.output is None or compiled.output is None:
            raise RuntimeError("the verifier could not be built within ten minutes")
        build = Run(generated.wall + compiled.wall, generated.cpu + compiled.cpu, "")
        depth = max(10**5, 3 * states // 2)
        while True:
            search = timed(["./pan", "-c0", "-n", f"-m{depth}"], limit, folder)
            if search.output is None:
                return Spin(build, search, None, None, "time")
            if "max search depth too small" not in search.output:
                break
            depth *= 4
    return _parsed(build, search, search.output)


def _parsed(build: Run, search: Run, output: str) -> Spin:
    """Numbers of a search that ran to its end."""
    stored = re.search(r"^ *([\d.e+]+) states, stored", output, re.MULTILINE)
    errors = re.search(r"errors: (\d+)$", output, re.MULTILINE)
    if "Search not completed" in output:
        return Spin(build, search, None, None, "memory" if "MEMLIM bound" in output else "incomplete")
    if stored is None or errors is None:
        raise RuntimeError(f"no numbers in what the verifier says:\n{output}")
    return Spin(build, search, int(float(stored[1])), int(errors[1]))


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, numbers to the right."""
    head = f"| {' | '.join(columns)} |\n|{'|'.join('-' * (len(column) + 1) + ':' for column in columns)}|"
    return "\n".join([head, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def same(one: int | None, other: int | None) -> str:
    """Whether two numbers are the same, as far as both are known."""
    return "-" if one is None or other is None else "yes" if one == other else "NO"


def shown(number: int | None, reason: str = "") -> str:
    """A number, or why there is none."""
    return f"{number:,}" if number is not None else f"({reason or 'not run'})"


COUNTS = (
    "N",
    "states up to symmetry, ours",
    "SPIN sorted",
    "same",
    "plain states, SPIN",
    "ours stand for",
    "same",
    "ours s",
    "SPIN sorted: build s",
    "search s",
    "SPIN plain: build s",
    "search s",
)
VERDICTS = ("N", "settled states", "steps of Compact", *CLAIMS, "SPIN agrees", "SPIN s for these")


def measure(nodes: int, *, plain: bool, limit: float, memory: int) -> tuple[list[str], list[str]]:
    """A row of each table."""
    ours = explored(nodes, limit)
    known = ours.states if ours else 10**7
    bounds = {"limit": limit, "memory": memory}
    ordered = spin(nodes, ordered=True, states=known, **bounds)
    row = [
        str(nodes),
        shown(ours and ours.states, "time"),
        shown(ordered.states, ordered.reason),
        same(ours and ours.states, ordered.states),
    ]
    times = [str(ours.run) if ours else f"> {limit:.0f}", str(ordered.build), str(ordered.search)]
    if plain:
        expected = placements(nodes)
        each = spin(nodes, ordered=False, states=expected, **bounds)
        row += [shown(each.states, each.reason), shown(expected), same(each.states, expected)]
        times += [str(each.build), str(each.search)]
    else:
        row += ["-"] * 3
        times += ["-"] * 2
    found, seconds = {}, 0.0
    for name, macro in {"settled": "NONE", "compacts": None, **CLAIMS}.items():
        checked = spin(nodes, ordered=True, claim=macro, pairs=macro is None, states=known, **bounds)
        found[name] = checked.errors
        seconds += checked.build.wall + checked.search.wall
    expectation = {"settled": ours.settled, "compacts": ours.compacts, **ours.broken} if ours else found
    agreed = [same(found[name], value) for name, value in expectation.items()]
    verdict = "NO" if "NO" in agreed else "-" if "-" in agreed or not ours else "yes"
    numbers = [shown(expectation[name]) for name in expectation]
    return row + times, [str(nodes), *numbers, verdict, f"{seconds:.1f}"]


def report(rows: list[tuple[list[str], list[str]]], write: Callable[[str], object]) -> None:
    """Both tables."""
    write("\nReachable states with their phase; seconds as wall (CPU)\n")
    write(table(COUNTS, [counts for counts, _ in rows]))
    write("\nAs the explorer counts them; for a claim, the settled states that break it\n")
    write(table(VERDICTS, [verdicts for _, verdicts in rows]))


def main() -> int:
    """Read the command line, measure, print."""
    parser = command_line.parser(__doc__)
    options = parser.parse_args()
    if options.max_nodes > 12:
        parser.error("--max-nodes: the Promela model is written for 12 nodes at most")
    if options.trace is not None:
        command_line.load(options.trace)  # no use for it here, but a bad one is an error for every script
    if why := missing():
        print(f"SPIN is not compared: {why}")
        return 0
    rows = []
    for nodes in range(1, options.max_nodes + 1):
        print(f"N = {nodes} ...", file=sys.stderr, flush=True)
        plain = nodes <= options.plain_nodes
        rows.append(measure(nodes, plain=plain, limit=options.time_limit, memory=options.memory))
    report(rows, print)
    agreed = all("NO" not in cells for pair in rows for cells in pair)
    if options.check:
        agreed &= command_line.as_recorded([counts for counts, _ in rows], RECORD, COUNTS.index("ours s"))
        agreed &= command_line.as_recorded(
            [verdicts for _, verdicts in rows], RECORD, VERDICTS.index("SPIN s for these")
        )
    return int(not agreed)


if __name__ == "__main__":
    sys.exit(main())
