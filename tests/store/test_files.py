"""SQLite's file: whose it is, who works on it under whatever name, and whether it is there."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assent import Person, approve, tool
from assent.app import open_store
from assent.domain.messages import Answer, Prompt
from assent.errors import Expired, StoreGone, StoreUnavailable, WorkerRunning
from assent.ports import Store, Tx
from assent.testing import calls, says
from tests.conftest import World

ADA = Person("ada")
OTHER_PROCESS = """
import asyncio, sys
from assent.app import open_store
from assent.errors import WorkerRunning
async def main():
    store = open_store(sys.argv[1])
    try:
        await store.open(worker=True)
    except WorkerRunning:
        return "refused"
    await store.close()
    return "admitted"
print(asyncio.run(main()))
"""


def elsewhere(path: Path, folder: Path) -> str:
    """Whether a worker of another process is let in under this name."""
    command = [sys.executable, "-c", OTHER_PROCESS, f"sqlite:///{path}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def by_symlink(path: Path) -> Path:
    link = path.with_name("link.db")
    link.symlink_to(path)
    return link


def by_linked_folder(path: Path) -> Path:
    folder = path.parent / "elsewhere"
    folder.symlink_to(path.parent, target_is_directory=True)
    return folder / path.name


def by_relative_path(path: Path) -> Path:
    return Path(path.name)


def without_its_lock_file(path: Path) -> Path:
    path.with_name(f"{path.name}-worker").unlink()
    return path


NAMES = [by_symlink, by_linked_folder, by_relative_path, without_its_lock_file]


@pytest.mark.parametrize("name", NAMES)
async def test_a_file_has_one_worker_under_whatever_name(
    file_store: Store, tmp_path: Path, name: Callable[[Path], Path]
) -> None:
    path = name(tmp_path / "assent.db")
    assert await asyncio.to_thread(elsewhere, path, tmp_path) == "refused"
    if path.is_absolute():
        with pytest.raises(WorkerRunning):
            await open_store(f"sqlite:///{path}").open(worker=True)
    await file_store.close()
    assert await asyncio.to_thread(elsewhere, path, tmp_path) == "admitted"


async def test_a_reader_that_leaves_does_not_take_the_workers_lock_with_it(
    file_store: Store, file_url: str, tmp_path: Path
) -> None:
    reader = open_store(file_url)
    await reader.open(worker=False)
    await reader.close()
    path = without_its_lock_file(tmp_path / "assent.db")
    assert await asyncio.to_thread(elsewhere, path, tmp_path) == "refused"


async def test_a_file_with_a_second_name_is_refused(file_store: Store, tmp_path: Path) -> None:
    path = tmp_path / "hard.db"
    path.hardlink_to(tmp_path / "assent.db")
    with pytest.raises(StoreUnavailable, match="hard link"):
        await open_store(f"sqlite:///{path}").open(worker=False)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.rglob("*")}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
async def test_nobody_else_may_open_what_is_made(file_url: str, tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = open_store(file_url)
        await store.open(worker=True)
        await store.run(lambda tx: tx.settings.set_fact("a", "b"))
    finally:
        os.umask(before)
    found = modes(tmp_path)
    await store.close()
    assert found.keys() >= {"assent.db", "assent.db-wal", "assent.db-shm", "assent.db-worker"}
    # A folder needs one bit more to be of use to its owner.
    assert found.pop("assent.db-hints") == 0o700
    assert set(found.values()) == {0o600}


async def test_a_file_that_others_may_open_is_warned_of(
    file_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "assent.db").touch(0o644)
    store = open_store(file_url)
    await store.open(worker=False)
    await store.close()
    assert "others may open" in caplog.text


def deleted(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    other = path.with_name("other.db")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def without_its_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


def without_its_index(path: Path) -> None:
    # Also where processes lock each other out: the next one would make another, and write beside.
    path.with_name(f"{path.name}-shm").unlink()


def one_call(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("pay", amount=7))


@pytest.mark.parametrize("lose", [deleted, replaced, without_its_log, without_its_index])
async def test_a_worker_whose_file_is_gone_stops(
    file_url: str, tmp_path: Path, lose: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    paid: list[int] = []

    @tool(requires_approval=True)
    async def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return "paid"

    async with World(file_url)(one_call, pay) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        assert assent.is_working
        lose(tmp_path / "assent.db")
        with pytest.raises(StoreGone, match="deleted or replaced"):
            await assent.decide(turn.pending[0].id, approve(), by=ADA)
        async with asyncio.timeout(20):
            while assent.is_working:  # noqa: ASYNC110 - it looks by itself, now and then
                await asyncio.sleep(0.01)
    assert paid == []
    assert caplog.text.count("was deleted or replaced") == 1


class SettableClock:
    """A wall clock that somebody sets, beside one that only goes on."""

    def __init__(self) -> None:
        self.wall = datetime(2030, 1, 1, 12, tzinfo=UTC)
        self.passed = 1000.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.passed

    def go_on(self, by: timedelta) -> None:
        """Let time pass."""
        self.wall += by
        self.passed += by.total_seconds()


HOUR = timedelta(hours=1)


# requirement: R6
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_set_back_lets_no_approval_in_after_its_deadline(
    file_url: str, restarted: bool
) -> None:
    clock = SettableClock()

    @tool(requires_approval=True, decide_within=HOUR)
    async def pay(amount: int) -> str:
        """Pay."""
        raise AssertionError("nobody approved this in time")

    async def set_back_and_approve(request_id: str) -> None:
        async with World(file_url)(one_call, pay, clock=clock, worker=False) as assent:
            if not restarted:
                clock.go_on(2 * HOUR)
            clock.wall -= 3 * HOUR
            with pytest.raises(Expired):
                await assent.decide(request_id, approve(), by=ADA)

    async with World(file_url)(one_call, pay, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=ADA)
    if restarted:
        clock.go_on(2 * HOUR)
        async with World(file_url)(one_call, pay, clock=clock, worker=False) as assent:
            await assent.start("agent", "something else", by=ADA)
        clock.passed = 5.0
    await set_back_and_approve(turn.pending[0].id)


async def test_time_goes_on_while_a_clock_is_behind(file_url: str) -> None:
    clock = SettableClock()
    store = open_store(file_url, clock)
    await store.open(worker=False)

    def now(tx: Tx) -> datetime:
        return tx.now()

    before = await store.run(now)
    clock.wall -= HOUR
    clock.passed += 60
    assert await store.run(now) == before + timedelta(seconds=60)
    await store.close()
