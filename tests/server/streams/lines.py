"""Streams as a client reads them, and tools that say what they did."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from assent import Tool, tool

Chunk = dict[str, Any]


class Shop:
    """Tools of a small shop; `ran` notes every time that one really ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

        @tool
        async def look(at: str) -> str:
            """Look at something."""
            self.ran.append(f"look {at}")
            return f"saw {at}"

        self.look = look

    def delete(self, **said: Any) -> Tool:
        """A tool that asks unless something else is said."""

        async def delete(target: str) -> str:
            """Delete something."""
            self.ran.append(f"delete {target}")
            return f"deleted {target}"

        return tool(**{"requires_approval": True, **said})(delete)


def user(text: str, id: str = "u1") -> Chunk:
    """A user's message as AI SDK 5 and later post it."""
    return {"id": id, "role": "user", "parts": [{"type": "text", "text": text}]}


def parts(text: str) -> list[tuple[str, Any]]:
    """A data stream as (code, value) pairs; every line must be whole."""
    assert not text or text.endswith("\n")
    lines = [line.split(":", 1) for line in text.split("\n") if line]
    return [(code, json.loads(value)) for code, value in lines]


def codes(text: str) -> str:
    """The codes of a data stream, in order."""
    return "".join(code for code, _ in parts(text))


def chunks(text: str) -> list[Chunk]:
    """The chunks of a UI message stream, which must end as it should."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    assert blocks[-1] == "data: [DONE]"
    return [json.loads(block.removeprefix("data: ")) for block in blocks[:-1]]


def types(text: str) -> list[str]:
    """The types of a UI message stream's chunks, in order."""
    return [chunk["type"] for chunk in chunks(text)]


def said(text: str) -> str:
    """All text of a UI message stream."""
    return "".join(c["delta"] for c in chunks(text) if c["type"] == "text-delta")


def one(text: str, kind: str) -> Chunk:
    """The only chunk of this type."""
    [found] = [chunk for chunk in chunks(text) if chunk["type"] == kind]
    return found


def responded(*approvals: Chunk, turn_id: str = "m1", tool: str = "delete") -> Chunk:
    """An assistant's message whose approvals are answered, as AI SDK 6 and 7 post it."""
    answered = [
        {
            "type": f"tool-{tool}",
            **({"toolCallId": each.pop("call")} if "call" in each else {}),
            "state": "approval-responded",
            "input": each.pop("input", {}),
            "approval": each,
        }
        for each in approvals
    ]
    return {"id": turn_id, "role": "assistant", "parts": [{"type": "step-start"}, *answered]}


async def ask(client: httpx.AsyncClient, text: str, **more: Any) -> httpx.Response:
    """Post a message to a chat of the UI message stream."""
    body = {"id": "chat-1", "messages": [user(text)], "trigger": "submit-message", **more}
    return await client.post("/api/chat", json=body)


async def answer(client: httpx.AsyncClient, *messages: Chunk, **more: Any) -> httpx.Response:
    """Post a history that ends with an assistant's message."""
    body = {"id": "chat-1", "messages": [user("go"), *messages], **more}
    return await client.post("/api/chat", json=body)


async def eventually(holds: Callable[[], Awaitable[bool]], seconds: float = 30) -> None:
    """Wait for a condition, not for a time."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110 - it asks a server
            await asyncio.sleep(0.02)
