"""The SQL of figures over a period, a few thousand rows at a time.

Ids sort by time, so each batch is a range of a primary key: it costs no more than its rows,
whatever is wanted of them, and no table needs an index for figures.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Table,
    Text,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.sql import ClauseElement

from assent.domain.calls import CROWDED
from assent.domain.identifiers import first_id
from assent.domain.insights import HOUR, DecisionRow, Hourly, RecordRows, RequestCount, Survey
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.store.rows import Driver, Params, Row, micros, moment, span
from assent.store.statements import fixed
from assent.store.tables import calls, conversations, decisions, requests

_r, _d, _k, _c = requests.c, decisions.c, calls.c, conversations.c
_HOUR = span(HOUR)
# Ids have the time of a process's clock, columns that of the database: the two may differ.
_SKEW = timedelta(hours=1)
# Sorts after every id: after its prefix an id is hexadecimal.
_LAST = "g"
_start, _end = bindparam("start", type_=BigInteger), bindparam("end", type_=BigInteger)
_whom = bindparam("concerning", type_=Text)


def _between(table: Table) -> ColumnElement[bool]:
    first, last = bindparam("after", type_=Text), bindparam("upto", type_=Text)
    return and_(table.c.id > first, table.c.id <= last)


def _in_time(at: ColumnElement[int]) -> ColumnElement[bool]:
    # A sum, so that PostgreSQL does not use an index on times instead of the key: each batch would
    # then read the whole period.
    exact = at + literal_column("0", BigInteger)
    return and_(exact >= _start, exact < _end)


def _or_any(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    given = bindparam(name, type_=Text)
    return or_(given.is_(None), column == given)


def _next(table: Table) -> ClauseElement:
    """Select the row after a batch."""
    newest_first = select(table.c.id).where(_between(table)).order_by(table.c.id.desc())
    return newest_first.limit(1).offset(bindparam("limit", type_=BigInteger))


_by_them = exists().where(_d.request_id == _r.id, _d.person == _whom)
_theirs = exists().where(_c.id == _k.conversation_id, _c.owner == _whom)
_slot = (_d.at - _start) // bindparam("slot", type_=BigInteger)
ANSWERED = (
    select(
        _r.tool,
        _d.person,
        _d.verdict,
        _d.arguments.is_not(None),
        _slot,
        _d.at - _r.created_at,
    )
    .select_from(decisions.join(requests, _r.id == _d.request_id))
    .where(_between(decisions), _in_time(_d.at))
    .where(_or_any(_r.tool, "tool"), _or_any(_r.agent, "agent"))
    .where(or_(_whom.is_(None), _d.person == _whom, _r.owner == _whom))
)
_opened = (
    select(_r.tool, _r.agent, _r.status, (_r.created_at // _HOUR).label("hour"))
    .where(_between(requests), _in_time(_r.created_at))
    .where(_or_any(_r.tool, "tool"), _or_any(_r.agent, "agent"))
    .where(or_(_whom.is_(None), _r.owner == _whom, _by_them))
    .subquery("opened")
)
ASKED = select(_opened, func.count()).group_by(*_opened.c)
_refused = (
    select(_k.agent, (_k.created_at // _HOUR).label("hour"))
    .where(_between(calls), _in_time(_k.created_at))
    .where(_k.status == fixed(CallStatus.FAILED), _k.cleared_by == CROWDED)
    .where(_or_any(_k.tool, "tool"), _or_any(_k.agent, "agent"))
    .where(or_(_whom.is_(None), _theirs))
    .subquery("refused")
)
REFUSED = select(_refused, func.count()).group_by(*_refused.c)
NEXT_DECISION, NEXT_REQUEST, NEXT_CALL = _next(decisions), _next(requests), _next(calls)


class StoredInsights:
    """`tx.insights`: the rows of a survey, newest first.

    `limit` rows at a time, from the row `upto` down.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def answered(self, survey: Survey, *, upto: str | None, limit: int) -> RecordRows[DecisionRow]:
        bounds = _bounds(survey, "dec", upto, limit)
        rows, following = self._batch(ANSWERED, NEXT_DECISION, survey, bounds)
        return RecordRows(items=[_ruling(row) for row in rows], next=following)

    def asked(self, survey: Survey, *, upto: str | None, limit: int) -> RecordRows[RequestCount]:
        bounds = _bounds(survey, "req", upto, limit)
        rows, following = self._batch(ASKED, NEXT_REQUEST, survey, bounds)
        return RecordRows(items=[_asked(row) for row in rows], next=following)

    def refused(self, survey: Survey, *, upto: str | None, limit: int) -> RecordRows[Hourly]:
        """Return how many calls of an agent a quota ended in an hour, before people were asked."""
        bounds = _bounds(survey, "call", upto, limit)
        rows, following = self._batch(REFUSED, NEXT_CALL, survey, bounds)
        return RecordRows(items=[_hourly(row) for row in rows], next=following)

    def _batch(
        self, rows: ClauseElement, next_one: ClauseElement, survey: Survey, bounds: Params
    ) -> tuple[Sequence[Row], str | None]:
        found = self._driver.rows(next_one, bounds)
        following = found[0][0] if found else None
        bounds = bounds | {"after": following or bounds["after"]}
        return self._driver.rows(rows, _params(survey) | bounds), following


def _bounds(survey: Survey, prefix: str, upto: str | None, limit: int) -> Params:
    return {
        "after": first_id(prefix, survey.window.start - _SKEW),
        "upto": upto or f"{prefix}_{_LAST}",
        "limit": limit,
    }


def _params(survey: Survey) -> Params:
    window = survey.window
    return {
        "start": micros(window.start),
        "end": micros(window.end),
        "slot": span(window.slot),
        "tool": survey.tool,
        "agent": survey.agent,
        "concerning": survey.concerning,
    }


def _ruling(row: Row) -> DecisionRow:
    tool, person, verdict, edited, slot, wait = row
    # The clocks of two replicas may differ by a little: an answer is never before its question.
    return DecisionRow(
        tool, person, verdict, bool(edited), slot, timedelta(microseconds=max(0, wait))
    )


def _asked(row: Row) -> RequestCount:
    tool, agent, status, hour, count = row
    at = moment(hour * _HOUR)
    return RequestCount(tool=tool, agent=agent, status=RequestStatus(status), hour=at, count=count)


def _hourly(row: Sequence[Any]) -> Hourly:
    agent, hour, count = row
    return Hourly(agent=agent, hour=moment(hour * _HOUR), count=count)
