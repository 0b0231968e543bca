"""How soon a decision takes effect that another process took on the same SQLite file.

Run as a program it is that file's worker, until its input ends.
"""

import asyncio
import subprocess
import sys
import time
from statistics import median

from assent import Agent, Assent, Risk, approve, tool
from bench.cycle import OWNER, AtOnce


@tool(risk=Risk.DANGEROUS, requires_approval=True)
async def pay(account: str, amount: int) -> str:
    """Say when it ran, by the machine's clock that all processes share."""
    return f"{time.monotonic_ns()} {amount} to {account}"


def _engine(url: str, *, worker: bool) -> Assent:
    return Assent(url, agents=[Agent("bench", model=AtOnce(), tools=[pay])], worker=worker)


async def _work(url: str) -> None:
    async with _engine(url, worker=True):
        print("up", flush=True)
        await asyncio.to_thread(sys.stdin.read)


def milliseconds(url: str, decisions: int) -> tuple[float, float]:
    """From a decision until its call runs, and until its answer is heard of; medians."""
    command = [sys.executable, "-m", "bench.elsewhere", url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdout.readline()
        found = asyncio.run(_decide(url, decisions))
        worker.stdin.close()
    ran, heard = zip(*found, strict=True)
    return median(ran), median(heard)


async def _decide(url: str, decisions: int) -> list[tuple[float, float]]:
    async with _engine(url, worker=False) as clerk:
        return [await _one(clerk) for _ in range(decisions)]


async def _one(clerk: Assent) -> tuple[float, float]:
    turn = await clerk.wait(await clerk.start("bench", "pay", by=OWNER))
    started = time.monotonic_ns()
    await clerk.decide(turn.pending[0].id, approve(), by=OWNER)
    done = await clerk.wait(turn.id)
    ended = time.monotonic_ns()
    ran = int(str(done.calls[0].output).strip('"').split()[0])
    return (ran - started) / 1e6, (ended - started) / 1e6


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1]))
