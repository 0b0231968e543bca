"""Answers of a receiver: taken, to be tried again, given up, or the end of an endpoint."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

from assent.channels.safe_http import HttpAnswer
from assent.errors import ChannelError

LONGEST_SECONDS: Final = 86_400.0
# Statuses of requests that were refused, yet not for good.
_PASSING: Final = frozenset({408, 425})


def endpoint_gone() -> ChannelError:
    """Return the error for an endpoint that wants no more messages at all."""
    return ChannelError(
        "The endpoint answered 410 Gone: nothing more is sent to it until this process is started "
        "with another address",
        whole=True,
        retry_after=LONGEST_SECONDS,
    )


def want_taken(answer: HttpAnswer, now: datetime) -> None:
    """Raise `ChannelError` unless the receiver took the message."""
    status, wait = answer.status, retry_after(answer.headers, now)
    if 200 <= status < 300:
        return
    if status == HTTPStatus.GONE:
        raise endpoint_gone()
    if status == 429 or (status == 503 and wait is not None):
        raise ChannelError(f"The endpoint answered {status}", whole=True, retry_after=wait)
    if 300 <= status < 400:
        raise ChannelError(
            f"The endpoint answered {status}: redirects are not followed, name the address that "
            "it leads to",
            permanent=True,
        )
    is_final = 400 <= status < 500 and status not in _PASSING
    raise ChannelError(f"The endpoint answered {status}", permanent=is_final, retry_after=wait)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` asks for, a day at most; None if it says nothing."""
    given = headers.get("retry-after", "").strip()
    seconds = _seconds(given, now)
    if seconds is None or math.isnan(seconds):
        return None
    return min(max(seconds, 0.0), LONGEST_SECONDS)


def _seconds(given: str, now: datetime) -> float | None:
    if given.isascii() and given.isdigit():
        return float(given[:9])
    try:
        at = parsedate_to_datetime(given)
    except (ValueError, OverflowError, IndexError):
        return None
    return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds()
