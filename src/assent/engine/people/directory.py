"""Who is known here and what was changed, page by page, for those who manage."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from assent.domain.credentials import Key
from assent.domain.events import Entry
from assent.domain.people import Account, Person
from assent.engine.kernel import Kernel
from assent.engine.people.authority import want_manager
from assent.ports import Tx

CHANGES: Final = 50
_ABOUT_PEOPLE: Final = (
    "add_person",
    "change_person",
    "link_person",
    "issue_key",
    "revoke_key",
    "issue_link",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplePage:
    """Some accounts by their ids, and where the next page begins if there is one."""

    items: tuple[Account, ...]
    last_seen: Mapping[str, datetime]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysPage:
    """Some keys, newest first, and where the next page begins if there is one."""

    items: tuple[Key, ...]
    next: str | None


class Directory:
    """Reads; changes are made by `People` and `Overrides`."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def people(self, *, by: Person, piece: str, after: str, limit: int) -> PeoplePage:
        """Accounts with this piece in their id or name, and when they were last here."""
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
        """When somebody's session or key was last used."""
        want_manager(by, "see when others were here")
        found = await self._kernel.store.run(lambda tx: tx.directory.last_seen([person]))
        return found.get(person)

    async def keys(self, person: str | None, *, by: Person, after: str, limit: int) -> KeysPage:
        """Keys of one person, or of everybody; one's own without being an admin."""
        if person != by.id:
            want_manager(by, "list API keys of others")
        found = await self._kernel.store.run(
            lambda tx: tx.directory.keys(person, after=after, limit=limit + 1)
        )
        items = tuple(found[:limit])
        return KeysPage(items=items, next=items[-1].id if len(found) > limit else None)

    async def overrides_of(self, tool: str) -> list[Entry]:
        """Who changed how a tool is treated, newest first."""
        return await self._kernel.store.run(
            lambda tx: tx.directory.changes(("override",), ("tool", tool), limit=CHANGES)
        )

    async def changes_of(self, person: str, *, by: Person) -> list[Entry]:
        """What was changed about somebody and their credentials, newest first."""
        want_manager(by, "see changes of others")
        return await self._kernel.store.run(
            lambda tx: tx.directory.changes(_ABOUT_PEOPLE, ("person", person), limit=CHANGES)
        )
