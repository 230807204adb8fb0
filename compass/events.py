"""What a scheduler is told and what it answers: events and decisions.

An event is the arrival or the departure of a job. A decision lists the steps that carry it out; they are legal one
after another: no node is over capacity between two steps. On a departure all instances of the job leave first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple


class Arrive(NamedTuple):
    """Job ``job`` arrives with ``instances >= 1`` identical instances of ``gpus`` GPUs (1..G) each.

    Gang: all of them are admitted or none (section 2).

    >>> Arrive("a", 4)
    Arrive(job='a', gpus=4, instances=1)
    """

    job: str
    gpus: int
    instances: int = 1


class Depart(NamedTuple):
    """Job ``job``, which is running, leaves with all its instances (section 2).

    >>> Depart("a").job
    'a'
    """

    job: str


Event = Arrive | Depart
"""What happens to a cluster."""


class Placement(NamedTuple):
    """The new instance ``"job/k"`` is installed on node ``node`` (0..N-1).

    >>> from compass.unified import Unified
    >>> Unified(2).arrive("a", 4).placements
    (Placement(instance='a/0', node=0),)
    """

    instance: str
    node: int


class Move(NamedTuple):
    """The running instance ``"job/k"`` migrates from node ``source`` to another node ``target`` (0..N-1).

    >>> from compass.unified import Unified
    >>> scheduler = Unified(2)
    >>> _ = scheduler.arrive("a", 5), scheduler.arrive("b", 1, 5)  # 3 of b beside a
    >>> scheduler.depart("a").moves
    (Move(instance='b/3', source=1, target=0), Move(instance='b/4', source=1, target=0))
    """

    instance: str
    source: int
    target: int


Step = Placement | Move
"""What a scheduler does to one instance."""


class Decision(NamedTuple):
    """A scheduler's answer to one event.

    ``steps`` are placements and moves in the order in which they are carried out. ``admitted`` is False only for an
    arrival that does not fit now; then there are no steps and the state is unchanged.

    >>> Decision("arrive", "a", True, (Move("b/0", 1, 0), Placement("a/0", 1))).to_json()["moves"]
    [{'instance': 'b/0', 'from': 1, 'to': 0}]
    """

    event: Literal["arrive", "depart"]
    job: str
    admitted: bool
    steps: tuple[Step, ...] = ()

    @property
    def moves(self) -> tuple[Move, ...]:
        """The migrations, in order."""
        return tuple(step for step in self.steps if type(step) is Move)

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The new instances, in order."""
        return tuple(step for step in self.steps if type(step) is Placement)

    def to_json(self) -> dict[str, Any]:
        """The decision as the interchange format has it.

        ``moves`` come first, then ``placements``; where the true order differs, ``order`` lists the steps in it,
        each as ``["move", k]`` or ``["placement", k]`` with k an index into those lists. A departure has no
        ``admitted`` and no ``placements``.
        """
        moves = [{"instance": m.instance, "from": m.source, "to": m.target} for m in self.moves]
        if self.event == "depart":
            return {"event": "depart", "job": self.job, "moves": moves}
        placements = [{"instance": p.instance, "node": p.node} for p in self.placements]
        record: dict[str, Any] = {
            "event": "arrive",
            "job": self.job,
            "admitted": self.admitted,
            "moves": moves,
            "placements": placements,
        }
        kinds = ["move" if type(step) is Move else "placement" for step in self.steps]
        if kinds != sorted(kinds):
            index = {"move": 0, "placement": 0}
            order: list[tuple[str, int]] = []
            for kind in kinds:
                order.append((kind, index[kind]))
                index[kind] += 1
            record["order"] = [list(entry) for entry in order]
        return record


def without(steps: Iterable[Step], leaving: Iterable[str]) -> tuple[Step, ...]:
    """The steps of a departure without those of the instances that leave.

    A departing job has left before the first step, while the operators take its instances off one by one. So at every
    step a node really holds at most what they count on it: moves of the job's own instances can be dropped, and every
    other move that fits by their count fits.

    >>> without([Move("a/1", 0, 1), Move("b/0", 1, 0)], ["a/0", "a/1"])
    (Move(instance='b/0', source=1, target=0),)
    """
    gone = set(leaving)
    return tuple(step for step in steps if step.instance not in gone)


def instance_name(job: str, index: int) -> str:
    """Name of instance ``index`` of a job, ``"job/index"``."""
    return f"{job}/{index}"


def job_of(instance: str) -> str:
    """The job of an instance name, ``"x"`` of ``"x/k"``; a name without a slash is its own job.

    >>> job_of("team/7/0"), job_of("alone")
    ('team/7', 'alone')
    """
    return instance.rpartition("/")[0] or instance
