"""A few open connections to PostgreSQL, handed from one transaction to the next.

asyncpg's own pool resets a connection, in a task of its own, each time it comes back. Our
transactions leave nothing to reset, and that costs as much as a statement.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

# Firewalls and proxies drop what says nothing for long.
IDLE_SECONDS = 300.0
CLOSE_SECONDS = 5.0


class _Idle(NamedTuple):
    connection: Any
    since: float


class Connections:
    """At most so many; the one used last is used next, for what it has prepared is warm."""

    def __init__(self, connect: Callable[[], Awaitable[Any]], most: int) -> None:
        self._connect, self._most = connect, most
        self._count = 0
        self._idle: list[_Idle] = []
        # Whoever waits gets a connection, or None: there is room to open one.
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._empty = asyncio.Event()
        self._closing = False

    async def take(self) -> Any:
        """A connection that nobody else uses until it is given back or discarded."""
        while True:
            while self._idle:
                connection = self._idle.pop().connection
                if not connection.is_closed():
                    return connection
                self._count -= 1
            if self._count < self._most:
                return await self._open()
            connection = await self._next()
            if connection is not None:
                return connection

    async def _open(self) -> Any:
        self._count += 1
        try:
            return await self._connect()
        except BaseException:
            self._gone()
            raise

    async def _next(self) -> Any:
        waiter: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            # Given to us in the moment we left: it goes on to the next one.
            if waiter.done() and not waiter.cancelled():
                self.give(waiter.result())
            raise

    def give(self, connection: Any) -> None:
        """Back from a transaction that is over; None is the room of one that is gone."""
        if connection is not None and (self._closing or connection.is_closed()):
            connection.terminate()
            self._gone()
            return
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if connection is not None:
            self._keep(connection)

    def _keep(self, connection: Any) -> None:
        now = time.monotonic()
        self._idle.append(_Idle(connection, now))
        if self._idle[0].since < now - IDLE_SECONDS:
            self._idle.pop(0).connection.terminate()
            self._gone()

    def _gone(self) -> None:
        self._count -= 1
        if self._count == 0:
            self._empty.set()
        self.give(None)

    async def discard(self, connection: Any) -> None:
        """One whose state nobody knows: what it was doing is undone by the server."""
        try:
            with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=CLOSE_SECONDS)
        finally:
            self._gone()

    async def close(self) -> None:
        """End what is idle now, and the others as they come back."""
        self._closing = True
        while self._idle:
            await self.discard(self._idle.pop().connection)
        if self._count:
            self._empty.clear()
            await self._empty.wait()
