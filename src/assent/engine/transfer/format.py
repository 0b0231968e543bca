"""The JSON format of a conversation, version 1: its shapes, and reading text from outside.

Released: these shapes no longer change. Another shape is another version, which this one refuses.
"""

import json
from typing import Annotated, Any, Final, Literal, NoReturn, cast

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
)

from assent.domain.calls import Author
from assent.domain.canonical import Json, check
from assent.domain.conversations import Role
from assent.domain.decisions import VerdictName
from assent.domain.lifecycle import (
    ACTIVE_TURNS,
    CallStatus,
    RequestKind,
    RequestStatus,
    TurnStatus,
)
from assent.domain.messages import FinishReason
from assent.domain.people import PersonKind
from assent.errors import InvalidJson, Malformed, UnsupportedVersion

FORMAT: Final = "assent-conversation"
VERSION: Final = 1
MAX_BYTES: Final = 32 * 1024 * 1024
NOUN: Final = "The conversation"
_ROOT: Final = "$"


def _without_nul(text: str) -> str:
    # PostgreSQL holds no NUL in a text column, so none was ever exported from one.
    if "\x00" in text:
        raise ValueError("a NUL character is not allowed")
    return text


Text = Annotated[str, AfterValidator(_without_nul)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Arguments = dict[str, JsonValue]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class OwnerPart(_Part):
    """The owner of the conversation where it came from."""

    id: Text
    kind: PersonKind
    roles: list[Text]


class ConversationPart(_Part):
    """The conversation itself."""

    id: Text
    agent: Text
    owner: OwnerPart
    created_at: AwareDatetime


class TurnPart(_Part):
    """One turn; leases and idempotency keys are not exported."""

    id: Text
    number: Number
    status: TurnStatus
    step: Count
    guarded: bool
    error: Text | None
    created_at: AwareDatetime
    ended_at: AwareDatetime | None


class ProposalPart(_Part):
    """A call as the model wrote it."""

    provider_id: str
    tool: str
    arguments: str


class UsagePart(_Part):
    """The tokens of one model request."""

    input_tokens: int
    output_tokens: int


class AnswerPart(_Part):
    """A whole answer of a model, with what its provider needs back."""

    text: str
    reasoning: str
    proposals: list[ProposalPart]
    finish: FinishReason
    usage: UsagePart
    model: str
    wire: str | None
    wire_format: str | None


class MessagePart(_Part):
    """One message; a message of the model carries its whole answer."""

    id: Text
    turn_id: Text
    role: Role
    text: Text
    answer: AnswerPart | None
    incomplete: bool
    created_at: AwareDatetime


class RevisionPart(_Part):
    """One version of a call's arguments."""

    revision: Number
    arguments: Arguments
    author: Author
    by: Text
    at: AwareDatetime


class SuppliedPart(_Part):
    """An output that a person supplied, and that was not processed yet."""

    output: JsonValue


class CallPart(_Part):
    """One call; a settled one has an output, which may be null."""

    id: Text
    turn_id: Text
    message_id: Text
    position: Count
    provider_id: Text
    tool: Text
    source: Text
    risk: Text
    definition_hash: Text
    status: CallStatus
    revision: Number
    arguments: Arguments
    proposed: Text
    cleared_by: Text | None
    approved: bool
    step: Count
    attempts: Count
    metadata: Arguments | None
    supplied: SuppliedPart | None
    output: JsonValue
    note: Text | None
    created_at: AwareDatetime
    settled_at: AwareDatetime | None
    revisions: list[RevisionPart]


class AudiencePart(_Part):
    """The people who could decide a request where it was put."""

    owner: bool
    roles: list[Text]
    people: list[Text]
    exclude_requester: bool
    also: list["AudiencePart"] = Field(default_factory=list["AudiencePart"])


class PreviewPart(_Part):
    """The preview that the call's tool gave."""

    text: str
    before: str | None
    after: str | None
    failed: bool


class QuestionPart(_Part):
    """The texts and form that were shown with a request."""

    reason: str
    text: str
    preview: PreviewPart | None
    metadata: Arguments
    form: Arguments | None
    prefilled: Arguments


class DecisionPart(_Part):
    """One person's decision; it counted where it was given, and counts nowhere else."""

    person: Text
    channel: Text
    verdict: VerdictName
    reason: Text
    arguments: Arguments | None
    at: AwareDatetime


class RequestPart(_Part):
    """One request with the decisions about it; drafts are sealed and not exported."""

    id: Text
    call_id: Text
    kind: RequestKind
    status: RequestStatus
    revision: Number
    audience: AudiencePart
    quorum: Number
    question: QuestionPart
    created_at: AwareDatetime
    decide_by: AwareDatetime | None
    closed_at: AwareDatetime | None
    closed_by: Text | None
    decisions: list[DecisionPart]


class Archive(_Part):
    """A whole conversation, oldest first; no secrets, no leases, no keys."""

    format: Literal["assent-conversation"]
    version: Literal[1] = VERSION
    conversation: ConversationPart
    turns: list[TurnPart]
    messages: list[MessagePart]
    calls: list[CallPart]
    requests: list[RequestPart]


def read(text: str) -> Archive:
    """Read version 1; raises `UnsupportedVersion` for any other, `Malformed` with the field."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        _refuse(_ROOT, f"it is larger than {MAX_BYTES:,} bytes")
    # The version first: another version may look different everywhere else.
    _refuse_other_versions(_parsed(text))
    try:
        archive = Archive.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        _refuse(_path(first["loc"]), first["msg"])
    _Checks(archive).run()
    return archive


def _refuse(field: str, reason: str) -> NoReturn:
    raise Malformed(NOUN, field, reason)


def _path(steps: tuple[int | str, ...]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".") or _ROOT


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        _refuse(_ROOT, f"it is no JSON: {error}")
    if not isinstance(value, dict):
        _refuse(_ROOT, "a JSON object is wanted")
    return cast("dict[str, Any]", value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _refuse_other_versions(value: dict[str, Any]) -> None:
    version = value.get("version", VERSION)
    if isinstance(version, bool) or not isinstance(version, int | float | str):
        _refuse("version", "a number is wanted")
    if type(version) is not int or version != VERSION:
        raise UnsupportedVersion(NOUN, version, VERSION)


class _Checks:
    """Checks across parts: references, numbers, and which turn may still be going on."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._messages = {message.id: message for message in archive.messages}
        self._calls = {call.id: call for call in archive.calls}

    def run(self) -> None:
        self._turns()
        self._message_parts()
        for index, call in enumerate(self._archive.calls):
            self._call(f"calls[{index}]", call)
        self._proposals()
        for index, request in enumerate(self._archive.requests):
            self._request(f"requests[{index}]", request)

    def _turns(self) -> None:
        turns = self._archive.turns
        _refuse_repeated("turns", [turn.id for turn in turns])
        for index, turn in enumerate(turns):
            if index and turn.number <= turns[index - 1].number:
                _refuse(f"turns[{index}].number", "it does not grow")
            if turn.status in ACTIVE_TURNS and turn is not turns[-1]:
                _refuse(f"turns[{index}].status", "only the last turn can be going on")

    def _message_parts(self) -> None:
        turns = {turn.id for turn in self._archive.turns}
        _refuse_repeated("messages", [message.id for message in self._archive.messages])
        _refuse_repeated("calls", [call.id for call in self._archive.calls])
        for index, message in enumerate(self._archive.messages):
            if message.turn_id not in turns:
                _refuse(f"messages[{index}].turn_id", "there is no such turn")

    def _call(self, path: str, call: CallPart) -> None:
        message = self._messages.get(call.message_id)
        if message is None or message.role is not Role.ASSISTANT:
            _refuse(f"{path}.message_id", "there is no such answer")
        if message.turn_id != call.turn_id:
            _refuse(f"{path}.turn_id", "its message belongs to another turn")
        _refuse_odd(f"{path}.arguments", call.arguments)
        numbers = [revision.revision for revision in call.revisions]
        if numbers and numbers != list(range(1, call.revision + 1)):
            _refuse(f"{path}.revisions", f"revisions 1 to {call.revision} are wanted")
        if not numbers and call.revision != 1:
            _refuse(f"{path}.revisions", "they are missing")
        for index, revision in enumerate(call.revisions):
            _refuse_odd(f"{path}.revisions[{index}].arguments", revision.arguments)
        if numbers and call.revisions[-1].arguments != call.arguments:
            _refuse(f"{path}.arguments", "they are not those of the last revision")

    def _proposals(self) -> None:
        """Check that each proposal has a call: a model is told one output per proposal."""
        found: dict[str, list[int]] = {message.id: [] for message in self._archive.messages}
        for call in self._archive.calls:
            found[call.message_id].append(call.position)
        for index, message in enumerate(self._archive.messages):
            proposed = 0 if message.answer is None else len(message.answer.proposals)
            if sorted(found[message.id]) != list(range(proposed)):
                _refuse(f"messages[{index}].answer", "its proposals are not its calls")

    def _request(self, path: str, request: RequestPart) -> None:
        call = self._calls.get(request.call_id)
        if call is None:
            _refuse(f"{path}.call_id", "there is no such call")
        if request.revision > call.revision:
            _refuse(f"{path}.revision", "there is no such revision")
        # A person who has approved something that others have to approve as well may still reject
        # it.
        given = [(decision.person, decision.verdict) for decision in request.decisions]
        if len(set(given)) != len(given):
            _refuse(f"{path}.decisions", "somebody decides the same twice")


def _refuse_repeated(path: str, ids: list[str]) -> None:
    seen = set[str]()
    for index, id in enumerate(ids):
        if id in seen:
            _refuse(f"{path}[{index}].id", "it is there twice")
        seen.add(id)


def _refuse_odd(path: str, arguments: Arguments) -> None:
    try:
        check(cast("Json", arguments))
    except InvalidJson as error:
        _refuse(path, str(error))
