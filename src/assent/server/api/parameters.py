"""Parameters of routes besides the body, with their patterns."""

from typing import Annotated

from fastapi import Header, Path, Query, Request
from pydantic import Field

from assent.domain.paging import Place

# Matches every id, ours or a chat client's; no control characters, no slashes.
ID = r"^[A-Za-z0-9._:@|~=+-]{1,200}$"
WORD = r"^[^\x00-\x1f\x7f]{1,200}$"
Id = Annotated[str, Path(pattern=ID, description="The id of it.")]
Word = Annotated[str | None, Query(pattern=WORD)]
IdFilter = Annotated[str | None, Query(pattern=ID)]
Limit = Annotated[int, Query(ge=1, le=200, description="How many, at most.")]
After = Annotated[
    str | None,
    Query(pattern=r"^[A-Za-z0-9_-]{1,400}$", description="The `next` of the page before."),
]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{1,200}$",
        description="Sent again with the same body, the first answer comes back.",
    ),
]
Digest = Annotated[
    str,
    Field(
        pattern=r"^[0-9a-f]{64}$",
        description="The `digest` of the request as you saw it; another one is refused with 409.",
    ),
]


def at(request: Request, path: str) -> dict[str, str]:
    """Return the `Location` header of a new resource, with the prefix the app is mounted under."""
    return {"Location": f"{request.scope.get('root_path', '')}{path}"}


def place(after: str | None) -> Place | None:
    """Return the position at which a page begins; raises `BadPage`."""
    return None if after is None else Place.parse(after)
