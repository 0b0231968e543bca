"""A server that is told to stop: streams are told, work in flight ends or can be gone on with."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.listener import listening_to
from tests.server.processes import (
    approve,
    clerk,
    command_line,
    pending,
    program,
    say,
    until_done,
    until_ready,
)

# What uvicorn waits for answers, what the engine waits for work, and the start of a slow machine.
GRACE_SECONDS = 5 + 2 + 4

pytestmark = pytest.mark.slow


async def begun(client: httpx.AsyncClient, base: str, folder: Path) -> dict[str, Any]:
    """A turn whose call runs until the file `go` is there."""
    turn = await say(client, base, f"slowly {folder}")
    await approve(client, base, await pending(client, base, turn["id"]))
    await _exists(folder / "began")
    return turn


async def _exists(path: Path) -> None:
    async with asyncio.timeout(20):
        while not path.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
            await asyncio.sleep(0.02)


# requirement: R28
async def test_assent_serve_tells_its_streams_finishes_what_runs_and_exits_with_0(
    url: str, tmp_path: Path
) -> None:
    with command_line(url) as server:
        async with clerk(url) as (assent, client, _):
            await until_ready(client, server.base)
            turn = await begun(client, server.base, tmp_path)
            async with listening_to(client, f"{server.base}/api/events") as heard:
                stopping = asyncio.create_task(server.stop(30))
                await heard.until(lambda listener: listener.ended)
                (tmp_path / "go").touch()
                code, _ = await stopping

            assert heard.of("closing") == [{"reason": "closing"}]
            assert code == 0
            done = await assent.turn(turn["id"])
            assert (done.status, done.text) == ("done", "Done.")


# requirement: R28
async def test_a_call_that_does_not_end_in_time_is_left_in_doubt_for_people(
    url: str, tmp_path: Path
) -> None:
    async with clerk(url) as (_, client, _key):
        with program(url) as first:
            await until_ready(client, first.base)
            turn = await begun(client, first.base, tmp_path)
            _, seconds = await first.stop(30)

        assert seconds < GRACE_SECONDS
        with program(url) as second:
            await until_ready(client, second.base)
            asked = await pending(client, second.base, turn["id"])
            assert asked["kind"] == "outcome"
            body = {"verdict": "ran", "output": "paid"}
            path = f"{second.base}/api/requests/{asked['id']}/decide"
            assert (await client.post(path, json=body)).status_code == 200
            assert (await until_done(client, second.base, turn["id"]))["text"] == "Done."


# requirement: R28
async def test_an_answer_that_was_cut_off_is_gone_on_with_by_the_next_process(url: str) -> None:
    async with clerk(url) as (_, client, _key):
        with program(url) as first:
            await until_ready(client, first.base)
            body = {"id": "chat-1", "messages": [_message("talk")], "trigger": "submit-message"}
            async with client.stream("POST", f"{first.base}/api/chat", json=body) as answer:
                lines = answer.aiter_lines()
                async for line in lines:
                    if "text-delta" in line:
                        break
                stopping = asyncio.create_task(first.stop(30))
                rest = [line async for line in lines if line]
            await stopping

        # Told, and closed as the protocol wants it, not just cut off.
        assert rest[-1] == "data: [DONE]"
        assert any('"type":"error"' in line or '"type":"abort"' in line for line in rest)
        with program(url) as second:
            await until_ready(client, second.base)
            assert await _said(client, second.base) == "word " * 1_000


def _message(text: str) -> dict[str, Any]:
    return {"id": "m1", "role": "user", "parts": [{"type": "text", "text": text}]}


async def _said(client: httpx.AsyncClient, base: str) -> str:
    """The answer, once it is whole."""
    async with asyncio.timeout(40):
        while True:
            found = (await client.get(f"{base}/api/conversations/chat-1")).json()
            if found["status"] == "idle":
                return found["messages"][-1]["text"]
            await asyncio.sleep(0.2)


# requirement: R28
async def test_who_waits_for_an_outcome_is_told_that_it_is_not_there_yet(
    url: str, tmp_path: Path
) -> None:
    with program(url) as server:
        async with clerk(url) as (_, client, _key):
            await until_ready(client, server.base)
            turn = await say(client, server.base, f"slowly {tmp_path}")
            asked = await pending(client, server.base, turn["id"])
            body = {"toolCallId": asked["call_id"], "isValidated": True}
            path = f"{server.base}/api/qa/validate_tool"
            holding = asyncio.create_task(client.post(path, json=body))
            await _exists(tmp_path / "began")
            await server.stop(30)

            answer = await holding
    assert answer.status_code == 202
    assert answer.json() == {"success": True, "status": "running"}
