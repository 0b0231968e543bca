"""The JSON that the native API shows: conversations, turns, calls and requests."""

import json
from datetime import datetime
from typing import Any

from msgspec import structs
from pydantic import BaseModel, ConfigDict, Field

from assent.domain import calls, conversations, events, requests
from assent.domain import people as identity
from assent.domain.attachments import files_of
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.files import FileReference
from assent.domain.lifecycle import (
    CallStatus,
    ConversationStatus,
    RequestKind,
    RequestStatus,
    TurnStatus,
)
from assent.domain.people import Person
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Catalogue
from assent.engine.queries import listing, snapshots
from assent.engine.vault import MASKED
from assent.presentation.card import hints_of
from assent.server.input_forms import user_input_request
from assent.server.redaction import Hints, recorded


class Shape(BaseModel):
    """The base of all responses; built from our own values, so not validated again."""

    model_config = ConfigDict(frozen=True)


class Given(BaseModel):
    """The base of all posted bodies; an unknown field is an error and is not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Problem(Shape):
    """A refusal, as RFC 9457 describes it; further members are facts about it."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:assent:problem:already_approved"])
    title: str = Field(examples=["Conflict"])
    status: int = Field(examples=[409])
    code: str = Field(examples=["already_approved"])
    detail: str = Field(examples=["Request 'req_18c2' is already approved by 'ada'"])


class Who(Shape):
    """A person, with the id that their identity provider or this deployment gives them."""

    id: str = Field(examples=["ada"])
    kind: str = Field(examples=["human"])
    roles: list[str] = Field(examples=[["requester"]])

    @classmethod
    def of(cls, person: Person) -> "Who":
        """Return a person as the API shows them."""
        return cls(id=person.id, kind=person.kind, roles=sorted(person.roles))


class Audience(Shape):
    """The people who may decide: the owner, roles, named people; perhaps without the requester."""

    owner: bool
    roles: list[str]
    people: list[str]
    exclude_requester: bool
    also: list["Audience"] = Field(
        default_factory=list["Audience"],
        description="Further audiences that must admit a person, too.",
    )

    @classmethod
    def of(cls, audience: identity.Audience) -> "Audience":
        """Return an audience as the API shows it."""
        return cls(
            owner=audience.owner,
            roles=sorted(audience.roles),
            people=sorted(audience.people),
            exclude_requester=audience.exclude_requester,
            also=[cls.of(each) for each in audience.also],
        )


class Call(Shape):
    """A tool call. Secrets in its arguments are references, or `{"$masked": true}`."""

    id: str
    turn_id: str
    message_id: str
    agent: str
    tool: str
    source: str
    risk: str
    status: CallStatus
    revision: int
    arguments: dict[str, Any]
    arguments_digest: str
    approved: bool
    attempts: int
    output: Any = None
    note: str | None = None
    created_at: datetime
    settled_at: datetime | None = None

    @classmethod
    def of(cls, call: calls.Call, tool: EffectiveTool | None) -> "Call":
        """Return a call as the API shows it."""
        return cls(
            id=call.id,
            turn_id=call.turn_id,
            message_id=call.message_id,
            agent=call.agent,
            tool=call.tool,
            source=call.source,
            risk=call.risk,
            status=call.status,
            revision=call.revision,
            arguments=masked(call.arguments.thaw(), tool),
            arguments_digest=call.arguments.digest,
            approved=call.approved,
            attempts=call.attempts,
            output=None if call.output is None else json.loads(call.output),
            # The note quotes edited arguments, so it is left out if one of them may be secret.
            note=None if _hidden(tool) else call.note,
            created_at=call.created_at,
            settled_at=call.settled_at,
        )


def masked(arguments: dict[str, Json], tool: EffectiveTool | None) -> dict[str, Json]:
    """Return the arguments, with a mask for those that the tool declares secret."""
    hidden = _hidden(tool)
    return {
        name: dict(MASKED) if name in hidden and not _is_reference(value) else value
        for name, value in arguments.items()
    }


def _hidden(tool: EffectiveTool | None) -> set[str]:
    return {name for name, hint in hints_of(tool).items() if hint.secret}


def _is_reference(value: Json) -> bool:
    return isinstance(value, dict) and "$secret" in value


class FileFacts(Shape):
    """A file that was uploaded: the answer to its field, or one of the files of a message."""

    name: str = Field(description="Its name, cleaned.")
    kind: str = Field(description="Its kind by content, such as `image/png`.")
    bytes: int
    sha256: str | None = Field(default=None, description="Missing if the field is sealed.")
    sealed: str | None = Field(default=None, description="The id of a sealed file.")

    @classmethod
    def of(cls, file: FileReference) -> "FileFacts":
        """Return a file as the API shows it."""
        facts: dict[str, Any] = {**file.to_json()}
        return cls(**facts)


class Message(Shape):
    """One message of a conversation."""

    id: str
    turn_id: str
    role: conversations.Role
    text: str
    files: list[FileFacts] = Field(description="Of a person's message: what was sent with it.")
    incomplete: bool = Field(description="Whether it was stopped half-way.")
    created_at: datetime
    metadata: dict[str, Any] = Field(
        description="With `requires_user_input` and `user_input_request` while it waits for input."
    )

    @classmethod
    def of(cls, message: conversations.Message, asked: "requests.Request | None") -> "Message":
        """Return a message as the API shows it; `asked` is the open input request of its call."""
        metadata: dict[str, Any] = {}
        if asked is not None:
            metadata = {
                "requires_user_input": True,
                "user_input_request": user_input_request(asked),
            }
        return cls(
            metadata=metadata,
            id=message.id,
            turn_id=message.turn_id,
            role=message.role,
            text=message.text,
            files=[FileFacts.of(each) for each in files_of(message)],
            incomplete=message.incomplete,
            created_at=message.created_at,
        )


