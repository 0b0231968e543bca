"""`POST /agui`: AG-UI 1.0 with interrupts.

Only two parts of a posted body are read: the newest message, if it is the user's, and answers to
interrupts that the server itself has open. History, state, context and tools are ignored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from starlette.responses import Response

from assent.domain.attachments import MOST_MESSAGE_FILES
from assent.domain.canonical import digest
from assent.domain.lifecycle import TurnStatus
from assent.engine.queries.snapshots import Turn
from assent.engine.threads import offload, weight
from assent.errors import (
    AssentError,
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
from assent.server.caller import Caller
from assent.server.service import Service
from assent.server.streams.actions import (
    MAX_TEXT_CHARS,
    ChatId,
    StreamAction,
    StreamStart,
    agent_of,
)
from assent.server.streams.agui_events import AguiEvents, ShownMessages, refused_run
from assent.server.streams.agui_resume import ResumeEntry, Resuming
from assent.server.streams.bodies import CamelBody, misshapen, validated
from assent.server.streams.posted_files import PostedFile, agui_file
from assent.server.streams.protocol import (
    StreamEncoder,
    StreamProtocol,
    StreamReader,
    StreamRequest,
)

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
# `binary` is of the time before 1.0.
_MEDIA = frozenset({"image", "audio", "video", "document", "binary"})
Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
Posted = dict[str, Any]


class RunInput(CamelBody):
    """A `RunAgentInput`, limited to the fields that are read."""

    thread_id: ChatId
    run_id: Annotated[str, Field(min_length=1, max_length=200)]
    protocol_version: Annotated[str, Field(max_length=20)] | None = None
    messages: list[Posted]
    resume: Annotated[list[ResumeEntry], Field(max_length=1_000)] | None = None
    forwarded_props: Any = None

    @property
    def agent(self) -> str | None:
        """The agent that `forwardedProps` names; None if it names none."""
        match self.forwarded_props:
            case {"agent": str(name)}:
                return name
            case _:
                return None


class UserMessage(CamelBody):
    """The user's newest message: a text, or a list of parts with text and files."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    content: Text | list[Posted]

    @property
    def text(self) -> str:
        """The text of the message; raises `UnsupportedContent` if it contains anything else."""
        if isinstance(self.content, str):
            return self.content
        strange = {str(part.get("type")) for part in self.content} - {"text"} - _MEDIA
        if strange:
            raise UnsupportedContent(sorted(strange))
        texts = (part for part in self.content if part.get("type") == "text")
        return "\n".join(str(part.get("text", "")) for part in texts)

    @property
    def files(self) -> list[PostedFile]:
        """The files of the message."""
        parts = () if isinstance(self.content, str) else self.content
        return [agui_file(part) for part in parts if part.get("type") in _MEDIA]


_RUN = TypeAdapter(RunInput)
_MESSAGE = TypeAdapter(UserMessage)


class AguiProtocol(StreamProtocol):
    """The endpoint of AG-UI; a client that reconnects posts the same run again."""

    posts = ("/agui", "/agui/{agent}")

    def read(self, given: StreamRequest) -> StreamAction:
        posted = validated(_RUN.validate_json, given.body)
        return Run(conversation_id=posted.thread_id, posted=posted, agent=given.path.get("agent"))

    def encoder(self, reader: StreamReader) -> StreamEncoder:
        start = reader.start
        if not isinstance(start, RunStart):
            raise TypeError(start)
        return AguiEvents(
            start.posted.thread_id,
            start.posted.run_id,
            declared=start.posted.protocol_version,
            viewer=reader.person,
            catalogue=reader.catalogue,
            base=reader.settings.base,
            shown=start.shown,
            votes=reader.votes,
        )


@dataclass(frozen=True, kw_only=True)
class RunStart(StreamStart):
    """The position at which the stream of a run begins, and what its client shows already."""

    posted: RunInput
    shown: ShownMessages


@dataclass(frozen=True, kw_only=True)
class Run(StreamAction):
    """Send a message, resume a paused run, or follow the newest turn again."""

    posted: RunInput
    agent: str | None

    def refusal(self, error: AssentError) -> Response | None:
        if not isinstance(error, _REFUSALS):
            return None
        why = f"{error}. None of the answers counted." if self.posted.resume else str(error)
        run = refused_run(self.posted.thread_id, self.posted.run_id, why, error.code)
        return Response(run, headers=AguiEvents.headers)

    async def begin(self, service: Service, caller: Caller) -> StreamStart:
        message = self._message()
        if self.posted.resume:
            await self._refuse_unheard(service, caller, message, self.posted.resume)
            resuming = Resuming(service=service, caller=caller, thread_id=self.conversation_id)
            return await self._start(service, await resuming.resume(self.posted.resume))
        if message is None:
            # The client reconnects.
            turn = await service.assent.queries.conversations.newest_own_turn(
                caller.person, self.conversation_id
            )
        else:
            turn = await self._send(service, caller, message)
        if turn.status is TurnStatus.FAILED:
            # The protocol has no other way to retry than to post the same run again.
            await service.assent.restart(turn.id, by=caller.person)
        return await self._start(service, StreamStart(turn_id=turn.id))

    def _message(self) -> UserMessage | None:
        messages = self.posted.messages
        if not messages or messages[-1].get("role") != "user":
            return None
        return validated(_MESSAGE.validate_python, messages[-1], "messages", len(messages) - 1)

    def _key(self, message: UserMessage) -> str:
        return f"agui:{digest(f'{self.conversation_id} {message.id}')}"

    async def _refuse_unheard(
        self,
        service: Service,
        caller: Caller,
        message: UserMessage | None,
        entries: Sequence[ResumeEntry],
    ) -> None:
        """Raise if a new message comes with answers: it would be lost.

        A message that was received before is only history.
        """
        conversations, person = service.assent.queries.conversations, caller.person
        if message is None:
            await conversations.own(person, self.conversation_id)
        elif not await conversations.has_heard(person, self.conversation_id, self._key(message)):
            reason = "a new message came with it: answer first, then send the message"
            raise InvalidResume(entries[0].interrupt_id, reason)

    async def _send(self, service: Service, caller: Caller, message: UserMessage) -> Turn:
        text, files = message.text, message.files
        at = ("body", "messages", len(self.posted.messages) - 1, "content")
        if not (text.strip() or files):
            raise misshapen("The message has no text", *at)
        if len(files) > MOST_MESSAGE_FILES:
            raise misshapen(f"a message carries at most {MOST_MESSAGE_FILES} files", *at)
        try:
            id = await service.assent.start(
                agent_of(service, self.agent or self.posted.agent),
                text,
                by=caller.person,
                conversation_id=self.conversation_id,
                create=True,
                idempotency_key=self._key(message),
                files=[await file.attach(service, caller) for file in files],
            )
        except KeyReused:
            raise MessageChanged(message.id) from None
        return await service.assent.turn(id)

    async def _start(self, service: Service, start: StreamStart) -> RunStart:
        """Compare what the client shows already with what this stream is about to send."""
        events = await service.assent.queries.conversations.events(start.turn_id, after=start.after)
        messages = self.posted.messages
        shown = await offload(
            weight(list(messages)), ShownMessages.of, start.turn_id, events, messages
        )
        return RunStart(turn_id=start.turn_id, after=start.after, posted=self.posted, shown=shown)
