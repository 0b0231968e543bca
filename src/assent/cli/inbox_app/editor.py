"""The person's own editor, for the arguments of a call."""

import os
import shlex
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

from textual.app import App, SuspendNotSupported

from assent.errors import InvalidCommand

_USUAL = ("nano", "vim", "vi")


def command() -> list[str]:
    """Return the command of the person's editor: $VISUAL, $EDITOR, or one that is usually there."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if words := shlex.split(os.environ.get(name, "")):
                return words
        except ValueError:
            raise InvalidCommand(f"${name} is no command: a quotation mark is missing") from None
    for name in _USUAL:
        if found := shutil.which(name):
            return [found]
    raise InvalidCommand("there is no editor here: name one in $EDITOR")


def edit(app: App[None], text: str) -> str:
    """Let the person edit a text and return it; raises `InvalidCommand` if that did not work.

    The app gives the terminal away meanwhile. The file is readable by this user alone.
    """
    with tempfile.TemporaryDirectory(prefix="assent-") as folder, ExitStack() as stack:
        path = Path(folder) / "arguments.json"
        path.write_text(text, encoding="utf-8")
        # Where there is no terminal to give away, an editor opens a window of its own.
        with suppress(SuspendNotSupported):
            stack.enter_context(app.suspend())
        _run([*command(), str(path)])
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidCommand(f"the edited file cannot be read: {error}") from None


def _run(words: list[str]) -> None:
    try:
        # The person's own command from their own environment; no shell takes part.
        ended = subprocess.run(words, check=False)  # noqa: S603 - see the line above
    except OSError as error:
        raise InvalidCommand(f"{words[0]!r} cannot be started: {error.strerror}") from None
    if ended.returncode:
        raise InvalidCommand(f"{words[0]!r} ended with {ended.returncode}: nothing was taken over")
