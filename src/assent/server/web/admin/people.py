"""Pages for admins: the accounts, their roles, sign-in links, sessions and keys."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.canonical import Json
from assent.domain.events import Entry
from assent.domain.people import (
    ADMIN,
    APPROVER,
    AUDITOR,
    REQUESTER,
    Account,
    Person,
    PersonKind,
)
from assent.engine.people.directory import CHANGES
from assent.errors import (
    AccountExists,
    InvalidAccount,
    InvalidCommand,
    InvalidParameter,
)
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.admin.channel_names import channel_name
from assent.server.web.admin.credentials import (
    SCOPES,
    NewSecret,
    forget,
    live_sessions,
    scopes_by_key,
    secret_for,
    show_once,
    stored_text,
)

_PAGE: Final = 50
_KEYS: Final = 20
_NOTHING: Final = "No known action was chosen: press one of the buttons of the form"
ROLES: Final = {
    REQUESTER: "Talks to agents, and decides requests of their own conversations",
    APPROVER: "Decides requests that go to approvers, and reads the rules",
    AUDITOR: "Reads everything including the record, decides nothing",
    ADMIN: "Manages people, keys and tools, and sees everything",
}
KINDS: Final = {
    PersonKind.HUMAN: "A human",
    PersonKind.SERVICE: "A program that owns conversations and supplies results",
    PersonKind.AGENT: "An agent: it never decides and never signs in",
}


def address_of(person: str) -> str:
    """Return the path of a person's page; quoted, so that browsers resolve no dots in an id."""
    return f"/people/{quote(person, safe='')}"


async def index(request: Request) -> Response:
    """List all people by id."""
    return await _index(request)


async def _index(
    request: Request, *, posted: Posted | None = None, problem: str = "", status: int = 200
) -> Response:
    service, asked = service_of(request), request.query_params
    found = await service.assent.people.directory.people(
        by=caller_of(request).person,
        piece=stored_text(asked.get("q", ""))[:200],
        after=stored_text(asked.get("after", "")),
        limit=_PAGE,
    )
    return service.pages.render(
        request,
        "people",
        status=status,
        found=found,
        address_of=address_of,
        asked={"q": asked.get("q", "")},
        roles=ROLES,
        kinds=KINDS,
        posted=posted,
        problem=problem,
    )


async def add(request: Request) -> Response:
    """Add an account."""
    service, posted = service_of(request), await posted_of(request)
    kind = next((each for each in PersonKind if each == posted.one("kind")), PersonKind.HUMAN)
    try:
        person = Person(
            stored_text(posted.one("id")),
            roles=frozenset(_roles(posted)),
            kind=kind,
            behind=stored_text(posted.one("behind")) or None,
        )
        account = await service.assent.people.add(
            person, name=posted.one("name").strip(), by=caller_of(request).person
        )
    except (AccountExists, InvalidAccount, InvalidParameter) as error:
        status = 409 if isinstance(error, AccountExists) else 422
        return await _index(request, posted=posted, problem=str(error), status=status)
    return RedirectResponse(f"{address_of(account.id)}?done=added", 303)


async def show(request: Request) -> Response:
    """Show one person with their roles, sessions and keys."""
    return await _page(request)


async def _page(
    request: Request, *, posted: Posted | None = None, problem: str = "", status: int = 200
) -> Response:
    service, caller = service_of(request), caller_of(request)
    people, by = service.assent.people, caller.person
    account = await people.get(stored_text(request.path_params["id"]))
    keys = await people.directory.keys(account.id, by=by, after="", limit=_KEYS)
    secret = secret_for(request, _page_name(account.id))
    page = service.pages.render(
        request,
        "person",
        status=status,
        account=account,
        address=address_of(account.id),
        address_of=address_of,
        own_roles=[role for role in sorted(account.roles) if role not in ROLES],
        roles=ROLES,
        kinds=KINDS,
        is_me=account.id == by.id,
        may_sign_in=not account.disabled and account.kind is not PersonKind.AGENT,
        last_seen=await people.directory.last_seen(account.id, by=by),
        sessions=[(each, True) for each in await live_sessions(people, account.id, by=by)],
        this_session=caller.credential,
        keys=[(each, True) for each in keys.items],
        opened=scopes_by_key(keys.items, account.person),
        more_keys=keys.next is not None,
        chats=await people.chats.of(account.id),
        channel_name=channel_name,
        changes=_changes(await people.directory.changes_of(account.id, by=by)),
        scopes=SCOPES,
        now=datetime.now(UTC),
        secret=secret,
        posted=posted,
        problem=problem,
        done=request.query_params.get("done", "") if not problem else "",
    )
    return forget(request, secret, page)


async def change(request: Request) -> Response:
    """Do what the pressed button of the page says."""
    service, posted = service_of(request), await posted_of(request)
    account = await service.assent.people.get(stored_text(request.path_params["id"]))
    match posted.one("do"):
        case "change":
            return await _change(request, account, posted)
        case "disable" | "enable" as verb:
            return await _switch(request, account, posted, disabled=verb == "disable")
        case "link":
            return await _link(request, account)
        case "end":
            return await _end(request, account, posted.all("session"))
        case "end_all":
            live = await live_sessions(
                service.assent.people, account.id, by=caller_of(request).person
            )
            return await _end(request, account, [each.id for each in live])
        case "unlink":
            return await _unlink(request, account, posted)
        case _:
            raise InvalidCommand(_NOTHING)


