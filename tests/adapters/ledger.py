"""The world outside that guarded tools change, and programs that are run and killed in it."""

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from assent import Assent
from assent.domain.policy import PolicyHook
from assent.domain.requests import Request
from assent.engine.settings import Times
from assent.testing import VirtualClock

# So short that a claim of a process that was killed is soon lost.
TIMES = Times(lease=timedelta(seconds=2), look=timedelta(milliseconds=100))


# For races, kills and resumptions; what else an adapter does asks no second database.
BOTH = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


def database(request: pytest.FixtureRequest, folder: Path) -> str:
    """The URL of a new database: SQLite, unless a test asks for both."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{folder / 'assent.db'}"
    return request.getfixturevalue("postgres_url")


@dataclass(frozen=True)
class Ledger:
    """Payments in a file: what is written here has happened, whatever becomes of the process."""

    path: Path
    # Dies right after the payment, without a chance to tell anyone.
    deadly: bool = False

    def pay(self, to: str, cents: int) -> str:
        with self.path.open("a") as file:
            file.write(f"{to} {cents}\n")
        if self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"paid {cents} to {to}"

    @property
    def entries(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []


def engine(
    url: str,
    *,
    policy: PolicyHook | None = None,
    clock: VirtualClock | None = None,
    times: Times = TIMES,
) -> Assent:
    """An engine that runs nothing by itself, as in a process that only holds an agent."""
    return Assent(
        url,
        agents=[],
        worker=False,
        times=times,
        policy=policy,
        clock=clock,
        review_url="https://review",
    )


async def only_request(assent: Assent) -> Request:
    [request] = await assent.pending()
    return request


async def program(module: str, *arguments: str | Path) -> tuple[int, str]:
    """Run a module as a program of its own: its exit code, and what it printed."""
    path = os.pathsep.join(folder for folder in sys.path if folder)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *map(str, arguments),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        cwd=Path(__file__).parents[2],
    )
    printed, _ = await process.communicate()
    return await process.wait(), printed.decode()
