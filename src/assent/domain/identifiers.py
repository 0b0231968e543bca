"""Identifiers from outside: kept exactly as they are, or refused. Cleaned, two could become one."""

from typing import Final

from assent.errors import InvalidIdentifier, NotFound

# Two of them are in one index, and an entry of PostgreSQL's holds no more than 2,700 bytes.
MAX_BYTES: Final = 1_000


def flaw(given: object) -> str | None:
    """Why some database could not keep this and find it again; None if every one can."""
    if not isinstance(given, str):
        return "it is no text"
    if not given:
        return "it is empty"
    if "\x00" in given:
        return "it holds a NUL character"
    try:
        size = len(given) if given.isascii() else len(given.encode())
    except UnicodeEncodeError:
        return "it holds half a surrogate pair"
    return None if size <= MAX_BYTES else f"it is longer than {MAX_BYTES:,} bytes"


def want_keepable(what: str, given: object) -> None:
    """Raise unless every database can keep this."""
    if (reason := flaw(given)) is not None:
        raise InvalidIdentifier(what, reason)


def want_findable(noun: str, id: str) -> None:
    """Raise what a search for it would come to, were it possible: nothing has such an id."""
    if flaw(id) is not None:
        raise NotFound(noun, id)
