"""The SQL of channels and deliveries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Integer,
    Text,
    and_,
    bindparam,
    case,
    delete,
    exists,
    false,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)

from assent.domain.copies import changed
from assent.domain.deliveries import UNROUTED, ChannelRow, Delivery, DeliveryStatus
from assent.domain.lifecycle import RequestStatus
from assent.domain.requests import Request
from assent.store.channel_tables import channels, deliveries
from assent.store.requests import request_of
from assent.store.rows import Driver, Params, Row, micros, moment, reader, span
from assent.store.statements import ClockNow, fixed
from assent.store.tables import requests

_c, _d, _r = channels.c, deliveries.c, requests.c
_named = _c.name == bindparam("channel")
CHANNELS = select(channels).order_by(_c.name)
CHANNEL = select(channels).where(_named)
_lease = ClockNow() + bindparam("lease", type_=BigInteger)
SERVE = (
    update(channels)
    .where(
        _named,
        or_(
            _c.worker == bindparam("holder", type_=Text()),
            _c.worker.is_(None),
            _c.lease_until < ClockNow(),
        ),
    )
    .values(
        worker=bindparam("holder", type_=Text()),
        lease_until=_lease,
        link_words=bindparam("to_words", type_=Text()),
    )
    .returning(_c.name)
)
RELEASE = update(channels).where(_named, _c.worker == bindparam("holder")).values(worker=null())
SET_ERROR = update(channels).where(_named).values(error=bindparam("to_error", type_=Text()))
REMOVE = delete(channels).where(_named)
FORGET = delete(deliveries).where(
    deliveries.c.channel == bindparam("channel"),
    deliveries.c.status != fixed(DeliveryStatus.TOLD),
)

_due = _d.status == fixed(DeliveryStatus.DUE)
_of_channel = _d.channel == bindparam("channel")
DUE = (
    select(deliveries)
    .where(_due, _of_channel, _d.due_at <= ClockNow())
    .order_by(_d.due_at, _d.created_at, _d.request_id)
    .limit(bindparam("limit"))
)
NEXT_DUE = select(func.min(_d.due_at)).where(_due, _of_channel, _d.due_at > ClockNow())
# Held for a digest, or waiting like the one that is due: they go with it.
COMPANIONS = (
    select(deliveries)
    .where(
        _due,
        _of_channel,
        _d.address == bindparam("address"),
        _d.batch.is_(None),
        _d.digest == bindparam("is_digest"),
        or_(bindparam("is_digest"), _d.turn_id == bindparam("turn_id")),
    )
    .order_by(_d.created_at, _d.request_id)
    .limit(bindparam("limit"))
)
BATCH = (
    select(deliveries)
    .where(_of_channel, _d.batch == bindparam("batch"))
    .order_by(_d.created_at, _d.request_id)
)
DEAD = (
    select(deliveries, requests)
    .join(requests, _r.id == _d.request_id)
    .where(
        _d.status == fixed(DeliveryStatus.DEAD),
        or_(_of_channel, bindparam("channel", type_=Text()).is_(None)),
    )
    .order_by(_d.created_at.desc(), _d.request_id)
    .limit(bindparam("limit"))
)
OF_REQUEST = select(deliveries).where(_d.request_id == bindparam("request_id")).order_by(_d.channel)
_key = and_(_d.request_id == bindparam("request"), _of_channel, _d.address == bindparam("address"))
DROP = delete(deliveries).where(_key)
TAKE = (
    update(deliveries)
    .where(_key)
    .values(batch=bindparam("to_batch", type_=Text()), attempts=_d.attempts + 1)
)
TELL = (
    update(deliveries)
    .where(_key)
    .values(
        told=bindparam("version", type_=Integer),
        message=bindparam("to_message", type_=Text()),
        attempts=0,
        error=null(),
        # A change that came meanwhile is told next.
        status=case(
            (_d.wanted == bindparam("version", type_=Integer), fixed(DeliveryStatus.TOLD)),
            else_=fixed(DeliveryStatus.DUE),
        ),
    )
)
HOLD = (
    update(deliveries)
    .where(_key, _d.wanted == bindparam("version", type_=Integer))
    .values(
        status=fixed(DeliveryStatus.DUE),
        attempts=bindparam("to_attempts", type_=Integer),
        due_at=ClockNow() + bindparam("delay", type_=BigInteger),
        error=bindparam("to_error", type_=Text()),
    )
)
# Whatever changed meanwhile: that a message is not there is as true as before.
LOSE_MESSAGE = update(deliveries).where(_key).values(message=null(), batch=null())
BURY = (
    update(deliveries)
    .where(_key, _d.wanted == bindparam("version", type_=Integer))
    .values(status=fixed(DeliveryStatus.DEAD), error=bindparam("to_error", type_=Text()))
)
SEND_AGAIN = (
    update(deliveries)
    .where(_key, _d.status == fixed(DeliveryStatus.DEAD))
    .values(status=fixed(DeliveryStatus.DUE), due_at=0, attempts=0)
    .returning(_d.request_id)
)
SEND_ALL_AGAIN = (
    update(deliveries)
    .where(_of_channel, _d.status == fixed(DeliveryStatus.DEAD))
    .values(status=fixed(DeliveryStatus.DUE), due_at=0, attempts=0)
    .returning(_d.request_id)
)
# What was opened while no process served the channel.
CATCH_UP = insert(deliveries).from_select(
    [
        "request_id",
        "channel",
        "address",
        "turn_id",
        "status",
        "digest",
        "wanted",
        "told",
        "attempts",
        "due_at",
        "created_at",
    ],
    select(
        _r.id,
        bindparam("channel", type_=Text()),
        literal(UNROUTED),
        _r.turn_id,
        fixed(DeliveryStatus.DUE),
        false(),
        literal(1, Integer),
        literal(0, Integer),
        literal(0, Integer),
        literal(0, BigInteger),
        _r.created_at,
    ).where(
        _r.status == fixed(RequestStatus.OPEN),
        ~exists().where(_d.request_id == _r.id, _d.channel == bindparam("channel", type_=Text())),
    ),
)
_width = len(deliveries.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The outcome of asking for a channel: held by this process or not, and just now or before."""

    is_ours: bool
    is_new: bool = False


