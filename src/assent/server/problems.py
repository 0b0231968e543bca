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

from assent.domain import errors
from assent.domain.errors import AssentError

log = logging.getLogger(__name__)
Facts = dict[str, Any]
TYPE = "urn:assent:problem:"
# The first class of an error's own line that is listed gives the status.
STATUS: dict[type[AssentError], int] = {
    errors.NotAuthenticated: 401,
    errors.NotFound: 404,
    errors.NotEligible: 403,
    errors.NotAllowed: 403,
    errors.Conflict: 409,
    errors.ModelFailed: 502,
    errors.StoreUnavailable: 503,
    errors.AssentError: 422,
}
_TITLES = {
    400: "Bad request",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    422: "Not acceptable",
    429: "Too many requests",
    500: "Internal error",
    502: "The model failed",
    503: "Unavailable",
}


def problem(
    status: int, code: str, detail: str, headers: dict[str, str] | None = None, **facts: Any
) -> Response:
    """One problem, in the shape of RFC 9457."""
    body = {
        "type": f"{TYPE}{code}",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
        **facts,
    }
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def problem_of(error: AssentError) -> Response:
    """An error of ours, with its facts."""
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    if isinstance(error, errors.NotFound):
        # One shape for what is missing and what is somebody else's: not even the id comes back.
        return problem(404, "not_found", "There is nothing here, or it is not yours to see")
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    facts = {name: _plain(value) for name, value in vars(error).items()}
    return problem(status, error.code, str(error), headers, **facts)


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
    """Every refusal of this app is a problem."""
    app.add_exception_handler(AssentError, _assent)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _assent(_request: Request, error: Exception) -> Response:
    if not isinstance(error, AssentError):
        raise error
    return problem_of(error)


async def _validation(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    # Without `input` and `ctx`: a refused body may hold a secret, and needs no echo.
    found = [{"at": [str(p) for p in e["loc"]], "message": e["msg"]} for e in error.errors()]
    return problem(422, "invalid_request", "The request does not have its shape", errors=found)


async def _http(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 404:
        return problem_of(errors.NotFound("path", ""))
    code = {405: "method_not_allowed"}.get(error.status_code, "bad_request")
    headers = dict(error.headers) if error.headers else None
    return problem(error.status_code, code, str(error.detail), headers)


async def _unexpected(_request: Request, error: Exception) -> Response:
    log.error("a handler failed", exc_info=error)
    return problem(500, "internal_error", "Something failed here that should not; it is logged")
