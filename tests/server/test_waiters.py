"""Everybody who waits hears the end within a second, on whichever server they wait."""

import asyncio
import random
from datetime import datetime
from typing import Any

import pytest

from tests.server.listener import Sent, listening_lightly
from tests.server.processes import (
    approve,
    clerk,
    pending,
    program,
    say,
    until_done,
    until_ready,
)

WAITERS = 100
TURNS = 3


class Waiter:
    """Listens to a server at random, leaves at random, and comes back where it was."""

    def __init__(self, key: str, bases: list[str], seed: int) -> None:
        self._key, self._bases = key, bases
        self._random = random.Random(seed)
        self.heard: list[tuple[Sent, float]] = []
        self.last_id = ""
        self.ready = asyncio.Event()
        self.visits = 0

    async def wait(self, turns: int) -> None:
        """Until so many turns have finished."""
        while sum(sent.event == "finished" for sent, _ in self.heard) < turns:
            base = self._random.choice(self._bases)
            async with listening_lightly(base, self._key, last_id=self.last_id) as listener:
                self.visits += 1
                self.last_id = listener.last_id
                self.ready.set()
                await self._listen(listener, turns)

    async def _listen(self, listener: Any, turns: int) -> None:
        taken = 0
        stays = self._random.randint(1, 12)
        while taken < stays:
            await listener.until(lambda each: len(each.sent) > taken or each.ended, 30)  # noqa: B023
            for sent in listener.sent[taken:stays]:
                taken += 1
                self.last_id = sent.id
                self.heard.append((sent, datetime.now().astimezone().timestamp()))
            if sum(sent.event == "finished" for sent, _ in self.heard) >= turns:
                return


# requirement: R20, R21
@pytest.mark.slow
async def test_a_hundred_waiters_at_two_servers_miss_nothing_and_hear_the_end_in_time(
    url: str,
) -> None:
    with program(url, "worker") as first, program(url, "desk") as second:
        async with clerk(url) as (_, client, key):
            bases = [first.base, second.base]
            for base in bases:
                await until_ready(client, base)
            waiters = [Waiter(key, bases, seed) for seed in range(WAITERS)]
            waiting = [asyncio.create_task(waiter.wait(TURNS)) for waiter in waiters]
            async with asyncio.timeout(30):
                await asyncio.gather(*(waiter.ready.wait() for waiter in waiters))

            for _ in range(TURNS):
                turn = await say(client, first.base, "pay")
                await approve(client, second.base, await pending(client, second.base, turn["id"]))
                await until_done(client, first.base, turn["id"])
            async with asyncio.timeout(5):
                await asyncio.gather(*waiting)

    stories = {tuple(sent.id for sent, _ in waiter.heard) for waiter in waiters}
    assert len(stories) == 1, "some waiters missed, or got twice, what others got once"
    assert sum(waiter.visits for waiter in waiters) > 2 * WAITERS
    late = [
        at - datetime.fromisoformat(sent.data["at"]).timestamp()
        for waiter in waiters
        for sent, at in waiter.heard
        if sent.event == "finished"
    ]
    assert len(late) == TURNS * WAITERS
    assert max(late) < 1.0
