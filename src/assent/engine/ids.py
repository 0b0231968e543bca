"""Ids: a prefix that says what it is, then time and chance, so that they sort by age."""

import os
import time
from collections.abc import Callable

Ids = Callable[[str], str]


def new_id(prefix: str) -> str:
    """`call_` and the like: nanoseconds, so that one transaction's ids sort too, and 64 bits."""
    return f"{prefix}_{(time.time_ns().to_bytes(8) + os.urandom(8)).hex()}"
