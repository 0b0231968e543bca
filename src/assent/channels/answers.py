"""Answers in threads of a chat: an agent's words, shown while they grow, and none lost.

How far a thread shows its conversation is in its row: after a crash the next process that serves
the channel goes on from there.
"""

import asyncio
import logging
from contextlib import aclosing, suppress
from datetime import timedelta
from typing import Final, Protocol

from assent.domain import parameters
from assent.domain.chats import ChatThread, ThreadState
from assent.domain.events import Event, EventKind
from assent.domain.lifecycle import TurnStatus
from assent.domain.parameters import Check, instance, taken
from assent.domain.people import Person
from assent.engine.assent import Assent
from assent.errors import AssentError, ChannelError, PendingCalls, StoreUnavailable

log = logging.getLogger(__name__)
# How often a growing answer is shown anew: platforms allow about one edit in a second.
EDIT_SECONDS: Final = 1.2
LOOK_SECONDS: Final = 1.0
# How often all threads are looked at: a turn that another process took may be over by then.
SWEEP_SECONDS: Final = 5.0
FAILED_TURNS: Final = 1_000


class ThreadWriter(Protocol):
    """Writes an agent's words into threads of a chat."""

    async def say(
        self, address: str, text: str, *, key: str, message: str | None, is_final: bool
    ) -> str:
        """Show text in a thread, in place of an earlier message if one is given.

        Returns the platform's reference. `key` is the same for every attempt at one message. The
        text is the model's: it is shown without mentions, links or loads. Raises `ChannelError`.
        """
        ...


def _writer(given: object) -> object:
    return given if callable(getattr(given, "say", None)) else parameters.unfit()


_ANSWERS: Final = {
    "assent": instance(Assent, "an Assent"),
    "channel": parameters.name,
    "writer": Check("a ThreadWriter, with `say`", _writer),
}


