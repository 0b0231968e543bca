"""HTTP to an Assent server with an API key: answers as JSON, refusals as our own errors."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self, cast

import httpx

from assent import errors
from assent.domain.confirmations import Phrase
from assent.errors import AssentError, ServerRefused, ServerUnreachable

PATIENCE = httpx.Timeout(30.0, connect=10.0)
# Shorter than a server keeps an idle connection (ours: 5 s). Where both let go at once, a decision
# may be sent into a connection that is being closed, and nobody knows whether it counts.
_IDLE = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=2.0)

# Raised before a byte of the request was sent.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Server:
    """A connection to one server; use it as an async context manager."""

    def __init__(self, url: str, key: str, *, timeout: httpx.Timeout = PATIENCE) -> None:
        # The key goes to this server and to no other.
        self.http = httpx.AsyncClient(
            limits=_IDLE,
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout,
            follow_redirects=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def get(self, path: str, **query: str | float | bool | None) -> dict[str, Any]:
        """Return the JSON at an address."""
        asked = {name: value for name, value in query.items() if value is not None}
        return await self._answer(self.http.build_request("GET", path, params=asked))

    async def post(self, path: str, body: Mapping[str, Any], **query: float) -> dict[str, Any]:
        """Post JSON and return the answer."""
        return await self._answer(
            self.http.build_request("POST", path, json=dict(body), params=query)
        )

    async def upload(self, path: str, file: Path) -> dict[str, Any]:
        """Send the bytes of a file; raises `InvalidAnswer` if its field does not take it."""
        try:
            size = (await asyncio.to_thread(file.stat)).st_size
            request = self.http.build_request(
                "PUT",
                path,
                params={"name": file.name},
                content=_bytes_of(file),
                headers={"content-length": str(size), "content-type": "application/octet-stream"},
                # A large file over a slow line takes its time.
                timeout=None,
            )
            return await self._answer(request)
        except OSError as error:
            reason = f"It cannot be read: {error.strerror}."
            raise errors.InvalidAnswer({path.rpartition("/")[2]: reason}) from None

    async def _answer(self, request: httpx.Request) -> dict[str, Any]:
        try:
            response = await self.http.send(request)
        except httpx.HTTPError as error:
            reached = not isinstance(error, _UNSENT)
            raise ServerUnreachable(reason_of(error), reached=reached) from None
        if response.status_code >= 300:
            raise refusal_of(response)
        return _object(response)


async def _bytes_of(file: Path) -> AsyncGenerator[bytes]:
    opened = await asyncio.to_thread(file.open, "rb")
    with opened:
        while data := await asyncio.to_thread(opened.read, 262_144):
            yield data


def reason_of(error: httpx.HTTPError) -> str:
    """Return why a server could not be asked."""
    return str(error) or type(error).__name__


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        found: object = response.json()
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ServerUnreachable("its answer is not one of an Assent server")
    return cast("dict[str, Any]", found)


def refusal_of(response: httpx.Response) -> AssentError:
    """Return the error that a problem document tells of, of the same class as in the server."""
    try:
        told = _object(response)
    except ServerUnreachable:
        if response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            # Said by a gateway before the server: it would say so again.
            return ServerRefused("too_large", "the request is too large for a gateway on the way")
        return ServerUnreachable(f"it answers {response.status_code}")
    code, detail = str(told.get("code", "")), str(told.get("detail", ""))
    if isinstance(wrong := told.get("errors"), list) and wrong:
        detail = f"{detail}: {wrong[0]}"
    if response.status_code >= 500:
        # Not a refusal: the same request may well be answered later.
        return ServerUnreachable(f"it answers {response.status_code}: {detail.rstrip('.')}")
    try:
        make = _ERRORS.get(code)
        return ServerRefused(code, detail) if make is None else make(told)
    except (KeyError, TypeError, ValueError):
        return ServerRefused(code, detail)


def _settled(told: Mapping[str, Any]) -> AssentError:
    at = told.get("at")
    return errors.AlreadySettled.of(
        str(told["request_id"]),
        str(told["state"]),
        by=told.get("by"),
        at=None if at is None else datetime.fromisoformat(at),
    )


def _unconfirmed(told: Mapping[str, Any]) -> AssentError:
    text, argument, is_check = str(told["to_type"]), str(told["argument"]), bool(told["is_check"])
    phrase = Phrase(text=text, argument=argument, is_check=is_check)
    return phrase.refusal(str(told["request_id"]), typed=bool(told["typed"]))


_Made = Callable[[Mapping[str, Any]], AssentError]
_LATE = (
    *("already_settled", "already_approved", "already_rejected", "already_answered"),
    *("expired", "cancelled", "superseded"),
)
# Only errors that our programs treat in their own way; of all others they show the words.
_ERRORS: dict[str, _Made] = {
    **dict.fromkeys(_LATE, _settled),
    "confirmation_required": _unconfirmed,
    # It does not say what was asked for: whoever asked knows.
    "not_found": lambda _told: errors.NotFound("request", ""),
    "not_authenticated": lambda _told: errors.NotAuthenticated(),
    "idempotency_key_reused": lambda told: errors.KeyReused(str(told["key"])),
    "call_waits": lambda told: errors.CallWaits(
        str(told["call_id"]), str(told["tool"]), str(told["state"]), told.get("review_url")
    ),
    "call_not_run": lambda told: errors.CallNotRun(
        str(told["call_id"]), str(told["tool"]), str(told["state"])
    ),
    "too_many_requests": lambda told: errors.TooManyRequests(int(told["retry_after"])),
    "lease_lost": lambda told: errors.LeaseLost(str(told["noun"]), str(told["id"])),
    "stale_digest": lambda told: errors.StaleDigest(str(told["request_id"])),
    "not_as_shown": lambda told: errors.NotAsShown(str(told["request_id"])),
    "draft_changed": lambda told: errors.DraftChanged(
        str(told["request_id"]), list(map(str, told["fields"])), number=int(told["number"])
    ),
    "invalid_answer": lambda told: errors.InvalidAnswer(
        {str(name): str(message) for name, message in dict(told["errors"]).items()}
    ),
    "invalid_arguments": lambda told: errors.InvalidArguments(
        str(told["tool"]), [str(each) for each in told["problems"]]
    ),
    **dict.fromkeys(
        ("file_refused", "file_too_large"),
        lambda told: errors.InvalidAnswer({str(told["field"]): str(told["reason"])}),
    ),
    "invalid_output": lambda told: errors.InvalidOutput(str(told["tool"]), str(told["reason"])),
}
