"""The package's exceptions: one class for each kind of "no".

``InputError`` is the caller's fault, ``NeverFits`` and ``DoesNotFitNow`` are answers about capacity,
``NoLegalDestination`` is a finding about the printed algorithm, and ``InvariantViolated`` is a bug in this package
(or a faulty scheduler under test). A call that raises one of the others leaves the state as it
was.
"""

from __future__ import annotations


class CompassError(Exception):
    """Base of every exception this package raises on purpose."""


class InputError(CompassError, ValueError):
    """Bad input: the message names who (or which file), where (line, node, job) and what is wrong."""


class NeverFits(CompassError):
    """The job could not run on this cluster even if it were empty."""


class DoesNotFitNow(CompassError):
    """The placement does not fit the free capacity at this moment; it may fit later."""


class NoLegalDestination(CompassError):
    """The printed algorithm needs a destination and no node is legal: a finding, not a crash."""


class InvariantViolated(CompassError):
    """A checked property does not hold; the message names the property, the node and the state."""
