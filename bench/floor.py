"""The floor: a minimal program that makes three plain commits per cycle with the raw driver."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import asyncpg

TABLE = "CREATE TABLE floor (id INTEGER PRIMARY KEY, state TEXT NOT NULL, body TEXT NOT NULL)"
BODY = "x" * 200


def sqlite_floor(path: Path, cycles: int, concurrency: int) -> float:
    """Cycles per second of `concurrency` threads that share one connection, commit by commit."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(TABLE)
    lock = threading.Lock()

    def commit(sql: str, *params: object) -> None:
        with lock:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(sql, params)
            connection.execute("COMMIT")

    def work(first: int) -> None:
        for id in range(first, cycles, concurrency):
            commit("INSERT INTO floor VALUES (?, 'paused', ?)", id, BODY)
            commit("UPDATE floor SET state = 'running' WHERE id = ? AND state = 'paused'", id)
            commit("UPDATE floor SET state = 'done' WHERE id = ? AND state = 'running'", id)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(concurrency)]
    started = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = perf_counter() - started
    connection.close()
    return cycles / seconds


def plain_commits(path: Path) -> Iterator[float]:
    """Commit one row after the other; yields the milliseconds that each took."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(TABLE)
        for id in count():
            started = perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO floor VALUES (?, 'paused', ?)", (id, BODY))
            connection.execute("COMMIT")
            yield (perf_counter() - started) * 1e3


async def postgres_floor(url: str, cycles: int, concurrency: int) -> float:
    """The same with `concurrency` tasks over a pool of asyncpg connections."""
    pool: Any = await asyncpg.create_pool(url, min_size=16, max_size=16)
    await pool.execute(f"DROP TABLE IF EXISTS floor; {TABLE}")

    async def commit(sql: str, *params: object) -> None:
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute(sql, *params)

    async def work(first: int) -> None:
        for id in range(first, cycles, concurrency):
            await commit("INSERT INTO floor VALUES ($1, 'paused', $2)", id, BODY)
            await commit("UPDATE floor SET state='running' WHERE id=$1 AND state='paused'", id)
            await commit("UPDATE floor SET state='done' WHERE id=$1 AND state='running'", id)

    started = perf_counter()
    await asyncio.gather(*(work(n) for n in range(concurrency)))
    seconds = perf_counter() - started
    await pool.close()
    return cycles / seconds
