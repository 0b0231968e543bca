"""Export and import of conversations as JSON. Imported text is a record: it has no authority."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from assent.domain.canonical import Json, encode
from assent.domain.conversations import Conversation, Message, TurnRow
from assent.domain.copies import changed
from assent.domain.decisions import Decision
from assent.domain.events import EventKind, Fact
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import ACTIVE_TURNS, RequestKind, RequestStatus, TurnStatus
from assent.domain.messages import Answer, Proposal, Usage
from assent.domain.outputs import json_text
from assent.domain.people import ADMIN, Audience, Person, PersonKind
from assent.domain.requests import Question, Request
from assent.domain.tools import Preview, usual_confirmation
from assent.engine.gate.gated_calls import mint
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.loop.prompts import dump_answer
from assent.engine.transfer.export import export_conversation
from assent.engine.transfer.format import (
    VERSION,
    AnswerPart,
    Archive,
    DecisionPart,
    MessagePart,
    RequestPart,
    TurnPart,
    read,
)
from assent.engine.transfer.imported_calls import (
    IMPORT,
    ArchivedCall,
    CallImporter,
    ImportedCall,
    past,
)
from assent.engine.transitions import Moves
from assent.errors import NotAllowed, NotFound
from assent.ports import Tx

RESUMABLE = "It was going on when it was exported; resume it to go on here."
_NO_LEASE = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Exports conversations for their owners, and imports them for admins."""

    kernel: Kernel
    announce: Callable[[Sequence[Request]], None]

    async def export(self, conversation_id: str, by: Person) -> str:
        """Return the conversation as JSON text; only its owner and admins learn that it exists."""

        def export(tx: Tx) -> dict[str, Json]:
            want_findable("conversation", conversation_id)
            conversation = tx.conversations.get(conversation_id)
            if conversation is None or not (by.id == conversation.owner.id or ADMIN in by.roles):
                raise NotFound("conversation", conversation_id)
            moves = Moves(tx, self.kernel.ids, actor=by.id)
            moves.note("export", conversation_id=conversation_id, data={"version": VERSION})
            return export_conversation(tx, conversation_id)

        exported = await self.kernel.store.run(export)
        return await asyncio.to_thread(json_text, exported)

    async def import_(self, text: str, by: Person, owner: Person) -> str:
        """Create a conversation of `owner` from an exported one; returns its id."""
        if ADMIN not in by.roles or by.kind is PersonKind.AGENT:
            raise NotAllowed(by.id, "import conversations")
        # In a thread, as in `export`: an archive may have 32 MiB.
        ready = await self._judged(await asyncio.to_thread(read, text), owner)

        def write(tx: Tx) -> tuple[Request, ...]:
            moves = Moves(tx, self.kernel.ids, actor=by.id, channel=IMPORT)
            return import_conversation(tx, moves, ready)

        self.announce(await self.kernel.store.run(write))
        return ready.conversation.id

    async def _judged(self, archive: Archive, owner: Person) -> "ReadyImport":
        """Give everything new ids, and judge every call that is not settled."""
        kernel = self.kernel
        conversation = Conversation(
            id=kernel.ids("conv"),
            agent=kernel.catalogue.agent(archive.conversation.agent).name,
            owner=owner,
            created_at=past(archive.conversation.created_at, kernel.clock.now()),
        )
        turns = {turn.id: kernel.ids("turn") for turn in archive.turns}
        messages = {message.id: kernel.ids("msg") for message in archive.messages}
        importer = _importer(kernel, archive, conversation)
        imported = [
            await importer.take_over(each) for each in _archived_calls(archive, turns, messages)
        ]
        return ReadyImport(
            archive=archive,
            conversation=conversation,
            turns=turns,
            messages=messages,
            imported=tuple(imported),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyImport:
    """An archive with its new ids, judged and ready to be written."""

    archive: Archive
    conversation: Conversation
    turns: Mapping[str, str]
    messages: Mapping[str, str]
    imported: tuple[ImportedCall, ...]


def _importer(kernel: Kernel, archive: Archive, conversation: Conversation) -> CallImporter:
    # A per-run predicate is not exported; without it the gate always asks.
    guarded = bool(archive.turns) and archive.turns[-1].guarded
    planner = Planner(
        gate=kernel.gate("", guarded=guarded),
        vault=kernel.vault,
        ids=kernel.ids,
        conversation=conversation,
    )
    now = kernel.clock.now()
    return CallImporter(kernel=kernel, conversation=conversation, planner=planner, now=now)


def _archived_calls(
    archive: Archive, turns: Mapping[str, str], messages: Mapping[str, str]
) -> list[ArchivedCall]:
    rows = {turn.id: turn for turn in archive.turns}
    forms = {
        request.call_id: cast("dict[str, Json]", request.question.prefilled)
        for request in archive.requests
        if request.kind is RequestKind.INPUT and request.status is RequestStatus.OPEN
    }
    return [
        ArchivedCall(
            part=call,
            turn_id=turns[call.turn_id],
            message_id=messages[call.message_id],
            turn_number=rows[call.turn_id].number,
            active=rows[call.turn_id].status in ACTIVE_TURNS,
            prefilled=forms.get(call.id, {}),
        )
        for call in archive.calls
    ]


def import_conversation(tx: Tx, moves: Moves, ready: ReadyImport) -> tuple[Request, ...]:
    """Write the conversation in one transaction; returns the requests that are open here now."""
    tx.conversations.add(ready.conversation)
    waiting = [imported for imported in ready.imported if not imported.call.is_settled]
    for turn in ready.archive.turns:
        _add_turn(tx, moves, ready, turn, waiting)
    opened = Counter(imported.call.message_id for imported in waiting)
    for message in ready.archive.messages:
        tx.messages.append(_message(moves, ready, message, opened))
    if ready.imported:
        tx.calls.add([imported.call for imported in ready.imported])
    closed = _closed_parts(ready.archive)
    for imported in ready.imported:
        _add_history(tx, moves, imported, closed.get(imported.part.id, ()))
    requests = tuple(
        mint(imported.call, imported.asking, ready.conversation, moves.ids, moves.now)
        for imported in waiting
        if imported.asking is not None
    )
    if requests:
        tx.requests.add(requests)
    _chronicle(moves, ready, requests)
    return requests


def _add_turn(
    tx: Tx, moves: Moves, ready: ReadyImport, turn: TurnPart, waiting: Sequence[ImportedCall]
) -> None:
    row = TurnRow(
        id=ready.turns[turn.id],
        conversation_id=ready.conversation.id,
        number=turn.number,
        agent=ready.conversation.agent,
        status=turn.status,
        step=turn.step,
        fence=0,
        guarded=turn.guarded,
        error=turn.error,
        created_at=past(turn.created_at, moves.now),
        ended_at=None if turn.ended_at is None else past(turn.ended_at, moves.now),
    )
    if turn.status in ACTIVE_TURNS:
        row = _resting(row, moves, any(imported.call.turn_id == row.id for imported in waiting))
    owner = ready.conversation.owner.id
    tx.turns.add(row, owner=owner, key=None, body=None, lease=_NO_LEASE)


def _resting(turn: TurnRow, moves: Moves, waits: bool) -> TurnRow:
    """Return a turn that waits for people, or until it is resumed: an import calls no model."""
    if waits:
        return changed(turn, status=TurnStatus.WAITING, error=None, ended_at=None)
    return changed(turn, status=TurnStatus.FAILED, error=RESUMABLE, ended_at=moves.now)


def _message(
    moves: Moves, ready: ReadyImport, message: MessagePart, opened: Mapping[str, int]
) -> Message:
    id = ready.messages[message.id]
    return Message(
        id=id,
        conversation_id=ready.conversation.id,
        turn_id=ready.turns[message.turn_id],
        position=0,
        role=message.role,
        text=message.text,
        body=None if message.answer is None else dump_answer(_answer(message.answer)),
        open_calls=opened.get(id, 0),
        incomplete=message.incomplete,
        created_at=past(message.created_at, moves.now),
    )


def _answer(part: AnswerPart) -> Answer:
    return Answer(
        text=part.text,
        reasoning=part.reasoning,
        proposals=tuple(Proposal(**each.model_dump()) for each in part.proposals),
        finish=part.finish,
        usage=Usage(**part.usage.model_dump()),
        model=part.model,
        wire=part.wire,
        wire_format=part.wire_format,
    )


def _closed_parts(archive: Archive) -> Mapping[str, Sequence[RequestPart]]:
    found: defaultdict[str, list[RequestPart]] = defaultdict(list)
    for request in archive.requests:
        # An open request is not taken over: the imported call has its own question here.
        if request.status is not RequestStatus.OPEN:
            found[request.call_id].append(request)
    return found


def _add_history(
    tx: Tx, moves: Moves, imported: ImportedCall, closed: Sequence[RequestPart]
) -> None:
    """Store the requests and decisions from elsewhere, all closed."""
    for revision in imported.revisions:
        tx.calls.revise(revision)
    for part in closed:
        request = _closed(part, moves, imported)
        tx.requests.add([request])
        for decision in part.decisions:
            tx.decisions.add(_decision(decision, request.id, moves))


def _closed(part: RequestPart, moves: Moves, imported: ImportedCall) -> Request:
    call = imported.call
    return Request(
        id=moves.ids("req"),
        kind=part.kind,
        status=part.status,
        call_id=call.id,
        conversation_id=call.conversation_id,
        turn_id=call.turn_id,
        revision=part.revision,
        owner=imported.owner,
        agent=call.agent,
        tool=call.tool,
        risk=call.risk,
        # A claim that asks again asks the audience of the last request. For a call that waits here
        # that must be the audience of our policy, not one from the archive.
        audience=imported.audience or Audience.from_json(part.audience.model_dump()),
        quorum=part.quorum,
        # No digest of ours: nothing was approved here.
        digest="",
        policy_version="",
        question=_question(part),
        created_at=past(part.created_at, moves.now),
        decide_by=part.decide_by,
        closed_at=past(part.closed_at or moves.now, moves.now),
        closed_by=part.closed_by,
        confirmation=usual_confirmation(call.risk),
    )


def _question(part: RequestPart) -> Question:
    said = part.question
    preview = None if said.preview is None else Preview(**said.preview.model_dump())
    return Question(
        reason=said.reason,
        text=said.text,
        preview=preview,
        metadata=cast("dict[str, Json]", said.metadata),
        form=cast("dict[str, Json] | None", said.form),
        prefilled=cast("dict[str, Json]", said.prefilled),
    )


def _decision(part: DecisionPart, request_id: str, moves: Moves) -> Decision:
    arguments = None if part.arguments is None else encode(cast("Json", part.arguments))
    return Decision(
        id=moves.ids("dec"),
        request_id=request_id,
        person=part.person,
        # This was not decided here, and the record must not read as if it had been.
        channel=f"{IMPORT}:{part.channel}",
        verdict=part.verdict,
        fingerprint="",
        reason=part.reason,
        arguments=arguments,
        at=past(part.at, moves.now),
    )


def _chronicle(moves: Moves, ready: ReadyImport, requests: Sequence[Request]) -> None:
    origin = ready.archive.conversation
    whole: dict[str, Json] = {"id": origin.id, "owner": origin.owner.id, "version": VERSION}
    moves.note("import", conversation_id=ready.conversation.id, data=whole)
    asked = {request.call_id: request.id for request in requests}
    for imported in ready.imported:
        call, part = imported.call, imported.part
        data: dict[str, Json] = {"id": part.id, "was": part.status, "is": call.status}
        moves.note("import", call, request_id=asked.get(call.id), data=data)
        if not call.is_settled:
            moves.tell(call)
    for request in requests:
        moves.pending(request)
    for turn_id in {request.turn_id for request in requests}:
        ids: list[Json] = [request.id for request in requests if request.turn_id == turn_id]
        moves.tx.journal.tell(turn_id, Fact(EventKind.WAITING, {"requests": ids}))
