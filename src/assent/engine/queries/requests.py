"""Reads of requests and their calls: each method is one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from assent.domain.calls import Call, Revision
from assent.domain.decisions import Decision
from assent.domain.lifecycle import RequestKind
from assent.domain.paging import Place, Subject
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Catalogue
from assent.engine.decisions.attempts import lock_request
from assent.engine.decisions.checks import has_voted
from assent.engine.gate.definitions import learn_newest, tool_of
from assent.engine.kernel import Kernel
from assent.engine.queries.listing import Inbox, Page
from assent.engine.queries.review import Review, Showing, read_review, read_showing
from assent.engine.queries.visibility import (
    own_conversation,
    request_of,
    sees_everything,
    sees_request,
)
from assent.errors import NotFound, NothingAwaited
from assent.ports import Tx
from assent.presentation.line import in_short
from assent.presentation.values import entries_of, hints_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call that a person may know of, and its requests, oldest first."""

    call: Call
    requests: tuple[Request, ...]

    def of_kind(self, kind: RequestKind) -> tuple[Request, ...]:
        """Return the requests of one kind; raises `NothingAwaited` if the call never had one."""
        found = tuple(request for request in self.requests if request.kind is kind)
        if not found:
            raise NothingAwaited("Call", self.call.id, self.call.status)
        return found


def read_asked_call(
    tx: Tx, person: Person, call_id: str, thread_id: str | None = None
) -> AskedCall:
    """Return a call in this thread that the person may know of; raises `NotFound` otherwise."""
    call = tx.calls.get(call_id)
    if call is None or thread_id not in (None, call.conversation_id):
        raise NotFound("call", call_id)
    requests = tuple(tx.requests.of_call(call.id))
    conversation = tx.conversations.get(call.conversation_id)
    is_owner = conversation is not None and conversation.owner.id == person.id
    is_asked = any(sees_request(person, request) for request in requests)
    if not (is_owner or is_asked or sees_everything(person)):
        raise NotFound("call", call_id)
    return AskedCall(call=call, requests=requests)


def current(requests: tuple[Request, ...]) -> Request:
    """Return the open request, or else the last one."""
    return next((request for request in requests if request.is_open), requests[-1])


