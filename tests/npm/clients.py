"""Running the real npm clients against a server of a test."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.npm.install import installed

_SECONDS = 40
_REACT_CHAT = Path(__file__).parents[2] / "examples" / "react-chat" / "src"
# Scripts resolve their imports from where the packages are, not from where they are kept.
_NODE = ("node", "--preserve-symlinks", "--preserve-symlinks-main", "--no-warnings")


class Client:
    """A client at work: its reports, one JSON value each, and a way to give it a sign."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def report(self) -> dict[str, Any]:
        """What it says next; a client that fails is the test's failure."""
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None
        assert stderr is not None
        async with asyncio.timeout(_SECONDS):
            line = await stdout.readline()
            assert line, (await stderr.read()).decode()[-2000:]
        return json.loads(line)

    async def sign(self) -> None:
        """Let it go on."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(b"\n")
        await stdin.drain()


@asynccontextmanager
async def client(script: str, *arguments: str) -> AsyncGenerator[Client]:
    """A script of ours with the real packages; it is gone when the block is left."""
    home: Path = await asyncio.to_thread(installed)
    process = await asyncio.create_subprocess_exec(
        *_NODE,
        str(home / "clients" / script),
        *arguments,
        cwd=home,
        env={**os.environ, "REACT_CHAT": str(_REACT_CHAT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=10_000_000,
    )
    try:
        yield Client(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def outcome(script: str, *arguments: str) -> dict[str, Any]:
    """What a script reports in the end."""
    async with client(script, *arguments) as running:
        return await running.report()
