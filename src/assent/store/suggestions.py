"""The SQL of suggestions: the newest successful calls, and fields that get no more of them."""

import json
from collections.abc import Iterable

from sqlalchemy import bindparam, case, delete, func, null, select

from assent.domain.lifecycle import CallStatus
from assent.domain.suggestions import LastCall, Unsuggested
from assent.store.preference_tables import last_calls, unsuggested
from assent.store.rows import Driver, Params, Row, dump, micros, moment
from assent.store.statements import fixed
from assent.store.tables import calls, conversations, messages

# Longer arguments are not read to suggest something.
LONGEST = 64_000
TITLE_CHARS = 80
_l, _c, _o, _m, _u = last_calls.c, calls.c, conversations.c, messages.c, unsuggested.c

FORGET_LAST = delete(last_calls).where(
    _l.person == bindparam("person"),
    _l.scope == bindparam("scope"),
    _l.conversation_id == bindparam("conversation_id"),
)
_short = case((func.length(_c.arguments) <= LONGEST, _c.arguments), else_=null())
# The owner is compared once more: a row that says otherwise suggests nothing.
NEWEST = (
    select(_l.call_id, _c.tool, _l.conversation_id, _l.names, _short, _l.at)
    .select_from(
        last_calls.join(calls, _c.id == _l.call_id).join(conversations, _o.id == _c.conversation_id)
    )
    .where(_l.person == bindparam("person"), _l.scope == bindparam("scope"))
    .where(_o.owner == _l.person, _c.status == fixed(CallStatus.SUCCEEDED))
    .order_by(_l.at.desc())
    .limit(1)
)
NEWEST_IN_CONVERSATION = NEWEST.where(_l.conversation_id == bindparam("conversation_id"))
OPENING = (
    select(func.substr(_m.text, 1, TITLE_CHARS))
    .where(_m.conversation_id == bindparam("conversation_id"))
    .order_by(_m.position)
    .limit(1)
)
_own = _u.person == bindparam("person")
UNSUGGESTED = select(unsuggested).where(_own).order_by(_u.scope, _u.name)
UNSUGGESTED_OF = select(_u.name).where(_own, _u.scope == bindparam("scope"))
_ONE = (_own, _u.scope == bindparam("scope"), _u.name == bindparam("name"))
STOPPED = select(_u.id).where(*_ONE)
AGAIN = delete(unsuggested).where(_own, _u.id == bindparam("id")).returning(_u.scope, _u.name)


class StoredSuggestions:
    """`tx.suggestions`: where they are looked up, and which a person does not want."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def remember(
        self, person: str, scope: str, conversation_id: str, call_id: str, names: Iterable[str]
    ) -> None:
        """Note the call that succeeded last; `names` are the fields that it may suggest."""
        key: Params = {"person": person, "scope": scope, "conversation_id": conversation_id}
        self._driver.rows(FORGET_LAST, key)
        rest: Params = {
            "call_id": call_id,
            "names": dump(sorted(names)),
            "at": self._driver.clock(),
        }
        self._driver.insert(last_calls, [key | rest])

    def newest(
        self, person: str, scope: str, conversation_id: str | None = None
    ) -> LastCall | None:
        """Return the newest successful call of a person: in one conversation, or in all."""
        params: Params = {"person": person, "scope": scope}
        if conversation_id is None:
            rows = self._driver.rows(NEWEST, params)
        else:
            params["conversation_id"] = conversation_id
            rows = self._driver.rows(NEWEST_IN_CONVERSATION, params)
        return _last_call(rows[0]) if rows else None

    def title(self, conversation_id: str) -> str:
        """Return the first words of a conversation; empty if it has none."""
        rows = self._driver.rows(OPENING, {"conversation_id": conversation_id})
        return " ".join(rows[0][0].split()) if rows else ""

    def unwanted(self, person: str, scope: str) -> frozenset[str]:
        """Return the fields that this person wants no suggestions for."""
        rows = self._driver.rows(UNSUGGESTED_OF, {"person": person, "scope": scope})
        return frozenset(row[0] for row in rows)

    def stopped(self, person: str) -> list[Unsuggested]:
        rows = self._driver.rows(UNSUGGESTED, {"person": person})
        return [
            Unsuggested(id=row[0], person=row[1], scope=row[2], name=row[3], at=moment(row[4]))
            for row in rows
        ]

    def stop(self, refusal: Unsuggested) -> bool:
        """Suggest nothing more for a field; returns False if that was so already."""
        key: Params = {"person": refusal.person, "scope": refusal.scope, "name": refusal.name}
        if self._driver.rows(STOPPED, key):
            return False
        self._driver.insert(unsuggested, [key | {"id": refusal.id, "at": micros(refusal.at)}])
        return True

    def again(self, person: str, id: str) -> tuple[str, str] | None:
        """Suggest again; returns the scope and the field, or None if there is none of this id."""
        gone = self._driver.rows(AGAIN, {"person": person, "id": id})
        return (gone[0][0], gone[0][1]) if gone else None


def _last_call(row: Row) -> LastCall:
    return LastCall(
        call_id=row[0],
        tool=row[1],
        conversation_id=row[2],
        names=frozenset(json.loads(row[3])),
        arguments=row[4],
        at=moment(row[5]),
    )
