"""A lower bound on the moves of a run, for any scheduler with the AJCT of `ideal`, also one that knows the future.

Under FIFO no job ends earlier than under `ideal`. So where the AJCT is that of `ideal` every job starts and ends as
there: which instances run at which time is known, and only where they stand is left to the scheduler.

Take three instants a < b < c, and call instances of fewer than G GPUs small. Let A be the nodes that no whole-node
instance fills at a, and C those at c. Suppose that no instance moves after a until c. The small instances of b that run
at a too stand in A, those that run at c too stand in C; with S GPUs in all they need ``|A | C| >= ceil(S / G)`` nodes.
Those that run at all three stand in both; with T GPUs they need ``|A & C| >= ceil(T / G)`` nodes. Hence

    ``ceil(S / G) + ceil(T / G) <= |A | C| + |A & C| = |A| + |C|``

Where this fails, an instance moves after a until c. Windows that have at most an end in common need a move each; the
most are found by taking, again and again, the one that ends first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from compass.errors import InputError
from compass.evaluation.days import CAPACITY
from compass.evaluation.ideal import Ideal
from compass.evaluation.places import Ideals, Row, place_of
from compass.evaluation.recorder import Record
from compass.evaluation.runs import Workload
from compass.evaluation.simulate import simulate
from compass.trace import TraceJob

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Span(NamedTuple):
    """The first and the last instant, by their numbers, after which a job still runs."""

    first: int
    last: int
    job: TraceJob


def least_moves(jobs: Sequence[TraceJob], nodes: int) -> int:
    """A number of moves that no scheduler with the AJCT of `ideal` under FIFO can do without.

    A job that never fits is left out, as it is there.

    Cost: for K instants K^2 numbers of 4 bytes, and up to K^2 operations on vectors of up to K.

    Raises:
        InputError: numpy is not installed.

    Examples:
        Two nodes. At first ``x`` needs one of them, so ``a`` and ``b`` share the other; then ``c`` takes the place of
        ``x``; and when ``b`` has gone, ``y`` needs a node, so that ``a`` or ``c`` moves.

        >>> rows = ("a", 0, 30, 4), ("b", 0, 20, 4), ("x", 0, 10, 8), ("c", 10, 20, 4), ("y", 20, 10, 8)
        >>> least_moves([TraceJob(job, submit, duration, 1, gpus) for job, submit, duration, gpus in rows], nodes=2)
        1
    """
    instants, spans = _spans(jobs, nodes)
    both, whole = _running(instants, spans)
    small, free = both.diagonal(), nodes - whole
    found, end = 0, instants
    for a in range(instants):
        if a == end:
            found, end = found + 1, instants
        for b in range(a + 1, end - 1):
            if small[b] > CAPACITY * free[a]:  # otherwise S fits in A, and T in C
                at_all = both[a, b + 1 : end]
                of_b = both[a, b] + both[b, b + 1 : end] - at_all
                fails = -(-of_b // CAPACITY) - (-at_all // CAPACITY) > free[a] + free[b + 1 : end]
                if fails.any():
                    end = b + 1 + int(fails.argmax())
    return found


def _spans(jobs: Sequence[TraceJob], nodes: int) -> tuple[int, list[Span]]:
    """The number of instants at which jobs start or end under `ideal`, and the spans of those that last."""
    times: list[int] = []
    first: dict[str, int] = {}
    spans = []

    def note(record: Record) -> None:
        if record.kind not in ("arrive", "depart") or record.job is None:
            return
        if not times or times[-1] != record.time:
            times.append(record.time)
        now = len(times) - 1
        if record.kind == "arrive":
            first[record.job.job_id] = now
        elif first[record.job.job_id] < now:
            spans.append(Span(first[record.job.job_id], now - 1, record.job))

    simulate(jobs, Ideal(nodes), observe=note)
    return len(times), spans


def _running(instants: int, spans: Iterable[Span]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """GPUs of the small instances that run at i and at j, ``[i, j]`` with i <= j; whole-node instances by instant."""
    try:
        import numpy as np  # noqa: PLC0415 - an extra
    except ImportError:
        raise InputError("the bound on moves needs numpy: pip install 'compass-abs[evaluate]'") from None
    both = np.zeros((instants, instants), dtype=np.int32)
    whole = np.zeros(instants, dtype=np.int32)
    for first, last, job in spans:
        if job.gpus_per_instance == CAPACITY:
            whole[first : last + 1] += job.instances
        else:
            both[first, last] += job.instances * job.gpus_per_instance
    np.cumsum(both, axis=0, out=both)  # those that have begun by i
    np.cumsum(both[:, ::-1], axis=1, out=both[:, ::-1])  # and end at j or later
    return both, whole


def beside_least(workloads: Iterable[Workload], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The moves of each scheduler beside the bound, over the days on which it has the AJCT of `ideal` under FIFO.

    ``least_moves`` sums up the bound over these days; ``days_at_least`` counts those on which it is met.

    Raises:
        InputError: numpy is not installed.
    """
    named = {workload.name: workload for workload in workloads}
    ideals = Ideals(rows)
    least: dict[Any, int] = {}
    groups: dict[tuple[Any, ...], list[tuple[Row, int]]] = {}
    for row in rows:
        if row["scheduler"] != "ideal" and row["queue"] == "fifo" and ideals.over(row) == 0:
            place = place_of(row)
            if place not in least:
                least[place] = least_moves(named[place.trace].served(int(place.day)), place.nodes)
            group = (row["trace"], row["eta"], row["label"], row["reconstruction"])
            groups.setdefault(group, []).append((row, least[place]))
    return [
        {
            **dict(zip(("trace", "eta", "label", "reconstruction"), group, strict=True)),
            "days": len(some),
            "jobs": sum(row["jobs"] for row, _ in some),
            "moves": sum(row["moves"] for row, _ in some),
            "least_moves": sum(bound for _, bound in some),
            "days_at_least": sum(row["moves"] == bound for row, bound in some),
        }
        for group, some in groups.items()
    ]
