"""Storing one step: the model's answer with all its calls and requests, in one commit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from assent.domain.calls import CROWDED, Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation, Message, Role, TurnRow, TurnSnapshot
from assent.domain.copies import changed
from assent.domain.events import EventKind, Fact
from assent.domain.files import FileReference
from assent.domain.forms import SavedValue
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, HistoryItem
from assent.domain.own_rules import OwnRules
from assent.domain.people import PersonKind
from assent.engine.agents import Agent
from assent.engine.failpoints import point
from assent.engine.files.attachments import attached
from assent.engine.gate.gated_calls import GatedCall, mint
from assent.engine.gate.own_rules import OwnRulesChanged
from assent.engine.gate.suggesting import suggested
from assent.engine.kernel import Kernel
from assent.engine.loop.prompts import dump_answer, history
from assent.engine.loop.proposals import storable
from assent.engine.runs.claims import conversation_of
from assent.engine.transitions import Moves
from assent.errors import LeaseLost, NotFound
from assent.ports import Tx

HELD = frozenset({TurnStatus.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The rows that one step needs."""

    turn: TurnRow
    conversation: Conversation
    # Built when the model is asked: it takes too long for a transaction.
    said: Callable[[], tuple[HistoryItem, ...]]
    # The approximate number of characters of that history.
    length: int
    # By the places of their messages in it.
    files: Mapping[int, Sequence[FileReference]]
    calls: tuple[Call, ...]
    saved: tuple[SavedValue, ...]


def load(
    tx: Tx,
    turn: TurnRow,
    kernel: Kernel,
    conversation: Conversation | None = None,
    snapshot: TurnSnapshot | None = None,
) -> Loaded:
    """Read the rows that the next step of a turn needs, unless they were read before."""
    conversation = conversation or conversation_of(tx, turn.conversation_id)
    snapshot = snapshot or tx.snapshots.conversation(conversation.id, turn.id)
    if snapshot is None:
        raise NotFound("turn", turn.id)
    # Before the first step of a conversation nobody has answered anything.
    asks = kernel.catalogue.toolbox(conversation.agent).asks and (turn.number, turn.step) != (1, 0)
    return Loaded(
        turn=turn,
        conversation=conversation,
        said=partial(history, snapshot.messages, snapshot.calls, kernel.texts),
        length=_length(snapshot),
        files=attached(snapshot.messages),
        calls=tuple(call for call in snapshot.calls if call.turn_id == turn.id),
        saved=tuple(tx.values.saved(conversation.id)) if asks else (),
    )


