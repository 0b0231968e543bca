"""Failures of providers, in a few safe words."""

import re
from collections.abc import Sequence
from typing import Final, cast

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)

from assent.errors import ModelFailed

_MAX_CHARS: Final = 300
_MIN_SECRET_CHARS: Final = 8  # a shorter text would be found in ordinary words
_RETRIED_STATUSES: Final = frozenset({408, 409, 425, 429})
_KEY_LIKE: Final = re.compile(r"\b(?:sk|pk|key|Bearer|AIza)[-_ ]?[\w*.-]{12,}")

# Adapters assert on the shape of a stream, and parse with json and pydantic (both ValueError).
UNREADABLE: Final = (UnexpectedModelBehavior, AssertionError, ValueError)


def failure_of(error: Exception, *, secrets: Sequence[str] = ()) -> ModelFailed:
    """Return the failure to report: a short text without secrets."""
    reason, transient = _judged(error)
    return ModelFailed(_safe(reason, secrets), transient=transient)


def is_of_prompt(error: Exception) -> bool:
    """Return True if the prompt may be the cause: refused for good, or not sendable."""
    match error:
        case ModelHTTPError():
            return not _is_passing(error) and error.status_code != 401
        case ModelAPIError() | UnexpectedModelBehavior():
            return False
        case _:
            return True


def _judged(error: Exception) -> tuple[str, bool]:
    match error:
        case ModelHTTPError():
            return _refused(error), _is_passing(error)
        case ModelQuotaExceededError():
            return "the account's quota is used up", False
        case ModelTimeoutError() | ModelRequestTimeout():
            return "the provider did not answer in time", True
        case ModelConnectionError():
            return "the connection to the provider failed or broke off", True
        case ModelAPIError() if error.in_stream:
            return f"the provider broke off its answer: {error.message}", True
        case ContentFilterError():
            return "the provider's content filter refused the request", False
        case ModelAPIError() | UnexpectedModelBehavior() | AssertionError() | ValueError():
            return "the answer is incomplete or not in the provider's format", True
        case TypeError() | AttributeError() | LookupError():
            return f"the answer is not in the provider's format ({type(error).__name__})", True
        case UserError():
            return str(error), False
        case _:
            return f"unexpected {type(error).__name__}", False


def _refused(error: ModelHTTPError) -> str:
    if error.status_code == 401:
        return "HTTP 401, the provider refused the API key"
    said = _said(error.body)
    return f"HTTP {error.status_code}, {said}" if said else f"HTTP {error.status_code}"


def _is_passing(error: ModelHTTPError) -> bool:
    if isinstance(error, ModelQuotaExceededError):
        return False
    return error.status_code >= 500 or error.status_code in _RETRIED_STATUSES


def _said(body: object) -> str:
    """Return the provider's own message; empty for pages of a proxy and other bodies."""
    if not isinstance(body, dict):
        return ""
    fields = cast("dict[str, object]", body)
    message = fields.get("message")
    return message if isinstance(message, str) else _said(fields.get("error"))


def _safe(reason: str, secrets: Sequence[str]) -> str:
    for secret in (secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS):
        reason = reason.replace(secret, "[secret]")
    line = " ".join("".join(c if c.isprintable() else " " for c in reason).split())
    line = _KEY_LIKE.sub("[secret]", line)
    return line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…"
