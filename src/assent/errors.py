"""All errors of this package, in one tree.

Each class is named for what happened and holds the facts as attributes. `code` is short and stable:
a program that must choose reads it or an attribute, never the message.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import ClassVar


class AssentError(Exception):
    """The base class of every error of this package."""

    code: ClassVar[str] = "error"


class Conflict(AssentError):
    """The request does not fit the state that the record is in."""

    code = "conflict"


class NotFound(AssentError):
    """There is no such thing, or the person who asks may not see it."""

    code = "not_found"

    def __init__(self, noun: str, id: str, hint: str = "") -> None:
        self.noun, self.id = noun, id
        super().__init__(f"There is no {noun} {id!r}" + (f": {hint}" if hint else ""))


class NotAllowed(AssentError):
    """The person lacks the permission for this action."""

    code = "not_allowed"

    def __init__(self, person: str, action: str) -> None:
        self.person, self.action = person, action
        super().__init__(f"{person!r} may not {action}")


# Decisions that came too late: one class for each final status.


class AlreadySettled(Conflict):
    """The request was closed before this decision arrived; `status` says how."""

    code = "already_settled"

    def __init__(
        self, request_id: str, status: str, *, by: str | None = None, at: datetime | None = None
    ) -> None:
        self.request_id, self.status, self.by, self.at = request_id, status, by, at
        who = f" by {by!r}" if by else ""
        super().__init__(f"Request {request_id!r} is already {status}{who}")

    @staticmethod
    def of(
        request_id: str, status: str, *, by: str | None = None, at: datetime | None = None
    ) -> "AlreadySettled":
        """Return an error of the class for this final status."""
        kind = _SETTLED.get(status, AlreadySettled)
        return kind(request_id, status, by=by, at=at)


class AlreadyApproved(AlreadySettled):
    """The request was approved before this decision arrived."""

    code = "already_approved"


class AlreadyRejected(AlreadySettled):
    """The request was rejected before this decision arrived."""

    code = "already_rejected"


class AlreadyAnswered(AlreadySettled):
    """The request was answered before this decision arrived."""

    code = "already_answered"


class Expired(AlreadySettled):
    """The deadline passed before this decision arrived."""

    code = "expired"


class Cancelled(AlreadySettled):
    """The request was cancelled before this decision arrived."""

    code = "cancelled"


class Superseded(AlreadySettled):
    """A newer message, revision or policy replaced the request."""

    code = "superseded"


_SETTLED: dict[str, type[AlreadySettled]] = {
    "approved": AlreadyApproved,
    "rejected": AlreadyRejected,
    "answered": AlreadyAnswered,
    "expired": Expired,
    "cancelled": Cancelled,
    "superseded": Superseded,
}


# Decisions that are refused.


class NotEligible(AssentError):
    """This person may see the request but not decide it."""

    code = "not_eligible"

    def __init__(self, request_id: str, person: str) -> None:
        self.request_id, self.person = request_id, person
        super().__init__(f"{person!r} may not decide request {request_id!r}")


class AlreadyVoted(Conflict):
    """The request needs approvals from several people, and this person has already given one."""

    code = "already_voted"

    def __init__(self, request_id: str, person: str) -> None:
        self.request_id, self.person = request_id, person
        super().__init__(
            f"{person!r} has already approved request {request_id!r}: another person has to give "
            "the next approval"
        )


class StaleDigest(Conflict):
    """The request has changed since the person saw it."""

    code = "stale_digest"
    _message: ClassVar[str] = (
        "Request {id!r} has changed since it was shown: look at it again, then decide"
    )

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        super().__init__(self._message.format(id=request_id))


class DraftChanged(Conflict):
    """Answers to a form came from elsewhere after the person looked; `number` is the draft's."""

    code = "draft_changed"

    def __init__(self, request_id: str, fields: Sequence[str], *, number: int) -> None:
        self.request_id, self.fields, self.number = request_id, tuple(fields), number
        super().__init__(
            f"Answers to {', '.join(map(repr, fields))} came from elsewhere since you looked: look "
            "at them, then save or send again"
        )


class NotAsShown(StaleDigest):
    """The arguments that would run differ from those the person was shown; nothing changed."""

    code = "not_as_shown"
    _message = (
        "Request {id!r} would run with other arguments than those that were shown: look at it "
        "again, then decide. Nothing was changed"
    )


