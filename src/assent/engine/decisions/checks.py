"""Ballots and the cases they are about, and the reasons for which a ballot is refused."""

from dataclasses import dataclass, replace
from datetime import datetime

from assent.domain import decisions as verdicts
from assent.domain.calls import Call, Frozen
from assent.domain.canonical import Json, check, digest, encode, parse
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.conversations import Conversation, TurnRow
from assent.domain.decisions import Decision, Verdict
from assent.domain.forms import UserInput
from assent.domain.identifiers import want_findable, want_keepable
from assent.domain.lifecycle import RequestStatus
from assent.domain.outputs import json_text, jsonable
from assent.domain.people import ADMIN, Person, PersonKind, want_recordable
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.domain.verdicts import VERDICTS, name_of, names_for, row_of, words_of
from assent.engine.gate.gated_calls import Asking
from assent.engine.loop.proposals import storable
from assent.errors import (
    AlreadySettled,
    AlreadyVoted,
    AssentError,
    ConfirmationRequired,
    Expired,
    InvalidJson,
    KeyReused,
    NotAsShown,
    NotEligible,
    NotFound,
    StaleDigest,
    WrongVerdict,
)
from assent.ports import Tx

# Verdicts that count towards a quorum; all others are settled by one person.
_VOTES = frozenset(row.name for row in VERDICTS if row.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """A verdict on a request, by a person, over a channel."""

    request_id: str
    verdict: Verdict
    by: Person
    channel: str = "library"
    digest: str | None = None
    key: str | None = None
    # Which renderer showed this person what, as a hash.
    shown: str | None = None

    @property
    def witness(self) -> dict[str, Json]:
        """The hash of what this person was shown, for the record."""
        return {} if self.shown is None else {"shown": self.shown}

    def cleaned(self) -> "Ballot":
        """Return the ballot with outputs and reasons in a form that every database can hold.

        Ids are not cleaned but refused: here, before they reach a transaction.
        """
        want_findable("request", self.request_id)
        want_recordable(self.by)
        want_keepable("channel", self.channel)
        if self.key is not None:
            want_keepable("idempotency key", self.key)
        if self.shown is not None:
            want_keepable("name of what was shown", self.shown)
        clean = _cleaned(self.request_id, self.verdict)
        return self if clean is self.verdict else replace(self, verdict=clean)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request with its call and conversation."""

    request: Request
    call: Call
    conversation: Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The state of a request and its call after a decision; `replayed` if it was made before."""

    request_id: str
    status: RequestStatus
    call_id: str
    call_status: str
    turn_id: str
    conversation_id: str
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused attempt: recorded, then raised.

    `turn` goes on and `requests` are announced all the same.
    """

    error: AssentError
    turn: TurnRow | None = None
    requests: tuple[Request, ...] = ()


def _cleaned(request_id: str, verdict: Verdict) -> Verdict:
    if isinstance(verdict, verdicts.Supply | verdicts.Ran):
        return replace(verdict, output=jsonable(request_id, verdict.output))
    words = {row_of(name_of(verdict)).text: storable(words_of(verdict))}
    return replace(verdict, **words) if "" not in words else verdict


def open_case(tx: Tx, request_id: str, *, by: str | None = None) -> Case:
    """Read a request with its call and conversation, and lock the request; `by` is the decider."""
    found = tx.requests.case(request_id, by=by)
    if found is None:
        raise NotFound("request", request_id)
    request, call, conversation = found
    return Case(request=request, call=call, conversation=conversation)


def decided(
    request_id: str, status: RequestStatus, call: Call, *, replayed: bool = False
) -> Decided:
    """Return the present state of a request and its call."""
    return Decided(
        request_id=request_id,
        status=status,
        call_id=call.id,
        call_status=call.status,
        turn_id=call.turn_id,
        conversation_id=call.conversation_id,
        replayed=replayed,
    )


def earlier(tx: Tx, ballot: Ballot) -> Decided | None:
    """Return the first answer to this idempotency key; a key with another body is refused."""
    if ballot.key is None:
        return None
    made = tx.decisions.by_key(ballot.by.id, ballot.key)
    if made is None:
        return None
    case = open_case(tx, made.request_id)
    same = made.request_id == ballot.request_id and made.fingerprint == fingerprint(case, ballot)
    if not same:
        raise KeyReused(ballot.key)
    return _replayed(tx, case)


def repeated(tx: Tx, case: Case, ballot: Ballot) -> Decided | None:
    """Return the first answer if the same person repeats the same decision."""
    if case.request.is_open and not case.request.votes:
        return None
    print_ = fingerprint(case, ballot)
    for made in tx.decisions.of_request(case.request.id):
        if made.person == ballot.by.id and made.fingerprint == print_:
            return _replayed(tx, case)
    return None


def _replayed(tx: Tx, case: Case) -> Decided:
    # A transaction that waited for the request's lock read the call before the wait: read it again.
    call = tx.calls.get(case.call.id) or case.call
    return decided(case.request.id, case.request.status, call, replayed=True)


def voted(tx: Tx, case: Case, ballot: Ballot) -> AssentError | None:
    """Refuse a further approval by a human who has approved already, from whichever account."""
    request, by = case.request, ballot.by
    if request.quorum == 1 or name_of(ballot.verdict) not in _VOTES:
        return None
    if by.kind is PersonKind.SERVICE and by.behind is None:
        # A program that no human stands behind is not a further pair of eyes.
        return NotEligible(request.id, by.id)
    return AlreadyVoted(request.id, by.id) if has_voted(tx, request, by) else None


def has_voted(tx: Tx, request: Request, by: Person) -> bool:
    """Return True if an approval of this human is counted already, from whichever account."""
    if request.quorum == 1 or not request.votes:
        return False
    mine = {by.id, by.human, *_known(tx, by.id)}
    return any(mine & {made.person, made.human} for made in _votes(tx, request))


def standing(tx: Tx, request: Request) -> int:
    """Count the approvals by accounts that are still enabled."""
    if not request.votes:
        return 0
    people = {made.person for made in _votes(tx, request)}
    found = [tx.people.get(person) for person in people]
    return sum(account is None or not account.disabled for account in found)


def _votes(tx: Tx, request: Request) -> list[Decision]:
    made = tx.decisions.of_request(request.id) if request.votes else []
    return [each for each in made if each.verdict in _VOTES]


def _known(tx: Tx, person: str) -> set[str]:
    account = tx.people.get(person)
    return set() if account is None else {account.person.human}


def objection(case: Case, ballot: Ballot) -> AssentError | None:
    """Return why this ballot cannot count, or None; the database checks the deadline."""
    request, by = case.request, ballot.by
    eligible = request.admits(by)
    is_owner = by.id == case.conversation.owner.id
    is_agent = by.kind is PersonKind.AGENT
    withdraws = isinstance(ballot.verdict, verdicts.Cancel) and is_owner and not is_agent
    if not (eligible or withdraws):
        visible = is_owner or ADMIN in by.roles
        return NotEligible(request.id, by.id) if visible else NotFound("request", request.id)
    if not request.is_open:
        return AlreadySettled.of(
            request.id, request.status, by=request.closed_by, at=request.closed_at
        )
    if ballot.digest is not None and ballot.digest != request.digest:
        return StaleDigest(request.id)
    name = name_of(ballot.verdict)
    if name not in names_for(request.kind):
        return WrongVerdict(request.id, request.kind, name)
    return None


def unconfirmed(
    request: Request,
    call: Call,
    verdict: Verdict,
    tool: EffectiveTool | None,
    *,
    asking: Asking | None = None,
    edited: Frozen | None = None,
) -> ConfirmationRequired | None:
    """Return why an approval is not confirmed firmly enough, or None.

    `asking` is what the policy wants by now.
    """
    if not isinstance(verdict, verdicts.RunVerdict):
        return None
    wanted = firmest(request.confirmation, None if asking is None else asking.confirmation)
    if wanted is not Confirmation.TYPED:
        return None
    # Imported when used: most calls are approved by a click, and need no cards until then.
    from assent.presentation.phrases import phrase_of

    # A person types the value that will run: for edited arguments the edited value.
    phrase = phrase_of(call.tool, edited or call.arguments, tool)
    if phrase.is_typed(verdict.typed):
        return None
    is_wrong = verdict.typed is not None
    return phrase.refusal(request.id, typed=is_wrong)


def unlike_shown(case: Case, verdict: Verdict, edited: Frozen | None = None) -> NotAsShown | None:
    """Return an error if an approval would run other arguments than those that were shown."""
    runs = verdict.runs if isinstance(verdict, verdicts.Approve) else None
    exact = case.call.arguments if edited is None else edited
    return None if runs is None or runs == exact.digest else NotAsShown(case.request.id)


def expired(request: Request) -> Expired:
    """Return the refusal of a decision that came too late."""
    return Expired(request.id, RequestStatus.EXPIRED, by="deadline", at=request.decide_by)


def fingerprint(case: Case, ballot: Ballot) -> str:
    """Return a digest that is the same for the same decision; it never covers a secret's value."""
    return digest(json_text([name_of(ballot.verdict), _said(case.request, ballot.verdict)]))


def _said(request: Request, verdict: Verdict) -> object:
    match verdict:
        case verdicts.Approve():
            return _changes(verdict)
        case verdicts.Give(values=values):
            form = request.question.form
            hidden = UserInput.from_json(form).secrets if form else frozenset[str]()
            return {name: repr(value) for name, value in values.items() if name not in hidden}
        case verdicts.RunAgain():
            return None
        case _:
            said = [getattr(verdict, name) for name in row_of(name_of(verdict)).fields]
            return said[0] if len(said) == 1 else said


def _changes(approval: verdicts.Approve) -> Json:
    """Return an edit in one form, so that edits with the same meaning are equal."""
    whole, patch = _canonical(approval.arguments), _canonical(approval.edit)
    # An empty patch approves the arguments as shown.
    return whole if patch in ("", "{}") else ["edit", patch]


def _canonical(arguments: verdicts.Arguments | None) -> str:
    if arguments is None:
        return ""
    try:
        return encode(parse(arguments) if isinstance(arguments, str) else check(dict(arguments)))
    except InvalidJson:
        # It cannot count anyway; it is only ever compared with decisions that did.
        return str(arguments)


def vote(
    id: str,
    case: Case,
    ballot: Ballot,
    *,
    approved: str | None,
    arguments: str | None,
    now: datetime,
) -> Decision:
    """Return the row of a ballot that counts; `approved` is the digest of what it approves."""
    return Decision(
        id=id,
        request_id=case.request.id,
        person=ballot.by.id,
        channel=ballot.channel,
        verdict=name_of(ballot.verdict),
        fingerprint=fingerprint(case, ballot),
        reason=words_of(ballot.verdict),
        arguments=arguments,
        digest=approved,
        idempotency_key=ballot.key,
        shown=ballot.shown,
        human=ballot.by.human,
        at=now,
    )
