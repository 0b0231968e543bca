"""The SQL of earlier decisions about similar calls.

There is no index on tools: only a fixed number of the newest earlier requests is looked at.
"""

from collections.abc import Sequence

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Text,
    bindparam,
    case,
    func,
    null,
    or_,
    select,
    tuple_,
)
from sqlalchemy.sql import ClauseElement

from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.record import Precedent
from assent.domain.requests import Request
from assent.store.rows import Driver, Params, Row, maybe_moment, micros, moment
from assent.store.statements import fixed
from assent.store.tables import calls, requests

LOOKED_AT = 200
LONGEST = 4_000
_DECIDED = (RequestStatus.APPROVED, RequestStatus.REJECTED, RequestStatus.EXPIRED)
_r, _c = requests.c, calls.c


def _precedents(*conditions: ColumnElement[bool]) -> ClauseElement:
    place = tuple_(bindparam("at", type_=BigInteger), bindparam("request", type_=Text))
    newest = (
        select(
            *(_r.id, _r.call_id, _r.owner, _r.status, _r.closed_by, _r.closed_at, _r.created_at),
            *(_r.agent, _r.tool, _r.kind, _r.digest),
        )
        .where(tuple_(_r.created_at, _r.id) < place, *conditions)
        .order_by(_r.created_at.desc(), _r.id.desc())
        .limit(LOOKED_AT)
        .subquery("newest")
    )
    n, viewer = newest.c, bindparam("viewer", type_=Text)
    short = case((func.length(_c.arguments) <= LONGEST, _c.arguments), else_=null())
    return (
        select(
            *(n.id, n.call_id, n.owner, n.status, n.closed_by, n.closed_at, n.created_at),
            *(_c.status, short),
        )
        .select_from(newest.join(calls, _c.id == n.call_id))
        .where(n.agent == bindparam("agent"), n.tool == bindparam("tool"))
        .where(n.kind == RequestKind.APPROVAL, n.status.in_([fixed(each) for each in _DECIDED]))
        # An imported request was decided elsewhere, or never: it has no digest of ours.
        .where(n.digest != "")
        .where(or_(viewer.is_(None), n.owner == viewer, n.closed_by == viewer))
        .order_by(n.created_at.desc(), n.id.desc())
        .limit(bindparam("limit"))
    )


OF_EVERYBODY = _precedents()
OF_OWNER = _precedents(_r.owner == bindparam("owner"))
_before = (
    select(_c.tool, _c.arguments_digest, _c.status)
    .where(_c.conversation_id == bindparam("conversation"), _c.created_at < bindparam("at"))
    .where(_c.id != bindparam("call"))
    .order_by(_c.created_at.desc())
    .limit(LOOKED_AT)
    .subquery("before")
)
REJECTIONS = (
    select(func.count())
    .select_from(_before)
    .where(_before.c.tool == bindparam("tool"))
    .where(_before.c.arguments_digest == bindparam("digest"))
    .where(_before.c.status == CallStatus.REJECTED)
)


class StoredPrecedents:
    """`tx.precedents`: earlier decisions about calls of a tool by an agent, newest first.

    Only the newest requests before this one are looked at. With `viewer`, only those asked on their
    behalf or decided by them.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def of_owner(
        self, request: Request, *, viewer: str | None = None, limit: int
    ) -> list[Precedent]:
        params = _like(request) | {"owner": request.owner, "viewer": viewer, "limit": limit}
        return _found(self._driver.rows(OF_OWNER, params))

    def of_everybody(
        self, request: Request, *, viewer: str | None = None, limit: int
    ) -> list[Precedent]:
        params = _like(request) | {"viewer": viewer, "limit": limit}
        return _found(self._driver.rows(OF_EVERYBODY, params))

    def rejections(self, request: Request, digest: str) -> int:
        """Return how often a call with these arguments was rejected in its conversation before."""
        params: Params = {
            "conversation": request.conversation_id,
            "at": micros(request.created_at),
            "tool": request.tool,
            "digest": digest,
            "call": request.call_id,
        }
        return self._driver.rows(REJECTIONS, params)[0][0]


def _like(request: Request) -> Params:
    return {
        "at": micros(request.created_at),
        "request": request.id,
        "agent": request.agent,
        "tool": request.tool,
    }


def _found(rows: Sequence[Row]) -> list[Precedent]:
    return [
        Precedent(
            request_id=row[0],
            call_id=row[1],
            owner=row[2],
            decided=RequestStatus(row[3]),
            by=row[4],
            at=maybe_moment(row[5]) or moment(row[6]),
            status=CallStatus(row[7]),
            arguments=row[8],
        )
        for row in rows
    ]
