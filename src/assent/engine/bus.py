"""The bus: wakes tasks that wait for a turn, after commits here and hints from elsewhere."""

import asyncio
from collections import defaultdict


class Bus:
    """Wakes waiting tasks; it carries no data, they read the rows themselves."""

    def __init__(self) -> None:
        self._waiters: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)

    def heard(self, touched: frozenset[str]) -> None:
        """Wake the waiters of turns that changed here.

        An empty set means a change elsewhere, so all wake.
        """
        for turn_id in touched or tuple(self._waiters):
            for waiter in self._waiters.pop(turn_id, ()):
                if not waiter.done():
                    waiter.set_result(None)

    def ticket(self, turn_id: str) -> asyncio.Future[None]:
        """Return a future that is done at the next change.

        Take it before reading, await it after.
        """
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters[turn_id].add(waiter)
        return waiter

    def drop(self, turn_id: str, waiter: asyncio.Future[None]) -> None:
        """Give back a ticket that is no longer awaited."""
        waiting = self._waiters.get(turn_id)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiters[turn_id]

    async def wait(self, turn_id: str, waiter: asyncio.Future[None], seconds: float) -> None:
        """Wait for the ticket, at most for so many seconds: a hint can get lost, a row cannot."""
        try:
            await asyncio.wait({waiter}, timeout=seconds)
        finally:
            self.drop(turn_id, waiter)
