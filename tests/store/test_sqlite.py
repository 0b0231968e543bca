"""SQLite's own: one writer thread with group commit, and a disk that can fill up."""

import asyncio
import errno
import os
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import Assent, Person, approve, tool
from assent.app import open_store
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.errors import StoreUnavailable, WorkerRunning, WriteUncertain
from assent.ports import Store, Tx
from assent.testing import calls, says
from tests.conftest import World
from tests.store.rawsql import RawSql
from tests.store.samples import CONVERSATION
from tests.store.writer import writer_held

STAFF = Person("ada")
FACTS = ("hung", "fact-1")


def set_fact(number: int) -> Callable[[Tx], int]:
    def work(tx: Tx) -> int:
        tx.settings.set_fact(f"fact-{number}", "there")
        return number

    return work


async def test_a_failing_transaction_of_a_batch_takes_no_other_with_it(
    file_store: Store, file_url: str
) -> None:
    def fail(number: int) -> Callable[[Tx], int]:
        def work(tx: Tx) -> int:
            tx.settings.set_fact(f"fact-{number}", "never")
            raise LookupError(number)

        return work

    with writer_held(file_store):
        await asyncio.sleep(0)
        waiting = [
            asyncio.ensure_future(file_store.run((fail if n % 5 == 2 else set_fact)(n)))
            for n in range(20)
        ]
        await asyncio.sleep(0)
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    for number, answer in enumerate(answers):
        if number % 5 == 2:
            assert isinstance(answer, LookupError)
            assert answer.args == (number,)
        else:
            assert answer == number
    kept = await RawSql(file_url).rows("SELECT name FROM facts ORDER BY name")
    assert kept == sorted((f"fact-{n}",) for n in range(20) if n % 5 != 2)


async def test_a_broken_constraint_in_a_batch_is_its_own_only(
    file_store: Store, file_url: str
) -> None:
    with writer_held(file_store):
        await asyncio.sleep(0)
        first = asyncio.ensure_future(file_store.run(lambda tx: tx.conversations.add(CONVERSATION)))
        second = asyncio.ensure_future(
            file_store.run(lambda tx: tx.conversations.add(CONVERSATION))
        )
        third = asyncio.ensure_future(file_store.run(set_fact(1)))
        await asyncio.sleep(0)
    await first
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        await second
    assert await third == 1
    assert await RawSql(file_url).one("SELECT count(*) FROM conversations") == 1


async def test_what_cannot_be_written_in_a_batch_is_its_own_only(file_store: Store) -> None:
    def unwritable(tx: Tx) -> None:
        # Bound only when the rows of the whole batch are written.
        tx.conversations.add(changed(CONVERSATION, agent="\ud800"))

    with writer_held(file_store):
        await asyncio.sleep(0)
        waiting = [asyncio.ensure_future(file_store.run(set_fact(n))) for n in range(3)]
        alone = asyncio.ensure_future(file_store.run(unwritable))
        await asyncio.sleep(0)
    async with asyncio.timeout(20):
        with pytest.raises(UnicodeEncodeError):
            await alone
        assert await asyncio.gather(*waiting) == [0, 1, 2]
        assert await file_store.run(set_fact(4)) == 4


async def test_whoever_asks_while_it_closes_is_told_so(file_url: str) -> None:
    store = open_store(file_url)
    await store.open(worker=False)
    closing = asyncio.ensure_future(store.close())
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        with pytest.raises(StoreUnavailable):
            await store.run(set_fact(1))
        await closing


async def test_a_caller_that_gives_up_does_not_disturb_the_rest_of_its_batch(
    file_store: Store,
) -> None:
    with writer_held(file_store):
        await asyncio.sleep(0)
        impatient = asyncio.ensure_future(file_store.run(set_fact(1)))
        patient = asyncio.ensure_future(file_store.run(set_fact(2)))
        await asyncio.sleep(0)
        impatient.cancel()
    assert await patient == 2
    assert impatient.cancelled()


async def test_nobody_waits_for_a_thread_that_hangs_and_what_was_given_up_never_runs(
    file_url: str,
) -> None:
    running, release = threading.Event(), threading.Event()

    def hang(tx: Tx) -> None:
        running.set()
        assert release.wait(30)
        tx.settings.set_fact("hung", "there")

    store = open_store(file_url, wait=timedelta(milliseconds=100))
    await store.open(worker=True)
    hanging = asyncio.ensure_future(store.run(hang))
    await asyncio.to_thread(running.wait)
    with pytest.raises(StoreUnavailable, match="Nothing was changed"):
        await store.run(set_fact(1))
    with pytest.raises(WriteUncertain, match="unknown"):
        await hanging
    release.set()
    await store.close()

    again = open_store(file_url)
    await again.open(worker=False)
    facts = [await again.run(lambda tx, name=name: tx.settings.fact(name)) for name in FACTS]
    await again.close()
    # It had begun: nobody could say what would become of it.
    assert facts == ["there", None]


