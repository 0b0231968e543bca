"""The SQL of calls, their revisions and leases."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any, Unpack

from sqlalchemy import (
    BigInteger,
    ClauseElement,
    Integer,
    Update,
    bindparam,
    case,
    func,
    or_,
    select,
    text,
    update,
)

from assent.domain.calls import Author, Call, Frozen, Revision
from assent.domain.lifecycle import TRANSITIONS, CallStatus
from assent.domain.paging import Subject
from assent.ports import CallChanges, Held
from assent.store.conversations import BREAK_TURNS, RENEW_TURN
from assent.store.rows import Driver, Params, Row, dump, maybe_moment, micros, moment, reader, span
from assent.store.statements import ClockNow, LockedId, PerDatabase, fixed
from assent.store.tables import calls, revisions

_k = calls.c
_size = func.length(_k.arguments)


def _arguments(listed: str) -> ClauseElement:
    """Return a statement with one parameter for all ids; text too long for a list is not read."""
    short = case((_size <= bindparam("longest", type_=Integer), _k.arguments))
    return select(_k.id, _k.revision, short, _size).where(_k.id.in_(text(listed)))


ARGUMENTS = PerDatabase(
    sqlite=_arguments("SELECT value FROM json_each(:ids)"),
    postgres=_arguments("SELECT json_array_elements_text(CAST(:ids AS json))"),
)


class StoredSubjects:
    """`tx.subjects`: the arguments that requests are about."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def arguments(self, calls: Iterable[str], *, longest: int) -> dict[str, Subject]:
        """Return the current arguments of calls; only the size of those longer than `longest`."""
        params: Params = {"ids": dump(list(calls)), "longest": longest}
        rows = map(tuple, self._driver.rows(ARGUMENTS, params))
        return {
            id: Subject(revision=revision, arguments=short, size=size)
            for id, revision, short, size in rows
        }


_c = calls.c
# The same text as in the indexes: both databases then see that they fit.
_BY_WORKER = text("NOT by_caller")

CALL = select(calls).where(_c.id == bindparam("id"))
CALLS_OF_CONVERSATION = (
    select(calls)
    .where(_c.conversation_id == bindparam("conversation_id"))
    .order_by(_c.created_at, _c.message_id, _c.position)
)
CALLS_OF_TURN = (
    select(calls)
    .where(_c.turn_id == bindparam("turn_id"))
    .order_by(_c.created_at, _c.message_id, _c.position)
)
CALL_BY_TASK = select(calls).where(_c.task_id == bindparam("task_id"))
CLAIMABLE_CALLS = (
    select(_c.id)
    .where(_c.status == fixed(CallStatus.CLEARED), _BY_WORKER)
    .order_by(_c.created_at)
    .limit(bindparam("limit"))
)
# Approved calls whose caller did not come for them in time.
UNCLAIMED_CALLS = (
    select(calls)
    .where(_c.status == fixed(CallStatus.CLEARED), text("by_caller"), _c.run_by < ClockNow())
    .limit(bindparam("limit"))
)
LOST_CALLS = (
    select(calls)
    .where(_c.status == fixed(CallStatus.RUNNING), _c.lease_until < ClockNow())
    .limit(bindparam("limit"))
)
RENEW_CALL = (
    update(calls)
    .where(
        _c.id == bindparam("call"),
        _c.fence == bindparam("held"),
        _c.worker == bindparam("holder"),
        _c.status == CallStatus.RUNNING,
    )
    .values(lease_until=ClockNow() + bindparam("lease", type_=BigInteger))
    .returning(_c.id, _c.fence)
)
RUN_ON = (
    update(calls)
    .where(
        _c.id == bindparam("call"),
        _c.fence == bindparam("held"),
        _c.worker == bindparam("holder"),
        _c.status == CallStatus.IN_DOUBT,
    )
    .values(lease_until=ClockNow() + bindparam("lease", type_=BigInteger))
)
BREAK_CALLS = (
    update(calls)
    .where(
        _c.worker != bindparam("holder"),
        _c.status == fixed(CallStatus.RUNNING),
        # Callers are no workers: they may well be alive.
        _BY_WORKER,
    )
    .values(lease_until=0)
)
BREAK_DOUBTS = (
    update(calls)
    .where(
        _c.worker != bindparam("holder"),
        _c.status == fixed(CallStatus.IN_DOUBT),
        _c.lease_until > 0,
    )
    .values(lease_until=0)
)
REVISIONS = (
    select(revisions)
    .where(revisions.c.call_id == bindparam("call_id"))
    .order_by(revisions.c.revision)
)

