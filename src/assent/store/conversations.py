"""The SQL of conversations, turns and messages."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Unpack, cast

from sqlalchemy import BigInteger, Text, and_, bindparam, or_, select, union_all, update
from sqlalchemy.sql import ClauseElement

from assent.domain.conversations import Conversation, Message, Role, TurnRow
from assent.domain.copies import changed
from assent.domain.lifecycle import TurnStatus
from assent.domain.people import Person, PersonKind
from assent.errors import LeaseLost
from assent.ports import TurnChanges
from assent.store.own_rules import VERSION
from assent.store.rows import (
    Driver,
    Params,
    Row,
    dump,
    load,
    maybe_moment,
    micros,
    moment,
    reader,
    span,
)
from assent.store.statements import ClockNow, fixed
from assent.store.tables import conversations, messages, turns
from assent.store.turn_changes import change_of

_c, _t, _m = conversations.c, turns.c, messages.c

CONVERSATION = select(conversations).where(_c.id == bindparam("id"))
OWNED = (
    select(conversations)
    .where(_c.owner == bindparam("owner"))
    .order_by(_c.created_at.desc(), _c.id.desc())
    .limit(bindparam("limit"))
)

_lease = ClockNow() + bindparam("lease", type_=BigInteger)
_lease_out = and_(_t.status == fixed(TurnStatus.RUNNING), _t.lease_until < ClockNow())
# For one turn: bound, so that PostgreSQL finds it by its id and not in a partial index.
_lapsed = and_(_t.status == TurnStatus.RUNNING, _t.lease_until < ClockNow())
TURN = select(turns).where(_t.id == bindparam("id"))
LOCKED_TURN = TURN.with_for_update()
NEWEST_TURN = (
    select(turns)
    .where(_t.conversation_id == bindparam("conversation_id"))
    .order_by(_t.number.desc())
    .limit(1)
)
# With the version of the owner's rules.
NEWEST_TURN_OF = (
    select(turns, VERSION)
    .where(_t.conversation_id == bindparam("conversation_id"))
    .order_by(_t.number.desc())
    .limit(1)
)
TURN_BY_KEY = select(turns).where(
    _t.owner == bindparam("owner"), _t.idempotency_key == bindparam("key")
)
CLAIM_TURN = (
    update(turns)
    .where(_t.id == bindparam("turn"), or_(_t.status == TurnStatus.READY, _lapsed))
    .values(
        status=TurnStatus.RUNNING,
        fence=_t.fence + 1,
        worker=bindparam("worker"),
        lease_until=_lease,
    )
    .returning(turns)
)
_waking = (
    update(turns)
    .where(_t.id == bindparam("turn"), _t.status == TurnStatus.WAITING)
    .values(
        status=TurnStatus.RUNNING,
        fence=_t.fence + 1,
        worker=bindparam("worker", type_=Text),
        lease_until=_lease,
    )
)
WAKE_TURN = _waking.returning(turns)
WAKE_SEEN = _waking.where(_t.fence == bindparam("seen")).returning(_t.id)
# Two halves, each on a partial index of its own; an OR would read the whole table.
CLAIMABLE_TURNS = union_all(
    select(_t.id).where(_t.status == fixed(TurnStatus.READY)), select(_t.id).where(_lease_out)
).limit(bindparam("limit"))
ROUSE_TURN = (
    update(turns)
    .where(_t.id == bindparam("turn"), _t.status == TurnStatus.WAITING)
    .values(status=TurnStatus.READY)
)
END_TURN = (
    update(turns)
    .where(_t.id == bindparam("turn"), _t.status == TurnStatus.WAITING)
    .values(status=TurnStatus.DONE, ended_at=bindparam("at", type_=BigInteger))
    .returning(_t.id)
)
RELEASE_KEY = (
    update(turns)
    .where(_t.id == bindparam("turn"))
    .values(idempotency_key=bindparam("key", type_=Text))
)
RENEW_TURN = (
    update(turns)
    .where(
        _t.id == bindparam("turn"),
        _t.worker == bindparam("holder"),
        _t.status == TurnStatus.RUNNING,
    )
    .values(lease_until=_lease)
)
BREAK_TURNS = (
    update(turns)
    .where(_t.worker != bindparam("holder"), _t.status == fixed(TurnStatus.RUNNING))
    .values(lease_until=0)
)

MESSAGE = select(messages).where(_m.id == bindparam("id"))
MESSAGES = (
    select(messages).where(_m.conversation_id == bindparam("conversation_id")).order_by(_m.position)
)
SETTLE = (
    update(messages)
    .where(_m.id == bindparam("message"))
    .values(open_calls=_m.open_calls - 1)
    .returning(_m.open_calls)
)
SETTLE_SEEN = SETTLE.where(_m.open_calls == bindparam("seen"))


class StoredConversations:
    """`tx.conversations`: the conversations table."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, conversation: Conversation) -> None:
        owner = conversation.owner
        row: Params = {
            "id": conversation.id,
            "agent": conversation.agent,
            "owner": owner.id,
            "owner_kind": owner.kind,
            "owner_roles": dump(sorted(owner.roles)),
            "owner_behind": owner.behind,
            "created_at": micros(conversation.created_at),
            "decide_within": _maybe_span(conversation.decide_within),
        }
        self._driver.insert(conversations, [row])

    def get(self, id: str) -> Conversation | None:
        found = self._driver.rows(CONVERSATION, {"id": id})
        return conversation_of(found[0]) if found else None

    def of_owner(self, owner: str, *, limit: int) -> list[Conversation]:
        return [
            conversation_of(r) for r in self._driver.rows(OWNED, {"owner": owner, "limit": limit})
        ]