async def test_everyone_in_the_line_is_told_when_their_own_time_is_over(file_url: str) -> None:
    running, release = threading.Event(), threading.Event()

    def hang(_: Tx) -> None:
        running.set()
        assert release.wait(30)

    store = open_store(file_url, wait=timedelta(milliseconds=200))
    await store.open(worker=True)
    hanging = asyncio.ensure_future(store.run(hang))
    await asyncio.to_thread(running.wait)
    left = asyncio.ensure_future(store.run(set_fact(3)))
    early = [asyncio.ensure_future(store.run(set_fact(1))) for _ in range(1_000)]
    await asyncio.sleep(0)
    left.cancel()
    async with asyncio.timeout(20):
        with pytest.raises(WriteUncertain):
            await hanging
        late = [asyncio.ensure_future(store.run(set_fact(2))) for _ in range(1_000)]
        told = await asyncio.gather(*early, *late, return_exceptions=True)
    assert left.cancelled()
    assert {type(each) for each in told} == {StoreUnavailable}
    release.set()
    await store.close()

    again = open_store(file_url)
    await again.open(worker=False)
    facts = [
        await again.run(lambda tx, name=f"fact-{number}": tx.settings.fact(name))
        for number in (1, 2, 3)
    ]
    await again.close()
    # Nobody was told of the one whose caller left, so it ran.
    assert facts == [None, None, "there"]


async def test_a_second_worker_on_a_file_is_refused_and_a_reader_is_not(
    file_store: Store, file_url: str
) -> None:
    second, reader = open_store(file_url), open_store(file_url)
    with pytest.raises(WorkerRunning, match="worker=False"):
        await second.open(worker=True)
    await reader.open(worker=False)
    await reader.run(set_fact(1))
    assert await file_store.run(lambda tx: tx.settings.fact("fact-1")) == "there"
    await reader.close()


async def test_a_lock_that_outlasts_our_patience_is_said_and_passes(
    file_store: Store, file_url: str
) -> None:
    await pragma(file_store, "busy_timeout = 50")
    other = sqlite3.connect(file_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        await file_store.run(set_fact(1))
    other.execute("ROLLBACK")
    other.close()
    assert await file_store.run(set_fact(1)) == 1


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'missing' / 'assent.db'}")
    with pytest.raises(StoreUnavailable, match="folder"):
        await store.open(worker=False)


async def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "assent.db"
    path.write_text("Dear diary, " * 1000)
    store = open_store(f"sqlite:///{path}")
    with pytest.raises(StoreUnavailable, match="not a database"):
        await store.open(worker=False)


# A disk that is full, a database that is read-only


async def pragma(store: Store, text: str) -> Any:
    """Set a pragma on the store's own connection: most of them are per connection."""

    def work(tx: Any) -> Any:
        return tx.driver._connection.execute(f"PRAGMA {text}").fetchone()

    return await store.run(work)


async def test_a_full_disk_is_said_and_writing_goes_on_once_there_is_room(
    file_store: Store, file_url: str
) -> None:
    [pages] = await pragma(file_store, "page_count")
    await pragma(file_store, f"max_page_count = {pages + 2}")

    def fill(tx: Tx) -> None:
        tx.settings.set_fact("large", "x" * 100_000)

    with pytest.raises(StoreUnavailable, match="full"):
        await file_store.run(fill)
    assert await file_store.run(lambda tx: tx.settings.fact("large")) is None
    await pragma(file_store, "max_page_count = 100000")
    await file_store.run(fill)
    assert await RawSql(file_url).one("PRAGMA integrity_check") == "ok"


async def test_of_a_batch_what_does_not_fit_fails_and_the_rest_is_kept(file_store: Store) -> None:
    [pages] = await pragma(file_store, "page_count")
    await pragma(file_store, f"max_page_count = {pages + 2}")
    with writer_held(file_store):
        await asyncio.sleep(0)
        small = asyncio.ensure_future(file_store.run(set_fact(1)))
        large = asyncio.ensure_future(
            file_store.run(lambda tx: tx.settings.set_fact("large", "x" * 100_000))
        )
        other = asyncio.ensure_future(file_store.run(set_fact(2)))
        await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable, match="full"):
        await large
    assert [await small, await other] == [1, 2]
    assert await file_store.run(lambda tx: tx.settings.fact("fact-2")) == "there"


def one_call(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("erase", path="a"))


def eraser(ran: list[str]) -> Any:
    @tool(requires_approval=True)
    async def erase(path: str) -> str:
        """Erase a file."""
        ran.append(path)
        return "erased"

    return erase