class InvalidVerdict(AssentError):
    """A verdict was made from values that it does not take."""

    code = "invalid_verdict"


class WrongVerdict(Conflict):
    """This kind of request cannot be decided with this verdict."""

    code = "wrong_verdict"

    def __init__(self, request_id: str, kind: str, verdict: str) -> None:
        self.request_id, self.kind, self.verdict = request_id, kind, verdict
        super().__init__(
            f"Request {request_id!r} is of kind {str(kind)!r} and does not take the verdict "
            f"{str(verdict)!r}"
        )


class StillRunning(Conflict):
    """The body of a call in doubt is still running, so the call cannot be run again yet."""

    code = "still_running"

    def __init__(self, request_id: str, call_id: str, *, worker: str, since: datetime) -> None:
        self.request_id, self.call_id, self.worker, self.since = request_id, call_id, worker, since
        super().__init__(
            f"Call {call_id!r} is still running in worker {worker!r}; its time ran out at "
            f"{since:%F %T} UTC. Wait until it ends, or restart that process, then decide again"
        )


class EditRefused(AssentError):
    """The policy denies the edited arguments; nothing changed and the call still waits."""

    code = "edit_refused"

    def __init__(self, request_id: str, reason: str) -> None:
        self.request_id, self.reason = request_id, reason
        super().__init__(f"The edit of request {request_id!r} is refused: {reason}")


class ConfirmationRequired(AssentError):
    """The approval has to be confirmed by typing a value; nothing was decided.

    `to_type` is that value and `argument` the argument it comes from (empty: it is the tool name).
    `is_check` is True if it is the start of the argument's SHA-256, because the argument itself
    cannot be typed.
    """

    code = "confirmation_required"

    def __init__(
        self,
        request_id: str,
        *,
        to_type: str,
        what: str,
        argument: str = "",
        is_check: bool = False,
        typed: bool = False,
    ) -> None:
        self.request_id, self.typed = request_id, typed
        self.to_type, self.argument, self.is_check = to_type, argument, is_check
        wrong = "The text that was typed does not match. " if typed else ""
        super().__init__(f"{wrong}To approve request {request_id!r}, type {what}: {to_type}")


class TooEarly(AssentError):
    """The approval came sooner than a person can read the call; nothing was decided."""

    code = "too_early"

    def __init__(self, request_id: str, seconds: int) -> None:
        self.request_id, self.retry_after = request_id, seconds
        super().__init__(
            f"The approval of request {request_id!r} came before the call could be read. Read it, "
            "then approve it again"
        )


class ConflictingDecisions(Conflict):
    """One batch holds different decisions about the same request; nothing was decided."""

    code = "conflicting_decisions"

    def __init__(self, request_ids: Sequence[str]) -> None:
        self.request_ids = tuple(request_ids)
        super().__init__(
            f"The batch holds different decisions about {', '.join(map(repr, request_ids))}: send "
            "one for each request. Nothing was decided"
        )


# Messages, and answers to a paused run, that are refused.


class PendingCalls(Conflict):
    """A new message came while calls wait for people; `calls` are the ids of those calls."""

    code = "pending_calls"

    def __init__(self, conversation_id: str, calls: Mapping[str, str]) -> None:
        self.conversation_id, self.calls = conversation_id, tuple(calls)
        waiting = ", ".join(f"{tool} ({id!r})" for id, tool in calls.items())
        super().__init__(
            f"Conversation {conversation_id!r} waits for {waiting or 'a turn in progress'}: decide "
            "first, or send with on_pending='supersede' to cancel the calls that wait"
        )


class NothingAwaited(Conflict):
    """The call, request, turn or conversation is not waiting for what was sent."""

    code = "nothing_awaited"

    def __init__(self, noun: str, id: str, status: str) -> None:
        self.noun, self.id, self.status = noun, id, status
        super().__init__(f"{noun} {id!r} is {status} and is not waiting for this")


class MessageChanged(Conflict):
    """A message was sent again under the same id, with another text."""

    code = "message_changed"

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        super().__init__(
            f"Message {message_id!r} was sent before with another text. Messages on record cannot "
            "be changed: send the new text as a new message, with another id"
        )


