"""Time of one exact Phi* (with its witness) by family of instance counts; every solve is uncached.

python tests/benchmarks/bench_phi.py [--samples K] [--trace FILE]
"""

import itertools
import random
import statistics
import time

import command_line

import compass.phi as phi
from compass.composition import Composition
from compass.geometry import Geometry
from compass.replay import fifo
from compass.unified import Unified


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


def without_wcc(trace):
    """The composition after each event of the trace, all jobs started at submission, where WCC fails."""
    scheduler = Unified(None)
    return [scheduler.running.as_dict() for _ in fifo(trace, scheduler) if not scheduler.running.wcc]


def milliseconds(call):
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def main(samples, path):
    families = dict(FAMILIES)
    title, trace = command_line.load(path)
    violating = without_wcc(trace)
    if violating:
        states = itertools.cycle(violating)
        families[f"G=8  {title}, no WCC"] = (8, lambda _: next(states))
    else:
        print(f"{title}: WCC holds after every event, so there is no row for it")
    print(f"{'family':36}{'median ms':>11}{'p99 ms':>10}{'max ms':>10}   of {samples}")
    for name, (capacity, draw) in families.items():
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
    options = command_line.parser(__doc__).parse_args()
    main(options.samples, command_line.trace_file(options.trace))
