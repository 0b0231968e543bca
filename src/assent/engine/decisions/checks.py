"""Checks of an attempt to decide: whether it is refused, or repeats an earlier decision."""

from assent.domain import decisions as verdicts
from assent.domain.calls import Call, Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.decisions import Decision
from assent.domain.lifecycle import RequestStatus
from assent.domain.outputs import parsed
from assent.domain.people import ADMIN, Person, PersonKind
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, OutputCodec
from assent.domain.verdicts import VERDICTS, name_of, names_for
from assent.engine.decisions.attempts import (
    Case,
    Decided,
    DecisionAttempt,
    DecisionOutcome,
    fingerprint,
    lock_request,
)
from assent.engine.gate.gated_calls import Asking, binding_of
from assent.errors import (
    AlreadySettled,
    AlreadyVoted,
    AssentError,
    ConfirmationRequired,
    Expired,
    InvalidOutput,
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


def earlier(tx: Tx, attempt: DecisionAttempt) -> DecisionOutcome | None:
    """Return the first answer to this idempotency key; a key with another body is refused."""
    if attempt.key is None:
        return None
    made = tx.decisions.by_key(attempt.by.id, attempt.key)
    if made is None:
        return None
    request, call, _ = lock_request(tx, made.request_id)
    same = made.fingerprint == fingerprint(request, attempt)
    if made.request_id != attempt.request_id or not same:
        raise KeyReused(attempt.key)
    return _replayed(tx, request, call)


def repeated(tx: Tx, case: Case) -> DecisionOutcome | None:
    """Return the first answer if the same person repeats the same decision."""
    request, attempt = case.request, case.attempt
    if request.is_open and not request.votes:
        return None
    print_ = fingerprint(request, attempt)
    for made in tx.decisions.of_request(request.id):
        if made.person == attempt.by.id and made.fingerprint == print_:
            return _replayed(tx, request, case.call)
    return None


def _replayed(tx: Tx, request: Request, call: Call) -> DecisionOutcome:
    # A transaction that waited for the request's lock read the call before the wait: read it again.
    now = tx.calls.get(call.id) or call
    decided = Decided.of(request.id, request.status, now, replayed=True)
    return DecisionOutcome(request_id=request.id, decided=decided)


def objection(tx: Tx, case: Case) -> AssentError | None:
    """Return why this attempt cannot count, or None; the database checks the deadline."""
    request, attempt, by = case.request, case.attempt, case.attempt.by
    eligible = request.admits(by)
    is_owner = by.id == case.conversation.owner.id
    is_agent = by.kind is PersonKind.AGENT
    withdraws = isinstance(attempt.verdict, verdicts.Cancel) and is_owner and not is_agent
    if not (eligible or withdraws):
        visible = is_owner or ADMIN in by.roles
        return NotEligible(request.id, by.id) if visible else NotFound("request", request.id)
    if not request.is_open:
        return AlreadySettled.of(
            request.id, request.status, by=request.closed_by, at=request.closed_at
        )
    if attempt.digest is not None and attempt.digest != request.digest:
        return StaleDigest(request.id)
    name = name_of(attempt.verdict)
    if name not in names_for(request.kind):
        return WrongVerdict(request.id, request.kind, name)
    return _voted(tx, case)


def _voted(tx: Tx, case: Case) -> AssentError | None:
    """Refuse a further approval by a human who has approved already, from whichever account."""
    request, by = case.request, case.attempt.by
    if request.quorum == 1 or name_of(case.attempt.verdict) not in _VOTES:
        return None
    if by.kind is PersonKind.SERVICE and by.behind is None:
        # A program that no human stands behind is not a further pair of eyes.
        return NotEligible(request.id, by.id)
    return AlreadyVoted(request.id, by.id) if has_voted(tx, request, by) else None


def has_voted(tx: Tx, request: Request, by: Person) -> bool:
    """Return True if an approval of this human is counted already, from whichever account."""
    if request.quorum == 1 or not request.votes:
        return False
    account = tx.people.get(by.id)
    mine = {by.id, by.human, *(() if account is None else (account.person.human,))}
    return any(mine & {made.person, made.human} for made in _votes(tx, request))


def valid_votes(tx: Tx, request: Request) -> int:
    """Count the approvals by accounts that are still enabled."""
    if not request.votes:
        return 0
    people = {made.person for made in _votes(tx, request)}
    found = [tx.people.get(person) for person in people]
    return sum(account is None or not account.disabled for account in found)


def _votes(tx: Tx, request: Request) -> list[Decision]:
    made = tx.decisions.of_request(request.id) if request.votes else []
    return [each for each in made if each.verdict in _VOTES]


def unconfirmed(
    case: Case,
    tool: EffectiveTool | None,
    *,
    asking: Asking | None = None,
    edited: Frozen | None = None,
) -> ConfirmationRequired | None:
    """Return why an approval is not confirmed firmly enough, or None.

    `asking` is what the policy asks for now.
    """
    request, call, verdict = case.request, case.call, case.attempt.verdict
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


def unlike_shown(case: Case, edited: Frozen | None = None) -> NotAsShown | None:
    """Return an error if an approval would run other arguments than those that were shown."""
    verdict = case.attempt.verdict
    runs = verdict.runs if isinstance(verdict, verdicts.Approve) else None
    exact = case.call.arguments if edited is None else edited
    return None if runs is None or runs == exact.digest else NotAsShown(case.request.id)


def is_altered(case: Case) -> bool:
    """Return True if the rows no longer match the digest that people were asked with."""
    bound = binding_of(case.call, case.request, case.conversation).digest
    return bound != case.request.digest or not case.call.arguments.is_intact


def expired(request: Request) -> Expired:
    """Return the refusal of a decision that came too late."""
    return Expired(request.id, RequestStatus.EXPIRED, by="deadline", at=request.decide_by)


def check_supplied(wanted: OutputCodec, output: Json) -> None:
    """Raise `InvalidOutput` if the output is not what the tool declares; text may hold JSON."""
    try:
        wanted.normalise(parsed(output))
    except InvalidOutput as error:
        # A text of digits can be read as a number or as text: take it as the tool declares.
        if not isinstance(output, str) or not _is_text_wanted(wanted, output):
            raise error from None


def _is_text_wanted(wanted: OutputCodec, text: str) -> bool:
    try:
        wanted.normalise(text)
    except InvalidOutput:
        return False
    return True
