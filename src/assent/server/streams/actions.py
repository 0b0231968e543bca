"""Actions that a post to a stream asks for: to send a message, decide requests, or retry a turn.

The server's own record decides: a post can only name requests that exist there.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, cast

from pydantic import Field
from starlette.responses import Response

from assent.domain import parameters
from assent.domain.attachments import MOST_MESSAGE_FILES
from assent.domain.calls import Call
from assent.domain.canonical import Json, digest
from assent.domain.decisions import Fail, Supply, Verdict
from assent.domain.lifecycle import ACTIVE_TURNS, RequestKind, RequestStatus, TurnStatus
from assent.domain.parameters import Check, optional, settle, several
from assent.domain.people import Person, Scope
from assent.domain.requests import Request
from assent.engine.decisions.attempts import DecisionOutcome
from assent.engine.queries.conversations import TurnQuestions
from assent.errors import (
    AgentNotNamed,
    AlreadySettled,
    AssentError,
    KeyReused,
    MessageChanged,
    NotAllowed,
    NotFound,
    NothingAwaited,
    NothingToRegenerate,
    PendingCalls,
)
from assent.server.caller import Caller
from assent.server.service import Service
from assent.server.streams.bodies import misshapen
from assent.server.streams.posted_files import PostedFile

# Clients make up the ids, and those of nanoid begin with any of these characters; only "." and ".."
# are refused, because they are steps in a path.
_ANY = "[A-Za-z0-9_.:-]"
_NAME = "[A-Za-z0-9_:-]"
CHAT_ID = rf"^({_NAME}{_ANY}{{0,127}}|\.{_NAME}{_ANY}{{0,126}}|\.\.{_ANY}{{1,126}})$"
ChatId = Annotated[str, Field(pattern=CHAT_ID)]
MAX_TEXT_CHARS = 200_000
Answers = Sequence[tuple[Request, Verdict]]


@dataclass(frozen=True, kw_only=True)
class StreamStart:
    """The position at which a stream begins: a turn, and the last event to skip.

    `voted` holds requests that the reader has just approved and that need further approvals.
    """

    turn_id: str
    after: int = 0
    voted: tuple[tuple[Request, Call], ...] = ()


@dataclass(frozen=True, kw_only=True)
class StreamAction(ABC):
    """The action that one post asks for, in a conversation of the caller's own."""

    conversation_id: str

    @abstractmethod
    async def begin(self, service: Service, caller: Caller) -> StreamStart:
        """Carry it out for the caller; return the position at which the stream begins."""

    def refusal(self, error: AssentError) -> Response | None:  # noqa: ARG002 - for subclasses
        """Return a stream that says why nothing was done; None to answer with a problem."""
        return None


@dataclass(frozen=True, kw_only=True)
class SendMessage(StreamAction):
    """Start a turn with a message; a conversation that does not exist yet becomes the caller's.

    The same `message_id` again is the same turn. Without `agent` it goes to the deployment's.
    The text may be empty if there are files.
    """

    text: str
    files: Sequence[PostedFile] = ()
    message_id: str | None = None
    agent: str | None = None
    on_pending: Literal["refuse", "supersede"] = "refuse"

    def __post_init__(self) -> None:
        settle(self, _MESSAGE)

    async def begin(self, service: Service, caller: Caller) -> StreamStart:
        if not (self.text.strip() or self.files) or len(self.text) > MAX_TEXT_CHARS:
            raise misshapen(f"a message has 1 to {MAX_TEXT_CHARS:,} characters of text", "body")
        if len(self.files) > MOST_MESSAGE_FILES:
            raise misshapen(f"a message carries at most {MOST_MESSAGE_FILES} files", "body")
        try:
            turn_id = await service.assent.start(
                agent_of(service, self.agent),
                self.text,
                by=caller.person,
                conversation_id=self.conversation_id,
                create=True,
                on_pending=self.on_pending,
                idempotency_key=self._key(),
                files=[await file.attach(service, caller) for file in self.files],
            )
        except KeyReused:
            raise MessageChanged(str(self.message_id)) from None
        return StreamStart(turn_id=turn_id)

    def _key(self) -> str | None:
        if self.message_id is None:
            return None
        return f"chat:{digest(f'{self.conversation_id} {self.message_id}')}"


