"""Error pages: a redirect to sign in, or a page that says what is wrong."""

from contextlib import suppress
from typing import Final
from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assent.errors import (
    AssentError,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    StoreUnavailable,
)
from assent.server.access import READ_PAGE
from assent.server.guard import door, welcome
from assent.server.headers import HEADERS
from assent.server.problems import facts_of, headers_of, http_problem, problem_of, unexpected
from assent.server.service import service_of

_CLOSED: Final = "You do not have the role or the key for this page. An admin can give you access."
_FAILED: Final = (
    "This is an error on our side, and it is logged. Nothing that was recorded is lost. Try again."
)


def install(app: FastAPI) -> None:
    """Answer errors with pages where a page was asked for."""
    app.add_exception_handler(AssentError, _refused)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(Exception, _failed)


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, AssentError):
        raise error
    need = getattr(request.state, "need", None)
    if need is None or not need.page:
        return problem_of(error)
    if isinstance(error, NotAuthenticated):
        # A posted form is not replayed unseen after the sign-in: the person returns to its page.
        way_back = urlencode({"next": request.url.path})
        return RedirectResponse(f"/sign-in?{way_back}", 303)
    is_unknown = getattr(request.state, "caller", None) is None
    if is_unknown and not isinstance(error, StoreUnavailable):
        # The guard refused the caller and did not store who it is, so identify them again.
        await _recognise(request)
    return _page(request, error)


async def _unknown(request: Request, error: Exception) -> Response:
    """Answer a request for an address that does not exist."""
    is_missing = isinstance(error, HTTPException) and error.status_code == 404
    if is_missing and _wants_page(request):
        await _recognise(request)
        return _page(request, NotFound("page", request.url.path))
    return await http_problem(request, error)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer an unexpected error; this is outside the middleware that adds the headers."""
    problem = await unexpected(request, error)
    if not _wants_page(request):
        return problem
    pages = service_of(request).pages
    page = pages.render(request, "error", status=500, title="Something went wrong", detail=_FAILED)
    page.headers.update(HEADERS)
    return page


def _wants_page(request: Request) -> bool:
    """Return True if the client accepts HTML, as browsers say they do."""
    return "text/html" in request.headers.get("accept", "")


async def _recognise(request: Request) -> None:
    """Identify the caller where no guard did, so that the error page has their navigation."""
    service = service_of(request)
    with suppress(AssentError):
        caller = await service.auth.identify(request)
        if caller is not None and caller.person.kind in READ_PAGE.kinds:
            await welcome(request, caller, service)


def _page(request: Request, error: AssentError) -> Response:
    status, facts = facts_of(error)
    detail = _CLOSED if _is_closed(request, error) else facts["detail"]
    pages = service_of(request).pages
    page = pages.render(request, "error", status=status, title=facts["title"], detail=detail)
    page.headers.update(headers_of(status, error))
    return page


def _is_closed(request: Request, error: AssentError) -> bool:
    """Return True if the person may not use the page at all, rather than something on it."""
    return isinstance(error, NotAllowed) and error.action == door(request.scope)
