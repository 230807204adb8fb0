"""Performing the runs of an experiment: what is stored is not run again, the rest wherever the executor says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import NamedTuple

from compass.errors import InputError
from compass.evaluation.executors import is_loss
from compass.evaluation.runs import COLUMNS, REQUIRED, Outcome, Row, Run, Task, Workload, perform, tasks_of
from compass.evaluation.schedulers import check_solver
from compass.evaluation.store import Store
from compass.evaluation.watch import WATCHED


class Results(NamedTuple):
    """One row a run, in the order of the plan; and what is not part of the table.

    ``seconds`` says how long each took, ``foreign`` how many of them other sources of this package have made.
    """

    rows: list[Row]
    seconds: list[Row]
    foreign: int


def evaluate(
    workload: Workload,
    runs: Sequence[Run],
    store: Store,
    executor: Executor,
    *,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """The results of runs, those not stored yet performed by the executor.

    The rows depend on the jobs and the settings alone: not on the executor, on what was stored, or on where an earlier
    evaluation was interrupted.

    Args:
        workload: the trace.
        runs: the plan.
        store: results by key; new ones are added as soon as they are there.
        executor: any :class:`concurrent.futures.Executor` whose workers have this package.
        workers: how many tasks it performs at a time; twice as many are handed to it.
        progress: called with the number of runs done since the last call.

    Raises:
        InputError: a worker or the cluster is lost, the store cannot be written, or a scheduler needs a missing solver.
    """
    keys = [workload.key(run) for run in runs]
    stored = {key for key in keys if key in store.results and store.results[key].measures.keys() >= REQUIRED}
    missing = {key: run for key, run in zip(keys, runs, strict=True) if key not in stored}
    check_solver(run.settings for run in missing.values())
    if progress:
        progress(sum(key in stored for key in keys))
    for task, outcomes in _performed(tasks_of(workload, missing.values()), executor, 2 * workers):
        for run, outcome in zip(task.runs, outcomes, strict=True):
            store.add(workload.key(run), outcome)
        if progress:
            progress(len(outcomes))
    found = [(run, store.results[key]) for run, key in zip(runs, keys, strict=True)]
    return Results(
        [
            {**run.row(), **{name: outcome.measures.get(name) for name in (*COLUMNS, *(WATCHED if run.step else ()))}}
            for run, outcome in found
        ],
        [{**run.row(), "seconds": round(outcome.seconds, 3)} for run, outcome in found],
        sum(key in store.foreign for key in keys),
    )


def _performed(tasks: Iterable[Task], executor: Executor, at_once: int) -> Iterable[tuple[Task, list[Outcome]]]:
    """Tasks with their outcomes as they are done; so many are in the executor's hands at a time."""
    pending: dict[Future[list[Outcome]], Task] = {}
    for task in tasks:
        with _told():
            future = executor.submit(perform, task)
        pending[future] = task
        if len(pending) >= at_once or future.done():
            yield from _done(pending)
    while pending:
        yield from _done(pending)


def _done(pending: dict[Future[list[Outcome]], Task]) -> Iterable[tuple[Task, list[Outcome]]]:
    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in [future for future in pending if future in done]:
        with _told():
            outcomes = future.result()
        yield pending.pop(future), outcomes


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not is_loss(error):
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"a worker or the cluster has gone, perhaps for want of memory ({why}); finished runs are kept"
        ) from error
