"""Deciding requests: who may, in time, about what they saw; then the call moves, once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from assent.domain import decisions as verdicts
from assent.domain.calls import Frozen
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.answers import Answered, Answering
from assent.engine.decisions.apply import Done, Verdicts
from assent.engine.decisions.checks import (
    Ballot,
    Case,
    Decided,
    Refusal,
    earlier,
    objection,
    open_case,
    repeated,
    unconfirmed,
    unlike_shown,
    voted,
)
from assent.engine.decisions.rejudging import Misfit, Rejudged, Rejudging
from assent.engine.failpoints import point
from assent.engine.gate.intake import revised
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.runs.runner import Runner
from assent.engine.threads import aside, weight
from assent.engine.transitions import Moves
from assent.errors import (
    AssentError,
    ConflictingDecisions,
    InvalidAnswer,
    InvalidArguments,
    InvalidJson,
)
from assent.ports import Tx


@dataclass(frozen=True, slots=True)
class Unclear:
    """A case that must be judged again, outside any transaction, before the verdict can count."""

    case: Case
    guarded: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """An unclear case, and the result of its second judgement; None if nothing is new."""

    of: Unclear
    found: Rejudged | Answered | Misfit | None


class Unjudged(Exception):
    """Raised if some of several ballots are unclear: nothing is written before they are judged."""

    def __init__(self, cases: Sequence[tuple[Ballot, Unclear]]) -> None:
        self.cases = cases


class Withheld(Exception):
    """Raised if one of several ballots cannot count, so that none of them does."""

    def __init__(self, ballot: Ballot, error: AssentError) -> None:
        self.ballot, self.error = ballot, error


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one decision of a batch."""

    request_id: str
    decided: Decided | None = None
    error: AssentError | None = None


# True if a ballot that is refused with this error does not stop the others.
Waives = Callable[[Ballot, AssentError], bool]


def never_waived(_ballot: Ballot, _error: AssentError) -> bool:
    """Return False: an objection to one of several ballots stops all of them."""
    return False


