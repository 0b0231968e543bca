"""The decider that tests of other people's agents use."""

import asyncio

import pytest

from assent import Audience, Effect, Person, Rule, approve, reject, tool
from assent.domain.lifecycle import CallStatus
from assent.testing import Decider, calls, says
from tests.conftest import World

ADA = Person("ada")
BOTH = [says("", calls("pay", amount=1), calls("wipe", disk="a")), "Done."]


@tool(requires_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool(requires_approval=True)
async def wipe(disk: str) -> str:
    """Wipe a disk."""
    return f"wiped {disk}"


async def test_it_decides_all_that_waits_by_the_name_of_the_tool(world: World) -> None:
    async with world(BOTH, pay, wipe) as assent:
        decider = Decider(assent, {"pay": approve(), "wipe": reject("not today")}, by=ADA)
        turn = await decider.settle(await assent.send("agent", "do both", by=ADA))
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED, CallStatus.REJECTED]
    assert turn.text == "Done."
    assert [request.tool for request, _ in decider.decided] == ["pay", "wipe"]


async def test_one_verdict_or_a_function_decides_all(world: World) -> None:
    script = [says("", calls("pay", amount=1)), says("", calls("pay", amount=2)), "Done."]
    async with world(script, pay) as assent:
        turn = await assent.send("agent", "pay twice", by=ADA)
        turn = await Decider(assent, approve(), by="ada").settle(turn)
        assert [call.result for call in turn.calls] == ["paid 1", "paid 2"]
    async with world(BOTH, pay, wipe) as assent:
        turn = await assent.send("agent", "do both", by=ADA)
        careful = Decider(assent, lambda asked: reject(f"no {asked.tool}"), by=ADA)
        turn = await careful.settle(turn)
        assert {call.status for call in turn.calls} == {CallStatus.REJECTED}


async def test_a_tool_that_nothing_is_said_about_fails_the_test(world: World) -> None:
    async with world(BOTH, pay, wipe) as assent:
        turn = await assent.send("agent", "do both", by=ADA)
        with pytest.raises(AssertionError, match="Nothing is said about 'wipe', only about 'pay'"):
            await Decider(assent, {"pay": approve()}, by=ADA).settle(turn)


async def test_a_request_that_needs_more_people_fails_the_test_instead_of_hanging(
    world: World,
) -> None:
    two = Rule.of(Effect.ASK, "pay", audience=Audience.of("board"), quorum=2)
    ann = Person("ann", roles=frozenset({"board"}))
    async with world([says("", calls("pay", amount=1)), "Done."], pay, rules=[two]) as assent:
        turn = await assent.send("agent", "pay", by=ADA)
        async with asyncio.timeout(10):
            with pytest.raises(AssertionError, match=r"about 'pay' .* needs 2 approvals"):
                await Decider(assent, approve(), by=ann).settle(turn)
