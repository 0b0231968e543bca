"""Everything that can be refused or go wrong, in one tree.

Each is named for what happened and holds the facts as attributes. `code` is stable and short: code
that must choose reads it or an attribute, never the message.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import ClassVar


class AssentError(Exception):
    """The root: every error of this package is one of these."""

    code: ClassVar[str] = "error"


class Conflict(AssentError):
    """What was asked does not fit the state the record is in."""

    code = "conflict"


class NotFound(AssentError):
    """There is no such thing, or it is not visible to whoever asks."""

    code = "not_found"

    def __init__(self, noun: str, id: str, hint: str = "") -> None:
        self.noun, self.id = noun, id
        super().__init__(f"There is no {noun} {id!r}" + (f": {hint}" if hint else ""))


class NotAllowed(AssentError):
    """This person may not do that at all."""

    code = "not_allowed"

    def __init__(self, person: str, action: str) -> None:
        self.person, self.action = person, action
        super().__init__(f"{person!r} may not {action}")


# A decision that came too late: one class for each state that may have won.


class AlreadySettled(Conflict):
    """Somebody or something was first; the state that won is in `status`."""

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
        """The error class that stands for this final status."""
        kind = _SETTLED.get(status, AlreadySettled)
        return kind(request_id, status, by=by, at=at)


class AlreadyApproved(AlreadySettled):
    """Somebody approved it before."""

    code = "already_approved"


class AlreadyRejected(AlreadySettled):
    """Somebody rejected it before."""

    code = "already_rejected"


class AlreadyAnswered(AlreadySettled):
    """Somebody answered it before."""

    code = "already_answered"


class Expired(AlreadySettled):
    """The deadline passed before the decision arrived."""

    code = "expired"


class Cancelled(AlreadySettled):
    """It was cancelled before the decision arrived."""

    code = "cancelled"


class Superseded(AlreadySettled):
    """A newer message, revision or policy took its place."""

    code = "superseded"


_SETTLED: dict[str, type[AlreadySettled]] = {
    "approved": AlreadyApproved,
    "rejected": AlreadyRejected,
    "answered": AlreadyAnswered,
    "expired": Expired,
    "cancelled": Cancelled,
    "superseded": Superseded,
}


# Why a decision is not taken.


class NotEligible(AssentError):
    """This person may see the request but not decide it."""

    code = "not_eligible"

    def __init__(self, request_id: str, person: str) -> None:
        self.request_id, self.person = request_id, person
        super().__init__(f"{person!r} may not decide request {request_id!r}")


class AlreadyVoted(Conflict):
    """Several people have to approve it, and this one has."""

    code = "already_voted"

    def __init__(self, request_id: str, person: str) -> None:
        self.request_id, self.person = request_id, person
        super().__init__(f"{person!r} has already approved {request_id!r}: somebody else has to")


class StaleDigest(Conflict):
    """What the person saw is not what the request stands for now."""

    code = "stale_digest"
    said: ClassVar[str] = "Request {id!r} is not what was shown: look again, then decide"

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        super().__init__(self.said.format(id=request_id))


class NotAsShown(StaleDigest):
    """What would run is not what the person was told would run; nothing changed."""

    code = "not_as_shown"
    said = (
        "Request {id!r} would run other arguments than those that were shown as what will run: "
        "look again, then decide. Nothing was changed"
    )


class InvalidVerdict(AssentError):
    """A verdict made of something that it cannot mean."""

    code = "invalid_verdict"


class WrongVerdict(Conflict):
    """This kind of request cannot be decided with this verdict."""

    code = "wrong_verdict"

    def __init__(self, request_id: str, kind: str, verdict: str) -> None:
        self.request_id, self.kind, self.verdict = request_id, kind, verdict
        super().__init__(
            f"Request {request_id!r} of kind {str(kind)!r} cannot be decided by {str(verdict)!r}"
        )


class StillRunning(Conflict):
    """A call in doubt whose body has outlived its time: nothing is run beside it."""

    code = "still_running"

    def __init__(self, request_id: str, call_id: str, *, worker: str, since: datetime) -> None:
        self.request_id, self.call_id, self.worker, self.since = request_id, call_id, worker, since
        super().__init__(
            f"Call {call_id!r} still runs in {worker!r}, past its time since {since:%F %T} UTC. "
            "Wait until it has ended, or restart that process, then decide again"
        )


class EditRefused(AssentError):
    """Policy denies the edited arguments; nothing changed and the call still waits."""

    code = "edit_refused"

    def __init__(self, request_id: str, reason: str) -> None:
        self.request_id, self.reason = request_id, reason
        super().__init__(f"The edit of request {request_id!r} is refused: {reason}")


class ConfirmationRequired(AssentError):
    """An approval that has to be confirmed by typing a value; nothing was decided.

    `to_type` is the value, `argument` whose it is (empty: the tool's name); `is_check` says that it
    is the start of the value's SHA-256, because the value itself cannot be typed.
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
        wrong = "What was typed is not it. " if typed else ""
        super().__init__(f"{wrong}To approve {request_id!r}, type {what}: {to_type}")


class TooEarly(AssentError):
    """An approval that came sooner than anybody could have read what it is about."""

    code = "too_early"

    def __init__(self, request_id: str, seconds: int) -> None:
        self.request_id, self.retry_after = request_id, seconds
        super().__init__(
            f"That was quick. Read the call first, then approve {request_id!r} once more"
        )


class ConflictingDecisions(Conflict):
    """One batch says two things about one request; nothing was decided."""

    code = "conflicting_decisions"

    def __init__(self, request_ids: Sequence[str]) -> None:
        self.request_ids = tuple(request_ids)
        super().__init__(f"The batch contradicts itself about {', '.join(map(repr, request_ids))}")


# Why a message, or the answer to a paused run, is not taken.


class PendingCalls(Conflict):
    """A new message came while calls wait for people: `calls` are their ids."""

    code = "pending_calls"

    def __init__(self, conversation_id: str, calls: Mapping[str, str]) -> None:
        self.conversation_id, self.calls = conversation_id, tuple(calls)
        waiting = ", ".join(f"{tool} ({id!r})" for id, tool in calls.items())
        super().__init__(
            f"Conversation {conversation_id!r} waits for {waiting or 'a turn in progress'}: decide "
            "first, or send with on_pending='supersede' to cancel what waits"
        )


class NothingAwaited(Conflict):
    """The call or turn awaits nothing of the kind."""

    code = "nothing_awaited"

    def __init__(self, noun: str, id: str, status: str) -> None:
        self.noun, self.id, self.status = noun, id, status
        super().__init__(f"{noun} {id!r} is {status} and awaits no such thing")


class MessageChanged(Conflict):
    """A message came again under its id, with another text."""

    code = "message_changed"

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        super().__init__(
            f"Message {message_id!r} was sent before with another text; what was said stays on "
            "record, so send the new text as a message of its own"
        )


class NothingToRegenerate(Conflict):
    """An answer was to be made anew that is on record, with calls that may have run."""

    code = "nothing_to_regenerate"

    def __init__(self, conversation_id: str, status: str) -> None:
        self.conversation_id, self.status = conversation_id, status
        super().__init__(
            f"The answer in conversation {conversation_id!r} is {status} and stays on record; only "
            "one that failed is tried again. Ask again in a message of its own"
        )


class EmptyMessage(AssentError):
    """A message in which nothing can be read; kept, it would spoil every later one with it."""

    code = "empty_message"

    def __init__(self) -> None:
        super().__init__("A message has at least one visible character")


class UnsupportedContent(AssentError):
    """A message has parts that no agent here is given."""

    code = "unsupported_content"

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        super().__init__(
            f"A message is text; it has parts of another kind: {', '.join(map(repr, kinds))}"
        )


class AgentNotNamed(AssentError):
    """A message for one of several agents that does not say which."""

    code = "agent_not_named"

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        super().__init__(
            f"Say whom the message is for: 'agent' is one of {', '.join(map(repr, agents))}"
        )


class InvalidResume(AssentError):
    """An answer to a paused run that cannot be taken; nothing was decided by it."""

    code = "invalid_resume"

    def __init__(self, interrupt: str, reason: str) -> None:
        self.interrupt, self.reason = interrupt, reason
        super().__init__(f"The answer to interrupt {interrupt!r} is not acceptable: {reason}")


class ResumeIncomplete(Conflict):
    """A paused run was answered in part; `missing` are the interrupts left out."""

    code = "resume_incomplete"

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(
            f"Answer every open interrupt at once: {', '.join(map(repr, missing))} are left out"
        )


# Why a run cannot start, or ends without an answer.


class ApprovalUnavailable(AssentError):
    """Gated calls in a run that has nobody to ask."""

    code = "approval_unavailable"

    def __init__(self, tools: Sequence[str]) -> None:
        self.tools = tuple(tools)
        super().__init__(
            f"Nobody can be asked about {', '.join(map(repr, tools))}: give the run a database "
            "or an on_confirmation callback, or choose approvals='off' on purpose"
        )


class Paused(AssentError):
    """A run that had to answer at once paused instead; `requests` are what it waits for."""

    code = "paused"

    def __init__(self, agent: str, requests: Sequence[str], tools: Sequence[str]) -> None:
        self.agent, self.requests, self.tools = agent, tuple(requests), tuple(tools)
        super().__init__(
            f"Agent {agent!r} paused for people on {', '.join(map(repr, tools))} "
            f"(requests {', '.join(map(repr, requests))}) and has no answer"
        )


class TurnFailed(AssentError):
    """A run that had to answer at once ended without an answer; `error` says what went wrong."""

    code = "turn_failed"

    def __init__(self, agent: str, status: str, error: str | None) -> None:
        self.agent, self.status, self.error = agent, status, error
        super().__init__(f"Agent {agent!r} gave no answer, its turn is {status}: {error}")


class ModelFailed(AssentError):
    """The model gave no usable answer; `transient` says whether asking again may help."""

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
    """More of something than this deployment allows; nothing was started, nothing will run."""

    code = "over_quota"

    def __init__(self, what: str, limit: int, *, retry_after: int | None = None) -> None:
        self.what, self.limit, self.retry_after = what, limit, retry_after
        super().__init__(f"There can be no more than {limit:,} {what}; nothing was started")


# Tools that are declared wrongly, and what is given to or comes out of them.


class InvalidTool(AssentError):
    """A tool, or a form it declares, contradicts itself; `tool` names what is being declared."""

    code = "invalid_tool"

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool!r:.80} is declared wrongly: {reason}")
        self.tool = tool
        self.reason = reason