# Lengths, not times: they count from the database's clock at the moment of the change.
_FROM_NOW = frozenset({"lease_until", "run_by"})


# Cached: the compiled form of a statement is found by the identity of its object.
@cache
def _move(changed: tuple[str, ...], lost: bool, in_time: bool) -> Update:
    guards = [
        _c.id == bindparam("call"),
        _c.status == bindparam("is_status"),
        _c.revision == bindparam("is_revision"),
        _c.fence == bindparam("is_fence"),
    ]
    if lost:
        guards.append(_c.lease_until < ClockNow())
    if in_time:
        guards[0] = _c.id == LockedId(calls, "call")
        guards.append(or_(_c.run_by.is_(None), _c.run_by > ClockNow()))
    values = {name: _value(name) for name in changed}
    return update(calls).where(*guards).values(values).returning(_c.id)


def _value(name: str) -> Any:
    if name in _FROM_NOW:
        return ClockNow() + bindparam(f"to_{name}", type_=BigInteger)
    return bindparam(f"to_{name}", type_=_c[name].type)


class StoredCalls:
    """`tx.calls`: the calls and revisions tables."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, calls: Sequence[Call]) -> None:
        self._driver.leaves_work |= any(
            call.status is CallStatus.CLEARED and not call.by_caller for call in calls
        )
        self._driver.insert(_c.id.table, [_call_params(call) for call in calls])

    def get(self, id: str) -> Call | None:
        return self._one(CALL, id=id)

    def of_conversation(self, conversation_id: str) -> list[Call]:
        rows = self._driver.rows(CALLS_OF_CONVERSATION, {"conversation_id": conversation_id})
        return [call_of(row) for row in rows]

    def of_turn(self, turn_id: str) -> list[Call]:
        return [call_of(row) for row in self._driver.rows(CALLS_OF_TURN, {"turn_id": turn_id})]

    def by_task(self, task_id: str) -> Call | None:
        return self._one(CALL_BY_TASK, task_id=task_id)

    def move(
        self,
        call: Call,
        target: CallStatus,
        *,
        lost: bool = False,
        in_time: bool = False,
        via: CallStatus | None = None,
        **changes: Unpack[CallChanges],
    ) -> bool:
        """Make one guarded change: status, revision and fence must be what `call` says.

        By the database's clock: `lost` wants the lease over, `in_time` wants `run_by` ahead. Two
        transitions in one change pass `via` the status between them.
        """
        for source, next_one in pairwise(filter(None, (call.status, via, target))):
            if next_one not in TRANSITIONS[source]:
                raise AssertionError(f"no transition from {source} to {next_one}")
        names = tuple(sorted((*changes, "status")))
        params: Params = {f"to_{name}": _stored(value) for name, value in changes.items()}
        params |= {
            "to_status": target,
            "call": call.id,
            "is_status": call.status,
            "is_revision": call.revision,
            "is_fence": call.fence,
        }
        self._driver.leaves_work |= target is CallStatus.CLEARED and not call.by_caller
        return self._driver.expect(call.id, _move(names, lost, in_time), params)

    def revise(self, revision: Revision) -> None:
        row: Params = {
            "call_id": revision.call_id,
            "revision": revision.revision,
            "arguments": revision.arguments.text,
            "arguments_digest": revision.arguments.digest,
            "author": revision.author,
            "by": revision.by,
            "at": micros(revision.at),
        }
        self._driver.insert(revisions, [row])

    def revisions(self, call_id: str) -> list[Revision]:
        return [_revision(row) for row in self._driver.rows(REVISIONS, {"call_id": call_id})]

    def claimable(self, limit: int) -> list[str]:
        """Return cleared calls that no worker has claimed, oldest first."""
        return [row[0] for row in self._driver.rows(CLAIMABLE_CALLS, {"limit": limit})]

    def unclaimed(self, limit: int) -> list[Call]:
        """Return approved calls that their callers did not claim in time."""
        return [call_of(row) for row in self._driver.rows(UNCLAIMED_CALLS, {"limit": limit})]

    def lost(self, limit: int) -> list[Call]:
        """Return running calls whose lease ran out."""
        return [call_of(row) for row in self._driver.rows(LOST_CALLS, {"limit": limit})]

    def _one(self, statement: ClauseElement, **params: object) -> Call | None:
        found = self._driver.rows(statement, params)
        return call_of(found[0]) if found else None


class StoredLeases:
    """`tx.leases`: the leases of a living worker."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def renew(
        self,
        worker: str,
        lease: timedelta,
        *,
        calls: frozenset[Held],
        turns: frozenset[str],
    ) -> frozenset[Held]:
        """Extend the leases that this worker says it works on; returns the calls it still holds.

        Never by its name alone: a row whose task died would be kept alive for ever.
        """
        params: Params = {"holder": worker, "lease": span(lease)}
        # Sorted: two heartbeats, or a heartbeat and a stop, lock rows in one order.
        renewed = [
            row
            for id, fence in sorted(calls)
            for row in self._driver.rows(RENEW_CALL, {**params, "call": id, "held": fence})
        ]
        for id in sorted(turns):
            self._driver.rows(RENEW_TURN, {**params, "turn": id})
        return frozenset((id, fence) for id, fence in renewed)

    def run_on(self, worker: str, lease: timedelta, *, calls: frozenset[Held]) -> None:
        """Mark calls in doubt as still running here, for the length of a lease."""
        params: Params = {"holder": worker, "lease": span(lease)}
        for id, fence in sorted(calls):
            self._driver.rows(RUN_ON, {**params, "call": id, "held": fence})

    def break_others(self, worker: str) -> None:
        """End all leases of other workers; only under a lock that keeps other workers away."""
        self._driver.rows(BREAK_CALLS, {"holder": worker})
        self._driver.rows(BREAK_DOUBTS, {"holder": worker})
        self._driver.rows(BREAK_TURNS, {"holder": worker})


