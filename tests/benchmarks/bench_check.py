"""Time, processor time and memory of `compass check`, and of the proof obligations in each solver.

python tests/benchmarks/bench_check.py [--full]

The default tier, with --full also the full one, each in a process of its own. Processor seconds depend less than those
of a clock on what else the machine does. Memory is that of all processes of a check together, shared pages counted once
(Linux only), looked at ten times a second. Exit status 1 where the check's is not 0, with or without --check.
"""

import contextlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import command_line
import measure_obligations

CHECK = [sys.executable, "-m", "compass", "check", "--json"]


def family(pid):
    """A process and all that it has started, itself or through others."""
    found = [pid]
    for known in found:
        for children in Path(f"/proc/{known}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # it has just ended
                found += map(int, children.read_text().split())
    return found


def kilobytes(pid):
    """The memory of a process and of its family; 0 where the system does not tell."""
    total = 0
    for member in family(pid):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def measured(command):
    """Runs a command: its exit status, seconds, processor seconds, and MB at the peak."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, kilobytes(process.pid))
            time.sleep(0.1)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process.returncode, seconds, busy, peak / 1024


def main(*, full):
    failed = False
    print("| check | seconds | processor seconds | MB at the peak | status |\n|---|---|---|---|---|", flush=True)
    for tier in ["default", "full"] if full else ["default"]:
        status, seconds, busy, peak = measured([*CHECK, "--full"] if tier == "full" else CHECK)
        print(f"| {tier} tier | {seconds:.0f} | {busy:.0f} | {peak:.0f} | {status} |", flush=True)
        failed |= status != 0
    print(f"\nload of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n", flush=True)
    measure_obligations.main([])
    return int(failed)


if __name__ == "__main__":
    options = command_line.parser(__doc__).parse_args()
    if options.trace is not None:
        command_line.load(options.trace)  # no use for it here, but a bad one is an error for every script
    sys.exit(main(full=options.full))
