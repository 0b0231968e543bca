"""The courier of a channel: makes the platform show what the rows say, again and again."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta

from assent.domain.deliveries import DeliveryStatus, Post
from assent.engine.deliveries.channel import Channel
from assent.engine.deliveries.posts import Draft, Gathering
from assent.engine.failpoints import point
from assent.engine.kernel import Kernel
from assent.errors import ChannelError, MessageGone, StoreGone, StoreUnavailable
from assent.ports import Tx

log = logging.getLogger(__name__)
# A notification can get lost, a row cannot: the rows are read at least this often.
LOOK_SECONDS = 2.0
# Commits that come in quick succession are looked at together.
GATHER_SECONDS = 0.02
AT_ONCE = 32
# The pauses after each failed attempt; after the last one the delivery is a dead letter. About a
# day in all.
DELAYS = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
)
# The pauses while a whole channel is out of order.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
CONNECT_SECONDS = 10.0
ERROR_CHARS = 500


class Pace:
    """Lets through so many messages in a second, evenly."""

    def __init__(self, per_second: float) -> None:
        self._gap = 1 / per_second
        self._next = 0.0

    def slot(self) -> float:
        """Return when the next message may go, by the loop's clock."""
        at = max(self._next, asyncio.get_running_loop().time())
        self._next = at + self._gap
        return at


