"""People's answers: who may, in time, about what they saw; then the call moves, once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from assent.domain import decisions as verdicts
from assent.domain.calls import Frozen
from assent.domain.decisions import Verdict
from assent.domain.errors import (
    AssentError,
    ConfirmationRequired,
    ConflictingDecisions,
    InvalidAnswer,
    InvalidArguments,
    InvalidJson,
)
from assent.domain.people import Person
from assent.domain.tools import EffectiveTool
from assent.engine.answering import Answered, Answering
from assent.engine.ballots import (
    Ballot,
    Case,
    Decided,
    Refusal,
    earlier,
    objection,
    open_case,
    repeated,
    unconfirmed,
    voted,
)
from assent.engine.claims import context_of
from assent.engine.failpoints import point
from assent.engine.intake import edited
from assent.engine.kernel import Kernel
from assent.engine.planner import Planner
from assent.engine.rejudging import Misfit, Rejudged, Rejudging
from assent.engine.runner import Runner
from assent.engine.transitions import Moves
from assent.engine.verdicts import Done, Verdicts
from assent.ports import Tx


@dataclass(frozen=True, slots=True)
class Unclear:
    """The case has to be judged again, outside any transaction, before the verdict can count."""

    case: Case
    guarded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one decision of a batch went."""

    request_id: str
    decided: Decided | None = None
    error: AssentError | None = None


