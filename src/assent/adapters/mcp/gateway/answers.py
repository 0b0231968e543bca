"""Answers to a client: the result of a call, the reason why there is none, or where it waits."""

import json
from collections.abc import Mapping
from typing import Any, Final

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus
from assent.domain.outputs import as_text
from assent.guard import GuardedCall

RESULT_TOOL: Final = "assent_result"
TICKET: Final = "assent/ticket"
STATUS: Final = "assent/status"
REVIEW: Final = "assent/review"
# Keys of `_meta` that describe the connection to the server behind, and not this one; and ours.
_RESERVED: Final = ("io.modelcontextprotocol/", "modelcontextprotocol.io/", "assent/")
_KEPT: Final = ("content", "structuredContent", "_meta")
# Marks of values that only the runner sees.
_MASKS: Final = ('"$secret"', '"$masked"')
_WAITS: Final[Mapping[CallStatus, str]] = {
    CallStatus.AWAITING_APPROVAL: "a person has to approve it first",
    CallStatus.AWAITING_INPUT: "a person has to fill in what is missing",
    CallStatus.AWAITING_RESULT: "a person has to supply its result",
    CallStatus.CLEARED: "it may run and has not begun yet",
    CallStatus.RUNNING: "it is running and has not ended yet",
}


def kept(result: CallToolResult) -> Json:
    """Return the result of a server as it goes on record; `result_of` reads it back."""
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    meta: dict[str, Any] = dumped.get("_meta") or {}
    dumped["_meta"] = {name: meta[name] for name in meta if not name.startswith(_RESERVED)}
    return {name: dumped[name] for name in _KEPT if dumped.get(name) not in (None, {})}


def result_of(call: GuardedCall, live: CallToolResult | None = None) -> CallToolResult:
    """Return what a client gets of a call that has ended.

    `live` is the server's own answer, if it is at hand: the record cuts what is very long.
    """
    if live is not None and (call.succeeded or live.is_error) and not has_secrets(call):
        shown = _shaped(kept(live)).model_copy(update={"is_error": live.is_error})
    elif call.succeeded:
        shown = _shaped(call.output)
    else:
        shown = failure(call.error)
    if call.note:
        shown.content.insert(0, TextContent(text=call.note))
    return shown


def has_secrets(call: GuardedCall) -> bool:
    """Return True if people entered secrets for it, which a server's answer may repeat."""
    text = json.dumps(dict(call.arguments))
    return any(mask in text for mask in _MASKS)


def _shaped(output: Json) -> CallToolResult:
    """Return an output as a result; one that a person supplied can have any form."""
    match output:
        case {"content": list()} if output.keys() <= set(_KEPT):
            try:
                return CallToolResult.model_validate(output, by_name=False)
            except ValidationError:
                pass
        case _:
            pass
    return CallToolResult(content=[TextContent(text=as_text(output))])


def failure(reason: str) -> CallToolResult:
    """Return the answer to a call that did not succeed, in words for a model."""
    return CallToolResult(content=[TextContent(text=reason)], is_error=True)


def waiting(call: GuardedCall, ticket: str) -> CallToolResult:
    """Return a ticket: the call is neither done nor lost, and this is how to ask for it."""
    ask = f"Call {RESULT_TOOL} with the ticket {ticket!r} to get its outcome."
    if call.status is CallStatus.IN_DOUBT:
        text = f"Outcome unknown: {call.tool} may or may not have run, and a person has to look."
    else:
        why = _WAITS.get(call.status, "it has not ended yet")
        text = f"Not done yet: {call.tool} waits, because {why}."
    words = [text, _where(call), ask, "Do not call it again meanwhile."]
    meta: dict[str, Any] = {TICKET: ticket, STATUS: call.status.value}
    if call.review_url:
        meta[REVIEW] = call.review_url
    content = TextContent(text=" ".join(word for word in words if word))
    return CallToolResult.model_validate({"content": [content], "_meta": meta}, by_name=False)


def _where(call: GuardedCall) -> str:
    return f"People decide at {call.review_url} ." if call.review_url else ""


def question(call: GuardedCall) -> str:
    """Return the sentence that a client shows with the address of the review page."""
    why = _WAITS.get(call.status, "a person has to look")
    return f"{call.tool}: {why}. Open the page to review it."


def ticket_of(arguments: Mapping[str, Any] | None) -> str | None:
    """Return the ticket that a client asks about; None if it gave none."""
    match arguments:
        case {"ticket": str(ticket)} if ticket.strip():
            return ticket.strip()
        case _:
            return None
