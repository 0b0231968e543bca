"""What an AG-UI client that comes back shows already of what it is about to be told again.

Its reducer appends: text told twice under one id would stand there twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assent.domain.events import Event, EventKind

Posted = dict[str, Any]


def message_id(turn_id: str, step: int) -> str:
    """The assistant's message of one step of the model; the same in every replay."""
    return f"{turn_id}.{step}"


def reasoning_id(message_id: str) -> str:
    """The message that carries what the model thought before it."""
    return f"{message_id}.reasoning"


def result_id(call_id: str) -> str:
    """The message that carries a call's result."""
    return f"{call_id}.result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The client's messages without those to come; None where none of them comes again.

    It only gives a client its own display back: nothing of it is believed, or kept.
    """

    rest: tuple[Posted, ...] | None = None
    # Reasoning is not taken back by a snapshot; it is not told again instead.
    thoughts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, turn_id: str, events: Sequence[Event], posted: Sequence[Posted]) -> "Held":
        """Compare what a stream of these events tells with what a client posted."""
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
    """The id without what further messages of the same step have behind it."""
    return ".".join(str(message.get("id")).split(".")[:2])
