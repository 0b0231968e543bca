"""A desk with a call of every kind, and what a person at the inbox sees and presses."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from assent import Assent, Person
from assent.cli.inbox_app.app import InboxApp
from assent.cli.inbox_app.backend import InboxBackend
from assent.cli.inbox_app.card_view import CardView
from assent.cli.inbox_app.inbox_screen import InboxScreen
from assent.cli.inbox_app.local_backend import LocalBackend
from assent.cli.inbox_app.request_list import RequestList

SECONDS = 15.0
ANA = Person("ana")
SIZE = (120, 40)


class Seat:
    """A person in front of the inbox."""

    def __init__(self, app: InboxApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def inbox(self) -> InboxScreen:
        """The screen below all dialogs."""
        [screen] = [each for each in self.app.screen_stack if isinstance(each, InboxScreen)]
        return screen

    @property
    def list(self) -> RequestList:
        return self.inbox.query_one(RequestList)

    @property
    def view(self) -> CardView:
        return self.inbox.query_one(CardView)

    @property
    def text(self) -> str:
        """Everything on the screen now, as characters."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text[:width].rstrip() for strip in strips[:height])

    async def until(self, holds: Callable[[], bool], what: str = "") -> None:
        """Wait until something holds, for a bounded time."""
        try:
            async with asyncio.timeout(SECONDS):
                while not holds():
                    await self.pilot.pause(0.02)
        except TimeoutError:
            raise AssertionError(f"{what or 'it'} never came. The screen:\n{self.text}") from None

    async def sees(self, *words: str) -> str:
        """Wait until these are on the screen."""
        await self.until(lambda: all(each in self.text for each in words), repr(words))
        return self.text

    async def misses(self, *words: str) -> None:
        """Wait until none of these is on the screen."""
        await self.until(lambda: all(each not in self.text for each in words), f"not {words!r}")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        names = {" ": "space", "\n": "enter"}
        await self.pilot.press(*[names.get(char, char) for char in text])

    async def read(self) -> None:
        """Open the first request and read it to its end, for as long as a person takes."""
        await self.until(lambda: bool(self.list.rows), "a request")
        await self.press("enter")
        await self.finish()

    async def finish(self) -> None:
        """Page to the end of the card and wait until keys that run a call count."""
        await self.until(lambda: self.view.in_sight[2] > 0, "a card")
        for _ in range(500):
            if self.view.is_seen:
                break
            await self.press("space")
            await self.pilot.pause(0.01)
        await self.until(lambda: self.view.seen_for > 0.6, "the end of the card")


@asynccontextmanager
async def seated(backend: InboxBackend, size: tuple[int, int] = SIZE) -> AsyncIterator[Seat]:
    """A person in front of the inbox of this back end."""
    app = InboxApp(backend)
    async with app.run_test(size=size) as pilot:
        yield Seat(app, pilot)


def here(assent: Assent, person: Person = ANA) -> LocalBackend:
    """The inbox of a person in this engine's database."""
    return LocalBackend(assent=assent, by=person, place="sqlite:///assent.db")


async def statuses(assent: Assent, ids: Sequence[str]) -> list[Any]:
    return [str((await assent.request(id)).status) for id in ids]
