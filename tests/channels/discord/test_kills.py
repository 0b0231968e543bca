"""SIGKILL around the sending of a card to Discord: none is lost, and none is shown twice."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from datetime import UTC, datetime, timedelta

import pytest

from assent.demo.discord_sandbox import Channel, DiscordSandbox
from assent.engine.failpoints import POSTING
from tests.channels.discord import post_program
from tests.channels.discord.stage import buttons_of


async def start(
    url: str, sandbox: DiscordSandbox, room: Channel, what: str, failpoint: str = ""
) -> Process:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    program = str(post_program.__file__)
    arguments = [program, url, sandbox.api_url, sandbox.token, str(room.id), what]
    environment = {**os.environ, "PYTHONPATH": path, "ASSENT_FAILPOINT": failpoint}
    return await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=PIPE, stdout=PIPE, env=environment
    )


# requirement: R18, W9
@pytest.mark.parametrize("later", [timedelta(0), timedelta(hours=2)], ids=["soon", "later"])
@pytest.mark.parametrize("point", POSTING)
async def test_a_kill_around_sending_leaves_one_card(url: str, point: str, later: timedelta):
    async with DiscordSandbox(rate_limited=False) as sandbox:
        room = sandbox.add_channel("ops")
        killed = await start(url, sandbox, room, "ask", point)
        assert await asyncio.wait_for(killed.wait(), 60) == -signal.SIGKILL
        assert len(room.messages) == (0 if point == "before_post" else 1)

        # Discord remembers a nonce for some minutes; a process may come back after hours.
        sandbox.world.now = lambda: datetime.now(UTC) + later
        second = await start(url, sandbox, room, "watch")
        assert second.stdout is not None
        assert await asyncio.wait_for(second.stdout.readline(), 60) == b"told\n"
        await asyncio.wait_for(second.communicate(b"\n"), 60)

    [message] = room.messages.values()
    assert buttons_of(message)
