"""Reads of the record, of figures and of settings: each method is one transaction."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeVar

from assent.domain.events import Entry
from assent.domain.insights import Insights, Survey
from assent.domain.paging import EntryFilter, Place
from assent.domain.people import Person
from assent.domain.record import CallFilter, PastCall, RecordFilter, Stretch
from assent.engine.kernel import Kernel
from assent.engine.queries import listing
from assent.engine.queries.call_history import Story, read_story
from assent.engine.queries.insights import gather
from assent.engine.queries.listing import Page
from assent.engine.queries.visibility import (
    conversation_of,
    sees_everything,
    sees_request,
)
from assent.errors import NotFound
from assent.ports import Tx

T = TypeVar("T")


class RecordQueries:
    """The audit, past calls, figures and settings."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def _run(self, read: Callable[[Tx], T]) -> T:
        return await self._kernel.store.run(read)

    async def now(self) -> datetime:
        """Return the database's time."""
        return await self._run(lambda tx: tx.now())

    async def ping(self) -> None:
        """Read a row; raises if the database does not answer."""
        await self._run(lambda tx: tx.settings.fact("ready"))

    async def entries(self, wanted: EntryFilter, *, after: Place | None, limit: int) -> Page[Entry]:
        """Return a page of the audit."""
        return await self._run(lambda tx: listing.entries(tx, wanted, after=after, limit=limit))

    async def of_conversation(
        self, person: Person, id: str, *, after: Place | None, limit: int
    ) -> Page[Entry]:
        """Return a page of the audit of a conversation that this person may read."""

        def read(tx: Tx) -> Page[Entry]:
            conversation_of(tx, person, id)
            wanted = EntryFilter(conversation_id=id)
            return listing.entries(tx, wanted, after=after, limit=limit)

        return await self._run(read)

    async def search(
        self, wanted: RecordFilter, *, after: Place | None, limit: int
    ) -> Stretch[Entry]:
        """Return a page of the audit by the filters of its own page."""
        return await self._run(lambda tx: tx.record.entries(wanted, after=after, limit=limit))

    async def past_calls(
        self, person: Person, wanted: CallFilter, *, after: Place | None, limit: int
    ) -> Stretch[PastCall]:
        """Return a page of calls: those of the person's own conversations, or all they may see."""

        def read(tx: Tx) -> Stretch[PastCall]:
            if sees_everything(person):
                return tx.record.calls(wanted, after=after, limit=limit)
            return tx.record.calls_of(person.id, wanted, after=after, limit=limit)

        return await self._run(read)

    async def call_history(self, person: Person, id: str) -> Story:
        """Return everything recorded about a call that this person may see."""

        def read(tx: Tx) -> Story:
            story = read_story(tx, id)
            seen = story.conversation.owner.id == person.id or sees_everything(person)
            if not (seen or any(sees_request(person, each) for each in story.requests)):
                raise NotFound("call", id)
            return story

        return await self._run(read)

    async def insights(self, survey: Survey) -> Insights:
        """Count the figures of a survey, a batch of rows at a time."""
        return await gather(self._kernel.store, survey)

    async def stored_overrides(self) -> Mapping[str, str]:
        """Return the overrides of tools, by name, as they are stored."""
        return await self._run(lambda tx: tx.settings.overrides())
