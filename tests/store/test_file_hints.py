"""Hints beside an SQLite file: private, for everybody who has it open, and never necessary."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent.app import open_store
from assent.ports import Store, Tx
from assent.store import sqlite

SECONDS = 20


def a_change(tx: Tx) -> None:
    tx.settings.set_fact("a", "b")


@pytest.fixture
def no_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "WATCH_SECONDS", 3600.0)


@pytest.fixture
async def reader(file_store: Store, file_url: str) -> AsyncIterator[Store]:
    """Another store on the same file."""
    assert file_store
    opened = open_store(file_url)
    await opened.open(worker=False)
    yield opened
    await opened.close()


def ears(store: Store) -> asyncio.Event:
    heard = asyncio.Event()
    store.listen(lambda touched: None if touched else heard.set())
    return heard


@pytest.mark.usefixtures("no_polling")
async def test_everybody_else_hears_of_a_commit(
    file_store: Store, reader: Store, file_url: str
) -> None:
    here, there, another = ears(file_store), ears(reader), open_store(file_url)
    async with asyncio.timeout(SECONDS):
        await another.open(worker=False)
        elsewhere = ears(another)
        # Who comes says so, to find those who are gone.
        await here.wait()
        await there.wait()
        here.clear()
        there.clear()
        await file_store.run(a_change)
        await there.wait()
        await elsewhere.wait()
        assert not here.is_set()
        await reader.run(a_change)
        await here.wait()
    await another.close()


async def test_a_commit_is_one_hint_and_what_only_looks_is_none(
    file_store: Store, tmp_path: Path
) -> None:
    hints = tmp_path / "assent.db-hints"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        # Reached by a short name: the address of a socket has 107 characters at most.
        short = Path(f"/proc/self/fd/{os.open(hints, os.O_PATH)}")
        listener.bind(str(short / "listener.socket"))
        listener.setblocking(False)
        await file_store.run(lambda tx: tx.settings.fact("a"))
        with pytest.raises(ZeroDivisionError):
            await file_store.run(lambda _: 1 // 0)
        await file_store.run(a_change)
        # The next transaction begins once the hint of the one before is out.
        await file_store.run(lambda tx: tx.settings.fact("a"))
        assert len(listener.recv(10)) == 1
        with pytest.raises(BlockingIOError):
            listener.recv(10)
        (short / "listener.socket").unlink()
        os.close(int(short.name))


@pytest.mark.usefixtures("no_polling")
async def test_many_commits_are_heard_of_in_fewer_looks_and_the_last_is_not_missed(
    file_store: Store, reader: Store
) -> None:
    seen: list[str | None] = []
    looked = asyncio.Event()
    reader.listen(lambda _: looked.set())
    async with asyncio.timeout(SECONDS):

        async def follow() -> None:
            while seen[-1:] != ["199"]:
                await looked.wait()
                looked.clear()
                seen.append(await reader.run(lambda tx: tx.settings.fact("count")))

        following = asyncio.create_task(follow())
        for number in range(200):
            await file_store.run(lambda tx, n=number: tx.settings.set_fact("count", str(n)))
        await following
    assert len(seen) < 200


async def test_a_folder_that_others_may_enter_is_not_used(file_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "assent.db-hints"
    folder.mkdir()
    folder.chmod(0o755)
    ours, theirs = open_store(file_url), open_store(file_url)
    await ours.open(worker=True)
    await theirs.open(worker=False)
    heard = ears(theirs)
    async with asyncio.timeout(SECONDS):
        await ours.run(a_change)
        await heard.wait()
    assert list(folder.iterdir()) == []
    await ours.close()
    await theirs.close()


async def test_something_in_the_folders_place_is_no_hindrance(
    file_url: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o700)
    (tmp_path / "assent.db-hints").symlink_to(elsewhere)
    store = open_store(file_url)
    await store.open(worker=True)
    await store.run(a_change)
    assert list(elsewhere.iterdir()) == []
    await store.close()


async def test_the_last_to_leave_takes_the_folder_away(file_url: str, tmp_path: Path) -> None:
    stores = [open_store(file_url) for _ in range(5)]
    for store in stores:
        await store.open(worker=False)
    assert len(list((tmp_path / "assent.db-hints").iterdir())) == len(stores)
    await asyncio.gather(*(store.close() for store in stores))
    assert not (tmp_path / "assent.db-hints").exists()


async def test_who_comes_while_the_last_one_leaves_still_has_a_folder(
    file_url: str, tmp_path: Path
) -> None:
    async def come_and_go(times: int) -> None:
        for _ in range(times):
            store = open_store(file_url)
            await store.open(worker=False)
            await store.close()

    await asyncio.gather(*(come_and_go(10) for _ in range(4)))
    assert not (tmp_path / "assent.db-hints").exists()
