"""References: the short text in a button that says which request it decides, and how."""

import re
from dataclasses import dataclass, replace
from typing import Final

from assent.domain.requests import Request
from assent.domain.verdicts import Verb

DETAILS: Final = "details"
DIGEST_CHARS: Final = 12
_PREFIX: Final = "assent"
_REFERENCE: Final = re.compile(
    rf"{_PREFIX}:([a-z_]{{1,20}}):([A-Za-z0-9_-]{{1,48}}):([0-9a-f]{{{DIGEST_CHARS}}}):"
    r"([0-9]{1,4}):([0-9]{1,4}):([01])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A button's request as it was shown: by the start of its digest and the approvals by then.

    `page` is the first field of a form's page. `confirmed` is True for the second step of an
    approval that takes two. It never holds arguments: platforms store it and show it to clients.
    """

    verb: str
    request_id: str
    digest: str
    votes: int = 0
    page: int = 0
    confirmed: bool = False

    @classmethod
    def to(cls, request: Request, verb: str) -> "Reference":
        """Return the reference of a button that is shown with this request now."""
        digest = request.digest[:DIGEST_CHARS]
        return cls(verb=verb, request_id=request.id, digest=digest, votes=request.votes)

    @classmethod
    def read(cls, text: str) -> "Reference | None":
        """Read what `str` wrote; None for any other text, as from buttons of other bots."""
        found = _REFERENCE.fullmatch(text)
        if found is None or not _is_known(found[1]):
            return None
        return cls(
            verb=found[1],
            request_id=found[2],
            digest=found[3],
            votes=int(found[4]),
            page=int(found[5]),
            confirmed=found[6] == "1",
        )

    def __str__(self) -> str:
        digest, confirmed = self.digest, int(self.confirmed)
        return (
            f"{_PREFIX}:{self.verb}:{self.request_id}:{digest}:{self.votes}:{self.page}:{confirmed}"
        )

    def fits(self, request: Request) -> bool:
        """Return True if the request is still as it was shown."""
        same = request.digest.startswith(self.digest)
        return same and request.votes == self.votes

    def second_step(self) -> "Reference":
        """Return the reference of the button that confirms this one."""
        return replace(self, confirmed=True)

    def page_from(self, field: int) -> "Reference":
        """Return the reference to the page of a form that begins with this field."""
        return replace(self, page=field)


def _is_known(verb: str) -> bool:
    return verb == DETAILS or verb in list(Verb)
