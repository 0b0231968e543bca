"""Printing a turn as it happens: the agent's words, running calls, progress, results."""

import asyncio
import json

from assent.cli.request_view import running_of
from assent.cli.screen import Ink, Screen, Speech
from assent.domain.canonical import Json
from assent.domain.events import Event, EventKind
from assent.domain.lifecycle import CallStatus
from assent.domain.outputs import as_text
from assent.engine.assent import Assent
from assent.engine.queries.snapshots import Thread, Turn
from assent.presentation.text import safe_line

_ENDS = {
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "expired: nobody decided in time",
    CallStatus.CANCELLED: "cancelled",
    CallStatus.SUPERSEDED: "cancelled by your new message",
}


class Follower:
    """Prints the events of turns, each event once."""

    def __init__(self, assent: Assent, screen: Screen, speaker: str) -> None:
        self._assent, self._screen, self._speaker = assent, screen, speaker
        self._seen: dict[str, int] = {}
        self._tools: dict[str, str] = {}
        self._speech: Speech | None = None

    async def recall(self, conversation_id: str) -> Thread:
        """Return a conversation in its current state; later events are printed, each once."""
        queries = self._assent.queries.conversations
        thread, events = await queries.thread_with_events(conversation_id)
        for event in events:
            self._remember(event)
        return thread

    async def follow(self, turn_id: str) -> Turn:
        """Print events until the turn rests; return the turn in its state at that moment."""
        printing = asyncio.ensure_future(self._print(turn_id))
        try:
            try:
                turn = await self._assent.wait(turn_id)
            finally:
                printing.cancel()
                await asyncio.gather(printing, return_exceptions=True)
            # Events that were not yet printed when the turn came to rest, perhaps the end of a
            # sentence.
            for event in await self._events(turn_id):
                await self._show(event)
        finally:
            self._end_speech()
        return turn

    async def _print(self, turn_id: str) -> None:
        async for event in self._assent.events(turn_id, after=self._seen.get(turn_id, 0)):
            await self._show(event)

    async def _events(self, turn_id: str) -> list[Event]:
        after = self._seen.get(turn_id, 0)
        return await self._assent.queries.conversations.events(turn_id, after=after)

    def _remember(self, event: Event) -> None:
        self._seen[event.turn_id] = event.seq
        if event.kind is EventKind.PROPOSED:
            self._tools[str(event.data["call_id"])] = str(event.data["tool"])

    async def _show(self, event: Event) -> None:
        running = await self._running(event)
        # No `await` after this line: an event is either shown and remembered, or neither.
        self._remember(event)
        if event.kind is EventKind.TEXT:
            self._say(str(event.data["text"]))
            return
        was_speaking = self._speech is not None
        self._end_speech()
        match event.kind:
            case EventKind.RESET if was_speaking:
                self._screen.words(f"(Once more: {_line(event.data['reason'])})", Ink.FAINT)
            case EventKind.CALL if running:
                self._screen.line(self._screen.fitted(f"→ {running}"), Ink.FAINT)
            case EventKind.PROGRESS:
                self._progress(event)
            case EventKind.RESULT:
                self._result(event)
            case EventKind.ERROR:
                self._failed(_line(event.data["message"]))
            case _:
                pass

    def _say(self, text: str) -> None:
        if self._speech is None:
            if not text.strip():
                return
            self._screen.line()
            self._screen.line(self._speaker, Ink.FAINT)
            self._speech = Speech(self._screen)
        self._speech.say(text)

    def _end_speech(self) -> None:
        if self._speech is not None:
            self._speech.end()
            self._speech = None

    async def _running(self, event: Event) -> str:
        """Describe the call that starts to run with this event; empty if none does."""
        if event.kind is not EventKind.CALL or event.data["status"] != CallStatus.RUNNING:
            return ""
        return await running_of(self._assent, str(event.data["call_id"]))

    def _tool(self, event: Event) -> str:
        return self._tools.get(str(event.data["call_id"]), "a call")

    def _progress(self, event: Event) -> None:
        fraction = event.data.get("fraction")
        share = f"{fraction:.0%} " if isinstance(fraction, int | float) else ""
        tool = self._tool(event)
        self._screen.fleeting(self._fitted("⋯", f"{tool} {share}{as_text(event.data['value'])}"))

    def _result(self, event: Event) -> None:
        tool = self._tool(event)
        status = CallStatus(str(event.data["status"]))
        output = _output(event.data.get("output"))
        if status is CallStatus.SUCCEEDED:
            self._one_line("✓", f"{tool}: {output}", Ink.GOOD)
        else:
            self._one_line("✗", f"{tool}: {_ENDS.get(status, output)}", Ink.BAD)

    def _failed(self, message: str) -> None:
        self._screen.words(f"✗ The turn failed: {message}", Ink.BAD)
        self._screen.line("  /resume tries it again; nothing that ran runs twice.", Ink.FAINT)

    def _one_line(self, sign: str, text: str, ink: Ink) -> None:
        self._screen.line(self._fitted(sign, text), ink)

    def _fitted(self, sign: str, text: str) -> str:
        """Return as much as fits on a line; the agent's own report has the rest."""
        return self._screen.fitted(f"{sign} {safe_line(' '.join(text.split()))}")


def _line(value: Json) -> str:
    return safe_line(as_text(value))


def _output(stored: Json) -> str:
    """Return a stored output in short; for an error, its message."""
    value: Json = json.loads(stored) if isinstance(stored, str) else stored
    if isinstance(value, dict) and isinstance(value.get("error"), str):
        return str(value["error"])
    return as_text(value)
