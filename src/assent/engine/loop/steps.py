"""Storing one step: the model's answer with all its calls and requests, in one commit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation, Message, Role, Scene, TurnRow
from assent.domain.copies import changed
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import TERMINAL, CallStatus, TurnStatus
from assent.domain.messages import Answer, HistoryItem
from assent.domain.requests import Request
from assent.domain.saved_values import SavedValue
from assent.engine.agents import Agent
from assent.engine.failpoints import point
from assent.engine.gate.planner import mint
from assent.engine.kernel import Kernel
from assent.engine.loop.prompts import dump_answer, history
from assent.engine.loop.proposals import Draft, storable, unasked
from assent.engine.runs.claims import Claim, conversation_of
from assent.engine.transitions import Moves
from assent.errors import NotFound
from assent.ports import Tx

HELD = frozenset({TurnStatus.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The rows that one step needs."""

    turn: TurnRow
    conversation: Conversation
    # Built when the model is asked: a transaction is no place for it.
    said: Callable[[], tuple[HistoryItem, ...]]
    # The approximate number of characters of that history.
    length: int
    calls: tuple[Call, ...]
    saved: tuple[SavedValue, ...]


def load(
    tx: Tx,
    turn: TurnRow,
    kernel: Kernel,
    conversation: Conversation | None = None,
    scene: Scene | None = None,
) -> Loaded:
    """Read the rows that the next step of a turn needs, unless they were read before."""
    conversation = conversation or conversation_of(tx, turn.conversation_id)
    scene = scene or tx.snapshots.scene(conversation.id, turn.id)
    if scene is None:
        raise NotFound("turn", turn.id)
    toolbox = kernel.catalogue.toolbox(conversation.agent)
    return Loaded(
        turn=turn,
        conversation=conversation,
        said=partial(history, scene.messages, scene.calls, kernel.texts),
        length=_length(scene),
        calls=tuple(call for call in scene.calls if call.turn_id == turn.id),
        saved=tuple(tx.values.saved(conversation.id)) if toolbox.asks else (),
    )


def _length(scene: Scene) -> int:
    messages = sum(len(message.body or message.text) for message in scene.messages)
    return messages + sum(len(call.output or "") for call in scene.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored step: calls to run, requests to announce, and the turn if it goes on at once."""

    turn: TurnRow | None
    calls: tuple[Call, ...]
    claims: tuple[Claim, ...]
    queued: tuple[Call, ...]
    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Everything that one commit needs; `started` is when this worker's leases begin."""

    kernel: Kernel
    loaded: Loaded
    agent: Agent
    answer: Answer
    drafts: list[Draft]
    facts: list[Fact]
    started: float

    def store(self, tx: Tx) -> Stored:
        """Write the step; the turn then waits for its calls, or goes on if none is open."""
        kernel = self.kernel
        asked = sum(1 for draft in self.drafts if draft.plan and draft.plan.asking)
        room = kernel.quotas.room(tx, self.loaded.conversation, asked)
        if room == asked:
            return self.write(tx)
        # Over quota there are no questions and nothing runs: the surplus calls fail here, on
        # record.
        return replace(self, drafts=unasked(self.drafts, room, kernel.texts.crowded)).write(tx)

    def write(self, tx: Tx) -> Stored:
        """Write the step with the drafts as they are."""
        turn, now = self.loaded.turn, tx.now()
        waiting = [draft for draft in self.drafts if draft.call.status not in TERMINAL]
        target = TurnStatus.WAITING if waiting else TurnStatus.RUNNING
        tx.turns.hold(turn, target, step=turn.step + 1, lease_until=self.kernel.times.lease)
        id = self.drafts[0].call.message_id
        tx.messages.append(message_of(id, turn, self.answer, len(waiting), now))
        tx.journal.tell(turn.id, *self.facts)
        claims, queued = self._claimed(now)
        requests = self._requests(now)
        calls = self._add(tx, claims, requests, now)
        held = None if waiting else changed(turn, step=turn.step + 1)
        point("inside_proposal")
        return Stored(turn=held, calls=calls, claims=claims, queued=queued, requests=requests)

    def _add(
        self, tx: Tx, claims: tuple[Claim, ...], requests: tuple[Request, ...], now: datetime
    ) -> tuple[Call, ...]:
        running = {claim.call.id: claim.call for claim in claims}
        drafted = [running.get(draft.call.id, draft.call) for draft in self.drafts]
        calls = tuple([_settled(call, now) for call in drafted])
        tx.calls.add(calls)
        tx.requests.add(requests)
        moves = Moves(tx, self.kernel.ids, actor=f"agent:{self.agent.name}")
        for draft, call in zip(self.drafts, calls, strict=True):
            _chronicle(moves, draft, call)
        for request in requests:
            moves.pending(request)
        if requests:
            ids: list[Json] = [request.id for request in requests]
            tx.journal.tell(self.loaded.turn.id, Fact(EventKind.WAITING, {"requests": ids}))
        return calls

    def _claimed(self, now: datetime) -> tuple[tuple[Claim, ...], tuple[Call, ...]]:
        """Claim in the same commit what can run at once; the rest when a slot is free."""
        cleared = [draft for draft in self.drafts if draft.call.status is CallStatus.CLEARED]
        room = self.agent.limits.parallel
        lease = self.kernel.times.lease
        claims = tuple(
            Claim(
                call=changed(
                    draft.call,
                    status=CallStatus.RUNNING,
                    fence=1,
                    attempts=1,
                    worker=self.kernel.worker,
                    lease_until=now + lease,
                ),
                tool=draft.plan.tool,
                conversation=self.loaded.conversation,
                expires=self.started + lease.total_seconds(),
            )
            for draft in cleared[:room]
            if draft.plan is not None
        )
        return claims, tuple(draft.call for draft in cleared[room:])

    def _requests(self, now: datetime) -> tuple[Request, ...]:
        conversation = self.loaded.conversation
        return tuple(
            mint(draft.call, draft.plan.asking, conversation, self.kernel.ids, now)
            for draft in self.drafts
            if draft.plan is not None and draft.plan.asking is not None
        )


def message_of(id: str, turn: TurnRow, answer: Answer, open_calls: int, now: datetime) -> Message:
    """Return the row of an answer."""
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
    return changed(call, settled_at=now) if call.status in TERMINAL else call


def _chronicle(moves: Moves, draft: Draft, call: Call) -> None:
    """Record the entries and events of a call that passed several statuses in its first commit."""
    data: dict[str, Json] = {"tool": call.tool, "arguments": call.arguments.digest}
    moves.note("propose", call, data=data)
    proposed: dict[str, Json] = {
        "call_id": call.id,
        "tool": call.tool,
        "provider_id": call.provider_id,
        "arguments": call.arguments.text,
        "risk": call.risk,
    }
    moves.tx.journal.tell(call.turn_id, Fact(EventKind.PROPOSED, proposed))
    by: dict[str, Json] = {"by": draft.call.cleared_by or _by(draft)}
    born = CallStatus.PROPOSED
    moves.note("gate", call, source=born, target=draft.call.status, data=by)
    moves.tell(draft.call)
    if call.status is CallStatus.RUNNING:
        moves.note("claim", draft.call, target=CallStatus.RUNNING, data={"fence": call.fence})
        moves.tell(call)


def _by(draft: Draft) -> str:
    return draft.plan.verdict.by if draft.plan else ""
