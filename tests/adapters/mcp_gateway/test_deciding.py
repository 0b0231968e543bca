"""People decide calls that came through the gateway; what they decided is what runs, once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ImageContent

from assent import answer, approve, reject
from tests.adapters.mcp_gateway.stage import ALLOWED, MODES, staged, text_of

both = pytest.mark.parametrize("mode", MODES)


@both
async def test_an_approved_call_runs_once_and_its_result_is_passed_on(
    tmp_path: Path, mode: str
) -> None:
    async with staged(tmp_path) as stage, stage.client(mode) as client:
        called = asyncio.create_task(client.call_tool("up__add", {"a": 1, "b": 2}))
        request = await stage.asked()
        assert stage.runs == []

        await stage.assent.decide(request, approve(), by="ana")

        result = await called
        assert (result.structured_content, result.is_error) == ({"sum": 3}, False)
        assert stage.runs == ["add {'a': 1, 'b': 2}"]


@both
async def test_an_edit_is_what_runs_and_the_client_is_told(tmp_path: Path, mode: str) -> None:
    async with staged(tmp_path) as stage, stage.client(mode) as client:
        called = asyncio.create_task(client.call_tool("up__send", {"text": "hello"}))

        await stage.assent.decide(await stage.asked(), approve(edit={"text": "bye"}), by="ana")

        said = text_of(await called)
        assert "sent bye" in said
        assert "changed" in said or "edited" in said
        assert stage.runs == ["send {'text': 'bye'}"]


@both
async def test_a_rejection_is_an_error_with_the_reason(tmp_path: Path, mode: str) -> None:
    async with staged(tmp_path) as stage, stage.client(mode) as client:
        called = asyncio.create_task(client.call_tool("up__send", {"text": "hello"}))

        await stage.assent.decide(await stage.asked(), reject("not on a Sunday"), by="ana")

        result = await called
        assert result.is_error
        assert "not on a Sunday" in text_of(result)
        assert stage.runs == []


@both
async def test_a_person_fills_in_what_the_model_does_not_know(tmp_path: Path, mode: str) -> None:
    form = {"reason": "Whom?", "fields": [{"name": "text", "type": "text", "label": "Text"}]}
    tools: Any = {"send": {"user_input": form, "requires_approval": False}}
    async with staged(tmp_path, tools=tools) as stage, stage.client(mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "text" not in listed["up__send"].input_schema.get("properties", {})
        called = asyncio.create_task(client.call_tool("up__send", {}))

        await stage.assent.decide(await stage.asked(), answer({"text": "filled in"}), by="ana")

        assert "sent filled in" in text_of(await called)
        assert stage.runs == ["send {'text': 'filled in'}"]


async def test_a_secret_that_a_person_entered_does_not_come_back(tmp_path: Path) -> None:
    form = {"reason": "?", "fields": [{"name": "text", "type": "secret", "label": "Word"}]}
    tools: Any = {"send": {"user_input": form, "requires_approval": False}}
    async with staged(tmp_path, tools=tools) as stage, stage.client() as client:
        called = asyncio.create_task(client.call_tool("up__send", {}))

        await stage.assent.decide(
            await stage.asked(), answer({"text": "hunter2-hunter2"}), by="ana"
        )

        result = await called
        assert stage.runs == ["send {'text': 'hunter2-hunter2'}"]
        assert "hunter2" not in result.model_dump_json()


async def test_a_second_approval_does_not_run_it_again(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        called = asyncio.create_task(client.call_tool("up__send", {"text": "once"}))
        request = await stage.asked()

        for _ in range(3):
            await stage.assent.decide(request, approve(), by="ana")

        await called
        assert stage.runs == ["send {'text': 'once'}"]


@both
async def test_what_policy_allows_runs_at_once(tmp_path: Path, mode: str) -> None:
    async with staged(tmp_path, tools={"add": ALLOWED}) as stage, stage.client(mode) as client:
        result = await client.call_tool("up__add", {"a": 0, "b": 0})

        assert result.structured_content == {"sum": 0}
        assert await stage.assent.pending() == []


@pytest.mark.parametrize("given", [{}, {"text": 0}, {"text": None}, {"text": []}])
async def test_arguments_that_do_not_fit_are_told_and_nobody_is_asked(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        result = await client.call_tool("up__send", given)

        assert result.is_error
        assert "text" in text_of(result)
        assert (await stage.assent.pending(), stage.runs) == ([], [])


async def test_an_empty_text_is_a_text(tmp_path: Path) -> None:
    async with staged(tmp_path, tools={"send": ALLOWED}) as stage, stage.client() as client:
        assert text_of(await client.call_tool("up__send", {"text": ""})) == "sent "


async def test_pictures_and_long_results_arrive_whole(tmp_path: Path) -> None:
    tools = {"picture": ALLOWED, "long": ALLOWED}
    async with staged(tmp_path, tools=tools) as stage, stage.client() as client:
        picture = (await client.call_tool("up__picture", {})).content[0]
        assert isinstance(picture, ImageContent)
        assert picture.mime_type == "image/png"
        # Longer than the record keeps.
        assert len(text_of(await client.call_tool("up__long", {}))) == 2_000_000


async def test_a_failure_is_passed_on_in_the_words_of_the_tool(tmp_path: Path) -> None:
    async with staged(tmp_path, tools={"fail": ALLOWED}) as stage, stage.client() as client:
        result = await client.call_tool("up__fail", {})

        assert (result.is_error, text_of(result)) == (True, "it is broken")
