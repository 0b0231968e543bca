"""The interface that every channel implements; `assent.channels` has it for authors of channels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from assent.domain.calls import Call
from assent.domain.tools import EffectiveTool

if TYPE_CHECKING:
    # Only named here: posts hold cards, which `import assent` leaves for later.
    from assent.domain.deliveries import ChannelTerms, HttpReply, Post
    from assent.domain.people import Person
    from assent.engine.assent import Assent

OnConfirmation = Callable[[Call, EffectiveTool], bool | Awaitable[bool]]


class Channel(Protocol):
    """A way to reach people. Decisions that it takes go through the engine that opened it.

    `announce` and `update` raise `ChannelError`; anything else that they raise counts as a fault
    that may pass.
    """

    @property
    def name(self) -> str:
        """The name that deliveries and decisions have on record, such as `slack`."""
        ...

    @property
    def terms(self) -> ChannelTerms:
        """Its abilities, and where it posts by itself."""
        ...

    async def open(self, assent: Assent) -> None:
        """Get ready to take interactions, in every process that has this channel."""
        ...

    async def connect(self) -> None:
        """Begin what only one process may do, such as holding a gateway connection.

        Called when this process begins to serve the channel, before the first post.
        """
        ...

    async def disconnect(self) -> None:
        """End what `connect` began: another process serves the channel from now on."""
        ...

    async def announce(self, post: Post) -> str:
        """Show a post and return the platform's reference to it, for later updates.

        If `post.is_repeated`, an earlier attempt may have arrived: show it once all the same, in
        its present state. If nothing of it is open any more, only what that attempt left has to
        change: where nothing is found, raise `MessageGone`.
        """
        ...

    async def update(self, post: Post, message: str) -> None:
        """Show a post's present state where it was announced; raises `MessageGone`."""
        ...

    async def close(self) -> None:
        """End everything that `open` began."""
        ...


@runtime_checkable
class Inviter(Protocol):
    """A channel that reaches addresses where nobody can type a code, as e-mail does."""

    async def invite(self, person: Person, address: str) -> None:
        """Send a code to an address; the person enters it on their settings page.

        Raises `LinkRefused` for what is no address, and `ChannelError` if it cannot be sent.
        """
        ...


@runtime_checkable
class HttpReceiver(Protocol):
    """A channel whose platform sends interactions over HTTP, to `POST /channels/<name>`."""

    async def receive(self, headers: Mapping[str, str], body: bytes) -> HttpReply:
        """Answer one request; header names are in lower case. Nothing is trusted unsigned."""
        ...