class Answers:
    """Shows the answers of conversations that are held in threads of one channel.

    To be started where the channel is served, and ended where it no longer is.
    """

    def __init__(self, assent: Assent, channel: str, writer: ThreadWriter) -> None:
        taken("Answers", {"assent": assent, "channel": channel, "writer": writer}, _ANSWERS)
        self._assent, self._channel, self._writer = assent, channel, writer
        self._followed: dict[str, asyncio.Task[None]] = {}
        # Threads in which something began while their last turn was still followed.
        self._again: set[str] = set()
        # Turns of which it was told here that they failed; the oldest are forgotten.
        self._failed: dict[str, None] = {}
        # Two first messages of one thread must not both open its conversation.
        self._opening = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to show answers."""
        self._task = asyncio.create_task(self._run(), name=f"assent-answers-{self._channel}")

    async def stop(self) -> None:
        """End; what is not shown yet is shown by the next process."""
        tasks = [*self._followed.values(), *([] if self._task is None else [self._task])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._task = None
        self._followed.clear()

    async def ask(
        self,
        thread: ChatThread,
        text: str,
        *,
        agent: str,
        by: Person,
        key: str,
        decide_within: timedelta | None = None,
    ) -> str:
        """Send a person's message to the conversation of a thread, and return the turn's id.

        `key` is the platform's id of the message: one that comes twice is sent once. Raises
        `PendingCalls` while calls wait, and `NotFound` in a thread that is another person's.
        """
        threads = self._assent.channels.threads
        async with self._opening:
            id = await threads.conversation_in(thread.channel, thread.address)
            if id is None:
                made = await self._assent.open(
                    agent, by=by, decide_within=decide_within, thread=thread
                )
                id = made.id
        turn_id = await self._assent.start(
            agent, text, by=by, conversation_id=id, idempotency_key=f"{self._channel}:{key}"
        )
        # The message is taken by now, and must not be sent again: a later look finds the answer.
        with suppress(StoreUnavailable):
            # Not by looking for turns at work: this one may be over already.
            await self.follow(thread.address)
        return turn_id

    async def follow(self, address: str) -> None:
        """Show what a thread does not show yet.

        To be called when a card in it is settled: its turn goes on then, and may soon be over.
        """
        thread = ChatThread(channel=self._channel, address=address)
        if self._task is not None:
            found = await self._assent.channels.threads.answers(thread)
            if found is not None:
                self._begin(found.state)

    async def _run(self) -> None:
        swept = 0.0
        while True:
            now = asyncio.get_running_loop().time()
            try:
                if now - swept > SWEEP_SECONDS or swept == 0.0:
                    swept = now
                    for state in await self._assent.channels.threads.untold(self._channel):
                        self._begin(state)
                await self._follow_all()
            except AssentError as error:
                log.warning("the answers of %s wait: %s", self._channel, error)
            await asyncio.sleep(LOOK_SECONDS)

    async def _follow_all(self) -> None:
        for state in await self._assent.channels.threads.at_work(self._channel):
            self._begin(state)

    def _begin(self, state: ThreadState) -> None:
        known = self._followed.get(state.address)
        if known is None or known.done():
            work = self._followed_safely(state)
            task = asyncio.create_task(work, name=f"assent-answer-{state.address}")
            task.add_done_callback(lambda done: self._forget(state.address, done))
            self._followed[state.address] = task
        else:
            self._again.add(state.address)

    def _forget(self, address: str, done: asyncio.Task[None]) -> None:
        if self._followed.get(address) is done:
            del self._followed[address]

    async def _followed_safely(self, state: ThreadState) -> None:
        try:
            await self._follow(state)
            while state.address in self._again:
                self._again.discard(state.address)
                found = await self._assent.channels.threads.answers(state.thread)
                if found is None:
                    break
                state = found.state
                await self._follow(state)
        except ChannelError as error:
            log.warning("an answer could not be shown in %s yet: %s", self._channel, error)
        except AssentError as error:
            log.warning("an answer in %s waits: %s", self._channel, error)
        except Exception:
            log.exception("an answer could not be shown in %s", self._channel)

    async def _follow(self, state: ThreadState) -> None:
        """Show a turn's words while they grow, then as they are stored."""
        if state.turn_id is not None:
            growing, shown_at = _Growing(), 0.0
            loop = asyncio.get_running_loop()
            async with aclosing(self._assent.following.looks(state.turn_id)) as looks:
                async for look in looks:
                    is_failed = look.turn.status is TurnStatus.FAILED
                    if not is_failed:
                        # One that was resumed may fail once more, which is news.
                        self._failed.pop(look.turn.id, None)
                    for event in look.events:
                        growing.hear(event)
                    if growing.is_stored:
                        await self._show_stored(state.thread)
                        growing.is_stored = False
                    elif is_failed:
                        # Its words are left as they are.
                        continue
                    elif growing.is_showable and loop.time() - shown_at > EDIT_SECONDS:
                        await self._show_growing(state.thread, growing)
                        shown_at = loop.time()
        await self._show_stored(state.thread)
        await self._show_end(state)

    async def _show_growing(self, thread: ChatThread, growing: "_Growing") -> None:
        found = await self._assent.channels.threads.answers(thread)
        # A text that is stored by now is shown as stored.
        if found is None or found.answers:
            return
        state = found.state
        try:
            message = await self._writer.say(
                thread.address,
                growing.text,
                key=_key(state, state.told + 1),
                message=state.growing,
                is_final=False,
            )
        except ChannelError as error:
            if not _is_hopeless(error):
                raise
            # The whole of it may still be shown, once it is stored.
            growing.is_refused = True
            return
        if message != state.growing:
            threads = self._assent.channels.threads
            await threads.show(thread, told=state.told, growing=message)

    async def _show_stored(self, thread: ChatThread) -> None:
        """Show the answers that are stored and not shown yet, each once."""
        threads = self._assent.channels.threads
        while (found := await threads.answers(thread)) is not None and found.answers:
            state, answer = found.state, found.answers[0]
            if answer.text.strip():
                key = _key(state, state.told + 1)
                await self._say_if_possible(state, answer.text, key=key, message=state.growing)
            await threads.show(thread, told=answer.position)

    async def _say_if_possible(
        self, state: ThreadState, text: str, *, key: str, message: str | None = None
    ) -> None:
        """Show a text for good; one that can never be shown must not hold up what follows."""
        try:
            await self._writer.say(state.address, text, key=key, message=message, is_final=True)
        except ChannelError as error:
            if not _is_hopeless(error):
                raise
            log.warning("an answer is not shown in %s, now or later: %s", self._channel, error)

    async def _show_end(self, state: ThreadState) -> None:
        if state.turn_id is None:
            return
        turn = await self._assent.turn(state.turn_id)
        # A turn is followed again and again, and by the next process: told once, under one key.
        if turn.status is TurnStatus.FAILED and turn.id not in self._failed:
            await self._leave_growing(state.thread)
            words = "The answer failed. Send a message to try again."
            await self._say_if_possible(state, words, key=f"{turn.id}:failed")
            self._failed[turn.id] = None
            if len(self._failed) > FAILED_TURNS:
                del self._failed[next(iter(self._failed))]

    async def _leave_growing(self, thread: ChatThread) -> None:
        """Leave the words of an answer that broke off: the next one is shown below them."""
        threads = self._assent.channels.threads
        found = await threads.answers(thread)
        if found is not None and found.state.growing is not None:
            await threads.show(thread, told=found.state.told)


class _Growing:
    """The words of the step that the model is at."""

    def __init__(self) -> None:
        self.text = ""
        self.is_stored = False
        # Set if the platform will never take the text so far, nor what it grows to.
        self.is_refused = False

    @property
    def is_showable(self) -> bool:
        """True if there are words to show."""
        return bool(self.text.strip()) and not self.is_refused

    def hear(self, event: Event) -> None:
        match event.kind:
            case EventKind.TEXT:
                self.text += str(event.data["text"])
            case EventKind.STEP | EventKind.RESET:
                self.text, self.is_refused = "", False
            case EventKind.PROPOSED | EventKind.WAITING | EventKind.FINISHED:
                # With its calls, or with the turn's end, the answer of this step is stored.
                self.text, self.is_stored = "", True
            case _:
                pass


def _is_hopeless(error: ChannelError) -> bool:
    """Return True if no later attempt can go better: not while the whole channel is down."""
    return error.permanent and not error.whole


def _key(state: ThreadState, position: int) -> str:
    # With the turn: after one that broke off, the next answer has the same position.
    return f"{state.conversation_id}:{state.turn_id}:{position}"


def waiting_words(error: PendingCalls) -> str:
    """Return what to tell a person whose message came while calls wait."""
    count = len(error.calls)
    what = "a call waits" if count == 1 else f"{count} calls wait"
    return f"Decide first: {what} for an answer above. Your message was not sent."
