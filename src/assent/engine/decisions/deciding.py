"""Deciding requests: checks who decides, when, and what they were shown; then moves the call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from assent.domain import decisions as verdicts
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.apply import Verdicts
from assent.engine.decisions.attempts import (
    Case,
    Decided,
    DecisionAttempt,
    DecisionOutcome,
    SecondRuling,
    lock_request,
)
from assent.engine.decisions.checks import (
    earlier,
    is_altered,
    objection,
    repeated,
    unconfirmed,
    unlike_shown,
)
from assent.engine.decisions.second_rulings import SecondRulings
from assent.engine.failpoints import point
from assent.engine.gate.definitions import tool_of
from assent.engine.gate.own_rules import own_rules_of
from assent.engine.kernel import Kernel
from assent.engine.runs.runner import Runner
from assent.engine.threads import offload, weight
from assent.engine.transitions import Moves
from assent.errors import (
    AssentError,
    ConflictingDecisions,
    DraftChanged,
    InvalidAnswer,
    InvalidArguments,
    InvalidJson,
)
from assent.ports import Tx

# Verdicts that use the arguments; others withdraw a call, which is always possible.
_GOING_ON = (verdicts.RunVerdict, verdicts.Give, verdicts.Supply)


class Unruled(Exception):
    """Raised if the gate has to rule again on some of several cases; rolls back the transaction."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases


class Withheld(Exception):
    """Raised if one of several attempts cannot count, so that none of them does."""

    def __init__(self, attempt: DecisionAttempt, error: AssentError) -> None:
        self.attempt, self.error = attempt, error


# True if an attempt that is refused with this error does not stop the others.
Waives = Callable[[DecisionAttempt, AssentError], bool]


def never_waived(_attempt: DecisionAttempt, _error: AssentError) -> bool:
    """Return False: an objection to one of several attempts stops all of them."""
    return False


