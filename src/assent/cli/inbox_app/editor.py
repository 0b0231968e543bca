"""The person's own editor: arguments as text, and the approval that the edited text stands for."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from textual.app import App, SuspendNotSupported

from assent.domain.canonical import DEFAULT_LIMITS, Json, JsonLimits, parse
from assent.domain.decisions import Approve
from assent.engine.vault import MASKED
from assent.errors import InvalidArguments, InvalidCommand
from assent.presentation.characters import is_enclosing, is_hidden, is_mark

_USUAL = ("nano", "vim", "vi")
# Escapes and indentation make the text several times as long as the value.
_LIMITS = JsonLimits(bytes=8 * DEFAULT_LIMITS.bytes)
_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


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


def text_of(arguments: Mapping[str, Json]) -> str:
    """Return arguments as JSON text in which every character is visible; others are escaped."""
    text = json.dumps(dict(arguments), ensure_ascii=False, indent=2)
    return f"{_UNUSUAL.sub(_escaped, text)}\n"


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    unseen = is_hidden(char) or is_mark(char) or is_enclosing(char)
    return json.dumps(char)[1:-1] if unseen else char


def approval_of(tool: str, before: Mapping[str, Json], text: str) -> Approve:
    """Return the approval with the arguments in the text; raises an error if it is not an object.

    What is masked before stays as it is if its mask is untouched.
    """
    after = parse(text, _LIMITS)
    if not isinstance(after, dict):
        raise InvalidArguments(tool, ["arguments: a JSON object is wanted: {…}"])
    masked = {name for name, value in before.items() if value == MASKED}
    if not masked:
        return Approve(arguments=after)
    # The value behind a mask is not known here, so only what changed is sent, and nothing can be
    # left out.
    if gone := sorted(before.keys() - after.keys()):
        because = "beside a masked one, an argument can be changed but not removed"
        raise InvalidArguments(tool, [f"{name}: {because}" for name in gone])
    changed = {n: v for n, v in after.items() if n not in before or _differs(v, before[n])}
    return Approve(edit=changed)


def _differs(after: Json, before: Json) -> bool:
    # As JSON, because in Python True equals 1.
    return json.dumps(after, sort_keys=True) != json.dumps(before, sort_keys=True)
