"""Reads of conversations, their turns and what they remember: each method is one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from assent.domain.conversations import Conversation, TurnRow
from assent.domain.events import Event, EventKind
from assent.domain.forms import SavedValue
from assent.domain.lifecycle import ACTIVE_TURNS, RequestStatus
from assent.domain.paging import Place, RequestFilter
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.kernel import Kernel
from assent.engine.queries import listing
from assent.engine.queries.listing import ListedConversation, Page
from assent.engine.queries.snapshots import Thread, Turn, read_thread, read_turn
from assent.engine.queries.visibility import (
    own_conversation,
    own_turn,
    readable_conversation,
    usable_conversation,
)
from assent.errors import NotFound, NothingAwaited
from assent.ports import Tx

T = TypeVar("T")
_EVERY_EVENT = 1_000_000
_PAGE, _PAGES = 1_000, 40
# Of a person's open requests, a list looks at this many to mark where the person is asked.
_ASKED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConversations:
    """A page of a person's conversations: their first words, and where the person is asked."""

    page: Page[ListedConversation]
    first_words: Mapping[str, str]
    asked: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRows:
    """A conversation with its newest turn, and what happened in that turn if it still goes on.

    `last` is the number of that turn's newest event: of two readings, the newer has no smaller one.
    """

    thread: Thread
    turn: TurnRow | None
    last: int
    events: Sequence[Event]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuestions:
    """A turn of a person's own conversation, with everything that was asked in it."""

    conversation: Conversation
    turn: TurnRow
    requests: tuple[Request, ...]
    # The number of the event that announced each request, by the request's id.
    announced: Mapping[str, int]


