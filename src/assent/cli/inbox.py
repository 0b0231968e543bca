"""Lists of open requests and of conversations, a few lines each."""

from collections.abc import Iterable
from datetime import UTC

from assent.cli.request_view import RequestView, conversations_of, view_of
from assent.cli.screen import Ink, Screen
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.assent import Assent
from assent.presentation.text import safe_line


async def show_pending(assent: Assent, screen: Screen, requests: Iterable[Request]) -> None:
    """Print open requests with the ids that `assent decide` takes."""
    for request in requests:
        view = await view_of(assent, request.id)
        head = f"  {safe_line(request.tool)}"
        facts = " · ".join(filter(None, (request.kind, request.risk, view.countdown)))
        screen.line(f"{screen.paint(head, Ink.STRONG)}  {facts}")
        screen.line(screen.fitted(f"    {_arguments(view)}"))
        screen.line(f"    {request.id} for {safe_line(request.owner)}", Ink.FAINT)


def _arguments(view: RequestView) -> str:
    if view.tool is None:
        return "(not shown: its tool, which knows what is secret, is not known here)"
    return view.in_short or "no arguments"


async def show_conversations(assent: Assent, screen: Screen, person: Person) -> None:
    """Print a person's conversations, newest first, with the first words of each."""
    for conversation in await conversations_of(assent, person.id):
        thread = await assent.conversation(conversation.id)
        first = thread.messages[0].text if thread.messages else ""
        screen.line(f"{conversation.id}  {thread.status}", Ink.STRONG)
        at = f"{conversation.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        screen.line(screen.fitted(f"  {at} {safe_line(' '.join(first.split()))}"))