class InvalidArguments(AssentError):
    """Arguments are no JSON or do not fit the tool's schema."""

    code = "invalid_arguments"

    def __init__(self, tool: str, problems: Sequence[str]) -> None:
        self.tool, self.problems = tool, tuple(problems)
        super().__init__(f"Arguments for {tool!r} are not valid: {'; '.join(problems)}")


class InvalidOutput(AssentError):
    """An output does not fit what the tool declared, or cannot be stored."""

    code = "invalid_output"

    def __init__(self, tool: str, reason: str) -> None:
        self.tool, self.reason = tool, reason
        super().__init__(f"Output of {tool!r} is not valid: {reason}")


class InvalidAnswer(AssentError):
    """Submitted values break the rules of their form; `errors` maps each field to its message."""

    code = "invalid_answer"

    def __init__(self, errors: Mapping[str, str]) -> None:
        found = "; ".join(f"{n!r}: {message.rstrip('.')}" for n, message in errors.items())
        super().__init__(f"The answer is not acceptable: {found}")
        self.errors = dict(errors)


class WrongTool(Conflict):
    """A task belongs to another tool than the one that settles it."""

    code = "wrong_tool"

    def __init__(self, task_id: str, tool: str) -> None:
        self.task_id, self.tool = task_id, tool
        super().__init__(f"Task {task_id!r} is not one of tool {tool!r}")