class Deciding:
    """Takes ballots: every decision about a request passes here."""

    def __init__(
        self, kernel: Kernel, runner: Runner, refresh: Callable[[], Awaitable[None]]
    ) -> None:
        self._kernel, self._runner, self._refresh = kernel, runner, refresh
        self._verdicts = Verdicts(kernel=kernel, claims=runner.claims)
        self._rejudging = Rejudging(verdicts=self._verdicts)
        self._answering = Answering(kernel=kernel)

    async def decide(self, ballot: Ballot) -> Decided:
        """Decide one request; an objection is raised, and nothing has changed then."""
        return await self._kernel.tasks.through(self._carried_out(ballot))

    async def _carried_out(self, ballot: Ballot) -> Decided:
        point("before_decision")
        ballot = await _cleaned(ballot)
        answer = await self._kernel.store.run(lambda tx: self._decide(tx, ballot))
        while isinstance(answer, Unclear):
            answer = await self._reconsidered(answer, ballot)
        if isinstance(answer, Refusal):
            self._go_on(answer)
            raise answer.error
        if isinstance(answer, Decided):
            return answer
        point("after_decision")
        self._go_on(answer)
        return answer.decided

    async def decide_all(self, ballots: Sequence[Ballot]) -> list[Outcome]:
        """Decide several requests, each on its own.

        A batch that contradicts itself decides nothing.
        """
        return [await self._reported(ballot) for ballot in _consistent(ballots)]

    async def _reported(self, ballot: Ballot) -> Outcome:
        try:
            return Outcome(request_id=ballot.request_id, decided=await self.decide(ballot))
        except AssentError as error:
            return Outcome(request_id=ballot.request_id, error=error)

    async def decide_together(self, ballots: Sequence[Ballot], *, waives: Waives) -> list[Outcome]:
        """Decide all requests in one transaction, or none: the first objection is raised.

        `waives` is True for a refusal that stops no other ballot.
        """
        return await self._kernel.tasks.through(self._all_or_none(ballots, waives))

    async def _all_or_none(self, ballots: Sequence[Ballot], waives: Waives) -> list[Outcome]:
        point("before_decision")
        # Always in the same order: two batches that lock the same rows must not wait for each
        # other.
        clean = [await _cleaned(each) for each in _consistent(ballots)]
        ordered = sorted(clean, key=lambda each: each.request_id)
        judged: dict[str, Judgement] = {}
        while True:
            try:
                answers = await self._kernel.store.run(
                    lambda tx: self._decide_each(tx, ordered, judged, waives)
                )
                break
            except Unjudged as found:
                for ballot, unclear in found.cases:
                    judged[ballot.request_id] = await self._acceptable(unclear, ballot)
            except Withheld as found:
                await self._put_on_record(found.ballot, judged)
                raise found.error from None
        point("after_decision")
        for answer in answers:
            if not isinstance(answer, Decided):
                self._go_on(answer)
        return [_outcome(each, answer) for each, answer in zip(ordered, answers, strict=True)]

    def _decide_each(
        self,
        tx: Tx,
        ballots: Sequence[Ballot],
        judged: Mapping[str, Judgement],
        waives: Waives,
    ) -> list[Done | Decided | Refusal]:
        # Lock all requests before anything else, as every decision about one of them does.
        for ballot in ballots:
            open_case(tx, ballot.request_id, by=ballot.by.id)
        answers: list[Done | Decided | Refusal] = []
        unclear: list[tuple[Ballot, Unclear]] = []
        for ballot in ballots:
            answer = self._decide(tx, ballot, judged.get(ballot.request_id))
            if isinstance(answer, Unclear):
                unclear.append((ballot, answer))
                continue
            if isinstance(answer, Refusal) and not waives(ballot, answer.error):
                raise Withheld(ballot, answer.error)
            answers.append(answer)
        if unclear:
            raise Unjudged(unclear)
        return answers

    async def _acceptable(self, unclear: Unclear, ballot: Ballot) -> Judgement:
        judged = await self._judged(unclear, ballot)
        if isinstance(judged, Refusal):
            raise judged.error
        return judged

    async def _put_on_record(self, ballot: Ballot, judged: Mapping[str, Judgement]) -> None:
        """Record the refusal of one ballot; if the ballot would count by now, it still does not."""

        def alone(tx: Tx) -> Refusal:
            answer = self._decide(tx, ballot, judged.get(ballot.request_id))
            if not isinstance(answer, Refusal):
                raise Unjudged(())
            return answer

        with suppress(Unjudged):
            self._go_on(await self._kernel.store.run(alone))

    def _go_on(self, done: Done | Refusal) -> None:
        if isinstance(done, Done) and done.claim is not None:
            self._runner.start(done.claim)
        if done.turn is not None:
            self._runner.on_ready(done.turn)
        self._kernel.announce(done.requests)

    def _decide(
        self, tx: Tx, ballot: Ballot, judged: Judgement | None = None
    ) -> Done | Decided | Refusal | Unclear:
        # The key may have been used for another decision while this one was judged.
        if (first := earlier(tx, ballot)) is not None:
            return first
        case = open_case(tx, ballot.request_id, by=ballot.by.id)
        if (first := repeated(tx, case, ballot)) is not None:
            return first
        moves = self._moves(tx, ballot)
        if (error := objection(case, ballot) or voted(tx, case, ballot)) is not None:
            return self._verdicts.refuse(moves, case, error)
        if judged is not None:
            return self._decide_judged(moves, case, ballot, judged)
        if not _edits(ballot) and (refusal := self._unmeant(moves, case, ballot, None)) is not None:
            return refusal
        if self._is_unclear(case, ballot):
            turn = tx.turns.get(case.call.turn_id)
            return Unclear(case, guarded=turn is not None and turn.guarded)
        return self._verdicts.apply(moves, case, ballot)

    def _decide_judged(
        self, moves: Moves, case: Case, ballot: Ballot, judged: Judgement
    ) -> Done | Refusal | Unclear:
        if case.call.revision != judged.of.case.call.revision:
            return Unclear(case, guarded=judged.of.guarded)
        if (refusal := self._unmeant(moves, case, ballot, judged.found)) is not None:
            return refusal
        if judged.found is None:
            return self._verdicts.apply(moves, case, ballot)
        return self._rejudging.apply(moves, case, ballot, judged.found)

    def _moves(self, tx: Tx, ballot: Ballot) -> Moves:
        return Moves(tx, self._kernel.ids, actor=ballot.by.id, channel=ballot.channel)

    def _tool(self, case: Case) -> EffectiveTool | None:
        return self._kernel.catalogue.tool(case.call.agent, case.call.tool)

    def _is_unclear(self, case: Case, ballot: Ballot) -> bool:
        """Return True for edits, answers, and approvals of a call changed since the question."""
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
        judged = await self._judged(unclear, ballot)
        if isinstance(judged, Refusal):
            return judged
        return await self._kernel.store.run(lambda tx: self._decide(tx, ballot, judged))

    async def _judged(self, unclear: Unclear, ballot: Ballot) -> Judgement | Refusal:
        case = unclear.case
        # An admin may have changed a tool. A process that only decides learns of it here alone, and
        # a call cleared under an outdated policy would be asked about again.
        if case.request.policy_version != self._kernel.policy_version:
            await self._refresh()
        try:
            return Judgement(unclear, await self._judge(unclear, ballot))
        except (InvalidArguments, InvalidJson, InvalidAnswer) as error:
            invalid = error
            return await self._kernel.store.run(
                lambda tx: self._verdicts.refuse(self._moves(tx, ballot), case, invalid)
            )

    def _unmeant(
        self,
        moves: Moves,
        case: Case,
        ballot: Ballot,
        judged: Rejudged | Answered | Misfit | None,
    ) -> Refusal | None:
        """Refuse an approval of what was not shown, or not confirmed as last judged."""
        tool, asking, edited = self._tool(case), None, None
        if judged is not None:
            if not (isinstance(judged, Rejudged) and judged.is_approvable):
                return None
            tool, asking, edited = judged.tool, judged.asking, judged.edited
        if (other := unlike_shown(case, ballot.verdict, edited)) is not None:
            return self._verdicts.refuse(moves, case, other)
        error = unconfirmed(
            case.request, case.call, ballot.verdict, tool, asking=asking, edited=edited
        )
        return None if error is None else Refusal(error)

    async def _judge(self, unclear: Unclear, ballot: Ballot) -> Rejudged | Answered | Misfit | None:
        case = unclear.case
        tool = self._tool(case)
        if tool is None and _edits(ballot):
            # An edit that cannot be checked here must not end as an approval of the original
            # arguments.
            gone = "arguments: its tool is not known here, so nobody can check an edit"
            raise InvalidArguments(case.call.tool, [gone])
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
        call, changed = case.call, None
        size = len(call.arguments.text)
        redefined = tool.tool.definition_hash != call.definition_hash
        if redefined:
            try:
                changed = await aside(size, _normal, tool, call.arguments)
            except InvalidArguments as error:
                return Misfit(str(error))
        elif approval.is_edit:
            # In a thread: a person may send arguments as large as a model may.
            changed = await asyncio.to_thread(revised, tool, approval, call.arguments)
        same_policy = case.request.policy_version == self._kernel.policy_version
        if changed is None and same_policy:
            return None
        frozen = changed or call.arguments
        gated = await planner.plan(call, tool, frozen)
        return Rejudged(tool=tool, gated=gated, edited=changed, redefined=redefined)


