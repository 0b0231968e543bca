"""Exporting a conversation: from its rows to an archive without secrets."""

import json
from datetime import datetime
from typing import Any, cast

from msgspec import to_builtins

from assent.domain.attachments import listed
from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation, Message, Role, TurnRow
from assent.domain.decisions import Decision
from assent.domain.requests import Question, Request
from assent.engine.transfer.format import FORMAT, VERSION
from assent.errors import NotFound
from assent.ports import Tx


def export_conversation(tx: Tx, conversation_id: str) -> dict[str, Json]:
    """Return a conversation in version 1 of the format: no secrets, drafts, leases or keys."""
    conversation = tx.conversations.get(conversation_id)
    if conversation is None:
        raise NotFound("conversation", conversation_id)
    messages = tx.messages.of_conversation(conversation_id)
    known = {message.id for message in messages}
    # A step that commits between two of these reads is left out whole.
    calls = [c for c in tx.calls.of_conversation(conversation_id) if c.message_id in known]
    turns = [tx.turns.get(id) for id in dict.fromkeys(m.turn_id for m in messages)]
    return {
        "format": FORMAT,
        "version": VERSION,
        "conversation": _conversation_json(conversation),
        "turns": [_turn_json(turn) for turn in turns if turn is not None],
        "messages": [_message_json(message) for message in messages],
        "calls": [_call_json(tx, call) for call in calls],
        "requests": [
            _request_json(tx, request) for call in calls for request in tx.requests.of_call(call.id)
        ],
    }


def _time(at: datetime) -> str:
    return at.isoformat()


def _maybe_time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _conversation_json(conversation: Conversation) -> dict[str, Json]:
    owner = conversation.owner
    return {
        "id": conversation.id,
        "agent": conversation.agent,
        "owner": {"id": owner.id, "kind": owner.kind, "roles": [*sorted(owner.roles)]},
        "created_at": _time(conversation.created_at),
    }


def _turn_json(turn: TurnRow) -> dict[str, Json]:
    return {
        "id": turn.id,
        "number": turn.number,
        "status": turn.status,
        "step": turn.step,
        "guarded": turn.guarded,
        "error": turn.error,
        "created_at": _time(turn.created_at),
        "ended_at": _maybe_time(turn.ended_at),
    }


def _message_json(message: Message) -> dict[str, Json]:
    is_answer = message.body is not None and message.role is not Role.USER
    return {
        "id": message.id,
        "turn_id": message.turn_id,
        "role": message.role,
        # Files stay where they are; their names go with the text.
        "text": listed(message),
        "answer": None if not is_answer else _whole(json.loads(message.body or "")),
        "incomplete": message.incomplete,
        "created_at": _time(message.created_at),
    }


def _whole(value: Any) -> Any:
    """Return the value with half surrogate pairs escaped: a model can write them, UTF-8 cannot."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            fields = cast("dict[str, Any]", value)
            return {name: _whole(item) for name, item in fields.items()}
        case list():
            return [_whole(item) for item in cast("list[Any]", value)]
        case _:
            return value


def _loaded(text: str | None) -> Any:
    return None if text is None else _whole(json.loads(text))


def _call_json(tx: Tx, call: Call) -> dict[str, Json]:
    return {
        "id": call.id,
        "turn_id": call.turn_id,
        "message_id": call.message_id,
        "position": call.position,
        "provider_id": call.provider_id,
        "tool": call.tool,
        "source": call.source,
        "risk": call.risk,
        "definition_hash": call.definition_hash,
        "status": call.status,
        "revision": call.revision,
        "arguments": call.arguments.thaw(),
        "proposed": call.proposed,
        "cleared_by": call.cleared_by,
        "approved": call.approved,
        "step": call.step,
        "attempts": call.attempts,
        "metadata": _loaded(call.metadata),
        "supplied": None if call.supplied is None else {"output": _loaded(call.supplied)},
        "output": _loaded(call.output),
        "note": call.note,
        "created_at": _time(call.created_at),
        "settled_at": _maybe_time(call.settled_at),
        "revisions": [
            {
                "revision": each.revision,
                "arguments": each.arguments.thaw(),
                "author": each.author,
                "by": each.by,
                "at": _time(each.at),
            }
            for each in tx.calls.revisions(call.id)
        ],
    }


def _request_json(tx: Tx, request: Request) -> dict[str, Json]:
    return {
        "id": request.id,
        "call_id": request.call_id,
        "kind": request.kind,
        "status": request.status,
        "revision": request.revision,
        "audience": cast("Json", request.audience.to_json()),
        "quorum": request.quorum,
        "question": _question_json(request.question),
        "created_at": _time(request.created_at),
        "decide_by": _maybe_time(request.decide_by),
        "closed_at": _maybe_time(request.closed_at),
        "closed_by": request.closed_by,
        "decisions": [_decision_json(each) for each in tx.decisions.of_request(request.id)],
    }


def _question_json(question: Question) -> dict[str, Json]:
    said = _whole(to_builtins(question))
    # What a person had elsewhere is no part of this conversation.
    return {name: value for name, value in said.items() if name not in ("origins", "suggestions")}


def _decision_json(decision: Decision) -> dict[str, Json]:
    return {
        "person": decision.person,
        "channel": decision.channel,
        "verdict": decision.verdict,
        "reason": decision.reason,
        "arguments": _loaded(decision.arguments),
        "at": _time(decision.at),
    }