async def refused_then_run(engine: Assent, ran: list[str], broken: Any, mended: Any) -> None:
    """Nothing runs while nothing can be recorded; once it can, everything goes on by itself."""
    turn = await engine.send("agent", "go", by=STAFF)
    [request] = turn.pending
    await broken()
    with pytest.raises(StoreUnavailable, match="Nothing was changed"):
        await engine.decide(request.id, approve(), by=STAFF)
    with pytest.raises(StoreUnavailable):
        await engine.send("agent", "another", by=STAFF)
    assert ran == []
    # Reading goes on: people see what waits.
    assert [waiting.id for waiting in await engine.pending()] == [request.id]
    await mended()
    await engine.decide(request.id, approve(), by=STAFF)
    async with asyncio.timeout(20):
        turn = await engine.wait(turn.id)
    assert ran == ["a"]
    assert turn.status is TurnStatus.DONE


# requirement: R26
async def test_a_read_only_database_lets_nothing_run_and_needs_no_repair(file_url: str) -> None:
    ran: list[str] = []
    async with World(file_url)(one_call, eraser(ran)) as engine:
        store = engine.kernel.store
        await refused_then_run(
            engine,
            ran,
            lambda: pragma(store, "query_only = ON"),
            lambda: pragma(store, "query_only = OFF"),
        )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounted, check=False).returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_up(ballast: Path) -> None:
    """Write until there is no room left."""
    file = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(file, bytes(4096))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    finally:
        os.close(file)


# requirement: R26
async def test_a_full_file_system_lets_nothing_run_and_needs_no_repair(small_disk: Path) -> None:
    ran: list[str] = []
    ballast = small_disk / "ballast"

    async def fill() -> None:
        fill_up(ballast)

    async def empty() -> None:
        ballast.unlink()

    url = f"sqlite:///{small_disk / 'assent.db'}"
    async with World(url)(one_call, eraser(ran)) as engine:
        await refused_then_run(engine, ran, fill, empty)
    assert await RawSql(url).one("PRAGMA integrity_check") == "ok"


async def logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    """Until the engine has said so: it tries again in the background, and nothing else shows."""
    async with asyncio.timeout(20):
        while text not in caplog.text:  # noqa: ASYNC110 - a log has no event to wait for
            await asyncio.sleep(0.01)


# requirement: R26
async def test_an_outcome_that_finds_the_disk_full_is_kept_until_there_is_room(
    small_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[str] = []
    ballast = small_disk / "ballast"

    @tool
    async def erase(path: str) -> str:
        """Erase a file, and use up the disk."""
        ran.append(path)
        fill_up(ballast)
        return "erased"

    url = f"sqlite:///{small_disk / 'assent.db'}"
    async with World(url)(one_call, erase) as engine:
        turn_id = await engine.start("agent", "go", by=STAFF)
        await logged(caplog, "an outcome waits for the database")
        ballast.unlink()
        async with asyncio.timeout(20):
            turn = await engine.wait(turn_id)
    assert ran == ["a"]
    assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert turn.status is TurnStatus.DONE


# requirement: R26
async def test_a_turn_that_finds_the_disk_full_goes_on_once_there_is_room(
    small_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ballast = small_disk / "ballast"
    asked: list[Prompt] = []

    def script(prompt: Prompt) -> Answer | str:
        asked.append(prompt)
        if len(asked) == 1:
            fill_up(ballast)
        return "Done. " * 2_000

    url = f"sqlite:///{small_disk / 'assent.db'}"
    async with World(url)(script) as engine:
        turn_id = await engine.start("agent", "go", by=STAFF)
        await logged(caplog, "waits for the database")
        ballast.unlink()
        async with asyncio.timeout(20):
            turn = await engine.wait(turn_id)
    assert turn.status is TurnStatus.DONE
    assert len(asked) == 2


async def test_a_new_file_has_pages_of_two_kibibytes(file_store: Store, tmp_path: Path) -> None:
    await file_store.run(lambda tx: tx.settings.set_fact("a", "b"))
    with closing(sqlite3.connect(tmp_path / "assent.db")) as found:
        assert found.execute("PRAGMA page_size").fetchone() == (2048,)


async def test_a_file_with_pages_of_another_size_keeps_them(file_url: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "assent.db")) as older:
        older.execute("PRAGMA page_size=4096")
        older.execute("CREATE TABLE theirs (id INTEGER)")
    for _ in range(2):
        store = open_store(file_url)
        await store.open(worker=True)
        await store.run(lambda tx: tx.settings.set_fact("a", "b"))
        await store.close()
    with closing(sqlite3.connect(tmp_path / "assent.db")) as found:
        assert found.execute("PRAGMA page_size").fetchone() == (4096,)
        assert found.execute("PRAGMA integrity_check").fetchone() == ("ok",)
