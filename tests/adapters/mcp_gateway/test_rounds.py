"""Servers that ask before they go on with a call: their questions reach the client's user."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import TypeAdapter

from assent.adapters.mcp.gateway import Gateway
from assent.adapters.mcp.gateway.rounds import all_rounds
from assent.app import Assent
from assent.errors import McpToolFailed
from tests.adapters.mcp.conftest import command
from tests.adapters.mcp_gateway.stage import ALLOWED, MODES, SECRET, staged, text_of

TOOLS = ("deliver", "sign", "both", "endless", "sample", "patient")
ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(
    CallToolResult | InputRequiredResult
)
both = pytest.mark.parametrize("mode", MODES)


class User:
    """The user of a client, who answers what is asked."""

    def __init__(self, action: Any = "accept", **content: Any) -> None:
        self.asked: list[ElicitRequestParams] = []
        self._action, self._content = action, content

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        del context
        self.asked.append(params)
        is_page = isinstance(params, ElicitRequestURLParams)
        content = None if is_page or self._action != "accept" else self._content
        return ElicitResult(action=self._action, content=content)

    @property
    def messages(self) -> list[str]:
        return [each.message for each in self.asked]


@asynccontextmanager
async def asking(done: Path, mode: str, user: User | None) -> AsyncIterator[Client]:
    """A client before a server of 2026-07-28 whose tools ask."""
    server = command(
        "asking.py", env={"ASKING_DONE": str(done)}, tools=dict.fromkeys(TOOLS, ALLOWED)
    )
    async with Assent("sqlite:///:memory:", agents=[]) as assent:
        guard = assent.guard_for(agent="gateway", by="ana")
        async with (
            Gateway(guard, [server], owner="ana", secret=SECRET, wait=20, beat=0.02) as gateway,
            Client(gateway.server, mode=mode, elicitation_callback=user) as client,
        ):
            yield client


@both
async def test_a_form_is_shown_by_the_client_and_the_call_goes_on(
    tmp_path: Path, mode: str
) -> None:
    user, done = User(city="Rome", floor=0), tmp_path / "done"
    async with asking(done, mode, user) as client:
        result = await client.call_tool("asking__deliver", {"what": "a book"})

    assert user.messages == ["asking asks: Where to?"]
    said = json.loads(text_of(result))
    assert (said["action"], said["content"]) == ("accept", {"city": "Rome", "floor": 0})
    # The server's own state came back to it, and it was called no more often.
    assert done.read_text().splitlines() == ["deliver None", "deliver sealed by the server"]


@both
async def test_several_questions_are_all_asked(tmp_path: Path, mode: str) -> None:
    user = User(n=1)
    async with asking(tmp_path / "done", mode, user) as client:
        result = await client.call_tool("asking__both", {})

    assert user.messages == [f"asking asks: {text}" for text in ("First", "Second", "Sure?")]
    assert text_of(result).count("'accept'") == 3


@both
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
async def test_an_address_is_shown_and_what_the_user_says_reaches_the_server(
    tmp_path: Path, mode: str, action: str
) -> None:
    user = User(action)
    async with asking(tmp_path / "done", mode, user) as client:
        result = await client.call_tool("asking__sign", {})

    (asked,) = user.asked
    assert isinstance(asked, ElicitRequestURLParams)
    assert (asked.url, text_of(result)) == ("https://sign.example/doc?id=5", action)


@both
async def test_a_client_that_cannot_be_asked_declines(tmp_path: Path, mode: str) -> None:
    async with asking(tmp_path / "done", mode, None) as client:
        assert text_of(await client.call_tool("asking__sign", {})) == "decline"


@both
async def test_a_server_that_only_wants_to_be_called_again_is(tmp_path: Path, mode: str) -> None:
    async with asking(tmp_path / "done", mode, None) as client:
        assert text_of(await client.call_tool("asking__patient", {})) == "ready"


async def test_a_server_that_asks_for_ever_is_given_up(tmp_path: Path) -> None:
    user = User()
    async with asking(tmp_path / "done", "legacy", user) as client:
        result = await client.call_tool("asking__endless", {})

    assert result.is_error
    assert "given up" in text_of(result)
    assert len(user.asked) == 10


@both
async def test_sampling_is_refused(tmp_path: Path, mode: str) -> None:
    async with asking(tmp_path / "done", mode, User()) as client:
        result = await client.call_tool("asking__sample", {})

    assert result.is_error
    assert "sampling/createMessage, which is refused" in text_of(result)


async def test_a_client_of_2026_answers_a_server_of_2025(tmp_path: Path) -> None:
    user = User(n=0)
    tools = {"ask": ALLOWED}
    async with (
        staged(tmp_path, tools=tools) as stage,
        stage.client("2026-07-28", elicitation_callback=user) as client,
    ):
        result = await client.call_tool("up__ask", {})

    assert user.messages == ["up asks: Which size?"]
    assert json.loads(text_of(result)) == {"action": "accept", "content": {"n": 0}}


async def test_an_answer_to_another_question_is_none(tmp_path: Path) -> None:
    async with asking(tmp_path / "done", "2026-07-28", User(n=1)) as client:

        async def call(**more: Any) -> CallToolResult | InputRequiredResult:
            params = CallToolRequestParams(name="asking__both", arguments={}, **more)
            return await client.session.send_request(CallToolRequest(params=params), ANSWER)

        first = await call()
        assert isinstance(first, InputRequiredResult)
        (key,) = first.input_requests or {}
        yes = {key: ElicitResult(action="accept", content={"n": 1})}
        second = await call(request_state=first.request_state, input_responses=yes)
        assert isinstance(second, InputRequiredResult)
        # The same again: it is asked the second question still.
        third = await call(request_state=first.request_state, input_responses=yes)

    assert isinstance(third, InputRequiredResult)
    assert third.input_requests == second.input_requests
    assert key not in (second.input_requests or {})


async def test_many_questions_at_once_are_asked_of_nobody() -> None:
    form = ElicitRequest(params=ElicitRequestFormParams(message="?", requested_schema={}))
    flood = InputRequiredResult(input_requests={str(number): form for number in range(300)})

    async def call(**_: Any) -> InputRequiredResult:
        return flood

    async def ask(_: ElicitRequestParams) -> ElicitResult:
        raise AssertionError("nobody is asked")

    with pytest.raises(McpToolFailed, match="given up"):
        await all_rounds(call, ask, most=10)
