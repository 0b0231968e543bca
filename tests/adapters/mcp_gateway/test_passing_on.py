"""What a server says and asks during its call reaches the client that waits for it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitRequestParams, ElicitRequestURLParams, ElicitResult

from assent import approve
from assent.adapters.mcp.gateway.clients import Progress
from tests.adapters.mcp_gateway.stage import ALLOWED, MODES, staged, text_of

OPEN = dict.fromkeys(["steps", "ask", "visit", "script", "forge"], ALLOWED)


class Told:
    """The progress that a client hears of."""

    def __init__(self) -> None:
        self.all: list[tuple[float, float | None, str | None]] = []

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.all.append((progress, total, message))

    @property
    def steps(self) -> list[str]:
        return [text for _, _, text in self.all if text is not None and text.startswith("step")]


class User:
    """The user of a client, who answers what is asked."""

    def __init__(self, **answer: Any) -> None:
        self.asked: list[ElicitRequestParams] = []
        self._answer = answer

    async def __call__(self, _: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params)
        return ElicitResult(**self._answer)


@pytest.mark.parametrize("mode", MODES)
async def test_progress_of_a_server_reaches_the_client(tmp_path: Path, mode: str) -> None:
    told = Told()
    async with staged(tmp_path, tools=OPEN) as stage, stage.client(mode) as client:
        result = await client.call_tool("up__steps", {}, progress_callback=told)

    assert text_of(result) == "all steps"
    # Those that come at once are one.
    assert (told.steps[0], told.steps) == ("step 1", sorted(told.steps))
    assert all(total is not None for _, total, text in told.all if text in told.steps)


async def test_progress_only_grows_also_after_waiting_for_people(tmp_path: Path) -> None:
    told = Told()
    async with staged(tmp_path) as stage, stage.client() as client:
        called = asyncio.create_task(client.call_tool("up__steps", {}, progress_callback=told))
        request = await stage.asked()
        while len(told.all) < 3:  # noqa: ASYNC110 - the client hears of it
            await asyncio.sleep(0.01)
        await stage.assent.decide(request, approve(), by="ana")
        await called

    numbers = [number for number, _, _ in told.all]
    assert numbers == sorted(set(numbers))
    assert told.steps[0] == "step 1"


async def test_a_client_that_wants_no_progress_makes_its_server_report_none(tmp_path: Path) -> None:
    async with staged(tmp_path, tools=OPEN) as stage, stage.client() as client:
        assert text_of(await client.call_tool("up__steps", {})) == "unwatched"


def test_numbers_grow_whatever_a_server_reports() -> None:
    progress, now, told = Progress(), 0.0, list[float]()
    for said in (0.0, 1.0, 1.0, -5.0, float("nan"), float("inf"), 2.0, 1.5, 1e9):
        now += 1.0
        told += [number for number in (progress.passed(said, now), progress.beat()) if number]

    assert told == sorted(set(told))
    assert max(told) < 2e9


def test_of_ten_thousand_reports_at_once_one_is_passed_on() -> None:
    progress = Progress()

    told = [progress.passed(float(number), 1.0) for number in range(1, 10_001)]

    assert len([number for number in told if number is not None]) == 1


async def test_a_form_of_a_server_is_shown_by_the_client(tmp_path: Path) -> None:
    user = User(action="accept", content={"n": 0})
    async with (
        staged(tmp_path, tools=OPEN) as stage,
        stage.client(elicitation_callback=user) as client,
    ):
        result = await client.call_tool("up__ask", {})

    (asked,) = user.asked
    assert asked.message == "up asks: Which size?"
    assert json.loads(text_of(result)) == {"action": "accept", "content": {"n": 0}}


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
async def test_an_address_of_a_server_is_shown_by_the_client(tmp_path: Path, action: str) -> None:
    user = User(action=action)
    async with (
        staged(tmp_path, tools=OPEN) as stage,
        stage.client(elicitation_callback=user) as client,
    ):
        result = await client.call_tool("up__visit", {})

    (asked,) = user.asked
    assert isinstance(asked, ElicitRequestURLParams)
    assert (asked.url, json.loads(text_of(result))["action"]) == ("https://sign.example/", action)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tool", ["ask", "visit"])
async def test_where_no_client_can_be_asked_the_question_is_declined(
    tmp_path: Path, mode: str, tool: str
) -> None:
    async with staged(tmp_path, tools=OPEN) as stage, stage.client(mode) as client:
        result = await client.call_tool(f"up__{tool}", {})

    assert json.loads(text_of(result)) == {"action": "decline"}


async def test_an_answer_to_a_server_approves_nothing(tmp_path: Path) -> None:
    user = User(action="accept", content={"n": 1})
    async with staged(tmp_path) as stage, stage.client(elicitation_callback=user) as client:
        called = asyncio.create_task(client.call_tool("up__ask", {}))
        request = await stage.asked()
        assert stage.runs == []
        await stage.assent.decide(request, approve(), by="ana")
        await called

    assert len(stage.runs) == 1


async def test_an_address_that_is_no_page_is_shown_to_nobody(tmp_path: Path) -> None:
    user = User(action="accept")
    async with (
        staged(tmp_path, tools=OPEN) as stage,
        stage.client(elicitation_callback=user) as client,
    ):
        result = await client.call_tool("up__script", {})

    assert user.asked == []
    assert json.loads(text_of(result)) == {"action": "decline"}


async def test_a_server_cannot_say_what_only_the_gateway_says(tmp_path: Path) -> None:
    async with staged(tmp_path, tools=OPEN) as stage, stage.client() as client:
        result = await client.call_tool("up__forge", {})

    assert (text_of(result), result.meta) == ("forged", {"own/note": 1})
