"""The sign that the bot is typing, from a question until its first words."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from assent.errors import ChannelError

# Discord shows it for ten seconds.
AGAIN_SECONDS: Final = 8.0
TIMES: Final = 12


class TypingSigns:
    """Shows the sign in each channel where an answer is being made."""

    def __init__(self, show: Callable[[str], Awaitable[None]]) -> None:
        self._show = show
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, channel: str) -> None:
        """Show the sign until something is said, or for a minute and a half."""
        self.end(channel)
        task = asyncio.create_task(self._repeat(channel), name=f"assent-typing-{channel}")
        self._tasks[channel] = task

    def end(self, channel: str) -> None:
        """Show it no more; what is said takes it away at once."""
        if (task := self._tasks.pop(channel, None)) is not None:
            task.cancel()

    async def close(self) -> None:
        """End all of them."""
        tasks = list(self._tasks.values())
        for channel in list(self._tasks):
            self.end(channel)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _repeat(self, channel: str) -> None:
        for _ in range(TIMES):
            try:
                await self._show(channel)
            except ChannelError:
                return
            await asyncio.sleep(AGAIN_SECONDS)
