"""Where the arguments of a call came from, said again with each later question about it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.copies import changed
from assent.domain.lifecycle import RequestKind
from assent.domain.tools import EffectiveTool
from assent.engine.gate.gated_calls import Asking
from assent.ports import Tx


def sourced(tx: Tx, call: Call, tool: EffectiveTool | None, asking: Asking) -> Asking:
    """Return a question about complete arguments that says which of them nobody typed."""
    # Only a form takes what is kept; a question for input has its own, beside its fields.
    if tool is None or tool.tool.user_input is None or asking.kind is RequestKind.INPUT:
        return asking
    origins = _origins(tx, call)
    if origins == asking.question.origins:
        return asking
    return replace(asking, question=changed(asking.question, origins=origins))


def _origins(tx: Tx, call: Call) -> dict[str, Json]:
    """Return the origins on record, without those of arguments that were edited since."""
    found, revision = _recorded(tx, call)
    if not found or revision == call.revision:
        return dict(found)
    earlier = {each.revision: each.arguments for each in tx.calls.revisions(call.id)}
    before = earlier[revision].thaw() if revision in earlier else {}
    now = call.arguments.thaw()
    return {n: said for n, said in found.items() if n in before and before[n] == now.get(n)}


def _recorded(tx: Tx, call: Call) -> tuple[Mapping[str, Json], int]:
    for entry in reversed(tx.journal.entries(call_id=call.id)):
        revision, origins = entry.data.get("revision", 1), entry.data.get("origins", {})
        # The answer to a form made a revision, and says all: what it does not name was typed.
        if origins or (entry.action == "answer" and "revision" in entry.data):
            return cast("Mapping[str, Json]", origins), cast("int", revision)
    return {}, 1
