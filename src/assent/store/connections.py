"""A few open connections to PostgreSQL, handed from one transaction to the next.

asyncpg's own pool resets a connection, in a task of its own, each time it comes back. Our
transactions leave nothing to reset, and that costs as much as a statement.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

from assent.errors import StoreUnavailable
from assent.store.rows import Row

# Firewalls and proxies drop connections that are silent for long.
IDLE_SECONDS = 300.0
CLOSE_SECONDS = 5.0
# How long a server may take to answer, or all connections may be in use.
WAIT_SECONDS = 10.0


class Connection:
    """An asyncpg connection with the statements that were prepared on it."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        # Our statements are few and always the same; asyncpg's own cache takes longer to search.
        self._prepared: dict[str, Any] = {}
        # Since when the server owes an answer; None if it owes none.
        self.asked: float | None = None

    async def fetch(self, sql: str, params: Sequence[object]) -> Sequence[Row]:
        """Run one statement."""
        self.asked = time.monotonic()
        try:
            statement = self._prepared.get(sql)
            if statement is None:
                statement = self._prepared[sql] = await self.raw.prepare(sql)
            return await statement.fetch(*params)
        except (asyncpg.InvalidCachedStatementError, asyncpg.OutdatedSchemaCacheError):
            # Another process changed the schema: all prepared statements may be outdated.
            self._prepared.clear()
            raise
        finally:
            self.asked = None

    async def execute(self, sql: str) -> None:
        """Run a command."""
        self.asked = time.monotonic()
        try:
            await self.raw.execute(sql)
        finally:
            self.asked = None


class _Idle(NamedTuple):
    connection: Connection
    since: float


class Connections:
    """A limited number of connections; the last used is used next, as its statements are warm."""

    def __init__(
        self, connect: Callable[[], Awaitable[Connection]], most: int, wait: float = WAIT_SECONDS
    ) -> None:
        self._connect, self._most, self._wait = connect, most, wait
        self._count = 0
        self._lent: set[Connection] = set()
        self._idle: list[_Idle] = []
        # A waiter gets a connection, or None: then there is room to open one.
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._empty = asyncio.Event()
        self._closing = False

    async def take(self) -> Connection:
        """Return a connection for the caller alone, until it is given back or discarded."""
        connection = await self._taken()
        self._lent.add(connection)
        return connection

    async def _taken(self) -> Connection:
        while True:
            while self._idle:
                connection = self._idle.pop().connection
                if not connection.raw.is_closed():
                    return connection
                self._count -= 1
            if self._count < self._most:
                return await self._open()
            connection = await self._next()
            if connection is not None:
                return connection

    async def _open(self) -> Connection:
        self._count += 1
        try:
            return await self._connect()
        except BaseException:
            self._gone()
            raise

    async def _next(self) -> Connection | None:
        waiter: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(self._wait):
                return await waiter
        except (asyncio.CancelledError, TimeoutError) as error:
            # Given to us at the moment of our cancellation: pass it on to the next waiter.
            if waiter.done() and not waiter.cancelled():
                self.give(waiter.result())
            if isinstance(error, TimeoutError):
                # Ours, so that it is never mistaken for a reply that was lost: nothing was sent.
                detail = f"no connection was free within {self._wait:g} s"
                raise StoreUnavailable(detail) from None
            raise

    def give(self, connection: Connection | None) -> None:
        """Take a connection back after its transaction; None frees the room of one that is gone."""
        if connection is not None:
            self._lent.discard(connection)
        if connection is not None and (self._closing or connection.raw.is_closed()):
            connection.raw.terminate()
            self._gone()
            return
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if connection is not None:
            self._keep(connection)

    def _keep(self, connection: Connection) -> None:
        now = time.monotonic()
        self._idle.append(_Idle(connection, now))
        if self._idle[0].since < now - IDLE_SECONDS:
            self._idle.pop(0).connection.raw.terminate()
            self._gone()

    def _gone(self) -> None:
        self._count -= 1
        if self._count == 0:
            self._empty.set()
        self.give(None)

    async def discard(self, connection: Connection) -> None:
        """Close a connection in an unknown state: the server undoes what it was doing."""
        self._lent.discard(connection)
        try:
            with contextlib.suppress(
                OSError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
                asyncpg.InternalClientError,
            ):
                await connection.raw.close(timeout=CLOSE_SECONDS)
        finally:
            self._gone()

    def end_silent(self) -> int:
        """End connections whose server has owed an answer for too long; their transactions fail."""
        until = time.monotonic() - self._wait
        silent = [each for each in self._lent if each.asked is not None and each.asked < until]
        for connection in silent:
            connection.raw.terminate()
        return len(silent)

    async def close(self) -> None:
        """End the idle connections now, and the others as they come back."""
        self._closing = True
        idle, self._idle = self._idle, []
        await asyncio.gather(*(self.discard(each.connection) for each in idle))
        if self._count:
            self._empty.clear()
            await self._empty.wait()