@dataclass(frozen=True, kw_only=True)
class RetryTurn(StreamAction):
    """Retry a failed answer; an answer that is on record stays there."""

    def __post_init__(self) -> None:
        settle(self, {"conversation_id": parameters.text})

    async def begin(self, service: Service, caller: Caller) -> StreamStart:
        queries = service.assent.queries.conversations
        turn = (await queries.questions(caller.person, self.conversation_id)).turn
        if turn.status is not TurnStatus.FAILED:
            raise NothingToRegenerate(self.conversation_id, turn.status)
        await service.assent.restart(turn.id, by=caller.person)
        return StreamStart(turn_id=turn.id)


@dataclass(frozen=True, kw_only=True)
class ClientOutput:
    """The outcome that a client reports for a call that it ran itself."""

    call_id: str
    output: Json = None
    error: str | None = None

    def __post_init__(self) -> None:
        settle(self, {"call_id": parameters.text, "error": optional(parameters.text)})


@dataclass(frozen=True, kw_only=True)
class DecideRequests(StreamAction):
    """Decide requests of one turn, by their ids, all of them or none; then follow the turn.

    `digests` are what the page showed, by request id: a request with another one is not decided.
    """

    decisions: Sequence[tuple[str, Verdict]] = ()
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    # Outputs of calls that wait for none are part of a posted history, and are ignored.
    outputs: Sequence[ClientOutput] = ()

    def __post_init__(self) -> None:
        settle(self, _DECISIONS)

    async def begin(self, service: Service, caller: Caller) -> StreamStart:
        found = await service.assent.queries.conversations.questions(
            caller.person,
            self.conversation_id,
            asked_in=self.decisions[0][0] if self.decisions else None,
        )
        answers = [*self._decisions(caller, found), *self._supplies(caller, found)]
        voted: tuple[tuple[Request, Call], ...] = ()
        if answers:
            voted = await self._decide(service, caller, answers)
        else:
            self._refuse_idle(found)
        if found.turn.status is TurnStatus.FAILED:
            await service.assent.restart(found.turn.id, by=caller.person)
        # The stream is never empty: a client whose answer got no reply would send it again without
        # end.
        return StreamStart(turn_id=found.turn.id, after=_asked_at(found, answers), voted=voted)

    def answers(self, request: Request) -> bool:  # noqa: ARG002 - for subclasses
        """Return True if a decision with its id is meant for this request."""
        return True

    def _decisions(self, caller: Caller, found: TurnQuestions) -> Answers:
        """Return all verdicts; raises if this turn never asked for one."""
        asked = {each.id: each for each in found.requests if self.answers(each)}
        given: list[tuple[Request, Verdict]] = []
        for id, verdict in self.decisions:
            if id not in asked:
                raise NotFound("request", id)
            _check_scope(caller)
            given.append((asked[id], verdict))
        return given

    def _supplies(self, caller: Caller, found: TurnQuestions) -> Answers:
        wanted = {
            request.call_id: request
            for request in found.requests
            if request.kind is RequestKind.RESULT and request.is_open
        }
        given: list[tuple[Request, Verdict]] = []
        for said in self.outputs:
            request = wanted.pop(said.call_id, None)
            if request is None:
                continue
            _check_scope(caller)
            verdict = Supply(output=said.output) if said.error is None else Fail(reason=said.error)
            given.append((request, verdict))
        return given

    async def _decide(
        self, service: Service, caller: Caller, answers: Answers
    ) -> tuple[tuple[Request, Call], ...]:
        """Decide all or none; return what stays open, because it needs further approvals."""
        outcomes: list[DecisionOutcome] = await service.assent.decide_together(
            [(request.id, verdict) for request, verdict in answers],
            by=caller.person,
            channel=caller.channel,
            digests=self.digests,
            # Another person was faster: the stream that follows shows what really happened.
            waives=lambda _, error: isinstance(error, AlreadySettled),
        )
        decided = [each.decided for each in outcomes if each.decided is not None]
        ids = [each.request_id for each in decided if each.status is RequestStatus.OPEN]
        return await service.assent.queries.requests.asked(ids) if ids else ()

    def _refuse_idle(self, found: TurnQuestions) -> None:
        waiting = {each.call_id: each.tool for each in found.requests if each.is_open}
        if waiting:
            raise PendingCalls(self.conversation_id, waiting)
        going = ACTIVE_TURNS | {TurnStatus.FAILED}
        settled = found.turn.status is TurnStatus.DONE and found.announced
        if found.turn.status not in going and not settled:
            raise NothingAwaited("Turn", found.turn.id, found.turn.status)


