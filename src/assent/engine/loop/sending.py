"""Sending messages: start, stop and resume turns, or refuse while calls are pending."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeVar

from assent.domain.attachments import dump_files
from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.chats import ChatThread
from assent.domain.conversations import Conversation, Message, Role, TurnRow, TurnSnapshot
from assent.domain.events import EventKind, Fact
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import (
    ACTIVE_TURNS,
    AWAITING,
    TERMINAL,
    CallStatus,
    RequestStatus,
    TurnStatus,
)
from assent.domain.mcp_servers import REMOTE
from assent.domain.outputs import error_output, json_text
from assent.domain.people import ADMIN, Person, want_recordable
from assent.engine.decisions.apply import tell_closed
from assent.engine.failpoints import point
from assent.engine.files.attachments import carried
from assent.engine.kernel import Kernel
from assent.engine.loop.new_messages import NewMessage, OnPending
from assent.engine.loop.proposals import storable
from assent.engine.loop.steps import Loaded, load
from assent.engine.loop.turns import Turns
from assent.engine.transitions import Moves, Raced
from assent.errors import (
    EmptyMessage,
    KeyReused,
    NotFound,
    NothingAwaited,
    OverQuota,
    PendingCalls,
)
from assent.ports import TurnChanges, Tx

T = TypeVar("T")
_WITHDRAWABLE = AWAITING | {CallStatus.CLEARED}


def _no_conversation(id: str) -> NotFound:
    # The same error for a conversation of another person: the sender learns nothing.
    hint = "leave conversation_id out to begin one, or add create=True to begin one of this id"
    return NotFound("conversation", id, hint)


class Sending:
    """Starts, stops and resumes turns."""

    def __init__(self, kernel: Kernel, turns: Turns) -> None:
        self._kernel, self._turns = kernel, turns

    async def send(self, message: NewMessage) -> TurnRow:
        """Store the message with its turn; the loop starts here or in a process with a worker."""
        if not message.is_legible and not message.files:
            raise EmptyMessage
        return await self._kernel.tasks.through(self._sent(message))

    async def _sent(self, message: NewMessage) -> TurnRow:
        turn_id = self._kernel.ids("turn")
        try:
            started = await self._withdrawing(lambda tx: self._start(tx, message, turn_id))
        except OverQuota as error:
            await self._refused(message.by, message.conversation_id, error)
            raise
        point("after_send")
        turn = started.turn if isinstance(started, Loaded) else started
        # Only now that the turn exists. Without a worker nobody here would notice its end, and the
        # worker that advances it does not have the predicate and always asks.
        if turn.id == turn_id:
            self._kernel.predicates.begin(
                turn, message.ask_when if self._kernel.is_worker else None
            )
        if isinstance(started, Loaded):
            self._turns.begin(started)
        return turn

    async def open(
        self,
        agent: str,
        by: Person,
        *,
        decide_within: timedelta | None = None,
        thread: ChatThread | None = None,
    ) -> Conversation:
        """Create a conversation without any message; a chat's thread has one for good."""
        message = NewMessage(agent=agent, text="", by=by, decide_within=decide_within)

        def add(tx: Tx) -> Conversation:
            # A chat may bring the first message of a thread twice at once.
            known = None if thread is None else tx.chats.conversation_in(thread)
            found = None if known is None else tx.conversations.get(known)
            if found is not None:
                return found
            # Before the insert: afterwards the conversation would count itself.
            self._kernel.quotas.admit_conversation(tx, by.id)
            made = self._conversation(tx, message)
            if thread is not None:
                tx.chats.begin(thread, made.id)
            return made

        try:
            return await self._kernel.store.run(add)
        except OverQuota as error:
            await self._refused(by, None, error)
            raise

    async def _refused(self, by: Person, conversation_id: str | None, error: OverQuota) -> None:
        """Record a refusal in a transaction of its own: the refused one left nothing behind."""

        def note(tx: Tx) -> None:
            moves = Moves(tx, self._kernel.ids, actor=by.id)
            data: dict[str, Json] = {"code": error.code, "what": error.what, "limit": error.limit}
            moves.note("refused", conversation_id=conversation_id, data=data)

        await self._kernel.store.run(note)

    async def _withdrawing(self, work: Callable[[Tx], T]) -> T:
        """Try again if a decision or a claim was faster: that is no reason to refuse."""
        while True:
            try:
                return await self._kernel.store.run(work)
            except Raced:
                continue

    def _start(self, tx: Tx, message: NewMessage, turn_id: str) -> TurnRow | Loaded:
        """Store the message and its turn; if we hold the turn, return what its first step needs."""
        body = message.body
        if (known := self._known(tx, message, body)) is not None:
            return known
        conversation = self._conversation(tx, message)
        try:
            number = (
                1 if message.conversation_id is None else self._clear_way(tx, message, conversation)
            )
        except PendingCalls:
            # The active turn may be from this same message, stored since we looked.
            if (known := self._known(tx, message, body)) is not None:
                return known
            raise
        self._kernel.quotas.admit_message(tx, conversation, message.by.id)
        files, file_ids = carried(tx, message.by.id, message.files)
        now = tx.now()
        is_worker = self._kernel.is_worker
        turn = TurnRow(
            id=turn_id,
            conversation_id=conversation.id,
            number=number,
            agent=conversation.agent,
            status=TurnStatus.RUNNING if is_worker else TurnStatus.READY,
            step=0,
            fence=1 if is_worker else 0,
            worker=self._kernel.worker if is_worker else None,
            guarded=message.ask_when is not None,
            created_at=now,
        )
        said = Message(
            id=self._kernel.ids("msg"),
            conversation_id=conversation.id,
            turn_id=turn_id,
            position=0,
            role=Role.USER,
            text=storable(message.text),
            body=dump_files(files),
            created_at=now,
        )
        # Read before anything is written, so that all writes can be sent at once.
        started = self._loaded(tx, turn, conversation, said) if is_worker else turn
        lease = self._kernel.times.lease
        tx.turns.add(turn, owner=message.by.id, key=message.key, body=body, lease=lease)
        tx.messages.append(said)
        told: dict[str, Json] = {"text": said.text}
        if files:
            tx.files.attach(said.id, file_ids)
            told["files"] = [file.to_json() for file in files]
        tx.journal.tell(turn_id, Fact(EventKind.STARTED, told))
        point("inside_send")
        return started

    def _loaded(self, tx: Tx, turn: TurnRow, conversation: Conversation, said: Message) -> Loaded:
        messages, calls = list[Message](), list[Call]()
        # Every message belongs to a turn: before the first one there is nothing to read.
        if turn.number > 1:
            messages, calls = tx.snapshots.history(conversation.id)
        snapshot = TurnSnapshot(turn=turn, messages=[*messages, said], calls=calls)
        return load(tx, turn, self._kernel, conversation, snapshot)

    def _known(self, tx: Tx, message: NewMessage, body: str) -> TurnRow | None:
        """Return the turn that this key already started; raises `KeyReused` for another message."""
        known = None if message.key is None else tx.turns.by_key(message.by.id, message.key)
        if known is None:
            return None
        if known[1] != body:
            raise KeyReused(str(message.key))
        return known[0]

    def _conversation(self, tx: Tx, message: NewMessage) -> Conversation:
        id = message.conversation_id
        found = None if id is None else tx.conversations.get(id)
        if found is not None:
            if found.owner.id != message.by.id:
                raise _no_conversation(found.id)
            return found
        if id is not None and not message.create:
            raise _no_conversation(id)
        agent = self._kernel.catalogue.agent(message.agent)
        conversation = Conversation(
            id=id or self._kernel.ids("conv"),
            agent=agent.name,
            owner=message.by,
            created_at=tx.now(),
            decide_within=message.decide_within,
        )
        tx.conversations.add(conversation)
        return conversation

    def _clear_way(self, tx: Tx, message: NewMessage, conversation: Conversation) -> int:
        """Return the next turn's number; supersede an active turn, or raise `PendingCalls`."""
        newest = tx.turns.newest(conversation.id)
        if newest is None:
            return 1
        if newest.status in ACTIVE_TURNS:
            calls = tx.calls.of_turn(newest.id)
            if message.on_pending is not OnPending.SUPERSEDE:
                waiting = {call.id: call.tool for call in calls if call.status not in TERMINAL}
                raise PendingCalls(conversation.id, waiting)
            moves = Moves(tx, self._kernel.ids, actor=message.by.id)
            self._withdraw(tx, moves, newest, calls, CallStatus.SUPERSEDED)
        return newest.number + 1

    async def stop(self, turn_id: str, by: Person) -> TurnRow:
        """End a turn: waiting calls are withdrawn, and a partial answer is kept as incomplete."""
        want_findable("turn", turn_id)
        want_recordable(by)
        turn = await self._withdrawing(lambda tx: self._stop(tx, turn_id, by))
        self._kernel.predicates.end(turn)
        for task in self._kernel.tasks.of_turn(turn_id):
            # A running body is not cancelled: a known outcome is worth more than a call in doubt.
            if task.get_name().startswith("assent-turn-"):
                task.cancel()
        await self._cancel_remote(turn_id)
        return turn

    async def _cancel_remote(self, turn_id: str) -> None:
        """Cancel what servers outside run for a turn: they are told, and it is in doubt."""
        for call in await self._kernel.store.run(lambda tx: tx.calls.of_turn(turn_id)):
            tool = self._kernel.catalogue.tool_of(call)
            # What may be repeated would be: it is left to end.
            is_remote = call.source.startswith(REMOTE) and tool and not tool.tool.idempotent
            if call.status is CallStatus.RUNNING and is_remote:
                self._kernel.bodies.cancel(call.id)

    def _stop(self, tx: Tx, turn_id: str, by: Person) -> TurnRow:
        turn = self._owned(tx, turn_id, by)
        if turn.status not in ACTIVE_TURNS:
            raise NothingAwaited("Turn", turn_id, turn.status)
        moves = Moves(tx, self._kernel.ids, actor=by.id)
        self._withdraw(tx, moves, turn, tx.calls.of_turn(turn_id), CallStatus.CANCELLED)
        return turn

    def _owned(self, tx: Tx, turn_id: str, by: Person) -> TurnRow:
        turn = tx.turns.get(turn_id)
        conversation = None if turn is None else tx.conversations.get(turn.conversation_id)
        if turn is None or conversation is None:
            raise NotFound("turn", turn_id)
        if by.id != conversation.owner.id and ADMIN not in by.roles:
            raise NotFound("turn", turn_id)
        return turn

    def _withdraw(
        self, tx: Tx, moves: Moves, turn: TurnRow, calls: Sequence[Call], target: CallStatus
    ) -> None:
        """Withdraw requests, then calls, then the turn: everything locks in this order."""
        texts = self._kernel.texts
        is_stop = target is CallStatus.CANCELLED
        closing = RequestStatus.CANCELLED if is_stop else RequestStatus.SUPERSEDED
        output = json_text(error_output(texts.aborted if is_stop else texts.superseded))
        for call in calls:
            if call.status not in _WITHDRAWABLE:
                continue
            for request in tx.requests.of_call(call.id):
                if request.is_open:
                    tx.requests.close(request, closing, by=moves.actor)
                    tell_closed(moves, request, closing, moves.actor)
            moves.move(call, target, "stop" if is_stop else "supersede", output=output)
        self._keep_partial(tx, turn)
        ended: TurnChanges = {"ended_at": tx.now()}
        active = ACTIVE_TURNS
        is_stopped = tx.turns.move(turn, TurnStatus.STOPPED, sources=active, fenced=False, **ended)
        # The turn of an agent outside has ended with its last call.
        if not is_stopped and not turn.outside:
            raise Raced(turn.id)
        # A body that asks for approval locks the turn's row: a call that began to wait since we
        # looked is visible now.
        if any(call.status in _WITHDRAWABLE for call in tx.calls.of_turn(turn.id)):
            raise Raced(turn.id)
        tx.journal.tell(turn.id, Fact(EventKind.FINISHED, {"reason": "stopped"}))

    def _keep_partial(self, tx: Tx, turn: TurnRow) -> None:
        """Store the text of an unfinished answer, as far as it reached the events."""
        if turn.status is not TurnStatus.RUNNING:
            return
        said: list[str] = []
        for event in tx.journal.events(turn.id, 0, 1_000_000):
            # An answer with calls was finished, and is stored already.
            if event.kind in (EventKind.STEP, EventKind.RESET, EventKind.PROPOSED):
                said.clear()
            elif event.kind is EventKind.TEXT:
                said.append(str(event.data["text"]))
        if text := "".join(said):
            tx.messages.append(
                Message(
                    id=self._kernel.ids("msg"),
                    conversation_id=turn.conversation_id,
                    turn_id=turn.id,
                    position=0,
                    role=Role.ASSISTANT,
                    text=text,
                    incomplete=True,
                    created_at=tx.now(),
                )
            )

    async def resume(self, turn_id: str, by: Person) -> TurnRow:
        """Continue a turn that failed: nothing settled is asked or run again."""
        want_findable("turn", turn_id)
        want_recordable(by)

        def resume(tx: Tx) -> TurnRow:
            turn = self._owned(tx, turn_id, by)
            failed = frozenset({TurnStatus.FAILED})
            newest = tx.turns.newest(turn.conversation_id)
            # The conversation went on without it: its answer would come after later questions.
            if newest is None or newest.id != turn_id:
                raise NothingAwaited("Turn", turn_id, turn.status)
            if not tx.turns.move(turn, TurnStatus.READY, sources=failed, error=None, ended_at=None):
                raise NothingAwaited("Turn", turn_id, turn.status)
            tx.journal.tell(turn_id, Fact(EventKind.RESET, {"reason": "resumed"}))
            worker, lease = self._kernel.worker, self._kernel.times.lease
            claimed = tx.turns.claim(turn_id, worker, lease) if self._kernel.is_worker else None
            return claimed or turn

        turn = await self._kernel.store.run(resume)
        if turn.status is TurnStatus.RUNNING:
            self._turns.begin(turn)
        return turn
