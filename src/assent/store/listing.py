"""The SQL of pages of requests, conversations and the audit, newest first.

An unused filter is a null parameter, so that one statement serves every combination. The main
criterion of a page (an owner, a role, being open) has an index; the other filters are checked row
by row.
"""

from collections.abc import Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Table,
    Text,
    and_,
    bindparam,
    func,
    or_,
    select,
    tuple_,
)
from sqlalchemy.sql import ClauseElement

from assent.domain.events import Entry
from assent.domain.lifecycle import TERMINAL, RequestStatus, TurnStatus
from assent.domain.paging import EntryFilter, Place, RequestFilter, Summary
from assent.domain.requests import Request
from assent.domain.tools import Risk
from assent.store.calls import call_of
from assent.store.conversations import conversation_of
from assent.store.journal import entry_of
from assent.store.requests import request_of
from assent.store.rows import Driver, Params, Row, micros
from assent.store.statements import fixed, named
from assent.store.tables import (
    audit,
    calls,
    conversations,
    messages,
    request_audience,
    requests,
    turns,
)

_r, _p, _c, _m = requests.c, request_audience.c, conversations.c, messages.c
_a = audit.c
_OPEN = RequestStatus.OPEN
# Before the first page: later than every row.
_END = 2**62
# How much of a first message a list shows.
_OPENING_CHARS = 160


def _older(at: ColumnElement[int], id: ColumnElement[str]) -> ColumnElement[bool]:
    """Select rows after a place; that of the first page is later than every row."""
    return tuple_(at, id) < tuple_(bindparam("at", type_=BigInteger), bindparam("id", type_=Text))


def _wanted(table: Table, *names: str) -> ColumnElement[bool]:
    return and_(*(_or_any(table.c[name], name) for name in names))