async def _change(request: Request, account: Account, posted: Posted) -> Response:
    people, by = service_of(request).assent.people, caller_of(request).person
    roles, name = frozenset(_roles(posted)), posted.one("name").strip() or account.name
    behind = stored_text(posted.one("behind")) or None
    turns_admin = (ADMIN in roles) != (ADMIN in account.roles)
    if turns_admin and posted.one("confirmed") != "yes":
        return _sure(request, account, posted, "admin" if ADMIN in roles else "no_admin")
    try:
        await people.revise(account.id, name=name, roles=roles, behind=behind, by=by)
    except InvalidAccount as error:
        return await _page(request, posted=posted, problem=str(error), status=422)
    return RedirectResponse(f"{address_of(account.id)}?done=changed", 303)


async def _switch(
    request: Request, account: Account, posted: Posted, *, disabled: bool
) -> Response:
    if disabled and posted.one("confirmed") != "yes":
        return _sure(request, account, posted, "disable")
    people = service_of(request).assent.people
    await people.change(account.id, disabled=disabled, by=caller_of(request).person)
    done = "disabled" if disabled else "enabled"
    return RedirectResponse(f"{address_of(account.id)}?done={done}", 303)


async def _link(request: Request, account: Account) -> Response:
    service = service_of(request)
    _, token = await service.assent.people.links.to_sign_in(
        account.id, by=caller_of(request).person
    )
    link = f"{service.settings.origin.rstrip('/')}/sign-in/link/{token}"
    secret = NewSecret(person=account.id, text=link)
    return show_once(
        request, secret, page=_page_name(account.id), address=f"{address_of(account.id)}?done=link"
    )


async def _end(request: Request, account: Account, sessions: Iterable[str]) -> Response:
    people, by = service_of(request).assent.people, caller_of(request).person
    theirs = {each.id for each in await live_sessions(people, account.id, by=by)}
    for id in sessions:
        if id in theirs:
            await people.sessions.end(id, by=by)
    return RedirectResponse(f"{address_of(account.id)}?done=ended", 303)


async def _unlink(request: Request, account: Account, posted: Posted) -> Response:
    chats, by = service_of(request).assent.people.chats, caller_of(request).person
    theirs = {(each.channel, each.chat_id) for each in await chats.of(account.id)}
    wanted = (posted.one("channel"), posted.one("chat_id"))
    if wanted in theirs:
        await chats.unlink(*wanted, by=by)
    return RedirectResponse(f"{address_of(account.id)}?done=unlinked", 303)


def _sure(request: Request, account: Account, posted: Posted, what: str) -> Response:
    """Ask for confirmation before an account becomes admin, stops being admin, or is disabled."""
    return service_of(request).pages.render(
        request,
        "person_confirm",
        account=account,
        address=address_of(account.id),
        what=what,
        is_me=account.id == caller_of(request).person.id,
        posted=posted,
        roles=_roles(posted),
    )


def _roles(posted: Posted) -> list[str]:
    typed = [each.strip() for each in posted.one("other_roles").split(",")]
    return [each for each in dict.fromkeys((*posted.all("role"), *typed)) if each]


def _page_name(person: str) -> str:
    return f"person {person}"


# Entries that hold the state of the account after the change.
_STATES: Final = frozenset({"add_person", "change_person", "link_person"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChange:
    """One change of an account, in words."""

    at: datetime
    by: str
    words: str


def _changes(entries: list[Entry]) -> list[AccountChange]:
    """Return the changes, newest first.

    If the list was cut, its oldest entry is left out: the state before it is not known.
    """
    states = [entry for entry in entries if entry.action in _STATES]
    older = dict(zip([each.id for each in states], [*states[1:], None], strict=False))
    kept = entries[:-1] if len(entries) == CHANGES else entries
    return [
        AccountChange(at=each.at, by=each.actor, words=_change_words(each, older.get(each.id)))
        for each in kept
    ]


def _change_words(entry: Entry, older: Entry | None) -> str:
    data = entry.data
    match entry.action:
        case "add_person":
            return f"added the account with {_role_words(data)}"
        case "change_person" | "link_person":
            return ", ".join(_differences(data, {} if older is None else older.data)) or (
                "changed the name"
            )
        case "link_chat" | "unlink_chat" as action:
            channel, verb = str(data.get("channel")), action.partition("_")[0]
            return f"{verb}ed the {channel_name(channel)} account {data.get('chat_id')}"
        case "issue_key":
            return f"made the key assent_{data.get('prefix')}_… that may {_listed(data, 'scopes')}"
        case "revoke_key":
            return f"revoked the key assent_{data.get('prefix')}_…"
        case _:
            return "made a link to decide" if entry.request_id else "made a sign-in link"


def _differences(new: dict[str, Json], old: dict[str, Json]) -> Iterable[str]:
    now, before = _set(new, "roles"), _set(old, "roles")
    for said, roles in (("gave", now - before), ("took", before - now)):
        if roles:
            noun = "role" if len(roles) == 1 else "roles"
            yield f"{said} the {noun} {' and '.join(sorted(roles))}"
    if new.get("disabled") != old.get("disabled", False):
        yield "disabled the account" if new.get("disabled") else "enabled the account"
    if new.get("behind") != old.get("behind"):
        human = new.get("behind")
        yield f"linked the account to {human}" if human else "unlinked the account"


def _role_words(data: dict[str, Json]) -> str:
    return f"the roles {_listed(data, 'roles')}" if data.get("roles") else "no roles"


def _listed(data: dict[str, Json], name: str) -> str:
    return ", ".join(sorted(_set(data, name)))


def _set(data: dict[str, Json], name: str) -> set[str]:
    found: Any = data.get(name)
    return {str(each) for each in cast("list[object]", found)} if isinstance(found, list) else set()


routes: list[BaseRoute] = [
    GuardedRoute("/people", index, methods=["GET"]),
    GuardedRoute("/people", add, methods=["POST"]),
    GuardedRoute("/people/{id:path}", show, methods=["GET"]),
    GuardedRoute("/people/{id:path}", change, methods=["POST"]),
]
