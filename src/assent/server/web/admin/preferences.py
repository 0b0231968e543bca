"""The preferences page: what a person keeps for all conversations, to change or delete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.cards import Blank
from assent.domain.fields import Field
from assent.domain.people import PersonKind
from assent.domain.preferences import scope_words
from assent.engine.people.preferences import KeptPreference
from assent.errors import InvalidAnswer, InvalidCommand, NotFound
from assent.presentation.html_values import value
from assent.presentation.markup import Html
from assent.presentation.values import value_of
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.review.request_page import Filled
from assent.server.web.review.verdicts import ANSWER, answer_in

_ADDRESS: Final = "/settings/preferences"
_DONE: Final = {
    "set": "Kept. It counts from the next call on.",
    "deleted": "Deleted. It is asked for again when it is needed.",
    "again": "Suggestions for this field are back.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceRow:
    """A preference as the page lists it; a secret has no value here."""

    kept: KeptPreference
    label: str
    of: str
    value: Html | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The field that is being set, and what is wrong with the value that was posted."""

    scope: str = ""
    name: str = ""
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None


async def show(request: Request) -> Response:
    """Show the caller's own preferences; with a scope and a name, the form to set one."""
    asked = request.query_params
    return await _page(request, _Said(scope=asked.get("scope", ""), name=asked.get("name", "")))


async def change(request: Request) -> Response:
    """Do what the pressed button says: keep a value, delete one, or suggest again."""
    me, posted = caller_of(request).person, await posted_of(request)
    mine = service_of(request).assent.people.preferences
    match posted.one("do"):
        case "set":
            return await _set(request, posted)
        case "delete":
            await mine.delete(posted.one("id"), by=me)
            return RedirectResponse(f"{_ADDRESS}?done=deleted", 303)
        case "again":
            await mine.suggest_again(posted.one("id"), by=me)
            return RedirectResponse(f"{_ADDRESS}?done=again", 303)
        case _:
            raise InvalidCommand("No known action was chosen: press one of the buttons of the form")


async def _set(request: Request, posted: Posted) -> Response:
    mine, me = service_of(request).assent.people.preferences, caller_of(request).person
    scope, name = posted.one("scope"), posted.one("name")
    item = next(iter(mine.fields(scope, name)), None)
    if item is None:
        raise NotFound("field that can be kept", name[:64])
    try:
        await mine.set(scope, name, answer_in(item, posted), by=me)
    except InvalidAnswer as error:
        said = _Said(scope=scope, name=name, errors=error.errors, posted=posted)
        return await _page(request, said)
    return RedirectResponse(f"{_ADDRESS}?done=set", 303)


async def _page(request: Request, said: _Said) -> Response:
    service, me = service_of(request), caller_of(request).person
    mine = service.assent.people.preferences
    kept = await mine.of(me)
    known = {(each.row.scope, each.row.name): each for each in kept}
    item = next(iter(mine.fields(said.scope, said.name)), None)
    return service.pages.render(
        request,
        "preferences",
        status=422 if said.errors else 200,
        rows=[_row(each) for each in kept],
        stopped=[(each, scope_words(each.scope)) for each in await mine.stopped(me)],
        offers=[
            (scope, each, scope_words(scope))
            for scope, each in mine.offered()
            if (scope, each.name) not in known
        ],
        is_human=me.kind is PersonKind.HUMAN,
        said=said,
        of=scope_words(said.scope),
        each=None if item is None else _filled(item, known.get((said.scope, said.name)), said),
        done=_DONE.get(request.query_params.get("done", ""), ""),
    )


def _row(kept: KeptPreference) -> PreferenceRow:
    row = kept.row
    return PreferenceRow(
        kept=kept,
        label=row.name if kept.field is None else kept.field.label,
        of=scope_words(row.scope),
        value=None if row.secret else value(value_of(row.value)),
    )


def _filled(item: Field, kept: KeptPreference | None, said: _Said) -> Filled:
    name = f"{ANSWER}{item.name}"
    if said.posted is not None and not item.kind.is_secret:
        values = said.posted.all(name)
    else:
        values = [] if kept is None or kept.row.secret else item.kind.split(item, kept.row.value)
    return Filled(
        blank=Blank(field=item),
        name=name,
        value=values[-1] if values else "",
        values=values,
        error=said.errors.get(item.name, ""),
        is_kept=False,
    )


routes: list[BaseRoute] = [
    GuardedRoute(_ADDRESS, show, methods=["GET"]),
    GuardedRoute(_ADDRESS, change, methods=["POST"]),
]
