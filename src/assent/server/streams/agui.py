"""`POST /agui`: AG-UI 1.0 with interrupts.

Only two parts of a posted body are read: the newest message, if it is the user's, and answers to
interrupts that the server itself has open. History, state, context and tools are ignored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import Field, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from assent.domain.canonical import digest
from assent.domain.lifecycle import TurnStatus
from assent.engine.queries.snapshots import Turn
from assent.engine.threads import aside, weight
from assent.errors import (
    ConfirmationRequired,
    Conflict,
    EditRefused,
    InvalidAnswer,
    InvalidArguments,
    InvalidJson,
    InvalidOutput,
    InvalidResume,
    KeyReused,
    MessageChanged,
    NotEligible,
    UnsupportedContent,
)
from assent.server.caller import Caller, caller_of
from assent.server.frames import streamed
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.streams.agui_events import AguiEvents
from assent.server.streams.agui_held import Held
from assent.server.streams.agui_resume import Entry, Resuming
from assent.server.streams.bodies import CamelBody
from assent.server.streams.chat_posts import ChatId
from assent.server.streams.chat_turns import Place, agent_of
from assent.server.streams.following import follow

_MAX_TEXT_CHARS = 200_000
# Errors that the protocol reports in its own stream; every other is a problem before the stream.
_REFUSALS = (
    ConfirmationRequired,
    Conflict,
    EditRefused,
    InvalidAnswer,
    InvalidArguments,
    InvalidJson,
    InvalidOutput,
    InvalidResume,
    NotEligible,
)
T = TypeVar("T")
Text = Annotated[str, Field(max_length=_MAX_TEXT_CHARS)]
Posted = dict[str, Any]


class RunInput(CamelBody):
    """A `RunAgentInput`, limited to the fields that are read."""

    thread_id: ChatId
    run_id: Annotated[str, Field(min_length=1, max_length=200)]
    protocol_version: Annotated[str, Field(max_length=20)] | None = None
    messages: list[Posted]
    resume: Annotated[list[Entry], Field(max_length=1_000)] | None = None
    forwarded_props: Any = None

    @property
    def agent(self) -> str | None:
        """The agent that `forwardedProps` names; None if it names none."""
        match self.forwarded_props:
            case {"agent": str(name)}:
                return name
            case _:
                return None


class Said(CamelBody):
    """The user's newest message: a text, or a list of text parts."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    content: Text | list[Posted]

    @property
    def text(self) -> str:
        """The text of the message; raises `UnsupportedContent` if it contains anything else."""
        if isinstance(self.content, str):
            return self.content
        strange = {str(part.get("type")) for part in self.content} - {"text"}
        if strange:
            raise UnsupportedContent(sorted(strange))
        return "\n".join(str(part.get("text", "")) for part in self.content)


_RUN = TypeAdapter(RunInput)
_SAID = TypeAdapter(Said)


async def run(request: Request) -> Response:
    """Take a message or answers, and stream the run."""
    body = await request.body()
    posted = await aside(len(body), _shaped, _RUN.validate_json, body, ())
    service, caller = service_of(request), caller_of(request)
    running = Running(
        service=service, caller=caller, posted=posted, agent=request.path_params.get("agent")
    )
    events = AguiEvents(
        posted.thread_id,
        posted.run_id,
        declared=posted.protocol_version,
        viewer=caller.person,
        catalogue=service.assent.catalogue,
        base=service.settings.base,
    )
    try:
        place = await running.place()
    except _REFUSALS as error:
        why = f"{error}. None of the answers counted." if posted.resume else str(error)
        told = b"".join(events.refused(why, error.code))
        return Response(told, headers=events.headers)
    votes = await service.assent.queries.requests.votes(caller.person, place.turn_id)
    events.repeat(await running.held(place), votes)
    steps = follow(service.assent, place.turn_id, after=place.after)
    return streamed(request, steps, events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Carries out one posted run."""

    service: Service
    caller: Caller
    posted: RunInput
    agent: str | None

    async def place(self) -> Place:
        """Do what the run asks for; return the position at which its stream begins."""
        said = self._said()
        if self.posted.resume:
            await self._refuse_unheard(said, self.posted.resume)
            return await self._resuming().resume(self.posted.resume)
        turn = await self._newest() if said is None else await self._say(said)
        if turn.status is TurnStatus.FAILED:
            # The protocol has no other way to retry than to post the same run again.
            await self.service.assent.restart(turn.id, by=self.caller.person)
        return Place(turn_id=turn.id)

    def _resuming(self) -> Resuming:
        thread_id = self.posted.thread_id
        return Resuming(service=self.service, caller=self.caller, thread_id=thread_id)

    def _said(self) -> Said | None:
        messages = self.posted.messages
        if not messages or messages[-1].get("role") != "user":
            return None
        return _shaped(_SAID.validate_python, messages[-1], ("messages", len(messages) - 1))

    def _key(self, said: Said) -> str:
        return f"agui:{digest(f'{self.posted.thread_id} {said.id}')}"

    async def _refuse_unheard(self, said: Said | None, entries: Sequence[Entry]) -> None:
        """Raise if a new message comes with answers: it would be lost.

        A message that was received before is only history.
        """
        person, thread_id = self.caller.person, self.posted.thread_id
        conversations = self.service.assent.queries.conversations
        if said is None:
            await conversations.own(person, thread_id)
        elif not await conversations.has_heard(person, thread_id, self._key(said)):
            reason = "a new message came with it: answer first, then send the message"
            raise InvalidResume(entries[0].interrupt_id, reason)

    async def _say(self, said: Said) -> Turn:
        text = said.text
        if not text.strip():
            at = ("body", "messages", len(self.posted.messages) - 1, "content")
            raise RequestValidationError(
                [{"type": "value_error", "loc": at, "msg": "A message has some text"}]
            )
        try:
            id = await self.service.assent.start(
                agent_of(self.service, self.agent or self.posted.agent),
                text,
                by=self.caller.person,
                conversation_id=self.posted.thread_id,
                create=True,
                idempotency_key=self._key(said),
            )
        except KeyReused:
            raise MessageChanged(said.id) from None
        return await self.service.assent.turn(id)

    async def _newest(self) -> Turn:
        """Return the newest turn, for a client that reconnects without a new message."""
        return await self.service.assent.queries.conversations.newest_own_turn(
            self.caller.person, self.posted.thread_id
        )

    async def held(self, place: Place) -> Held:
        """Compare what the client shows already with what this stream is about to send."""
        events = await self.service.assent.queries.conversations.events(
            place.turn_id, after=place.after
        )
        messages = self.posted.messages
        return await aside(weight(list(messages)), Held.of, place.turn_id, events, messages)


def _shaped(validate: Callable[[Any], T], posted: Any, at: tuple[str | int, ...]) -> T:
    try:
        return validate(posted)
    except ValidationError as error:
        found: list[Any] = [{**each, "loc": ("body", *at, *each["loc"])} for each in error.errors()]
        raise RequestValidationError(found) from None


routes = [
    GuardedRoute("/agui", run, methods=["POST"]),
    GuardedRoute("/agui/{agent}", run, methods=["POST"]),
]
