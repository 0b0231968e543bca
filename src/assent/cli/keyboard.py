"""Reading what a person types: with a line editor at a terminal, else as plain lines."""

import asyncio
import codecs
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assent.cli.screen import Ink, Screen
from assent.presentation.text import safe_line

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.layout.processors import Processor

T = TypeVar("T")
_CHUNK_BYTES = 4_096
_HIDDEN = "••••••"


class Interrupted(Exception):
    """Raised on Ctrl-C: end the current action."""


class Closed(Exception):
    """Raised on Ctrl-D, or if a pipe has no further lines: there will be no more answers."""


class Keyboard(Protocol):
    """A source of answers. Both methods raise `Interrupted` or `Closed`."""

    @property
    def is_terminal(self) -> bool:
        """True if a person types here, not a script."""
        ...

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        """Ask for a line; empty means the default. A `deciding` prompt drops earlier input."""
        ...

    async def ask_secret(self, prompt: str) -> str:
        """Ask for a line that is not shown while it is typed."""
        ...


class Interrupts:
    """Ctrl-C while no line editor reads the keys: it ends the guarded work and nothing else."""

    def __init__(self) -> None:
        self._guarded: asyncio.Task[Any] | None = None
        self._hit = False

    def install(self) -> None:
        """Handle the signal in the running loop."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._strike)

    def _strike(self) -> None:
        self._hit = True
        if self._guarded is not None:
            self._guarded.cancel()

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work, or raise `Interrupted` if Ctrl-C comes first."""
        self._hit = False
        self._guarded = task = asyncio.ensure_future(work)
        try:
            return await task
        except asyncio.CancelledError:
            if self._hit:
                raise Interrupted from None
            raise
        finally:
            self._guarded = None


class Lines:
    """Plain lines from a file descriptor; a pipe's lines are echoed, so that a log makes sense."""

    def __init__(self, screen: Screen, interrupts: Interrupts, descriptor: int = 0) -> None:
        self._screen, self._interrupts, self._descriptor = screen, interrupts, descriptor
        self.is_terminal = os.isatty(descriptor)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_reading = False

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        if deciding:
            self._forget()
        shown = self._screen.folded(f"[{default}] ", after=prompt) if default else ""
        self._screen.write(self._screen.paint(prompt, Ink.PROMPT) + shown)
        return await self._next(hidden=False) or default

    async def ask_secret(self, prompt: str) -> str:
        # The echo goes off before the prompt appears, because people who know what comes type
        # ahead.
        with self._unseen():
            self._screen.write(self._screen.paint(prompt, Ink.PROMPT))
            return await self._next(hidden=True)

    async def _next(self, *, hidden: bool) -> str:
        self._start()
        line = await self._interrupts.guard(self._lines.get())
        if line is None:
            self._lines.put_nowait(None)
            self._screen.line()
            raise Closed
        if not self.is_terminal:
            self._screen.line(_HIDDEN if hidden else safe_line(line))
        elif hidden:
            self._screen.line()
        return line

    def _forget(self) -> None:
        """Drop what was typed ahead: a person cannot decide about what they have not seen."""
        if self.is_terminal:
            import termios

            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            while not self._lines.empty():
                if self._lines.get_nowait() is None:
                    self._lines.put_nowait(None)
                    return

    @contextmanager
    def _unseen(self) -> Generator[None]:
        if not self.is_terminal:
            yield
            return
        import termios

        before = termios.tcgetattr(self._descriptor)
        silent = list(before)
        silent[3] &= ~termios.ECHO
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, silent)
        try:
            yield
        finally:
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, before)

    def _start(self) -> None:
        if not self._is_reading:
            self._is_reading = True
            # A daemon thread that reads the bare descriptor: it may wait there for ever, even at
            # exit.
            loop = asyncio.get_running_loop()
            threading.Thread(
                target=self._read, args=(loop,), name="assent-keyboard", daemon=True
            ).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        pending = ""
        # The loop is closed if the program exits while this thread still waits.
        with suppress(RuntimeError, OSError):
            while chunk := os.read(self._descriptor, _CHUNK_BYTES):
                *lines, pending = (pending + decoder.decode(chunk)).split("\n")
                for line in lines:
                    loop.call_soon_threadsafe(self._lines.put_nowait, line.rstrip("\r"))
            if pending:
                loop.call_soon_threadsafe(self._lines.put_nowait, pending)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)


class Editor:
    """A line editor with a history, by prompt_toolkit."""

    is_terminal = True

    def __init__(self, screen: Screen, interrupts: Interrupts) -> None:
        from prompt_toolkit import PromptSession

        self._screen, self._interrupts = screen, interrupts
        self._messages: PromptSession[str] = PromptSession()

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        if deciding:
            _forget_typed()
        # Only messages have a history: an answer to one question must not be offered to the next.
        session = self._messages if not (deciding or default) else _session()
        return await self._prompt(session, prompt, default=default)

    async def ask_secret(self, prompt: str) -> str:
        return await self._prompt(_session(), prompt, input_processors=[_unseen()])

    async def _prompt(self, session: "PromptSession[str]", prompt: str, **options: Any) -> str:
        from prompt_toolkit.formatted_text import ANSI

        shown = ANSI(self._screen.paint(prompt, Ink.PROMPT))

        async def answer() -> str:
            # A KeyboardInterrupt that left this task would end the whole loop.
            try:
                # If prompt_toolkit handled the signal itself, it would remove our signal handler.
                return await session.prompt_async(shown, handle_sigint=False, **options)
            except KeyboardInterrupt:
                raise Interrupted from None
            except EOFError:
                raise Closed from None

        return await self._interrupts.guard(answer())


def _session() -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import DummyHistory

    return PromptSession(history=DummyHistory())


def _unseen() -> "Processor":
    """Return a processor that shows nothing of what is typed, not even its length."""
    from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput

    class Unseen(Processor):
        def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
            del transformation_input
            return Transformation([], lambda _: 0, lambda _: 0)

    return Unseen()


def _forget_typed() -> None:
    import termios

    from prompt_toolkit.application import get_app_session
    from prompt_toolkit.input.typeahead import clear_typeahead

    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    clear_typeahead(get_app_session().input)


def open_keyboard(screen: Screen, interrupts: Interrupts) -> Keyboard:
    """Return the line editor if this is a terminal and it is installed, else plain lines."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        with suppress(ImportError):
            return Editor(screen, interrupts)
    return Lines(screen, interrupts)
