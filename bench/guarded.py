"""A guarded cycle of a caller: proposed, approved, claimed and settled; here and over HTTP."""

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx
import uvicorn

from assent import Assent, Person, approve
from assent.client import AsyncClient, external
from assent.guard import Guard
from assent.server import create_app
from bench.service import DECIDER, account

PAY = external("pay", parameters={"type": "object", "properties": {"amount": {"type": "integer"}}})
LOOK = external("look", requires_approval=False)


@asynccontextmanager
async def _served(assent: Assent) -> AsyncGenerator[str]:
    server = uvicorn.Server(uvicorn.Config(create_app(assent), port=0, log_config=None))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn tells nobody
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await task


async def _asked(assent: Assent, guard: Guard, by: Person) -> float:
    started = perf_counter()
    call = await guard.propose(PAY, {"amount": 5})
    await assent.decide(str(call.request_id), approve(), by=by)
    ended = await guard.finish(await guard.look(call.id), lambda _: "paid", tool=PAY)
    assert ended.succeeded
    return perf_counter() - started


async def _allowed(guard: Guard) -> float:
    started = perf_counter()
    assert (await guard.run(LOOK, {}, lambda _: "seen")).succeeded
    return perf_counter() - started


async def _bare(http: httpx.AsyncClient) -> float:
    started = perf_counter()
    (await http.get("/healthz")).raise_for_status()
    return perf_counter() - started


async def milliseconds(path: Path, cycles: int) -> tuple[dict[str, tuple[float, float]], float]:
    """Medians of cycles that ask and of ones that need not, here and over HTTP, by turns.

    And that of a request which does nothing, of which a cycle that asks has four.
    """
    assent = Assent(f"sqlite:///{path}", agents=[])
    found: dict[str, list[float]] = {}
    async with _served(assent) as base:
        key = await account(assent)
        here = assent.guard_for(agent="bench", by=DECIDER)
        async with (
            AsyncClient(base, key=key, agent="bench") as http,
            httpx.AsyncClient(base_url=base) as plain,
        ):
            for _ in range(cycles):
                found.setdefault("bare", []).append(await _bare(plain))
                for name, guard in (("here", here), ("http", http)):
                    found.setdefault(f"asked {name}", []).append(
                        await _asked(assent, guard, DECIDER)
                    )
                    found.setdefault(f"allowed {name}", []).append(await _allowed(guard))
    times = {name: median(each) * 1e3 for name, each in found.items()}
    kinds = ("asked", "allowed")
    return {kind: (times[f"{kind} here"], times[f"{kind} http"]) for kind in kinds}, times["bare"]


if __name__ == "__main__":
    os.environ.setdefault("ASSENT_KEY", "bench:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    with tempfile.TemporaryDirectory() as folder:
        print(asyncio.run(milliseconds(Path(folder) / "guarded.db", 200)))
