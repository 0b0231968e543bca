"""The SQL of the feed: events of all turns in one order that is the same for every reader.

docs/decisions/0003-event-numbers-per-turn.md explains the order.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, bindparam, literal_column, select, text, tuple_
from sqlalchemy.sql import ClauseElement

from assent.domain.events import START, Cursor, EventKind, FeedPage, News, public_data
from assent.domain.people import Audience
from assent.store.rows import Driver, Params, load, moment
from assent.store.statements import Horizon, PerDatabase
from assent.store.tables import IS_FED, calls, conversations, events, requests, turns

PAGE = 200

_e, _c = events.c, conversations.c
_is_fed = text(IS_FED)
# PostgreSQL gives out event ids before the commit, so there the feed is ordered by transaction
# first.
_SQLITE, _POSTGRES = ("id",), ("xid", "id")
_Place = tuple[str, ...]


def _at(place: _Place, columns: Any = _e) -> list[ColumnElement[int]]:
    return [columns[name] for name in place]


def _given(place: _Place, prefix: str = "") -> list[ColumnElement[int]]:
    return [bindparam(f"{prefix}{name}", type_=BigInteger()) for name in place]


def _beyond(place: _Place) -> ColumnElement[bool]:
    return tuple_(*_at(place)) > tuple_(*_given(place))


def _news(place: _Place) -> ClauseElement:
    # Limited first, then joined: with the limit written out no plan reads more than a page of any
    # table.
    cut = (
        select(events)
        .where(_is_fed, _beyond(place))
        .order_by(*_at(place))
        .limit(literal_column(str(PAGE)))
        .subquery()
    )
    is_settled = cut.c.xid < Horizon()
    return (
        select(cut, _c.id.label("conversation_id"), _c.owner, _c.owner_behind, is_settled)
        .select_from(cut)
        .outerjoin(turns, turns.c.id == cut.c.turn_id)
        .outerjoin(conversations, _c.id == turns.c.conversation_id)
        .order_by(*_at(place, cut.c))
    )


def _asked(place: _Place) -> ClauseElement:
    passed = tuple_(*_at(place)) <= tuple_(*_given(place, "last_"))
    about = select(_e.turn_id).where(_is_fed, _beyond(place), passed)
    return (
        select(requests.c.call_id, requests.c.audience)
        .join(calls, calls.c.id == requests.c.call_id)
        .where(calls.c.turn_id.in_(about))
    )


def _head(place: _Place) -> ClauseElement:
    newest = [column.desc() for column in _at(place)]
    settled = select(_e.xid, _e.id).where(_is_fed, _e.xid < Horizon())
    return settled.order_by(*newest).limit(literal_column("1"))


NEWS, ASKED, HEAD = (
    PerDatabase(sqlite=statement(_SQLITE), postgres=statement(_POSTGRES))
    for statement in (_news, _asked, _head)
)
# Rows that came from another PostgreSQL by dump and restore have transaction numbers that this
# server has not reached yet. They are all older than anything that will be written.
ADOPT = f"""
    UPDATE events SET xid = 0
     WHERE {IS_FED} AND xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
"""  # noqa: S608 - a constant

Audiences = dict[str, tuple[Audience, ...]]


class StoredFeed:
    """`tx.feed`: the events of all turns in one order.

    A reader that goes on from a cursor misses nothing.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def head(self) -> Cursor:
        """Return the newest cursor that no later commit can put an event before."""
        found = self._driver.rows(HEAD, {})
        return Cursor(*found[0]) if found else START

    def page(self, after: Cursor) -> FeedPage:
        place: Params = {"xid": after.transaction, "id": after.event}
        rows = [_Row(*row) for row in self._driver.rows(NEWS, place)]
        settled = [row for row in rows if row.is_settled]
        if not settled:
            return FeedPage(news=(), last=after, held=bool(rows))
        audiences = self._audiences(place, settled)
        # An event whose conversation is gone is shown to no person, but the cursor passes it.
        news = tuple(row.news(audiences) for row in settled if row.conversation_id is not None)
        return FeedPage(news=news, last=settled[-1].cursor, held=len(settled) < len(rows))

    def _audiences(self, place: Params, rows: Sequence["_Row"]) -> Audiences:
        """Return who is, or was, asked about the calls of these events."""
        if all('"call_id"' not in row.data for row in rows):
            return {}
        last: Params = {"last_xid": rows[-1].xid, "last_id": rows[-1].id}
        found: defaultdict[str, list[str]] = defaultdict(list)
        for call_id, audience in self._driver.rows(ASKED, place | last):
            found[call_id].append(audience)
        return {
            call_id: tuple(Audience.from_json(load(text)) for text in dict.fromkeys(texts))
            for call_id, texts in found.items()
        }


class _Row(NamedTuple):
    """A row that `NEWS` selects."""

    id: int
    xid: int
    turn_id: str
    seq: int
    kind: str
    data: str
    at: int
    conversation_id: str | None
    owner: str
    owner_behind: str | None
    is_settled: bool

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.xid, self.id)

    def news(self, audiences: Audiences) -> News:
        told = public_data(load(self.data))
        return News(
            cursor=self.cursor,
            kind=EventKind(self.kind),
            conversation_id=self.conversation_id or "",
            turn_id=self.turn_id,
            seq=self.seq,
            owner=self.owner,
            owner_behind=self.owner_behind,
            at=moment(self.at),
            data=told,
            audiences=audiences.get(str(told.get("call_id")), ()),
        )
