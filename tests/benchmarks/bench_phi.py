"""Time of one exact Phi* (with its witness) by family of instance counts; every solve is uncached.

Run: python tests/benchmarks/bench_phi.py [samples]
"""

import random
import statistics
import sys
import time
from pathlib import Path

import compass.phi as phi
from compass.composition import Composition
from compass.geometry import Geometry
from compass.replay import fifo
from compass.trace import read_trace
from compass.unified import Unified

VENUS = Path(__file__).resolve().parents[3] / "shared" / "traces" / "venus.csv"


def trace_like(rng, wcc):
    """Hundreds of whole nodes and a few small instances, with or without WCC."""
    while True:
        counts = {g: rng.randint(0, most) for g, most in ((1, 6), (2, 6), (3, 4), (4, 10), (5, 4), (6, 3), (7, 3))}
        counts[8] = rng.randint(50, 300)
        if Composition(Geometry(), counts).wcc == wcc:
            return counts


def shares(rng, sizes, instances):
    """About ``instances`` instances of the given sizes in random shares."""
    weights = {g: rng.random() for g in sizes}
    return {g: int(instances * weight / sum(weights.values())) for g, weight in weights.items()}


def unpaired(rng, capacity, instances):
    """Sizes of which no two fill a node: the hardest input, nothing is paired off."""
    return shares(rng, [rng.choice((g, capacity - g)) for g in range(1, capacity // 2)], instances)


FAMILIES = {
    "G=8  trace-like, WCC": (8, lambda rng: trace_like(rng, True)),
    "G=8  trace-like, no WCC": (8, lambda rng: trace_like(rng, False)),
    "G=8  10,000 instances, sizes 2..8": (8, lambda rng: shares(rng, range(2, 9), 10_000)),
    "G=8  10,000 instances, unpaired": (8, lambda rng: unpaired(rng, 8, 10_000)),
    "G=8  10^12 instances, unpaired": (8, lambda rng: unpaired(rng, 8, 10**12)),
    "G=16 5,000 instances, sizes 2..16": (16, lambda rng: shares(rng, range(2, 17), 5_000)),
    "G=16 5,000 instances, sizes 1..16": (16, lambda rng: shares(rng, range(1, 17), 5_000)),
    "G=16 100 instances, unpaired": (16, lambda rng: unpaired(rng, 16, 100)),
    "G=16 5,000 instances, unpaired": (16, lambda rng: unpaired(rng, 16, 5_000)),
    "G=16 10^12 instances, unpaired": (16, lambda rng: unpaired(rng, 16, 10**12)),
}


def venus_without_wcc(_):
    """The composition after each event of Venus, all jobs started at submission, where WCC fails; in turn."""
    if not VIOLATING:
        scheduler = Unified(None)
        events = fifo(read_trace(str(VENUS)), scheduler)
        VIOLATING.extend(scheduler.running.as_dict() for _ in events if not scheduler.running.wcc)
    VIOLATING.append(VIOLATING.pop(0))
    return VIOLATING[-1]


VIOLATING = []
if VENUS.exists():
    FAMILIES["G=8  Venus, no WCC"] = (8, venus_without_wcc)


def milliseconds(call):
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def main(samples):
    print(f"{'family':36}{'median ms':>11}{'p99 ms':>10}{'max ms':>10}   of {samples}")
    for name, (capacity, draw) in FAMILIES.items():
        rng, geometry = random.Random(name), Geometry(capacity)
        times = []
        for _ in range(samples):
            counts = draw(rng)
            phi._program.cache_clear()
            times.append(milliseconds(lambda counts=counts, geometry=geometry: phi.best_packing(counts, geometry)))
        times.sort()
        print(f"{name:36}{statistics.median(times):11.3f}{times[len(times) * 99 // 100]:10.3f}{times[-1]:10.3f}")
    composition = Composition(Geometry(), trace_like(random.Random(1), True))
    times = [milliseconds(lambda: phi.min_partial_nodes(composition)) for _ in range(10_000)]
    print(f"{'closed form on a composition':36}{statistics.median(times):11.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
