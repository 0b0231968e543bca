"""Posts of chat clients: a whole history, of which only the newest message is read."""

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import ConfigDict, Field, TypeAdapter, model_validator
from pydantic.alias_generators import to_camel

from assent.domain.decisions import Approve, Reject, approve, reject
from assent.errors import InvalidJson, JsonFault, UnsupportedContent
from assent.server.streams.actions import MAX_TEXT_CHARS, ChatId, ClientOutput, SendMessage
from assent.server.streams.bodies import Body, misshapen, validated
from assent.server.streams.posted_files import PostedFile, attachments, ui_files

_Part = Mapping[str, Any]


class ChatPost(Body):
    """A post of `useChat`, of any major version; further fields are ignored."""

    # `onPending` as JavaScript writes it, and `on_pending` as the native API does.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    id: ChatId | None = None
    messages: Annotated[list[dict[str, Any]], Field(min_length=1)]
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    agent: Annotated[str, Field(max_length=200)] | None = None
    on_pending: Literal["refuse", "supersede"] = "refuse"

    @model_validator(mode="before")
    @classmethod
    def _only_the_newest(cls, posted: Any) -> Any:
        # The AI SDK's guide shows a client that sends only its newest message, in this form.
        match posted:
            case {"message": message, **rest} if "messages" not in rest:
                return {**rest, "messages": [message]}
            case _:
                return posted


class Written(Body):
    """The newest message of a history: by major version a text, or parts, or both."""

    model_config = ConfigDict(alias_generator=to_camel)

    id: Annotated[str, Field(max_length=200)] | None = None
    role: Literal["system", "user", "assistant", "data"]
    content: Annotated[str, Field(max_length=MAX_TEXT_CHARS)] | None = None
    parts: list[dict[str, Any]] | None = None
    tool_invocations: list[dict[str, Any]] | None = None
    attachments: Annotated[list[Any] | None, Field(alias="experimental_attachments")] = None


class ApprovalAnswer(Body):
    """A person's answer to an approval: only the JSON values `true` and `false` count."""

    request_id: Annotated[str, Field(alias="id", max_length=200)]
    # The call whose part contains the answer: it is about what the page shows there.
    call_id: Annotated[str | None, Field(alias="toolCallId", max_length=200)] = None
    approved: bool
    reason: Annotated[str, Field(max_length=MAX_TEXT_CHARS)] | None = None
    # Not in the SDK's own type; a page that asks for the value adds it.
    typed: Annotated[str, Field(max_length=10_000)] | None = None

    @property
    def verdict(self) -> Approve | Reject:
        """The same verdict as the engine takes it."""
        return approve(typed=self.typed) if self.approved else reject(self.reason or "")


_SENT = frozenset({"text", "file", "step-start"})
_POST = TypeAdapter(ChatPost)
_APPROVAL = TypeAdapter(ApprovalAnswer)
_WRITTEN = TypeAdapter(Written)


def post_of(body: bytes) -> tuple[ChatPost, Written]:
    """Return the post and its newest message; raises `RequestValidationError` if they do not fit.

    The rest of the history need not follow our other rules for JSON, because it is not read.
    """
    try:
        # Not pydantic's own parser, which refuses half a surrogate pair: JavaScript writes some.
        posted = json.loads(body, object_pairs_hook=_object)
    except ValueError as error:
        raise InvalidJson(JsonFault.SYNTAX, str(error)) from None
    post = validated(_POST.validate_python, posted)
    at = ("messages", len(post.messages) - 1)
    return post, validated(_WRITTEN.validate_python, post.messages[-1], *at)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Of `"approved": false, "approved": true`, a program before us may have read the first value.
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson(JsonFault.DUPLICATE_KEY, "an object has the same key twice")
    return found


def message_of(conversation_id: str, post: ChatPost, message: Written) -> SendMessage:
    """Return the user's newest message, to be sent."""
    return SendMessage(
        conversation_id=conversation_id,
        text=text_of(message),
        files=files_of(message),
        message_id=message.id,
        agent=post.agent,
        on_pending=post.on_pending,
    )


def text_of(message: Written) -> str:
    """Return the text of a user's message; raises `UnsupportedContent` for what is never sent."""
    parts = message.parts or []
    kinds = {str(part.get("type")) for part in parts}
    # Data parts are for the frontend's own use; anything else would be lost without notice.
    strange = sorted(k for k in kinds if k not in _SENT and k[:5] != "data-")
    if strange:
        raise UnsupportedContent(strange)
    texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
    text = "\n".join(texts) if texts else message.content or ""
    if not (text.strip() or files_of(message)) or len(text) > MAX_TEXT_CHARS:
        reason = f"a message has 1 to {MAX_TEXT_CHARS:,} characters of text"
        raise misshapen(reason, "body", "messages", "text")
    return text


def files_of(message: Written) -> list[PostedFile]:
    """Return the files of a user's message."""
    return ui_files(message.parts or []) + attachments(message.attachments or [])


def approvals_of(message: Written) -> tuple[ApprovalAnswer, ...]:
    """Return the approvals that this message answers (AI SDK 6 and 7); raises if one is unclear."""
    answered = [p for p in _tool_parts(message) if p.get("state") == "approval-responded"]
    return tuple(_approval(part) for part in answered)


def _approval(part: _Part) -> ApprovalAnswer:
    said: Any = part.get("approval")
    if isinstance(said, dict):
        said = {**cast("_Part", said), "toolCallId": part.get("toolCallId")}
    return validated(_APPROVAL.validate_python, said, "messages", "approval")


def outputs_of(message: Written) -> tuple[ClientOutput, ...]:
    """Return every output that this message shows: the server's own, and perhaps a client's."""
    return (*_part_outputs(_tool_parts(message)), *_invocation_outputs(_invocations(message)))


def _tool_parts(message: Written) -> list[_Part]:
    parts = message.parts or []
    kinds = ((str(part.get("type")), part) for part in parts)
    return [p for kind, p in kinds if kind.startswith("tool-") or kind == "dynamic-tool"]


def _part_outputs(parts: Iterable[_Part]) -> Iterable[ClientOutput]:
    for part in parts:
        call_id = str(part.get("toolCallId"))
        if part.get("state") == "output-available" and part.get("preliminary") is not True:
            yield ClientOutput(call_id=call_id, output=part.get("output"))
        elif part.get("state") == "output-error":
            yield ClientOutput(call_id=call_id, error=str(part.get("errorText")))


def _invocations(message: Written) -> list[_Part]:
    """Return the calls of an AI SDK 4 message, which come in their own list and among the parts."""
    nested = [part.get("toolInvocation") for part in message.parts or []]
    found = [*(message.tool_invocations or []), *nested]
    return [cast("_Part", each) for each in found if isinstance(each, dict)]


def _invocation_outputs(invocations: Iterable[_Part]) -> Iterable[ClientOutput]:
    for each in invocations:
        if each.get("state") == "result":
            yield ClientOutput(call_id=str(each.get("toolCallId")), output=each.get("result"))
