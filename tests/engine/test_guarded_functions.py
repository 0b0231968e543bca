"""`Assent.guard`: what the body of a guarded function is told, and may give back."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from assent import Assent, Context, Progress, approve, tool
from assent.domain.lifecycle import CallStatus
from tests.conftest import World


async def decided(assent: Assent, work: Any, **options: Any) -> Any:
    """Approve the only request that there will be."""
    running = asyncio.create_task(work)
    async with asyncio.timeout(20):
        while not (pending := await assent.pending()):  # noqa: ASYNC110 - it is in a database
            await asyncio.sleep(0.01)
    await assent.decide(pending[0], approve(**options), by="user")
    return await running


async def test_the_context_says_what_runs_and_if_a_person_approved_it(world: World) -> None:
    seen = list[Context]()

    async def send(to: str, ctx: Context) -> None:
        seen.append(ctx)

    asks, free = tool(requires_approval=True)(send), tool(requires_approval=False)(send)
    async with world([]) as assent:
        await decided(assent, assent.guard(asks, {"to": "ann"}, by="user"), edit={"to": "bob"})
        await assent.guard(free, {"to": "ann"}, by="user")
    said = [(each.approved, each.arguments) for each in seen]
    assert said == [(True, '{"to":"bob"}'), (False, '{"to":"ann"}')]


@pytest.mark.parametrize("count", [0, 2])
async def test_a_generator_without_a_single_result_has_failed(world: World, count: int) -> None:
    @tool(requires_approval=False)
    async def steps() -> AsyncIterator[object]:
        yield Progress(1)
        for number in range(count):
            yield number

    async with world([]) as assent:
        call = await assent.guard(steps, {}, by="user")
    assert call.status is CallStatus.FAILED
    assert f"it yielded {count} results, not one" in call.error
