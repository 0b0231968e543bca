"""A guard over HTTP: the calls of an agent that runs elsewhere."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Self
from urllib.parse import urlsplit

import httpx

from assent.client.transport import Server
from assent.domain import parameters
from assent.domain.canonical import check
from assent.domain.definitions import definition_of
from assent.domain.identifiers import want_keepable
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.outputs import error_text, jsonable, not_kept
from assent.domain.parameters import Check
from assent.domain.tools import Tool
from assent.errors import InvalidOutput, NotFound, ServerRefused, ServerUnreachable
from assent.guard import (
    BodyOutcome,
    CallClaim,
    Guard,
    GuardedCall,
    Raised,
    Returned,
    Unclear,
    lease_clock,
    new_token,
    want,
)

# A server waits this long for people before it answers; then it is asked again.
_ROUND_SECONDS: Final = 25.0
_PATIENCE: Final = httpx.Timeout(_ROUND_SECONDS + 20, connect=10.0)
# A server that is restarted is back within these.
_OUTAGE_SECONDS: Final = 60.0
# A request that got no answer is sent again with the same key or token, so that it counts once.
_TRIES: Final = 3
_RETRY_SECONDS: Final = 0.3
_NOT_SENT: Final = frozenset({"hash"})
# As the server has it: any other text could be another address there.
_ID: Final = re.compile(r"[A-Za-z0-9._:@|~=+-]{1,200}")
_DOTS: Final = frozenset({".", ".."})


def _address(given: object) -> object:
    if not isinstance(given, str) or not given.isprintable() or " " in given:
        return parameters.unfit()
    try:
        parts = urlsplit(given)
        # Asked for its port, it raises where that is no number.
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return parameters.unfit()
    # The path of each request comes after the address.
    return given if fits and not (parts.query or parts.fragment) else parameters.unfit()


def _key(given: object) -> object:
    # Read from a file, it often comes with the end of its line.
    key = given.strip() if isinstance(given, str) else ""
    return key if re.fullmatch(r"[!-~]+", key) else parameters.unfit()


_URL: Final = Check("the address of a server, such as 'https://assent.example.com'", _address)
_KEY: Final = Check("an API key, on one line and without a space", _key, hidden=True)


class AsyncClient(Guard):
    """The guard of an agent, on a server: `AsyncClient("https://…", key="…", agent="mailer")`.

    Use it as an async context manager. The key says for whom the agent acts.
    """

    def __init__(self, url: str, *, key: str, agent: str = "caller") -> None:
        where = "AsyncClient"
        self._server = Server(
            _URL.taken(where, "url", url),
            _KEY.taken(where, "key", key),
            timeout=_PATIENCE,
        )
        self.agent = parameters.name.taken(where, "agent", agent)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.http.aclose()

    async def propose(
        self,
        tool: Tool | str,
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
        conversation_id: str | None = None,
        wait: float | None = 0,
        token: str | None = None,
    ) -> GuardedCall:
        want(tool=tool, arguments=arguments, wait=wait)
        if key is not None:
            want_keepable("idempotency key", key)
        body = {
            "agent": self.agent,
            "arguments": check(dict(arguments)),
            # Without a key a repeated request would be a second call.
            "key": new_token() if key is None else key,
            "conversation_id": conversation_id,
            "token": token,
        } | _tool(tool)
        started = lease_clock()
        call = _call(await self._insist("/api/calls", body), started)
        if call.claim is not None or wait == 0:
            return call
        return await self._wait(call, wait)

    async def look(self, call_id: str, *, wait: float | None = 0) -> GuardedCall:
        want(call_id=call_id, wait=wait)
        return await self._wait(await self._look(call_id, 0), wait)

    async def _look(self, call_id: str, seconds: float) -> GuardedCall:
        async with _known(call_id) as path:
            return _call(await self._server.get(path, wait=seconds))

    async def _wait(self, call: GuardedCall, wait: float | None) -> GuardedCall:
        until = None if wait is None else time.monotonic() + wait
        answered = time.monotonic()
        while not (call.is_settled or (call.is_cleared and call.by_caller)):
            left = _ROUND_SECONDS if until is None else until - time.monotonic()
            if left <= 0:
                return call
            try:
                call = await self._look(call.id, min(left, _ROUND_SECONDS))
                answered = time.monotonic()
            except ServerUnreachable:
                # A server that is restarted ends no wait; one with an end reports what lasts.
                again = time.monotonic() + _RETRY_SECONDS
                if until is not None and again > min(until, answered + _OUTAGE_SECONDS):
                    raise
                await asyncio.sleep(_RETRY_SECONDS)
        return call

    async def claim(
        self, call_id: str, *, tool: Tool | None = None, token: str | None = None
    ) -> CallClaim:
        body: dict[str, Any] = {"token": new_token() if token is None else token}
        if tool is not None:
            body |= _tool(tool)
        started = lease_clock()
        async with _known(call_id) as path:
            return _claim(await self._insist(f"{path}/claim", body), started)

    async def renew(self, claim: CallClaim) -> CallClaim:
        want(claim=claim)
        started = lease_clock()
        async with _known(claim.call_id) as path:
            told = await self._server.post(f"{path}/renew", _held(claim))
        return _renewed(claim, told, started)

    async def settle(self, claim: CallClaim, outcome: BodyOutcome) -> GuardedCall:
        want(claim=claim, outcome=outcome)
        held, said = _held(claim), _outcome(claim.tool, outcome)
        async with _known(claim.call_id) as path:
            try:
                return _call(await self._insist(f"{path}/outcome", held | said))
            except ServerRefused as refused:
                if "output" not in said:
                    raise
                # Larger than that server takes, say. It ran: unsaid, it would be in doubt.
                said = {"error": not_kept(str(refused).rstrip("."))}
                return _call(await self._insist(f"{path}/outcome", held | said))

    async def withdraw(self, call_id: str) -> GuardedCall:
        async with _known(call_id) as path:
            return _call(await self._insist(f"{path}/withdraw", {}))

    async def release(self, call_id: str) -> None:
        async with _known(call_id) as path:
            await self._insist(f"{path}/release", {})

    async def _insist(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post, and again if no answer came: said twice, each of these requests counts once."""
        lost: ServerUnreachable | None = None
        for attempt in range(1, _TRIES + 1):
            try:
                return await self._server.post(path, body)
            except ServerUnreachable as error:
                # One that may have arrived says more than a later one that did not.
                lost = error if lost is None or error.reached else lost
                if attempt < _TRIES:
                    await asyncio.sleep(_RETRY_SECONDS * attempt)
        raise lost or AssertionError("a request is sent at least once")


