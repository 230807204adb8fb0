"""The package's exceptions: one class for each kind of "no".

``InputError`` is the caller's fault, ``NeverFits`` and ``DoesNotFitNow`` are answers about capacity,
``NoLegalDestination`` is a finding about the printed algorithm, and ``InvariantViolated`` is a bug in this package
(or a faulty scheduler under test). A call that raises one of the others leaves the state as it
was.
"""

from __future__ import annotations


class CompassError(Exception):
    """Base of every exception this package raises on purpose.

    >>> issubclass(NeverFits, CompassError)
    True
    """


class InputError(CompassError, ValueError):
    """Bad input: the message names who (or which file), where (line, node, job) and what is wrong.

    >>> from compass.geometry import Geometry
    >>> Geometry(7)
    Traceback (most recent call last):
        ...
    compass.errors.InputError: capacity 7: must be one of 2, 4, 8, 16
    """


class NeverFits(CompassError):
    """The job could not run on this cluster even if it were empty.

    >>> from compass.unified import Unified
    >>> Unified(2).arrive("a", 8, instances=3)
    Traceback (most recent call last):
        ...
    compass.errors.NeverFits: job 'a': 3 x 8 GPUs never fit 2 nodes
    """


class DoesNotFitNow(CompassError):
    """The placement does not fit the free capacity at this moment; it may fit later.

    >>> from compass.phi import min_partial_nodes
    >>> min_partial_nodes({5: 3}, nodes=2)
    Traceback (most recent call last):
        ...
    compass.errors.DoesNotFitNow: the instances need 3 nodes of capacity 8, there are 2
    """


class NoLegalDestination(CompassError):
    """The printed algorithm needs a destination and no node is legal: a finding, not a crash.

    >>> from compass.printed import Printed
    >>> scheduler = Printed(1)
    >>> _ = scheduler.arrive("a", 3, 2), scheduler.arrive("b", 1, 2)
    >>> scheduler.depart("a")  # both slots go, and with them the place of b
    Traceback (most recent call last):
        ...
    compass.errors.NoLegalDestination: node n0, slot 0 (width 4, anchor a/0): filler b/0 has no legal destination ...
    """


class InvariantViolated(CompassError):
    """A checked property does not hold; the message names the property, the node and the state.

    >>> from compass.phi import best_packing
    >>> best_packing({5: 1}).check({5: 2})
    Traceback (most recent call last):
        ...
    compass.errors.InvariantViolated: packing: it holds {5: 1}, not {5: 2}
    """
