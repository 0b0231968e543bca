"""SIGKILL around the sending of a webhook or a mail: none is lost, and a repeated one is known."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from assent.channels.webhook.signing import new_secret
from assent.engine.failpoints import POSTING
from tests.channels.email.mailhost import Mailhost
from tests.channels.webhook.receiver import WebhookReceiver
from tests.faults import sending_program

SECRET = new_secret()


@asynccontextmanager
async def process(
    url: str, name: str, port: int, what: str, failpoint: str = ""
) -> AsyncGenerator[asyncio.subprocess.Process]:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    own = {"PYTHONPATH": path, "ASSENT_FAILPOINT": failpoint, "ASSENT_WEBHOOK_SECRETS": SECRET}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(sending_program.__file__),
        *(url, name, str(port), what),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **own},
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


async def killed_and_taken_over(
    url: str, name: str, port: int, point: str, arrived: Callable[[], int]
) -> None:
    async with process(url, name, port, "ask", point) as killed:
        assert await asyncio.wait_for(killed.wait(), 60) == -signal.SIGKILL
    assert arrived() == (0 if point == "before_post" else 1)
    async with process(url, name, port, "watch") as second:
        assert second.stdout is not None
        assert await asyncio.wait_for(second.stdout.readline(), 60) == b"told\n"


# requirement: W9, R18
@pytest.mark.slow
@pytest.mark.parametrize("point", POSTING)
async def test_a_kill_loses_no_webhook_and_a_second_one_has_the_same_id(
    url: str, point: str
) -> None:
    async with WebhookReceiver(SECRET) as receiver:
        await killed_and_taken_over(
            url, "webhook", receiver.port, point, lambda: len(receiver.messages)
        )

    assert len(receiver.messages) == (1 if point == "before_post" else 2)
    assert len({each.headers["webhook-id"] for each in receiver.requests}) == 1
    assert len({each.body for each in receiver.requests}) == 1


# requirement: W9, R18
@pytest.mark.slow
@pytest.mark.parametrize("point", POSTING)
async def test_a_kill_loses_no_mail_and_a_second_one_has_the_same_id(url: str, point: str) -> None:
    async with Mailhost() as host:
        await killed_and_taken_over(url, "email", host.port, point, lambda: len(host.received))

    assert len(host.received) == (1 if point == "before_post" else 2)
    assert len({str(mail.message["Message-ID"]) for mail in host.received}) == 1
