"""Reading a turn with its calls and open requests in one statement.

Rows are not joined one to many: an answer beside each of its calls would be read, and held in
memory, as many times as it has calls.
"""

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Table,
    Text,
    and_,
    bindparam,
    case,
    literal_column,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql import Select

from assent.domain.calls import Call
from assent.domain.conversations import Message, Role, TurnRow, TurnSnapshot
from assent.domain.copies import changed
from assent.domain.lifecycle import RequestStatus
from assent.domain.requests import Request
from assent.store.calls import call_of
from assent.store.conversations import message_of, turn_of
from assent.store.requests import request_of
from assent.store.rows import Driver, Params
from assent.store.statements import fixed
from assent.store.tables import calls, messages, requests, turns


def _none(*tables: Table) -> list[ColumnElement[Any]]:
    """Return NULL columns for the tables that only the other half of a union reads."""
    return [null().label(column.name) for table in tables for column in table.columns]


_last_answer = (
    select(messages.c.text)
    .where(messages.c.turn_id == turns.c.id, messages.c.role == fixed(Role.ASSISTANT))
    .order_by(messages.c.position.desc())
    .limit(1)
    .correlate(turns)
    .scalar_subquery()
)
_is_open = and_(requests.c.call_id == calls.c.id, requests.c.status == RequestStatus.OPEN)
SNAPSHOT = union_all(
    select(*turns.columns, _last_answer.label("answer"), *_none(calls, requests)).where(
        turns.c.id == bindparam("turn")
    ),
    select(*_none(turns), null().label("answer"), *calls.columns, *requests.columns)
    .select_from(calls.outerjoin(requests, _is_open))
    .where(calls.c.turn_id == bindparam("turn")),
)
_last = messages.alias("last")
_is_last = (
    select(_last.c.open_calls).where(_last.c.id == bindparam("last_of")).scalar_subquery() == 1
)
# Of an answer whose calls are not all settled only the number of open calls is needed.
_LONG = ("text", "body")
_if_last = [
    case((_is_last, column), else_=literal_column("''", Text)).label(column.name)
    if column.name in _LONG
    else column
    for column in messages.columns
]


def _said(columns: Iterable[ColumnElement[Any]]) -> Select[Any]:
    of_turn = and_(turns.c.id == messages.c.turn_id, turns.c.id == bindparam("turn"))
    return (
        select(*columns, *turns.columns, *_none(calls))
        .select_from(messages.outerjoin(turns, of_turn))
        .where(messages.c.conversation_id == bindparam("conversation"))
    )


_called = (
    select(*_none(messages, turns), *calls.columns)
    # By the turn as well: there is an index on it.
    .select_from(
        messages.join(
            calls, and_(calls.c.turn_id == messages.c.turn_id, calls.c.message_id == messages.c.id)
        )
    )
    .where(messages.c.conversation_id == bindparam("conversation"))
)
CONVERSATION = union_all(_said(messages.columns), _called)
LAST_MESSAGE = union_all(
    _said(_if_last).where(or_(messages.c.id == bindparam("last_of"), _is_last)),
    _called.where(_is_last),
)
_MESSAGE = len(messages.columns)
_TURN_END = _MESSAGE + len(turns.columns)
_TURN = len(turns.columns)
_CALL = _TURN + 1
_REQUEST = _CALL + len(calls.columns)
# The columns that order a turn's calls, and the requests about them.
_places = {column.name: _CALL + place for place, column in enumerate(calls.columns)}
_age = itemgetter(*(_places[name] for name in ("created_at", "message_id", "position")))


class StoredSnapshots:
    """`tx.snapshots`: several tables read at once."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def turn(self, id: str) -> tuple[TurnRow, str, list[Call], list[Request]] | None:
        """Return a turn, the text of its newest answer, its calls and its open requests."""
        rows = [tuple(row) for row in self._driver.rows(SNAPSHOT, {"turn": id})]
        turn = next((row for row in rows if row[0] is not None), None)
        if turn is None:
            return None
        # Sorted here: a handful of calls, but rows too wide for the database to sort cheaply.
        called = sorted((row for row in rows if row[0] is None), key=_age)
        found = [call_of(row[_CALL:_REQUEST]) for row in called]
        waiting = [request_of(row[_REQUEST:]) for row in called if row[_REQUEST] is not None]
        return turn_of(turn[:_TURN]), turn[_TURN] or "", found, waiting

    def conversation(
        self, conversation_id: str, turn_id: str, *, last_of: str | None = None
    ) -> TurnSnapshot | None:
        """Return a turn with its conversation's messages and calls, in one statement.

        While several calls of the message `last_of` are open it is the only message read: only the
        transaction that settles the last call needs the rest.
        """
        params: Params = {"conversation": conversation_id, "turn": turn_id}
        if last_of is None:
            rows = self._driver.rows(CONVERSATION, params)
        else:
            rows = self._driver.rows(LAST_MESSAGE, params | {"last_of": last_of})
        snapshot = _snapshot([tuple(row) for row in rows])
        if snapshot is None or last_of is None or snapshot.open_calls(last_of) == 1:
            return snapshot
        return changed(snapshot, is_whole=False)

    def history(self, conversation_id: str) -> tuple[list[Message], list[Call]]:
        """Return the messages and calls of a conversation before its next turn, oldest first."""
        rows = self._driver.rows(CONVERSATION, {"conversation": conversation_id, "turn": ""})
        return _history([tuple(row) for row in rows])


def _snapshot(rows: list[tuple[Any, ...]]) -> TurnSnapshot | None:
    turn = next((row for row in rows if row[_MESSAGE] is not None), None)
    if turn is None:
        return None
    said, called = _history(rows)
    return TurnSnapshot(turn=turn_of(turn[_MESSAGE:_TURN_END]), messages=said, calls=called)


def _history(rows: list[tuple[Any, ...]]) -> tuple[list[Message], list[Call]]:
    said = [message_of(row[:_MESSAGE]) for row in rows if row[0] is not None]
    # Sorted here: the rows are too wide for the database to sort cheaply.
    said.sort(key=lambda message: message.position)
    places = {message.id: message.position for message in said}
    called = [call_of(row[_TURN_END:]) for row in rows if row[0] is None]
    called.sort(key=lambda call: (places[call.message_id], call.position))
    return said, called
