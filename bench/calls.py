"""What a call costs when one answer makes very many of them: each the same, or it is a square."""

import asyncio
import tracemalloc
from time import perf_counter
from typing import NamedTuple

from assent import Agent, Assent, Limits, tool
from assent.testing import ScriptedModel, calls, says
from bench.cycle import OWNER


class Cost(NamedTuple):
    """Of one call: seconds, bytes at the peak, and how many of them were stored."""

    seconds: float
    bytes: float
    stored: int


@tool(requires_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


async def _cost(url: str, count: int, limits: Limits) -> Cost:
    answer = says("", *(calls("pay", amount=number) for number in range(count)))
    # The first step of a turn is prepared, and paid for, by a small answer.
    model = ScriptedModel([says("", calls("pay", amount=0)), answer])
    async with Assent(url, agents=[Agent("bench", model=model, tools=[pay], limits=limits)]) as at:
        await at.send("bench", "pay", by=OWNER)
        tracemalloc.start()
        try:
            started = perf_counter()
            turn = await at.send("bench", "pay", by=OWNER)
            stored = len((await at.turn(turn.id)).calls)
            seconds, peak = perf_counter() - started, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    return Cost(seconds / count, peak / count, stored)


def per_call(url: str, sizes: tuple[int, ...], *, capped: bool) -> dict[int, Cost]:
    """The cost of each call of an answer with so many, with the usual cap or without one."""
    found: dict[int, Cost] = {}
    for count in sizes:
        limits = Limits() if capped else Limits(calls_per_answer=count)
        found[count] = asyncio.run(_cost(url, count, limits))
    return found
