"""The judge that lets a port choose: every step legal, gang, admission, and the variant's space after each event.

It knows the capacity, the slot widths and the conditions of the variants as they are stated, and nothing of the code
that keeps them: loads and slot widths of the nodes are added up from the port's own steps.
"""

from __future__ import annotations

from compass.conformance.judge import BAD_EVENT, Divergence, Ends, Jobs, parsed
from compass.conformance.lines import EventLine
from compass.conformance.settings import Settings, rules_of
from compass.errors import InputError, InvariantViolated
from compass.events import Arrive, Decision, Depart, Move, Step, instance_name, job_of
from compass.follow import Follower
from compass.geometry import Geometry
from compass.scheduler import check_arrival, check_departure


class Books:
    """Loads and slot widths of the nodes, and what the space says about them, from steps alone.

    Attributes:
        totals: over all nodes, of what ``_figures`` says of each.
    """

    NAMES = ("partial", "open slotted", "open pool", "over-wide", "stray", "vacancy", "free")

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.totals = dict.fromkeys(self.NAMES, 0)
        self.nodes: dict[int, tuple[int, int]] = {}  # load and slot width

    def _figures(self, load: int, slots: int) -> tuple[int, ...]:
        capacity = self.geometry.capacity
        vacancy, free, width = max(0, slots - load), max(0, load - slots), max(slots, load)
        is_open = 0 < width < capacity
        stray = slots > 0 and free > 0
        kinds = is_open and slots > 0, is_open and not slots
        return (0 < load < capacity, *kinds, width > capacity, stray, vacancy, free)

    def change(self, node: int, gpus: int, sign: int) -> None:
        """An instance comes to a node (``sign`` 1) or leaves it (-1)."""
        load, slots = self.nodes.get(node, (0, 0))
        width = self.geometry.slot_width(gpus) if gpus > 1 else 0
        after = load + sign * gpus, slots + sign * width
        self.nodes[node] = after
        for name, old, new in zip(self.NAMES, self._figures(load, slots), self._figures(*after), strict=True):
            self.totals[name] += new - old

    def step(self, step: Step, gpus: int) -> None:
        """Carry out a legal step of an instance of so many GPUs."""
        if isinstance(step, Move):
            self.change(step.source, gpus, -1)
            self.change(step.target, gpus, 1)
        else:
            self.change(step.node, gpus, 1)

    def slots_within(self, nodes: int, width: int) -> int:
        """How many slots of this width fit beside the slots of slotted nodes and on empty nodes; O(N)."""
        capacity = self.geometry.capacity
        busy = [slots for load, slots in self.nodes.values() if load]
        return sum((capacity - slots) // width for slots in busy if slots) + (nodes - len(busy)) * (capacity // width)

    @property
    def slotted(self) -> int:
        """The number of slotted nodes; O(N)."""
        return sum(slots > 0 for _, slots in self.nodes.values())


class PropertyJudge:
    """Accepts every decision that keeps what the variant promises, whatever it chooses."""

    def __init__(self, settings: Settings) -> None:
        self.jobs = Jobs(settings)
        self.books = Books(settings.geometry)
        self.follower = Follower(settings.geometry.capacity, settings.nodes)
        self.settings = settings

    def ending(self, line: EventLine) -> Ends | None:
        """What is bad, or never fits, does not depend on choices."""
        event = line.event
        if event is None:
            return Ends(BAD_EVENT, "the event is malformed")
        try:
            if isinstance(event, Arrive):
                check_arrival(self.settings.geometry, self.jobs.demands, *event)
            else:
                check_departure(self.jobs.demands, event.job)
        except InputError as error:
            return Ends(BAD_EVENT, str(error))
        if isinstance(event, Arrive) and not self.settings.ever_fits(event.gpus, event.instances):
            return Ends(BAD_EVENT, f"job {event.job!r} never fits")
        return None

    def may_get_stuck(self, line: EventLine) -> bool:
        """`printed` only: fillers of departing anchors may be left without a place, or ``room=cap`` is read.

        With ``room=cap`` a slot can be moved to a node that lacks the room for it: for that there are two nodes.

        The pseudocode says it by trying, for one choice at every point; a port makes others, and which slot a 1-GPU
        instance fills is not in its steps. So it is said here a second time, by counting. With ``room=floor`` and the
        default ``rehome`` and ``migrations`` it depends on no choice, and the count is exact; under other readings
        nothing is stuck that may not be (a test compares both with :class:`compass.Printed` in every state of two
        nodes).
        """
        readings, event = self.settings.readings, line.event
        if readings is None:
            return False
        coming = event.instances if isinstance(event, Arrive) and event.gpus > 1 else 0
        if readings.room == "cap" and min(self.settings.nodes, sum(self.jobs.running.counts[2:]) + coming) > 1:
            return True
        if not isinstance(event, Depart):
            return False
        gpus, instances = self.jobs.demands[event.job]
        vacancy = self.settings.geometry.vacancy(gpus)
        if readings.rehome == "before" or readings.migrations == "simultaneous":
            return gpus > 1 and vacancy > 0
        return gpus > 1 and any(not self._ones_fit(event.job, gpus, k) for k in range(1, instances + 1))

    def _ones_fit(self, job: str, gpus: int, gone: int) -> bool:
        """Whether all 1-GPU instances have a place in Sigma when the first ``gone`` anchors of a job have left."""
        geometry, running = self.settings.geometry, self.jobs.running
        left: dict[int, int] = {}
        for k in range(gone):
            node = self.follower.node_of(instance_name(job, k))
            left[node] = left.get(node, 0) + geometry.slot_width(gpus)
        slotted = self.books.slotted - sum(self.books.nodes[node][1] == width for node, width in left.items())
        vacancy = running.vacancy - gone * geometry.vacancy(gpus)
        return running.counts[1] <= vacancy + geometry.capacity * (self.settings.nodes - slotted)

    def check(self, line: EventLine, answer: str) -> Decision:
        """Carry the decision out and look at what it leads to."""
        decision = parsed(line, answer)
        event = line.event
        try:
            if isinstance(event, Arrive):
                self._check_admission(event, decision.admitted)
                self.follower.arrived(decision, event.gpus, event.instances)
                self.jobs.note(event, decision.admitted)
            else:
                assert event, "a bad event has no answer"
                gpus, instances = self.jobs.demands[event.job]
                for k in range(instances):
                    self.books.change(self.follower.node_of(instance_name(event.job, k)), gpus, -1)
                self.follower.departed(decision, gpus, instances)
                self.jobs.note(event, True)
        except InvariantViolated as error:
            raise Divergence(f"not legal: {error}", "not legal") from error
        for step in decision.steps:
            self.books.step(step, self.jobs.demands[job_of(step.instance)][0])
        self._check_space()
        return decision

    def _check_admission(self, event: Arrive, admitted: bool) -> None:
        _, gpus, instances = event
        settings, running = self.settings, self.jobs.running
        if settings.variant != "printed":
            running.add(gpus, instances)
            wanted = rules_of(settings).admits(running)
            running.add(gpus, -instances)
            if admitted != wanted:
                raise Divergence(f"the job is {_word(admitted)} and must be {_word(wanted)}")
        elif not admitted:
            width = settings.geometry.slot_width(gpus)
            fitting = self.books.slots_within(settings.nodes, width)
            if gpus == 1:
                room = running.vacancy + settings.geometry.capacity * (settings.nodes - self.books.slotted)
                fitting = room - running.counts[1]
            if instances <= fitting:
                what = "the job is refused although there is room"
                raise Divergence(f"{what} for {fitting} such instances", what)

    def _check_space(self) -> None:
        totals, running = self.books.totals, self.jobs.running
        limits = {"over-wide": 0}
        if self.settings.variant == "unified":
            most = self.settings.open_nodes
            assert most, "always set for this variant"
            found = totals["open slotted"] + totals["open pool"]
            if found > most:
                raise Divergence(f"{found} nodes are open, at most {most} may be", "open")
            limits["partial"] = most + running.deficit
            if most == 1 and running.wcc:
                limits["partial"] = int(running.total % self.settings.geometry.capacity != 0)
        else:
            limits |= {"stray": 0, "open pool": 1}
        if self.settings.variant == "repaired":
            limits |= {"open slotted": 1, "partial": 1 + max(1, running.deficit)}
        for name, most in limits.items():
            if totals[name] > most:
                raise Divergence(f"{totals[name]} nodes are {name}, at most {most} may be", name)
        if self.settings.variant != "printed" and totals["vacancy"] and totals["free"]:
            what = f"{totals['vacancy']} GPUs of vacancy beside {totals['free']} free 1-GPU instances"
            raise Divergence(what, "no exclusion")


def _word(admitted: bool) -> str:
    return "admitted" if admitted else "refused"
