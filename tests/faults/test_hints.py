"""Processes on one SQLite file tell each other what they commit: none of these looks by itself."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assent import approve
from assent.domain.events import EventKind
from assent.domain.lifecycle import TurnStatus
from assent.engine import following
from assent.store import sqlite
from tests.faults import hint_program
from tests.faults.hint_program import HOUR, UNTIL_HEARD
from tests.faults.nursery import DEADLINE_SECONDS, Nursery, until
from tests.faults.worker_program import ADA, Counter, Order, engine


@pytest.fixture(scope="module")
def patient_nursery() -> Iterator[Nursery]:
    with Nursery(hint_program) as nursery:
        yield nursery


@pytest.fixture
def patient(patient_nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nursery]:
    """Children that never poll, of a process that does not either."""
    monkeypatch.setattr(sqlite, "WATCH_SECONDS", HOUR.total_seconds())
    monkeypatch.setattr(following, "POLL_SECONDS", HOUR.total_seconds())
    yield patient_nursery
    patient_nursery.clear()


async def one_turn(url: str, counter: Counter) -> list[EventKind]:
    """A message and a decision, from a process that runs nothing; the events that it heard of."""
    async with engine(url, counter, worker=False, times=UNTIL_HEARD) as clerk:
        turn_id = await clerk.start("agent", "gated 5", by=ADA)
        turn = await clerk.wait(turn_id)
        await clerk.decide(turn.pending[0].id, approve(), by=ADA)
        heard = [event.kind async for event in clerk.events(turn_id)]
        assert (await clerk.wait(turn_id)).status is TurnStatus.DONE
    return heard


async def test_a_decision_elsewhere_runs_and_is_heard_of_without_any_polling(
    patient: Nursery, tmp_path: Path, counter: Counter
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    worker = patient.start(Order(url=url, counter=counter.path, program="work"))
    await until(lambda: counter.has_flag("up"))

    async with asyncio.timeout(DEADLINE_SECONDS):
        heard = await one_turn(url, counter)
    counter.raise_flag("leave")

    assert heard[-1] is EventKind.FINISHED
    assert counter.lines() == ["paid 5"]
    assert worker.end() == 0
    assert not (tmp_path / "assent.db-hints").exists()


async def test_a_path_too_long_for_a_socket_is_no_hindrance(
    patient: Nursery, tmp_path: Path, counter: Counter
) -> None:
    folder = tmp_path / ("a" * 120) / ("b" * 120)
    folder.mkdir(parents=True)
    url = f"sqlite:///{folder / 'assent.db'}"
    patient.start(Order(url=url, counter=counter.path, program="work"))
    await until(lambda: counter.has_flag("up"))

    async with asyncio.timeout(DEADLINE_SECONDS):
        await one_turn(url, counter)

    assert counter.lines() == ["paid 5"]


async def test_what_a_killed_process_left_behind_is_in_nobodys_way_and_is_removed(
    patient: Nursery, tmp_path: Path, counter: Counter
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    order = Order(url=url, counter=counter.path, program="work")
    doomed = patient.start(order)
    await until(lambda: counter.has_flag("up"))
    assert doomed.kill() == -signal.SIGKILL
    [left] = (tmp_path / "assent.db-hints").iterdir()

    counter = Counter(f"{counter.path}2")
    worker = patient.start(replace(order, counter=counter.path))
    await until(lambda: counter.has_flag("up"))
    async with asyncio.timeout(DEADLINE_SECONDS):
        await one_turn(url, counter)
    counter.raise_flag("leave")

    assert worker.end() == 0
    assert not left.exists()
    assert not left.parent.exists()


async def test_a_listener_that_hears_nothing_holds_nobody_up(
    patient: Nursery, tmp_path: Path, counter: Counter
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    patient.start(Order(url=url, counter=counter.path, program="work"))
    await until(lambda: counter.has_flag("up"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as deaf:
        deaf.bind(str(tmp_path / "assent.db-hints" / "deaf.socket"))
        while True:
            try:
                deaf.sendto(b"\n", socket.MSG_DONTWAIT, deaf.getsockname())
            except BlockingIOError:
                break
        async with asyncio.timeout(DEADLINE_SECONDS):
            await one_turn(url, counter)

    assert counter.lines() == ["paid 5"]
