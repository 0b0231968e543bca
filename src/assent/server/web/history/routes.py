"""Pages for the past: all calls that a person may see, the history of one call, and the record."""

import asyncio
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.events import Entry
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.domain.people import ADMIN, AUDITOR
from assent.domain.record import PastCall
from assent.domain.tools import Risk
from assent.engine.agents import Catalogue
from assent.engine.queries.record import Story
from assent.engine.queries.visibility import sees_everything
from assent.presentation.card import hints_of
from assent.presentation.html_values import entries
from assent.presentation.markup import Html
from assent.presentation.values import entries_of
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.redaction import Hints, data_of, secrets_of
from assent.server.service import service_of
from assent.server.web.history import export
from assent.server.web.history.filters import CALL_FIELDS, RECORD_FIELDS, HistoryFilters, place_of
from assent.server.web.history.timeline import Timeline, heading
from assent.server.web.history.wording import (
    ACTIONS,
    judge_words,
    lasted,
    on_a_line,
    status_class,
    status_words,
)

_CALLS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One call in the list of all calls."""

    call: PastCall
    arguments: Html
    status: str
    colour: str
    decided: Html | None
    waited: str


async def list_calls(request: Request) -> Response:
    """Show one page of calls that match the filters."""
    service, person = service_of(request), caller_of(request).person
    filters = HistoryFilters.of(request.query_params, CALL_FIELDS)
    after = place_of(request)
    found = await service.assent.queries.record.past_calls(
        person, filters.calls, after=after, limit=_CALLS
    )
    catalogue = service.assent.catalogue
    # In a thread: all arguments are read to make a line of them, and they may be large.
    rows = await asyncio.to_thread(lambda: [_call_row(call, catalogue) for call in found.items])
    return service.pages.render(
        request,
        "history",
        rows=rows,
        found=found,
        asked=filters.asked,
        is_filtered=bool(filters),
        is_first=after is None,
        everything=sees_everything(person),
        statuses=[(status.value, status_words(status)) for status in CallStatus],
        risks=list(Risk),
        agents=catalogue.names(),
        tools=sorted({tool.tool.name for tool in catalogue.every_tool()}),
    )


def _call_row(call: PastCall, catalogue: Catalogue) -> CallRow:
    hints = hints_of(catalogue.tool(call.agent, call.tool))
    return CallRow(
        call=call,
        arguments=on_a_line(entries_of(call.arguments.text, hints)),
        status=status_words(call.status),
        colour=status_class(call.status),
        decided=_decided(call),
        waited="" if call.waited is None else lasted(call.waited),
    )


def _decided(call: PastCall) -> Html | None:
    """Name the person or the part of the policy that decided whether the call may run."""
    by = call.decided_by or (None if call.questions else call.cleared_by)
    return judge_words(by) if by else None


async def show_call(request: Request) -> Response:
    """Show one call's timeline to people who see its conversation or were asked about the call."""
    service, person = service_of(request), caller_of(request).person
    story = await service.assent.queries.record.call_history(person, request.path_params["id"])
    # In a thread: a model's text can take long to lay out and would block others.
    return await asyncio.to_thread(_call_page, request, story)


def _call_page(request: Request, story: Story) -> Response:
    service, person, call = service_of(request), caller_of(request).person, story.call
    tool = service.assent.catalogue.tool(call.agent, call.tool)
    open_request = next((r for r in story.requests if r.status is RequestStatus.OPEN), None)
    is_mine = story.conversation.owner.id == person.id
    return service.pages.render(
        request,
        "call_history",
        story=story,
        call=call,
        steps=Timeline(story, tool).steps(),
        state=status_words(call.status),
        colour=status_class(call.status),
        waits=open_request,
        may_decide=open_request is not None and open_request.admits(person),
        sees_conversation=is_mine or sees_everything(person),
        may_export=is_mine or ADMIN in person.roles,
        may_audit=not person.roles.isdisjoint({ADMIN, AUDITOR}),
    )


_ENTRIES: Final = 50
_SUMMARY_CHARS: Final = 80
# Actions on people and settings; those on calls are in `wording`.
_MANAGEMENT: Final = {
    "add_person": "Account added",
    "change_person": "Account changed",
    "link_person": "Account linked",
    "issue_key": "Key made",
    "revoke_key": "Key revoked",
    "issue_link": "Link made",
    "use_link": "Link used",
    "sign_in": "Signed in",
    "sign_out": "Signed out",
    "override": "Tool's treatment changed",
    "export": "Exported",
    "link_chat": "Chat account linked",
    "unlink_chat": "Chat account unlinked",
    "set_notifications": "Notifications changed",
    "add_own_rule": "Own rule added",
    "delete_own_rule": "Own rule deleted",
    "send_again": "Dead letters sent again",
    "remove_channel": "Channel removed",
}
# Suggested while a person types; the field accepts any text.
_ACTION_NAMES: Final = sorted({*ACTIONS, *_MANAGEMENT, "gate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One entry in the list of the record."""

    entry: Entry
    words: str
    actor: Html
    summary: Html
    data: Html | None


async def show_record(request: Request) -> Response:
    """Show one page of the record that matches the filters."""
    service = service_of(request)
    filters, after = HistoryFilters.of(request.query_params, RECORD_FIELDS), place_of(request)
    found = await service.assent.queries.record.search(filters.entries, after=after, limit=_ENTRIES)
    secrets = secrets_of(service.assent.catalogue)
    rows = await asyncio.to_thread(lambda: [_entry_row(entry, secrets) for entry in found.items])
    return service.pages.render(
        request,
        "record",
        rows=rows,
        found=found,
        asked=filters.asked,
        is_filtered=bool(filters),
        is_first=after is None,
        actions=_ACTION_NAMES,
    )


def _entry_row(entry: Entry, secrets: Hints) -> EntryRow:
    found = data_of(entry, secrets)
    return EntryRow(
        entry=entry,
        words=_MANAGEMENT.get(entry.action) or heading(entry)[1],
        actor=judge_words(entry.actor),
        summary=on_a_line(found, _SUMMARY_CHARS),
        data=entries(found) if found else None,
    )


routes: list[BaseRoute] = [
    GuardedRoute("/history", list_calls, methods=["GET"]),
    # Before the page of a call, which would take the path of the export for an id.
    *export.routes,
    GuardedRoute("/history/{id}", show_call, methods=["GET"]),
    GuardedRoute("/audit", show_record, methods=["GET"]),
]
