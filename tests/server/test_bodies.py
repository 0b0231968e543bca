"""Bodies that do not come, or not to their end."""

import asyncio
import logging
from datetime import timedelta

import pytest

from assent.server import Settings
from tests.server.conftest import Serve

HALF = (
    "POST /api/conversations HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
    'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"agent": '
)
SECONDS = 20


async def test_a_body_that_does_not_come_is_refused_and_nothing_is_done(serve: Serve) -> None:
    settings = Settings(body_within=timedelta(milliseconds=200))
    async with serve(lambda _: "Done.", settings=settings) as served:
        host, port = served.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(HALF.format(key=served.keys["user"]).encode())
        async with asyncio.timeout(SECONDS):
            # To the end: the connection is of no use to anybody any more.
            told = (await reader.read()).decode()
        writer.close()
        listed = await served.client().get("/api/conversations")
    assert told.startswith("HTTP/1.1 408 ")
    assert "urn:assent:problem:too_slow" in told
    assert listed.json()["items"] == []


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_one_line(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with serve(lambda _: "Done.") as served:
        host, port = served.base.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(HALF.format(key=served.keys["user"]).encode())
        await writer.drain()
        writer.close()
        async with asyncio.timeout(SECONDS):
            while not said(caplog):  # noqa: ASYNC110 - a log tells nobody
                await asyncio.sleep(0.01)
        assert (await served.client().get("/api/me")).status_code == 200
    [line] = said(caplog)
    assert line.levelno == logging.INFO
    assert line.exc_info is None
    assert "POST /api/conversations" in line.getMessage()


def said(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What the service and its server said about it."""
    return [
        record
        for record in caplog.records
        if record.levelno >= logging.ERROR or "client left" in record.getMessage()
    ]
