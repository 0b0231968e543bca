"""The SQL of requests and decisions."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from sqlalchemy import Text, Update, bindparam, exists, null, or_, select, update

from assent.domain.calls import Call
from assent.domain.confirmations import Confirmation
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.decisions import Decision, VerdictName
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.paging import audience_keys
from assent.domain.people import Audience
from assent.domain.requests import Question, Request
from assent.domain.tools import Preview, usual_confirmation
from assent.store.calls import call_of
from assent.store.conversations import conversation_of
from assent.store.rows import Driver, Params, Row, dump, load, maybe_moment, micros, moment, reader
from assent.store.statements import ClockNow, LockedId, fixed
from assent.store.tables import calls, conversations, decisions, people, request_audience, requests

_r, _d = requests.c, decisions.c
_open = _r.status == fixed(RequestStatus.OPEN)
# For one request: bound, because a literal would let PostgreSQL look for the id in one of the
# partial indexes, which hold every open request.
_still_open = _r.status == RequestStatus.OPEN

# FOR UPDATE: votes are counted under this lock. SQLite's one writer needs none and renders none.
LOOK = select(requests).where(_r.id == bindparam("id"))
REQUEST = LOOK.with_for_update()
_width = len(requests.columns)
_call_width = len(calls.columns)
CASE = (
    select(requests, calls, conversations)
    .select_from(
        requests.join(calls, calls.c.id == _r.call_id).join(
            conversations, conversations.c.id == calls.c.conversation_id
        )
    )
    # A disabled account decides nothing, even if it was let in a moment ago or by another
    # authority.
    .where(
        _r.id == bindparam("id"),
        ~exists().where(people.c.id == bindparam("by", type_=Text()), people.c.disabled),
    )
)
LOCKED_CASE = CASE.with_for_update(of=requests)
REQUESTS_OF_CALL = (
    select(requests).where(_r.call_id == bindparam("call_id")).order_by(_r.created_at, _r.id)
)
# Through the calls: a turn has few of them, and an index of its own would be written each time.
REQUESTS_OF_TURN = (
    select(requests)
    .join(calls, calls.c.id == _r.call_id)
    .where(calls.c.turn_id == bindparam("turn_id"))
    .order_by(_r.created_at, _r.id)
)
_closing: dict[str, Any] = {
    "status": bindparam("to_status", type_=Text),
    "closed_by": bindparam("by", type_=Text),
    "closed_at": ClockNow(),
    "draft": null(),
}
CLOSE = (
    update(requests)
    .where(_r.id == bindparam("request"), _still_open)
    .values(_closing)
    .returning(_r.id)
)
CLOSE_IN_TIME = (
    update(requests)
    .where(_r.id == LockedId(requests, "request"), _still_open)
    .where(or_(_r.decide_by.is_(None), _r.decide_by > ClockNow()))
    .values(_closing)
    .returning(_r.id)
)
EXPIRE = CLOSE.where(_r.decide_by <= ClockNow())
CLOSE_AUDIENCE = (
    update(request_audience)
    .where(request_audience.c.request_id == bindparam("request"))
    .values(closed_at=ClockNow())
)
VOTE = (
    update(requests)
    .where(_r.id == LockedId(requests, "request"), _still_open)
    .where(or_(_r.decide_by.is_(None), _r.decide_by > ClockNow()))
    # Of two people who vote at once, the second reads the number of votes again.
    .where(_r.votes == bindparam("seen"))
    .values(votes=_r.votes + 1)
    .returning(_r.id)
)
# A draft that another device saved since this one was read must not be lost.
_draft_unchanged = _r.draft.is_not_distinct_from(bindparam("seen_draft", type_=Text))
CLOSE_FORM_IN_TIME = CLOSE_IN_TIME.where(_draft_unchanged)
KEEP_DRAFT = (
    update(requests)
    .where(_r.id == LockedId(requests, "request"), _still_open)
    .where(or_(_r.decide_by.is_(None), _r.decide_by > ClockNow()))
    .where(_draft_unchanged)
    .values(draft=bindparam("to_draft", type_=Text))
    .returning(_r.id)
)
UNSUGGEST = (
    update(requests)
    .where(_r.id == bindparam("request"), _still_open)
    .values(question=bindparam("to_question", type_=Text))
    .returning(_r.id)
)
DUE = (
    select(_r.id)
    .where(_open, _r.decide_by <= ClockNow())
    .order_by(_r.decide_by)
    .limit(bindparam("limit"))
)
DECISIONS = select(decisions).where(_d.request_id == bindparam("request_id")).order_by(_d.at, _d.id)
DECISION_BY_KEY = select(decisions).where(
    _d.person == bindparam("person"), _d.idempotency_key == bindparam("key")
)


class StoredRequests:
    """`tx.requests`: the requests table."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, requests: Sequence[Request]) -> None:
        self._driver.insert(_r.id.table, [_request_params(request) for request in requests])
        # Most questions are put to the owner alone and cost no further row.
        if named := [row for request in requests for row in _audience_params(request)]:
            self._driver.insert(request_audience, named)

    def get(self, id: str) -> Request | None:
        """Read a request and, if the database can, lock it: votes are counted under this lock."""
        found = self._driver.rows(REQUEST, {"id": id})
        return request_of(found[0]) if found else None

    def look(self, id: str) -> Request | None:
        """Read a request without a lock: to show, not to decide."""
        found = self._driver.rows(LOOK, {"id": id})
        return request_of(found[0]) if found else None

    def case(self, id: str, *, by: str | None = None) -> tuple[Request, Call, Conversation] | None:
        """Read a request with its call and conversation; None if `by` is a disabled account."""
        found = self._driver.look(CASE, {"id": id, "by": by}, locking=LOCKED_CASE)
        if not found:
            return None
        row = tuple(found[0])
        split = _width + _call_width
        return request_of(row[:_width]), call_of(row[_width:split]), conversation_of(row[split:])

    def of_call(self, call_id: str) -> list[Request]:
        return [request_of(r) for r in self._driver.rows(REQUESTS_OF_CALL, {"call_id": call_id})]

    def of_turn(self, turn_id: str) -> list[Request]:
        return [request_of(r) for r in self._driver.rows(REQUESTS_OF_TURN, {"turn_id": turn_id})]

    def close(
        self, request: Request, status: RequestStatus, *, by: str, in_time: bool = False
    ) -> bool:
        """Close an open request; `in_time` also wants the database's clock before the deadline."""
        if in_time and request.kind is RequestKind.INPUT:
            return self._close(CLOSE_FORM_IN_TIME, request, status, by)
        return self._close(CLOSE_IN_TIME if in_time else CLOSE, request, status, by)

    def expire(self, request: Request) -> bool:
        """Expire an open request whose deadline has passed by the database's clock."""
        return self._close(EXPIRE, request, RequestStatus.EXPIRED, "deadline")

    def _close(self, statement: Update, request: Request, status: RequestStatus, by: str) -> bool:
        # A request that was closed when it was read stays closed: there is nothing to trust.
        if not request.is_open:
            return False
        params: Params = {"request": request.id, "to_status": status, "by": by}
        if statement is CLOSE_FORM_IN_TIME:
            params["seen_draft"] = request.draft
        closed = self._driver.expect(request.id, statement, params)
        if closed and audience_keys(request.audience):
            self._driver.along(request.id, CLOSE_AUDIENCE, {"request": request.id})
        return closed

    def keep_draft(self, request: Request, draft: str) -> bool:
        """Replace the draft that was read, if the request is open and in time."""
        params: Params = {
            "request": request.id,
            "seen_draft": request.draft,
            "to_draft": draft,
        }
        return self._driver.expect(request.id, KEEP_DRAFT, params)

    def unsuggest(self, request: Request, name: str) -> bool:
        """Take the suggestion for one field out of a locked request, if it is still open."""
        left = {n: each for n, each in request.question.suggestions.items() if n != name}
        question = _question_text(changed(request.question, suggestions=left))
        params: Params = {"request": request.id, "to_question": question}
        return bool(self._driver.rows(UNSUGGEST, params))

    def vote(self, request: Request) -> bool:
        """Count one more approval of a request that needs several, if it is open and in time."""
        params: Params = {"request": request.id, "seen": request.votes}
        return self._driver.expect(request.id, VOTE, params)

    def due(self, limit: int) -> list[str]:
        return [row[0] for row in self._driver.rows(DUE, {"limit": limit})]


