"""The desk of a channel: takes presses and forms from people, and says what to show them next.

The same for every chat, so that a channel only draws: who a person is comes from the transport,
what they may do and what was shown to them is looked up here, and nothing is decided by text.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from assent.channels.edits import EditForm, approval_of, edit_form
from assent.channels.form_pages import FormPage
from assent.channels.reference import DETAILS, Reference
from assent.channels.replies import Ask, Button, Fill, FormLimits, Reply, Tell
from assent.domain import parameters
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import Approve, Give, Verdict
from assent.domain.field_types import FieldType
from assent.domain.fields import Field
from assent.domain.lifecycle import RequestStatus
from assent.domain.parameters import instance, optional, taken
from assent.domain.people import Person
from assent.domain.verdicts import Verb, VerdictRow, row_of
from assent.engine.assent import Assent
from assent.engine.decisions.attempts import Decided
from assent.engine.queries.review import Review
from assent.errors import (
    AlreadySettled,
    AssentError,
    InvalidAnswer,
    InvalidArguments,
    InvalidOutput,
    NotEligible,
    NotFound,
    NotLinked,
    StaleDigest,
)
from assent.presentation import plain
from assent.presentation.outline import warning_of
from assent.presentation.rendering import Rendered
from assent.presentation.settled import settled_words
from assent.presentation.surfaces import Surface
from assent.presentation.text import safe_line

log = logging.getLogger(__name__)
# The field for a result, and the length of a reason.
OUTPUT: Final = "output"
REASON_CHARS: Final = 1_000
# Chats show code in narrow boxes, and wrap longer lines anywhere.
DETAILS_COLUMNS: Final = 60
_LINK: Final = (
    "Your {channel} account is not linked to an account here, so it can decide nothing. Link it "
    "on your settings page, or with the link command here."
)
_STALE: Final = "This has changed since it was shown to you. Nothing was decided: look again."
_UNSEEN: Final = "You may not decide this. It stays open for the people who may."
_FILES: Final = "This form takes a file, which is uploaded on its page. Open the full review."
_TOO_LARGE: Final = "This does not fit here. Open the full review instead."
_DESK: Final = {
    "assent": instance(Assent, "an Assent"),
    "channel": parameters.name,
    "surface": instance(Surface),
    "limits": optional(instance(FormLimits, "FormLimits")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Matter:
    """A person who looks at a request that they may decide now, as this channel shows it."""

    person: Person
    review: Review
    rendered: Rendered
    url: str


class _Answered(Exception):
    """Ends the handling of a press: there is something to tell, and nothing to decide."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply


