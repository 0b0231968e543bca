"""The chat loop: it sends messages, prints the agent's answers and asks for decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assent.cli.console import ARROW, Console, MenuKey
from assent.cli.details import show_entries
from assent.cli.file_paths import LocalFile, local_files
from assent.cli.inbox import show_pending
from assent.cli.keyboard import Closed, Interrupted, Interrupts
from assent.cli.request_view import CHANNEL, conversations_of
from assent.cli.review_session import ReviewEnd, ReviewSession
from assent.cli.screen import Ink
from assent.cli.turn_output import Follower
from assent.domain.attachments import MESSAGE_FILES
from assent.domain.bodies import External, Generator, Regular
from assent.domain.conversations import Role
from assent.domain.files import FileReference
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Hitl, Manual, requires_approval
from assent.engine.assent import Assent
from assent.engine.queries.snapshots import Thread, Turn
from assent.errors import AssentError, InvalidAnswer, PendingCalls
from assent.presentation.text import safe_line

_SUPERSEDE, _DECIDE = MenuKey("c", "cancel and send"), MenuKey("d", "decide first")
_KEEP = MenuKey("k", "keep waiting")
_INPUT_LIMIT = 100_000

COMMANDS = """\
/pending   what waits for you, in every conversation; decide it now
/new       a new conversation
/attach    files for your next message: /attach cat.png "my notes.txt"; alone, take them back
/tools     what the agent can call, and what it has to ask about
/record    what is on record about this conversation
/resume    go on with a turn that failed
/help      these lines
/quit      leave; Ctrl-D does the same. What waits keeps waiting"""


@dataclass(slots=True, kw_only=True)
class Chat:
    """One person's conversation with one agent at a terminal."""

    assent: Assent
    console: Console
    interrupts: Interrupts
    follower: Follower
    agent: str
    person: Person
    conversation_id: str | None = None
    turn_id: str | None = None
    # For the next message.
    files: Sequence[LocalFile] = ()

    async def run(self) -> None:
        """Run until Ctrl-C, Ctrl-D or /quit; requests that wait keep waiting."""
        try:
            await self._resume_newest()
            while True:
                text = await self.console.keyboard.ask(f"\n{safe_line(self.person.id)} {ARROW}")
                if text.strip() == "/quit":
                    break
                await self._heard(text.strip())
        except (Interrupted, Closed):
            pass
        await self._leave()

    async def _heard(self, text: str) -> None:
        try:
            if text.startswith("/"):
                await self._command(text)
            elif len(text) > _INPUT_LIMIT:
                most = f"{len(text):,} characters; {_INPUT_LIMIT:,} are the most"
                self.console.screen.words(f"✗ Not sent: your message has {most}.", Ink.BAD)
            elif text:
                await self._send(text)
        except AssentError as error:
            self.console.screen.words(f"✗ {safe_line(str(error))}", Ink.BAD)
        except OSError as error:
            why = f"✗ Not sent: a file cannot be read: {error.strerror}."
            self.console.screen.words(safe_line(why), Ink.BAD)

    async def _command(self, text: str) -> None:
        match text:
            case "/pending":
                await self._pending()
            case "/new":
                self._new()
            case "/tools":
                self._tools()
            case "/record":
                await self._record()
            case "/resume":
                await self._resume_turn()
            case _ if text.split(maxsplit=1)[0] == "/attach":
                self._attach(text.removeprefix("/attach"))
            case "/help":
                self.console.screen.line(COMMANDS)
            case _:
                self.console.screen.line("There is no such command. These are:", Ink.WARNING)
                self.console.screen.line(COMMANDS)

    async def _leave(self) -> None:
        waiting = await self._waiting()
        screen = self.console.screen
        screen.line()
        if await self._is_running():
            screen.words("A call still runs: it gets a few seconds to end, else it is in doubt.")
        if waiting:
            calls = "1 call keeps" if len(waiting) == 1 else f"{len(waiting)} calls keep"
            screen.words(f"{calls} waiting. Start again to decide, or use `assent pending`.")
        screen.line("Bye.", Ink.FAINT)

    async def _is_running(self) -> bool:
        calls = () if self.turn_id is None else (await self.assent.turn(self.turn_id)).calls
        return any(call.status is CallStatus.RUNNING for call in calls)

    async def _waiting(self) -> list[Request]:
        return await self.assent.pending(person=self.person)

    async def _resume_newest(self) -> None:
        """Continue the newest conversation, and say which requests wait in others."""
        known = await conversations_of(self.assent, self.person.id, self.agent)
        waiting = await self._waiting()
        if known:
            await self._resume(known[0].id)
        elsewhere = [r for r in waiting if r.conversation_id != self.conversation_id]
        if elsewhere:
            self.console.screen.line("Also waiting, from earlier conversations:", Ink.STRONG)
            await show_pending(self.assent, self.console.screen, elsewhere)
            self.console.screen.line("/pending decides them.", Ink.FAINT)

    async def _resume(self, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        thread = await self.follower.recall(conversation_id)
        self._recall(thread)
        if thread.messages:
            self.turn_id = thread.messages[-1].turn_id
            await self._go_on(self.turn_id)

    def _recall(self, thread: Thread) -> None:
        """Print the last message of each side, as a reminder of where the conversation stands."""
        screen = self.console.screen
        screen.line()
        screen.line("Where we were; /new starts afresh.", Ink.STRONG)
        for role, name in ((Role.USER, self.person.id), (Role.ASSISTANT, self.agent)):
            said = [message.text for message in thread.messages if message.role is role]
            if said and said[-1]:
                screen.line(safe_line(name), Ink.FAINT)
                screen.quote(said[-1], Ink.FAINT)

    async def _send(self, text: str) -> None:
        try:
            await self._start(text, "refuse")
        except PendingCalls as pending:
            await self._send_over(text, len(pending.calls))

    async def _start(self, text: str, on_pending: Literal["refuse", "supersede"]) -> None:
        self.turn_id = await self.assent.start(
            self.agent,
            text,
            by=self.person,
            conversation_id=self.conversation_id,
            on_pending=on_pending,
            files=[await self._upload(file) for file in self.files],
        )
        self.files = ()
        self.conversation_id = (await self.assent.turn(self.turn_id)).conversation_id
        await self._go_on(self.turn_id)

    async def _upload(self, file: LocalFile) -> FileReference:
        # A file that changed since it was named is not what the person meant to send.
        return await self.assent.files.attach(
            file.path, by=self.person, channel=CHANNEL, sha256=file.sha256
        )

    def _attach(self, typed: str) -> None:
        screen = self.console.screen
        try:
            self.files = local_files(MESSAGE_FILES, typed)
        except InvalidAnswer as error:
            screen.words(f"✗ {' '.join(error.errors.values())}", Ink.BAD)
            return
        for file in self.files:
            screen.words(f"+ {file}")
        if not self.files:
            screen.line("Your next message carries no files.")

    async def _send_over(self, text: str, count: int) -> None:
        """Send a message while calls wait; they are cancelled only if the person says so."""
        calls = "A call still waits" if count == 1 else f"{count} calls still wait"
        self.console.screen.words(
            f"{calls} for you. Cancel and send your message, or decide first?", Ink.WARNING
        )
        key = await self.console.choose((_SUPERSEDE, _DECIDE, _KEEP))
        if key is _SUPERSEDE:
            await self._start(text, "supersede")
            return
        self.console.screen.line("Your message is not sent.", Ink.FAINT)
        if key is _DECIDE and self.turn_id is not None:
            await self._go_on(self.turn_id)

    async def _go_on(self, turn_id: str, *, heard: bool = True) -> None:
        """Follow a turn and ask for decisions, until it is done or the rest is put off."""
        put_off: set[str] = set()
        turn = await self._follow(turn_id)
        while asked := [r for r in turn.pending if r.id not in put_off and self._mine(r)]:
            for request in asked:
                if await self._decide(request.id, heard=heard) is ReviewEnd.LATER:
                    put_off.add(request.id)
            turn = await self._follow(turn_id)
        if put_off:
            self.console.screen.line("It keeps waiting; /pending comes back to it.", Ink.FAINT)
        others = [request for request in turn.pending if not self._mine(request)]
        if others:
            self.console.screen.line("Waiting for somebody else to decide:", Ink.STRONG)
            await show_pending(self.assent, self.console.screen, others)

    def _mine(self, request: Request) -> bool:
        return request.admits(self.person)

    async def _decide(self, request_id: str, *, heard: bool) -> ReviewEnd:
        session = ReviewSession(
            assent=self.assent, console=self.console, person=self.person, heard=heard
        )
        return await session.decide(request_id)

    async def _follow(self, turn_id: str) -> Turn:
        """Follow a turn. Ctrl-C stops an answer; while calls run or wait, raise `Interrupted`."""
        try:
            return await self.interrupts.guard(self.follower.follow(turn_id))
        except Interrupted:
            turn = await self.assent.turn(turn_id)
            if turn.calls and not all(call.is_settled for call in turn.calls):
                raise
            if turn.status not in (TurnStatus.RUNNING, TurnStatus.READY):
                raise
        await self.assent.stop(turn_id, by=self.person)
        self.console.screen.line("Stopped.", Ink.WARNING)
        return await self.follower.follow(turn_id)

    async def _pending(self) -> None:
        waiting = await self._waiting()
        if not waiting:
            self.console.screen.line("Nothing waits for you.")
        for turn_id, conversation_id in reversed(_turns(waiting)):
            is_here = conversation_id == self.conversation_id
            if not is_here:
                await self.follower.recall(conversation_id)
            await self._go_on(turn_id, heard=is_here)

    def _new(self) -> None:
        self.conversation_id = self.turn_id = None
        self.console.screen.line("A new conversation. What waits in the old one keeps waiting.")

    def _tools(self) -> None:
        screen = self.console.screen
        for tool in sorted(self.assent.tools(), key=lambda item: item.tool.name):
            screen.line(f"{tool.tool.name}  {tool.risk}, {_manner(tool)}", Ink.STRONG)
            screen.quote(tool.tool.description, Ink.FAINT)

    async def _record(self) -> None:
        if self.conversation_id is None:
            self.console.screen.line("There is no conversation yet.")
            return
        entries = await self.assent.audit(conversation_id=self.conversation_id)
        show_entries(self.console.screen, entries)

    async def _resume_turn(self) -> None:
        if self.turn_id is None:
            self.console.screen.line("There is nothing to resume.")
            return
        turn = await self.assent.turn(self.turn_id)
        if turn.status is not TurnStatus.FAILED:
            self.console.screen.line(f"The last turn is {turn.status}; it did not fail.")
            return
        await self.assent.resume(self.turn_id, by=self.person)
        await self._go_on(self.turn_id)


def _turns(requests: Sequence[Request]) -> list[tuple[str, str]]:
    """Return the turns that requests belong to, each once, with its conversation."""
    return list(dict.fromkeys((request.turn_id, request.conversation_id) for request in requests))


def _manner(tool: EffectiveTool) -> str:
    """Describe what a call of the tool means for the person, for example "asks you first"."""
    asks = "asks you first" if requires_approval(tool) else "runs at once"
    match tool.tool.kind:
        case Manual():
            asks = "you give the result"
        case Hitl():
            asks = "may leave the result to you"
        case Regular() | Generator() | External():
            pass
    return f"{asks}, with a form" if tool.tool.user_input is not None else asks
