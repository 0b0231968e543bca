"""Who waits for news of a turn, woken by commits here and by hints from elsewhere."""

import asyncio
from collections import defaultdict


class Bus:
    """Wakes waiters; it carries no news itself, the rows do."""

    def __init__(self) -> None:
        self._waiters: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)

    def heard(self, touched: frozenset[str]) -> None:
        """Turns changed here; an empty set means that anything may have changed elsewhere."""
        for turn_id in touched or tuple(self._waiters):
            for waiter in self._waiters.pop(turn_id, ()):
                if not waiter.done():
                    waiter.set_result(None)

    def ticket(self, turn_id: str) -> asyncio.Future[None]:
        """Done at the next change: take it before reading, await it after."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters[turn_id].add(waiter)
        return waiter

    def drop(self, turn_id: str, waiter: asyncio.Future[None]) -> None:
        """Give a ticket back."""
        waiting = self._waiters.get(turn_id)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiters[turn_id]

    async def wait(self, turn_id: str, waiter: asyncio.Future[None], seconds: float) -> None:
        """Until the ticket is called, or so long: a hint can get lost, a row cannot."""
        try:
            await asyncio.wait({waiter}, timeout=seconds)
        finally:
            self.drop(turn_id, waiter)