class Deciding:
    """Takes attempts to decide: every decision about a request passes here."""

    def __init__(
        self, kernel: Kernel, runner: Runner, refresh: Callable[[], Awaitable[None]]
    ) -> None:
        self._kernel, self._runner, self._refresh = kernel, runner, refresh
        self._verdicts = Verdicts(kernel=kernel, claims=runner.claims)
        self._second = SecondRulings(kernel=kernel, verdicts=self._verdicts)

    async def decide(self, attempt: DecisionAttempt) -> Decided:
        """Decide one request; raises the objection if it is refused, which is put on record."""
        return await self._kernel.tasks.through(self._carried_out(attempt))

    async def _carried_out(self, attempt: DecisionAttempt) -> Decided:
        point("before_decision")
        clean = await _cleaned(attempt)
        found = await self._kernel.store.run(lambda tx: self._decide(tx, clean))
        while isinstance(found, Case):
            found = await self._reconsidered(found)
        if found.decided is not None and not found.decided.replayed:
            point("after_decision")
        self._go_on(found)
        if found.decided is None:
            raise found.error or AssertionError("an outcome is decided or has an error")
        return found.decided

    async def decide_all(self, attempts: Sequence[DecisionAttempt]) -> list[DecisionOutcome]:
        """Decide several requests, each on its own.

        A batch that contradicts itself decides nothing.
        """
        return [await self._reported(attempt) for attempt in _consistent(attempts)]

    async def _reported(self, attempt: DecisionAttempt) -> DecisionOutcome:
        id = attempt.request_id
        try:
            return DecisionOutcome(request_id=id, decided=await self.decide(attempt))
        except AssentError as error:
            return DecisionOutcome(request_id=id, error=error)

    async def decide_together(
        self, attempts: Sequence[DecisionAttempt], *, waives: Waives
    ) -> list[DecisionOutcome]:
        """Decide all requests in one transaction, or none: the first objection is raised.

        `waives` is True for a refusal that stops no other attempt.
        """
        return await self._kernel.tasks.through(self._all_or_none(attempts, waives))

    async def _all_or_none(
        self, attempts: Sequence[DecisionAttempt], waives: Waives
    ) -> list[DecisionOutcome]:
        point("before_decision")
        # Always in the same order: two batches that lock the same rows must not wait for each
        # other.
        clean = [await _cleaned(each) for each in _consistent(attempts)]
        ordered = sorted(clean, key=lambda each: each.request_id)
        ruled: dict[str, Case] = {}
        while True:
            try:
                outcomes = await self._kernel.store.run(
                    lambda tx: self._decide_each(tx, ordered, ruled, waives)
                )
                break
            except Unruled as found:
                for case in found.cases:
                    ruled[case.request.id] = await self._acceptable(case)
            except Withheld as found:
                await self._put_on_record(found.attempt, ruled)
                raise found.error from None
        point("after_decision")
        for outcome in outcomes:
            self._go_on(outcome)
        return outcomes

    def _decide_each(
        self,
        tx: Tx,
        attempts: Sequence[DecisionAttempt],
        ruled: Mapping[str, Case],
        waives: Waives,
    ) -> list[DecisionOutcome]:
        # Lock all requests before anything else, as every decision about one of them does.
        for attempt in attempts:
            lock_request(tx, attempt.request_id, by=attempt.by.id)
        outcomes: list[DecisionOutcome] = []
        unruled: list[Case] = []
        for attempt in attempts:
            found = self._decide(tx, attempt, ruled.get(attempt.request_id))
            if isinstance(found, Case):
                unruled.append(found)
                continue
            if found.error is not None and not waives(attempt, found.error):
                raise Withheld(attempt, found.error)
            outcomes.append(found)
        if unruled:
            raise Unruled(unruled)
        return outcomes

    async def _acceptable(self, case: Case) -> Case:
        ruled = await self._ruled(case)
        if isinstance(ruled, Case):
            return ruled
        raise ruled.error or AssertionError("a second ruling fails with an error")

    async def _put_on_record(self, attempt: DecisionAttempt, ruled: Mapping[str, Case]) -> None:
        """Record the refusal of one attempt; if it would be accepted by now, change nothing."""

        def alone(tx: Tx) -> DecisionOutcome:
            found = self._decide(tx, attempt, ruled.get(attempt.request_id))
            if isinstance(found, Case) or found.error is None:
                raise Unruled(())
            return found

        with suppress(Unruled):
            self._go_on(await self._kernel.store.run(alone))

    def _go_on(self, outcome: DecisionOutcome) -> None:
        if outcome.claim is not None:
            self._runner.start(outcome.claim)
        if outcome.turn is not None:
            self._runner.on_ready(outcome.turn)
        self._kernel.announce(outcome.opened)

    def _decide(
        self, tx: Tx, attempt: DecisionAttempt, ruled: Case | None = None
    ) -> DecisionOutcome | Case:
        """Return what came of an attempt, or the case if the gate has to rule on it again first.

        `ruled` is the case on which the gate has ruled again.
        """
        # The key may have been used for another decision while the gate ruled on this one.
        if (first := earlier(tx, attempt)) is not None:
            return first
        request, call, conversation = lock_request(tx, attempt.request_id, by=attempt.by.id)
        case = Case(attempt=attempt, request=request, call=call, conversation=conversation)
        # Read now: outside a transaction the gate rules by it, and its code may be elsewhere.
        tool_of(tx, self._kernel.catalogue, call)
        if (first := repeated(tx, case)) is not None:
            return first
        moves = self._moves(tx, attempt)
        if (error := objection(tx, case)) is not None:
            return self._verdicts.refuse(moves, case, error)
        if ruled is not None:
            # All that the gate ruled by may have changed meanwhile.
            own, outdated = own_rules_of(tx, conversation.owner), self._is_outdated(case, ruled)
            if outdated or own != ruled.own:
                return replace(case, guarded=ruled.guarded, own=own)
            case = replace(case, again=ruled.again, ruled_under=ruled.ruled_under)
        elif self._is_unclear(case):
            turn, own = tx.turns.get(call.turn_id), own_rules_of(tx, conversation.owner)
            case = replace(case, guarded=turn is not None and turn.guarded, own=own)
            # What an edit would run is only known once the gate has ruled on it.
            early = None if attempt.is_edit else self._unmeant(moves, case)
            return case if early is None else early
        return self._unmeant(moves, case) or self._applied(moves, case)

    def _is_outdated(self, case: Case, ruled: Case) -> bool:
        is_same = case.call.revision == ruled.call.revision
        is_same = is_same and case.request.draft == ruled.request.draft
        return not is_same or ruled.ruled_under != self._kernel.policy_version

    def _applied(self, moves: Moves, case: Case) -> DecisionOutcome:
        if isinstance(case.attempt.verdict, _GOING_ON) and is_altered(case):
            return self._verdicts.altered(moves, case)
        if case.again is not None:
            return self._second.apply(moves, case, case.again)
        return self._verdicts.apply(moves, case)

    def _is_unclear(self, case: Case) -> bool:
        """Return True for edits, answers, and approvals of a call changed since the question."""
        if isinstance(case.attempt.verdict, verdicts.Give):
            return True
        if not isinstance(case.attempt.verdict, verdicts.Approve):
            return False
        tool = self._tool(case)
        redefined = tool is not None and tool.tool.definition_hash != case.call.definition_hash
        changed = case.request.policy_version != self._kernel.policy_version
        return case.attempt.is_edit or redefined or changed

    def _tool(self, case: Case) -> EffectiveTool | None:
        return self._kernel.catalogue.tool_of(case.call)

    def _unmeant(self, moves: Moves, case: Case) -> DecisionOutcome | None:
        """Refuse an approval of what was not shown, or one that is not confirmed firmly enough."""
        tool, asking, edited = self._tool(case), None, None
        if case.again is not None:
            if not (isinstance(case.again, SecondRuling) and case.again.is_approvable):
                return None
            tool, asking, edited = case.again.tool, case.again.asking, case.again.edited
        if (other := unlike_shown(case, edited)) is not None:
            return self._verdicts.refuse(moves, case, other)
        error = unconfirmed(case, tool, asking=asking, edited=edited)
        return None if error is None else DecisionOutcome(request_id=case.request.id, error=error)

    async def _reconsidered(self, case: Case) -> DecisionOutcome | Case:
        ruled = await self._ruled(case)
        if isinstance(ruled, DecisionOutcome):
            return ruled
        return await self._kernel.store.run(lambda tx: self._decide(tx, ruled.attempt, ruled))

    async def _ruled(self, case: Case) -> Case | DecisionOutcome:
        """Let the gate rule again; refuse arguments or answers that are not valid."""
        # An admin may have changed a tool. A process without a worker learns of it only here, and a
        # call that it cleared under an outdated policy would be asked about again.
        if case.request.policy_version != self._kernel.policy_version:
            await self._refresh()
        version = self._kernel.policy_version
        try:
            return replace(case, again=await self._second.rule(case), ruled_under=version)
        except (InvalidArguments, InvalidJson, InvalidAnswer, DraftChanged) as error:
            invalid = error
            return await self._kernel.store.run(
                lambda tx: self._verdicts.refuse(self._moves(tx, case.attempt), case, invalid)
            )

    def _moves(self, tx: Tx, attempt: DecisionAttempt) -> Moves:
        return Moves(tx, self._kernel.ids, actor=attempt.by.id, channel=attempt.channel)


async def _cleaned(attempt: DecisionAttempt) -> DecisionAttempt:
    match attempt.verdict:
        case verdicts.Supply(output=output) | verdicts.Ran(output=output):
            return await offload(weight(output), attempt.cleaned)
        case verdicts.Approve(arguments=whole, edit=patch) if attempt.is_edit:
            return await offload(weight([whole, patch]), attempt.cleaned)
        case _:
            return attempt.cleaned()


def _consistent(attempts: Sequence[DecisionAttempt]) -> list[DecisionAttempt]:
    """Return each request once; raises `ConflictingDecisions` if one is decided in two ways."""
    said: dict[str, DecisionAttempt] = {}
    first = [(each, said.setdefault(each.request_id, each)) for each in attempts]
    if clashing := [each.request_id for each, other in first if each.verdict != other.verdict]:
        raise ConflictingDecisions(clashing)
    return list(said.values())
