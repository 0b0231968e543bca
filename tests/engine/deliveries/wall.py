"""A small channel of tests: it keeps what it is told, and refuses what a test wants it to."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from assent import Person
from assent.channels import Assent, ChannelError, ChannelTerms, Desk, FormLimits, LinkRefused, Post
from assent.presentation.surfaces import SURFACES

PATIENCE_SECONDS = 20.0


class Wall:
    """A chat with one message for each post; people press its buttons through the desk."""

    def __init__(self, name: str = "wall", **terms: Any) -> None:
        self.name = name
        self.terms = ChannelTerms(per_second=1_000, **terms)
        self.shown: dict[str, Post] = {}
        # Raised by the next announcements, one each.
        self.errors: list[ChannelError] = []
        self._changed = asyncio.Event()

    async def open(self, assent: Assent) -> None:
        self.desk = Desk(assent, self.name, SURFACES["discord"], FormLimits())

    async def connect(self) -> None: ...

    async def disconnect(self) -> None: ...

    async def close(self) -> None: ...

    async def announce(self, post: Post) -> str:
        self._changed.set()
        if self.errors:
            raise self.errors.pop(0)
        message = f"m{len(self.shown)}"
        self.shown[message] = post
        return message

    async def update(self, post: Post, message: str) -> None:
        self.shown[message] = post
        self._changed.set()

    def at(self, address: str) -> list[Post]:
        """What stands at one address now."""
        return [post for post in self.shown.values() if post.address == address]

    def told(self, address: str) -> set[str]:
        """The requests that are shown at one address."""
        return {item.request.id for post in self.at(address) for item in post.items}

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait until something holds of what it shows."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not is_so():
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await self._changed.wait()

    def items(self) -> Iterator[str]:
        """Every request that is shown, as often as it is."""
        return (item.request.id for post in self.shown.values() for item in post.items)


class Letters(Wall):
    """A channel without a chat: it sends codes to addresses."""

    def __init__(self, name: str = "letters") -> None:
        super().__init__(name, link_words=None)
        self.sent: dict[str, str] = {}

    async def open(self, assent: Assent) -> None:
        await super().open(assent)
        self._assent = assent

    async def invite(self, person: Person, address: str) -> None:
        if "@" not in address:
            raise LinkRefused("That is no address")
        self.sent[address] = await self._assent.people.chats.code_for_chat(
            self.name, address, address
        )
