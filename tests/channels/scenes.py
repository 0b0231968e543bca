"""Requests for the tests of channels: an agent that publishes, and people who decide."""

import asyncio
from typing import Any

from assent import Assent, Person, tool
from assent.domain.messages import Answer, Prompt, UserSaid
from assent.domain.requests import Request
from assent.engine.queries.snapshots import Turn
from assent.testing import calls, says
from tests.faults.nursery import until

ADA = Person("ada")
ROOT = Person("root", roles=frozenset({"admin"}))


def publishing(**arguments: Any) -> Any:
    """A script: one call of `publish` in each turn, then an answer."""
    given = {"title": "News", "text": "Hello"} | arguments

    def script(prompt: Prompt) -> Answer | str:
        if not isinstance(prompt.history[-1], UserSaid):
            return "Done."
        return says("I will.", calls("publish", **given))

    return script


@tool(requires_approval=True, risk="moderate")
async def publish(title: str, text: str) -> str:
    """Publish a text."""
    return f"published {title}"


async def asked(assent: Assent, by: Person = ADA) -> Request:
    """One open request."""
    turn: Turn = await assent.send("agent", "publish it", by=by)
    [request] = turn.pending
    return request


async def delivered(
    assent: Assent, request_id: str, status: str = "told", *, failed: bool = False
) -> Any:
    """Wait for a delivery of a request to be in a state, perhaps after a failure; returns it."""
    found: list[Any] = []

    async def is_there() -> bool:
        found[:] = [
            each
            for each in await assent.channels.of_request(request_id, by=ROOT)
            if each.status == status and each.address and (each.error or not failed)
        ]
        return bool(found)

    await until(is_there)
    return found[0]


async def error_of(assent: Assent, name: str) -> str:
    """Wait until a channel is out of order; returns what admins see."""
    async with asyncio.timeout(20):
        while True:
            for status in await assent.channels.status():
                if status.name == name and status.error:
                    return status.error
            await asyncio.sleep(0.02)
