"""A turn with its calls and open requests, in one statement."""

from operator import itemgetter

from sqlalchemy import and_, bindparam, select

from assent.domain.calls import Call
from assent.domain.conversations import Role, TurnRow
from assent.domain.lifecycle import RequestStatus
from assent.domain.requests import Request
from assent.store.calls import call_of
from assent.store.conversations import turn_of
from assent.store.requests import request_of
from assent.store.rows import Driver
from assent.store.statements import fixed
from assent.store.tables import calls, messages, requests, turns

_last_answer = (
    select(messages.c.text)
    .where(messages.c.turn_id == turns.c.id, messages.c.role == fixed(Role.ASSISTANT))
    .order_by(messages.c.position.desc())
    .limit(1)
    .correlate(turns)
    .scalar_subquery()
)
_is_open = and_(requests.c.call_id == calls.c.id, requests.c.status == fixed(RequestStatus.OPEN))
SNAPSHOT = (
    select(turns, calls, requests, _last_answer)
    .select_from(
        turns.outerjoin(calls, calls.c.turn_id == turns.c.id).outerjoin(requests, _is_open)
    )
    .where(turns.c.id == bindparam("turn"))
)
_TURN = len(turns.columns)
_CALL = _TURN + len(calls.columns)
_REQUEST = _CALL + len(requests.columns)
# What a turn's calls, and the questions about them, are ordered by.
_places = {column.name: _TURN + place for place, column in enumerate(calls.columns)}
_age = itemgetter(*(_places[name] for name in ("created_at", "message_id", "position")))


class StoredSnapshots:
    """`tx.snapshots`"""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def turn(self, id: str) -> tuple[TurnRow, str, list[Call], list[Request]] | None:
        rows = [tuple(row) for row in self._driver.rows(SNAPSHOT, {"turn": id})]
        if not rows:
            return None
        # Sorted here: a handful of calls, but rows too wide for the database to sort cheaply.
        if rows[0][_TURN] is not None:
            rows.sort(key=_age)
        found = [call_of(row[_TURN:_CALL]) for row in rows if row[_TURN] is not None]
        waiting = [request_of(row[_CALL:_REQUEST]) for row in rows if row[_CALL] is not None]
        return turn_of(rows[0][:_TURN]), rows[0][_REQUEST] or "", found, waiting
