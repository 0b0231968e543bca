"""The lines that a server prints when it is ready: its address, sign-in links, first steps."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assent.cli.screen import Ink, Screen
from assent.demo.accounts import KEYS_FILE
from assent.demo.agent import SUGGESTIONS, Home
from assent.engine.people.links import SIGN_IN_WITHIN
from assent.presentation.text import safe_line

_LABEL_COLUMNS = 10
_FIRST = SUGGESTIONS[0]
# What the demo's other accounts are for.
_PARTS = {
    "approver": "decides the commands of others: let user say  run ls -l",
    "admin": "sees everything; people, keys, tools and the record",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """The address of a server, and for each account a link that signs it in once."""

    origin: str
    address: str
    links: Mapping[str, str]

    @property
    def where(self) -> str:
        """The address that people use, and the socket behind it if that is a different one."""
        own = self.address in self.origin
        return self.origin if own else f"{self.origin}, listening on {self.address}"


def show_demo(screen: Screen, home: Home, doors: Doors, model: str | None) -> None:
    """Print the demo's greeting, first of all what to open and what to say there."""
    keys = home.root / KEYS_FILE
    script = "a script: no key, no network (--model openai:gpt-5 uses a real one)"
    screen.line(f"The Assent demo runs on {doors.where}", Ink.STRONG)
    _steps(screen, doors)
    _fact(screen, "Keys", f"{_short(keys)}")
    _fact(screen, "Files", _short(home.workspace))
    _fact(screen, "Model", model or script)
    screen.line()
    screen.line("Without a browser:", Ink.STRONG)
    _curl(screen, doors.origin, keys)
    screen.line()
    screen.line("Ctrl-C stops it; what waits is kept.", Ink.FAINT)


def _steps(screen: Screen, doors: Doors) -> None:
    """Print one link to begin with, one sentence to say, and the other accounts to try."""
    (first, link), *others = doors.links.items()
    screen.line()
    screen.line(f"1  Open this; it signs you in once, within {_minutes()} minutes:", Ink.STRONG)
    _door(screen, first, link)
    screen.line()
    screen.line(f"2  Say there:  {screen.paint(_FIRST, Ink.PROMPT)}")
    screen.line("   The agent asks before it does that. Read it, then approve or reject it.")
    if others:
        screen.line()
        screen.line("3  Be somebody else, in a private window or another browser:", Ink.STRONG)
    for name, link in others:
        _door(screen, name, link)
        if name in _PARTS:
            screen.line(f"  {'':<{_LABEL_COLUMNS}}{_PARTS[name]}", Ink.FAINT)
    screen.line()


def show_service(screen: Screen, agents: Sequence[str], url: str, doors: Doors) -> None:
    """Print the greeting of a server for the user's own agents."""
    screen.line(f"Assent serves on {doors.where}", Ink.STRONG)
    _links(screen, doors)
    _fact(screen, "Agents", ", ".join(map(safe_line, agents)))
    _fact(screen, "Database", safe_line(url))
    if not doors.links:
        _fact(screen, "Sign in", "with an API key: assent keys create PERSON --db …")
    screen.line("Ctrl-C stops it; what waits is kept.", Ink.FAINT)


def _links(screen: Screen, doors: Doors) -> None:
    if not doors.links:
        return
    screen.line()
    screen.line(f"Sign in; each link works once, for {_minutes()} minutes:", Ink.STRONG)
    for name, link in doors.links.items():
        _door(screen, name, link)
    screen.line()


def _door(screen: Screen, name: str, link: str) -> None:
    # Never wrapped: a terminal makes a link of one line, and people copy one line.
    screen.line(f"  {safe_line(name):<{_LABEL_COLUMNS}}{link}")


def _minutes() -> int:
    return int(SIGN_IN_WITHIN.total_seconds() // 60)


def _fact(screen: Screen, label: str, text: str) -> None:
    screen.line(f"  {screen.paint(f'{label:<{_LABEL_COLUMNS}}', Ink.FAINT)}{text}")


def _curl(screen: Screen, origin: str, keys: Path) -> None:
    message = '{"messages":[{"role":"user","content":"delete test.txt"}]}'
    screen.line(f"  KEY=$(jq -r .user {_short(keys)})")
    screen.line(f"  curl -N {origin}/api/qa/chat_streamed/first \\")
    screen.line('    -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\')
    screen.line(f"    -d '{message}'")


def _short(path: Path) -> str:
    """Return a path as a shell takes it, with `~` if it is in the home folder."""
    if shlex.quote(str(path)) != str(path):
        return shlex.quote(str(path))
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
