"""Exchanges: what a body asks of people in the middle of its call, sealed until it has the answer.

A body that raises `InputRequired` ends, and its call waits as for any form. A body that cannot end
asks beside its running call: the request is open while the call runs on.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.forms import SealedSecret, UserInput
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.outputs import json_text
from assent.domain.people import Audience, PersonKind
from assent.domain.requests import Question, Request
from assent.domain.tools import Context, EffectiveTool
from assent.engine.gate.gated_calls import Asking
from assent.engine.kernel import Kernel
from assent.engine.vault import Vault

# In a call's metadata: where its state and answers are sealed, and how often it has asked.
KEY: Final = "assent.exchange"
_FIELD: Final = "exchange"


def sealed(vault: Vault, id: str, call: Call, value: Json, at: datetime) -> SealedSecret:
    """Return a state or an answer as a row of its own, which goes when the call is settled."""
    text = vault.seal(json_text(value), row=id, field=_FIELD)
    return SealedSecret(
        id=id,
        conversation_id=call.conversation_id,
        call_id=call.id,
        field=_FIELD,
        sealed=text,
        at=at,
    )


def metadata_of(call: Call) -> dict[str, Any]:
    """Return a call's metadata; empty if it has none."""
    return json.loads(call.metadata) if call.metadata else {}


def exchange_of(call: Call) -> dict[str, Any] | None:
    """Return where a call's exchange is kept; None if it never asked."""
    return metadata_of(call).get(KEY)


def tries(call: Call) -> int:
    """Return how often a call was tried; an attempt that only asked did nothing."""
    exchange = exchange_of(call)
    if exchange is None:
        return call.attempts - (call.metadata is not None)
    return call.attempts - exchange.get("rounds", 0) - exchange.get("approvals", 0)


def with_exchange(call: Call, **parts: Json) -> str:
    """Return a call's metadata with these parts of its exchange."""
    metadata = metadata_of(call)
    # Metadata without an exchange are those of a body that asked for approval, even if empty.
    before = metadata.get(KEY, {"approvals": 1} if call.metadata is not None else {})
    return json_text({**metadata, KEY: {**before, **parts}})


def with_approval(call: Call, metadata: Mapping[str, Json]) -> str:
    """Return a call's metadata as a body that asks for approval says them, with its exchange."""
    exchange = exchange_of(call)
    if exchange is None:
        return json_text(dict(metadata))
    return json_text({**metadata, KEY: {**exchange, "approvals": 1}})


def is_exchange(call: Call, request: Request) -> bool:
    """Return True if a request is a body's own question and not the form of a tool."""
    asks_input = request.kind is RequestKind.INPUT
    return asks_input and (is_beside(request, call) or exchange_of(call) is not None)


def is_beside(request: Request, call: Call) -> bool:
    """Return True if a request is open beside a call that runs on."""
    return request.kind is RequestKind.INPUT and call.status is CallStatus.RUNNING


async def resumed(kernel: Kernel, call: Call, context: Context) -> Context:
    """Return the context with the state and the answers of the call's exchange."""
    kept = exchange_of(call)
    if kept is None:
        return context
    state, answers = (str(kept.get(part) or "") for part in ("state", "answers"))
    ids = [id for id in (state, answers) if id]
    rows = await kernel.store.run(lambda tx: tx.values.sealed(ids))
    values = {row.id: opened(kernel.vault, row) for row in rows}
    plain = {name: value for name, value in context.metadata.items() if name != KEY}
    return changed(
        context,
        metadata=plain,
        state=values.get(state),
        answers=values.get(answers),
    )


def opened(vault: Vault, row: SealedSecret) -> Any:
    """Return a sealed state or answer."""
    return json.loads(vault.open(row.sealed, row=row.id, field=_FIELD))


def input_wanted(tool: EffectiveTool, conversation: Conversation, form: UserInput) -> Asking:
    """Return the question of a body: the owner answers it, whoever approves its calls."""
    is_human = conversation.owner.kind is PersonKind.HUMAN
    # Nothing of it is kept, so no surface offers that.
    asked = {**form.for_conversation().to_json(), "save": False}
    return Asking(
        kind=RequestKind.INPUT,
        question=Question(reason=form.reason, text=tool.tool.question, form=asked),
        audience=Audience() if is_human else tool.audience,
        decide_within=conversation.time_to_decide(tool),
    )