class NothingToRegenerate(Conflict):
    """The answer did not fail, so it is not regenerated: calls of it may have run."""

    code = "nothing_to_regenerate"

    def __init__(self, conversation_id: str, status: str) -> None:
        self.conversation_id, self.status = conversation_id, status
        super().__init__(
            f"The answer in conversation {conversation_id!r} is {status} and stays on record: only "
            "a failed answer can be regenerated. Ask again in a new message"
        )


class EmptyMessage(AssentError):
    """A message has no visible character; models refuse every conversation that holds one."""

    code = "empty_message"

    def __init__(self) -> None:
        super().__init__("The message is empty: send at least one visible character")


class UnsupportedContent(AssentError):
    """A message has parts other than text and files, which cannot be sent to agents."""

    code = "unsupported_content"

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        super().__init__(
            f"Only text and files can be sent; this message also has parts of kind "
            f"{', '.join(map(repr, kinds))}"
        )


class AgentNotNamed(AssentError):
    """A message does not name its agent, and there are several."""

    code = "agent_not_named"

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        super().__init__(
            "The message does not name its agent, and there are several: set 'agent' to one of "
            f"{', '.join(map(repr, agents))}"
        )


class InvalidResume(AssentError):
    """An answer to a paused run is not valid; nothing was decided."""

    code = "invalid_resume"

    def __init__(self, interrupt: str, reason: str) -> None:
        self.interrupt, self.reason = interrupt, reason
        super().__init__(f"The answer to interrupt {interrupt!r} is not valid: {reason}")


class ResumeIncomplete(Conflict):
    """Only a part of a paused run was answered; `missing` are the interrupts without an answer."""

    code = "resume_incomplete"

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(
            f"No answer was sent for {', '.join(map(repr, missing))}: answer every open interrupt "
            "in the same request"
        )


# Runs that cannot start, or end without an answer.


class ApprovalUnavailable(AssentError):
    """A run has tools that need approval and no way to ask a person."""

    code = "approval_unavailable"

    def __init__(self, tools: Sequence[str]) -> None:
        self.tools = tuple(tools)
        super().__init__(
            f"This run has no way to ask a person about {', '.join(map(repr, tools))}: give it a "
            "database or an on_confirmation callback, or pass approvals='off' to run without asking"
        )


class Paused(AssentError):
    """The run paused for people before it had an answer; `requests` are the ids of its requests."""

    code = "paused"

    def __init__(self, agent: str, requests: Sequence[str], tools: Sequence[str]) -> None:
        self.agent, self.requests, self.tools = agent, tuple(requests), tuple(tools)
        super().__init__(
            f"Agent {agent!r} has no answer yet: it paused until people decide about "
            f"{', '.join(map(repr, tools))} (requests {', '.join(map(repr, requests))})"
        )


class TurnFailed(AssentError):
    """The run ended without an answer; `error` says what went wrong."""

    code = "turn_failed"

    def __init__(self, agent: str, status: str, error: str | None) -> None:
        self.agent, self.status, self.error = agent, status, error
        super().__init__(f"Agent {agent!r} gave no answer (its turn is {status}): {error}")


class ModelFailed(AssentError):
    """The model gave no usable answer; `transient` is True if asking again may help."""

    code = "model_failed"

    def __init__(self, reason: str, *, transient: bool = False) -> None:
        self.reason, self.transient = reason, transient
        super().__init__(f"The model gave no usable answer: {reason}")


class ModelNotConfigured(AssentError):
    """A chat model cannot be built: unknown provider, missing package or missing key."""

    code = "model_not_configured"

    def __init__(self, spec: str, reason: str) -> None:
        self.spec, self.reason = spec, reason
        super().__init__(f"Model {spec!r} cannot be used: {reason}")


class OverQuota(AssentError):
    """A limit of this deployment is reached; nothing was started and nothing will run."""

    code = "over_quota"

    def __init__(self, what: str, limit: int, *, retry_after: int | None = None) -> None:
        self.what, self.limit, self.retry_after = what, limit, retry_after
        super().__init__(f"The limit of {limit:,} {what} is reached. Nothing was started")


class TooManyOwnRules(Conflict):
    """A person has as many rules of their own as there may be; `limit` says how many."""

    code = "too_many_own_rules"

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"You have {limit:,} rules of your own already: delete one first")


# Files that people upload.


