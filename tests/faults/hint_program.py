"""A worker that never looks by itself: it hears of work from other processes, or not at all."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from assent.engine import following
from assent.store import sqlite
from tests.faults import worker_program
from tests.faults.worker_program import TIMES, Counter, Order, engine

HOUR = timedelta(hours=1)
UNTIL_HEARD = replace(TIMES, look=HOUR, lease=HOUR, takeup=HOUR)


def never_poll() -> None:
    """Whatever happens elsewhere, this process learns of it by a hint only."""
    sqlite.WATCH_SECONDS = following.POLL_SECONDS = HOUR.total_seconds()


async def _work(order: Order) -> None:
    counter = Counter(order.counter)
    async with engine(order.url, counter, times=UNTIL_HEARD):
        counter.raise_flag("up")
        while not counter.has_flag("leave"):  # noqa: ASYNC110 - another process raises it
            await asyncio.sleep(0.01)


def _serve() -> None:
    never_poll()
    worker_program.PROGRAMS = {"work": lambda order: asyncio.run(_work(order))}
    worker_program._serve()


if __name__ == "__main__":
    _serve()
