"""News of commits: a bus that wakes tasks waiting for a turn, and a feed of all that happens."""

import asyncio
import logging
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter
from types import TracebackType
from typing import Self

from assent.domain.events import START, Cursor, FeedPage, News
from assent.errors import StoreUnavailable
from assent.ports import Store

log = logging.getLogger(__name__)

# A notification can get lost, a row cannot: the feed is read at least this often.
POLL_SECONDS = 1.0
# Between readings while an older transaction holds back events: nothing is notified when it ends.
HELD_SECONDS = 0.02
# A pause after each reading, so that one reading serves many commits.
PACE_SECONDS = 0.005
# A follower that is further behind than this reads the table, page by page.
REMEMBERED = 2_000
AT_ONCE = 200
CATCHING_UP = 4
_place = attrgetter("cursor")


class Bus:
    """Wakes waiting tasks; it carries no data, they read the rows themselves."""

    def __init__(self) -> None:
        self._waiters: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)

    def heard(self, touched: frozenset[str]) -> None:
        """Wake the waiters of turns that changed here.

        An empty set means a change elsewhere, so all wake.
        """
        for turn_id in touched or tuple(self._waiters):
            for waiter in self._waiters.pop(turn_id, ()):
                if not waiter.done():
                    waiter.set_result(None)

    def ticket(self, turn_id: str) -> asyncio.Future[None]:
        """Return a future that is done at the next change.

        Take it before reading, await it after.
        """
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters[turn_id].add(waiter)
        return waiter

    def drop(self, turn_id: str, waiter: asyncio.Future[None]) -> None:
        """Give back a ticket that is no longer awaited."""
        waiting = self._waiters.get(turn_id)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiters[turn_id]

    async def wait(self, turn_id: str, waiter: asyncio.Future[None], seconds: float) -> None:
        """Wait for the ticket, for some seconds at most: a notification can get lost."""
        try:
            await asyncio.wait({waiter}, timeout=seconds)
        finally:
            self.drop(turn_id, waiter)


class Recent:
    """The newest events: everything after `floor` up to and including `last`."""

    def __init__(self, start: Cursor, remembered: int) -> None:
        self.floor = self.last = start
        self._remembered = remembered
        self._news: list[News] = []

    def __len__(self) -> int:
        return len(self._news)

    def add(self, page: FeedPage) -> None:
        """Append the next page, and forget the oldest events."""
        self._news += page.news
        self.last = page.last
        if len(self._news) > 2 * self._remembered:
            self.floor = self._news[-self._remembered - 1].cursor
            del self._news[: -self._remembered]

    def after(self, cursor: Cursor) -> Sequence[News]:
        """Return the events after a cursor that is not before the floor, at most one page."""
        if cursor >= self.last:
            return ()
        first = bisect_right(self._news, cursor, key=_place)
        return self._news[first : first + AT_ONCE]


class FeedReader:
    """Follows the feed from a cursor; call `leave` when done, or use it in a `with`."""

    __slots__ = ("_feed", "_nudged", "_waiter", "cursor", "lost")

    def __init__(self, feed: "Feed", cursor: Cursor, *, lost: bool) -> None:
        self._feed, self.cursor = feed, cursor
        # True if the given cursor does not exist here: the follower must read everything anew.
        self.lost = lost
        self._nudged = False
        self._waiter: asyncio.Future[None] | None = None

    async def news(self) -> Sequence[News]:
        """Wait for the next events, in order; empty after a nudge."""
        while not self._nudged:
            # Made before looking, or an event that comes meanwhile would not wake us.
            self._waiter = asyncio.get_running_loop().create_future()
            if found := await self._feed.after(self):
                return found
            await self._waiter
        self._nudged = False
        return ()

    def nudge(self) -> None:
        """End the wait with no events: there is something else to look at."""
        self._nudged = True
        self.wake()

    def wake(self) -> None:
        """Look again: there may be new events."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def leave(self) -> None:
        """Stop following."""
        self._feed.leave(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()


class Feed:
    """`assent.feed`: reads new events once for all, and only while there are followers."""

    def __init__(self, store: Store, *, remembered: int = REMEMBERED) -> None:
        self._store, self._remembered = store, remembered
        self._followers: set[FeedReader] = set()
        self._recent: Recent | None = None
        self._reader: asyncio.Task[None] | None = None
        self._hint = asyncio.Event()
        self._catching_up = asyncio.Semaphore(CATCHING_UP)

    def heard(self, touched: frozenset[str]) -> None:
        """Read again after a commit."""
        del touched
        self._hint.set()

    async def follow(self, after: Cursor | None = None) -> FeedReader:
        """Follow from a cursor, or from now on.

        A cursor ahead of all events is from before the database was restored or replaced: then the
        follower is `lost`, and follows from now on.
        """
        recent = self._recent
        head = START if recent is None else recent.last
        if recent is None or (after is not None and after > head):
            head = await self._store.run(lambda tx: tx.feed.head())
        lost = after is not None and after > head
        follower = FeedReader(self, head if after is None or lost else after, lost=lost)
        self._followers.add(follower)
        if self._reader is None:
            self._reader = asyncio.create_task(self._read(), name="assent-feed")
        return follower

    def leave(self, follower: FeedReader) -> None:
        """Remove a follower; after the last one the reader ends."""
        self._followers.discard(follower)
        if not self._followers:
            self._hint.set()

    async def after(self, follower: FeedReader) -> Sequence[News]:
        """Return the events after a follower's cursor, from memory or the table, and move it."""
        recent = self._recent
        if recent is not None and follower.cursor >= recent.floor:
            found = recent.after(follower.cursor)
            more = len(found) == AT_ONCE
            follower.cursor = found[-1].cursor if more else max(follower.cursor, recent.last)
            return found
        async with self._catching_up:
            page = await self._page(follower.cursor)
        # An empty page: there is nothing between this cursor and what we remember, so skip the gap.
        floor = START if recent is None else recent.floor
        follower.cursor = page.last if page.news else max(page.last, floor)
        return page.news

    async def close(self) -> None:
        """End the reader; followers get no more events."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
            self._reader = None

    async def _page(self, after: Cursor) -> FeedPage:
        return await self._store.run(lambda tx: tx.feed.page(after))

    async def _read(self) -> None:
        while self._followers:
            try:
                await self._read_on()
            except StoreUnavailable as error:
                log.warning("reading the feed will be tried again: %s", error)
                await asyncio.sleep(POLL_SECONDS)
            except Exception:
                log.exception("reading the feed failed and will be tried again")
                await asyncio.sleep(POLL_SECONDS)
        self._recent = self._reader = None

    async def _read_on(self) -> None:
        if self._recent is None:
            head = await self._store.run(lambda tx: tx.feed.head())
            self._recent = Recent(head, self._remembered)
            # A follower that looked before this cursor was known may have missed the events before
            # it.
            self._wake()
        recent = self._recent
        while self._followers:
            # Cleared before reading, so that a commit during the reading is noticed.
            self._hint.clear()
            page = await self._page(recent.last)
            recent.add(page)
            if page.news:
                self._wake()
                await asyncio.sleep(PACE_SECONDS)
            else:
                await self._rest(HELD_SECONDS if page.held else POLL_SECONDS)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._hint.wait()
        except TimeoutError:
            pass

    def _wake(self) -> None:
        for follower in self._followers:
            follower.wake()
