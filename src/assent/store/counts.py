"""How much there is of something, counted no further than asked: their SQL."""

from datetime import timedelta

from sqlalchemy import BigInteger, ColumnElement, Table, bindparam, func, select
from sqlalchemy.sql import ClauseElement

from assent.domain.lifecycle import RequestStatus
from assent.store.rows import Driver, span
from assent.store.statements import ClockNow, fixed
from assent.store.tables import calls, conversations, messages, requests, turns

_r, _m, _k = requests.c, messages.c, calls.c
_is_open = _r.status == fixed(RequestStatus.OPEN)
_recent = ClockNow() - bindparam("within", type_=BigInteger)


def _at_most(table: Table, *conditions: ColumnElement[bool]) -> ClauseElement:
    """Counting stops at the limit: a quota costs no more than itself, however much there is."""
    found = select(table.c.id).where(*conditions).limit(bindparam("limit")).subquery()
    return select(func.count()).select_from(found)


OPEN_OF_OWNER = _at_most(requests, _is_open, _r.owner == bindparam("owner"))
OPEN_OF_AGENT = _at_most(requests, _is_open, _r.agent == bindparam("agent"))
TURNS_WITHIN = _at_most(turns, turns.c.owner == bindparam("owner"), turns.c.created_at > _recent)
CONVERSATIONS_WITHIN = _at_most(
    conversations,
    conversations.c.owner == bindparam("owner"),
    conversations.c.created_at > _recent,
)
_characters = func.length(_m.text) + func.coalesce(func.length(_m.body), 0)
MESSAGES = select(func.count(), func.coalesce(func.sum(_characters), 0)).where(
    _m.conversation_id == bindparam("conversation_id")
)
_of_call = func.length(_k.arguments) + func.coalesce(func.length(_k.output), 0)
CALLS = select(func.coalesce(func.sum(_of_call), 0)).where(
    _k.conversation_id == bindparam("conversation_id")
)


class StoredCounts:
    """`tx.counts`"""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def open_of_owner(self, owner: str, *, limit: int) -> int:
        return self._driver.rows(OPEN_OF_OWNER, {"owner": owner, "limit": limit})[0][0]

    def open_of_agent(self, agent: str, *, limit: int) -> int:
        return self._driver.rows(OPEN_OF_AGENT, {"agent": agent, "limit": limit})[0][0]

    def turns_within(self, owner: str, length: timedelta, *, limit: int) -> int:
        params: dict[str, object] = {"owner": owner, "within": span(length), "limit": limit}
        return self._driver.rows(TURNS_WITHIN, params)[0][0]

    def conversations_within(self, owner: str, length: timedelta, *, limit: int) -> int:
        params: dict[str, object] = {"owner": owner, "within": span(length), "limit": limit}
        return self._driver.rows(CONVERSATIONS_WITHIN, params)[0][0]

    def stored(self, conversation_id: str) -> tuple[int, int]:
        params: dict[str, object] = {"conversation_id": conversation_id}
        [(number, characters)] = self._driver.rows(MESSAGES, params)
        [(of_calls,)] = self._driver.rows(CALLS, params)
        return int(number), int(characters) + int(of_calls)