class ConversationQueries:
    """Conversations as a person may see them; `NotFound` for what they may not."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def _run(self, read: Callable[[Tx], T]) -> T:
        return await self._kernel.store.run(read)

    async def get(self, person: Person, id: str) -> Conversation:
        """Return a conversation that this person may read."""
        return await self._run(lambda tx: readable_conversation(tx, person, id))

    async def own(self, person: Person, id: str) -> Conversation:
        """Return a conversation that is this person's own."""
        return await self._run(lambda tx: own_conversation(tx, person, id))

    async def usable(
        self, person: Person, id: str, action: str, *, admins: bool = False
    ) -> Conversation:
        """Return a conversation that this person may use; `NotAllowed` if they may only read it."""
        return await self._run(
            lambda tx: usable_conversation(tx, person, id, action, admins=admins)
        )

    async def page(
        self, *, owner: str | None, agent: str | None, after: Place | None, limit: int
    ) -> Page[ListedConversation]:
        """Return a page of conversations of one owner, or of everybody."""
        catalogue = self._kernel.catalogue
        return await self._run(
            lambda tx: listing.conversations(
                tx, catalogue, owner=owner, agent=agent, after=after, limit=limit
            )
        )

    async def own_page(
        self, person: Person, *, after: Place | None, limit: int
    ) -> OwnConversations:
        """Return a page of this person's conversations, as a list shows them."""
        return await self._run(lambda tx: self._own_page(tx, person, after, limit))

    def _own_page(
        self, tx: Tx, person: Person, after: Place | None, limit: int
    ) -> OwnConversations:
        wanted = RequestFilter(status=RequestStatus.OPEN)
        waiting = tx.listings.requests_of(person.id, wanted, after=None, limit=_ASKED)
        return OwnConversations(
            page=listing.conversations(
                tx, self._kernel.catalogue, owner=person.id, agent=None, after=after, limit=limit
            ),
            first_words=tx.openings.of_owner(person.id, after=after, limit=limit),
            asked=frozenset(each.conversation_id for each in waiting if each.admits(person)),
        )

    async def of_owner(self, person_id: str, *, limit: int) -> list[Conversation]:
        """Return a person's newest conversations."""
        return await self._run(lambda tx: tx.conversations.of_owner(person_id, limit=limit))

    async def of_turn(self, person: Person, turn_id: str) -> Conversation:
        """Return the conversation of a turn that this person may follow."""
        return await self._run(lambda tx: own_turn(tx, person, turn_id))

    async def thread(self, person: Person, id: str) -> Thread:
        """Return a conversation that this person may read, with everything in it."""

        def read(tx: Tx) -> Thread:
            readable_conversation(tx, person, id)
            return read_thread(tx, id, self._kernel)

        return await self._run(read)

    async def rows(self, person: Person, id: str) -> ConversationRows:
        """Return a conversation that this person may read, as its page shows it."""
        return await self._run(lambda tx: self._rows(tx, person, id))

    def _rows(self, tx: Tx, person: Person, id: str) -> ConversationRows:
        readable_conversation(tx, person, id)
        turn = tx.turns.newest(id)
        is_active = turn is not None and turn.status in ACTIVE_TURNS
        # Before the rows: these are then at least as new as the events that mention them.
        last = 0 if turn is None else tx.journal.last(turn.id)
        events = _events_so_far(tx, turn.id) if turn is not None and is_active else []
        thread = read_thread(tx, id, self._kernel)
        return ConversationRows(thread=thread, turn=turn, last=last, events=tuple(events))

    async def rows_with_list(
        self, person: Person, id: str, *, after: Place | None, limit: int
    ) -> tuple[ConversationRows, OwnConversations]:
        """Return a conversation as its page shows it, beside the list of the person's own."""

        def read(tx: Tx) -> tuple[ConversationRows, OwnConversations]:
            shown = self._rows(tx, person, id)
            return shown, self._own_page(tx, person, after, limit)

        return await self._run(read)

    async def thread_with_events(self, id: str) -> tuple[Thread, list[Event]]:
        """Return a conversation, and what has happened in its newest turn so far."""

        def read(tx: Tx) -> tuple[Thread, list[Event]]:
            thread = read_thread(tx, id, self._kernel)
            turns = [message.turn_id for message in thread.messages]
            return thread, tx.journal.events(turns[-1], 0, _EVERY_EVENT) if turns else []

        return await self._run(read)

    async def newest_turn(self, person: Person, id: str) -> TurnRow | None:
        """Return the newest turn of a conversation that this person may read."""

        def read(tx: Tx) -> TurnRow | None:
            return tx.turns.newest(readable_conversation(tx, person, id).id)

        return await self._run(read)

    async def newest_own_turn(self, person: Person, id: str) -> Turn:
        """Return the newest turn of this person's own conversation, or raise `NothingAwaited`."""

        def read(tx: Tx) -> Turn:
            turn = tx.turns.newest(own_conversation(tx, person, id).id)
            if turn is None:
                raise NothingAwaited("Conversation", id, "empty")
            return read_turn(tx, turn.id)

        return await self._run(read)

    async def has_heard(self, person: Person, id: str, key: str) -> bool:
        """Return True if a message of this person with this idempotency key has started a turn."""

        def read(tx: Tx) -> bool:
            own_conversation(tx, person, id)
            return tx.turns.by_key(person.id, key) is not None

        return await self._run(read)

    async def questions(
        self, person: Person, id: str, *, asked_in: str | None = None
    ) -> TurnQuestions:
        """Return the newest turn of the person's own conversation with its requests.

        `asked_in` is a request's id: the turn is then the one in which it was asked.
        """

        def read(tx: Tx) -> TurnQuestions:
            conversation = own_conversation(tx, person, id)
            turn = _turn_of(tx, conversation, asked_in)
            events = tx.journal.events(turn.id, 0, _EVERY_EVENT)
            announced = (event for event in events if event.kind is EventKind.PENDING)
            return TurnQuestions(
                conversation=conversation,
                turn=turn,
                requests=tuple(tx.requests.of_turn(turn.id)),
                announced={str(event.data["request_id"]): event.seq for event in announced},
            )

        return await self._run(read)

    async def events(self, turn_id: str, *, after: int = 0) -> list[Event]:
        """Return everything that has happened in a turn since an event."""
        return await self._run(lambda tx: tx.journal.events(turn_id, after, _EVERY_EVENT))

    async def saved_values(self, person: Person, id: str) -> list[SavedValue]:
        """Return the saved answers of a conversation that this person may read."""

        def read(tx: Tx) -> list[SavedValue]:
            readable_conversation(tx, person, id)
            return tx.values.saved(id)

        return await self._run(read)

    async def own_saved_values(self, person: Person, id: str) -> list[SavedValue]:
        """Return the saved answers of the person's own conversation."""

        def read(tx: Tx) -> list[SavedValue]:
            return tx.values.saved(own_conversation(tx, person, id).id)

        return await self._run(read)


def _turn_of(tx: Tx, conversation: Conversation, request_id: str | None) -> TurnRow:
    """Return the newest turn, or the one that a request was asked in."""
    request = None if request_id is None else tx.requests.look(request_id)
    if request_id is not None and (request is None or request.conversation_id != conversation.id):
        raise NotFound("request", request_id)
    turn = tx.turns.newest(conversation.id) if request is None else tx.turns.get(request.turn_id)
    if turn is None:
        raise NotFound("turn", conversation.id)
    return turn


def _events_so_far(tx: Tx, turn_id: str) -> list[Event]:
    events: list[Event] = []
    for _ in range(_PAGES):
        page = tx.journal.events(turn_id, events[-1].seq if events else 0, _PAGE)
        events += page
        if len(page) < _PAGE:
            break
    return events
