"""Speed, memory and moves of the three variants; prints tables and draws moves against SIF.

    python tests/benchmarks/bench_replay.py [--trace FILE] [--plot FILE] [--check]

With --check the exit status is 1 where moves or SIF are not those of docs/measurements.md. The picture in the README is
this plot of the Venus trace: --plot docs/images/moves-against-sif.svg replaces it.
Compare figures of one run with each other only: absolute times depend on the machine.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import command_line

from compass import plotting
from compass.replay import ReplayReport, replay
from compass.trace import TraceJob
from compass.variants import make_scheduler

NODES = 170
RECORD = command_line.ROOT / "docs" / "measurements.md"
SETTINGS = [("printed", None), ("repaired", None), *(("unified", m) for m in (1, 2, 3, 11))]


def name_of(variant: str, open_nodes: int | None) -> str:
    """How a setting is called in tables."""
    return f"{variant}, m = {open_nodes}" if open_nodes else variant


def moves_table(title: str, trace: list[TraceJob]) -> tuple[list[tuple[str, ReplayReport]], list[list[str]]]:
    """Replay under every setting and print what came out; the reports by setting, and the rows as printed."""
    columns = (
        "moves per instance event",
        "worst avoidable partial nodes under WCC",
        "mean SIF",
        "worst SIF",
        "events over 2 under WCC",
        "instance events a second",
    )
    print(f"\nReplay of {title} on {NODES} nodes, SIF and invariants after every event\n")
    print(f"| {'setting':<15} | {' | '.join(columns)} |")
    print(f"|{'-' * 17}|{'|'.join('-' * (len(column) + 1) + ':' for column in columns)}|")
    rows, printed = [], []
    for variant, open_nodes in SETTINGS:
        report = replay(trace, make_scheduler(variant, NODES, open_nodes=open_nodes))
        rows.append((name_of(variant, open_nodes), report))
        values = (
            f"{report.moves_per_instance_event:.4f}",
            f"{report.max_avoidable_under_wcc}",
            f"{float(report.mean_avoidable) / NODES:.6f}",
            f"{report.max_avoidable / NODES:.4f}",
            f"{report.over_bound_events:,}",
            f"{report.instance_events / report.seconds:,.0f}",
        )
        printed.append([rows[-1][0], *values])
        cells = (f"{value:>{len(column)}}" for value, column in zip(values, columns, strict=True))
        print(f"| {rows[-1][0]:<15} | {' | '.join(cells)} |", flush=True)
        if report.violation:
            print(f"  stopped: {report.violation}")
    return rows, printed


def draw(title: str, rows: list[tuple[str, ReplayReport]], out: Path) -> None:
    """Moves against worst and mean SIF, one point a setting; the same bytes for the same figures."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update(plotting.SETTINGS)
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    moves = [report.moves_per_instance_event for _, report in rows]
    for label, marker, (colour, _), values in (
        ("worst SIF under WCC", "o", plotting.LINES[0], [report.max_avoidable_under_wcc / NODES for _, report in rows]),
        ("mean SIF", "s", plotting.LINES[1], [float(report.mean_avoidable) / NODES for _, report in rows]),
    ):
        axes.plot(moves, values, marker, label=label, color=colour)
    for (name, report), x in zip(rows, moves, strict=True):
        axes.annotate(name, (x, report.max_avoidable_under_wcc / NODES), (5, 5), textcoords="offset points", fontsize=8)
    axes.axhline(2 / NODES, color=plotting.LINES[-1][0], linewidth=0.8, linestyle="--", label="2/N")
    axes.margins(x=0.12, y=0.1)
    axes.set_xlabel("moved instances per instance event")
    axes.set_ylabel("SIF")
    axes.set_title(f"{title}, {NODES} nodes", fontsize=10)
    axes.legend(fontsize=8)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(
        plotting.svg_text(figure, f"moved instances per instance event against SIF: {title}"), encoding="utf-8"
    )
    print(f"\nPlot of moves against SIF: {out}")


def time_per_event(variant: str, nodes: int, instances: int = 60_000) -> float:
    """Microseconds an instance event on a cluster kept at nine tenths of its GPUs, sizes as in Venus."""
    shares = (37.694, 4.033, 0.117, 5.277, 0.057, 0.120, 0.143, 52.559)
    rng = random.Random(1)
    scheduler = make_scheduler(variant, nodes)
    running: list[str] = []
    names = iter(range(10**9))

    def arrive() -> None:
        job = f"j{next(names)}"
        scheduler.arrive(job, rng.choices(range(1, 9), shares)[0])
        running.append(job)

    def fill() -> None:
        while scheduler.running.total < 0.9 * 8 * nodes:
            arrive()

    fill()
    start = time.perf_counter()
    for _ in range(instances // 2):
        index = rng.randrange(len(running))
        running[index], running[-1] = running[-1], running[index]
        scheduler.depart(running.pop())
        fill()
    return (time.perf_counter() - start) / instances * 1e6


def scaling_table() -> None:
    """Time an event against the cluster size, the load in proportion; the least of three runs each."""
    sizes = (100, 1_000, 10_000, 100_000)
    print("\nMicroseconds an instance event (with the benchmark's own loop), nodes at 90 % load")
    print("variant    " + "".join(f"{size:>10,}" for size in sizes) + "     ratio last/first")
    for variant in ("repaired", "unified"):
        times = [min(time_per_event(variant, size) for _ in range(3)) for size in sizes]
        print(f"{variant:<11}" + "".join(f"{t:>10.2f}" for t in times) + f"{times[-1] / times[0]:>17.2f}")


def memory_table(path: Path) -> None:
    """Peak memory of a replay in a process of its own."""
    print("\nPeak memory of compass replay")
    for variant in ("printed", "repaired", "unified"):
        command = ["-m", "compass", "replay", str(path), "--nodes", str(NODES), "--variant", variant, "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"{variant:<11} {peak / 1024:.0f} MiB" + ("" if peak > before else " or less"))


def main() -> int:
    """Print every table and draw the plot."""
    options = command_line.parser(__doc__).parse_args()
    path = command_line.trace_file(options.trace)
    title, trace = command_line.load(path)
    if path is None:
        print("peak memory is not measured and no plot is drawn: both are of a real trace")
    else:
        memory_table(path)
    rows, printed = moves_table(title, trace)
    if path is not None:
        draw(title, rows, options.plot)
    scaling_table()
    if not options.check:
        return 0
    if path is None:
        print("moves and SIF are not compared: those recorded are of the Venus trace")
        return 0
    return int(not command_line.as_recorded(printed, RECORD, len(printed[0]) - 1))  # the last column is a speed


if __name__ == "__main__":
    sys.exit(main())