# Data that does not keep to its format: JSON, schemas, patterns, versions.


class JsonFault(StrEnum):
    """Why a text or value is not JSON that Assent takes in."""

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
    """A text or value breaks the rules of strict JSON; `path` leads to the offender if known."""

    code = "invalid_json"

    def __init__(self, reason: JsonFault, detail: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"not acceptable JSON ({reason}): {detail}")
        self.reason = reason
        self.detail = detail
        self.path = path


class SchemaFault(StrEnum):
    """Why a JSON schema is not accepted."""

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
        super().__init__(f"not an acceptable JSON schema ({reason}): {detail}")
        self.reason = reason
        self.detail = detail
        self.path = path


class InvalidPattern(AssentError):
    """A regular expression is not one that RE2 compiles within bounds."""

    code = "invalid_pattern"

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"pattern {pattern[:80]!r} is not usable: {reason}")
        self.pattern = pattern
        self.reason = reason


class InvalidIdentifier(AssentError):
    """An id, key or name that no database can keep as it is; `what` says whose. Not repeated."""

    code = "invalid_identifier"

    def __init__(self, what: str, reason: str) -> None:
        self.what, self.reason = what, reason
        super().__init__(f"The {what} cannot be kept: {reason}")


class Malformed(AssentError):
    """Data that does not have the shape its format promises; `field` says where."""

    code = "malformed"

    def __init__(self, noun: str, field: str, reason: str) -> None:
        self.noun, self.field, self.reason = noun, field, reason
        super().__init__(f"{noun} is malformed at {field!r}: {reason}")


