"""The nodes of the Anchor-Based Space (section 4.2) as values that cannot leave it: empty, pool, slotted.

``space`` has the conditions, by number, and the cluster states made of these nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from compass.errors import InputError, InvariantViolated
from compass.geometry import Geometry


class Anchor(NamedTuple):
    """The multi-GPU instance that holds a slot."""

    name: str
    gpus: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A block of ``width`` GPUs held by one anchor, with the 1-GPU instances that fill its vacancy.

    Guarantees ``2 <= g_anchor`` and ``g_anchor + len(fillers) <= width`` (eq. 4). That the width is ``w*(g_anchor)``
    (eq. 3) depends on the geometry and is guaranteed by ``SlottedNode``.

    Raises:
        InputError: a width or size is no integer, a name no text.
        InvariantViolated: the anchor has one GPU, or eq. 4 is broken.

    Examples:
        >>> Slot(8, Anchor("a/0", 6), ("b/0",)).vacancy
        1
        >>> Slot(4, Anchor("a/0", 3), ("b/0", "b/1"))
        Traceback (most recent call last):
            ...
        compass.errors.InvariantViolated: slot of width 4, anchor 'a/0': 3 + 2 fillers exceed the width (eq. 4)
    """

    width: int
    anchor: Anchor
    fillers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        name, gpus = self.anchor
        for label, value in (("width", self.width), ("anchor size", gpus)):
            if type(value) is not int:
                raise InputError(f"slot of anchor {name!r}: {label} {value!r}: must be an integer")
        _check_names((name, *self.fillers))
        where = f"slot of width {self.width}, anchor {name!r}"
        if gpus < 2:
            raise InvariantViolated(f"{where}: an anchor has at least 2 GPUs, not {gpus} (eq. 4)")
        if gpus + len(self.fillers) > self.width:
            raise InvariantViolated(f"{where}: {gpus} + {len(self.fillers)} fillers exceed the width (eq. 4)")

    @property
    def load(self) -> int:
        """Busy GPUs."""
        return self.anchor.gpus + len(self.fillers)

    @property
    def vacancy(self) -> int:
        """GPUs that fillers may still take: ``width - g_anchor - #fillers``."""
        return self.width - self.load

    @property
    def saturated(self) -> bool:
        """Equality holds in eq. 4."""
        return self.vacancy == 0


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A node on which nothing runs."""

    geometry: Geometry

    load = 0
    vacancy = 0
    saturated = True
    open = False
    names: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class PoolNode:
    """A node with ``1..G`` 1-GPU instances and nothing else.

    Raises:
        InputError: a name is no text.
        InvariantViolated: there is no instance, or there are more than ``G`` (eq. 7).
    """

    geometry: Geometry
    instances: tuple[str, ...]

    vacancy = 0
    saturated = True

    def __post_init__(self) -> None:
        _check_names(self.instances)
        if not 1 <= len(self.instances) <= self.geometry.capacity:
            raise InvariantViolated(
                f"pool node: {len(self.instances)} instances: must be 1 to {self.geometry.capacity} (eq. 7)"
            )

    @property
    def load(self) -> int:
        """Busy GPUs, one for each instance."""
        return len(self.instances)

    @property
    def open(self) -> bool:
        """Another 1-GPU instance has room."""
        return self.load < self.geometry.capacity

    @property
    def names(self) -> tuple[str, ...]:
        """Every instance on the node."""
        return self.instances


@dataclass(frozen=True, slots=True)
class SlottedNode:
    """A node with at least one slot.

    Guarantees eq. 3 for every slot and ``sum of widths <= G`` (eq. 5).

    Raises:
        InvariantViolated: a condition is broken; the message names the slot by position.

    Examples:
        >>> node = SlottedNode(Geometry(), (Slot(4, Anchor("a/0", 3)), Slot(2, Anchor("b/0", 2))))
        >>> node.unprofiled, node.load, node.vacancy, node.open
        (2, 5, 1, True)
    """

    geometry: Geometry
    slots: tuple[Slot, ...]

    def __post_init__(self) -> None:
        if not self.slots:
            raise InvariantViolated("slotted node: it has no slot (eq. 7)")
        capacity = self.geometry.capacity
        for position, slot in enumerate(self.slots):
            name, gpus = slot.anchor
            if gpus > capacity or slot.width != self.geometry.slot_width(gpus):
                raise InvariantViolated(
                    f"slot {position} of width {slot.width}, anchor {name!r}: {gpus} GPUs want another width (eq. 3)"
                )
        widths = [slot.width for slot in self.slots]
        if sum(widths) > capacity:
            raise InvariantViolated(f"slot widths {widths} exceed the capacity {capacity} (eq. 5)")

    @property
    def unprofiled(self) -> int:
        """``D(n) = G - sum of widths``: GPUs outside of every slot."""
        return self.geometry.capacity - sum(slot.width for slot in self.slots)

    @property
    def load(self) -> int:
        """Busy GPUs."""
        return sum(slot.load for slot in self.slots)

    @property
    def vacancy(self) -> int:
        """GPUs in slots that fillers may still take."""
        return sum(slot.vacancy for slot in self.slots)

    @property
    def saturated(self) -> bool:
        """Every slot is saturated."""
        return self.vacancy == 0

    @property
    def open(self) -> bool:
        """Slots do not cover the node: ``D(n) > 0``."""
        return self.unprofiled > 0

    @property
    def names(self) -> tuple[str, ...]:
        """Every instance on the node, slot by slot, the anchor first."""
        return tuple(name for slot in self.slots for name in (slot.anchor.name, *slot.fillers))


AbsNode = EmptyNode | PoolNode | SlottedNode
"""A node of one of the three types."""


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if type(name) is not str or not name:
            raise InputError(f"instance name {name!r}: must be text and not empty")