_read_conversation = reader(conversations)


def conversation_of(row: Row) -> Conversation:
    """Return a conversation from a row of all its table's columns."""
    got = _read_conversation(row)
    owner = Person(
        got["owner"],
        roles=_roles(got["owner_roles"]),
        kind=PersonKind(got["owner_kind"]),
        behind=got["owner_behind"],
    )
    within = got["decide_within"]
    return Conversation(
        id=got["id"],
        agent=got["agent"],
        owner=owner,
        created_at=moment(got["created_at"]),
        decide_within=None if within is None else timedelta(microseconds=within),
    )


def _maybe_span(length: timedelta | None) -> int | None:
    return None if length is None else span(length)


@lru_cache
def _roles(stored: str) -> frozenset[str]:
    return frozenset(cast("Any", load(stored)))


class StoredTurns:
    """`tx.turns`: the turns table; at most one active turn per conversation."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(
        self, turn: TurnRow, *, owner: str, key: str | None, body: str | None, lease: timedelta
    ) -> None:
        row: Params = {
            "id": turn.id,
            "conversation_id": turn.conversation_id,
            "number": turn.number,
            "agent": turn.agent,
            "owner": owner,
            "status": turn.status,
            "step": turn.step,
            "fence": turn.fence,
            "worker": turn.worker,
            "lease_until": self._driver.clock() + span(lease),
            "idempotency_key": key,
            "body_digest": body,
            "guarded": turn.guarded,
            "error": turn.error,
            "created_at": micros(turn.created_at),
            "ended_at": micros(turn.ended_at),
            "outside": turn.outside,
        }
        self._driver.leaves_work |= turn.status is TurnStatus.READY
        self._driver.insert(turns, [row])

    def get(self, id: str) -> TurnRow | None:
        return self._one(TURN, id=id)

    def lock(self, id: str) -> TurnRow | None:
        """Read a turn and keep others from changing it until the transaction ends."""
        return self._one(LOCKED_TURN, id=id)

    def newest(self, conversation_id: str) -> TurnRow | None:
        return self._one(NEWEST_TURN, conversation_id=conversation_id)

    def newest_of(self, conversation_id: str, owner: str) -> tuple[TurnRow, int] | None:
        """Return the newest turn with the version of its owner's rules, in one statement."""
        params: Params = {"conversation_id": conversation_id, "owner": owner}
        found = self._driver.rows(NEWEST_TURN_OF, params)
        return (turn_of(tuple(found[0])[:-1]), found[0][-1] or 0) if found else None

    def by_key(self, owner: str, key: str) -> tuple[TurnRow, str | None] | None:
        found = self._driver.rows(TURN_BY_KEY, {"owner": owner, "key": key})
        return (turn_of(found[0]), _read_turn(found[0])["body_digest"]) if found else None

    def release(self, id: str) -> None:
        """Let go of a turn's key: from now on it may stand for another turn."""
        self._driver.rows(RELEASE_KEY, {"turn": id, "key": None})

    def claim(self, id: str, worker: str, lease: timedelta) -> TurnRow | None:
        """Take a turn that is ready, or whose worker's lease ran out."""
        return self._one(CLAIM_TURN, turn=id, worker=worker, lease=span(lease))

    def wake(
        self, id: str, worker: str, lease: timedelta, *, seen: TurnRow | None = None
    ) -> TurnRow | None:
        """Claim a waiting turn without open calls; `seen`, its row as read before, is cheaper."""
        params: Params = {"turn": id, "worker": worker, "lease": span(lease)}
        if seen is None or seen.status is not TurnStatus.WAITING:
            return self._one(WAKE_TURN, **params)
        if not self._driver.expect(id, WAKE_SEEN, params | {"seen": seen.fence}):
            return None
        return changed(seen, status=TurnStatus.RUNNING, fence=seen.fence + 1, worker=worker)

    def rouse(self, id: str) -> None:
        """Make a waiting turn ready, for any worker to claim."""
        self._driver.leaves_work = True
        self._driver.rows(ROUSE_TURN, {"turn": id})

    def end(self, id: str, at: datetime) -> bool:
        """End a waiting turn that no model goes on with; False if it has ended already."""
        return bool(self._driver.rows(END_TURN, {"turn": id, "at": micros(at)}))

    def move(
        self,
        turn: TurnRow,
        target: TurnStatus,
        *,
        sources: frozenset[TurnStatus],
        fenced: bool = True,
        **changes: Unpack[TurnChanges],
    ) -> bool:
        """Make one guarded change of status, by our fence if `fenced`; False if a guard failed."""
        statement, params = change_of(turn, target, sources, changes, fenced=fenced)
        # A worker may run something for a turn that is stopped, and can cancel it.
        self._driver.leaves_work |= target in (TurnStatus.READY, TurnStatus.STOPPED)
        return bool(self._driver.rows(statement, params))

    def hold(
        self,
        turn: TurnRow,
        target: TurnStatus,
        *,
        rules: tuple[str, int] | None = None,
        **changes: Unpack[TurnChanges],
    ) -> None:
        """Change a turn that we hold; if we do not, the transaction ends with `LeaseLost`.

        So it does if the `rules` of this owner are of another version.
        """
        held = frozenset({TurnStatus.RUNNING})
        statement, params = change_of(turn, target, held, changes, fenced=True, rules=rules)
        if not self._driver.expect(turn.id, statement, params):
            raise LeaseLost("turn", turn.id)

    def claimable(self, limit: int) -> list[str]:
        return [row[0] for row in self._driver.rows(CLAIMABLE_TURNS, {"limit": limit})]

    def _one(self, statement: ClauseElement, **params: object) -> TurnRow | None:
        found = self._driver.rows(statement, params)
        return turn_of(found[0]) if found else None


