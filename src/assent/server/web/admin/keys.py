"""Pages for API keys: make one and show it once, list them, and revoke them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.credentials import Key
from assent.domain.people import Scope
from assent.engine.people.sessions import CredentialIds
from assent.errors import AssentError, InvalidAccount, NotAllowed, NotFound
from assent.server.access import MANAGE
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.web.admin.credentials import (
    SCOPES,
    NewSecret,
    forget,
    may,
    may_end,
    open_scopes,
    secret_for,
    show_once,
    stored_text,
)
from assent.server.web.admin.people import address_of

_PAGE: Final = 50
LIFETIMES: Final = {7: "7 days", 30: "30 days", 90: "90 days", 365: "a year"}
_NOBODY: Final = "There is no account with that id."
_NO_SCOPE: Final = "Choose at least one thing that the key may do."
_NO_USE: Final = "The key would allow nothing: the roles of this account permit none of that."


async def index(request: Request) -> Response:
    """List all keys, or those of one person; the text of a key is never listed."""
    return await _index(request)


async def _index(
    request: Request, *, posted: Posted | None = None, problem: str = "", status: int = 200
) -> Response:
    service, asked = service_of(request), request.query_params
    person = stored_text(asked.get("person", ""))
    found = await service.assent.people.directory.keys(
        person or None,
        by=caller_of(request).person,
        after=stored_text(asked.get("after", "")),
        limit=_PAGE,
    )
    secret = secret_for(request, "keys")
    page = service.pages.render(
        request,
        "keys",
        status=status,
        found=found,
        opened=await _opened(service, found.items),
        now=datetime.now(UTC),
        asked={"person": person},
        scopes=SCOPES,
        offered=await _offered(service, posted.one("person") if posted else person),
        lifetimes=LIFETIMES,
        address_of=address_of,
        secret=secret,
        posted=posted,
        problem=problem,
        done=asked.get("done", "") if not problem else "",
    )
    return forget(request, secret, page)


async def _opened(service: Service, keys: Sequence[Key]) -> dict[str, list[Scope]]:
    """Return, by key id, the scopes that each key really opens; owners may differ."""
    held = CredentialIds(accounts=frozenset(key.person for key in keys))
    accounts = (await service.assent.people.standing.of(held)).accounts
    return {key.id: open_scopes(key.scopes, accounts[key.person].person) for key in keys}


async def _offered(service: Service, person: str) -> list[Scope]:
    """Return the scopes that a key of this person can use; all scopes if no account is named."""
    account = await service.assent.people.find(stored_text(person))
    return list(Scope) if account is None else open_scopes(Scope, account.person)


async def issue(request: Request) -> Response:
    """Make a key; only the next page shows its text."""
    service, posted = service_of(request), await posted_of(request)
    days = posted.one("days")
    lifetime = timedelta(days=int(days)) if days in map(str, LIFETIMES) else None
    person = stored_text(posted.one("person"))
    try:
        scopes = _scopes(posted, person, await _offered(service, person))
        _, text = await service.assent.people.issue_key(
            person,
            scopes=scopes,
            label=posted.one("label").strip(),
            lifetime=lifetime,
            by=caller_of(request).person,
        )
    except (NotFound, InvalidAccount) as error:
        said = _said(error)
        return await _index(request, posted=posted, problem=said, status=422)
    secret = NewSecret(person=person, text=text)
    return show_once(request, secret, page="keys", address="/keys?done=issued")


def _scopes(posted: Posted, person: str, offered: Sequence[Scope]) -> list[Scope]:
    """Return the chosen scopes that open something now.

    The others are left out, so that a role given later does not make an old key more powerful.
    """
    chosen = posted.all("scope")
    if not any(scope in chosen for scope in Scope):
        raise InvalidAccount(person, _NO_SCOPE)
    if not (kept := [scope for scope in offered if scope in chosen]):
        raise InvalidAccount(person, _NO_USE)
    return kept


def _said(error: AssentError) -> str:
    match error:
        case NotFound():
            return _NOBODY
        case InvalidAccount(reason=reason):
            return reason
        case _:
            return str(error)


async def show(request: Request) -> Response:
    """Show one key and ask for confirmation to revoke it."""
    key = await _key(request)
    return service_of(request).pages.render(
        request, "keys_revoke", key=key, scopes=SCOPES, back=_back(request)
    )


async def revoke(request: Request) -> Response:
    """Revoke a key for good."""
    key = await _key(request)
    await service_of(request).assent.people.revoke_key(key.id, by=caller_of(request).person)
    return RedirectResponse(f"{_back(request)}?done=revoked", 303)


async def _key(request: Request) -> Key:
    """Return the key of this address: people may end their own, admins any."""
    service, caller = service_of(request), caller_of(request)
    id = stored_text(request.path_params["id"])
    key = await service.assent.people.find_key(id)
    manages = may(caller, MANAGE)
    if key is None or not (manages or key.person == caller.person.id):
        raise NotFound("API key", id)
    if not (manages or may_end(caller, key)):
        raise NotAllowed(caller.person.id, "end a key that may do more than this session")
    return key


def _back(request: Request) -> str:
    return "/keys" if may(caller_of(request), MANAGE) else "/settings"


routes: list[BaseRoute] = [
    GuardedRoute("/keys", index, methods=["GET"]),
    GuardedRoute("/keys", issue, methods=["POST"]),
    GuardedRoute("/keys/{id}", show, methods=["GET"]),
    GuardedRoute("/keys/{id}", revoke, methods=["POST"]),
]
