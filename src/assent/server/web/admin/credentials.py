"""Sessions and API keys as pages list them, and the scopes that they really open."""

from collections.abc import Collection, Iterable
from typing import Final

from assent.domain.credentials import Key, Session
from assent.domain.people import Person, Scope
from assent.engine.people.accounts import People
from assent.engine.people.credential_status import Held
from assent.server.access import AUDIT, CHAT, DECIDE, MANAGE, READ, Need
from assent.server.caller import Caller

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
    held = Held(sessions=frozenset(each.id for each in found))
    standing = (await people.standing.of(held)).sessions
    alive = [each for each in found if each.id in standing]
    return sorted(alive, key=lambda each: each.seen_at, reverse=True)


def may_end(caller: Caller, credential: Key | Session) -> bool:
    """Return True if the caller may end this credential: it is the one in use or opens no more."""
    return credential.id == caller.credential or credential.scopes <= caller.scopes


def useful(scopes: Collection[Scope], person: Person) -> list[Scope]:
    """Return the scopes that a credential really opens, given the roles of its person."""
    return [scope for scope in Scope if scope in scopes and _is_open(scope, person)]


def opened(keys: Iterable[Key], person: Person) -> dict[str, list[Scope]]:
    """Return, by key id, the scopes that each key of this person really opens."""
    return {key.id: useful(key.scopes, person) for key in keys}


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
