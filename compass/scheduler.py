"""The interface every scheduler has, ours and any plugged in."""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol, runtime_checkable

from compass.composition import Composition
from compass.errors import InputError
from compass.events import Arrive, Decision, Event
from compass.geometry import Geometry
from compass.snapshot import Snapshot


@runtime_checkable
class Scheduler(Protocol):
    """Places arriving jobs and says which instances move; ``examples/first_fit.py`` is a small one.

    ``nodes`` is the cluster size, None for a cluster that grows without bound. ``running`` counts the running
    instances, ``partial_nodes`` is ``nu`` of the current placement; both cost O(1) to read.

    >>> from compass.repaired import Repaired
    >>> isinstance(Repaired(3), Scheduler)
    True
    """

    geometry: Geometry
    nodes: int | None
    running: Composition

    @property
    def partial_nodes(self) -> int:
        """``nu``: nodes with at least one and fewer than ``G`` busy GPUs."""

    def arrive(self, job: str, gpus: int, instances: int = 1) -> Decision:
        """Place all instances of a job, or refuse it and leave the state unchanged.

        Raises:
            InputError: the demand is malformed or the job is running already.
            NeverFits: it could not run on this cluster even if it were empty.
        """

    def depart(self, job: str) -> Decision:
        """Remove all instances of a running job.

        Raises:
            InputError: the job is not running.
        """

    def snapshot(self) -> Snapshot:
        """The current placement; node ``k`` is named ``nk``."""

    def check_changes(self) -> None:
        """Check the variant's own invariants as far as the last event may have changed them.

        Raises:
            InvariantViolated: one does not hold.
        """

    def check(self) -> None:
        """Check the variant's own invariants on the whole cluster; costs O(N).

        Raises:
            InvariantViolated: one does not hold.
        """


def apply_event(scheduler: Scheduler, event: Event) -> Decision:
    """Pass an event to a scheduler."""
    if isinstance(event, Arrive):
        return scheduler.arrive(event.job, event.gpus, event.instances)
    return scheduler.depart(event.job)


def check_nodes(nodes: int | None) -> int | None:
    """Return a cluster size that is a positive integer, or None for a cluster without bound.

    Raises:
        InputError: it is neither.
    """
    if nodes is not None and (type(nodes) is not int or nodes < 1):
        raise InputError(f"{nodes!r} nodes: must be a positive integer, or None for a cluster without bound")
    return nodes


def check_arrival(geometry: Geometry, running: Container[str], job: str, gpus: int, instances: int) -> None:
    """Check what an arrival asks for.

    Raises:
        InputError: the job has no name or is running already, or its demand is malformed.
    """
    if type(job) is not str or not job:
        raise InputError(f"job {job!r}: a name must be text and not empty")
    if job in running:
        raise InputError(f"job {job!r}: is running already")
    try:
        geometry.check_gpus(gpus)
    except InputError as error:
        raise InputError(f"job {job!r}: {error}") from None
    if type(instances) is not int or instances < 1:
        raise InputError(f"job {job!r}: {instances!r} instances: must be a positive integer")


def check_departure(running: Container[str], job: str) -> None:
    """Check that a job can depart.

    Raises:
        InputError: it is not running.
    """
    if type(job) is not str or job not in running:
        raise InputError(f"job {job!r}: is not running")