_read_turn = reader(turns)


def turn_of(row: Row) -> TurnRow:
    """Return a turn from a row of all its table's columns."""
    got = _read_turn(row)
    return TurnRow(
        id=got["id"],
        conversation_id=got["conversation_id"],
        number=got["number"],
        agent=got["agent"],
        status=TurnStatus(got["status"]),
        step=got["step"],
        fence=got["fence"],
        worker=got["worker"],
        lease_until=maybe_moment(got["lease_until"]),
        guarded=bool(got["guarded"]),
        error=got["error"],
        created_at=moment(got["created_at"]),
        ended_at=maybe_moment(got["ended_at"]),
        outside=bool(got["outside"]),
    )


class StoredMessages:
    """`tx.messages`: the messages table; append-only, except for the count of open calls."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def append(self, message: Message) -> None:
        row: Params = {
            "id": message.id,
            "conversation_id": message.conversation_id,
            "turn_id": message.turn_id,
            "role": message.role,
            "text": message.text,
            "body": message.body,
            "open_calls": message.open_calls,
            "incomplete": message.incomplete,
            "created_at": micros(message.created_at),
        }
        self._driver.insert(messages, [row])

    def get(self, id: str) -> Message | None:
        found = self._driver.rows(MESSAGE, {"id": id})
        return message_of(found[0]) if found else None

    def of_conversation(self, conversation_id: str) -> list[Message]:
        rows = self._driver.rows(MESSAGES, {"conversation_id": conversation_id})
        return [message_of(row) for row in rows]

    def settle(self, message_id: str, *, seen: int | None = None) -> int:
        """Count one open call less; returns how many are still open.

        `seen` is the count as read before, which makes this cheaper.
        """
        params: Params = {"message": message_id}
        if seen and self._driver.expect(message_id, SETTLE_SEEN, params | {"seen": seen}):
            return seen - 1
        return self._driver.rows(SETTLE, params)[0][0]


_read_message = reader(messages)


def message_of(row: Row) -> Message:
    """Return a message from a row of all its table's columns."""
    got = _read_message(row)
    got["role"] = Role(got["role"])
    got["incomplete"] = bool(got["incomplete"])
    got["created_at"] = moment(got["created_at"])
    return Message(**got)