class FileRefused(AssentError):
    """An upload was not kept; `field` is what it was for, `reason` a sentence for people."""

    code = "file_refused"

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"The file for {field!r} was not kept: {reason}")


class FileTooLarge(FileRefused):
    """An upload is larger than its field takes."""

    code = "file_too_large"


class FileUnreadable(AssentError):
    """A stored file is gone, or not the one that was approved; the call was not run."""

    code = "file_unreadable"

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"The file {name!r} cannot be used: {reason}. Nothing was run")


class FileNotHere(AssentError):
    """The bytes of a file were asked for outside the run of its call."""

    code = "file_not_here"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"The bytes of {name!r} are there only while the body of its call runs")


class NoPicture(AssentError):
    """A file cannot be shown as a picture; `reason` says why. It can still be downloaded."""

    code = "no_picture"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"No picture can be made of it: {reason}")


# Tools that are declared wrongly, and values that do not fit a tool.


class InvalidTool(AssentError):
    """The declaration of a tool or of its form is not valid; `tool` is its name."""

    code = "invalid_tool"

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool!r:.80} is declared wrongly: {reason}")
        self.tool = tool
        self.reason = reason


class InvalidArguments(AssentError):
    """The arguments are not JSON or do not fit the tool's schema."""

    code = "invalid_arguments"

    def __init__(self, tool: str, problems: Sequence[str]) -> None:
        self.tool, self.problems = tool, tuple(problems)
        super().__init__(f"The arguments for {tool!r} are not valid: {'; '.join(problems)}")


class InvalidOutput(AssentError):
    """An output does not fit the tool's output type, or cannot be stored."""

    code = "invalid_output"

    def __init__(self, tool: str, reason: str) -> None:
        self.tool, self.reason = tool, reason
        super().__init__(f"The output of {tool!r} is not valid: {reason}")


class InvalidAnswer(AssentError):
    """An answer breaks the rules of its form; `errors` maps each field to its message."""

    code = "invalid_answer"

    def __init__(self, errors: Mapping[str, str]) -> None:
        found = "; ".join(f"{n!r}: {message.rstrip('.')}" for n, message in errors.items())
        super().__init__(f"The answer is not valid: {found}")
        self.errors = dict(errors)


class SearchFailed(AssentError):
    """The search of a field failed, took too long, or was asked for too much."""

    code = "search_failed"

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"The options of {field!r} could not be searched: {reason}")


class WrongTool(Conflict):
    """A result was supplied for a task of another tool."""

    code = "wrong_tool"

    def __init__(self, task_id: str, tool: str) -> None:
        self.task_id, self.tool = task_id, tool
        super().__init__(f"Task {task_id!r} does not belong to tool {tool!r}")


# Data that breaks its format: JSON, schemas, patterns, versions.


class JsonFault(StrEnum):
    """A reason to refuse a text or value as JSON."""

    SYNTAX = "syntax"
    ENCODING = "encoding"
    DUPLICATE_KEY = "duplicate_key"
    NOT_FINITE = "not_finite"
    SURROGATE = "surrogate"
    NUMBER_RANGE = "number_range"
    DEPTH = "depth"
    SIZE = "size"
    TYPE = "type"


class InvalidJson(AssentError):
    """A text or value breaks the rules of strict JSON; `path` leads to the place, if known."""

    code = "invalid_json"

    def __init__(self, reason: JsonFault, detail: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"This JSON cannot be used ({reason}): {detail}")
        self.reason = reason
        self.detail = detail
        self.path = path


class SchemaFault(StrEnum):
    """A reason to refuse a JSON schema."""

    SHAPE = "shape"
    SIZE = "size"
    DEPTH = "depth"
    SUBSCHEMAS = "subschemas"
    REFERENCES = "references"
    REMOTE_REFERENCE = "remote_reference"
    UNRESOLVED_REFERENCE = "unresolved_reference"
    DIALECT = "dialect"
    PATTERN = "pattern"


class InvalidSchema(AssentError):
    """A JSON schema is malformed, too large, or points outside itself."""

    code = "invalid_schema"

    def __init__(self, reason: SchemaFault, detail: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"This JSON schema cannot be used ({reason}): {detail}")
        self.reason = reason
        self.detail = detail
        self.path = path


class InvalidPattern(AssentError):
    """A regular expression is not valid in RE2, or too large."""

    code = "invalid_pattern"

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"Pattern {pattern[:80]!r} cannot be used: {reason}")
        self.pattern = pattern
        self.reason = reason


