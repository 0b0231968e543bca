"""The SQL of past calls and of the audit, newest first.

Calls have no index by time, since every call would pay for it. Their ids sort by time, so a page
follows the primary key; a person's own calls are found by their turns. For filters without an index
a limited number of rows is searched, and the page says where it stopped.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Text,
    and_,
    bindparam,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlalchemy.sql import ClauseElement

from assent.domain.calls import Frozen
from assent.domain.events import Entry, Event, EventKind
from assent.domain.identifiers import first_id
from assent.domain.lifecycle import AWAITING, CallStatus, RequestKind, RequestStatus
from assent.domain.paging import Place
from assent.domain.record import CallFilter, PastCall, PastRequest, RecordFilter, RecordPage
from assent.store.journal import entry_of
from assent.store.rows import EPOCH, Driver, Params, Row, load, maybe_moment, micros, moment
from assent.store.statements import fixed, named
from assent.store.tables import audit, calls, conversations, decisions, events, requests, turns

T = TypeVar("T")
# How many rows are searched for one page. Written out in the statements: a limit that PostgreSQL
# can see keeps it from plans that read a whole table.
CALLS_READ: Final = 2_000
TURNS_READ: Final = 200
ENTRIES_READ: Final = 2_000
# Before and after every id of a call, however a database sorts letters.
_FIRST: Final = "call_"
_LAST: Final = "d"
_END: Final = 2**62

_c, _o, _t, _r, _d, _a = calls.c, conversations.c, turns.c, requests.c, decisions.c, audit.c
_SOUGHT = (_c.id, _c.conversation_id, _c.turn_id, _c.agent, _c.tool, _c.risk, _c.status)
_SHOWN = (
    *(_c.id, _c.conversation_id, _c.agent, _o.owner, _c.tool, _c.source, _c.risk, _c.status),
    *(_c.arguments, _c.arguments_digest, _c.revision, _c.attempts, _c.cleared_by),
    *(_c.created_at, _c.settled_at),
)
_ASKED = (_r.id, _r.kind, _r.status, _r.created_at, _r.closed_at, _r.closed_by)


def _given(name: str, kind: Any = Text) -> ColumnElement[Any]:
    return bindparam(name, type_=kind)


def _or_any(name: str, condition: ColumnElement[bool], kind: Any = Text) -> ColumnElement[bool]:
    """Return a filter that a null parameter turns off: one statement serves all combinations."""
    return or_(_given(name, kind).is_(None), condition)


def _same(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    return _or_any(name, column == _given(name))


def _first(column: ColumnElement[Any], *conditions: ColumnElement[bool]) -> ColumnElement[Any]:
    # With a limit it is looked up for each row; PostgreSQL may turn a plain EXISTS into a hash of
    # the whole table.
    return select(column).where(*conditions).limit(literal_column("1")).scalar_subquery()


def _wanted(window: Any) -> ColumnElement[bool]:
    """Return the filters of calls; checked row by row, in a window that is small enough."""
    of_call = _r.call_id == window.c.id
    asked = _first(_r.id, of_call).is_not(None)
    by = _first(_r.id, of_call, _d.request_id == _r.id, _d.person == _given("decided_by"))
    owner = _first(_o.owner, _o.id == window.c.conversation_id)
    names = (window.c.tool, window.c.agent, owner)
    awaiting = or_(*(window.c.status == fixed(status) for status in sorted(AWAITING)))
    return and_(
        *(_same(window.c[name], name) for name in ("status", "tool", "agent", "risk")),
        _or_any("awaiting", awaiting, Boolean),
        named("text", *names),
        _or_any("asked", _given("asked", Boolean) == asked, Boolean),
        _or_any("decided_by", by.is_not(None)),
    )


def _page(window: Any, *order: str) -> ClauseElement:
    """Select a page of the wanted calls of a window, each with the requests about it."""
    newest = [window.c[name].desc() for name in order]
    cut = (
        select(window.c.id, *(window.c[name].label(f"by_{name}") for name in order))
        .where(_wanted(window))
        .order_by(*newest)
        .limit(bindparam("limit"))
        .subquery("page")
    )
    whole = (
        cut.join(calls, _c.id == cut.c.id)
        .join(conversations, _o.id == _c.conversation_id)
        .join(turns, _t.id == _c.turn_id)
        .outerjoin(requests, _r.call_id == _c.id)
    )
    return (
        select(*_SHOWN, _t.created_at, *_ASKED)
        .select_from(whole)
        .order_by(*(cut.c[f"by_{name}"].desc() for name in order), _r.created_at, _r.id)
    )


_before = and_(_c.id < _given("before"), _c.id >= _given("since"))
_by_key = select(*_SOUGHT).where(_before).order_by(_c.id.desc())
CALLS = _page(_by_key.limit(literal_column(str(CALLS_READ))).subquery("looked"), "id")
CALLS_FLOOR = (
    select(_c.id)
    .where(_before)
    .order_by(_c.id.desc())
    .limit(literal_column("1"))
    .offset(literal_column(str(CALLS_READ - 1)))
)

# The newest turn first, and in it the newest call: a person's own calls in one order.
_at = _given("at", BigInteger)
_turns = (
    select(_t.id, _t.created_at)
    .where(_t.owner == _given("owner"), _t.created_at <= _at)
    .order_by(_t.created_at.desc())
)
_window_of_turns = _turns.limit(literal_column(str(TURNS_READ))).subquery("turns_read")
CALLS_OF_OWNER = _page(
    select(*_SOUGHT, _window_of_turns.c.created_at.label("turn_at"))
    .select_from(_window_of_turns.join(calls, _c.turn_id == _window_of_turns.c.id))
    .where(
        tuple_(_window_of_turns.c.created_at, _c.id) < tuple_(_at, _given("before")),
        _c.id >= _given("since"),
        _c.id < _given("until"),
    )
    .subquery("looked"),
    "turn_at",
    "id",
)
TURNS_FLOOR = (
    _turns.with_only_columns(_t.created_at)
    .limit(literal_column("1"))
    .offset(literal_column(str(TURNS_READ - 1)))
)

_since, _until = _a.at >= _given("since", BigInteger), _a.at < _given("until", BigInteger)
_older = and_(tuple_(_a.at, _a.id) < tuple_(_at, _given("id")), _since)
_newest = (_a.at.desc(), _a.id.desc())
_by_time = select(audit).where(_older).order_by(*_newest)
_window = _by_time.limit(literal_column(str(ENTRIES_READ))).subquery("looked")
ENTRIES = (
    select(_window)
    .where(_same(_window.c.actor, "actor"), _same(_window.c.action, "action"))
    .order_by(_window.c.at.desc(), _window.c.id.desc())
    .limit(bindparam("limit"))
)
ENTRIES_FLOOR = (
    _by_time.with_only_columns(_a.at, _a.id)
    .limit(literal_column("1"))
    .offset(literal_column(str(ENTRIES_READ - 1)))
)
_entries = (
    select(audit)
    .where(_older, _until, _same(_a.actor, "actor"), _same(_a.action, "action"))
    .order_by(*_newest)
    .limit(bindparam("limit"))
)
ENTRIES_OF_CONVERSATION = _entries.where(
    _a.conversation_id == _given("conversation_id"), _same(_a.call_id, "call_id")
)
ENTRIES_OF_CALL = _entries.where(_a.call_id == _given("call_id"))

PROGRESS = (
    select(events.c.seq, events.c.data, events.c.at)
    .where(events.c.turn_id == _given("turn_id"), events.c.kind == fixed(EventKind.PROGRESS))
    .order_by(events.c.seq.desc())
    .limit(bindparam("limit"))
)


class StoredRecord:
    """`tx.record`: past calls and the audit, newest first.

    For filters without an index only a limited number of rows is searched.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def calls(self, wanted: CallFilter, *, after: Place | None, limit: int) -> RecordPage[PastCall]:
        last = _LAST if after is None else after.id
        begin: Params = {
            "before": min(last, _recorded(wanted.until, _LAST)),
            "since": _recorded(wanted.since, ""),
        }
        params = _filters(wanted) | begin | {"limit": limit + 1}
        found = _grouped(self._driver.rows(CALLS, params))
        if len(found) > limit:
            return _full(found, limit)
        floor = self._driver.rows(CALLS_FLOOR, begin)
        return _short(found, Place(EPOCH, floor[0][0]) if floor else None)

    def calls_of(
        self, owner: str, wanted: CallFilter, *, after: Place | None, limit: int
    ) -> RecordPage[PastCall]:
        """Return calls of one person's conversations, newest turn first."""
        last = _stored(after.at if after else None, _END)
        begin: Params = {"owner": owner, "at": min(last, _stored(wanted.until, _END))}
        params = _filters(wanted) | begin
        params |= {
            "before": _LAST if after is None else after.id,
            "since": _recorded(wanted.since, ""),
            "until": _recorded(wanted.until, _LAST),
            "limit": limit + 1,
        }
        found = _grouped(self._driver.rows(CALLS_OF_OWNER, params))
        if len(found) > limit:
            return _full(found, limit)
        floor = self._driver.rows(TURNS_FLOOR, begin)
        return _short(found, Place(moment(floor[0][0]), _FIRST) if floor else None)

    def entries(
        self, wanted: RecordFilter, *, after: Place | None, limit: int
    ) -> RecordPage[Entry]:
        until = _stored(wanted.until, _END)
        begin: Params = {
            "at": min(_stored(after.at if after else None, _END), until),
            "id": "" if after is None else after.id,
            "since": _stored(wanted.since, 0),
        }
        params: Params = {"actor": wanted.actor, "action": wanted.action, "limit": limit + 1}
        params |= begin
        if wanted.conversation_id is not None:
            of = {"conversation_id": wanted.conversation_id, "call_id": wanted.call_id}
            rows = self._driver.rows(ENTRIES_OF_CONVERSATION, params | of | {"until": until})
        elif wanted.call_id is not None:
            of = {"call_id": wanted.call_id}
            rows = self._driver.rows(ENTRIES_OF_CALL, params | of | {"until": until})
        else:
            return self._window(params, begin, limit)
        found = _noted(rows)
        return _full(found, limit) if len(found) > limit else _short(found, None)

    def _window(self, params: Params, begin: Params, limit: int) -> RecordPage[Entry]:
        found = _noted(self._driver.rows(ENTRIES, params))
        if len(found) > limit:
            return _full(found, limit)
        floor = self._driver.rows(ENTRIES_FLOOR, begin)
        return _short(found, Place(moment(floor[0][0]), floor[0][1]) if floor else None)

    def progress(self, turn_id: str, *, limit: int) -> list[Event]:
        """Return the last reports of a turn's running calls, oldest first."""
        rows = self._driver.rows(PROGRESS, {"turn_id": turn_id, "limit": limit})
        return [_progress(turn_id, row) for row in reversed(rows)]


