"""Messages that a reconnecting AG-UI client shows already and is about to get again.

Its reducer appends: text sent twice under one id would be shown twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assent.domain.events import Event, EventKind

Posted = dict[str, Any]


def message_id(turn_id: str, step: int) -> str:
    """Return the id of the assistant's message in one step; it is the same in every replay."""
    return f"{turn_id}.{step}"


def reasoning_id(message_id: str) -> str:
    """Return the id of the message with the model's reasoning before this message."""
    return f"{message_id}.reasoning"


def result_id(call_id: str) -> str:
    """Return the id of the message with a call's result."""
    return f"{call_id}.result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The client's messages without those that will be sent again; None if none of them will be.

    They are only sent back for the client's display: nothing of them is believed or stored.
    """

    rest: tuple[Posted, ...] | None = None
    # A snapshot does not remove reasoning from the client, so it is not sent again.
    thoughts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, turn_id: str, events: Sequence[Event], posted: Sequence[Posted]) -> "Held":
        """Compare the messages that a stream of these events sends with those a client posted."""
        coming = frozenset(_ids(turn_id, events))
        rest = tuple(message for message in posted if _stem(message) not in coming)
        thoughts = {str(m.get("id")) for m in posted if m.get("role") == "reasoning"}
        is_same = len(rest) == len(posted)
        return cls(rest=None if is_same else rest, thoughts=frozenset(thoughts))


def _ids(turn_id: str, events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        if event.kind is EventKind.STEP:
            yield message_id(turn_id, int(str(event.data["step"])))
        elif event.kind is EventKind.RESULT:
            yield result_id(str(event.data["call_id"]))


def _stem(message: Posted) -> str:
    """Return the id without the suffix of further messages in the same step."""
    return ".".join(str(message.get("id")).split(".")[:2])
