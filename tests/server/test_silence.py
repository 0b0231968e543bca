"""A database that says nothing: nobody waits for it for ever, and all goes on when it speaks."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import httpx
import psutil
import pytest

from tests.conftest import QUICK
from tests.server.conftest import Serve

IMPATIENT = replace(QUICK, lease=timedelta(seconds=30), wait=timedelta(seconds=2))
# More than any wait may take; SQLite gives another process ten seconds, and so may the one before.
SECONDS = 40


@asynccontextmanager
async def silenced(url: str) -> AsyncGenerator[None]:
    """PostgreSQL with all its processes stopped; an SQLite file that another process holds."""
    if url.startswith("sqlite"):
        holder = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        yield
        holder.close()
        return
    server = await postmaster(url)
    # First: from then on it has no further children.
    server.suspend()
    others = server.children(recursive=True)
    try:
        for process in others:
            # The one that we asked may be about to end.
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        yield
    finally:
        for process in (server, *others):
            with suppress(psutil.NoSuchProcess):
                process.resume()


async def postmaster(url: str) -> psutil.Process:
    """The process that all others of this server come from."""
    connection: Any = await asyncpg.connect(url)
    try:
        # Before it is closed: the parent of a process that has ended is nobody's.
        found = psutil.Process(await connection.fetchval("SELECT pg_backend_pid()")).parent()
    finally:
        await connection.close()
    assert found is not None
    return found


def comes_back(answer: httpx.Response) -> None:
    """It says that it cannot now, and when to try again."""
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) > 0


async def test_while_the_database_says_nothing_everybody_is_told_when_to_come_back(
    serve: Serve, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(lambda _: "Done.", times=IMPATIENT) as served:
        client = served.client()
        assert (await client.get("/readyz")).status_code == 200
        async with silenced(url), asyncio.timeout(SECONDS):
            assert (await client.get("/healthz")).status_code == 200
            answers = await asyncio.gather(
                client.get("/readyz"),
                client.get("/readyz"),
                client.get("/api/me"),
                client.post("/api/conversations", json={"agent": "agent"}),
                served.client(Accept="text/html").get("/"),
                # More than there are connections: they wait for one, and not for ever.
                *(client.get("/api/requests") for _ in range(20)),
            )
            for answer in answers:
                comes_back(answer)
            assert answers[0].json()["code"] in ("not_ready", "store_unavailable")
            assert answers[2].headers["content-type"] == "application/problem+json"
            assert answers[4].headers["content-type"].startswith("text/html")
            assert (await client.get("/healthz")).status_code == 200
        async with asyncio.timeout(SECONDS):
            while (await client.get("/readyz")).status_code != 200:
                pass
        assert (await client.get("/api/me")).status_code == 200
        made = await client.post("/api/conversations", json={"agent": "agent"})
        assert made.status_code == 201
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_readiness_does_not_wait_for_a_database_as_long_as_others_do(
    serve: Serve, url: str
) -> None:
    patient = replace(QUICK, lease=timedelta(hours=1), wait=timedelta(hours=1))
    async with serve(lambda _: "Done.", times=patient, worker=False) as served:
        client = served.client(None)
        async with silenced(url), asyncio.timeout(SECONDS):
            answer = await client.get("/readyz")
    comes_back(answer)
    assert answer.json()["code"] == "not_ready"
