"""Servers as processes of their own, and a client for all of them."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from assent import Assent, Person
from tests.server import server_program

ROOT = Person("root", roles=frozenset({"admin"}))
_PROGRAM = str(Path(server_program.__file__))
_ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)")


@dataclass
class Process:
    """One server that runs."""

    base: str
    popen: subprocess.Popen[str]

    async def stop(self, seconds: float = 20) -> tuple[int, float]:
        """Ask it to end as a supervisor does: its exit code, and how long it took."""
        started = time.monotonic()
        self.popen.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(self.popen.wait, seconds)
        return code, time.monotonic() - started


@contextmanager
def started(*command: str) -> Generator[Process]:
    """A process that prints its address or port; killed in the end if it still runs."""
    path = os.pathsep.join(folder for folder in sys.path if folder)
    popen = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield Process(_base(popen), popen)
    finally:
        if popen.poll() is None:
            popen.kill()
        popen.communicate(timeout=10)


def _base(popen: subprocess.Popen[str]) -> str:
    assert popen.stdout is not None
    said = ""
    for line in popen.stdout:
        said += line
        if line.strip().isdecimal():
            return f"http://127.0.0.1:{line.strip()}"
        if found := _ADDRESS.search(line):
            return found[1]
    raise AssertionError(f"it ended before it served: {said}")


def program(url: str, role: str = "worker") -> Any:
    """The tests' own server, under plain uvicorn."""
    return started(_PROGRAM, url, role)


def command_line(url: str) -> Any:
    """`assent serve`."""
    agents = f"{server_program.__name__}:AGENTS"
    return started("-m", "assent.cli", "serve", agents, "--db", url, "--port", "0")


@asynccontextmanager
async def clerk(url: str) -> AsyncGenerator[tuple[Assent, httpx.AsyncClient, str]]:
    """An engine that only looks, a client with the key of `user`, and that key."""
    async with server_program.engine(url, worker=False) as assent:
        person = Person("user", roles=frozenset({"requester"}))
        await assent.people.add(person, by=ROOT)
        _, key = await assent.people.issue_key("user", by=ROOT)
        limits = httpx.Limits(max_connections=None)
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(
            headers=headers, limits=limits, timeout=20, trust_env=False
        ) as client:
            yield assent, client, key


async def until_ready(client: httpx.AsyncClient, base: str) -> None:
    """Wait until a server answers."""
    async with asyncio.timeout(30):
        while True:
            try:
                if (await client.get(f"{base}/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)


async def say(client: httpx.AsyncClient, base: str, text: str) -> dict[str, Any]:
    """A conversation of its own with this message; the turn."""
    made = await client.post(f"{base}/api/conversations", json={"agent": "agent"})
    path = f"{base}/api/conversations/{made.json()['id']}/messages"
    answer = await client.post(path, json={"text": text})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def pending(client: httpx.AsyncClient, base: str, turn_id: str) -> dict[str, Any]:
    """The question that a turn waits for."""
    async with asyncio.timeout(20):
        while True:
            turn = (await client.get(f"{base}/api/turns/{turn_id}")).json()
            if turn["pending"]:
                return turn["pending"][0]
            await asyncio.sleep(0.02)


async def approve(client: httpx.AsyncClient, base: str, request: dict[str, Any]) -> None:
    """Decide it over HTTP, with the digest of what is shown."""
    shown = (await client.get(f"{base}/api/requests/{request['id']}")).json()
    body = {"verdict": "approve", "digest": shown["digest"]}
    answer = await client.post(f"{base}/api/requests/{request['id']}/decide", json=body)
    assert answer.status_code == 200, answer.text


async def until_done(client: httpx.AsyncClient, base: str, turn_id: str) -> dict[str, Any]:
    """Wait until a turn has its answer; the turn."""
    async with asyncio.timeout(20):
        while True:
            turn = (await client.get(f"{base}/api/turns/{turn_id}")).json()
            if turn["status"] == "done":
                return turn
            await asyncio.sleep(0.05)
