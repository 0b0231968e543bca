"""Lists as one person may see them, page by page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from assent.domain.conversations import Conversation, status_of
from assent.domain.events import Entry
from assent.domain.lifecycle import ConversationStatus, RequestStatus
from assent.domain.paging import (
    EntryFilter,
    Place,
    RequestFilter,
    Summary,
    audience_keys,
    person_keys,
    role_key,
)
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import Risk
from assent.engine.agents import Catalogue
from assent.ports import Tx

T = TypeVar("T")
TIERS: Final = (Risk.DANGEROUS, Risk.MODERATE, Risk.SAFE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """Some rows, newest first, and where the next page begins if there is one."""

    items: tuple[T, ...]
    next: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedConversation:
    """A conversation in a list, with its derived status."""

    conversation: Conversation
    status: ConversationStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """The requests that one person sees: their own, and those put to them.

    `everything` is for people who see all; `mine` keeps only what the person may decide.
    `by_danger` puts the most dangerous of the open requests first; otherwise the newest are first.
    """

    person: Person
    wanted: RequestFilter
    everything: bool = False
    mine: bool = False
    role: str | None = None
    by_danger: bool = False

    def page(self, tx: Tx, *, after: Place | None, limit: int) -> Page[Request]:
        """Return one page; skips requests for other roles, and what the person may not see."""
        if self.by_danger and self.wanted.status is RequestStatus.OPEN:
            return _cut(self._by_danger(tx, after, limit + 1), limit, _place)
        return self._by_age(tx, after, limit)

    def _by_danger(self, tx: Tx, after: Place | None, limit: int) -> list[Request]:
        """Return the newest of each risk tier, the most dangerous tier first."""
        kept: list[Request] = []
        for tier in self._tiers(tx, after):
            box = replace(self, wanted=replace(self.wanted, risk=tier), by_danger=False)
            kept += box.page(tx, after=after, limit=limit - len(kept)).items
            if len(kept) == limit:
                break
            after = None
        return kept

    def _tiers(self, tx: Tx, after: Place | None) -> Sequence[str]:
        """Return the wanted tiers, starting with the one in which the previous page ended."""
        if self.wanted.risk is not None:
            return (self.wanted.risk,)
        last = None if after is None else tx.requests.look(after.id)
        return TIERS if last is None else TIERS[TIERS.index(Risk(last.risk)) :]

    def _by_age(self, tx: Tx, after: Place | None, limit: int) -> Page[Request]:
        kept: list[Request] = []
        while len(kept) <= limit:
            found = self._read(tx, after, limit + 1)
            kept += filter(self._fits, found)
            if len(found) <= limit:
                break
            after = _place(found[-1])
        return _cut(kept, limit, _place)

    def _fits(self, request: Request) -> bool:
        routed = self.role is None or role_key(self.role) in audience_keys(request.audience)
        is_owner = request.owner == self.person.id
        # Having the role is not enough: `admits` also excludes other identities of the requester.
        visible = not self.mine and (self.everything or is_owner)
        return routed and (visible or request.admits(self.person))

    def _read(self, tx: Tx, after: Place | None, limit: int) -> list[Request]:
        wanted, lists = self.wanted, tx.listings
        if self.everything and not self.mine:
            if self.role is None:
                return lists.requests(wanted, after=after, limit=limit)
            name = role_key(self.role)
            return lists.requests_put_to(name, wanted, after=after, limit=limit)
        parts = [lists.requests_of(self.person.id, wanted, after=after, limit=limit)]
        parts += [
            lists.requests_put_to(name, wanted, after=after, limit=limit)
            for name in person_keys(self.person)
        ]
        return _merged(parts, limit)


def waiting(tx: Tx, person: Person | None, *, after: str | None, limit: int) -> list[Request]:
    """Return open requests, newest first; with a person, those that they may decide."""
    last = None if after is None else tx.requests.look(after)
    place = None if last is None else _place(last)
    if person is None:
        return tx.listings.requests(RequestFilter(), after=place, limit=limit)
    box = Inbox(person=person, wanted=RequestFilter(), mine=True)
    return list(box.page(tx, after=place, limit=limit).items)


def _merged(parts: Iterable[list[Request]], limit: int) -> list[Request]:
    """Return the newest of several lists, each request once."""
    found = {request.id: request for part in parts for request in part}
    ordered = sorted(found.values(), key=lambda r: (r.created_at, r.id), reverse=True)
    return ordered[:limit]


def conversations(
    tx: Tx,
    catalogue: Catalogue,
    *,
    owner: str | None,
    agent: str | None,
    after: Place | None,
    limit: int,
) -> Page[ListedConversation]:
    """Return a page of conversations of one owner, or of everybody."""
    found = tx.listings.conversations(owner, agent=agent, after=after, limit=limit + 1)
    listed = [_listed(summary, catalogue) for summary in found]
    return _cut(listed, limit, lambda i: Place(i.conversation.created_at, i.conversation.id))


def entries(tx: Tx, wanted: EntryFilter, *, after: Place | None, limit: int) -> Page[Entry]:
    """Return a page of the audit."""
    found = tx.listings.entries(wanted, after=after, limit=limit + 1)
    return _cut(found, limit, lambda entry: Place(entry.at, entry.id))


def _listed(summary: Summary, catalogue: Catalogue) -> ListedConversation:
    conversation = summary.conversation
    manual = catalogue.manual_tools(conversation.agent)
    status = status_of(summary.turn, summary.open_calls, manual)
    return ListedConversation(conversation=conversation, status=status)


def _place(request: Request) -> Place:
    return Place(request.created_at, request.id)


def _cut(found: list[T], limit: int, place: Callable[[T], Place]) -> Page[T]:
    """Return a page of `limit` rows.

    One row more was read; if it is there, there is a next page.
    """
    items = tuple(found[:limit])
    return Page(items=items, next=place(items[-1]) if len(found) > limit else None)
