"""How a port can fail: what all failures share."""

from __future__ import annotations


class Failure(Exception):
    """The port does not conform.

    Args:
        message: in one line, what it did.
        kind: what it did wrong without the names and numbers of this time, the message where it has none: two lists of
            events on which a port fails in one kind can be taken to show the same fault.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind or message
