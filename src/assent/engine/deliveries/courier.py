"""The courier of a channel: makes the platform show what the rows say, again and again."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from assent.domain.deliveries import DeliveryKey, DeliveryStatus, Post
from assent.engine.deliveries.channel import Channel
from assent.engine.deliveries.posts import Gathering, PostDraft
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


class SendRate:
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
        self._pace = SendRate(channel.terms.per_second)
        self._hint = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_serving = False
        # The messages that are on their way, each with the deliveries that it shows.
        self._sending: dict[asyncio.Task[float | None], frozenset[DeliveryKey]] = {}
        self._failures = 0
        # When to connect, and when to send, again after a failure, by the loop's clock.
        self._connect_at = self._send_at = 0.0

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
            self._is_serving = False
            await self._disconnect()
        name, worker = self.channel.name, self._kernel.worker
        await self._safely(
            lambda: self._kernel.store.run(lambda tx: tx.deliveries.release(name, worker))
        )

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
            await asyncio.gather(lease, self._abandon(), return_exceptions=True)

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
            pause = self._kernel.times.lease.total_seconds() / 3
            if self._connect_at:
                # Ours, and not connected yet.
                pause = min(pause, max(0.05, self._connect_at - self._now()))
            await asyncio.sleep(pause)

    async def _renew(self) -> float | None:
        name, worker, terms = self.channel.name, self._kernel.worker, self.channel.terms
        lease = self._kernel.times.lease
        words = terms.link_words if terms.reaches_people else None
        serving = await self._kernel.store.run(
            lambda tx: tx.deliveries.serve(name, worker, lease, link_words=words)
        )
        if not serving.is_ours:
            self._connect_at = 0.0
        if serving.is_ours and not self._is_serving:
            await self._begin()
        elif not serving.is_ours and self._is_serving:
            self._is_serving = False
            log.warning("another process serves the channel %s now", name)
            await self._abandon()
            await self._disconnect()
        return None

    async def _begin(self) -> None:
        name = self.channel.name
        if self._now() < self._connect_at:
            return
        # Set before trying: a token that was revoked must not be tried every few seconds.
        self._connect_at = self._now() + self._next_pause()
        try:
            await self._connect()
            await self._kernel.store.run(lambda tx: tx.deliveries.catch_up(name))
            await self._recovered()
        except BaseException:
            # The next attempt begins from nothing.
            await self._disconnect()
            raise
        self._is_serving, self._connect_at = True, 0.0
        log.info("this process serves the channel %s", name)
        self._hint.set()

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self.channel.connect()
        except TimeoutError as error:
            reason = f"It took more than {CONNECT_SECONDS:.0f} seconds to connect"
            raise ChannelError(reason, whole=True) from error

    async def _disconnect(self) -> None:
        try:
            await self.channel.disconnect()
        except Exception:
            log.exception("the channel %s failed to disconnect", self.channel.name)

    def _next_pause(self) -> float:
        """Return how long to wait after one more failure: longer and longer, with jitter."""
        wait = min(LONGEST_PAUSE, FIRST_PAUSE * 2**self._failures) * random.uniform(0.75, 1.25)  # noqa: S311 - jitter
        self._failures = min(self._failures + 1, 10)
        return wait

    # What is sent

    async def _deliver(self) -> float:
        """Put on its way what is due; return the seconds until there may be more."""
        if (wait := self._send_at - self._now()) > 0:
            return wait
        room = AT_ONCE - len(self._sending)
        # Whatever arrives makes room and wakes the loop: a slow message holds up no other.
        if not room:
            return LOOK_SECONDS
        on_their_way = frozenset[DeliveryKey]().union(*self._sending.values())

        def take(tx: Tx) -> tuple[list[PostDraft], int | None]:
            drafts = self._gathering.take(tx, room, besides=on_their_way)
            return drafts, tx.deliveries.next_due(self.channel.name)

        drafts, left = await self._kernel.store.run(take)
        for draft in drafts:
            # Each has its place in the queue before any is drawn: large cards take longer.
            sending = partial(self._send, draft, self._pace.slot())
            task = asyncio.create_task(self._safely(sending))
            self._sending[task] = frozenset(row.key for row in draft.rows)
            task.add_done_callback(self._arrived)
        return LOOK_SECONDS if left is None else min(LOOK_SECONDS, max(0.01, left / 1_000_000))

    def _arrived(self, task: "asyncio.Task[float | None]") -> None:
        del self._sending[task]
        # Retrieved: that the database is gone for good is told by the loop itself.
        if not task.cancelled():
            task.exception()
        self._hint.set()

    async def _abandon(self) -> None:
        """Leave what is on its way: the next process looks what became of it."""
        for task in (tasks := list(self._sending)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _send(self, draft: PostDraft, at: float) -> None:
        try:
            post = await asyncio.to_thread(draft.drawn, self._link)
            await asyncio.sleep(at - self._now())
            if self._now() < self._send_at:
                raise ChannelError("The channel waits", whole=True, unsent=True)
            point("before_post")
            message = await self._show(post, draft.message)
            point("after_post")
        except ChannelError as error:
            await self._failed(draft, error)
        except Exception as fault:
            log.exception("the channel %s failed to show a post", self.channel.name)
            await self._failed(draft, ChannelError(f"{type(fault).__name__}: see the log"))
        else:
            await self._kernel.store.run(lambda tx: tx.deliveries.tell(draft.rows, message))
            if self._now() >= self._send_at:
                await self._recovered()

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

    async def _failed(self, draft: PostDraft, error: ChannelError) -> None:
        if error.whole:
            await self._pause(error)
        await self._kernel.store.run(lambda tx: _record_failure(tx, draft, error))

    async def _pause(self, error: ChannelError) -> None:
        """Send nothing for a while: longer and longer, or for as long as the platform asks."""
        now, asked = self._now(), error.retry_after or 0.0
        if now < self._send_at:
            # Another message that was on its way then.
            self._send_at = max(self._send_at, now + asked)
            return
        wait = max(self._next_pause(), asked)
        self._send_at = now + wait
        name, reason = self.channel.name, str(error)[:ERROR_CHARS]
        log.warning("the channel %s waits for %.0f seconds: %s", name, wait, reason)
        await self._kernel.store.run(lambda tx: tx.deliveries.set_error(name, reason))

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


def _record_failure(tx: Tx, draft: PostDraft, error: ChannelError) -> None:
    """Record a failure: try again later, send anew, or give up."""
    reason, attempts = str(error)[:ERROR_CHARS], draft.attempts
    due = [row for row in draft.rows if row.status is DeliveryStatus.DUE]
    # Nothing of this message can have arrived, now or before.
    anew = error.unsent and draft.is_new
    if isinstance(error, MessageGone) and draft.message is not None:
        # Also what it showed rightly: that is gone, too.
        shown = [row for row in draft.rows if row.status is not DeliveryStatus.DEAD]
        tx.deliveries.hold(shown, timedelta(0), reason, attempts=0, anew=True)
    elif error.whole:
        tx.deliveries.hold(due, timedelta(0), reason, attempts=min(attempts, 1), anew=anew)
    elif error.permanent or attempts > len(DELAYS):
        tx.deliveries.bury(due, reason)
    else:
        delay = DELAYS[attempts - 1] * random.uniform(0.9, 1.1)  # noqa: S311 - jitter
        delay = max(delay, timedelta(seconds=error.retry_after or 0.0))
        tx.deliveries.hold(due, delay, reason, attempts=attempts, anew=anew)
