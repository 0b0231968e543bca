"""A new secret that is shown on the next page only.

It is sealed for one page of one session and kept in the browser's cookie for a minute. The server
stores nothing; a reload neither shows the secret again nor makes another one.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assent.domain.canonical import encode, parse
from assent.errors import InvalidJson, SecretUnreadable
from assent.server.auth.cookies import ONCE_SECONDS
from assent.server.caller import caller_of
from assent.server.service import service_of

_ROW: Final = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A new secret and the person it belongs to."""

    person: str
    text: str


def tell_once(request: Request, told: Told, *, page: str, address: str) -> Response:
    """Redirect to a page that shows the secret; `page` is the name it passes to `told_once`."""
    service = service_of(request)
    until = int(datetime.now(UTC).timestamp()) + ONCE_SECONDS
    text = encode([told.person, told.text, until])
    sealed = service.assent.vault.seal(text, row=_ROW, field=_place(request, page))
    response = RedirectResponse(address, 303)
    service.auth.cookies.keep_once(response, sealed)
    return response


def told_once(request: Request, page: str) -> Told | None:
    """Return the secret that this page is to show; usually None."""
    service = service_of(request)
    sealed = service.auth.cookies.once(request)
    try:
        opened = service.assent.vault.open(sealed or "", row=_ROW, field=_place(request, page))
        match parse(opened):
            case [str(person), str(text), int(until)]:
                in_time = datetime.now(UTC).timestamp() < until
                return Told(person=person, text=text) if in_time else None
            case _:
                return None
    except (SecretUnreadable, InvalidJson):
        return None


def forget(request: Request, told: Told | None, response: Response) -> Response:
    """Delete the cookie once its secret was shown."""
    if told is not None:
        service_of(request).auth.cookies.drop_once(response)
    return response


def _place(request: Request, page: str) -> str:
    caller = caller_of(request)
    return f"{caller.method} {caller.credential} {page}"