class Request(Shape):
    """A question to people about a call. A decision needs its `digest`."""

    id: str
    kind: RequestKind
    status: RequestStatus
    conversation_id: str
    turn_id: str
    call_id: str
    revision: int
    agent: str
    tool: str
    risk: str
    owner: str
    question: str = Field(description="The tool's own question, if it has one.")
    reason: str = Field(description="Why somebody is asked.")
    digest: str
    audience: Audience
    quorum: int
    confirmation: Confirmation = Field(
        description="What approving it takes: a click, a second step, or a value typed in."
    )
    may_decide: bool = Field(description="Whether you may decide it while it is open.")
    created_at: datetime
    decide_by: datetime | None
    closed_at: datetime | None
    closed_by: str | None

    @classmethod
    def of(cls, request: requests.Request, person: Person) -> "Request":
        """Return a request as the API shows it to a person."""
        return cls(**facts(request, person))


def facts(request: requests.Request, person: Person) -> dict[str, Any]:
    """Return the fields that a request has in every schema."""
    same = ("id", "kind", "status", "conversation_id", "turn_id", "call_id", "revision", "agent")
    same += ("tool", "risk", "owner", "digest", "quorum", "created_at", "decide_by", "closed_at")
    same += ("confirmation",)
    return {name: getattr(request, name) for name in (*same, "closed_by")} | {
        "question": request.question.text,
        "reason": request.question.reason,
        "audience": Audience.of(request.audience),
        "may_decide": request.admits(person),
    }


class Turn(Shape):
    """One run of the agent's loop, from a message to the next pause or answer."""

    id: str
    conversation_id: str
    number: int
    status: TurnStatus
    resting: bool = Field(description="Whether nothing happens any more until somebody acts.")
    text: str
    error: str | None
    calls: list[Call]
    pending: list[Request]


class Conversation(Shape):
    """A thread of messages with one owner."""

    id: str = Field(examples=["conv_18c2f6b2a1d4e5f0"])
    agent: str = Field(examples=["files"])
    owner: Who
    status: ConversationStatus
    created_at: datetime

    @classmethod
    def of(cls, listed: listing.ListedConversation) -> "Conversation":
        """Return a conversation as a list shows it."""
        found = listed.conversation
        return cls(
            id=found.id,
            agent=found.agent,
            owner=Who.of(found.owner),
            status=listed.status,
            created_at=found.created_at,
        )


class ConversationDetail(Conversation):
    """A conversation with everything in it."""

    messages: list[Message]
    calls: list[Call]
    pending: list[Request] = Field(description="What the newest turn waits for.")


class ConversationPage(Shape):
    """A page of conversations, newest first."""

    items: list[Conversation]
    next: str | None


class Entry(Shape):
    """One audit entry: a transition with its actor, or an attempt that was refused."""

    id: str
    at: datetime
    action: str
    actor: str
    channel: str
    conversation_id: str | None
    call_id: str | None
    request_id: str | None
    source: str | None
    target: str | None
    data: dict[str, Any]

    @classmethod
    def of(cls, entry: events.Entry, secrets: Hints) -> "Entry":
        """Return an entry as the API shows it."""
        facts: dict[str, Any] = structs.asdict(entry)
        facts["data"] = recorded(entry, secrets)
        return cls(**facts)


class EntryPage(Shape):
    """A page of the audit record, newest first."""

    items: list[Entry]
    next: str | None


def page(found: listing.Page[Any]) -> str | None:
    """Return the position of the next page; None at the end."""
    return None if found.next is None else str(found.next)


def turn_shape(turn: snapshots.Turn, person: Person, catalogue: Catalogue) -> Turn:
    """Return a turn as the API shows it."""
    return Turn(
        id=turn.id,
        conversation_id=turn.conversation_id,
        number=turn.number,
        status=turn.status,
        resting=turn.is_resting,
        text=turn.text,
        error=turn.error,
        calls=[Call.of(call, catalogue.tool(call.agent, call.tool)) for call in turn.calls],
        pending=[Request.of(request, person) for request in turn.pending],
    )


def thread_shape(
    thread: snapshots.Thread, person: Person, catalogue: Catalogue
) -> ConversationDetail:
    """Return a whole conversation as the API shows it."""
    listed = listing.ListedConversation(conversation=thread.conversation, status=thread.status)
    of_call = {call.id: call.message_id for call in thread.calls}
    inputs = {
        of_call[request.call_id]: request
        for request in thread.pending
        if request.kind is RequestKind.INPUT
    }
    return ConversationDetail(
        **Conversation.of(listed).model_dump(),
        messages=[Message.of(message, inputs.get(message.id)) for message in thread.messages],
        calls=[Call.of(call, catalogue.tool(call.agent, call.tool)) for call in thread.calls],
        pending=[Request.of(request, person) for request in thread.pending],
    )
