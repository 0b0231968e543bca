"""What waits for people, a few lines each."""

from collections.abc import Iterable

from assent.cli.docket import Docket, docket_of
from assent.cli.screen import Ink, Screen
from assent.domain.requests import Request
from assent.engine.assent import Assent
from assent.presentation.fields import inline_of
from assent.presentation.text import safe_line
from assent.presentation.wrapping import wrapped


async def show_pending(assent: Assent, screen: Screen, requests: Iterable[Request]) -> None:
    """Open requests with their ids: what `assent decide` takes."""
    for request in requests:
        docket = await docket_of(assent, request.id)
        head = f"  {safe_line(request.tool)}"
        facts = " · ".join(filter(None, (request.kind, request.risk, docket.countdown)))
        screen.line(f"{screen.paint(head, Ink.STRONG)}  {facts}")
        screen.line(_fitted(screen, f"    {_arguments(docket)}"))
        screen.line(f"    {request.id} for {safe_line(request.owner)}", Ink.FAINT)


def _arguments(docket: Docket) -> str:
    """The arguments in short; the card shows them in full before anybody decides."""
    pairs = ((entry.name, inline_of(entry.value)) for entry in docket.card.arguments)
    return ", ".join(f"{safe_line(name)}={value or '…'}" for name, value in pairs) or "no arguments"


def _fitted(screen: Screen, line: str) -> str:
    head, *rest = wrapped(line, screen.columns() - 2)
    return f"{head} …" if rest else head
