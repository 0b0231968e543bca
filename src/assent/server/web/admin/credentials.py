"""Sessions and API keys for pages: which are valid, which scopes they open, new ones shown once.

A new key or link is sealed for one page of one session and kept in the browser's cookie for a
minute. The server stores nothing; a reload neither shows it again nor makes another one.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assent.domain.canonical import encode, parse
from assent.domain.credentials import Key, Session
from assent.domain.people import Person, Scope
from assent.engine.people.accounts import People
from assent.engine.people.sessions import CredentialIds
from assent.errors import InvalidJson, SecretUnreadable
from assent.server.access import AUDIT, CHAT, DECIDE, MANAGE, READ, Need
from assent.server.auth.cookies import ONCE_SECONDS
from assent.server.caller import Caller, caller_of
from assent.server.service import service_of

SCOPES: Final = {
    Scope.CHAT: "talk to agents",
    Scope.READ: "read requests, conversations and tools",
    Scope.DECIDE: "decide requests",
    Scope.AUDIT: "read the record",
    Scope.MANAGE: "manage people, keys and tools",
}
# What a person needs for each scope: without such a role, or for an agent, it opens nothing.
_NEEDS: Final = {need.scope: need for need in (CHAT, READ, DECIDE, AUDIT, MANAGE)}


async def live_sessions(people: People, person: str, *, by: Person) -> list[Session]:
    """Return a person's valid sessions, most recently used first, without those idle too long."""
    found = await people.sessions.of_person(person, by=by)
    held = CredentialIds(sessions=frozenset(each.id for each in found))
    standing = (await people.standing.of(held)).sessions
    alive = [each for each in found if each.id in standing]
    return sorted(alive, key=lambda each: each.seen_at, reverse=True)


def may_end(caller: Caller, credential: Key | Session) -> bool:
    """Return True if the caller may end this credential: their own, or one that allows no more."""
    return credential.id == caller.credential or credential.scopes <= caller.scopes


def open_scopes(scopes: Collection[Scope], person: Person) -> list[Scope]:
    """Return the scopes that a credential really opens, given the roles of its person."""
    return [scope for scope in Scope if scope in scopes and _is_open(scope, person)]


def scopes_by_key(keys: Iterable[Key], person: Person) -> dict[str, list[Scope]]:
    """Return, by key id, the scopes that each key of this person really opens."""
    return {key.id: open_scopes(key.scopes, person) for key in keys}


def _is_open(scope: Scope, person: Person) -> bool:
    need = _NEEDS[scope]
    has_role = not need.roles or not need.roles.isdisjoint(person.roles)
    return has_role and person.kind in need.kinds


def may(caller: Caller, need: Need) -> bool:
    """Return True if the guard would let this caller through to a route with that need."""
    has_role = not need.roles or not need.roles.isdisjoint(caller.person.roles)
    return has_role and (need.scope is None or need.scope in caller.scopes)


def stored_text(given: str) -> str:
    """Return text that can be used in a query: stored text never holds a null character."""
    return given.replace("\x00", "").strip()


_SEALED_AS: Final = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecret:
    """A new secret and the person it belongs to."""

    person: str
    text: str


def show_once(request: Request, secret: NewSecret, *, page: str, address: str) -> Response:
    """Redirect to the page that shows the secret; it passes the same `page` to `secret_for`."""
    service = service_of(request)
    until = int(datetime.now(UTC).timestamp()) + ONCE_SECONDS
    text = encode([secret.person, secret.text, until])
    sealed = service.assent.vault.seal(text, row=_SEALED_AS, field=_place(request, page))
    response = RedirectResponse(address, 303)
    service.auth.cookies.keep_once(response, sealed)
    return response


def secret_for(request: Request, page: str) -> NewSecret | None:
    """Return the secret that this page is to show; usually None."""
    service = service_of(request)
    sealed = service.auth.cookies.once(request)
    try:
        text = service.assent.vault.open(sealed or "", row=_SEALED_AS, field=_place(request, page))
        match parse(text):
            case [str(person), str(new), int(until)]:
                in_time = datetime.now(UTC).timestamp() < until
                return NewSecret(person=person, text=new) if in_time else None
            case _:
                return None
    except (SecretUnreadable, InvalidJson):
        return None


def forget(request: Request, secret: NewSecret | None, response: Response) -> Response:
    """Delete the cookie once its secret was shown."""
    if secret is not None:
        service_of(request).auth.cookies.drop_once(response)
    return response


def _place(request: Request, page: str) -> str:
    caller = caller_of(request)
    return f"{caller.method} {caller.credential} {page}"