async def _cleaned(ballot: Ballot) -> Ballot:
    match ballot.verdict:
        case verdicts.Supply(output=output) | verdicts.Ran(output=output):
            return await aside(weight(output), ballot.cleaned)
        case _:
            return ballot.cleaned()


def _normal(tool: EffectiveTool, arguments: Frozen) -> Frozen:
    return Frozen.of(tool.tool.arguments.normalise(arguments.thaw(), partial=False))


def _consistent(ballots: Sequence[Ballot]) -> list[Ballot]:
    """Return each request once; raises `ConflictingDecisions` if one is decided in two ways."""
    said: dict[str, Ballot] = {}
    first = [(each, said.setdefault(each.request_id, each)) for each in ballots]
    if clashing := [each.request_id for each, other in first if each.verdict != other.verdict]:
        raise ConflictingDecisions(clashing)
    return list(said.values())


def _outcome(ballot: Ballot, answer: Done | Decided | Refusal) -> Outcome:
    match answer:
        case Done(decided=decided) | (Decided() as decided):
            return Outcome(request_id=ballot.request_id, decided=decided)
        case Refusal(error=error):
            return Outcome(request_id=ballot.request_id, error=error)


def _edits(ballot: Ballot) -> bool:
    return isinstance(ballot.verdict, verdicts.Approve) and ballot.verdict.is_edit
