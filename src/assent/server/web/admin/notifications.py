"""The page of a person's notifications: their chat accounts, and what they want to hear of."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.chats import LinkCode
from assent.domain.deliveries import CODE
from assent.engine.deliveries.channels import ChannelStatus
from assent.engine.people.chat_accounts import CODE_WITHIN
from assent.errors import ChannelError, InvalidCommand, LinkRefused, NotFound
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.linking import may_link, want_linking
from assent.server.service import service_of
from assent.server.web.admin.channel_names import channel_name
from assent.server.web.admin.credentials import (
    NewSecret,
    forget,
    secret_for,
    show_once,
    stored_text,
)
from assent.server.web.admin.notification_form import (
    LEAST,
    UNITS,
    URGENT,
    NotificationForm,
    form_of,
    settings_in,
)

_PAGE: Final = "notifications"
_ADDRESS: Final = "/settings/notifications"
_CODE_CHARS: Final = 40
_ADDRESS_CHARS: Final = 320


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A posted form that did nothing, with what is wrong in it."""

    errors: dict[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None
    form: NotificationForm | None = None
    # The chat account whose code was entered, to be looked at before it is linked.
    found: LinkCode | None = None

    def value(self, name: str) -> str:
        """Return what was typed, so that nothing is lost."""
        return "" if self.posted is None else self.posted.one(name)


async def show(request: Request) -> Response:
    """Show the chat accounts and notification settings of the caller."""
    return await _page(request, _Said())


async def _page(request: Request, said: _Said) -> Response:
    service, caller = service_of(request), caller_of(request)
    chats, me = service.assent.people.chats, caller.person
    accounts = await chats.of(me.id)
    known = await service.assent.channels.status()
    secret = secret_for(request, _PAGE)
    page = service.pages.render(
        request,
        "notifications",
        status=422 if said.posted is not None and said.found is None else 200,
        accounts=accounts,
        channels=_reaching(known, {each.channel for each in accounts}),
        typed_in=[each for each in known if each.link_words is not None],
        sent_to=[each for each in known if each.takes_addresses],
        form=said.form or form_of(await chats.settings(me)),
        said=said,
        may_link=may_link(caller),
        least=LEAST,
        urgent=URGENT,
        units=UNITS,
        minutes=int(CODE_WITHIN / timedelta(minutes=1)),
        channel_name=channel_name,
        secret=secret,
        asked_for=request.query_params.get("channel", ""),
        done=request.query_params.get("done", "") if said.posted is None else "",
    )
    return forget(request, secret, page)


def _reaching(known: list[ChannelStatus], linked: set[str]) -> list[str]:
    """Return the channels that can reach this person."""
    return sorted({each.name for each in known if each.links} | linked)


async def change_accounts(request: Request) -> Response:
    """Do what the pressed button says: get, send, enter or use a code, or unlink."""
    caller, posted = caller_of(request), await posted_of(request)
    want_linking(caller)
    match posted.one("do"):
        case "code":
            return await _code(request, posted)
        case "enter":
            return await _enter(request, posted)
        case "link":
            return await _link(request, posted)
        case "invite":
            return await _invite(request, posted)
        case "unlink":
            channel, chat_id = stored_text(posted.one("channel")), posted.one("chat_id")
            chats, me = service_of(request).assent.people.chats, caller.person
            if not any(
                (each.channel, each.chat_id) == (channel, chat_id) for each in await chats.of(me.id)
            ):
                raise NotFound("chat account", chat_id)
            await chats.unlink(channel, chat_id, by=me)
            return RedirectResponse(f"{_ADDRESS}?done=unlinked", 303)
        case _:
            raise InvalidCommand("No known action was chosen: press one of the buttons of the form")


async def _code(request: Request, posted: Posted) -> Response:
    """Make a code; only the next page shows it, in the words to type."""
    service, me = service_of(request), caller_of(request).person
    chosen = posted.one("channel")
    known = {each.name: each for each in await service.assent.channels.status()}
    if chosen not in known or (words := known[chosen].link_words) is None:
        return await _page(request, _Said(errors={"channel": "Choose a channel"}, posted=posted))
    code = await service.assent.people.chats.code_for_person(me, chosen)
    secret = NewSecret(person=me.id, text=words.replace(CODE, code))
    address = f"{_ADDRESS}?{urlencode({'done': 'code', 'channel': chosen})}"
    return show_once(request, secret, page=_PAGE, address=address)


async def _enter(request: Request, posted: Posted) -> Response:
    """Show whose code it is: who enters a stranger's code lets them decide in one's own name."""
    chats, me = service_of(request).assent.people.chats, caller_of(request).person
    try:
        found = await chats.whose_code(posted.one("code")[:_CODE_CHARS], me)
    except LinkRefused as error:
        return await _page(request, _Said(errors={"code": str(error)}, posted=posted))
    return await _page(request, _Said(posted=posted, found=found))


async def _link(request: Request, posted: Posted) -> Response:
    chats, me = service_of(request).assent.people.chats, caller_of(request).person
    try:
        await chats.link_person(posted.one("code")[:_CODE_CHARS], me)
    except LinkRefused as error:
        return await _page(request, _Said(errors={"code": str(error)}, posted=posted))
    return RedirectResponse(f"{_ADDRESS}?done=linked", 303)


async def _invite(request: Request, posted: Posted) -> Response:
    channels, me = service_of(request).assent.channels, caller_of(request).person
    address = stored_text(posted.one("address"))
    try:
        if not 0 < len(address) <= _ADDRESS_CHARS:
            raise LinkRefused("Enter your address")
        await channels.invite(posted.one("channel"), address, by=me)
    except (LinkRefused, ChannelError) as error:
        return await _page(request, _Said(errors={"address": str(error)}, posted=posted))
    return RedirectResponse(f"{_ADDRESS}?done=sent#enter", 303)


async def change_settings(request: Request) -> Response:
    """Save the notification settings."""
    service, caller, posted = service_of(request), caller_of(request), await posted_of(request)
    want_linking(caller)
    chats, me = service.assent.people.chats, caller.person
    linked = {each.channel for each in await chats.of(me.id)}
    known = _reaching(await service.assent.channels.status(), linked)
    made = settings_in(posted, known, await chats.settings(me))
    if isinstance(made, NotificationForm):
        return await _page(request, _Said(posted=posted, form=made))
    await chats.change_settings(made, by=me)
    return RedirectResponse(f"{_ADDRESS}?done=saved", 303)


routes: list[BaseRoute] = [
    GuardedRoute(_ADDRESS, show, methods=["GET"]),
    GuardedRoute(_ADDRESS, change_settings, methods=["POST"]),
    GuardedRoute("/settings/chat-accounts", change_accounts, methods=["POST"]),
]
