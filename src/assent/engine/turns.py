"""The loop: load, ask the model, gate its calls, store, run what is cleared; then wait or go on."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation, Message, Role, TurnRow
from assent.domain.errors import LeaseLost, ModelFailed
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import TERMINAL, CallStatus, TurnStatus
from assent.domain.messages import Answer, Prompt, ReasoningDelta, Said, TextDelta
from assent.domain.requests import Request
from assent.domain.values import SavedValue
from assent.engine.agents import Agent
from assent.engine.claims import Claim
from assent.engine.drafts import REFUSED, REPEATED, Draft, Drafting, storable
from assent.engine.failpoints import point
from assent.engine.history import dump_answer, history
from assent.engine.kernel import Kernel
from assent.engine.outbox import Outbox
from assent.engine.planner import Planner, mint
from assent.engine.runner import Runner
from assent.engine.transitions import Moves
from assent.ports import Tx

log = logging.getLogger(__name__)
RETRY_SECONDS = 0.2
_HELD = frozenset({TurnStatus.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What one step needs to know."""

    turn: TurnRow
    conversation: Conversation
    said: tuple[Said, ...]
    calls: tuple[Call, ...]
    saved: tuple[SavedValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A step on record: what to run, whom to ask, and the turn if it goes on at once."""

    turn: TurnRow | None
    claims: tuple[Claim, ...]
    queued: tuple[Call, ...]
    requests: tuple[Request, ...]


class Turns:
    """Advances the turns that this worker holds."""

    def __init__(self, kernel: Kernel, runner: Runner) -> None:
        self._kernel, self._runner = kernel, runner
        self.on_requests: Callable[[Sequence[Request]], None] = _nobody_listens
        runner.on_ready = self.begin

    def begin(self, turn: TurnRow) -> None:
        """Go on with a turn we hold, in a task of its own."""
        self._kernel.tasks.spawn(turn.id, "turn", self.advance(turn))

    async def advance(self, turn: TurnRow) -> None:
        """Step after step until the model answers, somebody has to be waited for, or it fails."""
        outbox = Outbox(self._kernel, turn.id)
        held: TurnRow | None = turn
        try:
            while held is not None:
                turn = held
                held = await self._step(await self._load(turn), outbox)
        except LeaseLost:
            log.warning("turn %s is stopped or held by another worker now", turn.id)
        except asyncio.CancelledError:
            if self._kernel.tasks.closing:
                await asyncio.shield(self._give_back(turn))
            raise
        except ModelFailed as error:
            await self._fail(turn, str(error), outbox)
        except Exception:
            log.exception("turn %s failed", turn.id)
            await self._fail(turn, "An internal error ended the turn.", outbox)

    async def _load(self, turn: TurnRow) -> Loaded:
        def load(tx: Tx) -> Loaded:
            conversation = tx.conversations.get(turn.conversation_id)
            assert conversation is not None
            messages = tx.messages.of_conversation(conversation.id)
            calls = tx.calls.of_conversation(conversation.id) if len(messages) > 1 else []
            asks = any(item.tool.user_input for item in self._toolbox(conversation).tools.values())
            return Loaded(
                turn=turn,
                conversation=conversation,
                said=history(messages, calls, self._kernel.texts),
                calls=tuple(call for call in calls if call.turn_id == turn.id),
                saved=tuple(tx.values.saved(conversation.id)) if asks else (),
            )

        return await self._kernel.store.run(load)

    def _toolbox(self, conversation: Conversation):
        return self._kernel.catalogue.toolbox(conversation.agent)

    async def _step(self, loaded: Loaded, outbox: Outbox) -> TurnRow | None:
        """One model request and what follows; the turn again if it goes on at once."""
        agent = self._kernel.catalogue.agent(loaded.conversation.agent)
        is_last = loaded.turn.step >= agent.limits.steps
        prompt = Prompt(
            instructions=agent.instructions,
            history=loaded.said,
            # Out of steps: without tools the model can only answer.
            tools=() if is_last else self._toolbox(loaded.conversation).specs,
        )
        outbox.say(EventKind.STEP, {"step": loaded.turn.step + 1})
        answer = await self._ask(agent, prompt, outbox)
        if not answer.proposals:
            return await self._finish(loaded.turn, answer, outbox)
        if is_last:
            raise ModelFailed(f"it still calls tools after {agent.limits.steps} steps")
        return await self._record(loaded, agent, answer, outbox)

    async def _ask(self, agent: Agent, prompt: Prompt, outbox: Outbox) -> Answer:
        """Ask, and again after a passing fault, telling followers to forget the broken start."""
        for attempt in range(agent.limits.model_retries + 1):
            try:
                return await self._once(agent, prompt, outbox)
            except ModelFailed as error:
                if not error.transient or attempt == agent.limits.model_retries:
                    raise
                log.warning("asking %s again: %s", agent.name, error.reason)
                outbox.say(EventKind.RESET, {"reason": error.reason})
                await asyncio.sleep(RETRY_SECONDS * 2**attempt)
        raise AssertionError("a model is asked at least once")

    async def _once(self, agent: Agent, prompt: Prompt, outbox: Outbox) -> Answer:
        model = self._kernel.catalogue.model(agent.name)
        if not agent.stream:
            answer = await model.request(prompt)
            outbox.say(EventKind.TEXT, {"text": storable(answer.text)})
            return answer
        async for item in model.stream(prompt):
            match item:
                case TextDelta(text=text):
                    outbox.say(EventKind.TEXT, {"text": storable(text)})
                case ReasoningDelta(text=text):
                    outbox.say(EventKind.REASONING, {"text": storable(text)})
                case Answer():
                    return item
                case _:
                    pass
        raise ModelFailed("its stream ended without an answer", transient=True)

    async def _finish(self, turn: TurnRow, answer: Answer, outbox: Outbox) -> None:
        facts = await outbox.drain()
        point("before_answer")

        def finish(tx: Tx) -> None:
            now = tx.now()
            changes: dict[str, object] = {"step": turn.step + 1, "ended_at": now, "error": None}
            self._hold(tx, turn, TurnStatus.DONE, **changes)
            tx.messages.append(_message(self._kernel.ids("msg"), turn, answer, 0, now))
            done: dict[str, Json] = {"reason": answer.finish, "model": answer.model}
            tx.journal.tell(turn.id, *facts, Fact(EventKind.FINISHED, done))

        await self._kernel.store.run(finish)
        self._kernel.predicates.pop(turn.id, None)
        point("after_answer")

    async def _record(
        self, loaded: Loaded, agent: Agent, answer: Answer, outbox: Outbox
    ) -> TurnRow | None:
        """Store the answer with all its calls and requests in one commit, then run and ask."""
        point("before_proposal")
        message_id = self._kernel.ids("msg")
        drafting = self._drafting(loaded, agent, message_id, self._kernel.clock.now())
        drafts = await drafting.draft(answer.proposals)
        facts = await outbox.drain()
        started = self._kernel.clock.monotonic()
        stored = await self._kernel.store.run(
            lambda tx: self._store(tx, loaded, agent, answer, drafts, facts, started)
        )
        point("after_proposal")
        for claim in stored.claims:
            self._runner.start(claim)
        for call in stored.queued:
            self._runner.enqueue(call.id, call.turn_id, call.agent)
        self.on_requests(stored.requests)
        if stored.turn is not None and (wild := _runs_wild(loaded.calls, drafts, agent)):
            raise ModelFailed(wild)
        return stored.turn

    def _drafting(self, loaded: Loaded, agent: Agent, message_id: str, now: datetime) -> Drafting:
        turn = loaded.turn
        gate = self._kernel.gate(turn.id, guarded=turn.guarded)
        planner = Planner(
            gate=gate,
            vault=self._kernel.vault,
            ids=self._kernel.ids,
            conversation=loaded.conversation,
            saved=loaded.saved,
        )
        return Drafting(
            kernel=self._kernel,
            turn=turn,
            conversation=loaded.conversation,
            message_id=message_id,
            planner=planner,
            toolbox=self._toolbox(loaded.conversation),
            limits=agent.limits,
            earlier=loaded.calls,
            now=now,
        )

    def _store(
        self,
        tx: Tx,
        loaded: Loaded,
        agent: Agent,
        answer: Answer,
        drafts: list[Draft],
        facts: list[Fact],
        started: float,
    ) -> Stored:
        turn, now = loaded.turn, tx.now()
        waiting = [draft for draft in drafts if draft.call.status not in TERMINAL]
        target = TurnStatus.WAITING if waiting else TurnStatus.RUNNING
        self._hold(tx, turn, target, step=turn.step + 1, lease_until=self._kernel.times.lease)
        message = _message(drafts[0].call.message_id, turn, answer, len(waiting), now)
        tx.messages.append(message)
        tx.journal.tell(turn.id, *facts)
        moves = Moves(tx, self._kernel.ids, actor=f"agent:{agent.name}")
        claims, queued = self._claimed(loaded, drafts, agent, started, now)
        running = {claim.call.id: claim.call for claim in claims}
        calls = [running.get(draft.call.id, draft.call) for draft in drafts]
        tx.calls.add([_settled(call, now) for call in calls])
        requests = self._requests(loaded.conversation, drafts, now)
        tx.requests.add(requests)
        for draft, call in zip(drafts, calls, strict=True):
            _chronicle(moves, draft, call)
        for request in requests:
            moves.pending(request)
        if requests:
            ids: list[Json] = [request.id for request in requests]
            tx.journal.tell(turn.id, Fact(EventKind.WAITING, {"requests": ids}))
        held = None if waiting else replace(turn, step=turn.step + 1)
        return Stored(turn=held, claims=claims, queued=queued, requests=tuple(requests))

    def _claimed(
        self, loaded: Loaded, drafts: list[Draft], agent: Agent, started: float, now: datetime
    ) -> tuple[tuple[Claim, ...], tuple[Call, ...]]:
        """What this worker runs at once is claimed in the same commit; the rest when a slot is free."""
        cleared = [draft for draft in drafts if draft.call.status is CallStatus.CLEARED]
        lease = self._kernel.times.lease
        claims = tuple(
            Claim(
                call=replace(
                    draft.call,
                    status=CallStatus.RUNNING,
                    fence=1,
                    attempts=1,
                    worker=self._kernel.worker,
                    lease_until=now + lease,
                ),
                tool=draft.plan.tool,
                conversation=loaded.conversation,
                expires=started + lease.total_seconds(),
            )
            for draft in cleared[: agent.limits.parallel]
            if draft.plan is not None
        )
        return claims, tuple(draft.call for draft in cleared[agent.limits.parallel :])

    def _requests(
        self, conversation: Conversation, drafts: list[Draft], now: datetime
    ) -> list[Request]:
        return [
            mint(draft.call, draft.plan.asking, conversation, self._kernel.ids, now)
            for draft in drafts
            if draft.plan is not None and draft.plan.asking is not None
        ]

    def _hold(self, tx: Tx, turn: TurnRow, target: TurnStatus, **changes: object) -> None:
        """Change a turn we hold; whoever lost it writes nothing."""
        if not tx.turns.move(turn, target, sources=_HELD, **changes):
            raise LeaseLost("turn", turn.id)

    async def _give_back(self, turn: TurnRow) -> None:
        await self._kernel.store.run(
            lambda tx: tx.turns.move(turn, TurnStatus.READY, sources=_HELD)
        )

    async def _fail(self, turn: TurnRow, reason: str, outbox: Outbox) -> None:
        """The turn ends with an error and can be resumed; its settled calls stay settled."""
        facts = await outbox.drain()

        def fail(tx: Tx) -> None:
            failing = frozenset({TurnStatus.RUNNING, TurnStatus.WAITING})
            changes: dict[str, object] = {"error": storable(reason), "ended_at": tx.now()}
            if tx.turns.move(turn, TurnStatus.FAILED, sources=failing, **changes):
                told: dict[str, Json] = {"message": storable(reason)}
                tx.journal.tell(turn.id, *facts, Fact(EventKind.ERROR, told))

        await self._kernel.store.run(fail)


def _message(id: str, turn: TurnRow, answer: Answer, open_calls: int, now: datetime) -> Message:
    return Message(
        id=id,
        conversation_id=turn.conversation_id,
        turn_id=turn.id,
        position=0,
        role=Role.ASSISTANT,
        text=storable(answer.text),
        body=dump_answer(answer),
        open_calls=open_calls,
        created_at=now,
    )


def _settled(call: Call, now: datetime) -> Call:
    return replace(call, settled_at=now) if call.status in TERMINAL else call


def _chronicle(moves: Moves, draft: Draft, call: Call) -> None:
    """The entries and events of a call that went through several statuses in its first commit."""
    born = replace(draft.call, status=CallStatus.PROPOSED)
    data: dict[str, Json] = {"tool": call.tool, "arguments": call.arguments.digest}
    moves.note("propose", replace(born, status=CallStatus.PROPOSED), data=data)
    proposed: dict[str, Json] = {
        "call_id": call.id,
        "tool": call.tool,
        "provider_id": call.provider_id,
        "arguments": call.arguments.text,
        "risk": call.risk,
    }
    moves.tx.journal.tell(call.turn_id, Fact(EventKind.PROPOSED, proposed))
    by: dict[str, Json] = {"by": draft.call.cleared_by or _by(draft)}
    moves.note("gate", born, target=draft.call.status, data=by)
    moves.tell(draft.call)
    if call.status is CallStatus.RUNNING:
        moves.note("claim", draft.call, target=CallStatus.RUNNING, data={"fence": call.fence})
        moves.tell(call)


def _by(draft: Draft) -> str:
    return draft.plan.verdict.by if draft.plan else ""


def _runs_wild(earlier: Sequence[Call], drafts: Sequence[Draft], agent: Agent) -> str | None:
    """Whether the model keeps doing what it was told does not work."""
    reasons = [call.cleared_by for call in earlier] + [draft.call.cleared_by for draft in drafts]
    if reasons.count(REFUSED) > agent.limits.invalid_arguments:
        return "it keeps sending calls that are not valid"
    if reasons.count(REPEATED) > agent.limits.repeats:
        return "it keeps making the same call"
    return None


def _nobody_listens(requests: Sequence[Request]) -> None:
    del requests
