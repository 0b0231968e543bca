"""A client that waits for people is told in the best way that it speaks."""

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError

from assent import approve, reject
from tests.adapters.mcp_gateway.stage import MODES, Stage, staged, text_of, ticket_in, until

both = pytest.mark.parametrize("mode", MODES)


class Browser:
    """A client's user, who is shown the address of a page and says yes or no to it."""

    def __init__(self, action: Any = "accept") -> None:
        self.action, self.shown = action, list[str]()

    async def __call__(self, _: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        self.shown.append(params.url)
        return types.ElicitResult(action=self.action)


async def _approved_when_shown(stage: Stage, browser: Browser) -> None:
    async def is_shown() -> list[str]:
        return browser.shown

    (url,) = await until(is_shown)
    request = url.rpartition("/")[2]
    assert url == f"http://127.0.0.1:9/requests/{request}"
    await stage.assent.decide(request, approve(), by="ana")


@both
async def test_the_review_page_is_shown_to_a_client_that_opens_addresses(
    tmp_path: Path, mode: str
) -> None:
    browser = Browser()
    async with staged(tmp_path) as stage:
        async with stage.client(mode, elicitation_callback=browser) as client:
            person = asyncio.create_task(_approved_when_shown(stage, browser))

            result = await client.call_tool("up__send", {"text": "hello"})

            await person
        assert text_of(result) == "sent hello"
        assert (len(browser.shown), len(stage.runs)) == (1, 1)


@both
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_user_who_does_not_open_the_page_decides_nothing(
    tmp_path: Path, mode: str, action: str
) -> None:
    browser = Browser(action)
    async with (
        staged(tmp_path, wait=0.2) as stage,
        stage.client(mode, elicitation_callback=browser) as client,
    ):
        result = await client.call_tool("up__send", {"text": "hello"})

        assert ticket_in(result)
        assert len(await stage.assent.pending()) == 1
        assert stage.runs == []


@both
async def test_a_client_that_waits_sees_progress(tmp_path: Path, mode: str) -> None:
    told: list[str | None] = []

    async def beat(progress: float, total: float | None, message: str | None) -> None:
        assert (progress, total) == (len(told) + 1, None)
        told.append(message)

    async def has_heard() -> bool:
        return len(told) >= 3

    async with staged(tmp_path) as stage, stage.client(mode) as client:
        called = asyncio.create_task(
            client.call_tool("up__send", {"text": "x"}, progress_callback=beat)
        )
        await until(has_heard)
        assert told[0] is not None
        assert "approve" in told[0]
        await stage.assent.decide(await stage.asked(), approve(), by="ana")
        assert text_of(await called) == "sent x"


async def test_a_client_that_only_knows_tools_gets_a_ticket_and_collects_it(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0.1) as stage, stage.client() as client:
        first = await client.call_tool("up__send", {"text": "hello"})
        ticket = ticket_in(first)
        assert ticket in text_of(first)
        assert "http://127.0.0.1:9/requests/" in text_of(first)

        again = await client.call_tool("assent_result", {"ticket": ticket})
        assert ticket_in(again) == ticket

        await stage.assent.decide(await stage.asked(), approve(), by="ana")
        done = await until(lambda: _outcome(client, ticket))
        assert done == "sent hello"
        assert stage.runs == ["send {'text': 'hello'}"]


async def _outcome(client: Any, ticket: str) -> str | None:
    result = await client.call_tool("assent_result", {"ticket": ticket})
    return None if result.meta else text_of(result)


async def test_an_approved_call_runs_without_waiting_for_its_client(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        ticket_in(await client.call_tool("up__send", {"text": "hello"}))

        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        async def ran() -> list[str]:
            return stage.runs

        assert await until(ran) == ["send {'text': 'hello'}"]


async def test_a_rejection_is_collected_with_its_reason(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        ticket = ticket_in(await client.call_tool("up__send", {"text": "hello"}))
        await stage.assent.decide(await stage.asked(), reject("too loud"), by="ana")

        said = await until(lambda: _outcome(client, ticket))

        assert "too loud" in said


@pytest.mark.parametrize("given", [{}, {"ticket": ""}, {"ticket": 0}, {"ticket": None}, {"t": "x"}])
async def test_a_ticket_that_is_none_is_told(tmp_path: Path, given: dict[str, Any]) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        result = await client.call_tool("assent_result", given)

        assert result.is_error
        assert "ticket" in text_of(result)


@pytest.mark.parametrize("ticket", ["call_0", "x" * 10_000, "call_\x00", "../..", ".keyed"])
async def test_an_unknown_ticket_finds_nothing(tmp_path: Path, ticket: str) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        result = await client.call_tool("assent_result", {"ticket": ticket})

        assert result.is_error
        assert "no call" in text_of(result)


async def test_the_ticket_of_another_person_finds_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as anas, anas.client() as ana:
        ticket = ticket_in(await ana.call_tool("up__send", {"text": "mine"}))

        async with staged(tmp_path, by="bob", worker=False) as bobs, bobs.client() as bob:
            result = await bob.call_tool("assent_result", {"ticket": ticket})

    assert result.is_error
    assert "no call" in text_of(result)


async def test_an_unknown_tool_is_refused(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        for name in ("send", "up__nothing", "", "x" * 10_000):
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool(name, {})


# Rounds of protocol 2026-07-28: what a client carries is sealed, and bound to its request.


async def _state(client: Any, **given: Any) -> str:
    found = await client.session.call_tool("up__send", given, allow_input_required=True)
    assert isinstance(found, types.InputRequiredResult)
    assert found.request_state is not None
    return found.request_state


async def test_a_repeated_request_finds_the_same_call(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client("2026-07-28") as client:
        state = await _state(client, text="one")
        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        async def answered() -> str | None:
            found = await client.session.call_tool(
                "up__send", {"text": "one"}, request_state=state, allow_input_required=True
            )
            return text_of(found) if isinstance(found, types.CallToolResult) else None

        assert await until(answered) == "sent one"
        assert stage.runs == ["send {'text': 'one'}"]


async def test_a_state_that_was_not_sealed_here_is_refused(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client("2026-07-28") as client:
        state = await _state(client, text="one")
        flipped = state[:-3] + ("AAA" if state[-3:] != "AAA" else "BBB")
        for forged in ("", "x", flipped, '{"ticket":"call_0","round":1}', state * 50):
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool("up__send", {"text": "one"}, request_state=forged)
        assert stage.runs == []


async def test_a_state_is_good_for_its_own_tool_arguments_and_person_only(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client("2026-07-28") as client:
        state = await _state(client, text="one")
        others: list[tuple[str, dict[str, Any]]] = [
            ("up__send", {"text": "two"}),
            ("up__send", {}),
            ("up__add", {"text": "one"}),
            ("assent_result", {"text": "one"}),
        ]
        for name, given in others:
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool(name, given, request_state=state)

        async with (
            staged(tmp_path, by="bob", worker=False, wait=0) as bobs,
            bobs.client("2026-07-28") as bob,
        ):
            with pytest.raises(MCPError, match="requestState"):
                await bob.session.call_tool("up__send", {"text": "one"}, request_state=state)


async def test_a_client_that_repeats_is_given_a_ticket_in_the_end(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=0.01) as stage, stage.client("2026-07-28") as client:
        result = await client.call_tool("up__send", {"text": "hello"})

        assert ticket_in(result)
        assert len(await stage.assent.pending()) == 1
