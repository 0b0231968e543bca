"""Downloads of the listed calls or entries as JSON Lines or CSV, read and sent page by page."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute

from assent.domain.canonical import Json
from assent.domain.cards import Members
from assent.domain.events import Entry
from assent.domain.outputs import json_text
from assent.domain.paging import Place
from assent.domain.record import PastCall, PastRequest, RecordPage
from assent.engine.agents import Catalogue
from assent.errors import InvalidCommand
from assent.presentation.card import hints_of
from assent.presentation.values import entries_of
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.redaction import Hints, data_of, plain, secrets_of
from assent.server.service import service_of
from assent.server.web.history.filters import CALL_FIELDS, RECORD_FIELDS, HistoryFilters, place_of

T = TypeVar("T")
Line = dict[str, Json]
# Arguments can be long, so only one page of them is held at a time.
_PAGE: Final = 100
_STOPPED: Final = "stopped: you may no longer read this"
_TYPES: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
CALL_COLUMNS: Final = (
    *("id", "created_at", "settled_at", "conversation_id", "agent", "owner", "tool", "source"),
    *("risk", "status", "arguments", "arguments_sha256", "revision", "attempts", "cleared_by"),
    *("asked", "decided_by", "waited_seconds"),
)
ENTRY_COLUMNS: Final = (
    *("id", "at", "action", "actor", "channel", "conversation_id", "call_id", "request_id"),
    *("source", "target", "data"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download(Generic[T]):
    """A file to download: its columns, how a page is read, and how an item becomes a line."""

    name: str
    columns: Sequence[str]
    read: Callable[[Place | None], Awaitable[RecordPage[T]]]
    line: Callable[[T], Line]


async def calls(request: Request) -> Response:
    """Download the calls that match the filters of the address."""
    person, assent = caller_of(request).person, service_of(request).assent
    wanted = HistoryFilters.of(request.query_params, CALL_FIELDS).calls
    file = Download(
        name="calls",
        columns=CALL_COLUMNS,
        read=lambda after: assent.queries.record.past_calls(
            person, wanted, after=after, limit=_PAGE
        ),
        line=lambda call: call_line(call, assent.catalogue),
    )
    return _sent(request, file)


async def entries(request: Request) -> Response:
    """Download the entries of the record that match the filters of the address."""
    assent = service_of(request).assent
    secrets = secrets_of(assent.catalogue)
    wanted = HistoryFilters.of(request.query_params, RECORD_FIELDS).entries
    file = Download(
        name="record",
        columns=ENTRY_COLUMNS,
        read=lambda after: assent.queries.record.search(wanted, after=after, limit=_PAGE),
        line=lambda entry: entry_line(entry, secrets),
    )
    return _sent(request, file)


def _sent(request: Request, file: Download[T]) -> Response:
    kind, after = request.query_params.get("format", "jsonl"), place_of(request)
    if kind not in _TYPES:
        raise InvalidCommand("The format of a file is jsonl or csv")
    name = f"assent-{file.name}-{datetime.now(UTC):%Y-%m-%d}.{kind}"
    headers = {
        "content-type": _TYPES[kind],
        "content-disposition": f'attachment; filename="{name}"',
    }
    if request.method == "HEAD":
        return Response(headers=headers)
    written = _csv(file.columns) if kind == "csv" else _jsonl
    return StreamingResponse(_chunks(request, file, after, written), headers=headers)


async def _chunks(
    request: Request, file: Download[T], after: Place | None, written: Callable[[Line], str]
) -> AsyncIterator[str]:
    service, caller = service_of(request), caller_of(request)
    if written is not _jsonl:
        yield csv_row(file.columns)
    while True:
        # A long download may outlive the session: permission may be lost after it began.
        if await service.auth.revoked([caller]):
            yield written({file.columns[0]: _STOPPED})
            return
        found = await file.read(after)
        if found.items:
            # In a thread: a page of calls with the largest arguments takes seconds.
            yield await asyncio.to_thread(_written, file, found.items, written)
        if found.next is None or found.next == after:
            return
        after = found.next


def _written(file: Download[T], items: Sequence[T], written: Callable[[Line], str]) -> str:
    return "".join(written(file.line(item)) for item in items)


def _jsonl(line: Line) -> str:
    return f"{json_text(line)}\n"


def _csv(columns: Sequence[str]) -> Callable[[Line], str]:
    return lambda line: csv_row([_flat(line.get(name)) for name in columns])


def _flat(value: Json) -> Json:
    return json_text(value) if isinstance(value, dict | list) else value


def call_line(call: PastCall, catalogue: Catalogue) -> Line:
    """Return a call as a line of a file."""
    hints = hints_of(catalogue.tool(call.agent, call.tool))
    return {
        "id": call.id,
        "created_at": call.created_at.isoformat(),
        "settled_at": None if call.settled_at is None else call.settled_at.isoformat(),
        "conversation_id": call.conversation_id,
        "agent": call.agent,
        "owner": call.owner,
        "tool": call.tool,
        "source": call.source,
        "risk": call.risk,
        "status": str(call.status),
        "arguments": plain(Members(entries_of(call.arguments.text, hints))),
        "arguments_sha256": call.arguments.digest,
        "revision": call.revision,
        "attempts": call.attempts,
        "cleared_by": call.cleared_by,
        "asked": bool(call.questions),
        "decided_by": call.decided_by,
        "waited_seconds": None if call.waited is None else call.waited.total_seconds(),
        "requests": [_question(each) for each in call.questions],
    }


def _question(question: PastRequest) -> Line:
    closed = question.closed_at
    return {
        "id": question.id,
        "kind": str(question.kind),
        "status": str(question.status),
        "created_at": question.created_at.isoformat(),
        "closed_at": None if closed is None else closed.isoformat(),
        "closed_by": question.closed_by,
    }


def entry_line(entry: Entry, secrets: Hints) -> Line:
    """Return an entry of the record as a line of a file."""
    return {
        "id": entry.id,
        "at": entry.at.isoformat(),
        "action": entry.action,
        "actor": entry.actor,
        "channel": entry.channel,
        "conversation_id": entry.conversation_id,
        "call_id": entry.call_id,
        "request_id": entry.request_id,
        "source": entry.source,
        "target": entry.target,
        "data": plain(Members(data_of(entry, secrets))),
    }


# A cell that begins with one of these is read as a formula; some spreadsheets skip blanks before.
_FORMULA: Final = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "|",
    "%",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)


def csv_row(cells: Iterable[object]) -> str:
    """Return one line of CSV that a spreadsheet opens without running anything in it."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return line.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    # Some readers end a cell at a NUL.
    text = text.replace("\x00", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


routes: list[BaseRoute] = [
    GuardedRoute("/history/export", calls, methods=["GET"]),
    GuardedRoute("/audit/export", entries, methods=["GET"]),
]