class InvalidIdentifier(AssentError):
    """An id, key or name cannot be stored; `what` says which. Messages never repeat its text."""

    code = "invalid_identifier"

    def __init__(self, what: str, reason: str) -> None:
        self.what, self.reason = what, reason
        super().__init__(f"The {what} cannot be stored: {reason}")


class Malformed(AssentError):
    """Data does not have the shape that its format prescribes; `field` says where."""

    code = "malformed"

    def __init__(self, noun: str, field: str, reason: str) -> None:
        self.noun, self.field, self.reason = noun, field, reason
        super().__init__(f"{noun} is malformed at {field!r}: {reason}")


class UnsupportedVersion(AssentError):
    """Data has a version that this release cannot read."""

    code = "unsupported_version"

    def __init__(self, noun: str, version: object, known: object) -> None:
        self.noun, self.version, self.known = noun, version, known
        super().__init__(
            f"{noun} has version {version!r}; this release reads versions up to {known!r}"
        )


# Values passed to public constructors and functions.


class InvalidParameter(AssentError, TypeError, ValueError):
    """A public constructor or function was passed a value that it does not take.

    `where` names the constructor or function; `allowed` and `given` are phrases for people.
    """

    code = "invalid_parameter"

    def __init__(self, where: str, parameter: str, allowed: str, given: str) -> None:
        self.where, self.parameter = where, parameter
        self.allowed, self.given = allowed, given
        super().__init__(f"{where}: {parameter} must be {allowed}, not {given}")


# Signing in, and accounts.


class NotAuthenticated(AssentError):
    """There is no credential, or it is not valid; the message does not say which, on purpose."""

    code = "not_authenticated"

    def __init__(self) -> None:
        super().__init__(
            "You are not signed in: sign in, or send an API key as 'Authorization: Bearer …'"
        )


class SignInFailed(AssentError):
    """A sign-in did not succeed; the message says little, on purpose."""

    code = "sign_in_failed"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The sign-in did not succeed: {reason}")


class IdentityUnavailable(AssentError):
    """The identity provider does not answer, so its people cannot sign in."""

    code = "identity_unavailable"

    def __init__(self, issuer: str, reason: str) -> None:
        self.issuer, self.reason = issuer, reason
        super().__init__(
            f"Identity provider {issuer!r} cannot be reached: {reason}. Try again later"
        )


class InvalidAccount(AssentError):
    """An account, or a change of one, is not allowed; `reason` says why."""

    code = "invalid_account"

    def __init__(self, id: str, reason: str) -> None:
        self.id, self.reason = id, reason
        super().__init__(f"Account {id!r} is not allowed: {reason}")


class AccountExists(Conflict):
    """An account with this id exists already."""

    code = "account_exists"

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(
            f"Account {id!r} exists already: choose another id, or change that account"
        )


# Keys, and the secrets that they seal.


class InvalidKey(AssentError):
    """A key cannot be read; the message says which entry it is, never its text."""

    code = "invalid_key"

    def __init__(self, source: str, reason: str) -> None:
        self.source, self.reason = source, reason
        super().__init__(f"The keys in {source} cannot be used: {reason}")


class KeyFileUnusable(AssentError):
    """The key file cannot be read or created, or other users of the machine can read it."""

    code = "key_file_unusable"

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"Key file {path!r} cannot be used: {reason}")


class KeyNotNamed(AssentError):
    """No key is named for a PostgreSQL database; `found` is the key file of an earlier release."""

    code = "key_not_named"

    def __init__(self, found: str | None = None) -> None:
        self.found = found
        here = f". An earlier release created this one: key_file={found!r}" if found else ""
        super().__init__(
            "No key is configured to seal the secrets in this database. Set ASSENT_KEY, or name a "
            "file with key_file=… or ASSENT_KEY_FILE (it is created if it does not exist). All "
            f"processes of one database need the same key{here}"
        )


class SecretUnreadable(AssentError):
    """A sealed value does not open: its key is unknown, or it was altered or moved."""

    code = "secret_unreadable"

    def __init__(self, reason: str, *, kid: str | None = None) -> None:
        self.reason, self.kid = reason, kid
        super().__init__(f"A sealed secret cannot be read: {reason}")


