"""Details that a card leaves out: the tool's description, its parameters, the call's record."""

from datetime import UTC
from itertools import starmap

from assent.cli.request_view import RequestView
from assent.cli.screen import Ink, Screen
from assent.domain.canonical import Json, encode
from assent.domain.events import Entry
from assent.domain.outputs import as_text
from assent.domain.people import Audience
from assent.engine.assent import Assent
from assent.engine.vault import MASKED
from assent.presentation.text import safe_line
from assent.presentation.values import hints_of


async def show_details(assent: Assent, screen: Screen, view: RequestView) -> None:
    """Print everything that is known about a call."""
    screen.line()
    screen.line("The tool in its own words", Ink.STRONG)
    screen.quote(_description(view))
    screen.line("The arguments, exactly as they would run", Ink.STRONG)
    screen.quote(_arguments(view))
    screen.line("Who may decide", Ink.STRONG)
    screen.quote(_audience(view))
    screen.line("The record so far", Ink.STRONG)
    show_entries(screen, await assent.audit(call_id=view.call.id))
    screen.line()


def show_entries(screen: Screen, entries: list[Entry]) -> None:
    """Print audit entries, one line each."""
    for entry in entries:
        at = f"{entry.at.astimezone(UTC):%H:%M:%S}"
        move = f" {entry.source} → {entry.target}" if entry.target else ""
        channel = f" via {entry.channel}" if entry.channel else ""
        screen.quote(f"{at} {entry.action}{move}, by {entry.actor}{channel}", Ink.FAINT)


def _arguments(view: RequestView) -> str:
    """Return the text of the arguments; what the tool declares secret is masked here, too."""
    hints, arguments = hints_of(view.tool), view.call.arguments
    given = arguments.thaw()
    hidden = {name: dict(MASKED) for name in given if (hint := hints.get(name)) and hint.secret}
    return encode({**given, **hidden}) if hidden else arguments.text


def _description(view: RequestView) -> str:
    if view.tool is None:
        return "The tool is not known to this process."
    found = view.tool.tool.arguments.full.get("properties")
    specs = found if isinstance(found, dict) else {}
    return "\n".join([view.tool.tool.description, *starmap(_parameter, specs.items())])


def _parameter(name: str, spec: Json) -> str:
    known = spec if isinstance(spec, dict) else {}
    words = " ".join(as_text(known[part]) for part in ("type", "description") if part in known)
    return f"  {name}: {words}".rstrip(": ")


def _audience(view: RequestView) -> str:
    request = view.request
    return safe_line(
        ", if also admitted as ".join(_named(p, request.owner) for p in request.audience.parts)
    )


def _named(part: Audience, owner_id: str) -> str:
    owner = [f"{owner_id}, for whom the agent acts"] if part.owner else []
    roles = [f"anybody who is {role}" for role in sorted(part.roles)]
    return "; ".join([*owner, *roles, *sorted(part.people)])
