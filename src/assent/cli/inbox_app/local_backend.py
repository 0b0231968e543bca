"""The inbox of a person in a database that this process opens."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from assent.cli.inbox_app.backend import (
    PAGE_ROWS,
    Connected,
    InboxCard,
    InboxChange,
    InboxRow,
    RequestAdded,
    RequestRemoved,
    RowPage,
)
from assent.cli.request_view import CHANNEL, review_of
from assent.domain.canonical import Json
from assent.domain.decisions import Approve, Supply, Verdict
from assent.domain.events import EventKind, News
from assent.domain.paging import Place, RequestFilter
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Risk
from assent.engine.assent import Assent
from assent.engine.queries.listing import Inbox
from assent.engine.queries.previews import (
    EditPreview,
    check_output,
    preview_edit,
    refuse_pointless,
)
from assent.engine.queries.requests import ARGUMENTS_MAX
from assent.engine.queries.review import Review
from assent.engine.vault import MASKED, is_reference
from assent.presentation import terminal
from assent.presentation.card import hints_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalBackend:
    """Reads and decides beside a running worker or without one; no tool runs here."""

    assent: Assent
    by: Person
    place: str

    @property
    def person(self) -> str:
        return self.by.id

    async def page(self, after: str | None) -> RowPage:
        box = Inbox(person=self.by, wanted=RequestFilter(), mine=True, by_danger=True)
        found = await self.assent.queries.requests.inbox(
            box,
            after=None if after is None else Place.parse(after),
            limit=PAGE_ROWS,
            longest=ARGUMENTS_MAX,
        )
        lines = await asyncio.to_thread(found.in_short, self.assent.catalogue)
        rows = tuple(_row(request, lines[request.id]) for request in found.requests)
        return RowPage(rows=rows, next=None if found.next is None else str(found.next))

    async def card(self, request_id: str, columns: int) -> InboxCard:
        review = await self._review(request_id)
        return await asyncio.to_thread(_card, review, columns, self.by)

    async def preview(self, card: InboxCard, verdict: Verdict, columns: int) -> EditPreview | None:
        review = await self._review(card.request_id)
        refuse_pointless(review, verdict, self.by, card.digest)
        match verdict:
            case Approve():
                return await asyncio.to_thread(preview_edit, review, verdict, width=columns)
            case Supply(output=output):
                await asyncio.to_thread(check_output, review, output)
            case _:
                pass
        return None

    async def decide(self, card: InboxCard, verdict: Verdict, shown: str | None) -> str:
        decided = await self.assent.decide(
            card.request_id, verdict, by=self.by, digest=card.digest, shown=shown, channel=CHANNEL
        )
        return decided.status

    async def changes(self) -> AsyncGenerator[InboxChange]:
        with await self.assent.feed.follow() as follower:
            yield Connected()
            while True:
                for news in await follower.news():
                    if news.concerns(self.by) and (change := change_of(news)) is not None:
                        yield change

    async def _review(self, request_id: str) -> Review:
        return await review_of(self.assent, self.by, request_id)


def change_of(news: News) -> InboxChange | None:
    """Return the change that an event of the feed stands for, if it changes an inbox."""
    return change_told(news.kind, news.data)


def change_told(kind: str, data: Mapping[str, Json]) -> InboxChange | None:
    """Return the change that an event tells of, by its kind and data."""
    id = data.get("request_id")
    if kind == EventKind.PENDING:
        return RequestAdded(str(id))
    if kind == EventKind.DECIDED:
        return RequestRemoved(str(id), str(data.get("status", "")), str(data.get("by") or ""))
    return None


def _row(request: Request, line: str | None) -> InboxRow:
    return InboxRow(
        id=request.id,
        kind=request.kind,
        risk=Risk(request.risk),
        tool=request.tool,
        agent=request.agent,
        owner=request.owner,
        in_short=line,
        deadline=request.decide_by,
    )


def _card(review: Review, columns: int, by: Person) -> InboxCard:
    request, card, question = review.request, review.card, review.request.question
    drawn = terminal.lay_out_card(card, width=columns)
    return InboxCard(
        request_id=request.id,
        kind=request.kind,
        status=request.status,
        tool=request.tool,
        closed_by=request.closed_by,
        deadline=request.decide_by,
        digest=card.digest,
        columns=columns,
        lines=drawn.lines,
        shown=drawn.rendered.shown,
        choices=drawn.rendered.choices,
        confirmation=card.confirmation,
        to_type=card.to_type,
        may_decide=review.may_decide,
        may_edit=review.may_edit,
        has_voted=review.has_voted,
        arguments=_masked(review.call.arguments.thaw(), review.tool),
        form=question.form,
        values={**question.prefilled, **review.draft},
        kept_secrets=review.kept_secrets,
        draft_number=review.draft_number,
        draft_at=review.draft_at,
        suggestions=request.suggestions_for(by.id),
        is_own=request.owner == by.id,
    )


def _masked(arguments: dict[str, Json], tool: EffectiveTool | None) -> dict[str, Json]:
    """Return the arguments for an editor: its file must not hold what the tool keeps secret."""
    hidden = {name for name, hint in hints_of(tool).items() if hint.secret}
    return {
        name: dict(MASKED) if name in hidden and not is_reference(value) else value
        for name, value in arguments.items()
    }
