"""A real `assent` process that a test talks to, over pipes or a terminal."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import assent

SECONDS = 30.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")
_COMMAND = [sys.executable, "-m", "assent.cli"]
# Takes the terminal for its own first, or no key could send it a signal.
_AT_TERMINAL = """
import fcntl, sys, termios
from assent.cli import main
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(main())
"""


def environment(**more: str) -> dict[str, str]:
    """Where the package is found, and a terminal of a known size."""
    source = str(Path(assent.__file__).parents[1])
    given = {"PYTHONPATH": source, "COLUMNS": "80", "LINES": "50", "PYTHONUTF8": "1"}
    return {**os.environ, **given, **more}


def run(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """A command that ends by itself."""
    options.setdefault("env", environment())
    options.setdefault("stdin", subprocess.DEVNULL if "input" not in options else None)
    return subprocess.run(
        [*_COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        **options,
    )


class Session:
    """A process, what it has said so far, and what was read of it."""

    def __init__(self, process: "subprocess.Popen[bytes]", reads: int, writes: int) -> None:
        self.process = process
        self._reads, self._writes = reads, writes
        self.text = ""
        self._read_to = 0

    def expect(self, *wanted: str) -> str:
        """Wait until it has said these, in this order; what it said until then."""
        start = self._read_to
        for text in wanted:
            found = self._find(text)
            self._read_to = found + len(text)
        return self.text[start : self._read_to]

    def expect_either(self, *wanted: str) -> str:
        """Wait until it has said one of these; what it said until then, with that."""
        start = self._read_to
        place, text = self._first(*wanted)
        self._read_to = place + len(text)
        return self.text[start : self._read_to]

    def _find(self, text: str) -> int:
        return self._first(text)[0]

    def _first(self, *wanted: str) -> tuple[int, str]:
        until = time.monotonic() + SECONDS
        while not (found := self._found(wanted)):
            left = until - time.monotonic()
            ready, _, _ = select.select([self._reads], [], [], max(left, 0))
            if not ready or not (chunk := self._chunk()):
                raise AssertionError(f"{wanted!r} did not come. All of it:\n{self.text}")
            self.text += _ESCAPES.sub("", chunk.decode("utf-8", "replace"))
        return min(found)

    def _found(self, wanted: Sequence[str]) -> list[tuple[int, str]]:
        places = [(self.text.find(text, self._read_to), text) for text in wanted]
        return [(place, text) for place, text in places if place >= 0]

    def _chunk(self) -> bytes:
        try:
            return os.read(self._reads, 65_536)
        except OSError:  # how Linux says that the other end of a terminal is gone
            return b""

    def type(self, *lines: str) -> None:
        """Type lines, each with Enter."""
        for line in lines:
            os.write(self._writes, f"{line}\n".encode())

    def press(self, key: bytes) -> None:
        """Press a key, without Enter."""
        os.write(self._writes, key)

    def resize(self, rows: int, columns: int) -> None:
        """Another size of the terminal, from now on."""
        termios.tcsetwinsize(self._writes, (rows, columns))

    def answer(self, prompt: str, line: str) -> str:
        """Wait for a prompt, then type; what was said before it."""
        said = self.expect(prompt)
        self.type(line)
        return said

    def leave(self) -> str:
        """No further input; everything it says until it has ended."""
        if self._writes != self._reads:
            os.close(self._writes)
            self._writes = self._reads
        start = self._read_to
        while chunk := self._chunk():
            self.text += _ESCAPES.sub("", chunk.decode("utf-8", "replace"))
        assert self.process.wait(SECONDS) == 0, self.text
        return self.text[start:]

    def kill(self) -> None:
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(SECONDS)


@contextlib.contextmanager
def piped(*arguments: str, handles: int | None = None) -> Iterator[Session]:
    """A session over pipes, as a script would have it; with no more file handles than these."""
    few = [] if handles is None else ["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(handles)]
    process = subprocess.Popen(
        [*few, *_COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    writes = os.dup(process.stdin.fileno())
    process.stdin.close()
    session = Session(process, process.stdout.fileno(), writes)
    try:
        yield session
    finally:
        _end(process)
        process.stdout.close()
        if session._writes != session._reads:
            os.close(session._writes)


@contextlib.contextmanager
def at_terminal(
    *arguments: str, term: str = "xterm", size: tuple[int, int] | None = None
) -> Iterator[Session]:
    """A session at a terminal of its own; `term="dumb"` does without the line editor.

    `size` is rows and columns; without one the environment says it.
    """
    ours, theirs = pty.openpty()
    if size is not None:
        termios.tcsetwinsize(ours, size)
    process = subprocess.Popen(
        [sys.executable, "-c", _AT_TERMINAL, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(TERM=term, PROMPT_TOOLKIT_NO_CPR="1"),
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Session(process, ours, ours)
    finally:
        _end(process)
        os.close(ours)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.kill()
    process.wait(SECONDS)
