"""The background tasks of a worker: heartbeat, deadlines, and looking for work."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from assent.engine.kernel import Kernel
from assent.engine.runs.reconciler import Reconciler
from assent.engine.runs.runner import Runner
from assent.engine.runs.sweeper import Sweeper
from assent.errors import StoreGone, StoreUnavailable
from assent.ports import Held, Tx

log = logging.getLogger(__name__)


class Worker:
    """Owns the recurring tasks; each does one thing and survives its own failures."""

    def __init__(
        self,
        kernel: Kernel,
        runner: Runner,
        sweeper: Sweeper,
        reconciler: Reconciler,
        refresh: Callable[[], Awaitable[None]],
    ) -> None:
        self._kernel, self._runner, self._refresh = kernel, runner, refresh
        self._sweeper, self._reconciler = sweeper, reconciler
        self._tasks: list[asyncio.Task[None]] = []
        self._nudge = asyncio.Event()

    async def start(self, *, alone: bool) -> None:
        """Take over what a dead worker left, then keep looking for work."""
        if alone:
            worker = self._kernel.worker
            await self._kernel.store.run(lambda tx: tx.leases.break_others(worker))
        await self._sweeper.sweep()
        await self._reconciler.reconcile()
        self._kernel.store.listen_for_work(self._nudge.set)
        beat = self._kernel.times.lease.total_seconds() / 3
        look = self._kernel.times.look.total_seconds()
        self._tasks = [
            asyncio.create_task(self._every(beat, self._beat), name="assent-heartbeat"),
            asyncio.create_task(self._every(look, self._sweep), name="assent-sweeper"),
            asyncio.create_task(self._look(look), name="assent-reconciler"),
        ]

    @property
    def is_alive(self) -> bool:
        """True while all recurring tasks run."""
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def rest(self) -> None:
        """Look for no more work; the heartbeat goes on for calls that still run."""
        await _end(self._tasks[1:])

    async def stop(self) -> None:
        """End the recurring tasks."""
        await _end(self._tasks)

    async def _beat(self) -> None:
        started = self._kernel.clock.monotonic()
        worker, lease = self._kernel.worker, self._kernel.times.lease
        calls, turns = self._runner.held, self._kernel.tasks.turns("turn")
        bodies = self._kernel.bodies.held

        def renew(tx: Tx) -> frozenset[Held]:
            held = tx.leases.renew(worker, lease, calls=calls, turns=turns)
            tx.leases.run_on(worker, lease, calls=bodies - held)
            return held

        held = await self._kernel.store.run(renew)
        self._runner.renewed(held, started)

    async def _sweep(self) -> None:
        await self._sweeper.sweep()

    async def _look(self, seconds: float) -> None:
        while True:
            try:
                async with asyncio.timeout(seconds):
                    await self._nudge.wait()
            except TimeoutError:
                pass
            self._nudge.clear()
            # Settings first: what another process tightened must hold for the calls that we start
            # now.
            await self._safely(self._refresh)
            await self._safely(self._reconciler.reconcile)

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._safely(work)

    async def _safely(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StoreGone:
            # The store has failed for good and logged it: this task ends, and the worker with it.
            raise
        except StoreUnavailable as error:
            # Expected, and all three tasks report it while it lasts: one line each.
            log.warning("%s waits for the database: %s", work.__qualname__, error)
        except Exception:
            log.exception("%s failed and will be tried again", work.__qualname__)


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
