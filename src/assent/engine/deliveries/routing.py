"""Routing: who is told of a request, where and when. The one place that decides it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from assent.domain.deliveries import ChannelTerms, Delivery, DeliveryStatus
from assent.domain.requests import Request
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An address that is told of a request, when, and whose it is if it is one person's."""

    address: str
    at: datetime
    recipient: str | None = None
    digest: bool = False


def routes_of(tx: Tx, request: Request, channel: str, terms: ChannelTerms) -> list[Route]:
    """Return everywhere that this channel tells of the request, each address once."""
    now = tx.now()
    found = [*_thread(tx, request, channel, now), *_rooms(request, terms, now)]
    if terms.reaches_people:
        in_thread = {request.owner} if any(each.recipient for each in found) else set[str]()
        found += _people(tx, request, channel, now, skipped=in_thread)
    return list({route.address: route for route in reversed(found)}.values())[::-1]


def deliveries_of(marker: Delivery, routes: list[Route]) -> list[Delivery]:
    """Return a delivery for each route, in place of the one that is not routed yet."""
    return [
        Delivery(
            request_id=marker.request_id,
            channel=marker.channel,
            address=route.address,
            turn_id=marker.turn_id,
            status=DeliveryStatus.DUE,
            recipient=route.recipient,
            digest=route.digest,
            wanted=marker.wanted,
            due_at=route.at,
            created_at=marker.created_at,
        )
        for route in routes
    ]


def _thread(tx: Tx, request: Request, channel: str, now: datetime) -> Iterator[Route]:
    """Where the conversation is held, its owner reads at once."""
    address = tx.chats.thread_of(channel, request.conversation_id)
    if address is not None:
        yield Route(address=address, at=now, recipient=request.owner)


def _rooms(request: Request, terms: ChannelTerms, now: datetime) -> Iterator[Route]:
    audience = request.audience
    concerns_others = any(part.roles or part.people for part in audience.parts)
    for room in terms.rooms:
        if room.everything or concerns_others:
            yield Route(address=room.address, at=now)


def _people(
    tx: Tx, request: Request, channel: str, now: datetime, *, skipped: set[str]
) -> Iterator[Route]:
    named = {name for part in request.audience.parts for name in part.people}
    roles = {name for part in request.audience.parts for name in part.roles}
    if any(part.owner for part in request.audience.parts):
        named.add(request.owner)
    for chat, account in tx.chats.linked(
        channel, people=sorted(named - skipped), roles=sorted(roles)
    ):
        person = account.person
        if account.disabled or person.id in skipped or not request.admits(person):
            continue
        wishes = tx.chats.settings(person.id)
        if not wishes.wants(channel, request.risk):
            continue
        at = wishes.hold_until(request.risk, request.decide_by, now)
        # What was held comes in one message, however much it is.
        yield Route(address=chat.chat_id, at=at, recipient=person.id, digest=at > now)


def is_wanted(tx: Tx, delivery: Delivery, request: Request) -> bool:
    """Return True if a delivery that was held is still to be told at its address.

    Meanwhile the account may have been unlinked or disabled, or its person may have lost the role
    or changed their wishes.
    """
    channel, address = delivery.channel, delivery.address
    is_thread = tx.chats.thread_of(channel, request.conversation_id) == address
    if delivery.recipient is None or is_thread:
        return True
    chat = tx.chats.account(channel, address)
    account = None if chat is None else tx.people.get(chat.person)
    if account is None or account.disabled or account.id != delivery.recipient:
        return False
    wishes = tx.chats.settings(account.id)
    return request.admits(account.person) and wishes.wants(channel, request.risk)
