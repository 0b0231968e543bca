"""A sandbox for each test, with the real discord.py pointed at it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from assent.demo.discord_sandbox import Channel, DiscordSandbox, Member
from tests.accepting import accepted
from tests.channels.discord.faults import Faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A guild with two people and a channel."""

    sandbox: DiscordSandbox
    faults: Faults
    general: Channel
    ada: Member
    grace: Member


@pytest_asyncio.fixture
async def place(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Place]:
    """Serve a guild; discord.py talks to it instead of Discord."""
    faults = Faults()
    async with DiscordSandbox(rate_limited=False, around=[faults]) as sandbox:
        monkeypatch.setattr(Route, "BASE", sandbox.api_url)
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", URL(sandbox.gateway_url))
        yield Place(
            sandbox=sandbox,
            faults=faults,
            general=sandbox.add_channel("general", topic="Everything else"),
            ada=sandbox.add_member("Ada"),
            grace=sandbox.add_member("Grace"),
        )
        await accepted()
