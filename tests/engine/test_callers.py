"""Whoever asks may go away before the answer comes: what is committed is carried to its end."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from assent import approve
from assent.domain.lifecycle import TurnStatus
from tests.conftest import World
from tests.engine.till import PATIENT, STAFF, Till, one_call

MANY = 12


async def left_alone(work: Coroutine[Any, Any, object], after: int) -> None:
    """Begin something, and go away soon."""
    task = asyncio.ensure_future(work)
    for _ in range(after):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_call_runs_though_whoever_approved_it_has_gone(world: World) -> None:
    till = Till()
    # With leases of a day nobody else would ever take up what was dropped.
    async with world(one_call, till.pay(), times=PATIENT) as assent:
        turns = [await assent.send("agent", "pay bob", by=STAFF) for _ in range(MANY)]
        for n, turn in enumerate(turns):
            approval = assent.decide(turn.pending[0].id, approve(), by=STAFF)
            await left_alone(approval, after=n % 4 + 1)
        async with asyncio.timeout(20):
            for turn in turns:
                # Waiting until it is decided, then at work.
                while (await assent.turn(turn.id)).status is not TurnStatus.DONE:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
    assert len(till.paid) == MANY


async def test_a_turn_goes_on_though_whoever_sent_the_message_has_gone(world: World) -> None:
    async with world(one_call, Till().pay(), times=PATIENT) as assent:
        for n in range(MANY):
            await left_alone(assent.start("agent", "pay bob", by=STAFF), after=n % 4 + 1)
        async with asyncio.timeout(20):
            while len(await assent.pending()) < MANY:  # noqa: ASYNC110 - nobody tells us which
                await asyncio.sleep(0.01)