class UnsupportedVersion(AssentError):
    """Data of a version this release does not know."""

    code = "unsupported_version"

    def __init__(self, noun: str, version: object, known: object) -> None:
        self.noun, self.version, self.known = noun, version, known
        super().__init__(f"{noun} has version {version!r}; this release reads up to {known!r}")


# What somebody passed to a constructor and it does not take.


class InvalidParameter(AssentError, TypeError, ValueError):
    """A public constructor got what it does not take; nothing was made.

    `where` is what was being made, `allowed` and `given` are words for people.
    """

    code = "invalid_parameter"

    def __init__(self, where: str, parameter: str, allowed: str, given: str) -> None:
        self.where, self.parameter = where, parameter
        self.allowed, self.given = allowed, given
        super().__init__(f"{where}: {parameter} must be {allowed}, not {given}")


# Who somebody is: signing in, and the accounts behind it.


class NotAuthenticated(AssentError):
    """No credential, or one that does not hold; deliberately says no more."""

    code = "not_authenticated"

    def __init__(self) -> None:
        super().__init__("Sign in, or send an API key as 'Authorization: Bearer …'")


class SignInFailed(AssentError):
    """A sign-in that did not succeed; deliberately says little."""

    code = "sign_in_failed"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The sign-in did not succeed: {reason}")


class IdentityUnavailable(AssentError):
    """An identity provider cannot be asked, so nobody can be known by it."""

    code = "identity_unavailable"

    def __init__(self, issuer: str, reason: str) -> None:
        self.issuer, self.reason = issuer, reason
        super().__init__(f"Identity provider {issuer!r} cannot be asked: {reason}. Try again later")


class InvalidAccount(AssentError):
    """An account, or a change of one, that cannot be; `reason` says why."""

    code = "invalid_account"

    def __init__(self, id: str, reason: str) -> None:
        self.id, self.reason = id, reason
        super().__init__(f"Account {id!r} cannot be so: {reason}")


class AccountExists(Conflict):
    """There is an account of this id already."""

    code = "account_exists"

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(f"There is an account {id!r} already")


# Keys, and the secrets sealed with them.


class InvalidKey(AssentError):
    """Key text that is no key; says which entry, never what it holds."""

    code = "invalid_key"

    def __init__(self, source: str, reason: str) -> None:
        self.source, self.reason = source, reason
        super().__init__(f"The keys in {source} are not usable: {reason}")


class KeyFileUnusable(AssentError):
    """The key file cannot be read or made, or others can read it too."""

    code = "key_file_unusable"

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"The key file {path!r} is not usable: {reason}")


class KeyNotNamed(AssentError):
    """PostgreSQL has no place of its own for a key file; `found` is an earlier one, if any."""

    code = "key_not_named"

    def __init__(self, found: str | None = None) -> None:
        self.found = found
        here = f"; one that an earlier release made is here: key_file={found!r}" if found else ""
        super().__init__(
            "Which key seals the secrets in this database? Set ASSENT_KEY, or name a file with "
            "key_file=… or ASSENT_KEY_FILE; it is made if it is not there, and all processes of "
            f"one database need the same{here}"
        )


class SecretUnreadable(AssentError):
    """A sealed value does not open: unknown key, altered, or moved from another place."""

    code = "secret_unreadable"

    def __init__(self, reason: str, *, kid: str | None = None) -> None:
        self.reason, self.kid = reason, kid
        super().__init__(f"A secret cannot be read: {reason}")


class WrongKey(AssentError):
    """The keys at hand are not those the database was sealed with; nothing may start."""

    code = "wrong_key"

    def __init__(self, reason: str, *, kid: str | None = None) -> None:
        self.reason, self.kid = reason, kid
        super().__init__(
            f"This database was sealed with another key ({reason}): "
            "restore the key file it was made with, or set ASSENT_KEY to its keys"
        )


# A process or a database that cannot do its work.


class StoreUnavailable(AssentError):
    """The database cannot be read or written; nothing was changed and nothing ran."""

    code = "store_unavailable"
    retry_after: ClassVar[int] = 1
    _what_now: ClassVar[str] = "Nothing was changed"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The database is not usable: {reason}. {self._what_now}")


class WriteUncertain(StoreUnavailable):
    """The database was lost while it wrote; whether it did is unknown until somebody looks."""

    code = "write_uncertain"
    _what_now = (
        "Whether this was recorded is unknown. Look again, or repeat it with the same idempotency "
        "key: what was recorded already is found, not done twice"
    )