def _length(snapshot: TurnSnapshot) -> int:
    messages = sum(len(message.body or message.text) for message in snapshot.messages)
    return messages + sum(len(call.output or "") for call in snapshot.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCalls:
    """The calls of one answer, of our model or of an agent outside, before they are stored."""

    kernel: Kernel
    conversation: Conversation
    calls: Sequence[GatedCall]
    # How many may run at once, and the name that their claims are held under.
    slots: int
    worker: str

    def completed(self, tx: Tx, now: datetime) -> tuple[GatedCall, ...]:
        """Return the calls as they are stored: running, waiting, or settled."""
        return self._rows([self._suggested(tx, each) for each in self._within_quota(tx)], now)

    def _suggested(self, tx: Tx, gated: GatedCall) -> GatedCall:
        asking = suggested(tx, gated, self.conversation)
        return gated if asking is gated.asking else changed(gated, asking=asking)

    def _within_quota(self, tx: Tx) -> Sequence[GatedCall]:
        """Return the calls with as many questions as there is room for; the rest fail unasked."""
        asked = sum(each.asking is not None for each in self.calls)
        room = self.kernel.quotas.room(tx, self.conversation, asked)
        if room == asked:
            return self.calls
        # Over quota there are no questions and nothing runs: the surplus calls fail here, on
        # record.
        kept: list[GatedCall] = []
        for each in self.calls:
            room -= each.asking is not None
            crowded = each.asking is not None and room < 0
            kept.append(each.failed(CROWDED, self.kernel.texts.crowded) if crowded else each)
        return kept

    def _rows(self, calls: Sequence[GatedCall], now: datetime) -> tuple[GatedCall, ...]:
        """Complete the rows: claim in the same commit what can run at once, and mint requests."""
        slots, ids = self.slots, self.kernel.ids
        version = self.kernel.policy_version
        rows: list[GatedCall] = []
        for each in calls:
            call, request = each.call, None
            if each.asking is not None:
                request = mint(call, each.asking, self.conversation, ids, now)
            elif call.is_settled:
                call = changed(call, settled_at=now)
            # A call that an outdated policy cleared stays unclaimed: its own claim asks about it.
            elif call.status is CallStatus.CLEARED and slots > 0 and call.policy_version == version:
                slots -= 1
                call = self._claimed(call, now)
            rows.append(changed(each, call=call, request=request))
        return tuple(rows)

    def _claimed(self, call: Call, now: datetime) -> Call:
        return changed(
            call,
            status=CallStatus.RUNNING,
            fence=1,
            attempts=1,
            worker=self.worker,
            lease_until=now + self.kernel.times.lease,
        )

    def add(self, tx: Tx, stored: Sequence[GatedCall]) -> None:
        """Write completed calls with their requests, entries and events."""
        requests = [each.request for each in stored if each.request is not None]
        tx.calls.add([each.call for each in stored])
        tx.requests.add(requests)
        moves = Moves(tx, self.kernel.ids, actor=f"agent:{self.conversation.agent}")
        for each in stored:
            _chronicle(moves, each)
        for request in requests:
            moves.pending(request)
        if requests:
            ids: list[Json] = [request.id for request in requests]
            tx.journal.tell(requests[0].turn_id, Fact(EventKind.WAITING, {"requests": ids}))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep:
    """One step of a turn before it is stored: the model's answer and the calls it made."""

    kernel: Kernel
    loaded: Loaded
    agent: Agent
    answer: Answer
    calls: Sequence[GatedCall]
    facts: Sequence[Fact]
    # The rules of the owner that the gate ruled by.
    own: OwnRules

    def store(self, tx: Tx) -> tuple[GatedCall, ...]:
        """Write the step and return its calls as stored: running, waiting, or settled.

        The turn then waits for its calls, or goes on if all are settled. Raises `OwnRulesChanged`
        if the owner has other rules by now.
        """
        turn, now = self.loaded.turn, tx.now()
        calls = NewCalls(
            kernel=self.kernel,
            conversation=self.loaded.conversation,
            calls=self.calls,
            slots=self.agent.limits.parallel,
            worker=self.kernel.worker,
        )
        stored = calls.completed(tx, now)
        unsettled = sum(not each.call.is_settled for each in stored)
        target = TurnStatus.WAITING if unsettled else TurnStatus.RUNNING
        self._hold(tx, target)
        id = stored[0].call.message_id
        tx.messages.append(message_of(id, turn, self.answer, unsettled, now))
        tx.journal.tell(turn.id, *self.facts)
        calls.add(tx, stored)
        point("inside_proposal")
        return stored

    def _hold(self, tx: Tx, target: TurnStatus) -> None:
        turn, owner = self.loaded.turn, self.loaded.conversation.owner
        step, lease = turn.step + 1, self.kernel.times.lease
        if owner.kind is not PersonKind.HUMAN:
            tx.turns.hold(turn, target, step=step, lease_until=lease)
            return
        rules = (owner.id, self.own.version)
        try:
            tx.turns.hold(turn, target, rules=rules, step=step, lease_until=lease)
        except LeaseLost:
            now = tx.own_rules.of(owner.id)
            if now.version == self.own.version:
                raise
            raise OwnRulesChanged(now) from None


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


def _chronicle(moves: Moves, stored: GatedCall) -> None:
    """Record the entries and events of a call that passed several statuses in its first commit."""
    call = stored.call
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
    is_claimed = call.status is CallStatus.RUNNING
    ruled = changed(call, status=CallStatus.CLEARED) if is_claimed else call
    born, by = CallStatus.PROPOSED, stored.by
    told: dict[str, Json] = {"origins": dict(stored.origins)} if stored.origins else {}
    moves.note("gate", call, source=born, target=ruled.status, data={"by": by, **told})
    moves.tell(ruled)
    if is_claimed:
        moves.note("claim", ruled, target=CallStatus.RUNNING, data={"fence": call.fence})
        moves.tell(call)
