"""Cards of requests as lines for a terminal, and previews of verdicts before they are given."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Response
from pydantic import Field

from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.verdicts import Verb
from assent.engine.queries.previews import check_output, preview_edit, refuse_pointless
from assent.engine.queries.review import Review
from assent.presentation import sheet, terminal
from assent.server.api.request_detail import Suggested, ToType
from assent.server.api.routing import Id, NativeApi
from assent.server.api.schemas import Request, Shape, masked
from assent.server.api.verdicts import EDIT_EXAMPLES, Previewed, Supply, edit_of, verdict_of
from assent.server.caller import Caller
from assent.server.service import CallerDep, Service, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["requests"])
MAX_COLUMNS = 1_000
Columns = Annotated[
    int,
    Query(
        ge=terminal.MIN_COLUMNS, le=MAX_COLUMNS, description="The width of the lines, in columns."
    ),
]


class Span(Shape):
    """A piece of a line, with its role for the style."""

    role: str = Field(examples=["label"])
    text: str = Field(examples=["path  "])


class Choice(Shape):
    """An action to offer, and its effect in words for people."""

    verb: Verb
    effect: str


class RequestCard(Shape):
    """A card as a terminal shows it: whole, with hidden characters spelt out in ⟨ and ⟩."""

    request: Request
    lines: list[list[Span]] = Field(description="Show all of them before you offer an approval.")
    shown: str = Field(description="Send it as `shown` with the decision: what was shown, by hash.")
    choices: list[Choice]
    confirmation: Confirmation
    to_type: ToType | None
    has_voted: bool = Field(description="You approved it already, and others must, too.")
    arguments: dict[str, Any] = Field(description="For an edit; secrets are masked.")
    may_edit: bool
    form: dict[str, Any] | None = Field(description="The fields to fill in, of an input request.")
    values: dict[str, Any] = Field(description="Answers that are known: suggested, or in a draft.")
    kept_secrets: list[str] = Field(description="Secrets in the draft; left empty, they are kept.")
    draft_number: int = Field(description="To be sent as `seen` with an answer; 0 without a draft.")
    draft_at: datetime | None = Field(description="When the draft was saved.")
    suggestions: dict[str, Suggested] = Field(description="By field, for the owner only.")

    @classmethod
    def of(cls, review: Review, caller: Caller, columns: int) -> "RequestCard":
        """Lay out a card for a terminal of this width."""
        request, card = review.request, review.card
        drawn = terminal.lay_out_card(card, width=columns)
        return cls(
            request=Request.of(request, caller.person),
            lines=_lines(drawn.lines),
            shown=drawn.rendered.shown,
            choices=[Choice(verb=each.verb, effect=each.effect) for each in drawn.rendered.choices],
            confirmation=card.confirmation,
            to_type=_to_type(card.to_type),
            has_voted=review.has_voted,
            arguments=masked(review.call.arguments.thaw(), review.tool),
            may_edit=review.may_edit,
            form=None if request.question.form is None else dict(request.question.form),
            values={**request.question.prefilled, **review.draft},
            kept_secrets=sorted(review.kept_secrets),
            draft_number=review.draft_number,
            draft_at=review.draft_at,
            suggestions=Suggested.by_field(request, caller.person),
        )


class VerdictPreview(Shape):
    """The effect of a verdict that was not given yet; nothing was decided."""

    is_changed: bool = Field(description="False for an edit that changes nothing.")
    runs: str | None = Field(description="For an edit, to send as its `runs`.")
    to_type: ToType | None = Field(description="What to send as `typed` with this edit.")
    lines: list[list[Span]] = Field(description="The changes, then everything that would run.")


@router.get("/api/requests/{id}/card", operation_id="read_card", response_model=RequestCard)
async def card(
    id: Id, service: ServiceDep, caller: CallerDep, columns: Columns = terminal.COLUMNS
) -> Response:
    """Return one request as a card for a terminal, and all that deciding it takes."""
    review = await _review(service, caller, id)
    # In a thread, because arguments may be large.
    return await asyncio.to_thread(lambda: _json(RequestCard.of(review, caller, columns)))


@router.post(
    "/api/requests/{id}/preview", operation_id="preview_verdict", response_model=VerdictPreview
)
async def preview(
    id: Id,
    body: Annotated[Previewed, Body(openapi_examples=EDIT_EXAMPLES)],
    service: ServiceDep,
    caller: CallerDep,
    columns: Columns = terminal.COLUMNS,
) -> Response:
    """Check an edit or a result and show what it would do. Nothing is decided or recorded.

    An edit that does not fit the tool, or a result that its tool does not return, is refused with
    422, as it would be if it were sent. The policy judges an edit only when it is decided.
    """
    review = await _review(service, caller, id)
    return await asyncio.to_thread(lambda: _json(_previewed(review, body, caller, columns)))


def _previewed(review: Review, body: Previewed, caller: Caller, columns: int) -> VerdictPreview:
    refuse_pointless(review, verdict_of(body), caller.person, body.digest)
    if isinstance(body, Supply):
        check_output(review, body.value)
        return VerdictPreview(is_changed=True, runs=None, to_type=None, lines=[])
    found = preview_edit(review, edit_of(body), width=columns)
    return VerdictPreview(
        is_changed=found.is_changed,
        runs=found.runs,
        to_type=_to_type(found.to_type),
        lines=_lines(found.lines),
    )


async def _review(service: Service, caller: Caller, id: str) -> Review:
    [draw] = await service.assent.queries.requests.reviews(caller.person, [id])
    return await asyncio.to_thread(draw)


def _json(shape: Shape) -> Response:
    return Response(shape.model_dump_json(), media_type="application/json")


def _lines(lines: Iterable[sheet.Line]) -> list[list[Span]]:
    return [[Span(role=each.role.name.lower(), text=each.text) for each in line] for line in lines]


def _to_type(phrase: Phrase | None) -> ToType | None:
    if phrase is None:
        return None
    return ToType(text=phrase.text, argument=phrase.argument, is_check=phrase.is_check)
