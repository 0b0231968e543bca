"""Reads of the record: the audit, past calls with their history, figures and settings."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final, TypeVar

from assent.domain.calls import Author, Call, Revision
from assent.domain.conversations import Conversation, Message
from assent.domain.decisions import Decision, VerdictName
from assent.domain.events import Entry, Event
from assent.domain.insights import (
    AnswerFigures,
    DecisionRow,
    Hourly,
    Insights,
    RecordRows,
    RequestCount,
    StatusCount,
    Survey,
    Votes,
    bars,
    surges,
)
from assent.domain.lifecycle import RequestStatus
from assent.domain.paging import EntryFilter, Place
from assent.domain.people import Person
from assent.domain.record import CallFilter, PastCall, RecordFilter, RecordPage
from assent.domain.requests import Request
from assent.engine.kernel import Kernel
from assent.engine.loop.prompts import load_answer
from assent.engine.queries import listing
from assent.engine.queries.listing import Page
from assent.engine.queries.visibility import (
    readable_conversation,
    sees_everything,
    sees_request,
)
from assent.errors import NotFound
from assent.ports import Store, Tx

T = TypeVar("T")
# One transaction per batch: SQLite has one thread for all, and a decision must not wait for a
# chart.
_BATCH = 4_000
_REPORTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A call with its conversation, and everything that was asked, decided and done about it."""

    call: Call
    conversation: Conversation
    message: Message | None
    revisions: tuple[Revision, ...]
    requests: tuple[Request, ...]
    decisions: Mapping[str, tuple[Decision, ...]]
    entries: tuple[Entry, ...]
    reports: tuple[Event, ...] = ()

    @property
    def model(self) -> str:
        """The name of the model that proposed the call, as the model gave it."""
        body = self.message.body if self.message else None
        return load_answer(body).model if body else ""

    def revision(self, number: int) -> Revision | None:
        """Return one version of the arguments."""
        return next((each for each in self.revisions if each.revision == number), None)

    def request(self, id: str | None) -> Request | None:
        """Return one request about the call."""
        return next((each for each in self.requests if each.id == id), None)

    def decision(self, entry: Entry) -> Decision | None:
        """Return the vote that an entry is about."""
        made = self.decisions.get(entry.request_id or "", ())
        return next((each for each in made if each.person == entry.actor), None)


def read_story(tx: Tx, id: str) -> Story:
    """Read everything about one call; raises `NotFound` if there is none."""
    call = tx.calls.get(id)
    conversation = None if call is None else tx.conversations.get(call.conversation_id)
    if call is None or conversation is None:
        raise NotFound("call", id)
    requests = tx.requests.of_call(id)
    reports = tx.record.progress(call.turn_id, limit=_REPORTS)
    return Story(
        call=call,
        conversation=conversation,
        message=tx.messages.get(call.message_id),
        revisions=_revisions(call, tx.calls.revisions(id)),
        requests=tuple(requests),
        decisions={each.id: tuple(tx.decisions.of_request(each.id)) for each in requests},
        entries=tuple(tx.journal.entries(call_id=id)),
        reports=tuple(each for each in reports if each.data.get("call_id") == id),
    )


def _revisions(call: Call, kept: list[Revision]) -> tuple[Revision, ...]:
    """Return all revisions; the model's own is stored only once there is another."""
    if kept:
        return tuple(kept)
    only = Revision(
        call_id=call.id,
        revision=call.revision,
        arguments=call.arguments,
        author=Author.MODEL,
        by=call.agent,
        at=call.created_at,
    )
    return (only,)


class RecordQueries:
    """The audit, past calls, figures and settings; all but `insights` read in one transaction."""

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
            readable_conversation(tx, person, id)
            wanted = EntryFilter(conversation_id=id)
            return listing.entries(tx, wanted, after=after, limit=limit)

        return await self._run(read)

    async def search(
        self, wanted: RecordFilter, *, after: Place | None, limit: int
    ) -> RecordPage[Entry]:
        """Return a page of the audit, by the filters that the audit's web page offers."""
        return await self._run(lambda tx: tx.record.entries(wanted, after=after, limit=limit))

    async def past_calls(
        self, person: Person, wanted: CallFilter, *, after: Place | None, limit: int
    ) -> RecordPage[PastCall]:
        """Return a page of calls: those of the person's own conversations, or all they may see."""

        def read(tx: Tx) -> RecordPage[PastCall]:
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


