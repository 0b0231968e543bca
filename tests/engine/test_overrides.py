"""An override that is made in one process, and the others that have to go by it."""

import asyncio
from datetime import timedelta
from typing import Any

from assent import Override, Person, Risk, approve, tool
from assent.domain.lifecycle import TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.engine.settings import Times
from assent.testing import calls, says
from tests.conftest import World
from tests.engine.till import STAFF, Till, one_call

ROOT = Person("root", roles=frozenset({"admin"}))
# Nobody looks by itself in the time of a test.
SELDOM = Times(lease=timedelta(hours=1), look=timedelta(hours=1))


async def test_an_approval_counts_though_the_process_it_came_to_has_not_heard_of_an_override(
    world: World,
) -> None:
    till = Till()
    async with (
        world(one_call, till.pay()) as worker,
        world(one_call, till.pay(), worker=False) as clerk,
    ):
        await worker.override("pay", Override(impact="Moves money"), by=ROOT)
        turn = await worker.send("agent", "pay bob", by=STAFF)
        await clerk.decide(turn.pending[0].id, approve(), by=STAFF)
        async with asyncio.timeout(20):
            while (await worker.turn(turn.id)).status is not TurnStatus.DONE:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert till.paid == [(5, "bob")]


async def test_what_is_tightened_binds_another_replica_without_waiting_for_its_next_look(
    postgres_url: str,
) -> None:
    world = World(postgres_url)

    @tool(risk=Risk.MODERATE, requires_approval=False)
    async def peek() -> str:
        """Look at something."""
        return "seen"

    def script(prompt: Prompt) -> Answer | str:
        return "Done." if getattr(prompt.history[-1], "outputs", None) else says("", calls("peek"))

    options: Any = {"times": SELDOM}
    async with world(script, peek, **options) as first, world(script, peek, **options) as second:
        await first.override("peek", Override(requires_approval=True), by=ROOT)
        async with asyncio.timeout(20):
            while not (turn := await second.send("agent", "go", by=STAFF)).pending:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert turn.status is TurnStatus.WAITING
