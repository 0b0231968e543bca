"""Approvals that were judged again: edited ones, and those whose tool or policy has changed."""

from dataclasses import dataclass, replace

from assent.domain.calls import Author, Frozen
from assent.domain.confirmations import firmest
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import error_output, json_text
from assent.domain.policy import Deny
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.answers import Answered
from assent.engine.decisions.apply import Done, Verdicts, is_altered, tell_closed
from assent.engine.decisions.checks import Ballot, Case, Refusal
from assent.engine.gate.gated_calls import Asking, GatedCall
from assent.engine.runs.claims import REDEFINED
from assent.engine.transitions import Moves
from assent.errors import EditRefused, Superseded

S, R = CallStatus, RequestStatus
DEFINITION = "definition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """An approval whose arguments, policy or tool changed, judged once more."""

    tool: EffectiveTool
    gated: GatedCall
    edited: Frozen | None
    redefined: bool

    @property
    def is_approvable(self) -> bool:
        """True if the approval stands: nothing denies it, and the question is not put again."""
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
class Rejudging:
    """Applies verdicts after their second judgement."""

    verdicts: Verdicts

    def apply(
        self, moves: Moves, case: Case, ballot: Ballot, judged: Rejudged | Answered | Misfit
    ) -> Done | Refusal:
        """Apply a verdict if the case is still as it was judged."""
        if is_altered(case):
            return self.verdicts.altered(moves, case, ballot)
        match judged:
            case Answered():
                return self.verdicts.answer(moves, case, ballot, judged)
            case Misfit(reason=reason):
                return self._overtaken(moves, case, S.FAILED, by=DEFINITION, reason=reason)
            case Rejudged(gated=GatedCall(ruling=Deny() as denied)):
                return self._denied(moves, case, judged, denied)
            case Rejudged(redefined=True):
                return self._redefined(moves, case, judged)
            case Rejudged() if self._is_rerouted(case, judged):
                return self._rerouted(moves, case, ballot, judged)
            case Rejudged(edited=edited):
                return self.verdicts.approve(moves, case, ballot, edited=edited)

    def _is_rerouted(self, case: Case, judged: Rejudged) -> bool:
        """Return True if other people must be asked, or the same people about other arguments."""
        asking = judged.asking
        if asking is None:
            return judged.edited is not None and case.request.quorum > 1
        is_edited = judged.edited is not None and max(asking.quorum, case.request.quorum) > 1
        return (
            is_edited
            or asking.quorum > case.request.quorum
            or (asking.audience != case.request.audience)
        )

    def _denied(self, moves: Moves, case: Case, judged: Rejudged, denied: Deny) -> Refusal:
        if judged.edited is not None and not judged.redefined:
            return self.verdicts.refuse(moves, case, EditRefused(case.request.id, denied.reason))
        return self._overtaken(moves, case, S.DENIED, by=denied.by, reason=denied.reason)

    def _overtaken(
        self, moves: Moves, case: Case, target: CallStatus, *, by: str, reason: str
    ) -> Refusal:
        """End a call that can no longer be approved, and refuse the approval; the model is told."""
        if not moves.tx.requests.close(case.request, R.SUPERSEDED, by=by, in_time=True):
            return self.verdicts.late(moves, case)
        action, output = "deny" if target is S.DENIED else "redefine", error_output(reason)
        with moves.acting(by):
            moves.move(
                case.call, target, action, request_id=case.request.id, output=json_text(output)
            )
        return self._superseded(moves, case, by)

    def _superseded(self, moves: Moves, case: Case, by: str) -> Refusal:
        tell_closed(moves, case, R.SUPERSEDED, by)
        error = Superseded(case.request.id, R.SUPERSEDED, by=by, at=moves.now)
        return self.verdicts.refuse(moves, case, error)

    def _rerouted(
        self, moves: Moves, case: Case, ballot: Ballot, judged: Rejudged
    ) -> Done | Refusal:
        """Open a new request to those who must decide now; the editor's vote counts if it may."""
        asking = _asking(case, judged)
        text = None if judged.edited is None else judged.edited.text
        # The vote stays with the closed request, so that a repeat of it finds its first answer.
        refusal = self.verdicts.close(moves, case, ballot, R.SUPERSEDED, arguments=text)
        if refusal is not None:
            return refusal
        call = case.call
        if judged.edited is not None:
            note = self.verdicts.kernel.texts.edited.format(arguments=judged.edited.text)
            id = case.request.id
            told, frozen = ballot.witness, judged.edited
            call = moves.revise(
                call, S.PROPOSED, "edit", frozen, Author.EDIT, request_id=id, told=told, note=note
            )
        version = self.verdicts.kernel.policy_version
        call = moves.move(call, S.AWAITING_APPROVAL, "reroute", policy_version=version)
        request = self.verdicts.open(moves, call, case, asking)
        fresh = replace(case, request=request, call=call)
        if not request.admits(ballot.by):
            return self.verdicts.done(moves, case, R.SUPERSEDED, call)
        carried = self.verdicts.approve(
            moves, fresh, replace(ballot, request_id=request.id, key=None)
        )
        if isinstance(carried, Refusal):
            return carried
        answer = replace(carried.decided, request_id=case.request.id, status=R.SUPERSEDED)
        # A request that is decided already is not announced.
        opened = carried.requests if carried.decided.status is R.OPEN else ()
        return replace(carried, decided=answer, requests=opened)

    def _redefined(self, moves: Moves, case: Case, judged: Rejudged) -> Refusal:
        """Void an approval because the tool changed since the question, and ask again."""
        if judged.edited is None:
            raise AssertionError("a redefined call has arguments of its own")
        if not moves.tx.requests.close(case.request, R.SUPERSEDED, by=DEFINITION, in_time=True):
            return self.verdicts.late(moves, case)
        with moves.acting(DEFINITION):
            version = self.verdicts.kernel.policy_version
            asked = self.verdicts.claims.redefine(
                moves, case.call, judged.tool, judged.edited, judged_by=version
            )
        asking = judged.asking
        if asking is None:
            within = judged.tool.decide_within
            self.verdicts.claims.ask(
                moves, asked, judged.tool, case.conversation, REDEFINED, decide_within=within
            )
        else:
            question = changed(asking.question, reason=REDEFINED)
            firm = firmest(asking.confirmation, case.request.confirmation)
            again = replace(_asking(case, judged), question=question, confirmation=firm)
            self.verdicts.open(moves, asked, case, again)
        return self._superseded(moves, case, DEFINITION)


def _asking(case: Case, judged: Rejudged) -> Asking:
    """Return the question about edited arguments, put to as many people as before, or more."""
    request, asking = case.request, judged.asking
    if asking is None:
        # The policy would let it run by now, but a call that several were asked about stays theirs
        # to decide.
        within = None if request.decide_by is None else request.decide_by - request.created_at
        return Asking(
            kind=request.kind,
            question=request.question,
            audience=request.audience,
            decide_within=within,
            confirmation=request.confirmation,
            quorum=request.quorum,
        )
    quorum = max(asking.quorum, request.quorum)
    too_few = asking.audience.is_too_few(quorum, request.owner)
    audience = request.audience if too_few else asking.audience
    return replace(asking, quorum=quorum, audience=audience)
