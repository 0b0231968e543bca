"""Real processes that a test kills, stops and continues."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import ModuleType
from typing import Self

import psutil

from tests.faults import worker_program
from tests.faults.worker_program import Order

DEADLINE_SECONDS = 20.0


class Child:
    """One process of ours, by its id."""

    def __init__(self, nursery: "Nursery", pid: int) -> None:
        self._nursery, self.pid = nursery, pid
        self._code: int | None = None

    def end(self) -> int:
        """Wait until it ends: its exit code, or minus the signal that killed it."""
        if self._code is None:
            self._code = self._nursery.ask(str(self.pid))
        return self._code

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> int:
        """Kill it, unless it has ended."""
        if self._code is None:
            self.send(signal.SIGKILL)
        return self.end()

    async def stopped(self) -> None:
        """Wait until it is suspended."""
        process = psutil.Process(self.pid)
        await until(lambda: process.status() == psutil.STATUS_STOPPED)


class Nursery:
    """Forks children of a process that has everything loaded and nothing started."""

    def __init__(self, program: ModuleType = worker_program) -> None:
        path = os.pathsep.join(folder for folder in sys.path if folder)
        self._server = subprocess.Popen(
            [sys.executable, str(program.__file__)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
        self._server.communicate(timeout=DEADLINE_SECONDS)

    def ask(self, line: str) -> int:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(f"{line}\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def start(self, order: Order) -> Child:
        order = replace(order, key=os.environ["ASSENT_KEY"])
        child = Child(self, self.ask(worker_program.encoded(order)))
        self._children.append(child)
        return child

    def clear(self) -> None:
        """Leave no child behind."""
        for child in self._children:
            child.kill()
        self._children = []


async def until(
    condition: Callable[[], bool | Awaitable[bool]], seconds: float = DEADLINE_SECONDS
) -> float:
    """Poll for a condition; returns how long it took."""
    started = time.monotonic()
    while True:
        holds = condition()
        if holds if isinstance(holds, bool) else await holds:
            return time.monotonic() - started
        assert time.monotonic() - started < seconds, "it did not happen in time"
        await asyncio.sleep(0.02)
