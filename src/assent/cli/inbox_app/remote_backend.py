"""The inbox of the person whose API key it is, on an Assent server."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from assent.cli.inbox_app.backend import (
    PAGE_ROWS,
    Connected,
    Disconnected,
    InboxCard,
    InboxChange,
    InboxRow,
    RowPage,
)
from assent.cli.inbox_app.event_stream import EventReader
from assent.cli.inbox_app.local_backend import change_told
from assent.cli.inbox_app.server_client import ServerClient
from assent.domain.cards import Choice
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.decisions import Approve, Give, Supply, Verdict
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.suggestions import Suggestion
from assent.domain.tools import Risk
from assent.domain.verdicts import Verb, name_of, row_of
from assent.engine.files.answers import items
from assent.engine.queries.previews import EditPreview
from assent.errors import AssentError, ServerUnreachable
from assent.presentation.characters import code_point_name
from assent.presentation.sheet import Line, Span, SpanRole
from assent.presentation.text import mark

T = TypeVar("T")
_ROLES = {role.name.lower(): role for role in SpanRole}
# Waits between attempts to follow again, in seconds: doubled each time, up to the last.
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteBackend:
    """Reads and decides over the JSON API; the server says who the person is."""

    client: ServerClient
    person: str
    place: str

    @classmethod
    async def of(cls, client: ServerClient, place: str) -> "RemoteBackend":
        """Return the inbox of the person whose key the client sends."""
        me = await client.get("/api/me")
        return cls(client=client, person=_read(lambda: str(me["id"])), place=place)

    async def page(self, after: str | None) -> RowPage:
        told = await self.client.get(
            "/api/requests", mine=True, order="danger", in_short=True, limit=PAGE_ROWS, after=after
        )
        return _read(lambda: RowPage(rows=tuple(map(_row, told["items"])), next=told["next"]))

    async def card(self, request_id: str, columns: int) -> InboxCard:
        told = await self.client.get(f"/api/requests/{request_id}/card", columns=columns)
        return await asyncio.to_thread(_read, lambda: _card(told, columns, self.person))

    async def preview(self, card: InboxCard, verdict: Verdict, columns: int) -> EditPreview | None:
        if not isinstance(verdict, Approve | Supply):
            return None
        body = {**verdict_json(verdict), "digest": card.digest}
        path = f"/api/requests/{card.request_id}/preview"
        told = await self.client.post(path, body, columns=columns)
        if told.get("runs") is None:
            return None
        return await asyncio.to_thread(_read, lambda: _preview(told))

    async def decide(self, card: InboxCard, verdict: Verdict, shown: str | None) -> str:
        if isinstance(verdict, Give):
            verdict = replace(verdict, values=await self._uploaded(card, verdict.values))
        body = {**verdict_json(verdict), "digest": card.digest, "shown": shown}
        told = await self.client.post(f"/api/requests/{card.request_id}/decide", body)
        return _read(lambda: str(told["status"]))

    async def _uploaded(self, card: InboxCard, values: Mapping[str, object]) -> dict[str, object]:
        """Return the answers with what the server says of each file, once it has them."""
        sent = dict(values)
        for name, value in values.items():
            if any(isinstance(each, Path) for each in items(value)):
                sent[name] = [
                    await self.client.upload(f"/api/requests/{card.request_id}/files/{name}", each)
                    if isinstance(each, Path)
                    else each
                    for each in items(value)
                ]
        return sent

    async def changes(self) -> AsyncGenerator[InboxChange]:
        reader, wait = EventReader(), _FIRST_WAIT
        while True:
            try:
                async for event in self.client.events(reader):
                    if event is None:
                        wait = _FIRST_WAIT
                        yield Connected()
                    elif event.kind == "reset":
                        yield Connected()
                    elif (change := change_told(event.kind, event.data)) is not None:
                        yield change
                reason = "the stream ended"
            except AssentError as error:
                reason = str(error)
            yield Disconnected(reason)
            # Many may have lost the same server: they must not all come back at once.
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
            wait = min(wait * 2, _LONGEST_WAIT)


def _read(read: Callable[[], T]) -> T:
    """Return what an answer holds; raises `ServerUnreachable` if it is not what ours answers."""
    try:
        return read()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ServerUnreachable(f"its answer cannot be read ({error!r:.80})") from None


def _row(told: Mapping[str, Any]) -> InboxRow:
    line = told["in_short"]
    return InboxRow(
        id=str(told["id"]),
        kind=RequestKind(told["kind"]),
        risk=Risk(told["risk"]),
        tool=str(told["tool"]),
        agent=str(told["agent"]),
        owner=str(told["owner"]),
        in_short=None if line is None else _inert(line),
        deadline=_moment(told["decide_by"]),
    )


def _card(told: Mapping[str, Any], columns: int, person: str) -> InboxCard:
    request = told["request"]
    is_open = request["status"] == RequestStatus.OPEN
    return InboxCard(
        request_id=str(request["id"]),
        kind=RequestKind(request["kind"]),
        status=RequestStatus(request["status"]),
        tool=str(request["tool"]),
        closed_by=request["closed_by"],
        deadline=_moment(request["decide_by"]),
        digest=str(request["digest"]),
        columns=columns,
        lines=_lines(told["lines"]),
        shown=str(told["shown"]),
        choices=tuple(_choice(each) for each in told["choices"]),
        confirmation=Confirmation(told["confirmation"]),
        to_type=_phrase(told["to_type"]),
        may_decide=is_open and request["may_decide"] is True,
        may_edit=told["may_edit"] is True,
        has_voted=told["has_voted"] is True,
        arguments=dict(told["arguments"]),
        form=told["form"],
        values=dict(told["values"]),
        kept_secrets=frozenset(told["kept_secrets"]),
        draft_number=told.get("draft_number"),
        draft_at=_moment(told.get("draft_at")),
        suggestions={
            name: Suggestion.from_json(name, said)
            for name, said in told.get("suggestions", {}).items()
        },
        is_own=request["owner"] == person,
    )


def _preview(told: Mapping[str, Any]) -> EditPreview:
    return EditPreview(
        runs=str(told["runs"]),
        lines=_lines(told["lines"]),
        is_changed=told["is_changed"] is True,
        to_type=_phrase(told["to_type"]),
    )


def _choice(told: Mapping[str, Any]) -> Choice:
    return Choice(verb=Verb(told["verb"]), effect=_inert(told["effect"]))


def _phrase(told: Mapping[str, Any] | None) -> Phrase | None:
    if told is None:
        return None
    return Phrase(text=told["text"], argument=told["argument"], is_check=told["is_check"] is True)


def _moment(told: str | None) -> datetime | None:
    return None if told is None else datetime.fromisoformat(told)


def _lines(told: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[Line, ...]:
    return tuple(tuple(_span(each) for each in line) for line in told)


def _span(told: Mapping[str, Any]) -> Span:
    # A newer server may have roles that are not known here; their text is shown all the same.
    return Span(_inert(told["text"]), _ROLES.get(told["role"], SpanRole.PLAIN))


def _inert(text: str) -> str:
    """Return a text that the server made safe; a server that did not do so controls no terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else mark(code_point_name(c)) for c in text)


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return the JSON of a verdict; what is left unsaid an older server need not know."""
    is_edit = isinstance(verdict, Approve) and verdict.is_edit
    row = row_of(Verb.EDIT if is_edit else name_of(verdict))
    unsaid = {each.name: each.default for each in fields(verdict)}
    said = {name: getattr(verdict, name) for name in row.fields}
    return {"verdict": row.verb} | {name: v for name, v in said.items() if v != unsaid[name]}