async def gather(store: Store, survey: Survey, *, batch: int = _BATCH) -> Insights:
    """Return all figures of a survey; they agree, because its time window fixes the rows."""
    answered, more_answers = await _newest(
        store, survey, batch, lambda tx, upto, n: tx.insights.answered(survey, upto=upto, limit=n)
    )
    asked, more_asked = await _newest(
        store, survey, batch, lambda tx, upto, n: tx.insights.asked(survey, upto=upto, limit=n)
    )
    refused, _ = await _newest(
        store, survey, batch, lambda tx, upto, n: tx.insights.refused(survey, upto=upto, limit=n)
    )
    cut = more_answers or more_asked
    # In a thread: a hundred thousand of them take longer than the event loop may be blocked.
    return await asyncio.to_thread(_figures, survey, answered, asked, refused, cut=cut)


def _figures(
    survey: Survey,
    answered: Sequence[DecisionRow],
    asked: Sequence[RequestCount],
    refused: Sequence[Hourly],
    *,
    cut: bool,
) -> Insights:
    hours = _hours(asked)
    return Insights(
        survey=survey,
        total=AnswerFigures.of("", answered) if answered else None,
        tools=_grouped(answered, attrgetter("tool")),
        people=_grouped(answered, attrgetter("person")),
        waits=bars(answered),
        votes=_votes(answered),
        outcomes=_outcomes(asked),
        hours=hours,
        surges=surges(hours, _summed(refused)),
        cut=cut,
    )


async def _newest(
    store: Store,
    survey: Survey,
    batch: int,
    read: Callable[[Tx, str | None, int], RecordRows[T]],
) -> tuple[list[T], bool]:
    """Return the newest rows, up to the survey's limit, and True if there are more."""
    found: list[T] = []
    upto, left = None, survey.most
    while left > 0:
        limit = min(batch, left)
        part = await store.run(lambda tx, upto=upto, limit=limit: read(tx, upto, limit))
        found += part.items
        upto, left = part.next, left - limit
        if upto is None:
            return found, False
    return found, True


def _grouped(
    answers: Iterable[DecisionRow], by: Callable[[DecisionRow], str]
) -> tuple[AnswerFigures, ...]:
    """Return the figures of each group, the largest first."""
    groups: dict[str, list[DecisionRow]] = defaultdict(list)
    for each in answers:
        groups[by(each)].append(each)
    found = [AnswerFigures.of(name, group) for name, group in groups.items()]
    return tuple(sorted(found, key=lambda each: (-each.count, each.name)))


def _votes(answers: Iterable[DecisionRow]) -> tuple[Votes, ...]:
    counts = Counter((each.slot, each.verdict, each.edited) for each in answers)
    return tuple(
        Votes(slot=slot, verdict=VerdictName(verdict), edited=edited, count=count)
        for (slot, verdict, edited), count in sorted(counts.items())
    )


def _outcomes(asked: Iterable[RequestCount]) -> tuple[StatusCount, ...]:
    counts = Counter[tuple[str, RequestStatus]]()
    for each in asked:
        counts[each.tool, each.status] += each.count
    return tuple(
        StatusCount(tool=tool, status=status, count=count)
        for (tool, status), count in sorted(counts.items())
    )


def _hours(asked: Iterable[RequestCount]) -> tuple[Hourly, ...]:
    return _summed([Hourly(agent=e.agent, hour=e.hour, count=e.count) for e in asked])


def _summed(hourly: Sequence[Hourly]) -> tuple[Hourly, ...]:
    """Join the counts of each agent's hour: a batch may have ended within it."""
    counts = Counter[tuple[str, datetime]]()
    for each in hourly:
        counts[each.agent, each.hour] += each.count
    return tuple(
        Hourly(agent=agent, hour=hour, count=count)
        for (agent, hour), count in sorted(counts.items())
    )
