"""PostgreSQL takes a connection and says nothing more: nobody waits for it for ever."""

import asyncio
from datetime import timedelta

import pytest

from assent.app import open_store
from assent.errors import StoreUnavailable
from tests.faults.wire import wired

pytestmark = pytest.mark.postgres
SOON = timedelta(milliseconds=500)
SECONDS = 40
DONE = b"C\0\0\0\x0bNOTIFY\0" + b"Z\0\0\0\5I"
# A row that nobody asked for: asyncpg can do nothing more with its connection.
STRAY = b"D\0\0\0\5x"


async def test_opening_a_database_that_says_nothing_ends(postgres_url: str) -> None:
    async with wired(postgres_url) as (wire, url), asyncio.timeout(SECONDS):
        wire.swallows = lambda _: True
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            await open_store(url, wait=SOON).open(worker=True)
        assert wire.has_swallowed.is_set()


@pytest.mark.parametrize("answer", [b"", DONE + STRAY], ids=["nothing", "too much"])
async def test_a_hint_without_a_proper_answer_does_not_end_all_hints(
    postgres_url: str, answer: bytes
) -> None:
    heard = asyncio.Event()
    async with wired(postgres_url) as (wire, url), asyncio.timeout(SECONDS):
        ours, theirs = open_store(url, wait=SOON), open_store(postgres_url)
        await ours.open(worker=True)
        await theirs.open(worker=False)
        theirs.listen(lambda _: heard.set())
        wire.swallows = lambda body: body.startswith(b"NOTIFY")
        wire.answers_instead = answer
        await ours.run(lambda tx: tx.settings.set_fact("a", "b"))
        await wire.has_swallowed.wait()
        wire.swallows = lambda _: False
        while not heard.is_set():
            await ours.run(lambda tx: tx.settings.set_fact("a", "c"))
            await asyncio.sleep(0.1)
        await ours.close()
        await theirs.close()