class Deciding:
    """Takes ballots; everything a person does to a request passes here."""

    def __init__(
        self, kernel: Kernel, runner: Runner, refresh: Callable[[], Awaitable[None]]
    ) -> None:
        self._kernel, self._runner, self._refresh = kernel, runner, refresh
        self._verdicts = Verdicts(kernel=kernel, claims=runner.claims)
        self._rejudging = Rejudging(verdicts=self._verdicts)
        self._answering = Answering(kernel=kernel)

    async def decide(self, ballot: Ballot) -> Decided:
        """Decide one request; raises what stands against it, and changes nothing then."""
        return await self._kernel.tasks.through(self._carried_out(ballot))

    async def _carried_out(self, ballot: Ballot) -> Decided:
        point("before_decision")
        ballot = ballot.cleaned()
        answer = await self._kernel.store.run(lambda tx: self._decide(tx, ballot))
        while isinstance(answer, Unclear):
            answer = await self._reconsidered(answer, ballot)
        if isinstance(answer, Refusal):
            if answer.turn is not None:
                self._runner.on_ready(answer.turn)
            self._kernel.announce(answer.requests)
            raise answer.error
        if isinstance(answer, Decided):
            return answer
        point("after_decision")
        self._go_on(answer)
        return answer.decided

    async def decide_all(
        self,
        decisions: Sequence[tuple[str, Verdict]],
        by: Person,
        channel: str,
        *,
        digests: Mapping[str, str] | None = None,
        shown: Mapping[str, str] | None = None,
        key: str | None = None,
    ) -> list[Outcome]:
        """Decide several, each on its own; a batch that contradicts itself decides nothing."""
        said: dict[str, Verdict] = {}
        clashing = [id for id, verdict in decisions if said.setdefault(id, verdict) != verdict]
        if clashing:
            raise ConflictingDecisions(clashing)
        seen, drawn = digests or {}, shown or {}
        return [
            await self._reported(
                Ballot(
                    request_id=id,
                    verdict=verdict,
                    by=by,
                    channel=channel,
                    digest=seen.get(id),
                    shown=drawn.get(id),
                    # A key stands for one decision: each of a batch has its own.
                    key=None if key is None else f"{key}:{id}",
                )
            )
            for id, verdict in said.items()
        ]

    async def _reported(self, ballot: Ballot) -> Outcome:
        try:
            return Outcome(request_id=ballot.request_id, decided=await self.decide(ballot))
        except AssentError as error:
            return Outcome(request_id=ballot.request_id, error=error)

    def _go_on(self, done: Done) -> None:
        if done.claim is not None:
            self._runner.start(done.claim)
        if done.turn is not None:
            self._runner.on_ready(done.turn)
        self._kernel.announce(done.requests)

    def _decide(self, tx: Tx, ballot: Ballot) -> Done | Decided | Refusal | Unclear:
        if (first := earlier(tx, ballot)) is not None:
            return first
        case = open_case(tx, ballot.request_id, by=ballot.by.id)
        if (first := repeated(tx, case, ballot)) is not None:
            return first
        moves = self._moves(tx, ballot)
        if (error := objection(case, ballot) or voted(tx, case, ballot)) is not None:
            return self._verdicts.refuse(moves, case, error)
        if not _edits(ballot) and (error := self._unconfirmed(case, ballot, None)) is not None:
            return Refusal(error)
        if self._is_unclear(case, ballot):
            turn = tx.turns.get(case.call.turn_id)
            return Unclear(case, guarded=turn is not None and turn.guarded)
        return self._verdicts.apply(moves, case, ballot)

    def _moves(self, tx: Tx, ballot: Ballot) -> Moves:
        return Moves(tx, self._kernel.ids, actor=ballot.by.id, channel=ballot.channel)

    def _tool(self, case: Case) -> EffectiveTool | None:
        return self._kernel.catalogue.tool(case.call.agent, case.call.tool)

    def _is_unclear(self, case: Case, ballot: Ballot) -> bool:
        """Edits and answers, and approvals of what is no longer what was asked about."""
        if isinstance(ballot.verdict, verdicts.Give):
            return True
        if not isinstance(ballot.verdict, verdicts.Approve):
            return False
        tool = self._tool(case)
        redefined = tool is not None and tool.tool.definition_hash != case.call.definition_hash
        changed = case.request.policy_version != self._kernel.policy_version
        return _edits(ballot) or redefined or changed

    async def _reconsidered(
        self, unclear: Unclear, ballot: Ballot
    ) -> Done | Decided | Refusal | Unclear:
        case = unclear.case
        # An admin may have changed a tool: a process that only decides hears of it nowhere else,
        # and what is cleared by an outdated policy is asked about again.
        if case.request.policy_version != self._kernel.policy_version:
            await self._refresh()
        try:
            judged = await self._judge(unclear, ballot)
        except (InvalidArguments, InvalidJson, InvalidAnswer) as error:
            invalid = error
            return await self._kernel.store.run(
                lambda tx: self._verdicts.refuse(self._moves(tx, ballot), case, invalid)
            )

        def apply(tx: Tx) -> Done | Decided | Refusal | Unclear:
            # Somebody may have used the key for another one while this was judged.
            if (first := earlier(tx, ballot)) is not None:
                return first
            now = open_case(tx, ballot.request_id, by=ballot.by.id)
            if (first := repeated(tx, now, ballot)) is not None:
                return first
            moves = self._moves(tx, ballot)
            if (error := objection(now, ballot) or voted(tx, now, ballot)) is not None:
                return self._verdicts.refuse(moves, now, error)
            if now.call.revision != case.call.revision:
                return Unclear(now, guarded=unclear.guarded)
            if (error := self._unconfirmed(now, ballot, judged)) is not None:
                return Refusal(error)
            if judged is None:
                return self._verdicts.apply(moves, now, ballot)
            return self._rejudging.apply(moves, now, ballot, judged)

        return await self._kernel.store.run(apply)

    def _unconfirmed(
        self, case: Case, ballot: Ballot, judged: Rejudged | Answered | Misfit | None
    ) -> ConfirmationRequired | None:
        """What is approved has to be confirmed as its request, or its second judgement, wants."""
        request, call, verdict = case.request, case.call, ballot.verdict
        match judged:
            case None:
                return unconfirmed(request, call, verdict, self._tool(case))
            case Rejudged(tool=tool, asking=asking, edited=edited) if judged.is_approvable:
                return unconfirmed(request, call, verdict, tool, asking=asking, edited=edited)
            case _:
                return None

    async def _judge(self, unclear: Unclear, ballot: Ballot) -> Rejudged | Answered | Misfit | None:
        case = unclear.case
        tool = self._tool(case)
        if tool is None:
            return None
        planner = Planner(
            gate=self._kernel.gate(case.call.turn_id, guarded=unclear.guarded),
            vault=self._kernel.vault,
            ids=self._kernel.ids,
            conversation=case.conversation,
        )
        if isinstance(ballot.verdict, verdicts.Give):
            return await self._answering.judge(case, tool, ballot.verdict, planner)
        approval = cast("verdicts.Approve", ballot.verdict)
        return await self._rejudge(case, tool, approval, planner)

    async def _rejudge(
        self, case: Case, tool: EffectiveTool, approval: verdicts.Approve, planner: Planner
    ) -> Rejudged | Misfit | None:
        call = case.call
        redefined = tool.tool.definition_hash != call.definition_hash
        if redefined:
            try:
                normal = tool.tool.arguments.normalise(call.arguments.thaw(), partial=False)
            except InvalidArguments as error:
                return Misfit(str(error))
            changed: Frozen | None = Frozen.of(normal)
        else:
            changed = (
                edited(tool, approval.arguments, call.arguments) if approval.arguments else None
            )
            same_policy = case.request.policy_version == self._kernel.policy_version
            if changed is None and same_policy:
                return None
        arguments = (changed or call.arguments).thaw()
        plan = await planner.judged(tool, arguments, context_of(call, case.conversation))
        return Rejudged(tool=tool, plan=plan, edited=changed, redefined=redefined)


def _edits(ballot: Ballot) -> bool:
    return isinstance(ballot.verdict, verdicts.Approve) and bool(ballot.verdict.arguments)
