"""Second rulings: the gate rules again on edits, answers, and changed tools or policies."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never, cast

from assent.domain.calls import Author, Call, Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import firmest
from assent.domain.copies import changed
from assent.domain.decisions import Approve, Give
from assent.domain.files import FileUse
from assent.domain.forms import SealedSecret, UserInput
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.domain.outputs import error_output, json_text
from assent.domain.policy import Allow, Deny
from assent.domain.preferences import Keep
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.apply import Verdicts, tell_closed
from assent.engine.decisions.attempts import (
    Again,
    Case,
    Continued,
    DecisionOutcome,
    FilledForm,
    Misfit,
    Reformed,
    SealedDraft,
    SecondRuling,
)
from assent.engine.decisions.checks import objection
from assent.engine.decisions.drafts import Draft, carried, opened, with_present_files
from assent.engine.decisions.drafts import sealed as sealed_draft
from assent.engine.decisions.filling import Filling
from assent.engine.decisions.refilling import refilled, without_deleted
from assent.engine.files.answers import with_files
from assent.engine.gate.gated_calls import Asking, GatedCall
from assent.engine.gate.intake import revised
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.offers import proven
from assent.engine.runs.claims import REDEFINED
from assent.engine.runs.exchanges import is_exchange, sealed
from assent.engine.threads import offload, weight
from assent.engine.transitions import Moves
from assent.engine.vault import references
from assent.errors import EditRefused, InvalidAnswer, InvalidArguments, Superseded
from assent.ports import CallChanges

S, R = CallStatus, RequestStatus
DEFINITION = "definition"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondRulings:
    """Asks the gate again, outside any transaction, and applies its ruling inside one."""

    kernel: Kernel
    verdicts: Verdicts

    async def rule(self, case: Case) -> Again | None:
        """Return what the gate rules on an edit or an answer; None if nothing is new.

        Raises an error for arguments or answers that are not valid, with every problem.
        """
        verdict, tool = case.attempt.verdict, self._tool(case)
        if tool is None and case.attempt.is_edit:
            # An edit that cannot be checked here must not end as an approval of the original
            # arguments.
            gone = "arguments: its tool is not known here, so nobody can check an edit"
            raise InvalidArguments(case.call.tool, [gone])
        if tool is None:
            return None
        planner = Planner(
            gate=self.kernel.gate(case.call.turn_id, guarded=case.guarded, own=case.own),
            vault=self.kernel.vault,
            ids=self.kernel.ids,
            conversation=case.conversation,
        )
        if isinstance(verdict, Give):
            return await self._fill(case, tool, verdict, planner)
        return await self._rule_again(case, tool, cast("Approve", verdict), planner)

    def _tool(self, case: Case) -> EffectiveTool | None:
        return self.kernel.catalogue.tool_of(case.call)

    async def _rule_again(
        self, case: Case, tool: EffectiveTool, approval: Approve, planner: Planner
    ) -> SecondRuling | Misfit | None:
        call, edited = case.call, None
        redefined = tool.tool.definition_hash != call.definition_hash
        if redefined:
            try:
                edited = await offload(len(call.arguments.text), _normal, tool, call.arguments)
            except InvalidArguments as error:
                return Misfit(str(error))
        elif approval.is_edit:
            # In a thread: a person may send arguments as large as a model may.
            edited = await asyncio.to_thread(revised, tool, approval, call.arguments)
        if edited is None and case.request.policy_version == self.kernel.policy_version:
            return None
        gated = await planner.plan(call, tool, edited or call.arguments)
        return SecondRuling(tool=tool, gated=gated, edited=edited, redefined=redefined)

    async def _fill(
        self, case: Case, tool: EffectiveTool, given: Give, planner: Planner
    ) -> FilledForm | SealedDraft | Reformed | Continued:
        if references(dict(case.request.question.prefilled)):
            # One that was deleted since the form was filled in with it is asked for again.
            request = await self.kernel.store.run(lambda tx: without_deleted(tx, case.request))
            case = replace(case, request=request)
        form = UserInput.from_json(cast("Mapping[str, Json]", case.request.question.form or {}))
        given = replace(given, values=proven(self.kernel.vault, case.request, form, given.values))
        uses: list[FileUse] = []
        if form.files:
            uses = await self.kernel.store.run(lambda tx: tx.files.uses(case.call.id))
            given = replace(given, values=with_files(form, uses, given.values))
        size = weight(given.values) + len(case.call.arguments.text) + len(case.request.draft or "")
        own = is_exchange(case.call, case.request)
        if not own and tool.tool.user_input not in (None, form):
            return await offload(size, self._reformed, case, tool, form, given)
        if given.partial:
            return SealedDraft(await offload(size, self._sealed, case, form, given, uses))
        if own:
            return Continued(await offload(size, self._answered, case, form, given, uses))
        filling = Filling(
            kernel=self.kernel, case=case, tool=tool, form=form, given=given, uses=uses
        )
        filled = await offload(size, filling.fill)
        gated = await planner.plan(case.call, tool, filled.merged.frozen, filled.merged.arguments)
        return FilledForm(merged=filled.merged, gated=gated.filled(filled.origins))

    def _sealed(self, case: Case, form: UserInput, given: Give, uses: Sequence[FileUse]) -> str:
        before = with_present_files(opened(self.kernel.vault, case.request), form, uses)
        answers = form.validate_part(given.values, before.values)
        before.refuse_unseen(case.request.id, answers, given.seen)
        after = before.with_answers(answers, self.kernel.clock.now())
        return sealed_draft(self.kernel.vault, case.request.id, after)

    def _reformed(self, case: Case, tool: EffectiveTool, form: UserInput, given: Give) -> Reformed:
        now = tool.tool.user_input or form
        before = opened(self.kernel.vault, case.request)
        before.refuse_unseen(case.request.id, cast("Mapping[str, Json]", given.values), given.seen)
        kept = carried(form, now, {**before.values, **given.values})
        draft = Draft(number=before.number).with_answers(kept.values, self.kernel.clock.now())
        question = changed(
            refilled(case.request.question, form, now, tool),
            reason=now.reason,
            text="\n\n".join(filter(None, (kept.words, tool.tool.question))),
        )
        asking = Asking(
            kind=case.request.kind,
            question=question,
            audience=case.request.audience,
            decide_within=case.conversation.time_to_decide(tool),
        )
        return Reformed(tool=tool, asking=asking, draft=draft, carried=kept)

    def _answered(
        self, case: Case, form: UserInput, given: Give, uses: Sequence[FileUse]
    ) -> SealedSecret:
        before = with_present_files(opened(self.kernel.vault, case.request), form, uses)
        if given.keep is Keep.PERSON or given.accept:
            raise InvalidAnswer({"keep": "A tool asks this while it runs: nothing of it is kept."})
        answers = form.validate(given.values, before.values)
        _refuse_unseen(case, before, answers, given)
        now, id = self.kernel.clock.now(), case.request.id
        return sealed(self.kernel.vault, id, case.call, answers, now)

    def apply(self, moves: Moves, case: Case, again: Again) -> DecisionOutcome:
        """Apply a verdict as the gate ruled on it."""
        match again:
            case SealedDraft(text=text):
                return self._keep_draft(moves, case, text)
            case FilledForm():
                return self._answer(moves, case, again)
            case Reformed():
                return self._reform(moves, case, again)
            case Continued(answers=answers):
                return self.verdicts.resume(moves, case, answers)
            case Misfit(reason=reason):
                return self._overtaken(moves, case, S.FAILED, by=DEFINITION, reason=reason)
            case SecondRuling(gated=GatedCall(ruling=Deny() as denied)):
                return self._denied(moves, case, again, denied)
            case SecondRuling(redefined=True):
                return self._redefined(moves, case, again)
            case SecondRuling() if _is_rerouted(case.request, again):
                return self._rerouted(moves, case, again)
            case SecondRuling(edited=edited):
                return self.verdicts.approve(moves, case, edited=edited)
        assert_never(again)

    def _keep_draft(self, moves: Moves, case: Case, draft: str) -> DecisionOutcome:
        if not moves.tx.requests.keep_draft(case.request, draft):
            return self.verdicts.late(moves, case)
        call = self.verdicts.stay(moves, case, "draft")
        return self.verdicts.done(moves, case, R.OPEN, call)

    def _reform(self, moves: Moves, case: Case, again: Reformed) -> DecisionOutcome:
        """Close the form that was shown, and open the changed one with the answers that fit it."""
        request = case.request
        if not moves.tx.requests.close(request, R.SUPERSEDED, by=DEFINITION, in_time=True):
            return self.verdicts.late(moves, case)
        left: dict[str, Json] = {
            "dropped": list(again.carried.dropped),
            "asked_again": list(again.carried.asked_again),
        }
        with moves.acting(DEFINITION):
            call = moves.move(
                case.call,
                S.AWAITING_INPUT,
                "redefine",
                request_id=request.id,
                data=left,
                definition_hash=again.tool.tool.definition_hash,
            )
        self.verdicts.open(moves, call, case, again.asking, draft=again.draft)
        return self._superseded(moves, case, DEFINITION)

    def _answer(self, moves: Moves, case: Case, filled: FilledForm) -> DecisionOutcome:
        """Make the answered arguments the next revision, and move it as the gate ruled."""
        merged = filled.merged
        if (refusal := self.verdicts.close(moves, case, R.ANSWERED)) is not None:
            return refusal
        moves.tx.values.seal(merged.sealed)
        moves.tx.values.save(merged.saved)
        for kept in merged.preferred:
            moves.tx.preferences.put(kept)
        id, told = case.request.id, {**case.attempt.witness, **filled.told}
        call = moves.revise(
            case.call, S.PROPOSED, "answer", merged.frozen, Author.ANSWER, request_id=id, told=told
        )
        return self._follow(moves, case, call, filled.gated)

    def _follow(self, moves: Moves, case: Case, call: Call, gated: GatedCall) -> DecisionOutcome:
        """Move a revision to where the gate's ruling says."""
        done, status = self.verdicts.done, R.ANSWERED
        changes: CallChanges = {"policy_version": case.judged_by}
        data: dict[str, Json] = {"by": gated.by}
        if isinstance(gated.ruling, Deny):
            changes["output"] = json_text(error_output(gated.ruling.reason))
            moved = moves.move(call, S.DENIED, "gate", data=data, **changes)
            return done(moves, case, status, moved)
        if isinstance(gated.ruling, Allow):
            changes["cleared_by"] = gated.ruling.by
            changes["approved"] = gated.ruling.waived
            if call.by_caller and gated.tool is not None:
                changes["run_by"] = gated.tool.tool.run_within
        moved = moves.move(call, gated.call.status, "gate", data=data, **changes)
        if gated.asking is not None:
            self.verdicts.open(moves, moved, case, gated.asking)
            return done(moves, case, status, moved)
        if call.by_caller or not self.verdicts.runs_here:
            return done(moves, case, status, moved)
        claim = self.verdicts.claims.take(moves, moved, case.conversation, verified=True)
        return done(moves, case, status, claim.call if claim else moved, claim=claim)

    def _denied(
        self, moves: Moves, case: Case, again: SecondRuling, denied: Deny
    ) -> DecisionOutcome:
        if again.edited is not None and not again.redefined:
            return self.verdicts.refuse(moves, case, EditRefused(case.request.id, denied.reason))
        return self._overtaken(moves, case, S.DENIED, by=denied.by, reason=denied.reason)

    def _overtaken(
        self, moves: Moves, case: Case, target: CallStatus, *, by: str, reason: str
    ) -> DecisionOutcome:
        """End a call that can no longer be approved, and refuse the approval; the model is told."""
        if not moves.tx.requests.close(case.request, R.SUPERSEDED, by=by, in_time=True):
            return self.verdicts.late(moves, case)
        action, output = "deny" if target is S.DENIED else "redefine", error_output(reason)
        with moves.acting(by):
            moves.move(
                case.call, target, action, request_id=case.request.id, output=json_text(output)
            )
        return self._superseded(moves, case, by)

    def _superseded(self, moves: Moves, case: Case, by: str) -> DecisionOutcome:
        tell_closed(moves, case.request, R.SUPERSEDED, by)
        error = Superseded(case.request.id, R.SUPERSEDED, by=by, at=moves.now)
        return self.verdicts.refuse(moves, case, error)

    def _rerouted(self, moves: Moves, case: Case, again: SecondRuling) -> DecisionOutcome:
        """Open a new request to those who must decide now; this vote counts there if admitted."""
        asking, attempt = _asking(case.request, again), case.attempt
        text = None if again.edited is None else again.edited.text
        # Stored with the closed request, too, so that a repeated vote gets the first answer.
        refusal = self.verdicts.close(moves, case, R.SUPERSEDED, arguments=text)
        if refusal is not None:
            return refusal
        call = case.call
        if again.edited is not None:
            call = self.verdicts.revise(moves, case, again.edited, told=attempt.witness)
        version = case.judged_by
        call = moves.move(call, S.AWAITING_APPROVAL, "reroute", policy_version=version)
        request = self.verdicts.open(moves, call, case, asking)
        attempt = changed(attempt, request_id=request.id, digest=None, key=None)
        fresh = replace(case, attempt=attempt, request=request, call=call)
        # The first check was by the terms of the closed request; this one may want more people.
        if objection(moves.tx, fresh) is not None:
            return self.verdicts.done(moves, case, R.SUPERSEDED, call)
        id = case.request.id
        carried = replace(self.verdicts.approve(moves, fresh), request_id=id)
        if carried.decided is None:
            return carried
        # A request that is decided already is not announced.
        opened = carried.opened if carried.decided.status is R.OPEN else ()
        answer = replace(carried.decided, request_id=id, status=R.SUPERSEDED)
        return replace(carried, decided=answer, opened=opened)

    def _redefined(self, moves: Moves, case: Case, again: SecondRuling) -> DecisionOutcome:
        """Void an approval because the tool changed since the question, and ask again."""
        if again.edited is None:
            raise AssertionError("a redefined call has arguments of its own")
        if not moves.tx.requests.close(case.request, R.SUPERSEDED, by=DEFINITION, in_time=True):
            return self.verdicts.late(moves, case)
        claims, asking = self.verdicts.claims, again.asking
        with moves.acting(DEFINITION):
            version = case.judged_by
            asked = claims.redefine(moves, case.call, again.tool, again.edited, judged_by=version)
        if asking is None:
            within = case.conversation.time_to_decide(again.tool)
            claims.ask(moves, asked, again.tool, case.conversation, REDEFINED, decide_within=within)
        else:
            question = changed(asking.question, reason=REDEFINED)
            firm = firmest(asking.confirmation, case.request.confirmation)
            put = replace(_asking(case.request, again), question=question, confirmation=firm)
            self.verdicts.open(moves, asked, case, put)
        return self._superseded(moves, case, DEFINITION)


def _refuse_unseen(case: Case, before: Draft, answers: Mapping[str, Json], given: Give) -> None:
    mine = {name: answers.get(name) for name in given.values}
    before.refuse_changed(case.request.id, mine, given.seen)


def _normal(tool: EffectiveTool, arguments: Frozen) -> Frozen:
    return Frozen.of(tool.tool.arguments.normalise(arguments.thaw(), partial=False))


def _is_rerouted(request: Request, again: SecondRuling) -> bool:
    """Return True if other people must be asked, or the same people about other arguments."""
    asking = again.asking
    if asking is None:
        return again.edited is not None and request.quorum > 1
    is_edited = again.edited is not None and max(asking.quorum, request.quorum) > 1
    return is_edited or asking.quorum > request.quorum or asking.audience != request.audience


def _asking(request: Request, again: SecondRuling) -> Asking:
    """Return the question about edited arguments, put to as many people as before, or more."""
    asking = again.asking
    if asking is None:
        # The policy would let it run now, but several people were asked about the call: they still
        # decide it.
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
