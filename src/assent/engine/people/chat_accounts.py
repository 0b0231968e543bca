"""Chat accounts: linked to people here by a code that both sides prove, and unlinked again."""

import hashlib
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from assent.domain.canonical import Json
from assent.domain.chats import ChatAccount, LinkCode
from assent.domain.events import Entry
from assent.domain.identifiers import want_findable, want_keepable
from assent.domain.notifications import NotificationSettings
from assent.domain.people import Person, PersonKind
from assent.engine.kernel import Kernel
from assent.engine.people.directory import manages
from assent.engine.ttl_cache import TtlCache
from assent.errors import LinkRefused, NotAllowed, NotFound, NotLinked
from assent.ports import Tx

# Letters and digits that are not mistaken for each other.
ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_CHARS: Final = 10
CODE_WITHIN: Final = timedelta(minutes=10)
# Wrong codes that one chat account or person may send before it has to wait.
WRONG_CODES: Final = 5
WRONG_SECONDS: Final = 600.0
NAME_CHARS: Final = 100
_KEPT: Final = timedelta(days=1)


class ChatAccounts:
    """Links chat accounts to people. Identity comes from the chat's transport, never from text."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._wrong = TtlCache[int](kernel.clock.monotonic, WRONG_SECONDS)

    async def person_of(self, channel: str, chat_id: str) -> Person:
        """Return the person that a chat account belongs to; raises `NotLinked`.

        A disabled account counts as none.
        """
        want_findable("chat account", chat_id)

        def read(tx: Tx) -> Person | None:
            linked = tx.chats.account(channel, chat_id)
            account = None if linked is None else tx.people.get(linked.person)
            return None if account is None or account.disabled else account.person

        person = await self._kernel.store.run(read)
        if person is None:
            raise NotLinked(channel, chat_id)
        return person

    async def of(self, person: str) -> list[ChatAccount]:
        """Return the chat accounts of a person."""
        want_findable("account", person)
        return await self._kernel.store.run(lambda tx: tx.chats.accounts_of(person))

    # Linking: one side asks for a code, the other side redeems it

    async def code_for_person(self, person: Person, channel: str) -> str:
        """Return a code for a signed-in person to type in the chat."""
        _want_human(person)
        want_keepable("channel's name", channel)
        return await self._issue(channel, person=person.id)

    async def code_for_chat(self, channel: str, chat_id: str, name: str) -> str:
        """Return a code for a chat account, to be entered by the person on the web."""
        want_keepable("chat account's id", chat_id)
        return await self._issue(channel, chat_id=chat_id, chat_name=_name(name))

    async def link_chat(self, code: str, channel: str, chat_id: str, name: str) -> ChatAccount:
        """Link the chat account that sent a person's code; raises `LinkRefused`."""
        want_keepable("chat account's id", chat_id)
        found = await self._redeem(code, f"{channel}:{chat_id}")
        if found.person is None or found.channel != channel:
            raise LinkRefused("This code is not for here: get a new one from your settings page")
        return await self._link(channel, chat_id, name, found.person)

    async def whose_code(self, code: str, person: Person) -> LinkCode:
        """Return whose code a signed-in person entered, to be looked at before it is used.

        Raises `LinkRefused`.
        """
        _want_human(person)
        return _from_chat(
            await self._find(code, person.id, lambda tx, hashed: tx.chats.code(hashed))
        )

    async def link_person(self, code: str, person: Person) -> ChatAccount:
        """Link the chat account whose code a signed-in person entered; raises `LinkRefused`."""
        _want_human(person)
        found = _from_chat(await self._redeem(code, person.id))
        chat_id, name = found.chat_id or "", found.chat_name or ""
        return await self._link(found.channel, chat_id, name, person.id)

    async def welcome(self, person: str, channel: str, chat_id: str, name: str) -> ChatAccount:
        """Link a chat account to the account that was made for it: its transport is the proof."""
        want_keepable("chat account's id", chat_id)
        return await self._link(channel, chat_id, name, person)

    async def unlink(self, channel: str, chat_id: str, *, by: Person) -> None:
        """Unlink a chat account at once: by its owner, or by an admin."""
        want_findable("chat account", chat_id)

        def unlink(tx: Tx) -> None:
            linked = tx.chats.account(channel, chat_id)
            if linked is None or not (linked.person == by.id or manages(by)):
                raise NotFound("chat account", chat_id)
            tx.chats.unlink(channel, chat_id)
            self._note(tx, "unlink_chat", by.id, _facts(linked))

        await self._kernel.store.run(unlink)

    # What people want to hear of

    async def settings(self, person: Person) -> NotificationSettings:
        """Return a person's notification settings."""
        return await self._kernel.store.run(lambda tx: tx.chats.settings(person.id))

    async def change_settings(self, settings: NotificationSettings, *, by: Person) -> None:
        """Replace one's own notification settings; they count for requests from now on."""
        _want_human(by)

        def change(tx: Tx) -> None:
            tx.chats.set_settings(by.id, settings)
            self._note(tx, "set_notifications", by.id, {"settings": settings.to_json()})

        await self._kernel.store.run(change)

    async def _issue(
        self,
        channel: str,
        *,
        person: str | None = None,
        chat_id: str | None = None,
        chat_name: str | None = None,
    ) -> str:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARS))

        def issue(tx: Tx) -> None:
            now = tx.now()
            tx.chats.purge_codes(now - _KEPT)
            made = LinkCode(
                channel=channel,
                person=person,
                chat_id=chat_id,
                chat_name=chat_name,
                expires_at=now + CODE_WITHIN,
            )
            tx.chats.add_code(_hash(code), made)

        await self._kernel.store.run(issue)
        return f"{code[:5]}-{code[5:]}"

    async def _redeem(self, code: str, by: str) -> LinkCode:
        return await self._find(code, by, lambda tx, hashed: tx.chats.use_code(hashed))

    async def _find(
        self, code: str, by: str, find: Callable[[Tx, str], LinkCode | None]
    ) -> LinkCode:
        wrong = self._wrong.get(by) or 0
        if wrong >= WRONG_CODES:
            raise LinkRefused("Too many wrong codes: wait ten minutes, then get a new one")
        # Counted before looking: of many codes at once, no more are looked at, either.
        self._wrong.put(by, wrong + 1)
        found = await self._kernel.store.run(lambda tx: find(tx, _hash(code)))
        if found is None:
            raise LinkRefused("This code is wrong, used or over ten minutes old: get a new one")
        self._wrong.put(by, max(0, (self._wrong.get(by) or 0) - 1))
        return found

    async def _link(self, channel: str, chat_id: str, name: str, person: str) -> ChatAccount:
        def link(tx: Tx) -> ChatAccount:
            account, known = tx.people.get(person), tx.chats.account(channel, chat_id)
            if account is None or account.disabled:
                raise LinkRefused("This account does not exist or is disabled")
            if known is not None:
                if known.person == person:
                    return known
                raise LinkRefused("This chat account is linked to another account: unlink it first")
            made = ChatAccount(
                channel=channel,
                chat_id=chat_id,
                person=person,
                name=_name(name),
                linked_at=tx.now(),
            )
            tx.chats.link(made)
            self._note(tx, "link_chat", person, _facts(made))
            return made

        return await self._kernel.store.run(link)

    def _note(self, tx: Tx, action: str, by: str, data: dict[str, Json]) -> None:
        entry = Entry(id=self._kernel.ids("aud"), action=action, actor=by, data=data, at=tx.now())
        tx.journal.note(entry)


def _want_human(person: Person) -> None:
    if person.kind is not PersonKind.HUMAN:
        raise NotAllowed(person.id, "link chat accounts")


def _from_chat(found: LinkCode) -> LinkCode:
    if found.chat_id is None:
        raise LinkRefused("This code is to be typed in the chat, not here")
    return found


def _hash(code: str) -> str:
    # People type it: in lower case, with or without the dash.
    plain = "".join(code.upper().replace("-", "").split())
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()


def _name(name: str) -> str:
    """Return what a chat calls an account, short and storable."""
    return "".join(c for c in name if c.isprintable())[:NAME_CHARS]


def _facts(account: ChatAccount) -> dict[str, Json]:
    return {"channel": account.channel, "chat_id": account.chat_id, "person": account.person}
