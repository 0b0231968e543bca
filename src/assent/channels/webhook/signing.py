"""Signatures of webhooks, as Standard Webhooks describes them."""

import base64
import binascii
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from standardwebhooks import Webhook

from assent.domain import parameters
from assent.domain.parameters import Check, hidden, settle

PREFIX: Final = "whsec_"
SECRETS_MAX: Final = 4
_NEW_BYTES: Final = 32
# The specification's own limits.
_BYTES_MIN: Final = 24
_BYTES_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class SigningSecrets:
    """The secrets that sign every message: one, or several while they are being replaced."""

    texts: str | Sequence[str] = field(repr=False)

    def __post_init__(self) -> None:
        settle(self, {"texts": SECRETS})

    def headers(self, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
        """Return the headers of one attempt: the id stays, the time and signatures are new."""
        # The library takes the clock reading as it is and calls it UTC.
        moment = at.astimezone(UTC)
        signatures = [Webhook(text).sign(message_id, moment, body.decode()) for text in self.texts]
        return {
            "webhook-id": message_id,
            "webhook-timestamp": str(int(moment.timestamp())),
            "webhook-signature": " ".join(signatures),
        }


def new_secret() -> str:
    """Return a new secret for signatures."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_NEW_BYTES)).decode()


def _is_secret(text: object) -> bool:
    if not isinstance(text, str) or not text.startswith(PREFIX):
        return False
    try:
        # The library itself would skip characters that are not base64.
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return False
    return _BYTES_MIN <= len(key) <= _BYTES_MAX


def _secrets(given: object) -> object:
    texts = [given] if isinstance(given, str) else parameters.items(given)
    fits = texts is not None and 1 <= len(texts) <= SECRETS_MAX and all(map(_is_secret, texts))
    return tuple(texts) if fits and texts is not None else parameters.unfit()


SECRETS: Final = hidden(
    Check(
        f"1 to {SECRETS_MAX} secrets: {PREFIX!r} and {_BYTES_MIN} to {_BYTES_MAX} bytes in base64",
        _secrets,
    )
)
