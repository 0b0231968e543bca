"""The SQL of chat accounts, link codes, threads and notification settings."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Text, bindparam, delete, exists, insert, or_, select, update

from assent.domain.chats import ChatAccount, ChatThread, LinkCode, ThreadState
from assent.domain.conversations import Role
from assent.domain.lifecycle import TurnStatus
from assent.domain.notifications import NotificationSettings
from assent.domain.people import Account
from assent.store.channel_tables import (
    chat_accounts,
    chat_threads,
    link_codes,
    notification_settings,
)
from assent.store.people import account_of
from assent.store.rows import Driver, Params, Row, dump, load, micros, moment, reader
from assent.store.statements import ClockNow, Holds, fixed
from assent.store.tables import messages, people, turns

_a, _l, _t, _n = chat_accounts.c, link_codes.c, chat_threads.c, notification_settings.c
_here = (_a.channel == bindparam("channel"), _a.chat_id == bindparam("chat_id"))
ACCOUNT = select(chat_accounts).where(*_here)
ACCOUNTS_OF = (
    select(chat_accounts)
    .where(_a.person == bindparam("person"))
    .order_by(_a.channel, _a.linked_at, _a.chat_id)
)
UNLINK = delete(chat_accounts).where(*_here).returning(_a.person)
_usable = (_l.hash == bindparam("code"), _l.used_at.is_(None), _l.expires_at > ClockNow())
FIND_CODE = select(link_codes).where(*_usable)
USE_CODE = update(link_codes).where(*_usable).values(used_at=ClockNow()).returning(link_codes)
# Made by the same side for the same channel, and not used.
WITHDRAW_CODES = delete(link_codes).where(
    _l.channel == bindparam("channel"),
    _l.used_at.is_(None),
    or_(
        _l.person == bindparam("person", type_=Text()),
        _l.chat_id == bindparam("chat_id", type_=Text()),
    ),
)
PURGE_CODES = delete(link_codes).where(_l.expires_at < bindparam("before"))
THREAD = select(_t.conversation_id).where(
    _t.channel == bindparam("channel"), _t.address == bindparam("address")
)
ADDRESS = select(_t.address).where(
    _t.channel == bindparam("channel"), _t.conversation_id == bindparam("conversation_id")
)
_there = (_t.channel == bindparam("channel"), _t.address == bindparam("address"))
_newest = (
    select(turns.c.id)
    .where(turns.c.conversation_id == _t.conversation_id)
    .order_by(turns.c.number.desc())
    .limit(1)
    .scalar_subquery()
)
_state_columns = (_t.channel, _t.address, _t.conversation_id, _t.told, _t.growing)
STATE = select(*_state_columns, _newest).where(*_there)
AT_WORK = (
    select(*_state_columns, turns.c.id)
    .join(turns, turns.c.conversation_id == _t.conversation_id)
    .where(
        _t.channel == bindparam("channel"),
        or_(turns.c.status == fixed(TurnStatus.READY), turns.c.status == fixed(TurnStatus.RUNNING)),
    )
)
UNTOLD = select(*_state_columns, _newest).where(
    _t.channel == bindparam("channel"),
    exists().where(
        messages.c.conversation_id == _t.conversation_id,
        messages.c.position > _t.told,
        messages.c.role == fixed(Role.ASSISTANT),
    ),
)
SHOW = (
    update(chat_threads)
    .where(*_there)
    .values(told=bindparam("to_told"), growing=bindparam("to_growing", type_=Text()))
)
SETTINGS = select(_n.settings).where(_n.person == bindparam("person"))
DROP_SETTINGS = delete(notification_settings).where(_n.person == bindparam("person"))
SET_SETTINGS = insert(notification_settings).values(
    person=bindparam("person"), settings=bindparam("settings"), at=ClockNow()
)
# Roles are stored as JSON: people who surely have none of these are left out here, the rest are
# checked when they are read.
_linked = (
    select(chat_accounts, people)
    .join(people, people.c.id == _a.person)
    .where(_a.channel == bindparam("channel"))
)
LINKED_PERSON = _linked.where(_a.person == bindparam("person"))
LINKED_ROLE = _linked.where(Holds(people.c.roles, bindparam("role")))
_width = len(chat_accounts.columns)


class StoredChats:
    """`tx.chats`: accounts of chats, codes that link them, and threads."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def account(self, channel: str, chat_id: str) -> ChatAccount | None:
        found = self._driver.rows(ACCOUNT, {"channel": channel, "chat_id": chat_id})
        return _account(found[0]) if found else None

    def accounts_of(self, person: str) -> list[ChatAccount]:
        return [_account(row) for row in self._driver.rows(ACCOUNTS_OF, {"person": person})]

    def link(self, account: ChatAccount) -> None:
        row: Params = {
            "channel": account.channel,
            "chat_id": account.chat_id,
            "person": account.person,
            "name": account.name,
            "linked_at": micros(account.linked_at),
        }
        self._driver.insert(chat_accounts, [row])

    def unlink(self, channel: str, chat_id: str) -> str | None:
        """Remove an account of a chat; returns the person that it belonged to."""
        found = self._driver.rows(UNLINK, {"channel": channel, "chat_id": chat_id})
        return found[0][0] if found else None

    def linked(
        self, channel: str, *, people: Iterable[str], roles: Iterable[str]
    ) -> list[tuple[ChatAccount, Account]]:
        """Return linked accounts of these people, and of people who may have one of these roles."""
        rows = list[Row]()
        for person in people:
            rows += self._driver.rows(LINKED_PERSON, {"channel": channel, "person": person})
        for role in roles:
            params: Params = {"channel": channel, "role": dump(role)}
            rows += self._driver.rows(LINKED_ROLE, params)
        found = {tuple(row[:2]): tuple(row) for row in rows}
        return [(_account(row[:_width]), account_of(row[_width:])) for row in found.values()]

    def add_code(self, hashed: str, code: LinkCode) -> None:
        """Store a code in place of earlier ones of the same side, so that asking adds no rows."""
        side: Params = {"channel": code.channel, "person": code.person, "chat_id": code.chat_id}
        self._driver.rows(WITHDRAW_CODES, side)
        row: Params = {
            "hash": hashed,
            "channel": code.channel,
            "person": code.person,
            "chat_id": code.chat_id,
            "chat_name": code.chat_name,
            "expires_at": micros(code.expires_at),
            "used_at": None,
        }
        self._driver.insert(link_codes, [row])

    def code(self, hashed: str) -> LinkCode | None:
        """Return a code that is valid, without using it up."""
        found = self._driver.rows(FIND_CODE, {"code": hashed})
        return _code(found[0]) if found else None

    def use_code(self, hashed: str) -> LinkCode | None:
        """Use a code up, if it is there and valid; of two who use it at once, one gets it."""
        found = self._driver.rows(USE_CODE, {"code": hashed})
        return _code(found[0]) if found else None

    def purge_codes(self, before: datetime) -> None:
        self._driver.rows(PURGE_CODES, {"before": micros(before)})

    def begin(self, thread: ChatThread, conversation_id: str) -> None:
        row: Params = {
            "channel": thread.channel,
            "address": thread.address,
            "conversation_id": conversation_id,
            "told": 0,
            "growing": None,
            "created_at": self._driver.clock(),
        }
        self._driver.insert(chat_threads, [row])

    def at_work(self, channel: str) -> list[ThreadState]:
        """Return the threads in which a turn runs or is about to."""
        return [_state(row) for row in self._driver.rows(AT_WORK, {"channel": channel})]

    def untold(self, channel: str) -> list[ThreadState]:
        """Return the threads that do not show all of their conversation's answers."""
        return [_state(row) for row in self._driver.rows(UNTOLD, {"channel": channel})]

    def state(self, thread: ChatThread) -> ThreadState | None:
        params: Params = {"channel": thread.channel, "address": thread.address}
        found = self._driver.rows(STATE, params)
        return _state(found[0]) if found else None

    def show(self, thread: ChatThread, *, told: int, growing: str | None) -> None:
        """Record how far a thread shows its conversation."""
        params: Params = {
            "channel": thread.channel,
            "address": thread.address,
            "to_told": told,
            "to_growing": growing,
        }
        self._driver.rows(SHOW, params)

    def conversation_in(self, thread: ChatThread) -> str | None:
        """Return the conversation that is held in a thread."""
        params: Params = {"channel": thread.channel, "address": thread.address}
        found = self._driver.rows(THREAD, params)
        return found[0][0] if found else None

    def thread_of(self, channel: str, conversation_id: str) -> str | None:
        """Return the address of the thread in which a conversation is held."""
        params: Params = {"channel": channel, "conversation_id": conversation_id}
        found = self._driver.rows(ADDRESS, params)
        return found[0][0] if found else None

    def settings(self, person: str) -> NotificationSettings:
        found = self._driver.rows(SETTINGS, {"person": person})
        if not found:
            return NotificationSettings()
        return NotificationSettings.from_json(load(found[0][0]))

    def set_settings(self, person: str, settings: NotificationSettings) -> None:
        self._driver.rows(DROP_SETTINGS, {"person": person})
        params: Params = {"person": person, "settings": dump(settings.to_json())}
        self._driver.rows(SET_SETTINGS, params)


def _state(row: Row) -> ThreadState:
    channel, address, conversation_id, told, growing, turn_id = row
    return ThreadState(
        channel=channel,
        address=address,
        conversation_id=conversation_id,
        told=told,
        growing=growing,
        turn_id=turn_id,
    )


_read_account, _read_code = reader(chat_accounts), reader(link_codes)


def _account(row: Row) -> ChatAccount:
    got = _read_account(row)
    got["linked_at"] = moment(got["linked_at"])
    return ChatAccount(**got)


def _code(row: Row) -> LinkCode:
    got = _read_code(row)
    return LinkCode(
        channel=got["channel"],
        person=got["person"],
        chat_id=got["chat_id"],
        chat_name=got["chat_name"],
        expires_at=moment(got["expires_at"]),
    )
