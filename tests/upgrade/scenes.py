"""The agent whose calls are in every kind of state in the databases of earlier releases.

It uses public names only: `snapshot.py` runs it with the release that makes a database, the tests
with the release that upgrades it.
"""

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from assent import (
    Agent,
    Audience,
    Deferred,
    Effect,
    Field,
    FieldType,
    OutcomeUnknown,
    Person,
    Risk,
    Rule,
    Tool,
    UserInput,
    manual,
    tool,
)

KEY = "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
ADA = Person("ada", roles=frozenset({"user", "admin"}))
FINN = Person("finn", roles=frozenset({"finance"}))
FAY = Person("fay", roles=frozenset({"finance"}))
PIN = "the-pin-of-bob"
DIED = 3
TASK = "task-of-an-earlier-release"
START = datetime(2030, 1, 1, tzinfo=UTC)
RULES = [
    Rule(
        name="two of finance",
        effect=Effect.ASK,
        tools=("wire",),
        audience=Audience.of("finance"),
        quorum=2,
    )
]
FORM = UserInput("Who gets it?", [Field("to"), Field("pin", type=FieldType.SECRET)], save=True)


@dataclass
class World:
    """What the tools did, and whether the process dies while `ship` runs."""

    effects: list[str] = field(default_factory=list[str])
    dies: bool = False

    def note(self, effect: str) -> str:
        """Record one side effect."""
        self.effects.append(effect)
        return effect


def tools(world: World) -> list[Tool]:  # noqa: C901 - one tool after the other
    """One tool for each way in which a call can wait or end."""

    @tool(risk=Risk.SAFE, requires_approval=False)
    async def look(place: str) -> str:
        """Look at something; nobody is asked."""
        return f"looked at {place}"

    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def pay(amount: int, to: str = "bob") -> str:
        """Pay somebody."""
        return world.note(f"paid {amount} to {to}")

    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def wire(amount: int) -> str:
        """Wire money, which takes two of finance."""
        return world.note(f"wired {amount}")

    @tool(risk=Risk.MODERATE, requires_approval=True, decide_within=timedelta(minutes=1))
    async def hurry(amount: int) -> str:
        """Pay somebody, to be decided within a minute."""
        return world.note(f"hurried {amount}")

    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def ship(amount: int) -> str:
        """Ship something; in a database that is made, its process dies meanwhile."""
        if world.dies:
            os._exit(DIED)
        return world.note(f"shipped {amount}")

    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def guess(amount: int) -> str:
        """Lose the connection after sending."""
        raise OutcomeUnknown(f"no answer to {amount}")

    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def stumble(amount: int) -> str:
        """Fail."""
        raise ValueError(f"cannot do {amount}")

    @tool(
        risk=Risk.MODERATE,
        requires_approval=False,
        user_input=FORM,
    )
    async def pay_by_form(amount: int, to: str, pin: str) -> str:
        """Pay somebody whom a person names."""
        return world.note(f"paid {amount} to {to} with {pin}")

    @tool(risk=Risk.MODERATE, requires_approval=False)
    async def order(amount: int) -> Deferred:
        """Order something that arrives later."""
        world.note(f"ordered {amount}")
        return Deferred(TASK)

    def amount_only(amount: int) -> None: ...

    sign = manual("sign", description="Have a person sign.", parameters=amount_only)
    return [look, pay, wire, hurry, ship, guess, stumble, pay_by_form, order, sign]


def agent(world: World, model: object) -> Agent:
    """The agent of every scene."""
    return Agent("agent", model=model, tools=tools(world))  # pyright: ignore[reportArgumentType]