def _request_params(request: Request) -> Params:
    return {
        "id": request.id,
        "kind": request.kind,
        "status": request.status,
        "call_id": request.call_id,
        "conversation_id": request.conversation_id,
        "turn_id": request.turn_id,
        "revision": request.revision,
        "owner": request.owner,
        "agent": request.agent,
        "tool": request.tool,
        "risk": request.risk,
        "audience": _audience_text(request.audience),
        "quorum": request.quorum,
        "digest": request.digest,
        "policy_version": request.policy_version,
        "question": _question_text(request.question),
        "draft": request.draft,
        "created_at": micros(request.created_at),
        "decide_by": micros(request.decide_by),
        "closed_at": micros(request.closed_at),
        "closed_by": request.closed_by,
        "owner_behind": request.owner_behind,
        "confirmation": request.confirmation,
    }


def _audience_params(request: Request) -> list[Params]:
    return [
        {
            "request_id": request.id,
            "principal": principal,
            "risk": request.risk,
            "created_at": micros(request.created_at),
            "closed_at": micros(request.closed_at),
        }
        for principal in audience_keys(request.audience)
    ]


_read_request = reader(requests)


def request_of(row: Row) -> Request:
    """Return a request from a row of all its table's columns."""
    got = _read_request(row)
    got["kind"] = RequestKind(got["kind"])
    got["status"] = RequestStatus(got["status"])
    got["audience"] = _audience(got["audience"])
    got["question"] = _question(got["question"])
    got["created_at"] = moment(got["created_at"])
    got["decide_by"] = maybe_moment(got["decide_by"])
    got["closed_at"] = maybe_moment(got["closed_at"])
    # Requests of releases without confirmations have none.
    got["confirmation"] = Confirmation(got["confirmation"] or usual_confirmation(got["risk"]))
    return Request(**got)


