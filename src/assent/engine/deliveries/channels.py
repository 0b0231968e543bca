"""The channels of this process, and what an admin sees and does about deliveries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assent.domain.canonical import Json
from assent.domain.deliveries import ChannelRow, Delivery, DeliveryCounts
from assent.domain.events import Entry
from assent.domain.identifiers import want_findable
from assent.domain.people import Person, PersonKind
from assent.domain.requests import Request
from assent.engine.deliveries.channel import Channel, Inviter
from assent.engine.deliveries.courier import Courier
from assent.engine.deliveries.threads import ChatThreads
from assent.engine.kernel import Kernel
from assent.engine.people.directory import want_manager
from assent.engine.ttl_cache import TtlCache
from assent.errors import ChannelInUse, LinkRefused, NotFound
from assent.ports import Tx

if TYPE_CHECKING:
    from assent.engine.assent import Assent

LISTED = 200
COUNTED = 1_000
# Codes that one person may have sent to addresses before they have to wait: they may be others'.
INVITED, INVITED_SECONDS = 5, 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStatus:
    """A channel that this database knows: the process that serves it, and what went wrong.

    `link_words` are what people type there to link their account, None if they cannot;
    `takes_addresses` is True if it sends codes to addresses from this process.
    """

    name: str
    is_served: bool
    is_here: bool
    error: str | None
    link_words: str | None
    takes_addresses: bool

    @property
    def links(self) -> bool:
        """True if people can link an account of it."""
        return self.link_words is not None or self.takes_addresses


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A delivery that was given up, and the request that it tells of."""

    delivery: Delivery
    request: Request


