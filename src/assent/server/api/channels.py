"""Channels and deliveries, for admins."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field, model_validator

from assent.domain import deliveries
from assent.domain.deliveries import DeliveryCounts, DeliveryStatus
from assent.engine.deliveries import channels
from assent.engine.deliveries.channels import COUNTED
from assent.errors import NotFound
from assent.server.api.notifications import ChannelName, ChannelPath
from assent.server.api.routing import ID, Limit, NativeApi
from assent.server.api.schemas import Given, Shape
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["channels"])

_COUNT = f"At most {COUNTED:,} are counted."
RequestId = Annotated[str, Query(pattern=ID, description="The id of the request.")]
ChannelFilter = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class Channel(Shape):
    """A way to reach people, and how it does."""

    name: str
    served: bool = Field(description="Whether a process serves it now.")
    here: bool = Field(description="Whether it is the process that answers.")
    error: str | None = Field(description="Why nothing gets through; null: it does.")
    due: int = Field(description=f"Deliveries that wait. {_COUNT}")
    told: int = Field(description=f"Deliveries that were made. {_COUNT}")
    dead: int = Field(description=f"Deliveries that were given up. {_COUNT}")

    @classmethod
    def of(cls, status: channels.ChannelStatus, counts: DeliveryCounts) -> "Channel":
        """Return a channel as the API shows it."""
        return cls(
            name=status.name,
            served=status.is_served,
            here=status.is_here,
            error=status.error,
            due=counts.due,
            told=counts.told,
            dead=counts.dead,
        )


class Channels(Shape):
    """All channels that the database knows, by name."""

    items: list[Channel]


class Delivery(Shape):
    """A request at one address of one channel."""

    request_id: str
    channel: str
    address: str = Field(description="Empty while it is not known who is to be told.")
    recipient: str | None = Field(description="The person whose address it is; null: many read it.")
    status: DeliveryStatus
    error: str | None
    due_at: datetime
    created_at: datetime

    @classmethod
    def of(cls, delivery: deliveries.Delivery) -> "Delivery":
        """Return a delivery as the API shows it."""
        return cls(
            request_id=delivery.request_id,
            channel=delivery.channel,
            address=delivery.address,
            recipient=delivery.recipient,
            status=delivery.status,
            error=delivery.error,
            due_at=delivery.due_at,
            created_at=delivery.created_at,
        )


class Deliveries(Shape):
    """Where a request was told of."""

    items: list[Delivery]


class DeadLetter(Delivery):
    """A delivery that was given up, and the tool of its request."""

    tool: str
    open: bool = Field(description="Whether the request still waits for people.")


class DeadLetters(Shape):
    """Deliveries that were given up, newest first."""

    items: list[DeadLetter]


class SendAgain(Given):
    """Dead letters to send again: all of a channel, or the one of a request and address."""

    channel: ChannelName
    request_id: Annotated[str, Field(pattern=ID)] | None = None
    address: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,500}$")] | None = None

    @model_validator(mode="after")
    def _names_one_or_all(self) -> "SendAgain":
        if (self.request_id is None) != (self.address is None):
            raise ValueError("request_id and address belong together")
        return self


class SentAgain(Shape):
    """How many dead letters are being sent again."""

    number: int


@router.get("/api/channels", operation_id="list_channels")
async def index(service: ServiceDep, caller: CallerDep) -> Channels:
    """List the channels that the database knows, and how they do."""
    counts = await service.assent.channels.counts(by=caller.person)
    known = await service.assent.channels.status()
    found = [Channel.of(each, counts[each.name]) for each in known if each.name in counts]
    return Channels(items=found)


@router.delete("/api/channels/{name}", operation_id="remove_channel")
async def remove(name: ChannelPath, service: ServiceDep, caller: CallerDep) -> Channel:
    """Forget a channel that no process serves any more, and what waits for it."""
    known = {each.name: each for each in await service.assent.channels.status()}
    counts = await service.assent.channels.counts(by=caller.person)
    if name not in known or name not in counts:
        raise NotFound("channel", name)
    await service.assent.channels.remove(name, by=caller.person)
    return Channel.of(known[name], counts[name])


@router.get("/api/deliveries", operation_id="list_deliveries")
async def of_request(request: RequestId, service: ServiceDep, caller: CallerDep) -> Deliveries:
    """List where a request was told of; an unknown request was told of nowhere."""
    found = await service.assent.channels.of_request(request, by=caller.person)
    return Deliveries(items=[Delivery.of(each) for each in found])


@router.get("/api/deliveries/dead", operation_id="list_dead_letters")
async def dead(
    service: ServiceDep, caller: CallerDep, *, channel: ChannelFilter = None, limit: Limit = 50
) -> DeadLetters:
    """List deliveries that were given up, newest first."""
    found = await service.assent.channels.dead_letters(
        by=caller.person, channel=channel, limit=limit
    )
    return DeadLetters(items=[_letter(each) for each in found])


def _letter(letter: channels.DeadLetter) -> DeadLetter:
    request = letter.request
    facts = Delivery.of(letter.delivery).model_dump()
    return DeadLetter(**facts, tool=request.tool, open=request.is_open)


@router.post("/api/deliveries/dead/send-again", operation_id="send_dead_letters_again")
async def send_again(body: SendAgain, service: ServiceDep, caller: CallerDep) -> SentAgain:
    """Send dead letters again; what fails once more becomes one again."""
    channel, by = body.channel, caller.person
    if body.request_id is None or body.address is None:
        return SentAgain(number=await service.assent.channels.send_all_again(channel, by=by))
    await service.assent.channels.send_again(body.request_id, channel, body.address, by=by)
    return SentAgain(number=1)
