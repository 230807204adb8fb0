"""Where runs are performed: in this process, in processes of this machine, or on a dask.distributed cluster.

All are :class:`concurrent.futures.Executor`; results are put in the order of the plan, so the tables are the same.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from importlib import import_module
from multiprocessing import active_children, connection, get_context, parent_process, resource_tracker
from typing import Any

from compass.errors import InputError

TIMEOUT = 10
"""Seconds within which a cluster is to be reached, at first and when the connection is lost."""


class InProcess(Executor):
    """Calls at once what is submitted."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in the base class
        """The future of a call, which is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # whatever it is, the caller gets it from the future
            future.set_exception(error)
        return future


@contextlib.contextmanager
def executor_of(jobs: int, cluster: str | None = None) -> Iterator[tuple[Executor, int]]:
    """An executor and the number of its workers; left by an exception, it does not wait for what they still compute.

    Args:
        jobs: processes of this machine; 1 is this process.
        cluster: address of a dask scheduler to use instead.

    Raises:
        InputError: dask.distributed is not installed, or the cluster cannot be reached.
    """
    if cluster is not None:
        with _cluster(cluster) as found:
            yield found
    elif jobs == 1:
        yield InProcess(), 1
    else:
        # Processes that begin anew: a fork of a process that draws a progress bar in a thread may hang.
        with _hangups_blocked():
            resource_tracker.ensure_running()
        others = set(active_children())
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=end_with_parent)
        try:
            yield pool, jobs
        except BaseException:
            for worker in set(active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _hangups_blocked() -> Iterator[None]:
    """Let a process begun inside outlive a hangup of the terminal.

    Multiprocessing's tracker of what is to be cleaned up has to, or every process that it serves complains.
    """
    if not hasattr(signal, "pthread_sigmask"):  # such a system has no hangups either
        yield
        return
    old = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def end_with_parent() -> None:
    """Let this process end when its parent does, however that ends: nobody would take what it still computes."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


class _OnCluster(Executor):
    """Calls on a dask.distributed cluster; closing its client gives up what is not done.

    The client's own executor leaves a future pending for ever whose result is on its way when the cluster is lost.
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - of an extra without types
        self._client = client

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in the base class
        future: Future[Any] = Future()

        def take(remote: Any) -> None:  # noqa: ANN401 - as above
            try:
                future.set_result(remote.result())
            except Exception as error:  # whatever it is, the caller gets it from the future
                future.set_exception(error)

        self._client.submit(fn, *args, pure=False, **kwargs).add_done_callback(take)
        return future


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        distributed: Any = import_module("distributed")  # an extra, without types
    except ImportError:
        raise InputError("a cluster needs dask.distributed: pip install 'compass-abs[cluster]'") from None
    try:
        client = distributed.Client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise InputError(f"cluster {address}: {' '.join(str(error).split())}") from error
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)  # a cluster that is lost is told by whoever waits for its results
    try:
        with client:
            yield _OnCluster(client), max(1, len(client.ncores()))
    finally:
        log.setLevel(level)


def is_loss(error: Exception) -> bool:
    """Whether an exception of a task says that its worker, or the cluster, is no longer there.

    What dask.distributed raises then has no common class.
    """
    module = type(error).__module__.partition(".")[0]
    return isinstance(error, BrokenExecutor | CancelledError) or module == "distributed"