class Channels:
    """`assent.channels`: starts and ends the couriers; dead letters can be sent again."""

    def __init__(self, kernel: Kernel, channels: Sequence[Channel], review_url: str) -> None:
        self._kernel, self._review_url = kernel, review_url.rstrip("/")
        self.threads = ChatThreads(kernel)
        self._invited = TtlCache[int](kernel.clock.monotonic, INVITED_SECONDS)
        self._couriers = [Courier(kernel, channel, self.link) for channel in channels]

    def link(self, request_id: str) -> str:
        """Return the address of a request's full review; empty if no server is known."""
        return self.page(f"/requests/{request_id}")

    def page(self, path: str) -> str:
        """Return the address of a page of the server; empty if no server is known."""
        return f"{self._review_url}{path}" if self._review_url else ""

    def named(self, name: str) -> Channel | None:
        """Return a channel of this process."""
        return next((c.channel for c in self._couriers if c.channel.name == name), None)

    @property
    def here(self) -> list[Channel]:
        """The channels of this process."""
        return [courier.channel for courier in self._couriers]

    def is_serving(self, name: str) -> bool:
        """Return True while this process is the one that serves the channel."""
        return any(c.is_serving for c in self._couriers if c.channel.name == name)

    async def start(self, assent: "Assent") -> None:
        """Open all channels and begin to deliver."""
        for courier in self._couriers:
            await courier.channel.open(assent)
            self._kernel.store.listen(courier.heard)
            courier.start()

    async def stop(self) -> None:
        """End all deliveries, then close the channels."""
        for courier in self._couriers:
            await courier.stop()
        for courier in self._couriers:
            await courier.channel.close()

    async def status(self) -> list[ChannelStatus]:
        """Return all channels that this database knows of."""
        rows, now = await self._kernel.store.run(lambda tx: (tx.deliveries.channels(), tx.now()))
        return [self._status(row, now) for row in rows]

    def _status(self, row: ChannelRow, now: datetime) -> ChannelStatus:
        return ChannelStatus(
            name=row.name,
            is_served=row.is_served(now),
            is_here=self.is_serving(row.name),
            error=row.error,
            link_words=row.link_words,
            takes_addresses=isinstance(self.named(row.name), Inviter),
        )

    async def is_behind(self, name: str) -> bool:
        """Return True while something is due that the channel does not show yet."""
        return bool(await self._kernel.store.run(lambda tx: tx.deliveries.due(name, 1)))

    async def invite(self, channel: str, address: str, *, by: Person) -> None:
        """Send a code to an address that a person says is theirs; raises `LinkRefused`.

        The code alone proves it: nothing is linked before the person enters it.
        """
        inviter = self.named(channel)
        if not isinstance(inviter, Inviter) or by.kind is not PersonKind.HUMAN:
            raise NotFound("channel", channel)
        sent = self._invited.get(by.id) or 0
        if sent >= INVITED:
            raise LinkRefused("Too many codes were sent for you: wait ten minutes")
        self._invited.put(by.id, sent + 1)
        await inviter.invite(by, address)

    async def of_request(self, request_id: str, *, by: Person) -> list[Delivery]:
        """Return where a request was told of, for admins."""
        want_manager(by, "see deliveries")
        want_findable("request", request_id)
        return await self._kernel.store.run(lambda tx: tx.deliveries.of_request(request_id))

    async def counts(self, *, by: Person) -> dict[str, DeliveryCounts]:
        """Return how many deliveries of each channel are due, told and dead, `COUNTED` at most."""
        want_manager(by, "see deliveries")

        def count(tx: Tx) -> dict[str, DeliveryCounts]:
            names = [row.name for row in tx.deliveries.channels()]
            return {name: tx.counts.deliveries(name, limit=COUNTED) for name in names}

        return await self._kernel.store.run(count)

    async def dead_letters(
        self, *, by: Person, channel: str | None = None, limit: int = LISTED
    ) -> list[DeadLetter]:
        """Return deliveries that were given up, of one channel or all, newest first."""
        want_manager(by, "see dead letters")
        if channel is not None:
            want_findable("channel", channel)
        found = await self._kernel.store.run(lambda tx: tx.deliveries.dead(channel, limit))
        return [DeadLetter(delivery=each, request=request) for each, request in found]

    async def send_again(self, request_id: str, channel: str, address: str, *, by: Person) -> None:
        """Try a dead letter once more; raises `NotFound` if there is no such one."""
        want_manager(by, "send dead letters again")
        for noun, id in (("request", request_id), ("channel", channel), ("address", address)):
            want_findable(noun, id)

        def send(tx: Tx) -> None:
            if not tx.deliveries.send_again(request_id, channel, address):
                raise NotFound("dead letter", request_id)
            self._note(tx, "send_again", by, {"channel": channel}, request_id)

        await self._kernel.store.run(send)
        self._look()

    async def send_all_again(self, channel: str, *, by: Person) -> int:
        """Try all dead letters of a channel once more; returns how many there are."""
        want_manager(by, "send dead letters again")
        want_findable("channel", channel)

        def send(tx: Tx) -> int:
            number = tx.deliveries.send_all_again(channel)
            if number:
                self._note(tx, "send_again", by, {"channel": channel, "number": number})
            return number

        number = await self._kernel.store.run(send)
        self._look()
        return number

    def _look(self) -> None:
        for courier in self._couriers:
            courier.heard(frozenset())

    async def remove(self, channel: str, *, by: Person) -> None:
        """Forget a channel that is no longer used, and what waits for it.

        Raises `ChannelInUse` while a process serves it: it would be back within seconds.
        """
        want_manager(by, "remove channels")
        want_findable("channel", channel)

        def remove(tx: Tx) -> None:
            found = tx.deliveries.channel(channel)
            if found is None:
                raise NotFound("channel", channel)
            if found.is_served(tx.now()):
                raise ChannelInUse(channel)
            tx.deliveries.remove(channel)
            self._note(tx, "remove_channel", by, {"channel": channel})

        await self._kernel.store.run(remove)

    def _note(
        self, tx: Tx, action: str, by: Person, data: dict[str, Json], request_id: str | None = None
    ) -> None:
        tx.journal.note(
            Entry(
                id=self._kernel.ids("aud"),
                action=action,
                actor=by.id,
                request_id=request_id,
                data=data,
                at=tx.now(),
            )
        )
