"""Mistakes that ports make, each put into the reference for a moment: vectors have to tell every one of them.

A slip changes a choice and nothing else: what comes out is still legal, so only a comparison of decisions shows it.
"""

import contextlib
from unittest.mock import patch

from compass import choice, plans, printed, settled
from compass.board import Board, _missing
from compass.choice import Chooser
from compass.conformance.judge import ExactJudge
from compass.errors import CompassError
from compass.printed import Printed
from compass.repaired import Repaired
from compass.settled import SettledScheduler


def last_instance(self, node, gpus):
    return [one for one in self.used[node].instances if one.gpus == gpus][-1]


def highest_node(self, shape, beside=-1):
    found = [node.index for node in self.used if node.shape is shape and node.index != beside]
    if shape is self.empty and not found and self.has_empty:
        return len(self.used)
    return found[-1] if found else _missing(shape)


def installed_in_front(self, instance, node):
    INSTALL(self, instance, node)
    mates = self.used[node].instances
    mates.insert(0, mates.pop())


def merge_first(self):
    limits = [(kind, limit) for kind, limit in enumerate(self.discipline.limits) if limit is not None]
    while any(self.board.kinds[kind] > limit for kind, limit in limits):
        self._merge()
    SETTLE(self)


def last_of_equals(choices, key):
    best = None
    for one in choices:
        if best is None or key(one) <= key(best):
            best = one
    return best


def most_vacant(self):
    return next(shape for shape in reversed(self._vacant) if self._board.live[shape.index])


def first_donor_by_index(self):
    return min((s for s in self._donors if self._board.live[s.index]), key=lambda s: s.index)


def roomiest_filler_host(self):
    if self._board.vacancy:
        return self.least_vacant()
    kinds = self._kinds
    hosts = [h for h in self._active() if h.plus[1] and kinds[h.plus[1].index] in (0, kinds[h.index])]
    return max(hosts, key=lambda h: h.room, default=self._board.empty)


def filler_host_without_vacancy(self):
    board = self._board
    hosts = [h for h in self._active() if h.plus[1] and self._kinds[h.plus[1].index] in (0, self._kinds[h.index])]
    if hosts or not board.vacancy:
        return min(hosts, key=lambda h: (h.room, h.index), default=board.empty)
    return self.least_vacant()


def single_host_first(self, gpus):
    best = choice._least(self._within_limits(self._single_hosts(gpus)), choice._best_fit)
    return best or ANCHOR_HOST(self, gpus)


def no_refills_counted(self, before, plan):
    return choice.Choice(plan.moves, before, plan)


def empty_first(self):
    active = self._active()
    return [self._board.empty, *active] if self._board.has_empty else active


def no_limits(self, choices):
    yield from choices


def order_of_the_past(self):
    return list(self._board.active)


def covered_donors_by_index(self):
    return sorted(COVERED(self), key=lambda shape: shape.index)


def more_room_left(one):
    left = [shape for shape in one.plan.result if shape.open]
    return one.cost, len(left), -sum(shape.room for shape in left)


def more_left(one):
    left = [shape for shape in one.plan.result if shape.open]
    return one.cost, len(left), -sum(shape.width for shape in left)


def all_leave_first(self, job):
    settled.check_departure(self._jobs, job)
    leaving = self._jobs.pop(job)
    self._steps = []
    for instance in leaving:
        self.board.evict(instance)
        self.running.add(instance.gpus, -1)
    self._settle()
    return settled.Decision("depart", job, True, tuple(self._steps))


def any_done(state):
    return 0, 0


def no_anchors_counted(state):
    return sum(shape.open for shape in state[:2]), 0


def without_departures(self, running, least, spare, width, slack):
    return slack > 0 and -width % self.geometry.capacity > spare


def other_side_first(self, first, second, arriving, goal):
    plan = SEARCH(self, second, first, arriving, lambda one, two: goal(two, one))
    if plan is None:
        return None
    steps = tuple(step._replace(source=1 - step.source) for step in plan.steps)
    return plan._replace(steps=steps, result=plan.result[::-1])


def smallest_moved_first(values, reverse=False):
    return sorted(values)


def all_steps(steps, leaving):
    return tuple(steps)


