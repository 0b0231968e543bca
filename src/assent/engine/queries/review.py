"""A request with all that its page or the terminal shows, read in one transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from assent.domain.calls import Author, Call, Revision
from assent.domain.canonical import Json
from assent.domain.cards import Card, Past
from assent.domain.files import FileUse, references_in
from assent.domain.forms import UserInput
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.people import Person
from assent.domain.record import Precedent
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Catalogue
from assent.engine.decisions.checks import has_voted
from assent.engine.decisions.drafts import Draft, opened
from assent.engine.decisions.refilling import as_it_stands
from assent.engine.gate.definitions import tool_of
from assent.engine.queries.visibility import request_of, sees_everything, sees_request
from assent.engine.vault import Vault
from assent.errors import NotFound
from assent.ports import Tx
from assent.presentation.card import card_of
from assent.presentation.values import entries_of, hints_of

SIMILAR_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Earlier calls of the same tool by the same agent, newest first.

    `rejected` is how often the same call, argument by argument, was rejected in this conversation.
    """

    found: tuple[Precedent, ...] = ()
    tool: EffectiveTool | None = None
    rejected: int = 0

    @property
    def similar(self) -> tuple[Past, ...]:
        """The earlier calls as a card shows them; they may be large, so not for a transaction."""
        return tuple(_past(each, self.tool) for each in self.found)


def read_background(
    tx: Tx,
    request: Request,
    call: Call,
    tool: EffectiveTool | None,
    person: Person,
    *,
    everything: bool,
) -> Background:
    """Read the background of an approval; `everything` if the person sees all conversations."""
    if request.kind is not RequestKind.APPROVAL:
        return Background()
    found = _visible(tx, request, person, everything=everything)
    return Background(
        found=tuple(found),
        tool=tool,
        rejected=tx.precedents.rejections(request, call.arguments.digest),
    )


def _visible(tx: Tx, request: Request, person: Person, *, everything: bool) -> list[Precedent]:
    """Return calls of the person's own conversations and those they decided: others are private."""
    viewer, most = None if everything else person.id, SIMILAR_MAX
    found = tx.precedents.of_owner(request, viewer=viewer, limit=most)
    if len(found) < most and (everything or person.id != request.owner):
        known = {each.request_id for each in found}
        others = tx.precedents.of_everybody(request, viewer=viewer, limit=most)
        found += [each for each in others if each.request_id not in known]
    return sorted(found, key=lambda each: each.at, reverse=True)[:most]


