"""Seals: signed proofs in a form of what its page showed, to whom, and when."""

import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from assent.domain.canonical import Json, digest
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import RunVerdict, Verdict
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.vault import Vault
from assent.errors import StaleDigest, TooEarly
from assent.presentation.rendering import Rendered
from assent.server.service import Service

# The name of the hidden field.
FIELD: Final = "seal"
# What a page asks for: a decision on the request as it is, or its confirmation.
ASKED, CONFIRMED = "asked", "confirmed"
_TOKEN: Final = re.compile(
    r"([A-Za-z0-9_-]{1,32})\|([0-9T:.+-]{20,40})\|([0-9]{1,9})\|([^|]{1,200})\|([0-9a-f]{64})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The renderer and the hash of what it showed, when, and the number of approvals by then."""

    shown: str
    at: datetime
    votes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A person who looks at a request; `asks` is what the page asks them."""

    person: Person
    request: Request
    asks: str = ASKED
    # A person who has voted only repeats their vote: those of others change nothing for them.
    has_voted: bool = False


def confirming(arguments: str | None, runs: str) -> str:
    """Return what a confirmation asks; for an edit this includes exactly what would run."""
    return CONFIRMED if arguments is None else f"{CONFIRMED} {digest(arguments)} {runs}"


def seal_of(
    service: Service, person: Person, request: Request, rendered: Rendered, *, asks: str = ASKED
) -> str:
    """Return the seal for a form: proof that this was shown to this person now."""
    vault, now = service.assent.vault, service.assent.clock.now()
    seal = Seal(shown=rendered.shown, at=now, votes=request.votes)
    kid, sight = vault.kid, Sight(person=person, request=request, asks=asks)
    mac = _mac(vault, kid, sight, seal)
    return f"{kid}|{seal.at.isoformat()}|{seal.votes}|{seal.shown}|{mac}"


def witnessed(service: Service, sight: Sight, token: str, verdict: Verdict) -> str:
    """Return what was shown, to be recorded with the decision.

    Raises `StaleDigest` if the seal is not of this page and person, or if an approval would do
    something else by now; `TooEarly` if one that takes typing came before it could be read.
    """
    request = sight.request
    seal = _opened(service.assent.vault, sight, token)
    if seal is None or _is_overtaken(sight, seal, verdict):
        raise StaleDigest(request.id)
    is_approval = isinstance(verdict, RunVerdict)
    if is_approval and request.confirmation is Confirmation.TYPED:
        left = seal.at + service.settings.dwell - service.assent.clock.now()
        if left.total_seconds() > 0:
            raise TooEarly(request.id, ceil(left.total_seconds()))
    return seal.shown


def _is_overtaken(sight: Sight, seal: Seal, verdict: Verdict) -> bool:
    """Return True if others approved since: then this approval may be the one that runs it."""
    is_vote = isinstance(verdict, RunVerdict) and not sight.has_voted
    return is_vote and seal.votes != sight.request.votes


def _opened(vault: Vault, sight: Sight, token: str) -> Seal | None:
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        return None
    kid, at, votes, shown, given = parts.groups()
    try:
        seal = Seal(shown=shown, at=datetime.fromisoformat(at), votes=int(votes))
    except ValueError:
        return None
    made = _mac(vault, kid, sight, seal)
    return seal if made is not None and hmac.compare_digest(made, given) else None


def _mac(vault: Vault, kid: str, sight: Sight, seal: Seal) -> str | None:
    request, person = sight.request, sight.person
    what: list[Json] = [request.id, request.digest, person.id, sight.asks]
    bound: list[Json] = [*what, seal.shown, seal.at.isoformat(), seal.votes]
    return vault.mac(["seal", *bound], kid=kid)
