"""Geometry of a node: capacity and slot widths, and what follows from them.

Everything in this package is written over one value: a capacity ``G`` and a chain of widths
``w_1 | w_2 | ... | w_k = G`` in which each width divides the next. The slot width of a demand, the size
classes and the coefficients of the Workload Composition Condition are derived from it (sections 4.1-4.2).
"""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass, field
from functools import lru_cache

from compass.errors import InputError

CAPACITIES = (2, 4, 8, 16)
"""Node capacities this package supports."""


class SizeClass(enum.Enum):
    """The paper's classes of instance demand (section 4.1), for any geometry.

    ``FILLER`` is I (one GPU), ``FRIENDLY`` is FF (the demand is a slot width: no vacancy) and ``UNFRIENDLY`` is
    FUF (its slot keeps a vacancy that only fillers can use).

    >>> Geometry().size_class(3)
    <SizeClass.UNFRIENDLY: 'FUF'>
    """

    FILLER = "I"
    FRIENDLY = "FF"
    UNFRIENDLY = "FUF"


@dataclass(frozen=True)
class Geometry:
    """Capacity ``G`` of a node and its chain of slot widths.

    Args:
        capacity: GPUs of a node, one of 2, 4, 8, 16.
        widths: slot widths in increasing order, all at least 2, each dividing the next, the last one equal to
            ``capacity``. Default: every power of two from 2 to ``capacity``.

    Raises:
        InputError: the capacity is not supported or the widths are no such chain.

    Examples:
        >>> Geometry()
        Geometry(capacity=8, widths=(2, 4, 8))
        >>> [Geometry().slot_width(g) for g in range(1, 9)]
        [1, 2, 4, 4, 8, 8, 8, 8]
        >>> Geometry(8, (2, 3, 8))
        Traceback (most recent call last):
            ...
        compass.errors.InputError: widths (2, 3, 8): 2 does not divide 3
    """

    capacity: int = 8
    widths: tuple[int, ...] = ()
    _slot_width: tuple[int, ...] = field(init=False, repr=False, compare=False)
    wcc_coefficients: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """``w*(g) - g`` at index ``g`` (0 at index 0): the 1-GPU instances that an anchor of demand ``g`` can take in."""

    def __post_init__(self) -> None:
        capacity = self.capacity
        if type(capacity) is not int or capacity not in CAPACITIES:
            raise InputError(f"capacity {capacity!r}: must be one of {', '.join(map(str, CAPACITIES))}")
        widths = tuple(self.widths) or tuple(2**k for k in range(1, capacity.bit_length()))
        _check_chain(widths, capacity)
        slot_width = (0, 1, *(next(w for w in widths if w >= g) for g in range(2, capacity + 1)))
        coefficients = tuple(w - g for g, w in enumerate(slot_width))
        object.__setattr__(self, "widths", widths)
        object.__setattr__(self, "_slot_width", slot_width)
        object.__setattr__(self, "wcc_coefficients", coefficients)

    def slot_width(self, gpus: int) -> int:
        """``w*(g)``: the least width that holds demand ``g`` (eq. 3); 1 for a 1-GPU instance.

        Raises:
            InputError: ``gpus`` is not in ``1..capacity``.
        """
        return self._slot_width[self.check_gpus(gpus)]

    def vacancy(self, gpus: int) -> int:
        """``w*(g) - g``: the GPUs that an anchor of demand ``g`` leaves free in its slot; its WCC coefficient."""
        return self.wcc_coefficients[self.check_gpus(gpus)]

    def size_class(self, gpus: int) -> SizeClass:
        """The class I, FF or FUF of a demand.

        >>> [Geometry().size_class(g).value for g in (1, 2, 3, 8)]
        ['I', 'FF', 'FUF', 'FF']
        """
        if self.check_gpus(gpus) == 1:
            return SizeClass.FILLER
        return SizeClass.FRIENDLY if gpus in self.widths else SizeClass.UNFRIENDLY

    def check_gpus(self, gpus: int) -> int:
        """Return ``gpus`` when it is a demand one node can serve, an integer in ``1..capacity``.

        Raises:
            InputError: it is not.
        """
        if type(gpus) is not int or not 1 <= gpus <= self.capacity:
            raise InputError(f"{gpus!r} GPUs an instance: must be an integer from 1 to {self.capacity}")
        return gpus

    @property
    def sizes(self) -> range:
        """Every demand an instance can have: ``1..G``."""
        return range(1, self.capacity + 1)


def _check_chain(widths: tuple[int, ...], capacity: int) -> None:
    if any(type(w) is not int for w in widths):
        raise InputError(f"widths {widths}: every width must be an integer")
    if widths[0] < 2:
        raise InputError(f"widths {widths}: the least slot width is 2")
    for smaller, larger in itertools.pairwise(widths):
        if smaller >= larger:
            raise InputError(f"widths {widths}: {smaller} is not less than {larger}")
        if larger % smaller:
            raise InputError(f"widths {widths}: {smaller} does not divide {larger}")
    if widths[-1] != capacity:
        raise InputError(f"widths {widths}: the last one must be the capacity {capacity}")


@lru_cache
def geometry_of(capacity: int) -> Geometry:
    """The default geometry of a capacity, made once.

    Raises:
        InputError: the capacity is not supported.
    """
    return Geometry(capacity)