def _past(precedent: Precedent, tool: EffectiveTool | None) -> Past:
    in_person = precedent.decided is not RequestStatus.EXPIRED
    # Without the tool it is unknown which of its arguments are secret.
    text = precedent.arguments if tool is not None else None
    return Past(
        at=precedent.at,
        call_id=precedent.call_id,
        request_id=precedent.request_id,
        status=precedent.status,
        by=(precedent.by or "") if in_person else "",
        arguments=entries_of(text, hints_of(tool)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """A call of the same answer, with the newest request about it; `is_here` marks this call."""

    call: Call
    question: Request | None
    is_here: bool
    may_decide: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Everything that a person looks at to decide a request."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    card: Card
    may_decide: bool
    # All calls of one answer that this person may see, in its order; this call is among them.
    answer: tuple[Sibling, ...] = ()
    # The saved draft of its form without secrets, and the names of the secrets that are known.
    draft: Mapping[str, Json] = field(default_factory=dict[str, Json])
    kept_secrets: frozenset[str] = frozenset()
    # The number of the draft, when it was saved, and with which save each answer in it came.
    draft_number: int = 0
    draft_at: datetime | None = None
    draft_changes: Mapping[str, int] = field(default_factory=dict[str, int])
    # A later request about the same call.
    later: Request | None = None
    # The arguments as edited by the person who approved it.
    edit: Revision | None = None
    revisions: Sequence[Revision] = ()
    # True if this person has approved it and others must, too; they may still reject.
    has_voted: bool = False
    # What was uploaded for the call.
    files: Sequence[FileUse] = ()

    @property
    def sent_files(self) -> list[FileUse]:
        """The files that its arguments hold."""
        arguments = self.call.arguments.thaw() if self.files else {}
        sent = {(name, each.key) for name, v in arguments.items() for each in references_in(v)}
        return [use for use in self.files if (use.field, use.reference.key) in sent]

    @property
    def may_edit(self) -> bool:
        """True if the arguments can be edited."""
        is_approval = self.request.kind is RequestKind.APPROVAL
        can = self.may_decide and not self.has_voted
        return can and is_approval and self.tool is not None

    @property
    def next(self) -> Sibling | None:
        """The next call of the same answer that this person can decide; starts over at the end."""
        here = next((n for n, each in enumerate(self.answer) if each.is_here), 0)
        others = (*self.answer[here + 1 :], *self.answer[:here])
        return next((each for each in others if each.may_decide), None)


def read_review(
    tx: Tx,
    catalogue: Catalogue,
    vault: Vault,
    person: Person,
    id: str,
    *,
    alone: bool = False,
) -> Callable[[], Review]:
    """Read a request that this person may see; raises `NotFound` otherwise.

    `alone` leaves out other calls: a link to one request tells of nothing else. Call the result in
    a thread: drawing a card of large arguments is no work for a transaction.
    """
    request = as_it_stands(tx, request_of(tx, person, id))
    call = tx.calls.get(request.call_id)
    if call is None:
        raise NotFound("request", id)
    tool = tool_of(tx, catalogue, call)
    asked = tx.requests.of_turn(call.turn_id)
    answer = _answer(tx, call, asked, person, everything=_sees_all(person, request))
    if alone:
        answer = tuple(each for each in answer if each.is_here)
    revisions = tx.calls.revisions(call.id)
    may_decide = request.is_open and request.admits(person)
    voted = may_decide and has_voted(tx, request, person)
    files = tx.files.uses(call.id) if _takes_files(request, tool) else []
    draw = _card(tx, person, request, call, tool, revisions=revisions, answer=answer)

    def matter() -> Review:
        saved = opened(vault, request) if may_decide else Draft()
        kept, secrets, card = saved.values, _secrets(request), draw()
        # Those of a draft, of the conversation and of preferences: left empty, they are used.
        known = frozenset(request.question.prefilled if may_decide else ())
        return Review(
            request=request,
            call=call,
            tool=tool,
            card=replace(card, similar=()) if alone else card,
            may_decide=may_decide,
            answer=answer,
            draft={name: value for name, value in kept.items() if name not in secrets},
            kept_secrets=frozenset((*kept, *known)) & secrets,
            draft_number=saved.number,
            draft_at=saved.at,
            draft_changes=saved.changed,
            later=_later(call, asked, request, person),
            edit=_edit(request, revisions),
            revisions=revisions,
            has_voted=voted,
            files=files,
        )

    return matter


def _takes_files(request: Request, tool: EffectiveTool | None) -> bool:
    form = None if tool is None else tool.tool.user_input
    asked = request.question.form
    own = asked is not None and bool(UserInput.from_json(asked).files)
    return own or (form is not None and bool(form.files))


def _card(
    tx: Tx,
    person: Person,
    request: Request,
    call: Call,
    tool: EffectiveTool | None,
    *,
    revisions: Sequence[Revision],
    answer: Sequence[Sibling],
) -> Callable[[], Card]:
    said = tx.messages.get(call.message_id)
    past = read_background(tx, request, call, tool, person, everything=sees_everything(person))
    decisions = tx.decisions.of_request(request.id)
    return lambda: card_of(
        request,
        call,
        tool,
        revisions=revisions,
        decisions=decisions,
        agent_words=said.text if said else "",
        beside=[each.call.tool for each in answer if _is_waiting(each)],
        similar=past.similar,
        rejected=past.rejected,
    )


def _answer(
    tx: Tx, call: Call, asked: Sequence[Request], person: Person, *, everything: bool
) -> tuple[Sibling, ...]:
    calls = (each for each in tx.calls.of_turn(call.turn_id) if each.message_id == call.message_id)
    found = (
        _sibling(each, _newest(each, asked), person, is_here=each.id == call.id) for each in calls
    )
    # A person who is asked about one call of an answer learns nothing of calls put to others.
    return tuple(
        each
        for each in found
        if each.is_here
        or everything
        or (each.question is not None and sees_request(person, each.question))
    )


def _sees_all(person: Person, request: Request) -> bool:
    return sees_everything(person) or person.id == request.owner


def _sibling(call: Call, question: Request | None, person: Person, *, is_here: bool) -> Sibling:
    can = question is not None and question.is_open and question.admits(person)
    return Sibling(call=call, question=question, is_here=is_here, may_decide=can and not is_here)


def _is_waiting(sibling: Sibling) -> bool:
    question = sibling.question
    return not sibling.is_here and question is not None and question.is_open


def _newest(call: Call, asked: Iterable[Request]) -> Request | None:
    of_call = (each for each in asked if each.call_id == call.id)
    return max(of_call, key=lambda each: (each.created_at, each.revision), default=None)


def _later(
    call: Call, asked: Iterable[Request], request: Request, person: Person
) -> Request | None:
    newest = _newest(call, asked)
    if newest is None or newest.id == request.id or not sees_request(person, newest):
        return None
    return newest


def _edit(request: Request, revisions: Sequence[Revision]) -> Revision | None:
    after = (each for each in revisions if each.revision == request.revision + 1)
    edited = (each for each in after if each.author is Author.EDIT and not request.is_open)
    return next(edited, None)


def _secrets(request: Request) -> frozenset[str]:
    form = request.question.form
    return UserInput.from_json(form).secrets if form else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A request, the call it is about, the tool if it is known here, and the card of it all."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    card: Card


def read_showing(tx: Tx, request_id: str, catalogue: Catalogue) -> Callable[[], Showing]:
    """Read everything about one request.

    Call the result in a thread: drawing a large request takes long.
    """
    want_findable("request", request_id)
    request = tx.requests.look(request_id)
    call = None if request is None else tx.calls.get(request.call_id)
    if request is None or call is None:
        raise NotFound("request", request_id)
    tool = tool_of(tx, catalogue, call)
    said = tx.messages.get(call.message_id)
    draw = partial(
        card_of,
        request,
        call,
        tool,
        revisions=tx.calls.revisions(call.id),
        decisions=tx.decisions.of_request(request.id),
        agent_words="" if said is None else said.text,
        rejected=tx.precedents.rejections(request, call.arguments.digest),
    )
    return lambda: Showing(request=request, call=call, tool=tool, card=draw())
