"""Plain functions of a tool's author: in a thread, under a time limit, whatever they raise."""

import asyncio
import json
import threading
from datetime import timedelta
from typing import Any

import pytest

from assent import Assent, Person, Tool, hitl, supply, tool
from assent.domain.lifecycle import CallStatus
from assent.engine.queries.snapshots import Turn
from assent.testing import calls, says
from tests.conftest import World

SECONDS = 5


def review(hook: Any, **said: Any) -> Tool:
    def ask(text: str) -> None:
        """Have a text reviewed."""

    return hitl("review", output=str, on_tool_called=ask, on_response_received=hook, **said)


SCRIPT = [says("", calls("review", text="a")), "Done."]


async def supplied(assent: Assent, owner: Person) -> Turn:
    turn = await assent.send("agent", "go", by=owner)
    await assent.decide(turn.pending[0].id, supply("fine"), by=owner)
    return turn


# conformance: 76
async def test_a_response_hook_that_waits_holds_up_nobody_else(world: World, owner: Person) -> None:
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def waiting(value: str) -> str:
        loop.call_soon_threadsafe(begun.set)
        return f"{value}, let go" if go_on.wait(SECONDS) else "alone"

    async with world(SCRIPT, review(waiting)) as assent:
        turn = await supplied(assent, owner)
        await begun.wait()
        go_on.set()
        turn = await assent.wait(turn.id)

    assert turn.result(turn.calls[0].id) == "fine, let go"


# conformance: 80
async def test_a_response_hook_has_the_time_limit_of_its_tool(world: World, owner: Person) -> None:
    go_on = threading.Event()

    def waiting(value: str) -> str:
        return value if go_on.wait(SECONDS) else "alone"

    limited = review(waiting, timeout=timedelta(milliseconds=50))
    async with world(SCRIPT, limited) as assent:
        turn = await supplied(assent, owner)
        turn = await assent.wait(turn.id)
        go_on.set()

    [call] = turn.calls
    assert call.status is CallStatus.FAILED
    told = json.loads(call.output or "")
    assert "did not end within" in told["error"]
    assert told["originalOutput"] == "fine"


# conformance: 80
async def test_a_response_hook_that_finds_nothing_fails_at_once(
    world: World, owner: Person
) -> None:
    async with world(SCRIPT, review(lambda value: next(iter(())), timeout=None)) as assent:
        turn = await supplied(assent, owner)
        async with asyncio.timeout(SECONDS):
            turn = await assent.wait(turn.id)

    assert turn.calls[0].status is CallStatus.FAILED


# conformance: 80
@pytest.mark.parametrize("error", [SystemExit(1), asyncio.CancelledError()], ids=repr)
async def test_a_response_hook_that_ends_everything_ends_its_call_only(
    world: World, owner: Person, error: BaseException
) -> None:
    def ending(value: str) -> str:
        raise error

    async with world(SCRIPT, review(ending)) as assent:
        turn = await supplied(assent, owner)
        async with asyncio.timeout(SECONDS):
            turn = await assent.wait(turn.id)

    [call] = turn.calls
    assert call.status is CallStatus.FAILED
    assert json.loads(call.output or "")["originalOutput"] == "fine"


# conformance: 62
async def test_a_body_that_finds_nothing_fails_at_once(world: World, owner: Person) -> None:
    @tool(timeout=None, requires_approval=False)
    def find(name: str) -> str:
        """Find somebody."""
        return next(person for person in ("bob", "eve") if person == name)

    script = [says("", calls("find", name="ada")), "Nobody."]
    async with world(script, find) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "find", by=owner)

    [call] = turn.calls
    assert call.status is CallStatus.FAILED
    assert "StopIteration" in (call.output or "")


async def test_a_parameter_may_have_any_name(world: World, owner: Person) -> None:
    @tool(requires_approval=False)
    def look_up(function: str) -> str:
        """Look a function up."""
        return f"def {function}"

    script = [says("", calls("look_up", function="f")), "Done."]
    async with world(script, look_up) as assent:
        turn = await assent.send("agent", "look", by=owner)

    assert turn.result(turn.calls[0].id) == "def f"


async def test_a_plain_function_may_return_something_to_await(world: World, owner: Person) -> None:
    async def joined(*words: str) -> str:
        return ", ".join(words)

    async with world(SCRIPT, review(lambda value: joined(value, "later"))) as assent:
        turn = await supplied(assent, owner)
        turn = await assent.wait(turn.id)

    assert turn.result(turn.calls[0].id) == "fine, later"
