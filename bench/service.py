"""The service against a bare Starlette app: the decision POST, and many who listen."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from assent import Assent, Person
from bench.cycle import agent
from bench.wire import Crowd, post, rate

DECIDER = Person("bench", roles=frozenset({"requester"}))
ROOT = Person("root", roles=frozenset({"admin"}))


@dataclass
class Server:
    """One server process."""

    port: int
    process: psutil.Process

    def resident(self) -> int:
        """Its memory in bytes."""
        return self.process.memory_info().rss


@contextmanager
def serving(which: str, path: Path) -> Generator[Server]:
    """`ours` or `bare`, in a process of its own."""
    popen = subprocess.Popen(
        [sys.executable, "-m", "bench.serving", which, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"src{os.pathsep}."},
    )
    try:
        assert popen.stdout is not None
        yield Server(int(popen.stdout.readline()), psutil.Process(popen.pid))
    finally:
        popen.kill()
        popen.communicate()


async def account(assent: Assent) -> str:
    """A key of who decides."""
    if await assent.people.find(DECIDER.id) is None:
        await assent.people.add(DECIDER, by=ROOT)
    return (await assent.people.issue_key(DECIDER.id, by=ROOT))[1]


async def _questions(path: Path, count: int) -> list[bytes]:
    """So many open requests, and the decision of each as a POST."""
    async with Assent(f"sqlite:///{path}", agents=[agent()]) as assent:
        key = await account(assent)
        found: list[bytes] = []
        while len(found) < count:
            sent = [assent.send("bench", "pay", by=DECIDER) for _ in range(50)]
            for turn in await asyncio.gather(*sent):
                [request] = turn.pending
                body = json.dumps({"verdict": "approve", "digest": request.digest}).encode()
                found.append(post(f"/api/requests/{request.id}/decide", body, key))
        return found[:count]


async def decisions(folder: Path, count: int, connections: int, rounds: int) -> tuple[float, float]:
    """Decisions per second: ours, and the bare route's; the best of the rounds on each side."""
    body = json.dumps({"verdict": "approve", "digest": "0" * 64}).encode()
    plain = [post(f"/api/requests/{id}/decide", body) for id in range(count)]
    best = {"ours": 0.0, "bare": 0.0}
    for number in range(rounds):
        path = folder / f"decisions{connections}-{number}.db"
        given = {"bare": plain, "ours": await _questions(path, count)}
        for which, requests in given.items():
            with serving(
                which, path if which == "ours" else folder / f"bare{connections}-{number}.db"
            ) as server:
                await ready(server)
                reached = await rate(server.port, requests, connections)
                best[which] = max(best[which], reached)
    return best["ours"], best["bare"]


async def ready(server: Server) -> None:
    """Wait until it answers."""
    async with asyncio.timeout(30):
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(b"GET /readyz HTTP/1.1\r\nHost: bench\r\n\r\n")
                answer = await reader.read(200)
                writer.close()
                if answer:
                    return
            except OSError:
                pass
            await asyncio.sleep(0.05)


async def listeners(folder: Path, count: int) -> dict[str, float]:
    """Bytes per idle listener, ours and bare, and how long one event takes to reach all of ours."""
    path = folder / "listeners.db"
    async with Assent(f"sqlite:///{path}", agents=[agent()]) as assent:
        key = await account(assent)
        found: dict[str, float] = {}
        for which in ("bare", "ours"):
            with serving(which, path if which == "ours" else folder / "bare.db") as server:
                await ready(server)
                crowd = Crowd(word=b"event: started")
                await crowd.gather(server.port, 50, key)
                gc.collect()
                before = server.resident()
                await crowd.gather(server.port, count, key)
                await asyncio.sleep(1)
                found[which] = (server.resident() - before) / count
                if which == "ours":
                    found["seconds"] = await _heard_by_all(assent, crowd)
                crowd.leave()
        return found


async def _heard_by_all(assent: Assent, crowd: Crowd) -> float:
    """From the commit of one event, in another process, to the last of those who listen."""
    sent = time.time()
    turn = await assent.send("bench", "pay", by=DECIDER)
    [started] = [
        e
        for e in await assent.kernel.store.run(lambda tx: tx.journal.events(turn.id, 0, 10))
        if e.kind == "started"
    ]
    await crowd.until(lambda: len(crowd.heard) >= crowd.listening)
    return max(crowd.heard) - max(sent, started.at.timestamp())