T = TypeVar("T")
# Longer arguments are not read from the database for a list.
ARGUMENTS_MAX: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRows:
    """A request with its call, the arguments' history and the decisions made so far."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    revisions: Sequence[Revision]
    decisions: Sequence[Decision]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxPage:
    """A page of requests, each with its call's arguments if these are short enough."""

    requests: Sequence[Request]
    subjects: Mapping[str, Subject]
    next: Place | None = None
    # True if the page is empty and the person has no conversation yet.
    is_newcomer: bool = False

    def in_short(self, catalogue: Catalogue) -> dict[str, str | None]:
        """Return the arguments of each request on one line; None if they are too long for a list.

        Without the tool it is unknown which of them are secret, so they are not shown either.
        """
        return {each.id: self._line(each, catalogue) for each in self.requests}

    def _line(self, request: Request, catalogue: Catalogue) -> str | None:
        subject = self.subjects.get(request.call_id)
        tool = catalogue.tool(request.agent, request.tool)
        # If the call changed since, the list shows nothing rather than other arguments.
        if subject is None or subject.revision != request.revision or tool is None:
            return None
        text = subject.arguments
        return None if text is None else in_short(entries_of(text, hints_of(tool)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedRequest:
    """A request that paused a run, with its call, and what else is open in the same turn."""

    request: Request
    call: Call
    has_voted: bool
    open_ids: tuple[str, ...]


class RequestQueries:
    """Requests as a person may see them; `NotFound` for what they may not."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def _run(self, read: Callable[[Tx], T]) -> T:
        return await self._kernel.store.run(read)

    async def get(self, person: Person, id: str) -> Request:
        """Return a request that this person may read."""
        return await self._run(lambda tx: request_of(tx, person, id))

    async def page(self, box: Inbox, *, after: Place | None, limit: int) -> Page[Request]:
        """Return a page of the requests in a person's inbox."""
        return await self._run(lambda tx: box.page(tx, after=after, limit=limit))

    async def inbox(
        self, box: Inbox, *, after: Place | None, limit: int, longest: int
    ) -> InboxPage:
        """Return a page of the inbox, with arguments of up to `longest` characters."""

        def read(tx: Tx) -> InboxPage:
            found = box.page(tx, after=after, limit=limit)
            is_new = not found.items and not tx.conversations.of_owner(box.person.id, limit=1)
            subjects = self._subjects(tx, found.items, longest)
            return InboxPage(
                requests=found.items, subjects=subjects, next=found.next, is_newcomer=is_new
            )

        return await self._run(read)

    async def these(self, person: Person, ids: Sequence[str], *, longest: int) -> InboxPage:
        """Return the named requests in their order, as an inbox lists them."""

        def read(tx: Tx) -> InboxPage:
            found = [request_of(tx, person, id) for id in ids]
            return InboxPage(requests=found, subjects=self._subjects(tx, found, longest))

        return await self._run(read)

    def _subjects(self, tx: Tx, found: Sequence[Request], longest: int) -> Mapping[str, Subject]:
        # Which arguments are secret is known from the tool, whose code may be elsewhere.
        for agent, tool in {(each.agent, each.tool) for each in found}:
            learn_newest(tx, self._kernel.catalogue, agent, tool)
        return _subjects(tx, found, longest)

    async def rows(self, person: Person, id: str) -> RequestRows:
        """Return a request that this person may read, with its call and its history."""

        def read(tx: Tx) -> RequestRows:
            request = request_of(tx, person, id)
            call = tx.calls.get(request.call_id)
            if call is None:
                raise NotFound("request", id)
            return RequestRows(
                request=request,
                call=call,
                tool=tool_of(tx, self._kernel.catalogue, call),
                revisions=tx.calls.revisions(call.id),
                decisions=tx.decisions.of_request(id),
            )

        return await self._run(read)

    async def reviews(
        self, person: Person, ids: Sequence[str], *, alone: bool = False
    ) -> list[Callable[[], Review]]:
        """Return what a person looks at to decide these; each is drawn when called, in a thread."""
        catalogue, vault = self._kernel.catalogue, self._kernel.vault
        return await self._run(
            lambda tx: [read_review(tx, catalogue, vault, person, id, alone=alone) for id in ids]
        )

    async def showing(self, id: str) -> Callable[[], Showing]:
        """Return a request as the terminal shows it; drawn when called, in a thread."""
        catalogue = self._kernel.catalogue
        return await self._run(lambda tx: read_showing(tx, id, catalogue))

    async def waiting_for(self, person: Person, *, limit: int) -> int:
        """Count the requests that this person may decide now, up to a limit."""
        return await self._run(lambda tx: tx.counts.open_for(person, limit=limit))

    async def decided_by(self, person: Person, ids: Sequence[str]) -> set[str]:
        """Return those of the named requests that this person has decided."""

        def read(tx: Tx) -> set[str]:
            made = (each for id in ids for each in tx.decisions.of_request(id))
            return {each.request_id for each in made if each.person == person.id}

        return await self._run(read)

    async def votes(self, person: Person, turn_id: str) -> frozenset[str]:
        """Return the requests of a turn that need several approvals and have this person's."""

        def read(tx: Tx) -> frozenset[str]:
            asked = tx.requests.of_turn(turn_id)
            return frozenset(request.id for request in asked if has_voted(tx, request, person))

        return await self._run(read)

    async def asked(self, ids: Sequence[str]) -> tuple[tuple[Request, Call], ...]:
        """Return requests with their calls; raises `NotFound` if one is missing."""

        def read(tx: Tx) -> tuple[tuple[Request, Call], ...]:
            return tuple(lock_request(tx, id)[:2] for id in ids)

        return await self._run(read)

    async def interrupts(
        self, person: Person, conversation_id: str, ids: Sequence[str]
    ) -> dict[str, PausedRequest]:
        """Return those of the named requests that are of the person's own conversation, by id."""

        def read(tx: Tx) -> dict[str, PausedRequest]:
            own_conversation(tx, person, conversation_id)
            found: dict[str, PausedRequest] = {}
            waiting: dict[str, tuple[str, ...]] = {}
            for id in dict.fromkeys(ids):
                request = tx.requests.look(id)
                call = None if request is None else tx.calls.get(request.call_id)
                if request is None or call is None or request.conversation_id != conversation_id:
                    continue
                if request.turn_id not in waiting:
                    asked = tx.requests.of_turn(request.turn_id)
                    waiting[request.turn_id] = tuple(each.id for each in asked if each.is_open)
                found[id] = PausedRequest(
                    request=request,
                    call=call,
                    has_voted=has_voted(tx, request, person),
                    open_ids=waiting[request.turn_id],
                )
            return found

        return await self._run(read)

    async def open_inputs(self, person: Person, id: str) -> list[Request]:
        """Return the forms that wait in the newest turn of the person's own conversation."""

        def read(tx: Tx) -> list[Request]:
            newest = tx.turns.newest(own_conversation(tx, person, id).id)
            asked = [] if newest is None else tx.requests.of_turn(newest.id)
            return [r for r in reversed(asked) if r.is_open and r.kind is RequestKind.INPUT]

        return await self._run(read)

    async def asked_call(
        self, person: Person, call_id: str, *, conversation_id: str | None = None
    ) -> AskedCall:
        """Return a call that this person may know of, with its requests."""
        return await self._run(lambda tx: read_asked_call(tx, person, call_id, conversation_id))

    async def call(self, id: str) -> Call | None:
        """Return a call, if there is one with this id."""
        return await self._run(lambda tx: tx.calls.get(id))


def _subjects(tx: Tx, requests: Sequence[Request], longest: int) -> Mapping[str, Subject]:
    calls = list(dict.fromkeys(request.call_id for request in requests))
    return tx.subjects.arguments(calls, longest=longest)
