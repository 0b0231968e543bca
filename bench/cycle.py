"""The whole cycle: message → durable pause → decision → run → durable answer."""

import asyncio
from collections.abc import AsyncGenerator
from time import perf_counter, process_time
from typing import NamedTuple

from assent import Agent, Assent, Person, Risk, approve, tool
from assent.domain.lifecycle import TurnStatus
from assent.domain.messages import (
    Answer,
    Delta,
    FinishReason,
    ModelSaid,
    Prompt,
    Proposal,
    TextDelta,
)

OWNER = Person("bench")
PAY = Proposal(provider_id="call_1", tool="pay", arguments='{"account": "DE00", "amount": 100}')
PAYS = Answer(proposals=(PAY,), finish=FinishReason.CALLS, model="at once")
PAID = Answer(text="Paid.", model="at once")


@tool(risk=Risk.DANGEROUS, requires_approval=True)
async def pay(account: str, amount: int) -> str:
    """Pay an amount to an account."""
    return f"paid {amount} to {account}"


class AtOnce:
    """A model that calls once and then answers, at no cost: it is not what is measured."""

    name = "at once"

    async def request(self, prompt: Prompt) -> Answer:
        """The one or the other."""
        return PAID if isinstance(prompt.history[-1], ModelSaid) else PAYS

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        """The same in pieces, as every provider's comes."""
        answer = await self.request(prompt)
        if answer.text:
            yield TextDelta(answer.text)
        yield answer


def agent() -> Agent:
    """The agent of every measurement."""
    return Agent("bench", model=AtOnce(), tools=[pay])


async def one(assent: Assent) -> None:
    """One cycle."""
    turn = await assent.send("bench", "pay", by=OWNER)
    await assent.decide(turn.pending[0].id, approve(), by=OWNER)
    done = await assent.wait(turn.id)
    if done.status is not TurnStatus.DONE:
        raise RuntimeError(f"a cycle ended {done.status}: {done.error}")


class Pace(NamedTuple):
    """Cycles per second, and the CPU that this process needed for each."""

    per_second: float
    cpu_milliseconds: float


async def throughput(url: str, cycles: int, concurrency: int) -> Pace:
    """How fast cycles go at a concurrency."""
    async with Assent(url, agents=[agent()]) as assent:
        left = iter(range(cycles))

        async def work() -> None:
            for _ in left:
                await one(assent)

        # Warm, as the floor's pool is: connections open, statements prepared.
        await asyncio.gather(*(one(assent) for _ in range(concurrency)))
        started, cpu = perf_counter(), process_time()
        await asyncio.gather(*(work() for _ in range(concurrency)))
        seconds, cpu = perf_counter() - started, process_time() - cpu
        return Pace(cycles / seconds, cpu / cycles * 1e3)
