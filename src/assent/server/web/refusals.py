"""Refusals of pages: a way to sign in, or a page that says what is wrong."""

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

_CLOSED: Final = "This takes a role, or a key, that you do not have. An admin could give you one."
_FAILED: Final = "That is a mistake of ours, and it is logged. What was recorded stays: try again."


def install(app: FastAPI) -> None:
    """Whoever asked for a page gets one."""
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
        # What was posted is not done later, unseen: the person comes back to the page.
        way_back = urlencode({"next": request.url.path})
        return RedirectResponse(f"/sign-in?{way_back}", 303)
    is_unknown = getattr(request.state, "caller", None) is None
    if is_unknown and not isinstance(error, StoreUnavailable):
        # Refused at the door: who it is was known, and nothing of it kept.
        await _recognise(request)
    return _page(request, error)


async def _unknown(request: Request, error: Exception) -> Response:
    """An address that nothing is at."""
    is_missing = isinstance(error, HTTPException) and error.status_code == 404
    if is_missing and _wants_page(request):
        await _recognise(request)
        return _page(request, NotFound("page", request.url.path))
    return await http_problem(request, error)


async def _failed(request: Request, error: Exception) -> Response:
    """A mistake of ours; answered outside of the middleware that puts headers on pages."""
    problem = await unexpected(request, error)
    if not _wants_page(request):
        return problem
    pages = service_of(request).pages
    page = pages.render(request, "refused", status=500, title="It went wrong", detail=_FAILED)
    page.headers.update(HEADERS)
    return page


def _wants_page(request: Request) -> bool:
    """Browsers say that they would rather have a page."""
    return "text/html" in request.headers.get("accept", "")


async def _recognise(request: Request) -> None:
    """No guard stood before this address: whoever is signed in keeps their navigation."""
    service = service_of(request)
    with suppress(AssentError):
        caller = await service.auth.identify(request)
        if caller is not None and caller.person.kind in READ_PAGE.kinds:
            await welcome(request, caller, service)


def _page(request: Request, error: AssentError) -> Response:
    status, facts = facts_of(error)
    detail = _CLOSED if _is_closed(request, error) else facts["detail"]
    pages = service_of(request).pages
    page = pages.render(request, "refused", status=status, title=facts["title"], detail=detail)
    page.headers.update(headers_of(status, error))
    return page


def _is_closed(request: Request, error: AssentError) -> bool:
    """Whether the page itself is not for this person, rather than something done there."""
    return isinstance(error, NotAllowed) and error.action == door(request.scope)