def _or_any(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    given = bindparam(name, type_=Text)
    return or_(given.is_(None), column == given)


_filters = and_(
    _wanted(requests, "kind", "tool", "agent", "conversation_id"),
    named("text", _r.tool, _r.agent, _r.owner),
)
_any_risk, _risk = _or_any(_r.risk, "risk"), bindparam("risk", type_=Text)
# Open requests are read one risk tier at a time: each tier is a range of the indexes.
_is_open = _r.status == fixed(_OPEN)
_any_status = _or_any(_r.status, "status")


def _page(*conditions: ColumnElement[bool]) -> ClauseElement:
    return (
        select(requests)
        .where(_filters, _older(_r.created_at, _r.id), *conditions)
        .order_by(_r.created_at.desc(), _r.id.desc())
        .limit(bindparam("limit"))
    )


def _put_to(*conditions: ColumnElement[bool]) -> ClauseElement:
    """Select requests, ordered and cut by the small table, so that its index is used first."""
    return (
        select(requests)
        .select_from(request_audience.join(requests, _r.id == _p.request_id))
        .where(_filters, _p.principal == bindparam("principal"), *conditions)
        .where(_older(_p.created_at, _p.request_id))
        .order_by(_p.created_at.desc(), _p.request_id.desc())
        .limit(bindparam("limit"))
    )


_owned = _r.owner == bindparam("owner")
_any = and_(_any_status, _any_risk)
_in_tier = and_(_is_open, _r.risk == _risk)
OPEN_REQUESTS, ALL_REQUESTS = _page(_in_tier), _page(_any)
OPEN_OF_OWNER, ALL_OF_OWNER = _page(_owned, _in_tier), _page(_owned, _any)
_put_in_tier = and_(_p.closed_at.is_(None), _p.risk == _risk, _is_open)
OPEN_PUT_TO, ALL_PUT_TO = _put_to(_put_in_tier), _put_to(_any)

_listed = (
    select(conversations)
    .where(_or_any(_c.agent, "agent"), _older(_c.created_at, _c.id))
    .order_by(_c.created_at.desc(), _c.id.desc())
    .limit(bindparam("limit"))
)


def _summaries(listed: Any) -> ClauseElement:
    """Select a page of conversations, each with its newest turn and that turn's open calls."""
    page = listed.subquery("page")
    numbers = turns.alias("numbers")
    newest = (
        select(func.max(numbers.c.number))
        .where(numbers.c.conversation_id == page.c.id)
        .correlate(page)
        .scalar_subquery()
    )
    is_newest = and_(turns.c.conversation_id == page.c.id, turns.c.number == newest)
    unsettled = and_(*(calls.c.status != fixed(status) for status in sorted(TERMINAL)))
    open_calls = and_(calls.c.turn_id == turns.c.id, unsettled)
    joined = page.outerjoin(turns, is_newest).outerjoin(calls, open_calls)
    return (
        select(page, turns.c.status, calls)
        .select_from(joined)
        .order_by(page.c.created_at.desc(), page.c.id.desc())
    )


ALL_CONVERSATIONS = _summaries(_listed)
CONVERSATIONS_OF_OWNER = _summaries(_listed.where(_c.owner == bindparam("owner")))

_entries = (
    select(audit)
    .where(_wanted(audit, "request_id", "actor", "action"), _older(_a.at, _a.id))
    .order_by(_a.at.desc(), _a.id.desc())
    .limit(bindparam("limit"))
)
_of_call = _a.call_id == bindparam("call_id")
ENTRIES = _entries
ENTRIES_OF_CONVERSATION = _entries.where(
    _a.conversation_id == bindparam("conversation_id"), _or_any(_a.call_id, "call_id")
)
ENTRIES_OF_CALL = _entries.where(_of_call)


class StoredListings:
    """`tx.listings`: pages, newest first; `after` is the last row of the page before."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def requests(self, wanted: RequestFilter, *, after: Place | None, limit: int) -> list[Request]:
        return self._requests(OPEN_REQUESTS, ALL_REQUESTS, wanted, _from(after, limit))

    def requests_of(
        self, owner: str, wanted: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Request]:
        params = _from(after, limit) | {"owner": owner}
        return self._requests(OPEN_OF_OWNER, ALL_OF_OWNER, wanted, params)

    def requests_put_to(
        self, principal: str, wanted: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Request]:
        """Return requests to a role or a person; `principal` is a key of `audience_keys`."""
        params = _from(after, limit) | {"principal": principal}
        return self._requests(OPEN_PUT_TO, ALL_PUT_TO, wanted, params)

    def _requests(
        self, only_open: ClauseElement, every: ClauseElement, wanted: RequestFilter, params: Params
    ) -> list[Request]:
        params |= {
            "kind": wanted.kind,
            "tool": wanted.tool,
            "risk": wanted.risk,
            "agent": wanted.agent,
            "conversation_id": wanted.conversation_id,
            "text": wanted.text,
        }
        if wanted.status is not _OPEN:
            return _requests(self._driver.rows(every, params | {"status": wanted.status}))
        tiers = Risk if wanted.risk is None else [wanted.risk]
        found = [self._driver.rows(only_open, params | {"risk": tier}) for tier in tiers]
        newest = merge(*map(_requests, found), key=_age, reverse=True)
        return list(islice(newest, cast("int", params["limit"])))

    def conversations(
        self, owner: str | None, *, agent: str | None, after: Place | None, limit: int
    ) -> list[Summary]:
        params = _from(after, limit) | {"agent": agent}
        if owner is None:
            return _summed_up(self._driver.rows(ALL_CONVERSATIONS, params))
        return _summed_up(self._driver.rows(CONVERSATIONS_OF_OWNER, params | {"owner": owner}))

    def entries(self, wanted: EntryFilter, *, after: Place | None, limit: int) -> list[Entry]:
        params = _from(after, limit) | {
            "request_id": wanted.request_id,
            "actor": wanted.actor,
            "action": wanted.action,
        }
        if wanted.conversation_id is not None:
            params |= {"conversation_id": wanted.conversation_id, "call_id": wanted.call_id}
            return [entry_of(row) for row in self._driver.rows(ENTRIES_OF_CONVERSATION, params)]
        if wanted.call_id is not None:
            params["call_id"] = wanted.call_id
            return [entry_of(row) for row in self._driver.rows(ENTRIES_OF_CALL, params)]
        return [entry_of(row) for row in self._driver.rows(ENTRIES, params)]


def _requests(rows: Sequence[Row]) -> list[Request]:
    return [request_of(row) for row in rows]


def _age(request: Request) -> tuple[datetime, str]:
    return request.created_at, request.id


def _from(after: Place | None, limit: int) -> Params:
    if after is None:
        return {"at": _END, "id": "", "limit": limit}
    return {"at": micros(after.at), "id": after.id, "limit": limit}


_CONVERSATION = len(conversations.columns)


def _summed_up(rows: Any) -> list[Summary]:
    """Return one summary per conversation, from one row for each of its open calls."""
    found: dict[str, tuple[Row, list[Row]]] = {}
    for row in map(tuple, rows):
        _, open_calls = found.setdefault(row[0], (row, []))
        if row[_CONVERSATION + 1] is not None:
            open_calls.append(row[_CONVERSATION + 1 :])
    return [_summary(row, open_calls) for row, open_calls in found.values()]


def _summary(row: Row, open_calls: list[Row]) -> Summary:
    status = row[_CONVERSATION]
    return Summary(
        conversation=conversation_of(row[:_CONVERSATION]),
        turn=None if status is None else TurnStatus(status),
        open_calls=tuple(call_of(call) for call in open_calls),
    )


def _openings() -> ClauseElement:
    place = tuple_(bindparam("at", type_=BigInteger), bindparam("id", type_=Text))
    page = (
        select(_c.id)
        .where(_c.owner == bindparam("owner"), tuple_(_c.created_at, _c.id) < place)
        .order_by(_c.created_at.desc(), _c.id.desc())
        .limit(bindparam("limit"))
        .subquery("page")
    )
    # By the index on conversation and position: the first row of each.
    said = (
        select(func.substr(_m.text, 1, _OPENING_CHARS))
        .where(_m.conversation_id == page.c.id)
        .order_by(_m.position)
        .limit(1)
        .correlate(page)
        .scalar_subquery()
    )
    return select(page.c.id, said)


OPENINGS = _openings()


class StoredOpenings:
    """`tx.openings`: the first messages of conversations."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def of_owner(self, owner: str, *, after: Place | None, limit: int) -> dict[str, str]:
        """Return the first words of each conversation of a page, by its id; newest first."""
        params: Params = {"owner": owner, "at": _END, "id": "", "limit": limit}
        if after is not None:
            params |= {"at": micros(after.at), "id": after.id}
        rows: Any = self._driver.rows(OPENINGS, params)
        return {id: text or "" for id, text in rows}
