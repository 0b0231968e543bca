"""Reading server-sent events: bytes as they arrive become events, line by line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assent.errors import ServerUnreachable

# Events hold ids and states only; more than this is no event of ours.
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """One event of a stream."""

    kind: str
    data: dict[str, Any]


@dataclass(slots=True, kw_only=True)
class EventReader:
    """Takes bytes and returns whole events; remembers the place from which to go on."""

    # The id of the last event, for `Last-Event-ID`.
    place: str = ""
    _held: bytes = b""
    _fields: dict[str, str] = field(default_factory=dict[str, str])

    def begin(self) -> None:
        """Forget what a broken connection left behind, but not the place."""
        self._held, self._fields = b"", {}

    def take(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Return the events that are complete with these bytes."""
        # Split at LF only: a name may contain what Python calls a line break.
        *lines, self._held = (self._held + chunk).split(b"\n")
        if len(self._held) > MAX_BYTES:
            raise ServerUnreachable("its stream of events is not one of ours")
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text:
                name, _, value = text.partition(":")
                self._fields[name] = value.removeprefix(" ")
            elif (event := self._whole()) is not None:
                yield event

    def _whole(self) -> StreamEvent | None:
        fields, self._fields = self._fields, {}
        self.place = fields.get("id", self.place)
        try:
            data = json.loads(fields.get("data", ""))
        except ValueError:
            return None
        return StreamEvent(kind=fields.get("event", ""), data=data) if _is_object(data) else None


def _is_object(data: object) -> bool:
    return isinstance(data, dict)
