"""A request with everything that is needed to decide it at a terminal."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.cards import Card
from assent.domain.conversations import Conversation
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Risk
from assent.engine.assent import Assent
from assent.engine.queries.review import Review
from assent.errors import NotFound
from assent.presentation.card import hints_of
from assent.presentation.line import in_short
from assent.presentation.page import remaining
from assent.presentation.text import safe_line
from assent.presentation.values import entries_of

# The channel of decisions that are made at a terminal.
CHANNEL: Final = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """A request, its call, its tool if that is known here, and the card that shows them."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    card: Card

    @property
    def countdown(self) -> str:
        """The time that is left to decide; empty if there is no deadline."""
        deadline = self.request.decide_by
        return "" if deadline is None else f"expires {remaining(deadline - datetime.now(UTC))}"

    @property
    def warning(self) -> str:
        """The reason why an approval takes a second step."""
        is_dangerous = self.card.risk is Risk.DANGEROUS
        why = "is dangerous" if is_dangerous else "wants to be confirmed"
        return f"{safe_line(self.request.tool)} {why}."

    def is_visible_to(self, person: Person) -> bool:
        """Return True if the person may decide the request, or the agent acts for them."""
        return person.id == self.request.owner or self.request.admits(person)

    @property
    def in_short(self) -> str:
        """The arguments that would run, on one line; the card has them in full."""
        return in_short(self.card.arguments)

    def arguments(self) -> dict[str, Json]:
        """Return the arguments that would run."""
        return self.call.arguments.thaw()


async def view_of(assent: Assent, request_id: str) -> RequestView:
    """Return everything about one request in its current state."""
    found = await asyncio.to_thread(await assent.queries.requests.showing(request_id))
    return RequestView(request=found.request, call=found.call, tool=found.tool, card=found.card)


async def review_of(assent: Assent, person: Person, request_id: str) -> Review:
    """Return what a person looks at to decide a request, its draft included."""
    [draw] = await assent.queries.requests.reviews(person, [request_id])
    return await asyncio.to_thread(draw)


async def conversations_of(
    assent: Assent, person: str, agent: str | None = None
) -> list[Conversation]:
    """Return a person's conversations with one agent or all, newest first."""
    owned = await assent.queries.conversations.of_owner(person, limit=100)
    return [found for found in owned if agent in (None, found.agent)]


async def running_of(assent: Assent, call_id: str) -> str:
    """Describe a running call on one line, with the arguments it runs with; secrets are masked."""
    call = await assent.queries.requests.call(call_id)
    if call is None:
        raise NotFound("call", call_id)
    hints = hints_of(assent.catalogue.tool(call.agent, call.tool))
    return f"{safe_line(call.tool)} {in_short(entries_of(call.arguments.text, hints))}"
