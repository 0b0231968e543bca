"""Accounts, keys and changes of settings, page by page, and who may manage them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from assent.domain.credentials import Key
from assent.domain.events import Entry
from assent.domain.parameters import instance
from assent.domain.people import ADMIN, SYSTEM_ROLE, Account, Person, PersonKind
from assent.engine.kernel import Kernel
from assent.errors import NotAllowed
from assent.ports import Tx


def manages(by: Person) -> bool:
    """Return True for admins and for the system, which has the database and its key."""
    return by.kind is not PersonKind.AGENT and not by.roles.isdisjoint({ADMIN, SYSTEM_ROLE})


def want_manager(by: Person, action: str) -> None:
    """Raise unless this person manages; an id has no roles, so only a `Person` can."""
    instance(Person, "a Person who manages").taken(f"To {action}", "by", by)
    if not manages(by):
        raise NotAllowed(by.id, action)


CHANGES: Final = 50
_ABOUT_PEOPLE: Final = (
    "add_person",
    "change_person",
    "link_person",
    "issue_key",
    "revoke_key",
    "issue_link",
    "link_chat",
    "unlink_chat",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplePage:
    """Some accounts, ordered by id, and where the next page begins if there is one."""

    items: tuple[Account, ...]
    last_seen: Mapping[str, datetime]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysPage:
    """Some keys, newest first, and where the next page begins if there is one."""

    items: tuple[Key, ...]
    next: str | None


class Directory:
    """Reads only; changes are made by `People` and `Overrides`."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def people(self, *, by: Person, piece: str, after: str, limit: int) -> PeoplePage:
        """Return accounts with this text in their id or name, and when they were last seen."""
        want_manager(by, "list people")

        def read(tx: Tx) -> PeoplePage:
            found = tx.directory.people(piece, after=after, limit=limit + 1)
            items = tuple(found[:limit])
            return PeoplePage(
                items=items,
                last_seen=tx.directory.last_seen([each.id for each in items]),
                next=items[-1].id if len(found) > limit else None,
            )

        return await self._kernel.store.run(read)

    async def last_seen(self, person: str, *, by: Person) -> datetime | None:
        """Return when a person's session or key was last used."""
        want_manager(by, "see when others were here")
        found = await self._kernel.store.run(lambda tx: tx.directory.last_seen([person]))
        return found.get(person)

    async def keys(self, person: str | None, *, by: Person, after: str, limit: int) -> KeysPage:
        """Return the keys of one person, or of all; an admin may read any, others their own."""
        if person != by.id:
            want_manager(by, "list API keys of others")
        found = await self._kernel.store.run(
            lambda tx: tx.directory.keys(person, after=after, limit=limit + 1)
        )
        items = tuple(found[:limit])
        return KeysPage(items=items, next=items[-1].id if len(found) > limit else None)

    async def overrides_of(self, tool: str) -> list[Entry]:
        """Return the changes of a tool's overrides, newest first."""
        return await self._kernel.store.run(
            lambda tx: tx.directory.changes(("override",), ("tool", tool), limit=CHANGES)
        )

    async def changes_of(self, person: str, *, by: Person) -> list[Entry]:
        """Return the changes of a person and their credentials, newest first."""
        want_manager(by, "see changes of others")
        return await self._kernel.store.run(
            lambda tx: tx.directory.changes(_ABOUT_PEOPLE, ("person", person), limit=CHANGES)
        )