class WrongKey(AssentError):
    """The configured keys are not those the database was sealed with; nothing starts."""

    code = "wrong_key"

    def __init__(self, reason: str, *, kid: str | None = None) -> None:
        self.reason, self.kid = reason, kid
        super().__init__(
            f"This database was sealed with another key ({reason}): "
            "restore the key file it was sealed with, or set ASSENT_KEY to those keys"
        )


# Processes and databases that cannot do their work.


class StoreUnavailable(AssentError):
    """The database cannot be read or written; nothing was changed and nothing ran."""

    code = "store_unavailable"
    retry_after: ClassVar[int] = 1
    _what_now: ClassVar[str] = "Nothing was changed"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The database cannot be used: {reason}. {self._what_now}")


class WriteUncertain(StoreUnavailable):
    """The database was lost during a write, which may or may not have been recorded."""

    code = "write_uncertain"
    _what_now = (
        "It is unknown whether this was recorded. Look again, or repeat it with the same "
        "idempotency key: if it was recorded, it is found and not done twice"
    )


class StoreGone(StoreUnavailable):
    """The database file was deleted or replaced while it was open; nothing runs any more."""

    code = "store_gone"
    _what_now = (
        "Nothing was changed, and nothing runs any more: put the file back, then start again"
    )

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"its file {path!r} was deleted or replaced")


class WorkerRunning(AssentError):
    """A second worker was started on one SQLite file."""

    code = "worker_running"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"Another worker already runs on {path!r}, and a SQLite file can have only one: stop "
            "it, open this one with worker=False to only read and decide, or use PostgreSQL"
        )


class NoWorker(AssentError):
    """No worker took up a turn; the message or decision is stored and waits for a worker."""

    code = "no_worker"

    def __init__(self, turn_id: str, seconds: float) -> None:
        self.turn_id, self.seconds = turn_id, seconds
        super().__init__(
            f"No worker took up turn {turn_id!r} within {seconds:g} s, and this process is not a "
            "worker (worker=False). Nothing is lost: the turn goes on once a worker runs on this "
            "database, for example Assent(…) without worker=False, or `assent serve`"
        )


class WrongLoop(AssentError, RuntimeError):
    """An `Assent` was used in another event loop than the one it was opened in."""

    code = "wrong_loop"

    def __init__(self, where: str) -> None:
        self.where = where
        super().__init__(
            f"{where}: this Assent was opened in another event loop. Use it in the loop of its "
            "`async with`; from another thread, call asyncio.run_coroutine_threadsafe(…, loop)"
        )


class LeaseLost(AssentError):
    """The lease of a call or turn is over or taken over; what is done under it does not count."""

    code = "lease_lost"

    def __init__(self, noun: str, id: str) -> None:
        self.noun, self.id = noun, id
        super().__init__(
            f"The lease of {noun} {id!r} was lost: what is done under it no longer counts"
        )


class CallWaits(Conflict):
    """The call may not run yet: people have to act first, or another caller runs it now."""

    code = "call_waits"

    def __init__(self, call_id: str, tool: str, status: str, review_url: str | None = None) -> None:
        self.call_id, self.tool, self.status, self.review_url = call_id, tool, status, review_url
        where = f" at {review_url}" if review_url else ""
        why = _WAITS.get(status, f"it is {status}") + where
        super().__init__(
            f"Call {call_id!r} of {tool!r} may not run yet: {why}."
            " It stays open; come back to it by its id, or call again with the same key."
        )


_WAITS = {
    "awaiting_approval": "people have to approve it",
    "awaiting_input": "people have to fill in what is missing",
    "awaiting_result": "people have to supply its result",
    "running": "another caller runs it now",
    "in_doubt": "it is unknown how a run of it ended, and people have to say so",
}


class CallNotRun(Conflict):
    """The call has ended, or nobody may run it any more; `status` says how it ended."""

    code = "call_not_run"

    def __init__(self, call_id: str, tool: str, status: str) -> None:
        self.call_id, self.tool, self.status = call_id, tool, status
        super().__init__(f"Call {call_id!r} of {tool!r} may not run: it is {status}")


class ThreadNotNamed(AssentError):
    """A guarded tool was called in a run without a thread: its calls cannot be told from others."""

    code = "thread_not_named"

    def __init__(self, tool: str) -> None:
        self.tool = tool
        super().__init__(
            f"Tool {tool!r} was called in a run that has no thread, and was not run: start the run "
            "with run() of assent.adapters.openai_agents, or inside 'with Thread(…):'"
        )


