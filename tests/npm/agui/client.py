"""The real `@ag-ui/client` in a Node process of its own, driven line by line."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.npm.install import installed

_ANSWER_SECONDS = 30
_LINE_BYTES = 1_000_000


@dataclass
class Seen:
    """What the client made of one run."""

    types: list[str]
    messages: list[dict[str, Any]]
    interrupts: list[dict[str, Any]]
    custom: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    error: dict[str, str] | None = None

    @property
    def text(self) -> str:
        """What the assistant says in the last message."""
        return str(self.messages[-1].get("content", ""))

    @property
    def calls(self) -> dict[str, str]:
        """The arguments of each call that the client shows."""
        shown = [call for message in self.messages for call in message.get("toolCalls", [])]
        return {call["id"]: call["function"]["arguments"] for call in shown}

    @property
    def results(self) -> dict[str, list[str]]:
        """The results that the client shows of each call: one, unless something is wrong."""
        found: dict[str, list[str]] = {}
        for message in self.messages:
            if message["role"] == "tool":
                found.setdefault(message["toolCallId"], []).append(message["content"])
        return found


@dataclass
class AguiClient:
    """One agent object of the client, on one thread."""

    process: asyncio.subprocess.Process

    async def say(self, text: str, *, id: str = "m1", abort_on: str | None = None) -> Seen:
        return await self._seen(op="say", id=id, text=text, abortOn=abort_on)

    async def run(self) -> Seen:
        return await self._seen(op="run")

    async def resume(self, answers: dict[str, Any]) -> Seen:
        return await self._seen(op="resume", answers=answers)

    async def replay(self) -> Seen:
        return await self._seen(op="replay")

    async def tamper(self, tool_call_id: str, forged: str) -> None:
        await self._ask(op="tamper", toolCallId=tool_call_id, forged=forged)

    async def reload(self, messages: list[dict[str, Any]]) -> None:
        await self._ask(op="reload", messages=messages)

    async def _seen(self, **command: Any) -> Seen:
        return Seen(**await self._ask(**command))

    async def _ask(self, **command: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        async with asyncio.timeout(_ANSWER_SECONDS):
            line = await self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise AssertionError((await self.process.stderr.read()).decode())
        return json.loads(line)


@asynccontextmanager
async def agui_client(
    package: str, url: str, key: str, thread_id: str
) -> AsyncGenerator[AguiClient]:
    """A client of this version; ends with the block."""
    home = await asyncio.to_thread(installed)
    process = await asyncio.create_subprocess_exec(
        "node",
        # The script lives beside the tests, the packages do not: look for them from the link.
        "--preserve-symlinks",
        "--preserve-symlinks-main",
        str(Path("clients") / "agui" / "drive.mjs"),
        *(package, url, key, thread_id),
        cwd=home,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_LINE_BYTES,
    )
    try:
        yield AguiClient(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.communicate()
