"""A guard over HTTP: the calls of an agent that runs elsewhere."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Self

import httpx

from assent.client.transport import Server
from assent.domain import parameters
from assent.domain.definitions import definition_of
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.outputs import jsonable
from assent.domain.tools import Tool
from assent.errors import ServerUnreachable
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
)

# A server waits this long for people before it answers; then it is asked again.
_ROUND_SECONDS: Final = 25.0
_PATIENCE: Final = httpx.Timeout(_ROUND_SECONDS + 20, connect=10.0)
# A request that got no answer is sent again with the same key or token, so that it counts once.
_TRIES: Final = 3
_RETRY_SECONDS: Final = 0.3
_NOT_SENT: Final = frozenset({"hash"})


class AsyncClient(Guard):
    """The guard of an agent, on a server: `AsyncClient("https://…", key="…", agent="mailer")`.

    Use it as an async context manager. The key says for whom the agent acts.
    """

    def __init__(self, url: str, *, key: str, agent: str = "caller") -> None:
        where = "AsyncClient"
        self._server = Server(
            parameters.name.taken(where, "url", url),
            parameters.name.taken(where, "key", key),
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
        body = {
            "agent": self.agent,
            "arguments": jsonable(_name(tool), dict(arguments)),
            # Without a key a repeated request would be a second call.
            "key": key or new_token(),
            "conversation_id": conversation_id,
            "token": token,
        } | _tool(tool)
        started = lease_clock()
        call = _call(await self._insist("/api/calls", body), started)
        if call.claim is not None or wait == 0:
            return call
        return await self._wait(call, wait)

    async def look(self, call_id: str, *, wait: float | None = 0) -> GuardedCall:
        return await self._wait(await self._look(call_id, 0), wait)

    async def _look(self, call_id: str, seconds: float) -> GuardedCall:
        return _call(await self._server.get(f"/api/calls/{call_id}", wait=seconds))

    async def _wait(self, call: GuardedCall, wait: float | None) -> GuardedCall:
        until = None if wait is None else time.monotonic() + wait
        while not (call.is_settled or (call.is_cleared and call.by_caller)):
            left = _ROUND_SECONDS if until is None else until - time.monotonic()
            if left <= 0:
                return call
            try:
                call = await self._look(call.id, min(left, _ROUND_SECONDS))
            except ServerUnreachable:
                # A wait of hours survives a server that is restarted; one with an end reports it.
                if until is not None:
                    raise
                await asyncio.sleep(_RETRY_SECONDS)
        return call

    async def claim(
        self, call_id: str, *, tool: Tool | None = None, token: str | None = None
    ) -> CallClaim:
        body: dict[str, Any] = {"token": token or new_token()}
        if tool is not None:
            body |= _tool(tool)
        started = lease_clock()
        return _claim(await self._insist(f"/api/calls/{call_id}/claim", body), started)

    async def renew(self, claim: CallClaim) -> CallClaim:
        started = lease_clock()
        await self._server.post(f"/api/calls/{claim.call_id}/renew", _held(claim))
        return _renewed(claim, started)

    async def settle(self, claim: CallClaim, outcome: BodyOutcome) -> GuardedCall:
        body = _held(claim) | _outcome(claim.tool, outcome)
        return _call(await self._insist(f"/api/calls/{claim.call_id}/outcome", body))

    async def withdraw(self, call_id: str) -> GuardedCall:
        return _call(await self._server.post(f"/api/calls/{call_id}/withdraw", {}))

    async def release(self, call_id: str) -> None:
        await self._insist(f"/api/calls/{call_id}/release", {})

    async def _insist(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post, and again if no answer came: key or token make the repetition count once."""
        for attempt in range(1, _TRIES + 1):
            try:
                return await self._server.post(path, body)
            except ServerUnreachable:
                if attempt == _TRIES:
                    raise
                await asyncio.sleep(_RETRY_SECONDS * attempt)
        raise AssertionError("a request is sent at least once")


def _name(tool: Tool | str) -> str:
    return tool if isinstance(tool, str) else tool.name


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
            return {"output": jsonable(tool, output)}
        case Raised(error=error):
            return {"error": error}
        case Unclear(reason=reason):
            return {"unknown": reason}


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
        raise ServerUnreachable(f"its answer is not one of an Assent server ({error!r})") from None


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
        raise ServerUnreachable(f"its answer is not one of an Assent server ({error!r})") from None


def _renewed(claim: CallClaim, started: float) -> CallClaim:
    return replace(claim, expires=started + claim.lease_seconds)
