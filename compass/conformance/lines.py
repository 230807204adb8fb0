"""Lines that are sent to a port: events, or texts that are none."""

from __future__ import annotations

import io
import json
from typing import Any, NamedTuple

from compass.errors import InputError
from compass.event_io import format_event, read_events
from compass.events import Event
from compass.text_input import quoted


class EventLine(NamedTuple):
    """The text of a line and the event it stands for; None where it is a bad one.

    >>> EventLine.of('{"event":"depart","job":"a"}', 8).event, EventLine.of("{}", 8).event
    (Depart(job='a'), None)
    """

    text: str
    event: Event | None

    @classmethod
    def of(cls, text: str, capacity: int) -> EventLine:
        """The line with this text, for nodes of so many GPUs.

        Raises:
            InputError: it cannot be sent as one line.
        """
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(f"{quoted(text)} cannot be written in UTF-8") from error
        if "\n" in text:
            raise InputError(f"{quoted(text)} is more than one line")
        try:
            ((_, event),) = read_events(io.BytesIO(data), capacity)
        except InputError:
            return cls(text, None)
        return cls(text, event)

    @classmethod
    def to(cls, event: Event) -> EventLine:
        """The line that tells an event."""
        return cls(format_event(event), event)

    def to_json(self) -> Any:  # noqa: ANN401 - whatever JSON the text is
        """The line as a vector has it: the JSON object it is, or its text where it is none or written otherwise."""
        try:
            value = json.loads(self.text)
        except ValueError:
            return self.text
        return value if isinstance(value, dict) and compact(value) == self.text else self.text

    @classmethod
    def from_json(cls, value: object, capacity: int) -> EventLine:
        """The line of an entry of a vector."""
        return cls.of(value if isinstance(value, str) else compact(value), capacity)


def compact(value: object) -> str:
    """JSON without blanks, as it is sent and stored."""
    return json.dumps(value, separators=(",", ":"))
