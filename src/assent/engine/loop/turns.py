"""The loop of a turn: load, ask the model, gate its calls, store, run; then wait or go on."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation, TurnRow
from assent.domain.copies import changed
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import (
    CALL_CHARS,
    Answer,
    ArgumentsDelta,
    Delta,
    Prompt,
    ReasoningDelta,
    TextDelta,
)
from assent.domain.own_rules import OwnRules
from assent.engine.agents import Agent, Limits
from assent.engine.failpoints import point
from assent.engine.files.attachments import with_files
from assent.engine.gate.gated_calls import GatedCall
from assent.engine.gate.own_rules import OwnRulesChanged
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.loop.event_buffer import EventBuffer
from assent.engine.loop.proposals import REFUSED, REPEATED, Proposals, storable
from assent.engine.loop.steps import HELD, Loaded, ModelStep, load, message_of
from assent.engine.queries.snapshots import Turn, resting
from assent.engine.runs.claims import Claim
from assent.engine.runs.runner import Runner
from assent.engine.threads import is_ours, offload, unhurried
from assent.errors import LeaseLost, ModelFailed, StoreUnavailable
from assent.ports import TurnChanges, Tx


def most_calls(limits: Limits) -> int:
    """Return how many calls of an answer are read: one beyond the cap stands for all the rest."""
    return limits.calls_per_answer + 1


class AnswerBudget:
    """The limit of an answer: a model's stream or list of calls need not end by itself."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.answer_chars
        self._begun = 0

    def take(self, delta: Delta) -> None:
        """Count a piece; raises `ModelFailed` if there is no room for it."""
        self._left -= len(delta.text)
        if isinstance(delta, ArgumentsDelta) and delta.index >= self._begun:
            self._begun = delta.index + 1
            # A call without arguments takes room, too.
            self._left -= CALL_CHARS
        if self._left < 0:
            self._refuse()

    def whole(self, answer: Answer) -> Answer:
        """Return a complete answer without the calls beyond the cap."""
        if answer.length > self._limits.answer_chars:
            self._refuse()
        return answer.cut(most_calls(self._limits))

    def _refuse(self) -> None:
        raise ModelFailed(f"its answer is longer than {self._limits.answer_chars:,} characters")


log = logging.getLogger(__name__)
RETRY_SECONDS = 0.2