def narrow_slots_first(self):
    self._drain_pool()
    for width in self.geometry.widths[:-1]:
        self._drain_slots(width)


def no_compact(self):
    pass


def sorted_again(self, nodes, items, room, move):
    """Makes the list of nodes anew after every source."""
    sign = -1 if self._highest else 1
    while True:
        nodes.sort(key=lambda node: (-room(node), sign * node.index))
        moved = False
        for item in list(items(nodes[0])) if len(nodes) > 1 else []:
            hosts = [node for node in reversed(nodes[1:]) if room(node) >= 1]
            if hosts:
                move(item, min(hosts, key=room))
                moved = True
        if nodes and not items(nodes[0]):
            del nodes[0]
        if not moved:
            return


def roomiest_slotted(self, width):
    return next((self._pick(nodes) for nodes in reversed(self._state.slotted[width:]) if nodes), None)


INSTALL, SETTLE, ANCHOR_HOST = Board.install, SettledScheduler._settle, Chooser.anchor_host
COVERED, SEARCH = Chooser._covered_donors, plans.PlanTable._search

BOTH = {
    "the last instance of a size moves": patch.object(Board, "instance_on", last_instance),
    "the highest node of a shape": patch.object(Board, "node_of", highest_node),
    "what comes to a node comes first": patch.object(Board, "install", installed_in_front),
    "merge before refill": patch.object(SettledScheduler, "_settle", merge_first),
    "the last of equal choices": patch.object(choice, "_least", last_of_equals),
    "the most vacancy first": patch.object(Chooser, "least_vacant", most_vacant),
    "a filler on an open node before a vacancy": patch.object(Chooser, "filler_host", filler_host_without_vacancy),
    "one node where two cost less": patch.object(Chooser, "anchor_host", single_host_first),
    "refills cost nothing": patch.object(Chooser, "_choice", no_refills_counted),
    "limits not asked for": patch.object(Chooser, "_within_limits", no_limits),
    "shapes in the order of the past": patch.object(Chooser, "_active", order_of_the_past),
    "most left after a merge": patch.object(choice, "_least_left", more_left),
    "all instances leave at once": patch.object(SettledScheduler, "depart", all_leave_first),
    "own moves reported": patch.object(settled, "without", all_steps),
    "plans from the other side": patch.object(plans.PlanTable, "_search", other_side_first),
    "small instances moved first": patch.object(plans, "sorted", smallest_moved_first, create=True),
}
UNIFIED = {
    "donors by index": patch.object(Chooser, "donor", first_donor_by_index),
    "a filler beside the most room": patch.object(Chooser, "filler_host", roomiest_filler_host),
    "most room left": patch.object(choice, "_best_fit", more_room_left),
    "the first plan that ends": patch.object(plans.PlanTable, "_anchors_left_open", staticmethod(any_done)),
    "anchors left open do not count": patch.object(
        plans.PlanTable, "_anchors_left_open", staticmethod(no_anchors_counted)
    ),
}
"""Slips that make no difference to `repaired`, where one slotted and one pool node are open at most."""

SLIPS = {
    "unified": {**BOTH, **UNIFIED},
    "repaired": {
        **BOTH,
        "the empty node first": patch.object(Chooser, "_hosts", empty_first),
        "admission without departures": patch.object(Repaired, "_overflows", without_departures),
    },
    "printed": {
        "narrow slots first": patch.object(Printed, "_compact", narrow_slots_first),
        "no Compact": patch.object(Printed, "_compact", no_compact),
        "sorted again": patch.object(Printed, "_best_fit_drain", sorted_again),
        "own moves reported": patch.object(printed, "without", all_steps),
        "the most unprofiled": patch.object(Printed, "_least_unprofiled", roomiest_slotted),
    },
}


def told_by(slip, vector):
    """Whether the vector tells this slip: with it the reference decides otherwise, or fails."""
    with slip:
        judge = ExactJudge(vector.settings)
        decisions = vector.record["decisions"]
        for k, line in enumerate(vector.lines):
            expected = decisions[k] if k < len(decisions) else None
            found = None
            with contextlib.suppress(CompassError):
                if judge.ending(line) is None:
                    found = judge.decision.to_json()
            if found != expected:
                return True
    return False
