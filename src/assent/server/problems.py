"""Errors as `application/problem+json`, with stable type names."""

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from assent import errors
from assent.errors import AssentError
from assent.server.headers import HEADERS

log = logging.getLogger(__name__)
Facts = dict[str, Any]
TYPE = "urn:assent:problem:"
# Seconds after which a client may retry if the service is not available.
RETRY_SECONDS = 5
# An error gets the status of the first class in its MRO that is listed here.
STATUS: dict[type[AssentError], int] = {
    errors.NotAuthenticated: 401,
    errors.NotFound: 404,
    errors.NotEligible: 403,
    errors.NotAllowed: 403,
    errors.Conflict: 409,
    errors.LeaseLost: 409,
    errors.OverQuota: 429,
    errors.ModelFailed: 502,
    errors.StoreUnavailable: 503,
    errors.NotReady: 503,
    errors.NoWorker: 503,
    errors.IdentityUnavailable: 503,
    errors.TooManyRequests: 429,
    errors.Crowded: 503,
    errors.TooSlow: 408,
    errors.TooLarge: 413,
    errors.FileTooLarge: 413,
    errors.NoPicture: 404,
    errors.CrossSite: 403,
    errors.WrongHost: 403,
    errors.SignInFailed: 403,
    errors.AssentError: 422,
}
# Facts with a name that RFC 9457 uses for something else are renamed.
_FACTS = {"status": "state", "detail": "cause", "type": "of", "title": "name", "code": "number"}
_TITLES = {
    400: "Bad request",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    422: "Not acceptable",
    429: "Too many requests",
    500: "Internal error",
    502: "The model failed",
    503: "Unavailable",
}


def body_of(status: int, code: str, detail: str, facts: Facts) -> Facts:
    """Return the members of one problem."""
    return {
        "type": f"{TYPE}{code}",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
        **facts,
    }


def problem(
    status: int, code: str, detail: str, headers: dict[str, str] | None = None, **facts: Any
) -> Response:
    """Return one problem as a response in the form of RFC 9457."""
    body = body_of(status, code, detail, facts)
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def problem_of(error: AssentError) -> Response:
    """Return the response for an error of ours, with its facts."""
    status, body = facts_of(error)
    headers = headers_of(status, error)
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def facts_of(error: AssentError) -> tuple[int, Facts]:
    """Return the status and the members for an error of ours."""
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    if isinstance(error, errors.NotFound):
        # The same answer for things that are missing and things of other people: not even the id is
        # sent.
        detail = "There is nothing here, or it is not yours to see"
        return status, body_of(status, "not_found", detail, {})
    facts = {_FACTS.get(name, name): _plain(value) for name, value in vars(error).items()}
    return status, body_of(status, error.code, str(error), facts)


def headers_of(status: int, error: AssentError) -> dict[str, str]:
    """Return the headers of a refusal: how to sign in, when to retry."""
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if status == 408:
        # The rest of that body must not be read as another request.
        return {"Connection": "close"}
    wait = getattr(error, "retry_after", RETRY_SECONDS if status == 503 else None)
    return {} if wait is None else {"Retry-After": str(wait)}


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case tuple() | list() | set() | frozenset():
            return [_plain(item) for item in cast("Iterable[Any]", value)]
        case dict():
            return {str(key): _plain(item) for key, item in cast("Facts", value).items()}
        case str() | int() | float() | None:
            return value
        case _:
            return str(value)


def install(app: FastAPI) -> None:
    """Make every refusal of this app a problem."""
    app.add_exception_handler(AssentError, _assent)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, http_problem)
    app.add_exception_handler(Exception, unexpected)


async def _assent(_request: Request, error: Exception) -> Response:
    if not isinstance(error, AssentError):
        raise error
    return problem_of(error)


async def _validation(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    found = shape_errors(error)
    return problem(422, "invalid_request", "The request is not valid: see errors", errors=found)


def shape_errors(error: RequestValidationError) -> list[Facts]:
    """List the places where a body does not have the declared form, with the reasons."""
    # Without `input` and `ctx`: a refused body may hold a secret, which must not be sent back.
    return [{"at": [str(p) for p in e["loc"]], "message": _said(e)} for e in error.errors()]


def _said(error: Any) -> str:
    if error["type"] != "union_tag_invalid":
        return error["msg"]
    # This is the only message of pydantic's that repeats what was sent.
    return f"It must be one of {error['ctx']['expected_tags']}"


async def http_problem(request: Request, error: Exception) -> Response:
    """Return the problem for a refusal of the router: an unknown path, or a method not served."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 404:
        return problem_of(errors.NotFound("path", ""))
    code = {405: "method_not_allowed"}.get(error.status_code, "bad_request")
    headers = dict(error.headers) if error.headers else None
    if error.status_code == 405:
        headers = {"Allow": ", ".join(sorted(_allowed(request)))}
    return problem(error.status_code, code, str(error.detail), headers)


def _allowed(request: Request) -> set[str]:
    """Return the methods of this address, of all routes that match it and not only the first."""
    routes: Iterable[Any] = request.app.router.routes
    found = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return {method for route in found for method in getattr(route, "methods", None) or ()}


async def unexpected(_request: Request, error: Exception) -> Response:
    """Log an unexpected error, and return a problem that does not reveal its cause."""
    log.error("a request failed unexpectedly", exc_info=error)
    detail = "An unexpected error occurred; it has been logged"
    # This response does not pass the middleware that adds these headers to all others.
    return problem(500, "internal_error", detail, dict(HEADERS))