# Cached: most requests have one of a few audiences.
@lru_cache
def _audience_text(audience: Audience) -> str:
    return dump(audience.to_json())


@lru_cache
def _audience(stored: str) -> Audience:
    return Audience.from_json(load(stored))


def _question_text(question: Question) -> str:
    preview = question.preview
    return dump(
        {
            "reason": question.reason,
            "text": question.text,
            "preview": None if preview is None else asdict(preview),
            "metadata": question.metadata,
            "form": question.form,
            "prefilled": question.prefilled,
            # Left out if empty, as in most: releases before them read the rest.
            **({"origins": question.origins} if question.origins else {}),
            **({"suggestions": question.suggestions} if question.suggestions else {}),
        }
    )


def _question(stored: str) -> Question:
    got: dict[str, Any] = load(stored)
    preview = got.pop("preview")
    return Question(**got, preview=None if preview is None else Preview(**preview))


class StoredDecisions:
    """`tx.decisions`: the decisions table, with the votes."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, decision: Decision) -> None:
        params: Params = {
            "id": decision.id,
            "request_id": decision.request_id,
            "person": decision.person,
            "channel": decision.channel,
            "verdict": decision.verdict,
            "fingerprint": decision.fingerprint,
            "reason": decision.reason,
            "arguments": decision.arguments,
            "digest": decision.digest,
            "idempotency_key": decision.idempotency_key,
            "at": micros(decision.at),
            "shown": decision.shown,
            "human": decision.human,
        }
        self._driver.insert(decisions, [params])

    def of_request(self, request_id: str) -> list[Decision]:
        return [_decision(r) for r in self._driver.rows(DECISIONS, {"request_id": request_id})]

    def by_key(self, person: str, key: str) -> Decision | None:
        found = self._driver.rows(DECISION_BY_KEY, {"person": person, "key": key})
        return _decision(found[0]) if found else None


_read_decision = reader(decisions)


def _decision(row: Row) -> Decision:
    got = _read_decision(row)
    got["verdict"] = VerdictName(got["verdict"])
    got["at"] = moment(got["at"])
    return Decision(**got)
