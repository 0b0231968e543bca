"""Ids: a prefix that names the kind, then time and random digits, so that they sort by age."""

import os
import time
from collections import deque
from collections.abc import Callable

from assent.domain.identifiers import TIME_BYTES

Ids = Callable[[str], str]
_BYTES = 8
_DRAWN = 256

# Drawn ahead: a system call for each id would let another thread take the interpreter. A deque,
# because ids are made in several threads. Cleared in a forked child, which would repeat its
# parent's ids.
_chances: deque[bytes] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_chances.clear)


def new_id(prefix: str) -> str:
    """Return a new id, such as `call_…`.

    It holds the time in nanoseconds, so that ids of one transaction sort too, and 64 random bits.
    """
    return f"{prefix}_{(time.time_ns().to_bytes(TIME_BYTES) + _chance()).hex()}"


def _chance() -> bytes:
    try:
        return _chances.pop()
    except IndexError:
        drawn = os.urandom(_BYTES * _DRAWN)
        _chances.extend(drawn[n : n + _BYTES] for n in range(_BYTES, len(drawn), _BYTES))
        return drawn[:_BYTES]
