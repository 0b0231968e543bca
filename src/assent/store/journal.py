"""Audit entries and events: collected while a transaction runs, written together at its end."""

from typing import Any

from sqlalchemy import bindparam, delete, func, select

from assent.domain.events import Entry, Event, EventKind, Fact
from assent.store.rows import Driver, Params, Row, dump, load, micros, moment, reader
from assent.store.statements import fixed
from assent.store.tables import audit, events

ENTRIES_OF_CALL = (
    select(audit).where(audit.c.call_id == bindparam("call_id")).order_by(audit.c.at, audit.c.id)
)
ENTRIES_OF_CONVERSATION = (
    select(audit)
    .where(audit.c.conversation_id == bindparam("conversation_id"))
    .order_by(audit.c.at, audit.c.id)
)
ENTRIES = select(audit).order_by(audit.c.at, audit.c.id)
_e = events.c
EVENTS = (
    select(_e.turn_id, _e.seq, _e.kind, _e.data, _e.at)
    .where(events.c.turn_id == bindparam("turn_id"), events.c.seq > bindparam("after"))
    .order_by(events.c.seq)
    .limit(bindparam("limit"))
)
LAST = select(func.coalesce(func.max(_e.seq), 0)).where(_e.turn_id == bindparam("turn_id"))
_other = events.alias("other")
_reset = (
    select(func.max(_other.c.seq))
    .where(_other.c.turn_id == bindparam("turn_id"), _other.c.kind == fixed(EventKind.RESET))
    .scalar_subquery()
)
# An answer with calls is stored whole: no reset takes it back.
_recorded = (
    select(func.coalesce(func.max(_other.c.seq), 0))
    .where(
        _other.c.turn_id == bindparam("turn_id"),
        _other.c.kind == fixed(EventKind.PROPOSED),
        _other.c.seq < _reset,
    )
    .scalar_subquery()
)
DROP_ABANDONED = delete(events).where(
    _e.turn_id == bindparam("turn_id"),
    _e.kind.in_([fixed(EventKind.TEXT), fixed(EventKind.REASONING)]),
    _e.seq < _reset,
    _e.seq > _recorded,
)


class StoredJournal:
    """`tx.journal`: audit entries and events, committed with the transaction."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._entries: list[Entry] = []
        self._facts: dict[str, list[Fact]] = {}

    def note(self, entry: Entry) -> None:
        self._entries.append(entry)

    def tell(self, turn_id: str, *facts: Fact) -> None:
        self._facts.setdefault(turn_id, []).extend(facts)

    def flush(self, at: int) -> frozenset[str]:
        """Write what was collected; returns the turns that have something new."""
        if self._entries:
            self._driver.insert(audit, [_entry_params(entry) for entry in self._entries])
        rows: list[Params] = [
            {"turn_id": turn_id, "kind": str(fact.kind), "data": dump(fact.data), "at": at}
            for turn_id, facts in self._facts.items()
            for fact in facts
        ]
        if rows:
            self._driver.insert(events, rows)
        for turn_id, facts in self._facts.items():
            if any(fact.kind is EventKind.RESET for fact in facts):
                # After the insert: the newest number must not be freed, since a follower waits
                # behind it.
                self._driver.rows(DROP_ABANDONED, {"turn_id": turn_id})
        return frozenset(self._facts)

    def events(self, turn_id: str, after: int, limit: int) -> list[Event]:
        params: Params = {"turn_id": turn_id, "after": after, "limit": limit}
        return [_event(row) for row in self._driver.rows(EVENTS, params)]

    def last(self, turn_id: str) -> int:
        """Return the number of a turn's newest event; 0 if it has none."""
        return self._driver.rows(LAST, {"turn_id": turn_id})[0][0]

    def entries(
        self, *, conversation_id: str | None = None, call_id: str | None = None
    ) -> list[Entry]:
        if call_id is not None:
            rows = self._driver.rows(ENTRIES_OF_CALL, {"call_id": call_id})
        elif conversation_id is not None:
            rows = self._driver.rows(ENTRIES_OF_CONVERSATION, {"conversation_id": conversation_id})
        else:
            rows = self._driver.rows(ENTRIES, {})
        # With those of this transaction, which are written when it ends.
        noted = (
            each
            for each in self._entries
            if (call_id is not None and each.call_id == call_id)
            or (call_id is None and conversation_id in (None, each.conversation_id))
        )
        return [*(entry_of(row) for row in rows), *noted]


def _entry_params(entry: Entry) -> Params:
    return {
        "id": entry.id,
        "at": micros(entry.at),
        "action": entry.action,
        "actor": entry.actor,
        "channel": entry.channel,
        "conversation_id": entry.conversation_id,
        "call_id": entry.call_id,
        "request_id": entry.request_id,
        # Plain text: encoding an enumeration takes several times as long.
        "source": None if entry.source is None else str(entry.source),
        "target": None if entry.target is None else str(entry.target),
        "data": dump(entry.data),
    }


_read_entry = reader(audit)


def entry_of(row: Row) -> Entry:
    """Return an entry from a row of all its table's columns."""
    got = _read_entry(row)
    got["at"] = moment(got["at"])
    got["data"] = load(got["data"])
    return Entry(**got)


def _event(row: Row) -> Event:
    turn_id, seq, kind, data, at = row
    payload: dict[str, Any] = load(data)
    return Event(turn_id=turn_id, seq=seq, kind=EventKind(kind), data=payload, at=moment(at))
