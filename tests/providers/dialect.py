"""What the wire formats have in common, and how JSON from a client is read."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from assent.domain.canonical import Json
from tests.providers.script import Reply

Object = dict[str, Json]
Ids = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRequest:
    """One request as it arrived, with the ids of the tool calls and results in its history."""

    dialect: str
    path: str
    headers: Mapping[str, str]
    body: Object
    streamed: bool
    call_ids: tuple[str, ...]
    result_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One provider's wire format: what it refuses, and how it writes replies and errors."""

    name: str
    ids: Callable[[Object], Ids]
    problem: Callable[[Object], str | None]
    whole: Callable[[Reply, str], Object]
    events: Callable[[Reply, str], list[bytes]]
    error: Callable[[int, str, str | None], Object]
    stream_error: Callable[[str], bytes]


def sse(data: Object, *, event: str | None = None) -> bytes:
    """One server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data)}\n\n".encode()


def objects(value: Json) -> list[Object]:
    """The objects in a JSON list; nothing if it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def field(item: Object, name: str) -> Object:
    """An object inside an object; empty if there is none."""
    value = item.get(name)
    return value if isinstance(value, dict) else {}


def text(item: Object, name: str) -> str:
    """A string inside an object; empty if there is none."""
    value = item.get(name)
    return value if isinstance(value, str) else ""


def repeated(ids: Iterable[str]) -> list[str]:
    """The ids that occur more than once."""
    return [id for id, times in Counter(ids).items() if times > 1]
