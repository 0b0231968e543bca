"""The body of a webhook: a request in the names of the native API, within a limit of bytes.

What is too large is replaced by its start, its end and its size, and `complete` is then false.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from itertools import count
from typing import Final, TypedDict, TypeVar, assert_never

from assent.domain.canonical import Json
from assent.domain.cards import (
    Blob,
    Card,
    Items,
    Members,
    NamedValue,
    Note,
    Null,
    Number,
    Secret,
    Text,
    Truth,
    Value,
)
from assent.engine.vault import MASKED
from assent.presentation.truncation import select

T = TypeVar("T")

# Standard Webhooks asks for messages of at most about 20 kB.
BODY_BYTES: Final = 20_000


class _Limits(TypedDict):
    characters: int | None
    items: int | None


_LIMITS: Final = (
    _Limits(characters=None, items=None),
    *(
        _Limits(characters=characters, items=items)
        for characters, items in ((4000, 200), (1000, 60), (300, 20), (100, 6), (24, 2))
    ),
)


class WebhookEvent(StrEnum):
    """The event that a message tells of."""

    OPENED = "request.opened"
    CHANGED = "request.changed"
    CLOSED = "request.closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a request: when it came, and by whom unless by itself."""

    at: datetime
    by: str | None = None
    channel: str | None = None
    reason: str = ""


def webhook_body(
    card: Card,
    event: WebhookEvent,
    *,
    at: datetime,
    url: str,
    outcome: Outcome | None = None,
    most: int = BODY_BYTES,
) -> bytes:
    """Return the JSON of a message about a request, with as little cut as possible."""
    for limits in _LIMITS:
        cutter = _Cutter(**limits)
        data = _data(card, cutter, url, outcome)
        body = _encoded(event, at, {**data, "complete": not cutter.cut})
        if len(body) <= most:
            return body
    # So many arguments, or so deep, that not even their outline fits.
    bare = _data(replace(card, arguments=()), _Cutter(**_LIMITS[-1]), url, outcome)
    arguments: Json = {"$cut": True, "fields": len(card.arguments)}
    return _encoded(event, at, {**bare, "arguments": arguments, "complete": False})


@dataclass(slots=True, kw_only=True)
class _Cutter:
    """Limits of a text and of a list, and whether they were ever needed."""

    characters: int | None
    items: int | None
    cut: bool = field(default=False, init=False)

    def text(self, text: str) -> Json:
        most = self.characters
        if most is None or len(text) <= most:
            return text
        self.cut = True
        half = most // 2
        return {
            "$cut": True,
            "head": text[:half],
            "tail": text[-half:],
            "characters": len(text),
        }

    def value(self, value: Value) -> Json:
        match value:
            case Text(text=text) | Blob(encoded=text):
                return self.text(text)
            case Number(literal=literal):
                number: int | float = json.loads(literal)
                return number
            case Truth(value=truth):
                return truth
            case Null():
                return None
            case Secret():
                return dict(MASKED)
            case Items(items=items):
                return self.list(items, self.value)
            case Members(members=members):
                return self.object(members)
            case _:
                assert_never(value)

    def list(self, items: Sequence[T], shown: Callable[[T], Json]) -> Json:
        kept = select(items, self.items)
        head = [shown(item) for item in kept.head]
        if not kept.hidden:
            return head
        self.cut = True
        tail = [shown(item) for item in kept.tail]
        return {"$cut": True, "head": head, "tail": tail, "items": len(items)}

    def object(self, members: tuple[NamedValue, ...]) -> Json:
        kept = select(members, self.items)
        head: Json = dict(map(self._member, count(), kept.head))
        if not kept.hidden:
            return head
        self.cut = True
        tail: Json = dict(map(self._member, count(len(kept.head) + kept.hidden), kept.tail))
        return {"$cut": True, "head": head, "tail": tail, "fields": len(members)}

    def _member(self, number: int, member: NamedValue) -> tuple[str, Json]:
        name = member.name
        if self.characters is not None and len(name) > self.characters:
            self.cut = True
            # With its number, since two long names may begin alike.
            name = f"{name[: self.characters]}… field {number}, {len(name):,} characters"
        return name, self.value(member.value)


def _data(card: Card, cutter: _Cutter, url: str, outcome: Outcome | None) -> dict[str, Json]:
    return {
        "id": card.request_id,
        "kind": card.kind,
        "status": card.status,
        "conversation_id": card.conversation_id,
        "call_id": card.call_id,
        "revision": card.revision,
        "agent": card.agent,
        "owner": card.on_behalf_of,
        "tool": cutter.text(card.tool),
        "source": cutter.text(card.source),
        "risk": card.risk,
        "question": cutter.text(card.question),
        "reason": cutter.text(card.reason),
        "arguments": cutter.object(card.arguments),
        "arguments_digest": card.arguments_digest,
        "digest": card.digest,
        "decide_by": None if card.deadline is None else _time(card.deadline),
        "url": url,
        "decisions": cutter.list(card.history, partial(_decision, cutter)),
        "outcome": None if outcome is None else _outcome(card, cutter, outcome),
    }


def _decision(cutter: _Cutter, note: Note) -> Json:
    return {
        "by": note.by,
        "channel": note.channel,
        "verdict": note.verdict,
        "reason": cutter.text(note.reason),
        "at": _time(note.at),
    }


def _outcome(card: Card, cutter: _Cutter, outcome: Outcome) -> Json:
    return {
        "status": card.status,
        "by": outcome.by,
        "channel": outcome.channel,
        "reason": cutter.text(outcome.reason),
        "at": _time(outcome.at),
    }


def _encoded(event: WebhookEvent, at: datetime, data: Mapping[str, Json]) -> bytes:
    # ASCII: characters that nobody sees are spelt out in every log that shows the body.
    message = {"type": event, "timestamp": _time(at), "data": data}
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode()


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
