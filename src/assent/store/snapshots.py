"""A turn with its calls and open requests, in one statement."""

from operator import itemgetter
from typing import Any

from sqlalchemy import and_, bindparam, or_, select

from assent.domain.calls import Call
from assent.domain.conversations import Role, Scene, TurnRow
from assent.domain.copies import changed
from assent.domain.lifecycle import RequestStatus
from assent.domain.requests import Request
from assent.store.calls import call_of
from assent.store.conversations import message_of, turn_of
from assent.store.requests import request_of
from assent.store.rows import Driver, Params
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
_is_open = and_(requests.c.call_id == calls.c.id, requests.c.status == RequestStatus.OPEN)
SNAPSHOT = (
    select(turns, calls, requests, _last_answer)
    .select_from(
        turns.outerjoin(calls, calls.c.turn_id == turns.c.id).outerjoin(requests, _is_open)
    )
    .where(turns.c.id == bindparam("turn"))
)
_last = messages.alias("last")
_still_open = select(_last.c.open_calls).where(_last.c.id == bindparam("last_of")).scalar_subquery()
SCENE = (
    select(messages, turns, calls)
    .select_from(
        messages.outerjoin(
            turns, and_(turns.c.id == messages.c.turn_id, turns.c.id == bindparam("turn"))
        ).outerjoin(
            # By the turn as well: there is an index on it.
            calls,
            and_(calls.c.turn_id == messages.c.turn_id, calls.c.message_id == messages.c.id),
        )
    )
    .where(messages.c.conversation_id == bindparam("conversation"))
)
LAST_SCENE = SCENE.where(or_(messages.c.id == bindparam("last_of"), _still_open == 1))
_MESSAGE = len(messages.columns)
_SCENE_TURN = _MESSAGE + len(turns.columns)
_POSITION = messages.columns.keys().index("position")
_CALL_POSITION = _SCENE_TURN + calls.columns.keys().index("position")
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

    def scene(
        self, conversation_id: str, turn_id: str, *, last_of: str | None = None
    ) -> Scene | None:
        params: Params = {"conversation": conversation_id, "turn": turn_id}
        if last_of is None:
            rows = self._driver.rows(SCENE, params)
        else:
            rows = self._driver.rows(LAST_SCENE, params | {"last_of": last_of})
        scene = _scene([tuple(row) for row in rows])
        if scene is None or last_of is None or scene.open_calls(last_of) == 1:
            return scene
        return changed(scene, is_whole=False)


def _place(row: tuple[Any, ...]) -> tuple[int, int]:
    return row[_POSITION], row[_CALL_POSITION] or 0


def _scene(rows: list[tuple[Any, ...]]) -> Scene | None:
    turn = next((row for row in rows if row[_MESSAGE] is not None), None)
    if turn is None:
        return None
    # Sorted here: the rows are too wide for the database to sort cheaply.
    rows.sort(key=_place)
    # A message is there once for each of its calls.
    said = {row[0]: row for row in rows}
    return Scene(
        turn=turn_of(turn[_MESSAGE:_SCENE_TURN]),
        messages=[message_of(row[:_MESSAGE]) for row in said.values()],
        calls=[call_of(row[_SCENE_TURN:]) for row in rows if row[_SCENE_TURN] is not None],
    )
