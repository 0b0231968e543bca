"""A request with everything that a card shows."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import Field

from assent.domain import calls, requests
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import Decision as Vote
from assent.domain.decisions import VerdictName
from assent.domain.people import Person
from assent.domain.preferences import ValueSource
from assent.domain.tools import EffectiveTool
from assent.engine.queries.requests import RequestRows
from assent.presentation.phrases import phrase_of
from assent.server.api.schemas import Call, Request, Shape, facts, masked


class Preview(Shape):
    """The effect of the call as its tool describes it: a text, or a text before and after."""

    text: str
    before: str | None
    after: str | None
    failed: bool


class ToType(Shape):
    """The value to type for an approval: the value of an argument, or else the name of the tool."""

    text: str = Field(examples=["notes.txt"])
    argument: str = Field(description="Whose value it is; empty for the tool's name.")
    is_check: bool = Field(
        description="The value cannot be typed as it is seen: this is the start of its SHA-256."
    )


class Revision(Shape):
    """One version of a call's arguments, with its author."""

    revision: int
    arguments: dict[str, Any]
    arguments_digest: str
    author: calls.Author
    by: str
    at: datetime

    @classmethod
    def of(cls, revision: calls.Revision, tool: EffectiveTool | None) -> "Revision":
        """Return a revision as the API shows it."""
        return cls(
            revision=revision.revision,
            arguments=masked(revision.arguments.thaw(), tool),
            arguments_digest=revision.arguments.digest,
            author=revision.author,
            by=revision.by,
            at=revision.at,
        )


class Decision(Shape):
    """One person's decision about a request."""

    by: str
    channel: str
    verdict: VerdictName
    reason: str
    shown: str | None = Field(description="Which renderer showed them what, by its SHA-256.")
    at: datetime

    @classmethod
    def of(cls, vote: Vote) -> "Decision":
        """Return a decision as the API shows it."""
        return cls(
            by=vote.person,
            channel=vote.channel,
            verdict=vote.verdict,
            reason=vote.reason,
            shown=vote.shown,
            at=vote.at,
        )


class Suggested(Shape):
    """A value of an earlier call of yours; it is not filled in unless you `accept` it."""

    value: Any
    call_id: str
    tool: str
    conversation_id: str
    title: str = Field(description="The first words of that conversation.")
    at: datetime

    @classmethod
    def by_field(cls, request: requests.Request, person: Person) -> "dict[str, Suggested]":
        """Return the suggestions for the owner's own request; none for anybody else."""
        found = request.suggestions_for(person.id)
        return {name: cls(**each.to_json()) for name, each in found.items()}  # pyright: ignore[reportArgumentType] - checked by pydantic


class ValueOrigin(Shape):
    """Where a value came from that nobody typed for this call."""

    source: ValueSource
    id: str = Field(description="Of the preference or the earlier call; the scope otherwise.")
    at: datetime
    fits: bool = Field(description="False if it is asked for again: the form refuses it now.")

    @classmethod
    def by_field(cls, request: requests.Request) -> "dict[str, ValueOrigin]":
        """Return the origins of a request's values."""
        return {
            name: cls(source=each.source, id=each.id, at=each.at, fits=each.fits)
            for name, each in request.origins.items()
        }


class RequestDetail(Request):
    """A request with everything that a card shows; a decision is about exactly this."""

    arguments: dict[str, Any] = Field(description="Of the revision that is asked about.")
    to_type: ToType | None = Field(
        description="What to send as `typed` with an approval of the arguments as they are."
    )
    preview: Preview | None
    details: dict[str, Any] = Field(description="What the tool said about it while it ran.")
    form: dict[str, Any] | None = Field(description="The fields to fill in, of an input request.")
    prefilled: dict[str, Any]
    origins: dict[str, ValueOrigin] = Field(
        description="By argument or field: preferences, kept answers, suggestions that were taken."
    )
    suggestions: dict[str, Suggested] = Field(description="By field, for the owner only.")
    has_draft: bool
    call: Call
    revisions: list[Revision]
    decisions: list[Decision]

    @classmethod
    def whole(cls, rows: RequestRows, person: Person) -> "RequestDetail":
        """Return a request with everything that belongs to it."""
        request, call, tool = rows.request, rows.call, rows.tool
        question, shown = request.question, call.arguments
        for revision in rows.revisions:
            if revision.revision == request.revision:
                shown = revision.arguments
        return cls(
            **facts(request, person),
            arguments=masked(shown.thaw(), tool),
            to_type=_to_type(request, shown, tool),
            preview=Preview(**asdict(question.preview)) if question.preview else None,
            details=dict(question.metadata),
            form=None if question.form is None else dict(question.form),
            prefilled=dict(question.prefilled),
            origins=ValueOrigin.by_field(request),
            suggestions=Suggested.by_field(request, person),
            has_draft=request.draft is not None,
            call=Call.of(call, tool),
            revisions=[Revision.of(revision, tool) for revision in rows.revisions],
            decisions=[Decision.of(vote) for vote in rows.decisions],
        )


def _to_type(
    request: requests.Request, arguments: calls.Frozen, tool: EffectiveTool | None
) -> ToType | None:
    if request.confirmation is not Confirmation.TYPED:
        return None
    return ToType(**asdict(phrase_of(request.tool, arguments, tool)))
