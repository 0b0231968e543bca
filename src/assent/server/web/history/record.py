"""The raw record for auditors: all actions with their actors, including refused attempts."""

import asyncio
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.events import Entry
from assent.presentation.html_values import entries
from assent.presentation.markup import Html
from assent.server.guard import GuardedRoute
from assent.server.redaction import Hints, data_of, secrets_of
from assent.server.service import service_of
from assent.server.web.history.filters import RECORD_FIELDS, Sieve
from assent.server.web.history.history import place_of
from assent.server.web.history.summaries import judge_words, on_a_line
from assent.server.web.history.timeline import heading
from assent.server.web.history.timeline_steps import ACTIONS

PAGE: Final = 50
_GLANCE_CHARS: Final = 80
# Actions on people and settings; those on calls are in `timeline_steps`.
MANAGING: Final = {
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
}
# Suggested while a person types; the field accepts any text.
KNOWN: Final = sorted({*ACTIONS, *MANAGING, "gate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """One entry as the page shows it."""

    entry: Entry
    words: str
    actor: Html
    glance: Html
    data: Html | None


async def show(request: Request) -> Response:
    """Show one page of the record, with filters."""
    service = service_of(request)
    sieve, after = Sieve.of(request.query_params, RECORD_FIELDS), place_of(request)
    found = await service.assent.queries.record.search(sieve.entries, after=after, limit=PAGE)
    secrets = secrets_of(service.assent.catalogue)
    notes = await asyncio.to_thread(lambda: [_noted(entry, secrets) for entry in found.items])
    return service.pages.render(
        request,
        "record",
        notes=notes,
        found=found,
        asked=sieve.asked,
        is_sifted=bool(sieve),
        is_first=after is None,
        known=KNOWN,
    )


def _noted(entry: Entry, secrets: Hints) -> Noted:
    found = data_of(entry, secrets)
    return Noted(
        entry=entry,
        words=MANAGING.get(entry.action) or heading(entry)[1],
        actor=judge_words(entry.actor),
        glance=on_a_line(found, _GLANCE_CHARS),
        data=entries(found) if found else None,
    )


routes: list[BaseRoute] = [GuardedRoute("/audit", show, methods=["GET"])]
