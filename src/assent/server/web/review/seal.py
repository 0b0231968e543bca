"""What a page showed to whom and when: sealed into its form, and told by what comes back."""

import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import Approve, RunAgain, Verdict
from assent.domain.errors import StaleDigest, TooEarly
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.vault import Vault
from assent.presentation.rendering import Rendered
from assent.server.service import Service

# The name of the hidden field.
FIELD: Final = "seal"
_TOKEN: Final = re.compile(
    r"([A-Za-z0-9_-]{1,32})\|([0-9T:.+-]{20,40})\|([^|]{1,200})\|([0-9a-f]{64})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """Which renderer showed what, by hash, and when."""

    shown: str
    at: datetime


def seal_of(service: Service, person: Person, request: Request, rendered: Rendered) -> str:
    """What a form carries back: that this was shown to this person, now."""
    kernel = service.assent.kernel
    seal, kid = Seal(shown=rendered.shown, at=kernel.clock.now()), kernel.vault.kid
    mac = _mac(kernel.vault, kid, person, request, seal)
    return f"{kid}|{seal.at.isoformat()}|{seal.shown}|{mac}"


def witnessed(
    service: Service, person: Person, request: Request, token: str, verdict: Verdict
) -> str:
    """What was shown, to be recorded with the decision.

    Raises `StaleDigest` for a seal that is not of this page and person, `TooEarly` for an approval
    that takes typing and came sooner than anybody reads.
    """
    kernel = service.assent.kernel
    seal = _opened(kernel.vault, person, request, token)
    if seal is None:
        raise StaleDigest(request.id)
    is_approval = isinstance(verdict, Approve | RunAgain)
    if is_approval and request.confirmation is Confirmation.TYPED:
        left = seal.at + service.settings.dwell - kernel.clock.now()
        if left.total_seconds() > 0:
            raise TooEarly(request.id, ceil(left.total_seconds()))
    return seal.shown


def _opened(vault: Vault, person: Person, request: Request, token: str) -> Seal | None:
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        return None
    kid, at, shown, given = parts.groups()
    try:
        seal = Seal(shown=shown, at=datetime.fromisoformat(at))
    except ValueError:
        return None
    made = _mac(vault, kid, person, request, seal)
    return seal if made is not None and hmac.compare_digest(made, given) else None


def _mac(vault: Vault, kid: str, person: Person, request: Request, seal: Seal) -> str | None:
    bound: list[Json] = [request.id, request.digest, person.id, seal.shown, seal.at.isoformat()]
    return vault.mac(["seal", *bound], kid=kid)
