"""Identifiers: stored exactly as given or refused, since cleaning could make two of them equal."""

from datetime import UTC, datetime, timedelta
from typing import Final

from assent.errors import InvalidIdentifier, NotFound

# One index holds two identifiers, and an index entry of PostgreSQL at most 2,700 bytes.
MAX_BYTES: Final = 1_000
# Ids that we make begin with nanoseconds since 1970 and so sort by age.
TIME_BYTES: Final = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def first_id(prefix: str, at: datetime) -> str:
    """Return text that sorts before every id of this prefix made at this time or later."""
    return f"{prefix}_{((at - _EPOCH) // _MICROSECOND * 1000).to_bytes(TIME_BYTES).hex()}"


def flaw(given: object) -> str | None:
    """Return the reason why a database could not store this identifier; None if every one can."""
    if not isinstance(given, str):
        return "it is not text"
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
    """Raise `InvalidIdentifier` unless every database can store this."""
    if (reason := flaw(given)) is not None:
        raise InvalidIdentifier(what, reason)


def want_findable(noun: str, id: str) -> None:
    """Raise `NotFound` for an id that cannot be stored: nothing can have it."""
    if flaw(id) is not None:
        raise NotFound(noun, id)
