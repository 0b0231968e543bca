"""A turn that is stopped in one process, while another process waits for a server's call."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from assent import Agent, Assent, Person
from assent.testing import ScriptedModel
from tests.adapters.mcp import worker_program
from tests.adapters.mcp.conftest import Done, eventually

OLGA = Person("olga")
pytestmark = pytest.mark.slow


@asynccontextmanager
async def working(url: str, done: Done) -> AsyncIterator[str]:
    """A worker elsewhere whose server is busy; the id of its turn."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(worker_program.__file__),
        url,
        str(done),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    try:
        turn_id = (await process.stdout.readline()).decode().strip()
        await eventually(lambda: "dawdle begins" in done.text)
        yield turn_id
    finally:
        process.kill()
        await process.communicate()


def deciding(url: str) -> Assent:
    """The same database, for people only."""
    return Assent(url, agents=Agent("agent", model=ScriptedModel([])), worker=False)


async def test_a_stop_in_another_process_cancels_the_remote_call(url: str, done: Done) -> None:
    async with working(url, done) as turn_id, deciding(url) as assent:
        await assent.stop(turn_id, by=OLGA)
        await eventually(lambda: "dawdle cancelled" in done.text)
        turn = await assent.wait(turn_id)

        async def asked() -> list[str]:
            return [str(request.kind) for request in await assent.pending(person=OLGA)]

        async with asyncio.timeout(30):
            while not (kinds := await asked()):  # noqa: ASYNC110 - nothing here is told of it
                await asyncio.sleep(0.02)

    assert (turn.status, kinds) == ("stopped", ["outcome"])
