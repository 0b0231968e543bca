"""Where a request was told of, as admins see it beside the request."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import Request

from assent.domain.deliveries import UNROUTED, Delivery, DeliveryStatus
from assent.server.access import MANAGE
from assent.server.caller import caller_of
from assent.server.service import service_of
from assent.server.web.admin.channel_names import channel_name
from assent.server.web.admin.credentials import may


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One place of a channel, and what it knows of the request."""

    channel: str
    where: str
    state: str
    css: str
    error: str
    until: datetime | None
    is_dead: bool


async def told_of(request: Request, request_id: str) -> Sequence[Told]:
    """Return the places that were told of a request; none for people who do not manage."""
    service, caller = service_of(request), caller_of(request)
    if not may(caller, MANAGE) or caller.request_id is not None:
        return ()
    found = await service.assent.channels.of_request(request_id, by=caller.person)
    return [_told(each, datetime.now(UTC)) for each in found]


def _told(delivery: Delivery, now: datetime) -> Told:
    is_held = delivery.status is DeliveryStatus.DUE and delivery.due_at > now
    is_failing = delivery.error is not None and delivery.status is not DeliveryStatus.TOLD
    state, css = _state(delivery, is_held=is_held)
    return Told(
        channel=channel_name(delivery.channel),
        where="" if delivery.address == UNROUTED else delivery.recipient or delivery.address,
        state=state,
        css=css,
        error=(delivery.error or "") if is_failing else "",
        until=delivery.due_at if is_held else None,
        is_dead=delivery.status is DeliveryStatus.DEAD,
    )


def _state(delivery: Delivery, *, is_held: bool) -> tuple[str, str]:
    match delivery.status:
        case DeliveryStatus.DEAD:
            return "given up", "failed"
        case DeliveryStatus.TOLD:
            # It was settled before it could be told.
            return ("told", "succeeded") if delivery.message is not None else ("not needed", "")
        case DeliveryStatus.DUE if delivery.message is not None:
            return "being updated", "waiting"
        case DeliveryStatus.DUE:
            return ("held", "waiting") if is_held else ("about to be told", "waiting")
