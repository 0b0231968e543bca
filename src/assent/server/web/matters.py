"""A request with all that its card needs, read in one transaction."""

from dataclasses import dataclass

from assent.domain.calls import Call
from assent.domain.cards import Card
from assent.domain.errors import NotFound
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Catalogue
from assent.ports import Tx
from assent.presentation.card import card_of
from assent.server.visibility import request_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What a person looks at when they decide."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    card: Card
    may_decide: bool


def read_matter(tx: Tx, catalogue: Catalogue, person: Person, id: str) -> Matter:
    """A request as this person may see it; `NotFound` if they may not."""
    request = request_of(tx, person, id)
    call = tx.calls.get(request.call_id)
    if call is None:
        raise NotFound("request", id)
    tool = catalogue.tool(call.agent, call.tool)
    said = tx.messages.get(call.message_id)
    card = card_of(
        request,
        call,
        tool,
        revisions=tx.calls.revisions(call.id),
        decisions=tx.decisions.of_request(id),
        agent_words=said.text if said else "",
    )
    may_decide = request.is_open and request.admits(person)
    return Matter(request=request, call=call, tool=tool, card=card, may_decide=may_decide)