class StoreGone(StoreUnavailable):
    """The database file was deleted or replaced while it was open; nothing runs any more."""

    code = "store_gone"
    _what_now = "Nothing was changed, and nothing runs here: put it back, then start again"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"the file {path!r} was deleted or replaced")


class WorkerRunning(AssentError):
    """A second worker was started on one SQLite file."""

    code = "worker_running"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"Another worker already runs on {path!r}. One SQLite file has one worker: stop it, "
            "open this one with worker=False to read and decide beside it, or use PostgreSQL"
        )


class NoWorker(AssentError):
    """Nobody took up a turn: what was sent or decided is stored, and waits for a worker."""

    code = "no_worker"

    def __init__(self, turn_id: str, seconds: float) -> None:
        self.turn_id, self.seconds = turn_id, seconds
        super().__init__(
            f"No worker took up turn {turn_id!r} within {seconds:g} s, and this process is none "
            "(worker=False). Nothing is lost: it goes on once a worker runs on this database, for "
            "example Assent(…) without worker=False, or `assent serve`"
        )


class WrongLoop(AssentError, RuntimeError):
    """An engine was used in another event loop than it was opened in."""

    code = "wrong_loop"

    def __init__(self, where: str) -> None:
        self.where = where
        super().__init__(
            f"{where}: this engine was opened in another event loop. Use it where its `async with` "
            "is; from a thread, asyncio.run_coroutine_threadsafe(…, loop) takes you there"
        )


class LeaseLost(AssentError):
    """Another worker took over; what this one holds is void."""

    code = "lease_lost"

    def __init__(self, noun: str, id: str) -> None:
        self.noun, self.id = noun, id
        super().__init__(f"The lease of {noun} {id!r} is lost; another worker holds it")


class NotReady(AssentError):
    """This process answers but cannot work; the reason is for operators."""

    code = "not_ready"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This process is not ready: {reason}")


# Requests and commands that are refused before anybody looks at what they ask for.


class TooManyRequests(AssentError):
    """Too much from one person or one address; `retry_after` is how many seconds to wait."""

    code = "too_many_requests"

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"Too many requests: try again in {retry_after} s")


class Crowded(AssentError):
    """As many connections as this process takes; `retry_after` is how many seconds to wait."""

    code = "crowded"

    def __init__(self, retry_after: int = 5) -> None:
        self.retry_after = retry_after
        super().__init__(f"Too many are connected at this moment: try again in {retry_after} s")


class TooSlow(AssentError):
    """A request whose body did not come in time; nothing was done."""

    code = "too_slow"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            f"The body of this request did not come within {seconds:g} s: send it again"
        )


class TooLarge(AssentError):
    """A request that is larger than this service takes; `part` says what of it."""

    code = "too_large"

    def __init__(self, part: str, limit: int) -> None:
        self.part, self.limit = part, limit
        super().__init__(f"The {part} of this request is larger than {limit:,} bytes")


class BadAddress(AssentError):
    """An address that asks for something no name or text can hold."""

    code = "bad_address"

    def __init__(self) -> None:
        super().__init__("The address holds a NUL character: nothing here has such a name")


class CrossSite(AssentError):
    """A browser's request that another site may have caused; nothing was done."""

    code = "cross_site"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This request may come from another site, so it was refused: {reason}")


class WrongHost(AssentError):
    """A local service was reached by a name or from an address that is not this machine."""

    code = "wrong_host"

    def __init__(self) -> None:
        super().__init__(
            "This service is for this machine only: open it as 127.0.0.1 or localhost, from here"
        )


class KeyReused(Conflict):
    """An idempotency key came back with another body."""

    code = "idempotency_key_reused"

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"Idempotency key {key!r} was used for something else")


class BadCursor(AssentError):
    """A place in the feed that this service never gave out."""

    code = "bad_cursor"

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor[:80]
        super().__init__(
            f"{self.cursor!r} is no place in the feed: send the id of an event you got, or none"
        )


class BadPage(AssentError):
    """A place in a list that this service never gave out."""

    code = "bad_page"

    def __init__(self, place: str) -> None:
        self.place = place[:80]
        super().__init__(
            f"{self.place!r} is no place in this list: send the 'next' of a page, or nothing"
        )


class InvalidCommand(AssentError):
    """A command line that cannot be carried out; the message says what to do instead."""

    code = "invalid_command"