class Turns:
    """Advances the turns that this worker holds."""

    def __init__(self, kernel: Kernel, runner: Runner) -> None:
        self._kernel, self._runner = kernel, runner
        runner.on_ready = self.begin

    def begin(self, ready: TurnRow | Loaded) -> None:
        """Continue a turn that this worker holds, in a task of its own."""
        turn = ready.turn if isinstance(ready, Loaded) else ready
        self._kernel.tasks.spawn(turn.id, "turn", self.advance(turn, ready))

    async def advance(self, turn: TurnRow, ready: TurnRow | Loaded | Turn) -> Turn | None:
        """Run step after step until the model answers, a person has to act, or the turn fails.

        Returns the turn as it was left, or None if it failed or another worker holds it.
        """
        buffer = EventBuffer(self._kernel, turn.id, turn.fence)
        try:
            while not isinstance(ready, Turn):
                loaded = ready if isinstance(ready, Loaded) else await self._load(ready)
                turn = loaded.turn
                ready = await self._step(loaded, buffer)
            return ready
        except LeaseLost:
            log.warning("turn %s is stopped or held by another worker now", turn.id)
        except ModelFailed as error:
            await self._fail(turn, str(error), buffer)
        except StoreUnavailable as error:
            # Not the turn's fault: when its lease is over, a worker takes it up from the rows.
            log.warning("turn %s waits for the database: %s", turn.id, error)
        except BaseException as error:
            if is_ours(error):
                if isinstance(error, asyncio.CancelledError) and self._kernel.tasks.closing:
                    await asyncio.shield(self._give_back(turn))
                raise
            log.exception("turn %s failed", turn.id)
            await self._fail(turn, "An internal error ended the turn.", buffer)
        finally:
            buffer.drop()
        return None

    async def _load(self, turn: TurnRow) -> Loaded:
        return await self._kernel.store.run(lambda tx: load(tx, turn, self._kernel))

    def _toolbox(self, conversation: Conversation):
        return self._kernel.catalogue.toolbox(conversation.agent)

    async def _step(self, loaded: Loaded, buffer: EventBuffer) -> TurnRow | Turn:
        """Run one model request and what follows; returns the turn's row if it goes on at once."""
        agent = self._kernel.catalogue.agent(loaded.conversation.agent)
        is_last = loaded.turn.step >= agent.limits.steps
        history = await offload(loaded.length, loaded.said)
        if loaded.files:
            owner = loaded.conversation.owner.id
            history = await with_files(self._kernel, owner, history, loaded.files)
        prompt = Prompt(
            instructions=agent.instructions,
            history=history,
            # The last step: without tools the model can only answer.
            tools=() if is_last else self._toolbox(loaded.conversation).specs,
            most_calls=most_calls(agent.limits),
        )
        buffer.say(EventKind.STEP, {"step": loaded.turn.step + 1})
        answer = await self._ask(agent, prompt, buffer)
        if not answer.proposals:
            return await self._finish(loaded, answer, buffer)
        if is_last:
            raise ModelFailed(f"it still calls tools after {agent.limits.steps} steps")
        return await self._record(loaded, agent, answer, buffer)

    async def _ask(self, agent: Agent, prompt: Prompt, buffer: EventBuffer) -> Answer:
        """Ask the model, and again after a transient failure.

        Followers are told to drop the text so far.
        """
        for attempt in range(agent.limits.model_retries + 1):
            try:
                return await self._once(agent, prompt, buffer)
            except ModelFailed as error:
                if not error.transient or attempt == agent.limits.model_retries:
                    raise
                log.warning("asking %s again: %r", agent.name, error.reason)
                buffer.say(EventKind.RESET, {"reason": error.reason})
                await asyncio.sleep(RETRY_SECONDS * 2**attempt)
        raise AssertionError("a model is asked at least once")

    async def _once(self, agent: Agent, prompt: Prompt, buffer: EventBuffer) -> Answer:
        model, budget = self._kernel.catalogue.model(agent.name), AnswerBudget(agent.limits)
        if not agent.stream:
            answer = budget.whole(await model.request(prompt))
            buffer.say(EventKind.TEXT, {"text": storable(answer.text)})
            return answer
        # Closed at once, even if this task is cancelled: an open stream keeps its connection.
        async with aclosing(unhurried(model.stream(prompt))) as stream:
            async for item in stream:
                if buffer.is_void:
                    raise LeaseLost("turn", buffer.turn_id)
                if isinstance(item, Answer):
                    return budget.whole(item)
                budget.take(item)
                match item:
                    case TextDelta(text=text):
                        buffer.say(EventKind.TEXT, {"text": storable(text)})
                    case ReasoningDelta(text=text):
                        buffer.say(EventKind.REASONING, {"text": storable(text)})
                    case ArgumentsDelta():
                        # Arguments are published once they are frozen.
                        pass
        raise ModelFailed("its stream ended without an answer", transient=True)

    async def _finish(self, loaded: Loaded, answer: Answer, buffer: EventBuffer) -> Turn:
        facts, turn = await buffer.drain(), loaded.turn
        point("before_answer")

        def finish(tx: Tx) -> None:
            now = tx.now()
            tx.turns.hold(turn, TurnStatus.DONE, step=turn.step + 1, ended_at=now, error=None)
            tx.messages.append(message_of(self._kernel.ids("msg"), turn, answer, 0, now))
            done: dict[str, Json] = {"reason": answer.finish, "model": answer.model}
            tx.journal.tell(turn.id, *facts, Fact(EventKind.FINISHED, done))
            point("inside_answer")

        await self._kernel.store.run(finish)
        self._kernel.predicates.end(turn)
        point("after_answer")
        return resting(turn, TurnStatus.DONE, loaded.calls, text=storable(answer.text))

    async def _record(
        self, loaded: Loaded, agent: Agent, answer: Answer, buffer: EventBuffer
    ) -> TurnRow | Turn:
        """Store the answer with all its calls and requests in one commit, then run and ask."""
        point("before_proposal")
        stored, expires = await self._stored(loaded, agent, answer, buffer)
        point("after_proposal")
        for each in stored:
            self._run(each, loaded.conversation, expires)
        requests = tuple(each.request for each in stored if each.request is not None)
        self._kernel.announce(requests)
        calls = (*loaded.calls, *(each.call for each in stored))
        if not all(each.call.is_settled for each in stored):
            return resting(loaded.turn, TurnStatus.WAITING, calls, pending=requests)
        if wild := _runs_wild(calls, agent):
            raise ModelFailed(wild)
        return changed(loaded.turn, step=loaded.turn.step + 1)

    async def _stored(
        self, loaded: Loaded, agent: Agent, answer: Answer, buffer: EventBuffer
    ) -> tuple[tuple[GatedCall, ...], float]:
        """Gate the calls by the owner's rules and store them; again if the rules have changed."""
        facts, owner = list[Fact](), loaded.conversation.owner
        own = self._kernel.known_rules.of(owner)
        while True:
            calls = await self._proposals(loaded, agent, own).gated(answer)
            facts += await buffer.drain()
            step = ModelStep(
                kernel=self._kernel,
                loaded=loaded,
                agent=agent,
                answer=answer,
                calls=calls,
                facts=facts,
                own=own,
            )
            expires = self._kernel.clock.monotonic() + self._kernel.times.lease.total_seconds()
            try:
                return await self._kernel.store.run(step.store), expires
            except OwnRulesChanged as changed_since:
                own = self._kernel.known_rules.learn(owner, changed_since.rules)

    def _run(self, stored: GatedCall, conversation: Conversation, expires: float) -> None:
        """Start a call that was claimed with its step; one that is only cleared is queued."""
        call, tool = stored.call, stored.tool
        if call.status is CallStatus.RUNNING and tool is not None:
            claim = Claim(call=call, tool=tool, conversation=conversation, expires=expires)
            self._runner.start(claim)
        elif call.status is CallStatus.CLEARED:
            self._runner.enqueue(call.id, call.turn_id, call.agent)

    def _proposals(self, loaded: Loaded, agent: Agent, own: OwnRules) -> Proposals:
        turn = loaded.turn
        planner = Planner(
            gate=self._kernel.gate(turn.id, guarded=turn.guarded, own=own),
            vault=self._kernel.vault,
            ids=self._kernel.ids,
            conversation=loaded.conversation,
            saved=loaded.saved,
        )
        return Proposals(
            kernel=self._kernel,
            turn=turn,
            conversation=loaded.conversation,
            message_id=self._kernel.ids("msg"),
            planner=planner,
            toolbox=self._toolbox(loaded.conversation),
            policy_version=self._kernel.policy_version,
            limits=agent.limits,
            earlier=loaded.calls,
            now=self._kernel.clock.now(),
        )

    async def _give_back(self, turn: TurnRow) -> None:
        await self._kernel.store.run(lambda tx: tx.turns.move(turn, TurnStatus.READY, sources=HELD))

    async def _fail(self, turn: TurnRow, reason: str, buffer: EventBuffer) -> None:
        """End the turn with an error; it can be resumed, and its settled calls stay settled."""
        facts = await buffer.drain()

        def fail(tx: Tx) -> None:
            failing = frozenset({TurnStatus.RUNNING, TurnStatus.WAITING})
            changes: TurnChanges = {"error": storable(reason), "ended_at": tx.now()}
            if tx.turns.move(turn, TurnStatus.FAILED, sources=failing, **changes):
                told: dict[str, Json] = {"message": storable(reason)}
                tx.journal.tell(turn.id, *facts, Fact(EventKind.ERROR, told))

        await self._kernel.store.run(fail)


def _runs_wild(calls: Sequence[Call], agent: Agent) -> str | None:
    """Return a reason to stop if the model keeps making calls that are refused."""
    reasons = [call.cleared_by for call in calls]
    if reasons.count(REFUSED) > agent.limits.invalid_arguments:
        return "it keeps sending calls that are not valid"
    if reasons.count(REPEATED) > agent.limits.repeats:
        return "it keeps making the same call"
    return None
