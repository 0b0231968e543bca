"""Earlier decisions like a request, as far as a person may see them."""

from dataclasses import dataclass
from typing import Final

from assent.domain.calls import Call
from assent.domain.cards import Past
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.people import Person
from assent.domain.record import Precedent
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.ports import Tx
from assent.presentation.values import entries_of, hints_of

SIMILAR_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Earlier calls of the same tool by the same agent, newest first.

    `rejected` is how often the same call, argument by argument, was rejected in this conversation.
    """

    found: tuple[Precedent, ...] = ()
    tool: EffectiveTool | None = None
    rejected: int = 0

    @property
    def similar(self) -> tuple[Past, ...]:
        """The earlier calls as a card shows them; they may be large, so not for a transaction."""
        return tuple(_past(each, self.tool) for each in self.found)


def read_background(
    tx: Tx,
    request: Request,
    call: Call,
    tool: EffectiveTool | None,
    person: Person,
    *,
    everything: bool,
) -> Background:
    """Read the background of an approval; `everything` if the person sees all conversations."""
    if request.kind is not RequestKind.APPROVAL:
        return Background()
    found = _visible(tx, request, person, everything=everything)
    return Background(
        found=tuple(found),
        tool=tool,
        rejected=tx.precedents.rejections(request, call.arguments.digest),
    )


def _visible(tx: Tx, request: Request, person: Person, *, everything: bool) -> list[Precedent]:
    """Return calls of the person's own conversations and those they decided: others are private."""
    viewer, most = None if everything else person.id, SIMILAR_MAX
    found = tx.precedents.of_owner(request, viewer=viewer, limit=most)
    if len(found) < most and (everything or person.id != request.owner):
        known = {each.request_id for each in found}
        others = tx.precedents.of_everybody(request, viewer=viewer, limit=most)
        found += [each for each in others if each.request_id not in known]
    return sorted(found, key=lambda each: each.at, reverse=True)[:most]


def _past(precedent: Precedent, tool: EffectiveTool | None) -> Past:
    in_person = precedent.decided is not RequestStatus.EXPIRED
    # Without the tool it is unknown which of its arguments are secret.
    text = precedent.arguments if tool is not None else None
    return Past(
        at=precedent.at,
        call_id=precedent.call_id,
        request_id=precedent.request_id,
        status=precedent.status,
        by=(precedent.by or "") if in_person else "",
        arguments=entries_of(text, hints_of(tool)),
    )