@asynccontextmanager
async def _known(call_id: str) -> AsyncGenerator[str]:
    """Return the path of a call; the server does not say which thing it does not find."""
    want(call_id=call_id)
    if not _ID.fullmatch(call_id) or call_id in _DOTS:
        raise NotFound("call", call_id)
    try:
        yield f"/api/calls/{call_id}"
    except NotFound:
        raise NotFound("call", call_id) from None


def _tool(tool: Tool | str) -> dict[str, Any]:
    if isinstance(tool, str):
        return {"tool": tool}
    definition = definition_of(tool)
    return {"definition": {k: v for k, v in definition.items() if k not in _NOT_SENT}}


def _held(claim: CallClaim) -> dict[str, Any]:
    return {"token": claim.token, "fence": claim.fence}


def _outcome(tool: str, outcome: BodyOutcome) -> dict[str, Any]:
    match outcome:
        case Returned(output=output):
            try:
                return {"output": jsonable(tool, output)}
            except InvalidOutput as error:
                # It ran: unsaid, it would be in doubt.
                return {"error": not_kept(error.reason)}
        case Raised(error=error):
            return {"error": error_text(error)}
        case Unclear(reason=reason):
            return {"unknown": error_text(reason)}


def _call(told: Mapping[str, Any], started: float = 0.0) -> GuardedCall:
    try:
        by, kind, claim = told["decide_by"], told["waits_for"], told["claim"]
        return GuardedCall(
            id=told["id"],
            tool=told["tool"],
            status=CallStatus(told["status"]),
            arguments=told["arguments"],
            revision=told["revision"],
            definition_hash=told["definition_hash"],
            by_caller=told["by_caller"],
            request_id=told["request_id"],
            waits_for=None if kind is None else RequestKind(kind),
            review_url=told["review_url"],
            decide_by=None if by is None else datetime.fromisoformat(by),
            output=told["output"],
            note=told["note"],
            decided_by=told["decided_by"],
            claim=None if claim is None else _claim({**claim, "tool": told["tool"]}, started),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _strange(error) from None


def _claim(told: Mapping[str, Any], started: float) -> CallClaim:
    try:
        return CallClaim(
            call_id=told["call_id"],
            tool=str(told.get("tool", "")),
            fence=told["fence"],
            token=told["token"],
            arguments=told["arguments"],
            lease_seconds=told["lease_seconds"],
            approved=told["approved"],
            # Counted from before it was asked for: on the server it began later.
            expires=started + told["lease_seconds"],
        )
    except (KeyError, TypeError) as error:
        raise _strange(error) from None


def _renewed(claim: CallClaim, told: Mapping[str, Any], started: float) -> CallClaim:
    try:
        seconds = told["lease_seconds"]
        return replace(claim, lease_seconds=seconds, expires=started + seconds)
    except (KeyError, TypeError) as error:
        raise _strange(error) from None


def _strange(error: Exception) -> ServerUnreachable:
    return ServerUnreachable(f"its answer is not one of an Assent server ({error!r})")