class Desk:
    """Takes what people do in one chat, and decides through the engine."""

    def __init__(
        self, assent: Assent, channel: str, surface: Surface, limits: FormLimits | None = None
    ) -> None:
        given = {"assent": assent, "channel": channel, "surface": surface, "limits": limits}
        taken("Desk", given, _DESK)
        self._assent, self._channel, self._surface = assent, channel, surface
        self._limits = limits or FormLimits()

    async def person(self, chat_id: str) -> Person:
        """Return the person that a chat account belongs to; raises `NotLinked`."""
        return await self._assent.people.chats.person_of(self._channel, chat_id)

    async def press(self, chat_id: str, reference: Reference, *, interaction: str) -> Reply:
        """Handle a press of a button.

        `interaction` is the platform's id of this very press: one that is repeated, by the platform
        or an impatient finger, gets the same answer again.
        """
        try:
            matter = await self._matter(chat_id, reference)
            return await self._pressed(matter, reference, interaction)
        except _Answered as answered:
            return answered.reply

    async def submit(
        self,
        chat_id: str,
        reference: Reference,
        values: Mapping[str, object],
        *,
        interaction: str,
    ) -> Reply:
        """Handle a form that was filled in; values are as typed or chosen, by field name."""
        try:
            matter = await self._matter(chat_id, reference)
            return await self._submitted(matter, reference, values, interaction)
        except _Answered as answered:
            return answered.reply

    # What a person looks at

    async def _matter(self, chat_id: str, reference: Reference) -> _Matter:
        url = self._assent.channels.link(reference.request_id)
        try:
            person = await self.person(chat_id)
            [draw] = await self._assent.queries.requests.reviews(person, [reference.request_id])
        except NotLinked:
            raise _refused(_LINK.format(channel=self._channel)) from None
        except NotFound:
            raise _refused(_UNSEEN) from None
        review = await asyncio.to_thread(draw)
        if reference.verb == DETAILS:
            raise _Answered(await asyncio.to_thread(_details, review, url))
        if not review.request.is_open:
            raise _refused(settled_words(review.card, review.request), url)
        if not review.may_decide:
            raise _refused(_UNSEEN)
        if not reference.fits(review.request):
            raise _refused(_STALE, url)
        rendered = await asyncio.to_thread(self._surface.render, review.card)
        # A card that is cut here offers less, whatever a button says.
        if reference.verb not in {str(choice.verb) for choice in rendered.choices}:
            raise _refused(_TOO_LARGE, url)
        return _Matter(person=person, review=review, rendered=rendered, url=url)

    # Buttons

    async def _pressed(self, matter: _Matter, reference: Reference, interaction: str) -> Reply:
        row = row_of(reference.verb)
        match row.verb:
            case Verb.REVIEW:
                return Tell(words="Open the full review to decide this.", url=matter.url)
            case Verb.APPROVE | Verb.RUN_AGAIN:
                return await self._approve(matter, reference, row, interaction)
            case Verb.EDIT:
                return self._edit(matter, reference)
            case Verb.ANSWER:
                return self._form_page(matter, reference)
            case _:
                return self._words(matter, reference, row)

    async def _approve(
        self, matter: _Matter, reference: Reference, row: VerdictRow, interaction: str
    ) -> Reply:
        request = matter.review.request
        is_simple = request.confirmation is Confirmation.CLICK and row.verb is Verb.APPROVE
        if not is_simple and not reference.confirmed:
            effect = row.effect.format(tool=safe_line(request.tool))
            words = f"{warning_of(matter.review.card)} Sure? {effect}.".strip()
            button = Button(
                reference=reference.second_step(), label=f"Yes, {row.label.rstrip('…')}"
            )
            return Ask(words=words, buttons=(button,))
        return await self._decide(matter, row.read({}), row, interaction)

    def _edit(self, matter: _Matter, reference: Reference) -> Reply:
        form = self._edit_form(matter)
        if form is None:
            return Tell(words=_TOO_LARGE, url=matter.url)
        tool = safe_line(matter.review.request.tool)
        return Fill(
            reference=reference,
            title=f"Approve {tool} with changes",
            fields=form.fields,
            values=form.values,
            submit_label="Approve",
        )

    def _edit_form(self, matter: _Matter) -> EditForm | None:
        review, limits = matter.review, self._limits
        if not review.may_edit or review.tool is None:
            return None
        return edit_form(
            review.call, review.tool, fields=limits.fields, characters=limits.characters
        )

    def _words(self, matter: _Matter, reference: Reference, row: VerdictRow) -> Fill:
        is_output = OUTPUT in row.fields
        name = OUTPUT if is_output else row.text
        asked = Field(
            name,
            label="Result, as text or JSON" if is_output else row.question.rstrip("?"),
            type=FieldType.MULTILINE,
            required=row.verb is Verb.SUPPLY,
            max_length=self._limits.characters if is_output else REASON_CHARS,
        )
        tool = safe_line(matter.review.request.tool)
        label = _label(row)
        return Fill(
            reference=reference, title=f"{label}: {tool}", fields=(asked,), submit_label=label
        )

    # Forms

    async def _submitted(
        self,
        matter: _Matter,
        reference: Reference,
        values: Mapping[str, object],
        interaction: str,
    ) -> Reply:
        row = row_of(reference.verb)
        match row.verb:
            case Verb.EDIT:
                return await self._edited(matter, reference, row, values, interaction)
            case Verb.ANSWER:
                return await self._answered(matter, reference, row, values, interaction)
            case Verb.APPROVE | Verb.RUN_AGAIN | Verb.REVIEW:
                return Tell(words=_STALE, url=matter.url)
            case _:
                given = str(values.get(OUTPUT if OUTPUT in row.fields else row.text, ""))
                return await self._said(matter, row, given, interaction)

    async def _said(self, matter: _Matter, row: VerdictRow, given: str, interaction: str) -> Reply:
        if OUTPUT not in row.fields:
            return await self._decide(matter, row.read({row.text: given}), row, interaction)
        # As it was typed: the tool says whether it is JSON.
        output = given if given or row.verb is Verb.SUPPLY else None
        return await self._decide(matter, row.read({OUTPUT: output}), row, interaction)

    async def _edited(
        self,
        matter: _Matter,
        reference: Reference,
        row: VerdictRow,
        values: Mapping[str, object],
        interaction: str,
    ) -> Reply:
        form = self._edit_form(matter)
        if form is None:
            return Tell(words=_TOO_LARGE, url=matter.url)
        again = Button(reference=reference, label="Edit again")
        try:
            verdict: Approve | None = approval_of(matter.review.call, form, values)
        except InvalidAnswer as error:
            labels = {each.name: each.label for each in form.fields}
            return _wrong(error.errors, labels, again)
        if verdict is None:
            return Tell(words="Nothing was changed, and nothing was decided.")
        reply = await self._decide(matter, verdict, row, interaction)
        return replace(reply, buttons=(again,)) if isinstance(reply, Ask) else reply

    def _page(self, matter: _Matter, reference: Reference) -> FormPage | None:
        keeps = matter.review.request.keeps_for(matter.person)
        return FormPage.of(matter.review, reference.page, self._limits, keeps)

    def _form_page(self, matter: _Matter, reference: Reference) -> Reply:
        page = self._page(matter, reference)
        if page is None:
            return Tell(words=_STALE, url=matter.url)
        if page.takes_files:
            return Tell(words=_FILES, url=matter.url)
        if not page.fits:
            return Tell(words=_TOO_LARGE, url=matter.url)
        return page.drawn(reference, matter.review.request.suggestions_for(matter.person.id))

    async def _answered(
        self,
        matter: _Matter,
        reference: Reference,
        row: VerdictRow,
        values: Mapping[str, object],
        interaction: str,
    ) -> Reply:
        page = self._page(matter, reference)
        if page is None:
            return Tell(words=_STALE, url=matter.url)
        entered = page.entered(values)
        if entered.answers:
            # What is right is kept, so that nobody types it twice.
            kept = Give(values=entered.answers, partial=True)
            reply = await self._decide(matter, kept, row, f"{interaction}:kept")
            if isinstance(reply, Tell) and reply.is_refusal:
                return reply
        again = Button(reference=reference, label="Answer again")
        if entered.errors:
            return _wrong(entered.errors, page.labels, again)
        if (start := page.next_start(entered.answers)) is not None:
            label = "Next" if page.is_stepped else "Continue"
            on = Button(reference=reference.page_from(start), label=label)
            back = (Button(reference=reference, label="Back"),) if page.is_stepped else ()
            return Ask(words=page.onward(start, entered.answers), buttons=(on, *back))
        reply = await self._decide(matter, Give(values={}, keep=entered.keep), row, interaction)
        first = Button(reference=reference.page_from(0), label="Answer again")
        return replace(reply, buttons=(first,)) if isinstance(reply, Ask) else reply

    # Decisions

    async def _decide(
        self, matter: _Matter, verdict: Verdict, row: VerdictRow, interaction: str
    ) -> Tell | Ask:
        """Decide, and say what came of it: a refusal in `Ask` can be mended by the person."""
        try:
            decided = await self._carry_out(matter, verdict, interaction)
        except AlreadySettled as error:
            return Tell(words=safe_line(f"{error}."), url=matter.url, is_refusal=True)
        except (NotEligible, NotFound):
            return Tell(words=_UNSEEN, is_refusal=True)
        except StaleDigest:
            return Tell(words=_STALE, url=matter.url, is_refusal=True)
        except InvalidAnswer as error:
            labels = {each.field.name: each.field.label for each in matter.review.card.blanks}
            return _wrong(error.errors, labels)
        except (InvalidArguments, InvalidOutput) as error:
            return Ask(words=safe_line(str(error)), buttons=())
        except AssentError as error:
            log.info("%s: a decision was refused: %s", self._channel, error.code)
            return Tell(words=safe_line(f"{error}."), url=matter.url, is_refusal=True)
        return Tell(words=_noticed(matter, decided, row))

    async def _carry_out(self, matter: _Matter, verdict: Verdict, key: str) -> Decided:
        request = matter.review.request
        return await self._assent.decide(
            request.id,
            verdict,
            by=matter.person,
            digest=request.digest,
            shown=matter.rendered.shown,
            channel=self._channel,
            idempotency_key=f"{self._channel}:{key}",
        )


def _refused(words: str, url: str = "") -> _Answered:
    return _Answered(Tell(words=words, url=url, is_refusal=True))


def _label(row: VerdictRow) -> str:
    return row.label.rstrip("…")


def _wrong(errors: Mapping[str, str], labels: Mapping[str, str], *buttons: Button) -> Ask:
    lines = (f"{safe_line(labels.get(name, name))}: {said}" for name, said in errors.items())
    words = "\n".join(("Nothing was decided yet.", *lines))
    return Ask(words=words, buttons=buttons, errors=errors)


def _noticed(matter: _Matter, decided: Decided, row: VerdictRow) -> str:
    request = matter.review.request
    if request.quorum > 1 and decided.status is RequestStatus.OPEN:
        return f"{row.notice} Others have to approve it, too."
    return row.notice


def _details(review: Review, url: str) -> Tell:
    text = plain.render(review.card, width=DETAILS_COLUMNS).text
    return Tell(words=text, url=url, is_foreign=True)
