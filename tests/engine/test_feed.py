"""Whoever follows the feed gets everything after their place, once and in order, and promptly."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from assent import Assent, Person, Risk, approve, tool
from assent.app import open_store
from assent.domain.events import START, Cursor, EventKind, Fact, News
from assent.engine.feed import Feed, FeedReader
from assent.ports import Store, Tx
from assent.testing import calls, says
from tests.conftest import World
from tests.store.samples import CONVERSATION, TURN, add_turn


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """An open store with one turn in it."""
    opened = open_store(url)
    await opened.open(worker=True)
    await opened.run(_turn)
    yield opened
    await opened.close()


@pytest.fixture
async def feed(store: Store) -> AsyncIterator[Feed]:
    made = Feed(store)
    store.listen(made.heard)
    yield made
    await made.close()


def _turn(tx: Tx) -> None:
    tx.conversations.add(CONVERSATION)
    add_turn(tx, replace(TURN))


def tell(*numbers: int) -> Callable[[Tx], None]:
    facts = [Fact(EventKind.CALL, {"status": str(number)}) for number in numbers]
    return lambda tx: tx.journal.tell("turn_1", *facts)


def numbers(found: list[News]) -> list[int]:
    return [int(str(news.data["status"])) for news in found]


async def take(follower: FeedReader, count: int) -> list[News]:
    """So many news, or a failure after a while."""
    found: list[News] = []
    async with asyncio.timeout(20):
        while len(found) < count:
            found += await follower.news()
    return found


async def test_a_follower_gets_what_comes_and_not_what_was(store: Store, feed: Feed) -> None:
    await store.run(tell(1, 2))
    with await feed.follow() as follower:
        await store.run(tell(3))
        await store.run(tell(4))

        assert numbers(await take(follower, 2)) == [3, 4]


async def test_a_follower_that_comes_back_gets_what_it_missed(store: Store, feed: Feed) -> None:
    with await feed.follow() as follower:
        await store.run(tell(1, 2, 3))
        [first, *_] = await take(follower, 3)
    await store.run(tell(4))

    with await feed.follow(first.cursor) as follower:
        await store.run(tell(5))
        assert numbers(await take(follower, 4)) == [2, 3, 4, 5]


async def test_what_is_written_while_somebody_catches_up_is_neither_lost_nor_repeated(
    store: Store, feed: Feed
) -> None:
    total = 1_500
    await store.run(tell(*range(500)))

    async def write() -> None:
        for number in range(500, total, 10):
            await store.run(tell(*range(number, number + 10)))

    writing = asyncio.create_task(write())
    followers = [await feed.follow(START) for _ in range(5)]
    found = await asyncio.gather(*(take(follower, total) for follower in followers))
    await writing
    for follower in followers:
        follower.leave()

    assert [numbers(each) for each in found] == [list(range(total))] * 5


async def test_a_slow_follower_costs_no_memory_and_misses_nothing(store: Store) -> None:
    feed = Feed(store, remembered=50)
    store.listen(feed.heard)
    quick, slow = await feed.follow(), await feed.follow()
    await store.run(tell(0))
    assert numbers(await take(slow, 1)) == [0]

    for number in range(1, 401):
        await store.run(tell(number))
    assert len(await take(quick, 401)) == 401

    assert feed._recent is not None
    assert len(feed._recent) <= 100
    assert numbers(await take(slow, 400)) == list(range(1, 401))
    await feed.close()


async def test_nobody_reads_while_nobody_follows(store: Store, feed: Feed) -> None:
    with await feed.follow() as follower:
        await store.run(tell(1))
        await take(follower, 1)
        reader = feed._reader
        assert reader is not None
    async with asyncio.timeout(5):
        await reader
    await store.run(tell(2))

    with await feed.follow() as follower:
        await store.run(tell(3))
        assert numbers(await take(follower, 1)) == [3]


async def test_many_followers_cost_one_reading(store: Store) -> None:
    counting = Counting(store)
    feed = Feed(counting)  # pyright: ignore[reportArgumentType] - `run` is all it needs
    store.listen(feed.heard)
    followers = [await feed.follow() for _ in range(200)]
    await store.run(tell(0))
    await asyncio.gather(*(take(follower, 1) for follower in followers))
    counting.readings = 0

    await store.run(tell(1))
    found = await asyncio.gather(*(take(follower, 1) for follower in followers))

    assert all(each[0] is found[0][0] for each in found)
    # One that finds it, and at most those that find nothing more.
    assert counting.readings <= 3
    await feed.close()


class Counting:
    """The same store, and how often it was asked."""

    def __init__(self, store: Store) -> None:
        self._store, self.readings = store, 0

    async def run(self, fn: Callable[[Tx], Any]) -> Any:
        self.readings += 1
        return await self._store.run(fn)


async def test_a_nudge_ends_the_wait_without_news(store: Store, feed: Feed) -> None:
    with await feed.follow() as follower:
        waiting = asyncio.create_task(follower.news())
        await asyncio.sleep(0)
        follower.nudge()

        async with asyncio.timeout(5):
            assert list(await waiting) == []
        await store.run(tell(1))
        assert numbers(await take(follower, 1)) == [1]


async def test_a_place_ahead_of_everything_is_told_as_lost(store: Store, feed: Feed) -> None:
    await store.run(tell(1))
    with await feed.follow(Cursor(2**62, 2**62)) as follower:
        assert follower.lost
        await store.run(tell(2))
        assert numbers(await take(follower, 1)) == [2]


@pytest.mark.postgres
async def test_what_an_older_transaction_holds_back_comes_as_soon_as_it_ends(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A reader that did not look by itself while something is held back would wait for an hour.
    monkeypatch.setattr("assent.engine.feed.POLL_SECONDS", 3_600.0)
    store = open_store(postgres_url)
    await store.open(worker=True)
    await store.run(_turn)
    feed = Feed(store)
    store.listen(feed.heard)
    older: Any = await asyncpg.connect(postgres_url)
    try:
        begun = older.transaction()
        await begun.start()
        await older.execute("INSERT INTO facts VALUES ('a', 'b')")
        with await feed.follow() as follower:
            await store.run(tell(1))
            waiting = asyncio.create_task(take(follower, 1))
            await asyncio.sleep(0.2)
            assert not waiting.done()

            await begun.rollback()
            # Nobody is told of a rollback elsewhere: this is the reader's own patience.
            async with asyncio.timeout(20):
                assert numbers(await waiting) == [1]
    finally:
        await older.close()
        await feed.close()
        await store.close()


# requirement: R20
async def test_followers_on_other_engines_see_the_end_as_it_was(
    world: World, owner: Person
) -> None:
    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    def script(prompt: Any) -> Any:
        asked = len(prompt.history) == 1
        return says("", calls("pay", amount=1)) if asked else "Paid."

    async with world(script, pay) as worker, world(script, pay, worker=False) as desk:
        turn = await worker.send("agent", "pay", by=owner)
        followers = [await desk.feed.follow() for _ in range(20)]
        leaving = random.Random(7)
        seen = [
            asyncio.create_task(_until_finished(desk, follower, leaving)) for follower in followers
        ]
        await desk.decide(turn.pending[0].id, approve(), by=owner)
        await worker.wait(turn.id)
        async with asyncio.timeout(20):
            kinds = await asyncio.gather(*seen)

    assert {tuple(each) for each in kinds} == {tuple(kinds[0])}
    assert kinds[0][-1] is EventKind.FINISHED
    assert kinds[0].count(EventKind.DECIDED) == kinds[0].count(EventKind.RESULT) == 1


async def _until_finished(
    desk: Assent, follower: FeedReader, leaving: random.Random
) -> list[EventKind]:
    kinds: list[EventKind] = []
    while EventKind.FINISHED not in kinds:
        for news in await follower.news():
            kinds.append(news.kind)
            if leaving.random() < 0.3:
                follower.leave()
                follower = await desk.feed.follow(news.cursor)
                break
    follower.leave()
    return kinds
