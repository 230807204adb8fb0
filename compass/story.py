"""A decision told step by step: the placement after each of its steps, and pictures of them.

Every frame is a snapshot of its own, so a step that puts more on a node than it has GPUs, or moves what is not there,
raises ``InputError`` instead of being drawn. Instances of a job are alike, so a frame does not number them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from compass.errors import InputError
from compass.events import Arrive, Event, Move, Step, job_of
from compass.geometry import Geometry
from compass.picture import Mark, draw_svg
from compass.scheduler import Scheduler, apply_event
from compass.snapshot import PlacedInstance, Snapshot


class Frame(NamedTuple):
    """The placement after a step: what happened, the nodes, and what changed place."""

    caption: str
    snapshot: Snapshot
    mark: Mark | None = None


def story(before: Snapshot, event: Event | None, steps: Iterable[Step]) -> list[Frame]:
    """The placement before an event, then after the departure of its job, if it is one, and after every step.

    Args:
        before: the placement before the event.
        event: what the steps answer; None for moves alone, as those that ``Unified.load`` returns.
        steps: those of the decision.

    Raises:
        InputError: a step is not possible.

    Examples:
        >>> from compass.unified import Unified
        >>> before = Snapshot.of([[4, 2], [4], [1] * 6])
        >>> for frame in story(before, None, Unified(3).load(before)):
        ...     print(frame.caption, [node.load for node in frame.snapshot.nodes])
        before [6, 4, 6]
        j0/0: n0 to n1 [2, 8, 6]
        j1/0: n0 to n2 [0, 8, 8]

    Cost: linear in the size of the snapshot for every step.
    """
    frames = [Frame("before", before)]
    if event is not None and not isinstance(event, Arrive):
        frames.append(Frame(f"{event.job} leaves", _without_job(before, event.job)))
    for step in steps:
        snapshot, job = frames[-1].snapshot, job_of(step.instance)
        if isinstance(step, Move):
            names = [_name(snapshot, step.source), _name(snapshot, step.target)]
            gone, instance = _taken(snapshot, step.source, job)
            after = _put(gone, step.target, instance)
            frames.append(Frame(f"{step.instance}: {' to '.join(names)}", after, Mark(job, step.target, step.source)))
        elif isinstance(event, Arrive):
            caption = f"{step.instance} on {_name(snapshot, step.node)}"
            frames.append(
                Frame(caption, _put(snapshot, step.node, PlacedInstance(job, event.gpus)), Mark(job, step.node))
            )
        else:
            raise InputError(f"{step}: only an arrival places instances")
    return frames


def watch(scheduler: Scheduler, event: Event) -> list[Frame]:
    """Pass an event to a scheduler and tell what it does.

    Raises:
        InputError: a step is not possible, or as the scheduler says.
        NeverFits: as the scheduler says.
        NoLegalDestination: as the scheduler says.

    Examples:
        >>> from compass.repaired import Repaired
        >>> [frame.caption for frame in watch(Repaired(2), Arrive("a", 4, 2))]
        ['before', 'a/0 on n0', 'a/1 on n0']
    """
    before = scheduler.snapshot()
    return story(before, event, apply_event(scheduler, event).steps)


def story_pictures(frames: Iterable[Frame], geometry: Geometry | None = None) -> list[str]:
    """The SVG picture of each frame, numbered in order from 0, jobs named, and slots outlined with a geometry."""
    return [
        draw_svg(frame.snapshot, geometry=geometry, jobs=True, caption=f"{k}. {frame.caption}", mark=frame.mark)
        for k, frame in enumerate(frames)
    ]


def _name(snapshot: Snapshot, node: int) -> str:
    if not 0 <= node < len(snapshot.nodes):
        raise InputError(f"there is no node {node} among {len(snapshot.nodes)}")
    return snapshot.nodes[node].name


def _without_job(snapshot: Snapshot, job: str) -> Snapshot:
    nodes = [replace(node, instances=tuple(i for i in node.instances if i.job != job)) for node in snapshot.nodes]
    if tuple(nodes) == snapshot.nodes:
        raise InputError(f"job {job!r}: is not running")
    return Snapshot(tuple(nodes))


def _taken(snapshot: Snapshot, index: int, job: str) -> tuple[Snapshot, PlacedInstance]:
    """The snapshot without one instance of ``job`` on a node, and that instance."""
    node = snapshot.nodes[index]
    for k, instance in enumerate(node.instances):
        if instance.job == job:
            return _with(snapshot, index, (*node.instances[:k], *node.instances[k + 1 :])), instance
    raise InputError(f"node {node.name!r}: no instance of job {job!r} is there to move")


def _put(snapshot: Snapshot, index: int, instance: PlacedInstance) -> Snapshot:
    return _with(snapshot, index, (*snapshot.nodes[index].instances, instance))


def _with(snapshot: Snapshot, index: int, instances: tuple[PlacedInstance, ...]) -> Snapshot:
    nodes = list(snapshot.nodes)
    nodes[index] = replace(nodes[index], instances=instances)
    return Snapshot(tuple(nodes))
