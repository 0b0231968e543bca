"""The SQL of counts that stop at a limit."""

from datetime import timedelta

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Subquery,
    Table,
    Text,
    TextClause,
    and_,
    bindparam,
    case,
    func,
    not_,
    or_,
    select,
    text,
    union,
)
from sqlalchemy.sql import ClauseElement

from assent.domain.deliveries import DeliveryCounts, DeliveryStatus
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.paging import person_keys
from assent.domain.people import Person, PersonKind
from assent.store.channel_tables import deliveries
from assent.store.requests import request_of
from assent.store.rows import Driver, Params, dump, span
from assent.store.statements import ClockNow, PerDatabase, fixed
from assent.store.tables import calls, conversations, messages, request_audience, requests, turns

_r, _m, _k, _p = requests.c, messages.c, calls.c, request_audience.c
# At most this many requests to a person or their roles are looked at; their own come on top.
_LOOKED_AT = 1_000
_is_open = _r.status == fixed(RequestStatus.OPEN)
_recent = ClockNow() - bindparam("within", type_=BigInteger)


def _at_most(table: Table, *conditions: ColumnElement[bool] | TextClause) -> ClauseElement:
    """Return a count that stops at the limit: checking a quota reads no more rows than that."""
    key = next(iter(table.primary_key))
    found = select(key).where(*conditions).limit(bindparam("limit")).subquery()
    return select(func.count()).select_from(found)


OPEN_OF_OWNER = _at_most(requests, _is_open, _r.owner == bindparam("owner"))
OPEN_OF_AGENT = _at_most(requests, _is_open, _r.agent == bindparam("agent"))
_sent = (turns.c.owner == bindparam("owner"), turns.c.created_at > _recent)
TURNS_WITHIN = _at_most(turns, *_sent, text("NOT outside"))
CALLS_WITHIN = _at_most(turns, *_sent, text("outside"))
CONVERSATIONS_WITHIN = _at_most(
    conversations,
    conversations.c.owner == bindparam("owner"),
    conversations.c.created_at > _recent,
)
_of_channel = deliveries.c.channel == bindparam("channel")
DELIVERIES = {
    status: _at_most(deliveries, _of_channel, deliveries.c.status == fixed(status))
    for status in DeliveryStatus
}
_characters = func.length(_m.text) + func.coalesce(func.length(_m.body), 0)
MESSAGES = select(func.count(), func.coalesce(func.sum(_characters), 0)).where(
    _m.conversation_id == bindparam("conversation_id")
)
_of_call = func.length(_k.arguments) + func.coalesce(func.length(_k.output), 0)
CALLS = select(func.coalesce(func.sum(_of_call), 0)).where(
    _k.conversation_id == bindparam("conversation_id")
)


def _mentions(words: str) -> ColumnElement[bool]:
    """Match stored audiences with this piece of JSON; in a name its quotes would be escaped."""
    return _r.audience.like(f"%{words}%")


def _open_for(names: str) -> Subquery:
    """Select the open requests that may be this person's, by the rules of `Request.admits`."""
    excludes = _mentions('"exclude_requester":true')
    me, human = bindparam("me", type_=Text), bindparam("human", type_=Text)
    behind = func.coalesce(_r.owner_behind, _r.owner)
    requester = or_(_r.owner.in_([me, human]), behind.in_([me, human]))
    confirms = or_(bindparam("confirms", type_=Text) == "yes", _r.kind != RequestKind.APPROVAL)
    # Of several audiences SQL finds who is in one of them; `admits` checks that they are in all.
    shared = case((_mentions('"also":'), 1), else_=0).label("shared")
    own = select(_r.id, shared).where(
        _is_open, _r.owner == me, _mentions('"owner":true'), not_(excludes), confirms
    )
    named = (
        select(_p.request_id)
        .where(_p.principal.in_(text(names)), _p.closed_at.is_(None))
        .limit(_LOOKED_AT)
    )
    put = select(_r.id, shared).where(_r.id.in_(named), _is_open, not_(and_(excludes, requester)))
    parts = [select(each.limit(bindparam("limit")).subquery()) for each in (own, put)]
    return union(*parts).limit(bindparam("limit")).subquery()


def _counted(found: Subquery) -> ClauseElement:
    return select(func.count(), func.coalesce(func.sum(found.c.shared), 0))


def _shared(found: Subquery) -> ClauseElement:
    return select(requests).where(_r.id.in_(select(found.c.id).where(found.c.shared == 1)))


_IN_SQLITE = _open_for("SELECT value FROM json_each(:names)")
_IN_POSTGRES = _open_for("SELECT json_array_elements_text(CAST(:names AS json))")
OPEN_FOR = PerDatabase(sqlite=_counted(_IN_SQLITE), postgres=_counted(_IN_POSTGRES))
SHARED = PerDatabase(sqlite=_shared(_IN_SQLITE), postgres=_shared(_IN_POSTGRES))


class StoredCounts:
    """`tx.counts`: counts that stop at `limit`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def open_of_owner(self, owner: str, *, limit: int) -> int:
        return self._driver.rows(OPEN_OF_OWNER, {"owner": owner, "limit": limit})[0][0]

    def open_of_agent(self, agent: str, *, limit: int) -> int:
        return self._driver.rows(OPEN_OF_AGENT, {"agent": agent, "limit": limit})[0][0]

    def open_for(self, person: Person, *, limit: int) -> int:
        """Return the number of open requests that this person may decide."""
        if person.kind is PersonKind.AGENT:
            return 0
        params: Params = {
            "me": person.id,
            "human": person.human,
            "names": dump(person_keys(person)),
            # A program confirms nothing for itself.
            "confirms": "no" if person.kind is PersonKind.SERVICE else "yes",
            "limit": limit,
        }
        number, shared = self._driver.rows(OPEN_FOR, params)[0]
        if not shared:
            return number
        rows = map(request_of, self._driver.rows(SHARED, params))
        return number - int(shared) + sum(request.admits(person) for request in rows)

    def turns_within(self, owner: str, length: timedelta, *, limit: int) -> int:
        params: dict[str, object] = {"owner": owner, "within": span(length), "limit": limit}
        return self._driver.rows(TURNS_WITHIN, params)[0][0]

    def calls_within(self, owner: str, length: timedelta, *, limit: int) -> int:
        """Return how many calls a person's agents outside made within a time, up to the limit."""
        params: dict[str, object] = {"owner": owner, "within": span(length), "limit": limit}
        return self._driver.rows(CALLS_WITHIN, params)[0][0]

    def conversations_within(self, owner: str, length: timedelta, *, limit: int) -> int:
        params: dict[str, object] = {"owner": owner, "within": span(length), "limit": limit}
        return self._driver.rows(CONVERSATIONS_WITHIN, params)[0][0]

    def deliveries(self, channel: str, *, limit: int) -> DeliveryCounts:
        """Return how many deliveries of a channel are due, told and dead."""
        params: Params = {"channel": channel, "limit": limit}
        found = {name: self._driver.rows(each, params)[0][0] for name, each in DELIVERIES.items()}
        return DeliveryCounts(**found)

    def stored(self, conversation_id: str) -> tuple[int, int]:
        """Return how many messages a conversation has, and how many characters with its calls."""
        params: dict[str, object] = {"conversation_id": conversation_id}
        [(number, characters)] = self._driver.rows(MESSAGES, params)
        [(of_calls,)] = self._driver.rows(CALLS, params)
        return int(number), int(characters) + int(of_calls)
