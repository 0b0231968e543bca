"""The answers that a conversation remembers: read and forgotten."""

from assent.domain.canonical import Json
from assent.domain.identifiers import want_findable
from assent.engine.engine import note
from assent.engine.ids import Ids
from assent.errors import NotFound
from assent.ports import Tx


def read(tx: Tx, conversation_id: str) -> dict[str, dict[str, Json]]:
    """Return the saved answers by scope; secrets without their values."""
    found: dict[str, dict[str, Json]] = {}
    for row in tx.values.saved(conversation_id):
        found.setdefault(row.scope, {})[row.name] = None if row.secret else row.value
    return found


def clear(tx: Tx, ids: Ids, conversation_id: str, owner: str, scope: str | None) -> int:
    """Delete saved answers, of one scope or all; only the owner's own."""
    want_findable("conversation", conversation_id)
    conversation = tx.conversations.get(conversation_id)
    if conversation is None or owner != conversation.owner.id:
        raise NotFound("conversation", conversation_id)
    note(tx, ids, "clear_values", owner, conversation_id=conversation_id)
    return tx.values.clear(conversation_id, scope)
