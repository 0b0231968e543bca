"""A request as the terminal shows it, read from its rows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from assent.domain.calls import Call
from assent.domain.cards import Card
from assent.domain.identifiers import want_findable
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Catalogue
from assent.errors import NotFound
from assent.ports import Tx
from assent.presentation.card import card_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A request, the call it is about, the tool if it is known here, and the card of it all."""

    request: Request
    call: Call
    tool: EffectiveTool | None
    card: Card


def read_showing(tx: Tx, request_id: str, catalogue: Catalogue) -> Callable[[], Showing]:
    """Read everything about one request.

    Call the result in a thread: drawing a large request takes long.
    """
    want_findable("request", request_id)
    request = tx.requests.look(request_id)
    call = None if request is None else tx.calls.get(request.call_id)
    if request is None or call is None:
        raise NotFound("request", request_id)
    tool = catalogue.tool(call.agent, call.tool)
    said = tx.messages.get(call.message_id)
    draw = partial(
        card_of,
        request,
        call,
        tool,
        revisions=tx.calls.revisions(call.id),
        decisions=tx.decisions.of_request(request.id),
        agent_words="" if said is None else said.text,
        rejected=tx.precedents.rejections(request, call.arguments.digest),
    )
    return lambda: Showing(request=request, call=call, tool=tool, card=draw())
