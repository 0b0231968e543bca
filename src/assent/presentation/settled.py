"""The words for a request that is settled: how, by whom and when."""

from assent.domain.cards import Card
from assent.domain.lifecycle import RequestStatus
from assent.domain.requests import Request
from assent.domain.verdicts import done_words
from assent.presentation.outline import moment
from assent.presentation.text import safe_line

_BY_NOBODY = {
    RequestStatus.EXPIRED: "Expired: nobody decided in time, so it was not run",
    RequestStatus.SUPERSEDED: "No longer needed: a newer question or message took its place",
}


def settled_words(card: Card, request: Request) -> str:
    """Return one sentence about how a request ended; empty while it is open."""
    if request.is_open:
        return ""
    words = _BY_NOBODY.get(request.status)
    if words is None:
        last = card.history[-1] if card.history else None
        done = done_words(last.verdict) if last is not None else str(request.status)
        who = (last.by if last is not None else request.closed_by) or ""
        words = done[:1].upper() + done[1:] + (f" by {safe_line(who)}" if who else "")
        if last is not None and last.channel:
            words += f" via {safe_line(last.channel)}"
    return f"{words} · {moment(request.closed_at)}" if request.closed_at else words