class NotResumable(AssentError):
    """A call waits for people, but the run that made it has no way to go on later."""

    code = "not_resumable"

    def __init__(self, call_id: str, tool: str) -> None:
        self.call_id, self.tool = call_id, tool
        super().__init__(
            f"Call {call_id!r} of {tool!r} has to wait for people, but this run cannot be resumed: "
            "compile the graph with a checkpointer and pass a thread_id, or let calls wait in "
            "place with wait=None"
        )


class AsyncOnly(AssentError):
    """The guard is asked in an event loop, and this run has none; nothing was run."""

    code = "async_only"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is guarded, which needs an event loop: use ainvoke or astream")


class InvalidHookInput(AssentError):
    """The hook cannot read what a coding agent sent it; nothing is allowed."""

    code = "invalid_hook_input"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The hook's input cannot be read: {reason}")


class NotReady(AssentError):
    """This process answers but cannot work; `reason` is for operators."""

    code = "not_ready"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This process is not ready: {reason}")


# Requests to targets outside, such as webhooks.


class TargetRefused(AssentError):
    """The target of an outgoing request is not allowed; trying again does not help."""

    code = "target_refused"

    def __init__(self, host: str, reason: str) -> None:
        self.host, self.reason = host, reason
        super().__init__(f"The target {host!r} is refused: {reason}")


class TargetUnreachable(AssentError):
    """The target of an outgoing request gave no answer; it may do so later.

    `reached` is True if there was a connection, so that the request may have arrived.
    """

    code = "target_unreachable"

    def __init__(self, host: str, reason: str, *, reached: bool = False) -> None:
        self.host, self.reason, self.reached = host, reason, reached
        super().__init__(f"The target {host!r} gave no answer: {reason}")


# HTTP requests and commands that are refused before their content is looked at.


class TooManyRequests(AssentError):
    """One person or address sent too many requests; `retry_after` is the seconds to wait."""

    code = "too_many_requests"

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"There were too many requests: try again in {retry_after} s")


class Crowded(AssentError):
    """This process takes no more connections; `retry_after` is the seconds to wait."""

    code = "crowded"

    def __init__(self, retry_after: int = 5) -> None:
        self.retry_after = retry_after
        super().__init__(f"Too many clients are connected: try again in {retry_after} s")


class TooSlow(AssentError):
    """The body of a request did not arrive in time; nothing was done."""

    code = "too_slow"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            f"The body of this request did not arrive within {seconds:g} s: send the request again"
        )


class TooLarge(AssentError):
    """A part of a request is larger than this service takes; `part` says which."""

    code = "too_large"

    def __init__(self, part: str, limit: int) -> None:
        self.part, self.limit = part, limit
        super().__init__(f"The {part} of this request is larger than {limit:,} bytes")


class BadAddress(AssentError):
    """The address of a request holds a character that no name can have."""

    code = "bad_address"

    def __init__(self) -> None:
        super().__init__("The address holds a NUL character, which no name here can have")


class CrossSite(AssentError):
    """Another site may have made the browser send this request; nothing was done."""

    code = "cross_site"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"This request was refused because another site may have sent it: {reason}"
        )


class WrongHost(AssentError):
    """A local service was reached by a name or from an address that is not this machine."""

    code = "wrong_host"

    def __init__(self) -> None:
        super().__init__(
            "This service is for this machine only: open it from here, as 127.0.0.1 or localhost"
        )


class KeyReused(Conflict):
    """An idempotency key was sent before, with another body."""

    code = "idempotency_key_reused"

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            f"Idempotency key {key!r} was used before for another request: send a new key"
        )


class BadCursor(AssentError):
    """The cursor was not issued by this service."""

    code = "bad_cursor"

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor[:80]
        super().__init__(
            f"Cursor {self.cursor!r} is not valid: send the id of an event you received, or none"
        )


class BadPage(AssentError):
    """The place where a page should start was not issued by this service."""

    code = "bad_page"

    def __init__(self, place: str) -> None:
        self.place = place[:80]
        super().__init__(
            f"There is no page at {self.place!r}: send the 'next' of a page you received, or none"
        )


