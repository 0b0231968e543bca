"""Ids: a prefix that says what it is, then time and chance, so that they sort by age."""

import secrets
import time
from collections.abc import Callable

Ids = Callable[[str], str]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS = 68


def new_id(prefix: str) -> str:
    """`call_` and the like, followed by 26 characters."""
    # Nanoseconds first: entries of one transaction sort in the order they were made.
    number = (time.time_ns() << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
    digits = [_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5)]
    return f"{prefix}_{''.join(digits)}"