class Courier:
    """Serves one channel, if no other process does: routes, sends, updates, tries again."""

    def __init__(self, kernel: Kernel, channel: Channel, link: Callable[[str], str]) -> None:
        self._kernel, self.channel, self._link = kernel, channel, link
        self._gathering = Gathering(
            channel=channel.name, terms=channel.terms, catalogue=kernel.catalogue, ids=kernel.ids
        )
        self._pace = Pace(channel.terms.per_second)
        self._hint = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_serving = False
        self._failures = 0
        # When to connect again after a failure, by the loop's clock.
        self._connect_at = 0.0

    @property
    def is_serving(self) -> bool:
        """True while this process is the one that serves the channel."""
        return self._is_serving

    def heard(self, touched: frozenset[str]) -> None:
        """Look again after a commit."""
        del touched
        self._hint.set()

    def start(self) -> None:
        """Begin to serve the channel, or to wait until its process is gone."""
        self._task = asyncio.create_task(self._run(), name=f"assent-courier-{self.channel.name}")

    async def stop(self) -> None:
        """End, and leave the channel to another process at once."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None
        if self._is_serving:
            await self._safely(self._retire)

    async def _run(self) -> None:
        lease = asyncio.create_task(self._hold(), name=f"assent-lease-{self.channel.name}")
        try:
            while True:
                self._hint.clear()
                pause = LOOK_SECONDS
                if self._is_serving:
                    pause = await self._safely(self._deliver) or LOOK_SECONDS
                await self._rest(pause)
                await asyncio.sleep(GATHER_SECONDS)
        finally:
            lease.cancel()
            await asyncio.gather(lease, return_exceptions=True)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._hint.wait()
        except TimeoutError:
            pass

    # Which process serves the channel

    async def _hold(self) -> None:
        while True:
            await self._safely(self._renew)
            await asyncio.sleep(self._kernel.times.lease.total_seconds() / 3)

    async def _renew(self) -> float | None:
        name, worker, terms = self.channel.name, self._kernel.worker, self.channel.terms
        lease = self._kernel.times.lease
        words = terms.link_words if terms.reaches_people else None
        serving = await self._kernel.store.run(
            lambda tx: tx.deliveries.serve(name, worker, lease, link_words=words)
        )
        if serving.is_ours and not self._is_serving:
            await self._begin()
        elif not serving.is_ours and self._is_serving:
            self._is_serving = False
            log.warning("another process serves the channel %s now", name)
            await self.channel.disconnect()
        return None

    async def _begin(self) -> None:
        loop, name = asyncio.get_running_loop(), self.channel.name
        if loop.time() < self._connect_at:
            return
        # Set before trying: a token that was revoked must not be tried every few seconds.
        self._connect_at = loop.time() + self._next_pause()
        async with asyncio.timeout(CONNECT_SECONDS):
            await self.channel.connect()
        await self._kernel.store.run(lambda tx: tx.deliveries.catch_up(name))
        await self._recovered()
        self._is_serving, self._connect_at = True, 0.0
        log.info("this process serves the channel %s", name)
        self._hint.set()

    def _next_pause(self) -> float:
        """Return how long to wait after one more failure: longer and longer, with jitter."""
        wait = min(LONGEST_PAUSE, FIRST_PAUSE * 2**self._failures) * random.uniform(0.75, 1.25)  # noqa: S311 - jitter
        self._failures = min(self._failures + 1, 10)
        return wait

    async def _retire(self) -> float | None:
        self._is_serving = False
        await self.channel.disconnect()
        name, worker = self.channel.name, self._kernel.worker
        await self._kernel.store.run(lambda tx: tx.deliveries.release(name, worker))
        return None

    # What is sent

    async def _deliver(self) -> float:
        """Send everything that is due; return the seconds until more is."""
        while self._is_serving:
            drafts = await self._kernel.store.run(lambda tx: self._gathering.take(tx, AT_ONCE))
            if not drafts:
                return await self._kernel.store.run(self._until_due)
            # Each has its place in the queue before any is drawn: large cards take longer.
            sent = (self._send(draft, self._pace.slot()) for draft in drafts)
            errors = [error for error in await asyncio.gather(*sent) if error is not None]
            if whole := [error for error in errors if error.whole]:
                return await self._pause(whole[0])
            await self._recovered()
        return LOOK_SECONDS

    def _until_due(self, tx: Tx) -> float:
        left = tx.deliveries.next_due(self.channel.name)
        return LOOK_SECONDS if left is None else min(LOOK_SECONDS, max(0.01, left / 1_000_000))

    async def _send(self, draft: Draft, at: float) -> ChannelError | None:
        try:
            post = await asyncio.to_thread(draft.drawn, self._link)
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            point("before_post")
            message = await self._show(post, draft.message)
            point("after_post")
        except ChannelError as error:
            await self._kernel.store.run(lambda tx: _failed(tx, draft, error))
            return error
        except Exception as fault:
            log.exception("the channel %s failed to show a post", self.channel.name)
            error = ChannelError(f"{type(fault).__name__}: see the log")
            await self._kernel.store.run(lambda tx: _failed(tx, draft, error))
            return error
        await self._kernel.store.run(lambda tx: tx.deliveries.tell(draft.rows, message))
        return None

    async def _show(self, post: Post, message: str | None) -> str | None:
        """Announce or update a post; return the platform's reference to it, if it is shown."""
        if message is not None:
            await self.channel.update(post, message)
            return message
        try:
            return await self.channel.announce(post)
        except MessageGone:
            if post.is_open:
                raise
            # No earlier attempt arrived, and there is nothing left to ask.
            return None

    async def _pause(self, error: ChannelError) -> float:
        """Send nothing for a while: longer and longer, or for as long as the platform asks."""
        wait = self._next_pause()
        name, reason = self.channel.name, str(error)[:ERROR_CHARS]
        await self._kernel.store.run(lambda tx: tx.deliveries.set_error(name, reason))
        wait = max(wait, error.retry_after or 0.0)
        log.warning("the channel %s waits for %.0f seconds: %s", name, wait, reason)
        # Commits that come meanwhile do not shorten it.
        await asyncio.sleep(wait)
        return 0.01

    async def _recovered(self) -> None:
        if self._failures:
            self._failures, name = 0, self.channel.name
            await self._kernel.store.run(lambda tx: tx.deliveries.set_error(name, None))

    async def _safely(self, work: Callable[[], Awaitable[float | None]]) -> float | None:
        try:
            return await work()
        except StoreGone:
            raise
        except StoreUnavailable as error:
            log.warning("the channel %s waits for the database: %s", self.channel.name, error)
        except ChannelError as error:
            log.warning("the channel %s cannot connect: %s", self.channel.name, error)
            name, reason = self.channel.name, str(error)[:ERROR_CHARS]
            await self._kernel.store.run(lambda tx: tx.deliveries.set_error(name, reason))
        except Exception:
            log.exception("the channel %s failed and will be tried again", self.channel.name)
        return None


def _failed(tx: Tx, draft: Draft, error: ChannelError) -> None:
    """Record a failure: try again later, send anew, or give up."""
    reason, attempts = str(error)[:ERROR_CHARS], draft.attempts
    due = [row for row in draft.rows if row.status is DeliveryStatus.DUE]
    if isinstance(error, MessageGone) and draft.message is not None:
        tx.deliveries.hold(due, timedelta(0), reason, attempts=0, gone=True)
    elif error.whole:
        tx.deliveries.hold(due, timedelta(0), reason, attempts=min(attempts, 1), gone=False)
    elif error.permanent or attempts > len(DELAYS):
        tx.deliveries.bury(due, reason)
    else:
        delay = DELAYS[attempts - 1] * random.uniform(0.9, 1.1)  # noqa: S311 - jitter
        delay = max(delay, timedelta(seconds=error.retry_after or 0.0))
        tx.deliveries.hold(due, delay, reason, attempts=attempts, gone=False)