class InvalidCommand(AssentError):
    """A command line cannot be carried out; the message says what to do instead."""

    code = "invalid_command"


# Channels, and people who decide in a chat.


class ChannelError(AssentError):
    """A channel could not show a post.

    `permanent`: trying again is no use, and the delivery becomes a dead letter. `whole`: the whole
    channel is concerned, as by an outage, a rate limit or a revoked token, so nothing is sent for a
    while and nothing is given up. `unsent`: nothing was handed over, so nothing can have arrived.
    `retry_after` is how many seconds the platform asks to wait.
    """

    code = "channel_error"

    def __init__(
        self,
        reason: str,
        *,
        permanent: bool = False,
        whole: bool = False,
        unsent: bool = False,
        retry_after: float | None = None,
    ) -> None:
        self.reason, self.permanent, self.whole = reason, permanent, whole
        self.unsent, self.retry_after = unsent, retry_after
        super().__init__(reason)


class MessageGone(ChannelError):
    """The message to update was deleted; what is still open is posted once more."""

    code = "message_gone"

    def __init__(self, reason: str = "The message was deleted") -> None:
        super().__init__(reason)


class ChannelInUse(Conflict):
    """A process serves this channel, so it cannot be removed."""

    code = "channel_in_use"

    def __init__(self, channel: str) -> None:
        self.channel = channel
        super().__init__(
            f"The channel {channel!r} is being served: take it out of the configuration of every "
            "process first"
        )


class NotLinked(AssentError):
    """No account here belongs to this chat account, so it decides nothing."""

    code = "not_linked"

    def __init__(self, channel: str, chat_id: str) -> None:
        self.channel, self.chat_id = channel, chat_id
        super().__init__(
            f"The {channel} account {chat_id!r} is not linked to an account here: link it first"
        )


class LinkRefused(AssentError):
    """A code to link a chat account is wrong, used up or too old, or the account is taken."""

    code = "link_refused"


class ServerUnreachable(AssentError):
    """A server that this program is a client of does not answer, or not as an Assent server.

    `reached` is True if there was a connection, so that the request may have arrived.
    """

    code = "server_unreachable"

    def __init__(self, reason: str, *, reached: bool = True) -> None:
        self.reason, self.reached = reason, reached
        may = "It may have received what was sent: look again" if reached else "Nothing was sent"
        super().__init__(f"The server cannot be used: {reason}. {may}")


class ServerRefused(AssentError):
    """A server that this program is a client of refused a request; `problem` is the code."""

    code = "server_refused"

    def __init__(self, problem: str, detail: str) -> None:
        self.problem = problem
        super().__init__(detail or f"The server refused it ({problem})")


# Servers of the Model Context Protocol, whose tools we call.


class McpUnavailable(AssentError):
    """An MCP server cannot be used now; nothing was sent to it."""

    code = "mcp_unavailable"

    def __init__(self, server: str, reason: str) -> None:
        self.server, self.reason = server, reason
        super().__init__(f"MCP server {server!r} cannot be used: {reason}. Nothing was run")


class McpRefused(AssentError):
    """An MCP server answered a request with an error; `number` is the code of JSON-RPC."""

    code = "mcp_refused"

    def __init__(self, server: str, number: int, reason: str) -> None:
        self.server, self.number, self.reason = server, number, reason
        super().__init__(f"MCP server {server!r} refused it: {reason} ({number})")


class McpToolFailed(AssentError):
    """A tool of an MCP server ran and says that it failed; the message is the tool's own."""

    code = "mcp_tool_failed"


class DefinitionChanged(Conflict):
    """A tool's definition is no longer the one that was looked at; look again, then decide."""

    code = "definition_changed"

    def __init__(self, tool: str) -> None:
        self.tool = tool
        super().__init__(f"The definition of {tool!r} has changed since it was shown: look again")


class NothingToAccept(Conflict):
    """The tool has no changed definition that waits to be accepted."""

    code = "nothing_to_accept"

    def __init__(self, tool: str) -> None:
        self.tool = tool
        super().__init__(f"The definition of {tool!r} is the accepted one: nothing to accept")


class InvalidMcpConfig(AssentError):
    """A file or mapping that names MCP servers is not valid; `place` says where."""

    code = "invalid_mcp_config"

    def __init__(self, place: str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(f"{place}: {reason}")
