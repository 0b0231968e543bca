"""Which calls are one call: until its client has the answer, the same call finds the same row."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from assent import approve
from tests.adapters.ledger import BOTH
from tests.adapters.mcp_gateway.stage import ALLOWED, MODES, staged, text_of, ticket_in, until

HELLO = {"text": "hello"}


async def test_the_same_call_after_a_ticket_is_the_same_call(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        first = ticket_in(await client.call_tool("up__send", HELLO))

        second = ticket_in(await client.call_tool("up__send", HELLO))

        assert first == second
        assert len(await stage.assent.pending()) == 1


async def test_after_its_result_was_delivered_the_same_call_is_a_new_one(tmp_path: Path) -> None:
    async with staged(tmp_path, tools={"send": ALLOWED}) as stage, stage.client() as client:
        for _ in range(3):
            assert text_of(await client.call_tool("up__send", HELLO)) == "sent hello"

        assert len(stage.runs) == 3


async def test_a_collected_ticket_makes_the_same_call_a_new_one(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0.05) as stage, stage.client() as client:
        ticket = ticket_in(await client.call_tool("up__send", HELLO))
        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        async def collected() -> bool:
            result = await client.call_tool("assent_result", {"ticket": ticket})
            return text_of(result) == "sent hello"

        await until(collected)
        assert ticket_in(await client.call_tool("up__send", HELLO)) != ticket
        # Who still has the ticket gets the same result.
        assert await collected()
        assert len(stage.runs) == 1


async def test_equal_calls_at_once_are_several_calls(tmp_path: Path) -> None:
    async with staged(tmp_path, tools={"send": ALLOWED}) as stage, stage.client() as client:
        results = await asyncio.gather(*(client.call_tool("up__send", HELLO) for _ in range(5)))

        assert [text_of(each) for each in results] == ["sent hello"] * 5
        assert len(stage.runs) == 5


@BOTH
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_comes_back_after_a_crash_gets_the_same_call(
    tmp_path: Path, url: str, mode: str
) -> None:
    async with staged(tmp_path, url=url) as stage:
        async with stage.client(mode) as client:
            lost = asyncio.create_task(client.call_tool("up__send", HELLO))
            request = await stage.asked()
        with pytest.raises((MCPError, asyncio.CancelledError, Exception)):
            await lost
        assert len(await stage.assent.pending()) == 1

    async with staged(tmp_path, url=url) as later, later.client(mode) as client:
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        await later.assent.decide(request, approve(), by="ana")

        assert text_of(await called) == "sent hello"
        assert len(later.runs) == 1


async def test_what_was_decided_meanwhile_is_not_asked_again(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        await client.call_tool("up__send", HELLO)
        request = await stage.asked()
    # Nobody runs it now: the gateway is gone.
    async with staged(tmp_path) as later:
        await later.assent.decide(request, approve(), by="ana")
        async with later.client() as client:
            assert text_of(await client.call_tool("up__send", HELLO)) == "sent hello"
        assert (len(later.runs), await later.assent.pending()) == (1, [])


async def test_a_ticket_is_collected_after_a_restart(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        ticket = ticket_in(await client.call_tool("up__send", HELLO))
        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        async def ran() -> list[str]:
            return stage.runs

        await until(ran)
    async with staged(tmp_path) as later, later.client() as client:
        result = await client.call_tool("assent_result", {"ticket": ticket})

        assert text_of(result) == "sent hello"
        assert len(later.runs) == 1


async def test_the_key_of_a_client_means_one_call_for_ever(tmp_path: Path) -> None:
    keyed: Any = {"assent/key": "order-7"}
    async with staged(tmp_path, tools={"send": ALLOWED}) as stage, stage.client() as client:
        for _ in range(3):
            result = await client.call_tool("up__send", HELLO, meta=keyed)
            assert text_of(result) == "sent hello"
        assert len(stage.runs) == 1

        other = await client.call_tool("up__send", {"text": "other"}, meta=keyed)

        assert other.is_error
        assert "key" in text_of(other)
        assert len(stage.runs) == 1


async def test_a_keyed_call_that_was_collected_by_its_ticket_stays_that_call(
    tmp_path: Path,
) -> None:
    keyed: Any = {"assent/key": "order-8"}
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        ticket = ticket_in(await client.call_tool("up__send", HELLO, meta=keyed))
        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        async def collected() -> bool:
            result = await client.call_tool("assent_result", {"ticket": ticket})
            return text_of(result) == "sent hello"

        await until(collected)
        again = await client.call_tool("up__send", HELLO, meta=keyed)
        assert text_of(again) == "sent hello"
        assert len(stage.runs) == 1


@BOTH
async def test_two_gateways_on_one_database_run_a_call_once(tmp_path: Path, url: str) -> None:
    async with (
        staged(tmp_path, url=url) as one,
        staged(tmp_path, url=url, worker=False) as two,
        one.client() as first,
        two.client() as second,
    ):
        # Without a key, one that is made after the other was answered is a call of its own.
        keyed: Any = {"assent/key": "order-9"}
        calls = [
            asyncio.create_task(first.call_tool("up__send", HELLO, meta=keyed)),
            asyncio.create_task(second.call_tool("up__send", HELLO, meta=keyed)),
        ]
        await one.assent.decide(await two.asked(), approve(), by="ana")

        results = await asyncio.gather(*calls)
        assert [text_of(each) for each in results] == ["sent hello"] * 2
        assert len(one.runs) == 1


@pytest.mark.parametrize("key", ["", " ", 5, ["a"]])
async def test_a_key_that_is_none_is_refused_and_not_left_unread(
    tmp_path: Path, key: object
) -> None:
    async with staged(tmp_path, tools={"send": ALLOWED}) as stage, stage.client() as client:
        with pytest.raises(MCPError, match="wants a text"):
            await client.call_tool("up__send", HELLO, meta={"assent/key": key})

        assert stage.runs == []
