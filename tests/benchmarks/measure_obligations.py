"""Time of the proof obligations in each SMT solver: processor seconds, which depend less on what else the machine does.

python tests/benchmarks/measure_obligations.py [CLAIM ...]

A CLAIM is a folder of proofs/; default: all. Each obligation is parsed and solved once in one process.
"""

import os
import sys
import time

from verification.ledger import PROOFS
from verification.solvers import SOLVERS, ask, version


def main(claims):
    paths = sorted(path for claim in claims or ["*"] for path in PROOFS.glob(f"{claim}/*.smt2"))
    if not paths:
        sys.exit("no obligation of these claims")
    print("| solver | obligations | processor seconds | longest | of |\n|---|---|---|---|---|")
    for solver in SOLVERS:
        ask(solver, "(set-logic QF_LIA)(check-sat)")  # loads it
        times = {}
        for path in paths:
            text = path.read_text(encoding="utf-8")
            start = time.process_time()
            status = ask(solver, text).status
            times[path] = time.process_time() - start
            if f":status {status})" not in text:
                sys.exit(f"{path}: {solver} says {status}")
        longest = max(times, key=times.get)
        name = f"{longest.parent.name}/{longest.name}"
        print(
            f"| {solver} {version(solver)} | {len(times)} | {sum(times.values()):.1f} | {times[longest]:.2f} | {name} |"
        )
    print(f"\nload of the machine at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
