"""A small bot on the real discord.py, for tests of the sandbox itself."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import discord
from discord import app_commands

from assent.demo.discord_sandbox import DiscordSandbox


class Bot(discord.Client):
    """Keeps what it hears; `answer` says what it does with an interaction."""

    def __init__(self, *, intents: discord.Intents | None = None, **options: Any) -> None:
        if intents is None:
            intents = discord.Intents.default()
            intents.message_content = True
        # Discord.py waits this long for more guilds before it is ready.
        super().__init__(intents=intents, guild_ready_timeout=0.01, **options)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[discord.Message] = []
        self.interactions: list[discord.Interaction] = []
        self.is_up = asyncio.Event()
        self.resumes = 0
        self.answer: Callable[[discord.Interaction], Awaitable[Any]] = _defer
        self.problems: list[Exception] = []

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Do not wait: discord.py's own hook is there for bots with many shards."""

    async def on_ready(self) -> None:
        self.is_up.set()

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.heard.append(message)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self.interactions.append(interaction)
        if interaction.type is discord.InteractionType.application_command:
            return
        try:
            await self.answer(interaction)
        except discord.HTTPException as problem:
            self.problems.append(problem)

    async def on_resumed(self) -> None:
        self.resumes += 1


async def _defer(interaction: discord.Interaction) -> None:
    await interaction.response.defer()


@asynccontextmanager
async def running(bot: Bot, sandbox: DiscordSandbox) -> AsyncGenerator[Bot]:
    """Run a bot until the end of the context."""
    task = asyncio.create_task(bot.start(sandbox.token), name="bot")
    ready = asyncio.create_task(bot.is_up.wait(), name="ready")
    try:
        await asyncio.wait({task, ready}, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        assert ready.done(), "the bot did not get ready"
        yield bot
    finally:
        ready.cancel()
        await bot.close()
        await asyncio.gather(task, return_exceptions=True)


async def eventually(found: Callable[[], Any], *, within: float = 10) -> Any:
    """Wait until something is true that no change of the sandbox announces."""
    async with asyncio.timeout(within):
        while not (value := found()):  # noqa: ASYNC110 - a bot tells nobody
            await asyncio.sleep(0.005)
    return value