class StoredDeliveries:
    """`tx.deliveries`: the deliveries and channels tables."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def serve(
        self, channel: str, worker: str, lease: timedelta, *, link_words: str | None
    ) -> Serving:
        """Hold the channel for this worker, if no other does."""
        found = self.channel(channel)
        if found is None:
            row: Params = {
                "name": channel,
                "worker": worker,
                "lease_until": self._driver.clock() + span(lease),
                "error": None,
                "link_words": link_words,
            }
            self._driver.insert(channels, [row])
            return Serving(is_ours=True, is_new=True)
        params: Params = {
            "channel": channel,
            "holder": worker,
            "lease": span(lease),
            "to_words": link_words,
        }
        is_ours = bool(self._driver.rows(SERVE, params))
        return Serving(is_ours=is_ours, is_new=is_ours and found.worker != worker)

    def release(self, channel: str, worker: str) -> None:
        """Let another worker hold the channel at once."""
        self._driver.rows(RELEASE, {"channel": channel, "holder": worker})

    def channel(self, name: str) -> ChannelRow | None:
        found = self._driver.rows(CHANNEL, {"channel": name})
        return _channel(found[0]) if found else None

    def channels(self) -> list[ChannelRow]:
        return [_channel(row) for row in self._driver.rows(CHANNELS, {})]

    def set_error(self, channel: str, error: str | None) -> None:
        self._driver.rows(SET_ERROR, {"channel": channel, "to_error": error})

    def remove(self, channel: str) -> None:
        """Forget a channel that no process serves any longer; it gets no more deliveries."""
        self._driver.rows(REMOVE, {"channel": channel})
        self._driver.rows(FORGET, {"channel": channel})

    def catch_up(self, channel: str) -> None:
        """Make deliveries of the open requests that the channel was not told of."""
        self._driver.rows(CATCH_UP, {"channel": channel})

    def due(self, channel: str, limit: int) -> list[Delivery]:
        return self._read(DUE, {"channel": channel, "limit": limit})

    def next_due(self, channel: str) -> int | None:
        """Return the microseconds until one more delivery is due; None if there is none."""
        at: int | None = self._driver.rows(NEXT_DUE, {"channel": channel})[0][0]
        return None if at is None else at - self._driver.clock()

    def companions(self, delivery: Delivery, limit: int) -> list[Delivery]:
        """Return the deliveries without a batch that go into one message with this one."""
        params: Params = {
            "channel": delivery.channel,
            "address": delivery.address,
            "is_digest": delivery.digest,
            "turn_id": delivery.turn_id,
            "limit": limit,
        }
        return self._read(COMPANIONS, params)

    def batch(self, channel: str, batch: str) -> list[Delivery]:
        return self._read(BATCH, {"channel": channel, "batch": batch})

    def of_request(self, request_id: str) -> list[Delivery]:
        return self._read(OF_REQUEST, {"request_id": request_id})

    def dead(self, channel: str | None, limit: int) -> list[tuple[Delivery, Request]]:
        """Return deliveries that were given up, newest first, with their requests."""
        found = map(tuple, self._driver.rows(DEAD, {"channel": channel, "limit": limit}))
        return [(_delivery(row[:_width]), request_of(row[_width:])) for row in found]

    def add(self, made: Sequence[Delivery]) -> None:
        self._driver.insert(deliveries, [_params(delivery) for delivery in made])

    def drop(self, delivery: Delivery) -> None:
        self._driver.rows(DROP, _keyed(delivery))

    def take(self, taken: Iterable[Delivery], batch: str) -> list[Delivery]:
        """Count an attempt before it is made: after a crash it may have arrived."""
        return [self._taken(delivery, batch) for delivery in taken]

    def _taken(self, delivery: Delivery, batch: str) -> Delivery:
        if delivery.status is not DeliveryStatus.DUE:
            return delivery
        self._driver.rows(TAKE, _keyed(delivery, to_batch=batch))
        return changed(delivery, batch=batch, attempts=delivery.attempts + 1)

    def tell(self, told: Iterable[Delivery], message: str | None) -> None:
        """Record that the version that was read is shown in this message."""
        for delivery in told:
            params = _keyed(delivery, version=delivery.wanted, to_message=message)
            self._driver.rows(TELL, params)

    def hold(
        self, held: Iterable[Delivery], delay: timedelta, error: str, *, attempts: int, anew: bool
    ) -> None:
        """Try again later; `anew` forgets the message, as one that is gone or never left."""
        for delivery in held:
            if anew:
                self._driver.rows(LOSE_MESSAGE, _keyed(delivery))
            changes: dict[str, Any] = {
                "version": delivery.wanted,
                "to_attempts": attempts,
                "delay": span(delay),
                "to_error": error,
            }
            self._driver.rows(HOLD, _keyed(delivery, **changes))

    def bury(self, dead: Iterable[Delivery], error: str) -> None:
        """Give up; an admin sees it and can send it again."""
        for delivery in dead:
            params = _keyed(delivery, version=delivery.wanted, to_error=error)
            self._driver.rows(BURY, params)

    def send_again(self, request_id: str, channel: str, address: str) -> bool:
        params: Params = {"request": request_id, "channel": channel, "address": address}
        return bool(self._driver.rows(SEND_AGAIN, params))

    def send_all_again(self, channel: str) -> int:
        return len(self._driver.rows(SEND_ALL_AGAIN, {"channel": channel}))

    def _read(self, statement: Any, params: Params) -> list[Delivery]:
        return [_delivery(row) for row in self._driver.rows(statement, params)]


def _keyed(delivery: Delivery, **changes: object) -> Params:
    return {
        "request": delivery.request_id,
        "channel": delivery.channel,
        "address": delivery.address,
        **changes,
    }


_read_channel, _read_delivery = reader(channels), reader(deliveries)


def _channel(row: Row) -> ChannelRow:
    got = _read_channel(row)
    got["lease_until"] = moment(got["lease_until"])
    return ChannelRow(**got)


def _delivery(row: Row) -> Delivery:
    got = _read_delivery(row)
    got["status"] = DeliveryStatus(got["status"])
    got["digest"] = bool(got["digest"])
    got["due_at"], got["created_at"] = moment(got["due_at"]), moment(got["created_at"])
    return Delivery(**got)


def _params(delivery: Delivery) -> Params:
    return {
        "request_id": delivery.request_id,
        "channel": delivery.channel,
        "address": delivery.address,
        "turn_id": delivery.turn_id,
        "status": delivery.status,
        "recipient": delivery.recipient,
        "digest": delivery.digest,
        "wanted": delivery.wanted,
        "told": delivery.told,
        "batch": delivery.batch,
        "message": delivery.message,
        "attempts": delivery.attempts,
        "error": delivery.error,
        "due_at": micros(delivery.due_at),
        "created_at": micros(delivery.created_at),
    }
