"""Rules for deciding requests together: same tool and risk, not dangerous, one click each."""

from collections.abc import Sequence
from typing import Final

from assent.domain.cards import Card
from assent.domain.confirmations import Confirmation
from assent.domain.lifecycle import RequestKind
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import Risk
from assent.errors import InvalidCommand

MOST: Final = 50
_HARMLESS: Final = frozenset({Risk.SAFE, Risk.MODERATE})


def is_simple(request: Request, person: Person) -> bool:
    """Return True if this person could decide it together with others of its tool."""
    return (
        request.is_open
        and request.kind is RequestKind.APPROVAL
        and request.risk in _HARMLESS
        and request.confirmation is Confirmation.CLICK
        and request.admits(person)
    )


def check_number(ids: Sequence[str]) -> None:
    """Raise `InvalidCommand`, in words for people, for no requests or too many to read at once."""
    if not ids:
        raise InvalidCommand("Nothing is selected: tick some requests in the inbox first")
    if len(ids) > MOST:
        raise InvalidCommand(f"{len(ids)} are too many to read at once: select at most {MOST}")


def check(cards: Sequence[Card]) -> None:
    """Raise `InvalidCommand` unless these may be decided together.

    It checks cards, because their contents may make a call riskier than its tool says.
    """
    if problem := _objection(cards):
        raise InvalidCommand(problem)


def _objection(cards: Sequence[Card]) -> str | None:
    if any(card.kind is not RequestKind.APPROVAL for card in cards):
        return "Only approvals can be decided together: the others each need their own answer"
    if any(card.risk not in _HARMLESS for card in cards):
        return "What is dangerous is decided one by one"
    if any(card.confirmation is not Confirmation.CLICK for card in cards):
        return "What takes more than a click to approve is decided one by one"
    if len({(card.agent, card.source, card.tool) for card in cards}) > 1:
        return "Only requests for the same tool of the same agent can be decided together"
    if len({card.risk for card in cards}) > 1:
        return "Only requests of the same risk can be decided together"
    return None