def _stored(value: object) -> object:
    if isinstance(value, timedelta):
        return span(value)
    return micros(value) if isinstance(value, datetime) else value


def _call_params(call: Call) -> Params:
    return {
        "id": call.id,
        "conversation_id": call.conversation_id,
        "turn_id": call.turn_id,
        "message_id": call.message_id,
        "position": call.position,
        "provider_id": call.provider_id,
        "agent": call.agent,
        "tool": call.tool,
        "source": call.source,
        "risk": call.risk,
        "definition_hash": call.definition_hash,
        "status": call.status,
        "revision": call.revision,
        "arguments": call.arguments.text,
        "arguments_digest": call.arguments.digest,
        "proposed": call.proposed,
        "cleared_by": call.cleared_by,
        "approved": call.approved,
        "policy_version": call.policy_version,
        "turn_number": call.turn_number,
        "step": call.step,
        "run_by": micros(call.run_by),
        "fence": call.fence,
        "attempts": call.attempts,
        "worker": call.worker,
        "lease_until": micros(call.lease_until),
        "task_id": call.task_id,
        "metadata": call.metadata,
        "supplied": call.supplied,
        "output": call.output,
        "note": call.note,
        "created_at": micros(call.created_at),
        "settled_at": micros(call.settled_at),
        "outside": call.outside,
        "by_caller": call.by_caller,
    }


_read_call = reader(calls)


def call_of(row: Row) -> Call:
    """Return a call from a row of all its table's columns."""
    got = _read_call(row)
    got["arguments"] = Frozen(got["arguments"], got.pop("arguments_digest"))
    got["status"] = CallStatus(got["status"])
    for name in ("approved", "outside", "by_caller"):
        got[name] = bool(got[name])
    got["created_at"] = moment(got["created_at"])
    for name in ("run_by", "lease_until", "settled_at"):
        got[name] = maybe_moment(got[name])
    return Call(**got)


def _revision(row: Row) -> Revision:
    call_id, number, text, digest, author, by, at = row
    frozen = Frozen(text, digest)
    return Revision(
        call_id=call_id,
        revision=number,
        arguments=frozen,
        author=Author(author),
        by=by,
        at=moment(at),
    )
