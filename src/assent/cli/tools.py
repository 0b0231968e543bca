"""The command for tools of MCP servers whose definitions have changed."""

from argparse import Namespace

from assent.app import Assent
from assent.cli.options import existing_url, open_screen
from assent.cli.screen import Ink, Screen
from assent.domain.people import ADMIN, SYSTEM, Person
from assent.domain.pins import Pin
from assent.errors import InvalidCommand, NothingToAccept
from assent.presentation.diff import LineState, line_edits
from assent.presentation.text import safe_line


async def tools(options: Namespace) -> None:
    """Show what servers changed, or accept it."""
    async with Assent(existing_url(options), agents=(), worker=False) as assent:
        screen, changed = open_screen(), await assent.sources.changed()
        if options.action == "changed":
            _list(screen, changed)
            return
        found = next((pin for pin in changed if pin.name == options.tool), None)
        if found is None:
            raise NothingToAccept(options.tool)
        _show(screen, found)
        if not options.yes and not _is_meant():
            raise InvalidCommand("nothing was accepted")
        # A person who has the database and its key acts as the system.
        by = Person(SYSTEM.id, roles={ADMIN})
        await assent.accept(found.name, by=by, definition=found.hash)
        screen.line(f"Accepted: {safe_line(found.name)}.", Ink.STRONG)


def _is_meant() -> bool:
    try:
        return input("Accept this definition? [yes/no] ").strip().lower() == "yes"
    except EOFError:
        return False


def _list(screen: Screen, changed: list[Pin]) -> None:
    if not changed:
        screen.line("All definitions are as they were accepted.")
    for pin in changed:
        _show(screen, pin)


def _show(screen: Screen, pin: Pin) -> None:
    screen.line(f"{safe_line(pin.name)}  from {safe_line(pin.source)}", Ink.STRONG)
    change = pin.change
    if change is None:
        return
    for state, text in line_edits(change.before or "", change.after or ""):
        if state is not LineState.KEPT:
            screen.words(f"  {state.value} {safe_line(text)}")