def _filters(wanted: CallFilter) -> Params:
    return {
        "status": wanted.status,
        "tool": wanted.tool,
        "agent": wanted.agent,
        "risk": wanted.risk,
        "awaiting": wanted.awaiting or None,
        "asked": wanted.asked,
        "decided_by": wanted.decided_by,
        "text": wanted.text,
    }


def _recorded(at: datetime | None, otherwise: str) -> str:
    return otherwise if at is None else first_id("call", at)


def _stored(at: datetime | None, otherwise: int) -> int:
    found = micros(at)
    return otherwise if found is None else found


Placed = tuple[T, Place]


def _full(found: Sequence[Placed[T]], limit: int) -> RecordPage[T]:
    return RecordPage(items=tuple(item for item, _ in found[:limit]), next=found[limit - 1][1])


def _short(found: Sequence[Placed[T]], rest: Place | None) -> RecordPage[T]:
    """Return all that the window had; there may be more after it."""
    items = tuple(item for item, _ in found)
    return RecordPage(items=items, next=rest, is_cut=rest is not None)


def _noted(rows: Iterable[Row]) -> list[Placed[Entry]]:
    return [(entry, Place(entry.at, entry.id)) for entry in map(entry_of, rows)]


_CALL = len(_SHOWN)


def _grouped(rows: Iterable[Row]) -> list[Placed[PastCall]]:
    """Return each call once, from one row for each of its requests."""
    found: dict[str, tuple[Row, list[PastRequest]]] = {}
    for row in map(tuple, rows):
        _, questions = found.setdefault(row[0], (row, []))
        if row[_CALL + 1] is not None:
            questions.append(_question(row[_CALL + 1 :]))
    return [
        (_past(row, questions), Place(moment(row[_CALL]), row[0]))
        for row, questions in found.values()
    ]


def _past(row: Row, questions: Iterable[PastRequest]) -> PastCall:
    got: dict[str, Any] = dict(zip((column.name for column in _SHOWN), row, strict=False))
    got["status"] = CallStatus(got["status"])
    got["arguments"] = Frozen(got["arguments"], got.pop("arguments_digest"))
    got["created_at"] = moment(got["created_at"])
    got["settled_at"] = maybe_moment(got["settled_at"])
    return PastCall(**got, questions=tuple(questions))


def _question(row: Row) -> PastRequest:
    id, kind, status, created_at, closed_at, closed_by = row
    return PastRequest(
        id=id,
        kind=RequestKind(kind),
        status=RequestStatus(status),
        created_at=moment(created_at),
        closed_at=maybe_moment(closed_at),
        closed_by=closed_by,
    )


def _progress(turn_id: str, row: Row) -> Event:
    seq, data, at = row
    kind = EventKind.PROGRESS
    return Event(turn_id=turn_id, seq=seq, kind=kind, data=load(data), at=moment(at))
