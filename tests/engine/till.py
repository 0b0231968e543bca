"""A tool that moves money, and the ways to get a call of it approved and carried out."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from assent import Assent, Person, Risk, approve, tool
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Turn
from assent.engine.settings import Times
from assent.testing import calls, says
from tests.conftest import World
from tests.store.rawsql import RawSql

STAFF = Person("ada", roles=frozenset({"staff"}))
DECIDE_WITHIN = timedelta(hours=1)
RUN_WITHIN = timedelta(minutes=15)
PATIENT = Times(lease=timedelta(days=1), look=timedelta(milliseconds=100))


def one_call(prompt: Prompt) -> Answer | str:
    """Call `pay` once, then answer."""
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("pay", amount=5, to="bob"))


@dataclass
class Till:
    """A tool that moves money, and what it moved."""

    paid: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def pay(self, description: str = "Pay somebody.", **options: Any) -> Any:
        options.setdefault("decide_within", DECIDE_WITHIN)

        async def pay(amount: int, to: str) -> str:
            self.paid.append((amount, to))
            return f"paid {amount} to {to}"

        declare = tool(
            name="pay",
            description=description,
            risk=Risk.DANGEROUS,
            requires_approval=True,
            caller_roles={"staff"},
            **options,
        )
        return declare(pay)

    def refund(self) -> Any:
        @tool(risk=Risk.DANGEROUS, requires_approval=True)
        async def refund(amount: int, to: str) -> str:
            """Pay somebody back."""
            self.paid.append((-amount, to))
            return "refunded"

        return refund


async def ask(world: World, *tools: Any, **options: Any) -> Turn:
    """A turn that waits for a person, and nobody at work any more."""
    async with world(one_call, *tools, **options) as asking:
        turn = await asking.send("agent", "pay bob", by=STAFF)
    assert turn.status is TurnStatus.WAITING
    return turn


async def approved(world: World, *tools: Any, **options: Any) -> Turn:
    """A turn whose call was approved where no worker could claim it."""
    turn = await ask(world, *tools, **options)
    async with world(one_call, *tools, worker=False, **options) as deciding:
        decided = await deciding.decide(turn.pending[0].id, approve(), by=STAFF)
    assert decided.call_status == CallStatus.CLEARED
    return turn


async def carried_out(world: World, turn: Turn, *tools: Any, **options: Any) -> Turn:
    """What a worker that starts now makes of the turn."""
    async with world(one_call, *tools, **options) as working:
        return await rested(working, turn.id)


async def rested(engine: Assent, turn_id: str) -> Turn:
    """The turn at rest; one that never rests fails the test instead of holding it up."""
    async with asyncio.timeout(20):
        return await engine.wait(turn_id)


async def audited(world: World, action: str) -> int:
    """How many entries of one action are on record."""
    count = await RawSql(world.url).one(f"SELECT count(*) FROM audit WHERE action = '{action}'")
    return int(count)
