"""Keys of calls: what stands for a call in the ids of a framework."""

import hashlib
from typing import Final

from assent.domain.outputs import json_text

_READABLE_CHARS: Final = 200


def key_of(*parts: str | None) -> str:
    """Return a key that no other parts have, however long or strange they are."""
    return named(json_text(list(parts)))


def named(text: str) -> str:
    """Return a text that can be stored as a name; one that cannot is replaced by its digest."""
    if 0 < len(text) <= _READABLE_CHARS and text.isprintable():
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
