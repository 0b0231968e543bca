"""The inbox of somebody for whom very much waits: its first byte against the bare query."""

import asyncio
import sqlite3
from pathlib import Path
from statistics import median
from time import perf_counter

from assent import Assent
from bench.cycle import agent
from bench.service import DECIDER, account, ready, serving

ROUNDS = 40
ROWS = 31
QUERY = """
    SELECT * FROM requests WHERE owner = ? AND status = 'open' AND risk = 'dangerous'
    ORDER BY created_at DESC, id DESC LIMIT ?
"""


async def first_byte(path: Path) -> tuple[float, float]:
    """Milliseconds to the first byte of the page, and of the query that finds its rows."""
    async with Assent(f"sqlite:///{path}", agents=[agent()], worker=False) as assent:
        key = await account(assent)
    with serving("ours", path) as server:
        await ready(server)
        page = await _page(server.port, key)
    return page, _query(path)


async def _page(port: int, key: str) -> float:
    """Connected already, as a browser is; the first rounds only warm up."""
    lines = ("GET / HTTP/1.1", "Host: bench", f"Authorization: Bearer {key}", "", "")
    request, times = "\r\n".join(lines).encode(), list[float]()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(ROUNDS):
        started = perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        times.append(1_000 * (perf_counter() - started))
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head)
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
    writer.close()
    return median(times[ROUNDS // 4 :])


def _query(path: Path) -> float:
    connection = sqlite3.connect(path)
    times = list[float]()
    for _ in range(ROUNDS):
        started = perf_counter()
        rows = connection.execute(QUERY, (DECIDER.id, ROWS)).fetchall()
        times.append(1_000 * (perf_counter() - started))
        if len(rows) != ROWS:
            raise RuntimeError(f"{len(rows)} rows wait, not {ROWS}")
    connection.close()
    return median(times[ROUNDS // 4 :])
