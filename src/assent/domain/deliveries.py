"""Deliveries: what should be shown of a request, where, and what is shown there already."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from assent.domain import parameters
from assent.domain.calls import Call
from assent.domain.cards import Card
from assent.domain.parameters import settle
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool

# The address of a delivery that is not routed yet.
UNROUTED = ""
# The place of the code in the words that link a chat account.
CODE = "{code}"


DeliveryKey = tuple[str, str]


class DeliveryStatus(StrEnum):
    """Due: its place shows less than it should. Told: it shows all. Dead: given up."""

    DUE = "due"
    TOLD = "told"
    DEAD = "dead"


class Delivery(Struct, frozen=True, kw_only=True):
    """One row of the deliveries table: a request at one address of one channel.

    `wanted` grows with every change of the request, `told` is the last version that was shown.
    `batch` names the message that it is part of, `message` is the platform's own reference to it.
    """

    request_id: str
    channel: str
    address: str
    turn_id: str
    status: DeliveryStatus
    recipient: str | None = None
    digest: bool = False
    wanted: int = 1
    told: int = 0
    batch: str | None = None
    message: str | None = None
    attempts: int = 0
    error: str | None = None
    due_at: datetime
    created_at: datetime

    @property
    def key(self) -> DeliveryKey:
        """The name that tells it apart from the others of its channel."""
        return self.request_id, self.address


class DeliveryCounts(Struct, frozen=True, kw_only=True):
    """How many deliveries of a channel there are by status, each counted up to a limit."""

    due: int
    told: int
    dead: int


class ChannelRow(Struct, frozen=True, kw_only=True):
    """One row of the channels table: the process that serves a channel, and what went wrong.

    `link_words` are those of its terms, for processes that do not have the channel themselves.
    """

    name: str
    worker: str | None
    lease_until: datetime
    error: str | None = None
    link_words: str | None = None

    def is_served(self, now: datetime) -> bool:
        """Return True while a process serves the channel."""
        return self.worker is not None and self.lease_until > now


@dataclass(frozen=True, slots=True, kw_only=True)
class PostItem:
    """One request as a post shows it; `url` is its full review, empty if no server is known."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    card: Card
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message of a channel, with the requests that it shows in their present state.

    `key` is the same for every attempt at the same message: platforms that take an idempotency key
    get this one. `is_repeated` is True if an earlier attempt may have arrived. `version` grows with
    every change. A digest lists requests instead of showing them in full.
    """

    key: str
    channel: str
    address: str
    items: tuple[PostItem, ...]
    version: int
    recipient: str | None = None
    is_digest: bool = False
    is_repeated: bool = False

    @property
    def is_open(self) -> bool:
        """True if at least one of its requests can still be decided."""
        return any(item.request.is_open for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """The answer of a channel to a request that its platform sent over HTTP."""

    status: int = 200
    body: bytes = b""
    media: str = "application/json"

    def __post_init__(self) -> None:
        settle(self, _REPLY)


_REPLY: Final = {
    "status": parameters.whole(200, 599),
    "body": parameters.instance(bytes, "bytes"),
    "media": parameters.name,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A place that many people read, which gets requests by itself.

    A request that only its owner may decide concerns nobody else, and is posted only where
    `everything` is.
    """

    address: str
    everything: bool = False

    def __post_init__(self) -> None:
        settle(self, _ROOM, called="address")


_ROOM: Final = {"address": parameters.text, "everything": parameters.flag}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTerms:
    """The abilities of a channel, and where it posts without being asked by a person.

    `groups`: several requests of one turn fit into one message, up to `grouped` of them.
    `reaches_people`: it has addresses of people. `appends`: an update is one more message, which
    people who left or unsubscribed do not get. `tells_settled`: it also tells of requests that
    were settled before it told of them. `per_second` is how many messages it sends at most.
    `link_words` are what people type there to link their account, with `{code}` for the code; None
    where no code can be typed.
    """

    rooms: tuple[Room, ...] = ()
    groups: bool = True
    grouped: int = 10
    reaches_people: bool = True
    appends: bool = False
    tells_settled: bool = False
    per_second: float = 5.0
    link_words: str | None = f"/assent link {CODE}"

    def __post_init__(self) -> None:
        settle(self, _TERMS)


_TERMS: Final = {
    "rooms": parameters.several(parameters.instance(Room), tuple, "a Room or several Rooms"),
    "groups": parameters.flag,
    "grouped": parameters.whole(1),
    "reaches_people": parameters.flag,
    "appends": parameters.flag,
    "tells_settled": parameters.flag,
    "per_second": parameters.number(above=0),
    "link_words": parameters.optional(parameters.name),
}