def _pairs(given: object) -> object:
    if not isinstance(given, list | tuple):
        return parameters.unfit()
    pairs = cast("Sequence[object]", given)
    return pairs if all(map(_is_pair, pairs)) else parameters.unfit()


def _is_pair(given: object) -> bool:
    if not isinstance(given, list | tuple) or len(cast("Sequence[object]", given)) != 2:
        return False
    id, verdict = cast("Sequence[object]", given)
    # A verdict, not the function that makes one: `approve()` and not `approve`.
    return isinstance(id, str) and isinstance(verdict, Verdict)


def _texts(given: object) -> object:
    if parameters.mapping.read(given) is not given:
        return parameters.unfit()
    values = cast("Mapping[str, object]", given).values()
    return given if all(isinstance(each, str) for each in values) else parameters.unfit()


_MESSAGE: Final = {
    "conversation_id": parameters.text,
    "text": parameters.text,
    "files": several(parameters.instance(PostedFile), tuple, "a PostedFile or several of them"),
    "message_id": optional(parameters.text),
    "agent": optional(parameters.text),
    "on_pending": parameters.word("refuse", "supersede"),
}
_DECISIONS: Final = {
    "conversation_id": parameters.text,
    "decisions": Check("a list of pairs of a request's id and a verdict", _pairs),
    "digests": Check("a mapping from the ids of requests to their digests", _texts),
    "outputs": several(
        parameters.instance(ClientOutput), tuple, "a ClientOutput or several of them"
    ),
}


def _asked_at(found: TurnQuestions, answers: Answers) -> int:
    """Return the number of the event that announced the newest request among the answers.

    Without answers it is the newest of all requests.
    """
    ids = [request.id for request, _ in answers] or list(found.announced)
    return max((found.announced.get(id, 0) for id in ids), default=0)


def _check_scope(caller: Caller) -> None:
    if Scope.DECIDE not in caller.scopes:
        raise NotAllowed(caller.person.id, "decide with a credential that is for chatting only")


def agent_of(service: Service, named: str | None) -> str:
    """Return the agent of a message: the one it names, the deployment's, or the only one."""
    names = service.assent.catalogue.names()
    agent = named or service.settings.agent or (names[0] if len(names) == 1 else None)
    if agent is None:
        raise AgentNotNamed(names)
    return agent


async def live_turn(service: Service, person: Person, conversation_id: str) -> str | None:
    """Return the turn that runs or waits in a conversation that this person may read.

    None if there is no such turn or conversation: clients look before their first message.
    """
    if re.fullmatch(CHAT_ID, conversation_id) is None:
        return None
    try:
        turn = await service.assent.queries.conversations.newest_turn(person, conversation_id)
    except NotFound:
        return None
    return turn.id if turn is not None and turn.status in ACTIVE_TURNS else None
