"""Other processes hear of every commit; their workers only of one that left something for them."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from msgspec.structs import replace

from assent.app import open_store
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.ports import Store, Tx
from assent.store import sqlite
from tests.store.samples import CALL, CONVERSATION, LEASE, MESSAGE, TURN

SECONDS = 20
# Much longer than a hint takes.
QUIET_SECONDS = 0.3
ASKED = replace(CALL, status=CallStatus.AWAITING_APPROVAL)
RUNNING = frozenset({TurnStatus.RUNNING})


class Ears:
    """Counts the hints from elsewhere, and those of them that mean work."""

    def __init__(self, store: Store) -> None:
        self.news = self.work = 0
        self._some = asyncio.Event()
        store.listen(self._heard)
        store.listen_for_work(self._found)

    def _heard(self, touched: frozenset[str]) -> None:
        self.news += not touched
        self._some.set()

    def _found(self) -> None:
        self.work += 1
        self._some.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not condition():
                self._some.clear()
                await self._some.wait()


@pytest.fixture
async def ours(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """A store that does not look by itself, nor does any other of this test."""
    monkeypatch.setattr(sqlite, "WATCH_SECONDS", 3600.0)
    opened = open_store(url)
    await opened.open(worker=True)
    yield opened
    await opened.close()


@pytest.fixture
async def ears(url: str, ours: Store) -> AsyncIterator[Ears]:
    """What another store on the same database hears; it has heard something already."""
    theirs = open_store(url)
    await theirs.open(worker=False)
    made = Ears(theirs)
    async with asyncio.timeout(SECONDS):
        # PostgreSQL's listener connects in the background.
        while not made.news:
            await ours.run(lambda tx: tx.settings.set_fact("a", "b"))
            await asyncio.sleep(0.01)
    yield made
    await theirs.close()


def held_by_us(tx: Tx) -> None:
    tx.conversations.add(CONVERSATION)
    turn = replace(TURN, status=TurnStatus.RUNNING)
    tx.turns.add(turn, owner="ada", key=None, body=None, lease=LEASE)
    tx.messages.append(MESSAGE)
    tx.calls.add([ASKED])


def cleared(tx: Tx) -> None:
    assert tx.calls.move(ASKED, CallStatus.CLEARED)


def roused(tx: Tx) -> None:
    assert tx.turns.move(TURN, TurnStatus.WAITING, sources=RUNNING, fenced=False)
    tx.turns.rouse(TURN.id)


def given_back(tx: Tx) -> None:
    assert tx.turns.move(TURN, TurnStatus.READY, sources=RUNNING, fenced=False)


def overridden(tx: Tx) -> None:
    tx.settings.override("pay", "{}", "ada")


def claimed(tx: Tx) -> None:
    assert tx.calls.move(ASKED, CallStatus.RUNNING, via=CallStatus.CLEARED, fence=1)


async def test_what_a_process_keeps_for_itself_is_no_work_for_others(
    ours: Store, ears: Ears
) -> None:
    for change in (held_by_us, claimed):
        before = ears.news
        await ours.run(change)
        await ears.until(lambda before=before: ears.news > before)
    assert ears.work == 0


@pytest.mark.parametrize("change", [cleared, roused, given_back, overridden])
async def test_what_nobody_holds_is_work_for_others(
    ours: Store, ears: Ears, change: Callable[[Tx], None]
) -> None:
    await ours.run(held_by_us)
    assert ears.work == 0
    await ours.run(change)
    await ears.until(lambda: ears.work > 0)


async def test_a_turn_that_waits_for_a_worker_is_work_from_its_beginning(
    ours: Store, ears: Ears
) -> None:
    def added(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        turn = replace(TURN, status=TurnStatus.READY, worker=None)
        tx.turns.add(turn, owner="ada", key=None, body=None, lease=LEASE)

    await ours.run(added)
    await ears.until(lambda: ears.work > 0)


def several_things(tx: Tx) -> None:
    tx.settings.fact("a")
    tx.settings.fact("b")


def a_locked_row(tx: Tx) -> None:
    tx.requests.get("req_1")


def changes(tx: Tx) -> None:
    tx.directory.changes(["overridden"], ("tool", "pay"), limit=1)


@pytest.mark.parametrize("read", [several_things, a_locked_row, changes])
async def test_reading_is_no_news_for_others(
    ours: Store, ears: Ears, read: Callable[[Tx], None]
) -> None:
    await asyncio.sleep(QUIET_SECONDS)
    before = ears.news
    await ours.run(read)
    await asyncio.sleep(QUIET_SECONDS)
    assert ears.news == before
