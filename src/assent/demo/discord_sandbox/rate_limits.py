"""Rate limits: buckets per route and channel, and one for everything, as Discord announces them."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from aiohttp import web

from assent.demo.discord_sandbox.rest.exchange import BASE, reply

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
GLOBAL_PER_SECOND = 50
_MESSAGES = f"{BASE}/channels/{{channel}}/messages"
_MESSAGE = f"{_MESSAGES}/{{message}}"
# Discord publishes no numbers; these are what its headers say at the time of writing.
_PER_ROUTE: Mapping[tuple[str, str], tuple[int, float]] = MappingProxyType(
    {
        ("POST", _MESSAGES): (5, 5.0),
        ("PATCH", _MESSAGE): (5, 5.0),
        ("DELETE", _MESSAGE): (5, 1.0),
    }
)


@dataclass(slots=True, kw_only=True)
class Bucket:
    """A number of requests in a window of time."""

    limit: int
    seconds: float
    started: float = 0.0
    used: int = 0

    def take(self, now: float) -> float:
        """Use one request; return how many seconds to wait if there is none left."""
        if now >= self.started + self.seconds:
            self.started, self.used = now, 0
        if self.used >= self.limit:
            return self.started + self.seconds - now
        self.used += 1
        return 0.0

    def headers(self, now: float, name: str) -> dict[str, str]:
        """Return the headers that tell a client where it stands."""
        left = max(0.0, self.started + self.seconds - now)
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - self.used),
            "X-RateLimit-Reset": f"{time.time() + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": name,
        }


@dataclass(slots=True)
class RateLimits:
    """All buckets of one bot."""

    buckets: dict[tuple[str, str, str], Bucket] = field(
        default_factory=dict[tuple[str, str, str], Bucket]
    )
    everything: Bucket = field(default_factory=lambda: Bucket(limit=GLOBAL_PER_SECOND, seconds=1.0))

    async def __call__(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let a request through, or answer 429; a middleware calls this."""
        now, path = time.monotonic(), route_of(request)
        if not path.startswith(f"{BASE}/") or "{token}" in path:
            return await handler(request)
        if wait := self.everything.take(now):
            return too_many(wait, is_global=True)
        rule = _PER_ROUTE.get((request.method, path))
        if rule is None:
            return await handler(request)
        key = (request.method, path, request.match_info.get("channel", ""))
        bucket = self.buckets.setdefault(key, Bucket(limit=rule[0], seconds=rule[1]))
        name = f"{request.method.lower()}-{path.count('/')}"
        if wait := bucket.take(now):
            return too_many(wait, is_global=False, headers=bucket.headers(now, name))
        response = await handler(request)
        response.headers.update(bucket.headers(now, name))
        return response


def route_of(request: web.Request) -> str:
    """Return the pattern of the route that a request matches."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else ""


def too_many(
    seconds: float, *, is_global: bool, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return a 429; `Via` shows clients that Discord sent it and not a proxy before it."""
    words = "You are being rate limited."
    body = {"message": words, "retry_after": round(seconds, 3), "global": is_global}
    response = reply(body, 429)
    response.headers.update(headers or {})
    response.headers["Retry-After"] = str(max(1, round(seconds)))
    response.headers["Via"] = "1.1 sandbox"
    response.headers["X-RateLimit-Scope"] = "global" if is_global else "user"
    if is_global:
        response.headers["X-RateLimit-Global"] = "true"
    return response
