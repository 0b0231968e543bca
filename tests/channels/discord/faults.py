"""Faults between a bot and the sandbox: what networks, proxies and Discord do on a bad day."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from assent.demo.discord_sandbox.rate_limits import too_many
from assent.demo.discord_sandbox.rest.exchange import BASE, reply

Fault = Callable[[web.Request, Handler], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request that arrived, and how it was answered."""

    method: str
    path: str
    body: str
    status: int
    at: float


@dataclass(slots=True, kw_only=True)
class _Planned:
    method: str
    pattern: re.Pattern[str]
    fault: Fault
    times: int


@dataclass(slots=True)
class Faults:
    """Sees every request first. Plans hold for a number of matching requests, oldest first."""

    seen: list[Seen] = field(default_factory=list)
    plans: list[_Planned] = field(default_factory=list)
    is_down: bool = False

    async def __call__(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        body = await request.text() if request.can_read_body else ""
        response = await self._answer(request, handler)
        path = request.path.removeprefix(BASE)
        at = asyncio.get_running_loop().time()
        status = response.status
        self.seen.append(Seen(method=request.method, path=path, body=body, status=status, at=at))
        return response

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.is_down and not request.path.startswith("/sandbox"):
            return reply({"message": "upstream connect error", "code": 0}, 503)
        for plan in self.plans:
            path = request.path.removeprefix(BASE)
            if plan.method == request.method and plan.pattern.fullmatch(path):
                plan.times -= 1
                if plan.times == 0:
                    self.plans.remove(plan)
                return await plan.fault(request, handler)
        return await handler(request)

    def plan(self, route: str, fault: Fault, *, times: int = 1) -> None:
        """Let a fault happen to the next requests, as in `"POST /channels/*/messages"`."""
        method, _, path = route.partition(" ")
        pattern = re.compile("[^/]+".join(map(re.escape, path.split("*"))))
        self.plans.append(_Planned(method=method, pattern=pattern, fault=fault, times=times))

    def sent(self, route: str) -> list[Seen]:
        """Return the requests to a route that arrived so far."""
        method, _, path = route.partition(" ")
        pattern = re.compile("[^/]+".join(map(re.escape, path.split("*"))))
        return [s for s in self.seen if s.method == method and pattern.fullmatch(s.path)]


def rate_limited(seconds: float, *, everywhere: bool = False) -> Fault:
    """Answer 429 and say how long to wait."""

    async def fault(request: web.Request, handler: Handler) -> web.StreamResponse:
        return too_many(seconds, is_global=everywhere)

    return fault


def broken(status: int = 500) -> Fault:
    """Answer with an error and do nothing."""

    async def fault(request: web.Request, handler: Handler) -> web.StreamResponse:
        return web.Response(status=status, text="upstream error")

    return fault


def delayed(gate: asyncio.Event) -> Fault:
    """Wait for a gate before doing what was asked."""

    async def fault(request: web.Request, handler: Handler) -> web.StreamResponse:
        await gate.wait()
        return await handler(request)

    return fault


def lost() -> Fault:
    """Do what was asked, and cut the connection instead of answering."""

    async def fault(request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        if request.transport is not None:
            request.transport.abort()
        return response

    return fault
