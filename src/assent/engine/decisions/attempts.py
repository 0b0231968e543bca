"""A decision, from the attempt to its outcome."""

from dataclasses import dataclass, replace
from datetime import datetime

from msgspec import Struct

from assent.domain import decisions as verdicts
from assent.domain.calls import Call, Frozen
from assent.domain.canonical import Json, check, digest, encode, parse
from assent.domain.conversations import Conversation, TurnRow
from assent.domain.copies import changed
from assent.domain.decisions import Decision, Verdict
from assent.domain.forms import SealedSecret, UserInput
from assent.domain.identifiers import want_findable, want_keepable
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.outputs import json_text, jsonable
from assent.domain.own_rules import NO_RULES, OwnRules
from assent.domain.people import Person, want_recordable
from assent.domain.policy import Deny
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.domain.verdicts import name_of, row_of, words_of
from assent.engine.decisions.drafts import Carried, Draft
from assent.engine.gate.gated_calls import Asking, GatedCall
from assent.engine.gate.merging import Merged
from assent.engine.loop.proposals import storable
from assent.engine.runs.claims import Claim
from assent.errors import AssentError, InvalidJson, NotFound
from assent.ports import Tx


class DecisionAttempt(Struct, frozen=True, kw_only=True):
    """A verdict on a request, by a person, over a channel."""

    request_id: str
    verdict: Verdict
    by: Person
    channel: str = "library"
    digest: str | None = None
    key: str | None = None
    # A hash of what this person was shown, and by which renderer.
    shown: str | None = None
    # An edit in canonical form, to compare decisions by; `cleaned` makes it, since it may be large.
    changes: Json = None

    @property
    def witness(self) -> dict[str, Json]:
        """The hash of what this person was shown, for the record."""
        return {} if self.shown is None else {"shown": self.shown}

    @property
    def is_edit(self) -> bool:
        """True if it approves other arguments than those that were asked about."""
        return isinstance(self.verdict, verdicts.Approve) and self.verdict.is_edit

    def cleaned(self) -> "DecisionAttempt":
        """Return the attempt with outputs and reasons in a form that every database can hold.

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
        changes = _changes(clean) if isinstance(clean, verdicts.Approve) else None
        return changed(self, verdict=clean, changes=changes)


def _cleaned(request_id: str, verdict: Verdict) -> Verdict:
    if isinstance(verdict, verdicts.Supply | verdicts.Ran):
        return replace(verdict, output=jsonable(request_id, verdict.output))
    words = {row_of(name_of(verdict)).text: storable(words_of(verdict))}
    return replace(verdict, **words) if "" not in words else verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondRuling:
    """The gate's ruling on an approval whose arguments, policy or tool changed."""

    tool: EffectiveTool
    gated: GatedCall
    edited: Frozen | None
    redefined: bool

    @property
    def is_approvable(self) -> bool:
        """True if the approval can count: it is not denied, and the question is not asked again."""
        return not (self.redefined or isinstance(self.gated.ruling, Deny))

    @property
    def asking(self) -> Asking | None:
        """The request for approval needed now; a manual tool's result is asked for later."""
        asking = self.gated.asking
        return asking if asking is not None and asking.kind is RequestKind.APPROVAL else None


@dataclass(frozen=True, slots=True)
class Misfit:
    """An approval of arguments that the changed tool no longer accepts."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledForm:
    """The validated answers of a form with the gate's ruling on them."""

    merged: Merged
    gated: GatedCall

    @property
    def told(self) -> dict[str, Json]:
        """Where answers came from that were not typed, and what is kept of them, for the record."""
        kept: dict[str, Json] = {each.name: each.id for each in self.merged.preferred}
        told: dict[str, Json] = {"origins": dict(self.gated.origins), "preferences": kept}
        return {name: found for name, found in told.items() if found}


@dataclass(frozen=True, slots=True)
class SealedDraft:
    """The answers of a part of a form, sealed."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reformed:
    """The answers to a form whose definition has changed: those that fit go on in the new one."""

    tool: EffectiveTool
    asking: Asking
    draft: Draft
    carried: Carried


@dataclass(frozen=True, slots=True)
class Continued:
    """The validated answers to a body's own question, sealed."""

    answers: SealedSecret


Again = SecondRuling | Misfit | FilledForm | SealedDraft | Reformed | Continued


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An attempt with the rows that it is about, as a transaction read them.

    `again` is the gate's second ruling; None if nothing has changed since the question.
    """

    attempt: DecisionAttempt
    request: Request
    call: Call
    conversation: Conversation
    # True if its turn was started with a per-run predicate.
    guarded: bool = False
    again: Again | None = None
    # The policy's version before the gate began to rule again.
    ruled_under: str = ""
    # The rules of the conversation's owner; read if the gate has to rule again.
    own: OwnRules = NO_RULES

    @property
    def judged_by(self) -> str:
        """The version of the policy that judged what is decided; it may be outdated by now."""
        return self.request.policy_version if self.again is None else self.ruled_under


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

    @classmethod
    def of(
        cls, request_id: str, status: RequestStatus, call: Call, *, replayed: bool = False
    ) -> "Decided":
        """Return the present state of a request and its call."""
        return cls(
            request_id=request_id,
            status=status,
            call_id=call.id,
            call_status=call.status,
            turn_id=call.turn_id,
            conversation_id=call.conversation_id,
            replayed=replayed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOutcome:
    """The outcome of an attempt: `decided`, or the `error` it was refused with.

    After the commit its claim runs, its turn goes on and the opened requests are announced.
    """

    request_id: str
    decided: Decided | None = None
    error: AssentError | None = None
    claim: Claim | None = None
    turn: TurnRow | None = None
    opened: tuple[Request, ...] = ()


def lock_request(
    tx: Tx, request_id: str, *, by: str | None = None
) -> tuple[Request, Call, Conversation]:
    """Read a request with its call and conversation, and lock the request; `by` is the decider."""
    found = tx.requests.case(request_id, by=by)
    if found is None:
        raise NotFound("request", request_id)
    return found


def fingerprint(request: Request, attempt: DecisionAttempt) -> str:
    """Return a digest that is the same for the same decision; it never covers a secret's value."""
    return digest(json_text([name_of(attempt.verdict), _said(request, attempt)]))


def _said(request: Request, attempt: DecisionAttempt) -> object:
    match verdict := attempt.verdict:
        case verdicts.Approve():
            return _changes(verdict) if attempt.changes is None else attempt.changes
        case verdicts.Give(values=values):
            form = request.question.form
            hidden = UserInput.from_json(form).secrets if form else frozenset[str]()
            said = {name: repr(value) for name, value in values.items() if name not in hidden}
            # No field has such a name; left out if not said, as in decisions of earlier releases.
            more = {"$keep": verdict.keep, "$accept": sorted(verdict.accept)}
            return said | {name: value for name, value in more.items() if value}
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
        # Invalid arguments never count; they are only compared with those of decisions that did.
        return str(arguments)


def decision_row(
    id: str, case: Case, *, approved: str | None, arguments: str | None, now: datetime
) -> Decision:
    """Return the row of an attempt that counts; `approved` is the digest of what it approves."""
    attempt = case.attempt
    return Decision(
        id=id,
        request_id=case.request.id,
        person=attempt.by.id,
        channel=attempt.channel,
        verdict=name_of(attempt.verdict),
        fingerprint=fingerprint(case.request, attempt),
        reason=words_of(attempt.verdict),
        arguments=arguments,
        digest=approved,
        idempotency_key=attempt.key,
        shown=attempt.shown,
        human=attempt.by.human,
        at=now,
    )
