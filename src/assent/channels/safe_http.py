"""Outgoing HTTP requests that connect to allowed addresses only.

A host is resolved once and its address is checked and connected to, so a name that changes its
address in between gains nothing. No redirect is followed, and no proxy is used.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from ipaddress import ip_address
from socket import SOCK_STREAM
from types import MappingProxyType
from typing import Any, Final, cast

import httpcore

from assent.channels.targets import TargetRules, host_of
from assent.errors import TargetUnreachable

CONNECT_SECONDS: Final = 5.0
REQUEST_SECONDS: Final = 15.0
ANSWER_BYTES: Final = 65_536
CONNECTIONS: Final = 20
IDLE_SECONDS: Final = 30.0
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})

_UNCONNECTED: Final = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.PoolTimeout)
_UNANSWERED: Final = (
    *(httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException),
    *(TimeoutError, OSError),
)

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """The answer to a request: header names in lower case, and the start of the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class SafeHttp:
    """A client for targets that strangers may have chosen; use it as an async context."""

    def __init__(
        self,
        rules: TargetRules,
        *,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self._rules = rules
        self._timeouts = {"connect": connect_seconds, "pool": request_seconds}
        self._request_seconds = request_seconds
        self._stack = AsyncExitStack()
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or ssl.create_default_context(),
            max_connections=CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=_GuardedNetwork(rules, resolve or resolved),
        )

    async def __aenter__(self) -> "SafeHttp":
        await self._stack.enter_async_context(self._pool)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str] = _NO_HEADERS
    ) -> HttpAnswer:
        """Send a body; raises `TargetRefused` or `TargetUnreachable`, never for a status."""
        target = self._rules.checked(url)
        address = httpcore.URL(
            scheme=target.raw_scheme,
            host=target.raw_host,
            port=target.port,
            target=target.raw_path,
        )
        try:
            async with (
                asyncio.timeout(self._request_seconds),
                self._pool.stream(
                    "POST",
                    address,
                    headers={
                        **headers,
                        "Host": target.netloc.decode("ascii"),
                        # What comes back is read as it is: nothing is unpacked.
                        "Accept-Encoding": "identity",
                    },
                    content=body,
                    extensions={"timeout": self._timeouts},
                ) as answer,
            ):
                return await _read(answer)
        except (*_UNCONNECTED, *_UNANSWERED) as error:
            reached = not isinstance(error, _UNCONNECTED)
            raise TargetUnreachable(host_of(target), _cause(error), reached=reached) from error


async def resolved(host: str, port: int) -> list[str]:
    """Return the addresses of a host as the system finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=SOCK_STREAM)
    return [str(row[4][0]) for row in found]


class _GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Connections to addresses that the rules allow; the host stays the name for TLS."""

    def __init__(self, rules: TargetRules, resolve: Resolve) -> None:
        self._rules, self._resolve = rules, resolve
        # httpcore has a stand-in of this name without anyio, which confuses its type.
        self._network = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the backend's own interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            # One limit for all: a name may have many addresses that do not answer.
            async with asyncio.timeout(timeout):
                addresses = await self._allowed(host, port)
                share = None if timeout is None else timeout / len(addresses)
                for address in addresses[:-1]:
                    try:
                        return await self._network.connect_tcp(
                            address, port, share, local_address, socket_options
                        )
                    except (httpcore.ConnectError, httpcore.ConnectTimeout):
                        continue
                return await self._network.connect_tcp(
                    addresses[-1], port, timeout, local_address, socket_options
                )
        except TimeoutError as error:
            raise httpcore.ConnectTimeout from error
        except OSError as error:
            raise httpcore.ConnectError from error

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _allowed(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host; one that is refused makes all of them suspect."""
        found = list(dict.fromkeys(await self._resolve(host, port)))
        if not found:
            raise httpcore.ConnectError("it has no address")
        for address in found:
            self._rules.check_address(host, ip_address(address))
        return found


async def _read(answer: httpcore.Response) -> HttpAnswer:
    body = b""
    async for chunk in answer.aiter_stream():
        body += chunk
        if len(body) >= ANSWER_BYTES:
            break
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers
    }
    return HttpAnswer(status=answer.status, headers=headers, body=body[:ANSWER_BYTES])


def _cause(error: Exception) -> str:
    """Name a failure in our words: that of a library may quote what the target sent."""
    if isinstance(error, httpcore.TimeoutException | TimeoutError):
        return "it took too long"
    if isinstance(error.__cause__ or error.__context__, ssl.SSLError):
        return "TLS failed"
    return type(error).__name__
