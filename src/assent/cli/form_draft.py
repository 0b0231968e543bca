"""The draft of a form: what was entered so far, at this terminal or on another device."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assent.cli.request_view import CHANNEL, RequestView, review_of
from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.people import Person
from assent.engine.assent import Assent


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A form as it is filled in before anybody types here."""

    known: Mapping[str, Json] = field(default_factory=dict[str, Json])
    # The secrets that are there; nobody sees them again.
    secrets: frozenset[str] = frozenset()
    # The number of the draft, when it was saved, and with which save each answer in it came.
    number: int | None = None
    at: datetime | None = None
    changes: Mapping[str, int] = field(default_factory=dict[str, int])

    def since(self, earlier: "Begun") -> set[str]:
        """Return the fields that were answered after an earlier look."""
        seen = earlier.number or 0
        return {name for name, number in self.changes.items() if number > seen}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormDraft:
    """Reads and saves the draft of one request for one person."""

    assent: Assent
    person: Person
    view: RequestView

    async def read(self) -> Begun:
        """Return what is filled in now."""
        review = await review_of(self.assent, self.person, self.view.request.id)
        return Begun(
            known={**review.request.question.prefilled, **review.draft},
            secrets=review.kept_secrets,
            number=review.draft_number,
            at=review.draft_at,
            changes=review.draft_changes,
        )

    async def save(self, values: Mapping[str, object], *, seen: int | None) -> Begun:
        """Keep answers, and return what is filled in then.

        Raises `DraftChanged` if one of them would replace what came from elsewhere.
        """
        await self.assent.decide(
            self.view.request.id,
            Give(values=values, partial=True, seen=seen),
            by=self.person,
            digest=self.view.card.digest,
            channel=CHANNEL,
        )
        return await self.read()
