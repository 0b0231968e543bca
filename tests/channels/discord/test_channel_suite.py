"""The suite of all channels, over the real discord.py and the sandbox, on both databases."""

from collections.abc import AsyncGenerator

import pytest_asyncio

from assent.testing.channels import ChatSuite
from tests.channels.discord.stage import DiscordStage, discord_stage


class TestDiscord(ChatSuite):
    @pytest_asyncio.fixture
    async def stage(self, url: str) -> AsyncGenerator[DiscordStage]:
        async with discord_stage(url) as stage:
            yield stage
