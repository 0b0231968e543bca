"""Refusals of pages: a way to sign in, or a page that says what is wrong."""

from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assent.domain.errors import AssentError, NotAuthenticated, NotFound
from assent.server.problems import facts_of, http_problem, problem_of
from assent.server.service import service_of


def install(app: FastAPI) -> None:
    """Whoever asked for a page gets one."""
    app.add_exception_handler(AssentError, _refused)
    app.add_exception_handler(HTTPException, _unknown)


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
    return _page(request, error)


async def _unknown(request: Request, error: Exception) -> Response:
    """An address that nothing is at: browsers say that they would rather have a page."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if isinstance(error, HTTPException) and error.status_code == 404 and wants_page:
        return _page(request, NotFound("page", request.url.path))
    return await http_problem(request, error)


def _page(request: Request, error: AssentError) -> Response:
    status, facts = facts_of(error)
    pages = service_of(request).pages
    return pages.render(
        request, "refused", status=status, title=facts["title"], detail=facts["detail"]
    )
